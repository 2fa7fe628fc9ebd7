"""Run and qrels files: what is read, and what is refused with file, line and reason."""

from __future__ import annotations

import bz2
import gc
import gzip
import lzma
import math
import os
import re
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import trec_eval_py as te
from trec_eval_py import reading
from trec_eval_py.distributing import Evaluation, Reader
from trec_eval_py.measures import Options, parse
from trec_eval_py.reading import _plain, _runs

SIX = "6 fields (query_id Q0 docno rank score tag)"
FOUR = "4 fields (query_id 0 docno relevance)"
AS_QRELS = "Four fields are qrels'; where the tag and Q0 are missing, put them back."
GOOD = b"q Q0 d1 1 2.0 t\n"
JUDGED = b"q 0 d1 1\n"

quiet = pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")


def written(folder: Path, content: bytes, name: str = "x.run") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def run_rows(path: Path) -> list[tuple[str, str, float]]:
    """Read a run by both doors: with tags, line by line, and without, in chunks."""
    frame = te.read_run(path)
    found = list(zip(frame["query_id"], frame["docno"], frame["score"], strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = reading.load_run(reading.Source(path), "x")
    assert sorted(found) == sorted(
        (q.decode("utf-8", "backslashreplace"), d.decode("utf-8", "backslashreplace"), score)
        for q, documents in run.items()
        for d, score in documents.items()
    )
    return found


def qrels_rows(path: Path) -> list[tuple[str, str, int]]:
    frame = te.read_qrels(path)
    return list(zip(frame["query_id"], frame["docno"], frame["relevance"], strict=True))


def run_refusal(path: Path) -> str:
    """Give what a run is refused with, by both doors."""
    with pytest.raises(te.ReadError) as refused:
        te.read_run(path)
    with pytest.raises(te.ReadError) as also:
        reading.load_run(reading.Source(path), "x")
    assert str(also.value) == str(refused.value)
    assert also.value.line == refused.value.line
    return str(refused.value)


def qrels_refusal(path: Path) -> str:
    with pytest.raises(te.ReadError) as refused:
        te.read_qrels(path)
    return str(refused.value)


# Lines of runs

TWO = [("a", "d1", 2.0), ("a", "d2", 1.0), ("b", "d3", 9.0)]
RUNS = {
    "blanks": b"a Q0 d1 1 2 t\na Q0 d2 2 1 t\nb Q0 d3 1 9 t\n",
    "tabs": b"a\tQ0\td1\t1\t2\tt\na\tQ0\td2\t2\t1\tt\nb\tQ0\td3\t1\t9\tt\n",
    "blanks and tabs": b"a Q0\td1 1 2 t\na Q0 d2 2 1\tt\nb\tQ0\td3\t1\t9\tt\n",
    "several blanks": b"a  Q0   d1 1 2 t\na Q0 d2 \t 2 1 t\nb Q0 d3 1 9 t\n",
    "blanks at both ends": b" a Q0 d1 1 2 t\na Q0 d2 2 1 t \n\tb Q0 d3 1 9 t\t\n",
    "vertical tab and form feed": b"a\vQ0\fd1 1 2 t\na Q0 d2 2 1 t\fb\nb Q0 d3 1 9 t\v\n",
    "CRLF": b"a Q0 d1 1 2 t\r\na Q0 d2 2 1 t\r\nb Q0 d3 1 9 t\r\n",
    "lone CR": b"a Q0 d1 1 2 t\ra Q0 d2 2 1 t\rb Q0 d3 1 9 t\r",
    "every line end": b"a Q0 d1 1 2 t\ra Q0 d2 2 1 t\r\nb Q0 d3 1 9 t\n",
    "no final newline": b"a Q0 d1 1 2 t\na Q0 d2 2 1 t\nb Q0 d3 1 9 t",
    "CR last": b"a Q0 d1 1 2 t\na Q0 d2 2 1 t\nb Q0 d3 1 9 t\r",
    "BOM": b"\xef\xbb\xbfa Q0 d1 1 2 t\na Q0 d2 2 1 t\nb Q0 d3 1 9 t\n",
    "BOM and comment": b"\xef\xbb\xbf# by us\na Q0 d1 1 2 t\na Q0 d2 2 1 t\nb Q0 d3 1 9 t\n",
    "blank lines": b"\na Q0 d1 1 2 t\n\n\na Q0 d2 2 1 t\n \t \nb Q0 d3 1 9 t\n\n",
    "comments": b"# by us\na Q0 d1 1 2 t\n#\n##\na Q0 d2 2 1 t\nb Q0 d3 1 9 t\n#end",
    "NUL in a comment": b"# \0\na Q0 d1 1 2 t\na Q0 d2 2 1 t\nb Q0 d3 1 9 t\n",
    "words after the tag": b"a Q0 d1 1 2 t and more\na Q0 d2 2 1 t # no\nb Q0 d3 1 9 t\n",
    "ranks that say otherwise": b"a Q0 d1 9 2 t\na Q0 d2 1 1 t\nb Q0 d3 x 9 t\n",
    "any second field": b"a 0 d1 1 2 t\na NULL d2 2 1 t\nb #! d3 1 9 t\n",
    "in no order": b"b Q0 d3 1 9 t\na Q0 d2 2 1 t\na Q0 d1 1 2 t\n",
}


@pytest.mark.parametrize("content", RUNS.values(), ids=RUNS)
def test_lines_of_a_run(tmp_path: Path, content: bytes) -> None:
    assert run_rows(written(tmp_path, content)) == TWO


@pytest.mark.parametrize("content", RUNS.values(), ids=RUNS)
def test_one_odd_line_after_a_thousand_ordinary_ones(tmp_path: Path, content: bytes) -> None:
    many = b"".join(b"0 Q0 %d 1 %d t\n" % (i, -i) for i in range(1000))
    content = content.removeprefix(b"\xef\xbb\xbf")
    assert run_rows(written(tmp_path, many + content))[1000:] == TWO


def test_ranks_follow_from_scores_and_ties_go_to_the_last_docno(tmp_path: Path) -> None:
    run = b"q Q0 a 1 1 t\nq Q0 c 2 2 t\nq Q0 B 3 1 t\nq Q0 b 4 1 t\np Q0 z 7 1 t\n"
    read = te.read_run(written(tmp_path, run))
    assert read["query_id"].tolist() == ["p", "q", "q", "q", "q"]
    assert read["docno"].tolist() == ["z", "c", "b", "a", "B"]
    assert read["rank"].tolist() == [1, 1, 2, 3, 4]


def test_near_scores_tie_as_floats_only(tmp_path: Path) -> None:
    path = written(tmp_path, b"q Q0 a 1 1.00000001 t\nq Q0 b 2 1 t\n")
    assert te.read_run(path)["docno"].tolist() == ["b", "a"]
    assert te.read_run(path, "10.0")["docno"].tolist() == ["a", "b"]


def test_an_unknown_profile_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(te.UsageError, match=r"^profile: saw '9', expected one of 9\.0, 10\.0\.$"):
        te.read_run(written(tmp_path, GOOD), "9")


def test_queries_stand_in_byte_order(tmp_path: Path) -> None:
    run = b"".join(b"%b Q0 d 1 1 t\n" % q for q in (b"9", b"A2", b"10", "é".encode(), b"2", b"a"))
    assert te.read_run(written(tmp_path, run))["query_id"].tolist() == [
        "10",
        "2",
        "9",
        "A2",
        "a",
        "é",
    ]


@quiet
def test_the_frame_of_a_run(tmp_path: Path) -> None:
    read = te.read_run(written(tmp_path, b"q Q0 d 1 1 my tag\nq Q0 e 2 0 \xff\n"))
    assert list(read.columns) == ["query_id", "docno", "rank", "score", "tag"]
    assert read["tag"].tolist() == ["my tag", "\\xff"]
    assert read["rank"].dtype == "int64"
    assert read["score"].dtype == "float64"
    assert read["query_id"].dtype == "str"


# Ids

IDS = {
    "leading zeros": (b"001", "001"),
    "NA": (b"NA", "NA"),
    "null": (b"null", "null"),
    "nan": (b"nan", "nan"),
    "exponent": (b"1e5", "1e5"),
    "plus": (b"+1", "+1"),
    "hexadecimal": (b"0x10", "0x10"),
    "sixteen digits": (b"12345678901234567", "12345678901234567"),
    "all": (b"all", "all"),
    "quotes": (b'"it\'s"', '"it\'s"'),
    "an open quote": (b'"d', '"d'),
    "comma": (b"a,b", "a,b"),
    "backslash": (b"a\\tb", "a\\tb"),
    "NBSP": (b"a\xc2\xa0b", "a\u00a0b"),
    "U+2028": (b"a\xe2\x80\xa8b", "a\u2028b"),
    "U+3000": (b"a\xe3\x80\x80b", "a\u3000b"),
    "U+0085": (b"a\xc2\x85b", "a\u0085b"),
    "U+001C": (b"a\x1cb", "a\x1cb"),
    "U+001F": (b"a\x1f", "a\x1f"),
    "DEL": (b"a\x7f", "a\x7f"),
    "UTF-8": ("größe€".encode(), "größe€"),
    "BOM not at the start": (b"a\xef\xbb\xbf", "a\ufeff"),
    "invalid UTF-8": (b"a\xff\xfeb", "a\\xff\\xfeb"),
    "latin-1": (b"gr\xf6sse", "gr\\xf6sse"),
    "25,000 bytes": (b"x" * 25_000, "x" * 25_000),
    "of 1 MB": (b"x" * 1_000_000, "x" * 1_000_000),
}


@pytest.mark.parametrize(("given_id", "text"), IDS.values(), ids=IDS)
def test_ids_are_bytes_and_text(tmp_path: Path, given_id: bytes, text: str) -> None:
    run = written(tmp_path, b"%b Q0 %b 1 1 t\n" % (given_id, given_id))
    assert run_rows(run) == [(text, text, 1.0)]
    qrels = written(tmp_path, b"%b 0 %b 1\n" % (given_id, given_id), "x.qrels")
    assert qrels_rows(qrels) == [(text, text, 1)]


def test_ids_that_begin_with_a_number_sign_after_the_first_field(tmp_path: Path) -> None:
    assert run_rows(written(tmp_path, b"q #x #d 1 1 #t\n")) == [("q", "#d", 1.0)]
    assert run_rows(written(tmp_path, b" #q Q0 d 1 1 t\n")) == [("#q", "d", 1.0)]
    assert qrels_rows(written(tmp_path, b"q #x #d 1\n")) == [("q", "#d", 1)]


def test_ids_that_differ_in_the_last_of_25_000_bytes(tmp_path: Path) -> None:
    long = b"x" * 24_999
    run = b"q Q0 %ba 1 1 t\nq Q0 %bb 2 2 t\n" % (long, long)
    assert [docno[-1] for _, docno, _ in run_rows(written(tmp_path, run))] == ["b", "a"]


def test_texts_of_ids() -> None:
    assert reading.texts([b"a", b"\xc3\xa9", b"\xff"], "x") == {
        b"a": "a",
        b"\xc3\xa9": "é",
        b"\xff": "\\xff",
    }


@pytest.mark.parametrize("read", [te.read_run, te.read_qrels])
def test_ids_that_become_alike_are_refused(
    tmp_path: Path, read: Callable[[object], object]
) -> None:
    line = "%b Q0 d 1 1 t\n" if read is te.read_run else "%b 0 d 1\n"
    path = written(tmp_path, line.encode() % b"\xff" + line.encode() % b"\\xff")
    with pytest.raises(
        te.InputError,
        match=r"^(run|qrels): saw ids b'\\xff' and b'\\\\xff', which are alike as text, expected "
        r"ids that differ\. Rename one\.$",
    ):
        read(path)


# Numbers

SCORES = {
    **{text: float(text) for text in ("0", "-0", "+1.5", "007", "1.", ".5", "-.5", "+.5e-3")},
    **{text: float(text) for text in ("1e5", "1E5", "1e+5", "1e-05", "1.e5", "3.14159")},
    **{text: float(text) for text in ("0.1234567890123456789", "123456789012345678901234567890")},
    **{text: float(text) for text in ("inf", "INF", "+inf", "-inf", "Infinity", "-iNfInItY")},
    **{text: float(text) for text in ("4.9e-324", "1.7976931348623157e308", "0e400", "0.0e-9")},
}


@pytest.mark.parametrize(("text", "score"), SCORES.items(), ids=SCORES)
def test_numbers_that_are_scores(tmp_path: Path, text: str, score: float) -> None:
    ((_, _, read),) = run_rows(written(tmp_path, f"q Q0 d 1 {text} t\n".encode()))
    assert repr(read) == repr(score)


NAN_FIX = "NaN has no place in an order: mend what wrote it, or drop the line."
LINE_FIX = "Mend or drop the line."
JSON_FIX = "This looks like JSON, but is none: check what wrote it."
RANK_FIRST = "a rank of 0 or 1 on a query's first line"
COMMA_FIX = "Separate fields by blanks or tabs, not commas."
NO_SCORES = {
    **dict.fromkeys(("nan", "NaN", "-nan", "+NAN", "nan(1)"), NAN_FIX),
    **dict.fromkeys(("1,5", "1,000.5", ",5"), "Write a decimal point."),
    **dict.fromkeys(("score", "SCORE", "sim"), "A run has no header: drop the line."),
    **dict.fromkeys(("0x10", "0x1p3", "1_000", "None", "NA", "null", "true", "abc"), LINE_FIX),
    **dict.fromkeys(("1e", "e5", ".", "-", "+", "+-1", "--1", "1-", "1.2.3", ".e5"), LINE_FIX),
    **dict.fromkeys(("1e5.0", "1e5e5", "1d5", "1f", "1.0f", "$1", "1%", "infinit"), LINE_FIX),
    **dict.fromkeys(("\uff11", "1\u00a0", "½", "∞", "\u22121", "'1'", '"1"', "1;"), LINE_FIX),
}


@pytest.mark.parametrize(("text", "fix"), NO_SCORES.items(), ids=NO_SCORES)
def test_what_is_no_score_is_refused(tmp_path: Path, text: str, fix: str) -> None:
    path = written(tmp_path, GOOD + f"q Q0 d2 2 {text} t\n".encode())
    saw = reading.shown(text.encode())
    assert run_refusal(path) == f"{path}:2: saw score {saw}, expected a decimal number. {fix}"


def test_a_score_that_is_not_utf8_is_shown_by_its_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, b"q Q0 d 1 1\xff t\n")
    assert run_refusal(path).startswith(rf"{path}:1: saw score '1\xff', expected a decimal number")


def test_a_long_field_is_cut_in_a_message(tmp_path: Path) -> None:
    path = written(tmp_path, b"q Q0 d 1 " + b"x" * 1_000_000 + b" t\n")
    assert f"saw score '{'x' * 60}…', expected" in run_refusal(path)


ORACLE = re.compile(
    r"[-+]?(?:(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:e[-+]?[0-9]+)?|inf|infinity)", re.IGNORECASE
)
TEXTS = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.from_regex(r"[+-]?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9]{0,3})?", fullmatch=True),
    st.text("0123456789+-.eEinfatyNIxX_,pd", min_size=1, max_size=8),
    st.text(
        st.characters(codec="utf-8", exclude_characters="\0\t\n\v\f\r "), min_size=1, max_size=5
    ),
).filter(bool)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reading")


@quiet
@given(text=TEXTS)
@example("\u0131nf")  # its upper case is INF
@example("1E400")
@settings(max_examples=300)
def test_the_grammar_of_scores(folder: Path, text: str) -> None:
    path = written(folder, f"q Q0 d 1 {text} t\n".encode())
    if text.isascii() and ORACLE.fullmatch(text):
        assert repr(run_rows(path)) == repr([("q", "d", float(text))])
    else:
        assert run_refusal(path).startswith(f"{path}:1: saw score ")


def test_scores_beyond_the_range_are_read_with_a_warning(tmp_path: Path) -> None:
    run = b"q Q0 a 1 1e400 t\nq Q0 b 2 -1e400 t\nq Q0 c 3 1e-400 t\nq Q0 d 4 0 t\nq Q0 e 5 inf t\n"
    with pytest.warns(te.TrecEvalWarning) as warned:
        read = te.read_run(written(tmp_path, run))
    scores = dict(zip(read["docno"], read["score"], strict=True))
    inf = float("inf")
    assert scores == {"a": inf, "b": -inf, "c": 0.0, "d": 0.0, "e": inf}
    assert [str(one.message) for one in warned] == [
        f"{tmp_path / 'x.run'}: 3 scores lie beyond the range of a double and were read as "
        "infinite or 0; such documents tie"
    ]


GRADES = {
    **{text: int(text) for text in ("0", "1", "-1", "+2", "-0", "003", "10000", "2147483648")},
    **{text: int(text) for text in ("9223372036854775807", "-9223372036854775808")},
    "0000000000000000000000000000001": 1,
}


@pytest.mark.parametrize(("text", "grade"), GRADES.items(), ids=GRADES)
def test_integers_that_are_grades(tmp_path: Path, text: str, grade: int) -> None:
    assert qrels_rows(written(tmp_path, f"q 0 d {text}\n".encode())) == [("q", "d", grade)]


@pytest.mark.parametrize(("text", "grade"), [("1.0", 1), ("2.", 2), ("-1.00", -1), ("+3.0", 3)])
def test_a_grade_with_zeros_behind_the_point_is_read_with_a_warning(
    tmp_path: Path, text: str, grade: int
) -> None:
    path = written(tmp_path, f"q 0 c 1\nq 0 d {text}\n".encode())
    with pytest.warns(te.TrecEvalWarning) as warned:
        read = qrels_rows(path)
    assert read[1] == ("q", "d", grade)
    assert [str(one.message) for one in warned] == [
        f"{path}: 1 grade is written as 1.0 is, and read as integers"
    ]


NO_GRADES = [
    *("0.9", "1.5", "1.01", ".0", "1e0", "1e2", "0x1", "1_0", "1,0", "nan", "inf", "None", "rel"),
    *(
        "\uff19",
        "1-",
        "--1",
        "9223372036854775808",
        "-9223372036854775809",
        "9223372036854775808.0",
    ),
    "1" * 400,
]


@pytest.mark.parametrize("text", NO_GRADES, ids=[text[:25] for text in NO_GRADES])
def test_what_is_no_grade_is_refused(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, JUDGED + f"q 0 d2 {text}\n".encode())
    assert qrels_refusal(path) == (
        f"{path}:2: saw relevance {reading.shown(text.encode())}, expected an integer of at most "
        "64 bits. A fraction is never rounded here: map your grades to integers."
    )


# Refusals of runs

BAD_RUNS = {
    "one field": (GOOD + b"q\n", ":2: saw 1 field", SIX, LINE_FIX),
    "two fields": (GOOD + b"q d2\n", ":2: saw 2 fields", SIX, LINE_FIX),
    "two fields first": (b"q d2\n", ":1: saw 2 fields", SIX, LINE_FIX),
    "four fields": (b"q 0 d1 1\n", ":1: saw 4 fields", SIX, AS_QRELS),
    "five fields after six": (GOOD + b"q Q0 d2 2 1.0\n", ":2: saw 5 fields", SIX, LINE_FIX),
    "cut off": (GOOD + b"q Q0 d2 2 1.", ":2: saw 5 fields", SIX, LINE_FIX),
    "five fields with two blanks": (
        GOOD + b"q  Q0 d2 2 1.0\n",
        ":2: saw 5 fields",
        SIX,
        LINE_FIX,
    ),
    "three fields after six": (GOOD + b"q d2 2\n", ":2: saw 3 fields", SIX, LINE_FIX),
    "six fields after five": (
        b"q Q0 d1 1 2.0\n" + b"q Q0 d2 2 1.0 t\n",
        ":2: saw 6 fields",
        "5 fields as on the lines above (query_id Q0 docno rank score)",
        LINE_FIX,
    ),
    "six fields after three": (
        b"q d1 1\n" + b"q Q0 d2 2 1.0 t\n",
        ":2: saw 6 fields",
        "3 fields as on the lines above (query_id docno rank)",
        LINE_FIX,
    ),
    "a docno with a blank": (
        GOOD + b"q Q0 my doc 2 1.0 t\n",
        ":2: saw 7 fields with 'doc' for a rank",
        SIX,
        "A docno must not hold blanks; only a tag may. Mend the line.",
    ),
    "a docno with a blank first": (
        b"q Q0 my doc 2 1.0 t\n",
        ":1: saw 7 fields with 'doc' for a rank",
        SIX,
        "A docno must not hold blanks; only a tag may. Mend the line.",
    ),
    "five fields without Q0": (
        b"q d1 1 2.5 t\n",
        ":1: saw 5 fields with '2.5' for a rank",
        "query_id Q0 docno rank score",
        "Where Q0 is missing, put it back.",
    ),
    "five fields without Q0, whole scores": (
        b"q d1 1 2 t\n",
        ":1: saw score 't'",
        "a decimal number",
        LINE_FIX,
    ),
    "a header": (
        b"qid Q0 docno rank score tag\n" + GOOD,
        ":1: saw score 'score'",
        "a decimal number",
        "A run has no header: drop the line.",
    ),
    "a document twice": (
        GOOD + b"# between\nr Q0 d1 1 1.0 t\nq Q0 d1 2 1.0 t\n",
        ":4: saw document 'd1' again for query 'q' (first on line 1)",
        "a document once per query",
        "Keep the line with its best score, or choose --duplicates best or first.",
    ),
    "a line twice": (
        b"\n" + GOOD + GOOD,
        ":3: saw document 'd1' again for query 'q' (first on line 2)",
        "a document once per query",
        "Keep the line with its best score, or choose --duplicates best or first.",
    ),
    "NUL in a docno": (
        GOOD + b"q Q0 d\0 2 1.0 t\n",
        ":2: saw a NUL byte",
        "text",
        "The file is damaged or no text: write it again.",
    ),
    "NUL for a line": (
        GOOD + b"\0\0\0\0",
        ":2: saw a NUL byte",
        "text",
        "The file is damaged or no text: write it again.",
    ),
    "a fault after lone CRs": (
        GOOD.replace(b"\n", b"\r") + b"q Q0 d2 2 x t\r",
        ":2: saw score 'x'",
        "a decimal number",
        LINE_FIX,
    ),
    "a fault after CRLF": (
        b"\r\n" + GOOD.replace(b"\n", b"\r\n") + b"q Q0 d2 2 x t\r\n",
        ":3: saw score 'x'",
        "a decimal number",
        LINE_FIX,
    ),
    "no JSON": (b"{q: {d: 1.0}}\n", ":1: saw rank '1.0}}'", RANK_FIRST, JSON_FIX),
    "commas": (b"q,Q0,d1,1,2.0,t\n", ":1: saw 1 field", SIX, COMMA_FIX),
    "a single comma": (b"q,d1\n", ":1: saw 1 field", SIX, LINE_FIX),
    "the first of two faults": (GOOD + b"q d2\nq Q0 d3 3 x t\n", ":2: saw 2 fields", SIX, LINE_FIX),
    "empty": (b"", ": saw no run line", SIX, "Check what wrote the file."),
    "BOM only": (b"\xef\xbb\xbf", ": saw no run line", SIX, "Check what wrote the file."),
    "blank lines only": (b"\n \t\n\r\n", ": saw no run line", SIX, "Check what wrote the file."),
    "comments only": (b"#a\n#\n", ": saw no run line", SIX, "Check what wrote the file."),
}


@pytest.mark.parametrize(("content", "saw", "expected", "fix"), BAD_RUNS.values(), ids=BAD_RUNS)
def test_a_run_is_refused_with_its_line(
    tmp_path: Path, content: bytes, saw: str, expected: str, fix: str
) -> None:
    path = written(tmp_path, content)
    assert run_refusal(path) == f"{path}{saw}, expected {expected}. {fix}"


LATER = {name: bad for name, bad in BAD_RUNS.items() if bad[0].lstrip(b"\n").startswith(GOOD)}


@pytest.mark.parametrize(("content", "saw", "expected", "fix"), LATER.values(), ids=LATER)
def test_a_fault_behind_many_lines_is_refused_with_its_line(
    tmp_path: Path, content: bytes, saw: str, expected: str, fix: str
) -> None:
    """The first lines fill several chunks, and are ordinary."""
    many = b"".join(b"0 Q0 %d 1 %d t\n" % (i, -i) for i in range(40_000))
    path = written(tmp_path, many + content)
    # Every line number in the message is 40,000 higher.
    saw = re.sub(r"(?<=^:)\d+|(?<=line )\d+", lambda found: str(int(found[0]) + 40_000), saw)
    assert run_refusal(path) == f"{path}{saw}, expected {expected}. {fix}"


def test_an_error_knows_its_line_and_its_exit_status(tmp_path: Path) -> None:
    with pytest.raises(te.ReadError) as refused:
        te.read_run(written(tmp_path, GOOD + b"q\n"))
    assert (refused.value.line, refused.value.exit_status) == (2, 3)
    with pytest.raises(te.ReadError) as refused:
        te.read_run(written(tmp_path, b""))
    assert refused.value.line is None


# Five fields, and three

FIVE = b"a Q0 d1 1 2\na Q0 d2 2 1\nb Q0 d3 1 9\n"
THREE = b"a\td1\t1\na\td2\t2\nb\td3\t1\n"


def test_five_fields_are_read_without_a_tag(tmp_path: Path) -> None:
    path = written(tmp_path, FIVE)
    with pytest.warns(te.TrecEvalWarning) as warned:
        read = te.read_run(path)
    assert read["score"].tolist() == [2.0, 1.0, 9.0]
    assert read["tag"].tolist() == ["", "", ""]
    assert [str(one.message) for one in warned] == [
        f"{path}: lines have 5 fields; they were read as query_id Q0 docno rank score"
    ]


def test_three_fields_are_read_in_their_order(tmp_path: Path) -> None:
    path = written(tmp_path, THREE)
    with pytest.warns(te.TrecEvalWarning) as warned:
        read = te.read_run(path)
    assert read["docno"].tolist() == ["d1", "d2", "d3"]
    assert read["rank"].tolist() == [1, 2, 1]
    assert [str(one.message) for one in warned] == [
        f"{path}: lines have 3 fields; they were read as query_id docno rank (MS MARCO)"
    ]


ORDERS = {
    "from 1": (b"q c 1\nq b 2\nq a 3\n", ["c", "b", "a"]),
    "from 0": (b"q c 0\nq b 1\nq a 2\n", ["c", "b", "a"]),
    "with gaps": (b"q c 1\nq b 7\nq a 1000\n", ["c", "b", "a"]),
    "with a plus": (b"q c +1\nq b 02\nq a 3\n", ["c", "b", "a"]),
    "beyond the floats": (b"q c 1\nq a 16777216\nq b 16777217\n", ["c", "a", "b"]),
    "queries that alternate": (b"q c 1\nr x 1\nq b 2\nr y 2\n", ["c", "b", "x", "y"]),
    "comments and blank lines": (b"#\nq c 1\n\n# a b\nq b 2\n", ["c", "b"]),
}


@quiet
@pytest.mark.parametrize("profile", ["9.0", "10.0"])
@pytest.mark.parametrize(("content", "order"), ORDERS.values(), ids=ORDERS)
def test_ranks_of_three_fields_keep_the_order(
    tmp_path: Path, content: bytes, order: list[str], profile: str
) -> None:
    assert te.read_run(written(tmp_path, content), profile)["docno"].tolist() == order


MARCO_FIX = (
    "A run of 3 fields (query_id docno rank) lists each query's documents in order; one with "
    "scores has 6."
)
BAD_ORDERS = {
    "starts at 2": (b"q a 2\n", ":1: saw rank '2'", "a rank of 0 or 1 on a query's first line"),
    "negative": (b"q a -1\n", ":1: saw rank '-1'", "a rank of 0 or 1 on a query's first line"),
    "a score": (b"q a 0.5\n", ":1: saw rank '0.5'", "a rank of 0 or 1 on a query's first line"),
    "text": (b"q a x\n", ":1: saw rank 'x'", "a rank of 0 or 1 on a query's first line"),
    "too long": (
        b"q a 1\nq b 1000000000000000\n",
        ":2: saw rank '1000000000000000'",
        "a rank above 1, that of the query's line before",
    ),
    "repeated": (
        b"q a 1\nq b 1\n",
        ":2: saw rank '1'",
        "a rank above 1, that of the query's line before",
    ),
    "falls": (
        b"q a 0\nq b 3\nr c 1\nq d 2\n",
        ":4: saw rank '2'",
        "a rank above 3, that of the query's line before",
    ),
}


@pytest.mark.parametrize(("content", "saw", "expected"), BAD_ORDERS.values(), ids=BAD_ORDERS)
def test_ranks_of_three_fields_must_rise(
    tmp_path: Path, content: bytes, saw: str, expected: str
) -> None:
    path = written(tmp_path, content)
    assert run_refusal(path) == f"{path}{saw}, expected {expected}. {MARCO_FIX}"


@pytest.mark.parametrize(
    "content", [b"q a 1\nq b 2\nq a 3\n", b"q Q0 a 1 3\nq Q0 b 2 2\nq Q0 a 3 1\n"], ids=["3", "5"]
)
def test_a_document_twice_in_other_layouts(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    assert run_refusal(path).startswith(
        f"{path}:3: saw document 'a' again for query 'q' (first on line 1), expected a document "
        "once per query."
    )


# Warnings


def said_of(path: Path) -> list[str]:
    """Give the warnings about a run, which both doors must say alike, less the file's name."""
    with pytest.warns(te.TrecEvalWarning) as warned:
        te.read_run(path)
    with pytest.warns(te.TrecEvalWarning) as again:
        reading.load_run(reading.Source(path), str(path))
    assert {one.filename for one in [*warned, *again]} == {__file__}
    said = [str(one.message) for one in warned]
    assert [str(one.message) for one in again] == said
    assert all(text.startswith(f"{path}: ") for text in said)
    return [text.removeprefix(f"{path}: ") for text in said]


def test_comments_that_could_be_lines_are_told(tmp_path: Path) -> None:
    run = GOOD + b"#1 Q0 d1 1 2 t\n# one two three\n#2 Q0 d1 1 2 t\n"
    assert said_of(written(tmp_path, run)) == [
        "2 comment lines have as many fields as a data line; a line that begins with # is a "
        "comment, whatever follows"
    ]


def test_comments_that_could_be_judgments_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, JUDGED + b"#1 0 d1 1\n# by us\n")
    with pytest.warns(te.TrecEvalWarning, match=rf"^{re.escape(str(path))}: 1 comment line has"):
        te.read_qrels(path)


def test_comments_are_counted_by_the_layout_of_the_file(tmp_path: Path) -> None:
    said = said_of(written(tmp_path, b"q d1 1\n#q d2 2\n#q d3 3\n# a b c d e\n"))
    assert said[0].startswith("2 comment lines have as many fields as a data line")


@quiet
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_comment_that_could_be_a_line_is_none(tmp_path: Path, place: int) -> None:
    lines = RUNS["blanks"].splitlines(keepends=True)
    lines.insert(place, b"#c Q0 d1 1 2 t\n")
    assert run_rows(written(tmp_path, b"".join(lines))) == TWO


def test_several_tags_are_told(tmp_path: Path) -> None:
    run = b"q Q0 d1 1 3 alpha\nq Q0 d2 2 2 be ta\nq Q0 d3 3 1 alpha\n"
    assert said_of(written(tmp_path, run)) == [
        "2 tags in one file ('alpha', 'be'); it is scored as one run"
    ]


def test_four_tags_are_counted_and_three_shown(tmp_path: Path) -> None:
    run = b"".join(b"q Q0 d%d 1 %d t%d\n" % (i, -i, i) for i in range(4))
    assert said_of(written(tmp_path, run)) == [
        "4 tags in one file ('t0', 't1', 't2'); it is scored as one run"
    ]


# Qrels

PAIRS = [("a", "d1", 0), ("a", "d2", 1), ("b", "d3", 2)]
QRELS = {
    "blanks": b"a 0 d1 0\na 0 d2 1\nb 0 d3 2\n",
    "tabs": b"a\t0\td1\t0\na\t0\td2\t1\nb\t0\td3\t2\n",
    "mixed and trailing blanks": b"a\t0 d1  0\n a 0 d2 1 \nb 0  d3 2\t\n",
    "CRLF": b"a 0 d1 0\r\na 0 d2 1\r\nb 0 d3 2\r\n",
    "lone CR": b"a 0 d1 0\ra 0 d2 1\rb 0 d3 2\r",
    "no final newline": b"a 0 d1 0\na 0 d2 1\nb 0 d3 2",
    "BOM": b"\xef\xbb\xbfa 0 d1 0\na 0 d2 1\nb 0 d3 2\n",
    "blank lines": b"\na 0 d1 0\n\t\na 0 d2 1\n\nb 0 d3 2\n\n",
    "comments": b"# by us\n#\n#\na 0 d1 0\na 0 d2 1\nb 0 d3 2\n#",
    "any second field": b"a Q0 d1 0\na 7 d2 1\nb 4.5 d3 2\n",
    "a subtopic for each": b"a 1 d1 0\na 2 d2 1\nb 1 d3 2\n",
    "BEIR": b"query-id\tcorpus-id\tscore\na\td1\t0\na\td2\t1\nb\td3\t2\n",
    "BEIR with CRLF": b"query-id\tcorpus-id\tscore\r\na\td1\t0\r\na\td2\t1\r\nb\td3\t2\r\n",
    "BEIR with a BOM": b"\xef\xbb\xbfquery-id\tcorpus-id\tscore\na\td1\t0\na\td2\t1\nb\td3\t2\n",
    "BEIR with blanks": b"# by us\n\nquery-id corpus-id score\na d1 0\na d2 1\nb d3 2\n",
}


@pytest.mark.parametrize("content", QRELS.values(), ids=QRELS)
def test_lines_of_qrels(tmp_path: Path, content: bytes) -> None:
    assert qrels_rows(written(tmp_path, content)) == PAIRS


def test_the_frame_of_qrels(tmp_path: Path) -> None:
    read = te.read_qrels(written(tmp_path, b"b 0 z 1\na x d 1\nb 1 y -2\n"))
    assert list(read.columns) == ["query_id", "docno", "iteration", "relevance"]
    assert read.to_numpy().tolist() == [["a", "d", "x", 1], ["b", "z", "0", 1], ["b", "y", "1", -2]]
    assert read["relevance"].dtype == "int64"


SIXTH = "Six fields are a run's: qrels come first, then runs."
PRELS = (
    "Five fields are preferences (read them with --qrels-format prefs, trec_eval -R prefs) or "
    "prels, which are no qrels."
)
HEADER = "Three fields need BEIR's header query-id corpus-id score on the first line."
ONCE = "one judgment of a document per query"
SUBTOPIC = (
    "Where the second column names a user, read them with --qrels-format qrels_jg (trec_eval -R "
    "qrels_jg); where a subtopic, with --qrels-format subtopics."
)
KEEP_ONE = "Keep one of them, or choose --duplicates best or first."
BAD_QRELS = {
    "no JSON": (b"{q: {d: 1}}\n", ":1: saw 3 fields", FOUR, JSON_FIX),
    "commas": (b"q,0,d1,1\n", ":1: saw 1 field", FOUR, COMMA_FIX),
    "one field": (b"q\n", ":1: saw 1 field", FOUR, LINE_FIX),
    "two fields": (JUDGED + b"q d2\n", ":2: saw 2 fields", FOUR, LINE_FIX),
    "three fields": (JUDGED + b"q d2 1\n", ":2: saw 3 fields", FOUR, HEADER),
    "three fields without a header": (b"q d1 1\n", ":1: saw 3 fields", FOUR, HEADER),
    "a header of others": (b"query_id doc_id rel\n", ":1: saw 3 fields", FOUR, HEADER),
    "five fields": (JUDGED + b"q d2 1 1 0.5\n", ":2: saw 5 fields", FOUR, PRELS),
    "a run": (GOOD, ":1: saw 6 fields", FOUR, SIXTH),
    "four fields under BEIR's header": (
        b"query-id\tcorpus-id\tscore\nq 0 d1 1\n",
        ":2: saw 4 fields",
        "3 fields (query-id corpus-id score)",
        LINE_FIX,
    ),
    "judged twice alike": (
        b"# first\n" + JUDGED + b"q 0 d2 0\n" + JUDGED,
        ":4: saw document 'd1' again for query 'q' (first on line 2)",
        ONCE,
        KEEP_ONE,
    ),
    "judged twice otherwise": (
        JUDGED + b"r 0 d1 0\nq 0 d1 0\n",
        ":3: saw document 'd1' again for query 'q' (first on line 1)",
        ONCE,
        KEEP_ONE,
    ),
    "judged for two subtopics": (
        b"q 1 d1 1\nq 1 d2 1\nq 2 d1 0\n",
        ":3: saw document 'd1' again for query 'q' (first on line 1)",
        ONCE,
        SUBTOPIC,
    ),
    "judged twice under BEIR's header": (
        b"query-id corpus-id score\nq d1 1\nq d1 2\n",
        ":3: saw document 'd1' again for query 'q' (first on line 2)",
        ONCE,
        KEEP_ONE,
    ),
    "NUL": (
        JUDGED + b"q 0 d\0 1\n",
        ":2: saw a NUL byte",
        "text",
        "The file is damaged or no text: write it again.",
    ),
    "empty": (b"", ": saw no judgment", FOUR, "Check what wrote the file."),
    "blank lines only": (b"\n\n  \n", ": saw no judgment", FOUR, "Check what wrote the file."),
    "comments only": (b"#\n# q 0 d 1\n", ": saw no judgment", FOUR, "Check what wrote the file."),
    "BEIR's header only": (
        b"query-id corpus-id score\n",
        ": saw no judgment",
        FOUR,
        "Check what wrote the file.",
    ),
}


@pytest.mark.parametrize(("content", "saw", "expected", "fix"), BAD_QRELS.values(), ids=BAD_QRELS)
def test_qrels_are_refused_with_their_line(
    tmp_path: Path, content: bytes, saw: str, expected: str, fix: str
) -> None:
    path = written(tmp_path, content, "x.qrels")
    assert qrels_refusal(path) == f"{path}{saw}, expected {expected}. {fix}"


# Compression


def zstd(content: bytes) -> bytes:
    compressed: bytes = pa.compress(content, "zstd", asbytes=True)
    return compressed


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}
LONG = b"".join(b"q%d Q0 d%d 1 0.%d t\n" % (i // 100, i, i * 7919 % 9973) for i in range(5000))


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst", ".zip", ".parquet"])
@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
def test_compression_is_told_by_content(
    tmp_path: Path, compress: Callable[[bytes], bytes], suffix: str
) -> None:
    assert run_rows(written(tmp_path, compress(RUNS["blanks"]), "x.run" + suffix)) == TWO
    assert qrels_rows(written(tmp_path, compress(QRELS["BEIR"]), "x.qrels" + suffix)) == PAIRS


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_plain_text_may_be_named_as_if_compressed(tmp_path: Path, suffix: str) -> None:
    assert run_rows(written(tmp_path, RUNS["blanks"], "x.run" + suffix)) == TWO


@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
def test_all_members_are_read(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    lines = [compress(line) for line in RUNS["blanks"].splitlines(keepends=True)]
    assert run_rows(written(tmp_path, b"".join(lines))) == TWO


@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
def test_a_member_may_end_within_a_line(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    run = RUNS["blanks"]
    assert run_rows(written(tmp_path, compress(run[:20]) + compress(run[20:]))) == TWO


@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
def test_a_line_is_named_in_a_compressed_file(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    path = written(tmp_path, compress(GOOD + b"q Q0 d2 2 nan t\n"))
    assert run_refusal(path).startswith(f"{path}:2: saw score 'nan', expected a decimal number.")


@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_a_compressed_file_of_nothing_is_empty(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, COMPRESSIONS[kind](b""))
    assert run_refusal(path) == (
        f"{path}: saw no run line, expected {SIX}. Check what wrote the file."
    )


def is_damaged(message: str, path: Path, kind: str) -> bool:
    """Whether this says on which line what is compressed breaks, and after how much."""
    where = r"(at its start|after [0-9,]+ unpacked bytes) \("
    saw = rf":[0-9]+: saw a {kind} stream that is cut off or damaged {where}"
    return re.match(re.escape(str(path)) + saw, message) is not None


@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_a_truncated_archive_is_refused(tmp_path: Path, kind: str) -> None:
    whole = COMPRESSIONS[kind](LONG)
    for end in (16, 30, len(whole) // 3, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path = written(tmp_path, whole[:end])
        message = run_refusal(path)
        assert is_damaged(message, path, kind)
        assert message.endswith("), expected a whole one. Fetch or write the file again.")
        said = qrels_refusal(path)
        assert is_damaged(said, path, kind) or said.startswith(f"{path}:1: saw 6 fields")


@pytest.mark.parametrize("kind", ["gzip", "xz"])
def test_a_damaged_archive_is_refused(tmp_path: Path, kind: str) -> None:
    whole = bytearray(COMPRESSIONS[kind](LONG))
    whole[-6] ^= 0x55
    path = written(tmp_path, bytes(whole))
    assert is_damaged(run_refusal(path), path, kind)


@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_a_damaged_second_member_is_never_lost(tmp_path: Path, kind: str) -> None:
    """Its first byte is wrong, so that it looks as if something else followed the first."""
    second = bytearray(COMPRESSIONS[kind](b"q Q0 d2 2 1 t\n"))
    second[0] ^= 0x01
    path = written(tmp_path, COMPRESSIONS[kind](GOOD) + bytes(second))
    assert is_damaged(run_refusal(path), path, kind)


def test_zeros_may_follow_a_gzip_stream(tmp_path: Path) -> None:
    """Tapes and some copies pad with zeros; gzip lets them be."""
    path = written(tmp_path, gzip.compress(RUNS["blanks"]) + b"\0" * 512)
    assert run_rows(path) == TWO


NOT_TEXT = {
    "zip": (b"PK\x03\x04\x14\0\0\0", "a zip archive", "Unpack it, and give the file inside."),
    "UTF-16, little": (
        "\ufeffq Q0 d 1 1 t\n".encode("utf-16-le"),
        "UTF-16 text",
        "Convert it: iconv -f UTF-16 -t UTF-8.",
    ),
    "UTF-16, big": (
        "\ufeffq Q0 d 1 1 t\n".encode("utf-16-be"),
        "UTF-16 text",
        "Convert it: iconv -f UTF-16 -t UTF-8.",
    ),
}


@pytest.mark.parametrize(("content", "saw", "fix"), NOT_TEXT.values(), ids=NOT_TEXT)
def test_what_is_no_text_is_refused_by_name(
    tmp_path: Path, content: bytes, saw: str, fix: str
) -> None:
    path = written(tmp_path, content)
    assert run_refusal(path) == f"{path}: saw {saw}, expected text. {fix}"
    assert qrels_refusal(path) == f"{path}: saw {saw}, expected text. {fix}"


@pytest.mark.parametrize("query_id", ["PAR1", "PAR10", "BZh-3", "BZhou", "BZh9", "PK", "(µ/"])
def test_a_query_that_begins_as_some_archives_do(tmp_path: Path, query_id: str) -> None:
    path = written(tmp_path, f"{query_id} Q0 d 1 1 t\n".encode())
    assert run_rows(path) == [(query_id, "d", 1.0)]


# Where files come from


def test_text_and_paths_name_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert len(te.read_run(str(path))) == len(te.read_run(path)) == 1


UNREADABLE: dict[str, Callable[[Path], str]] = {
    "Is a directory": lambda folder: str(folder),
    "No such file or directory": lambda folder: str(folder / "no.run"),
    "Not a directory": lambda folder: str(written(folder, GOOD) / "x"),
    "File name too long": lambda folder: str(folder / ("x" * 300)),
    "embedded null byte": lambda folder: f"{folder}/\0",
}


@pytest.mark.parametrize("said", UNREADABLE)
@pytest.mark.parametrize("read", [te.read_run, te.read_qrels])
def test_a_file_that_is_not_there_is_wrong_use(
    tmp_path: Path, read: Callable[[object], object], said: str
) -> None:
    path = UNREADABLE[said](tmp_path)
    with pytest.raises(te.UsageError) as refused:
        read(path)
    assert str(refused.value) == f"{path}: cannot be read: {said}. Check the path."
    assert refused.value.exit_status == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_file_that_one_may_not_read_is_wrong_use(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    path.chmod(0)
    with pytest.raises(te.UsageError, match=r": cannot be read: Permission denied\. Check"):
        te.read_run(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_named_pipe_is_read(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    # More than a pipe holds, and a fault at the end: both lines of it are looked up again.
    content = compress(LONG + b"q0 Q0 d0 1 1 t\n")
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    with pytest.raises(te.ReadError) as refused:
        te.read_run(path)
    writer.join()
    gc.collect()  # what was spooled is closed without a ResourceWarning, which would be an error
    assert str(refused.value).startswith(
        f"{path}:5001: saw document 'd0' again for query 'q0' (first on line 1), expected"
    )


def program(*arguments: object, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "trec_eval_py", "score", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True)


STDIN = {"plain": bytes, **COMPRESSIONS}


@pytest.mark.parametrize("compress", STDIN.values(), ids=STDIN)
def test_a_run_from_standard_input(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    qrels = written(tmp_path, QRELS["blanks"], "x.qrels")
    done = program(qrels, "-", "-m", "RR", stdin=compress(RUNS["blanks"]))
    rows = [line.split(b",")[:5] for line in done.stdout.splitlines()[1:]]
    assert rows == [[b"x", b"stdin", b"a", b"RR", b"0.5"], [b"x", b"stdin", b"b", b"RR", b"1.0"]]
    assert (done.returncode, done.stderr) == (0, b"")


def test_qrels_from_standard_input(tmp_path: Path) -> None:
    run = written(tmp_path, RUNS["blanks"])
    done = program("-", run, "-m", "RR", stdin=QRELS["blanks"])
    rows = [line.split(b",")[:5] for line in done.stdout.splitlines()[1:]]
    assert rows == [[b"stdin", b"x", b"a", b"RR", b"0.5"], [b"stdin", b"x", b"b", b"RR", b"1.0"]]


def test_a_fault_in_standard_input_has_its_line(tmp_path: Path) -> None:
    qrels = written(tmp_path, QRELS["blanks"], "x.qrels")
    done = program(qrels, "-", stdin=GOOD + GOOD)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(b"error: -:2: saw document 'd1' again for query 'q' (first on ")


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    done = program("-", "-", stdin=GOOD)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"error: -: standard input can be read once; give the other as a file.\n"


def test_standard_input_of_nothing_is_an_empty_file(tmp_path: Path) -> None:
    qrels = written(tmp_path, QRELS["blanks"], "x.qrels")
    done = program(qrels, "-", stdin=b"")
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: -: saw no run line, expected 6 fields")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_standard_input_that_is_closed_is_wrong_use(tmp_path: Path) -> None:
    qrels = written(tmp_path, QRELS["blanks"], "x.qrels")
    command = f"{sys.executable} -m trec_eval_py score {qrels} - <&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: -: cannot be read: ")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_process_substitution(tmp_path: Path) -> None:
    qrels = written(tmp_path, QRELS["blanks"], "x.qrels")
    run = written(tmp_path, RUNS["blanks"])
    command = f"{sys.executable} -m trec_eval_py score <(cat {qrels}) <(cat {run}) -m RR"
    done = subprocess.run(["bash", "-c", command], capture_output=True)
    assert [line.split(b",")[2:5] for line in done.stdout.splitlines()[1:]] == [
        [b"a", b"RR", b"0.5"],
        [b"b", b"RR", b"1.0"],
    ]


# Names

NAMES = {
    "bm25.run": "bm25",
    "bm25.trec": "bm25",
    "bm25.txt": "bm25",
    "bm25.tsv": "bm25",
    "bm25.csv": "bm25",
    "bm25.res": "bm25",
    "bm25.results": "bm25",
    "bm25.qrels": "bm25",
    "bm25.json": "bm25",
    "bm25.jsonl": "bm25",
    "bm25.parquet": "bm25",
    "bm25.run.gz": "bm25",
    "bm25.run.bz2": "bm25",
    "bm25.run.xz": "bm25",
    "bm25.run.zst": "bm25",
    "bm25.gz": "bm25",
    "bm25.RUN.GZ": "bm25",
    "runs/2024/bm25.run": "bm25",
    "bm25": "bm25",
    "bm25.v2": "bm25.v2",
    "bm25.v2.run": "bm25.v2",
    "bm25.run.run": "bm25.run",
    "bm25.gz.gz": "bm25.gz",
    "bm25.run.gz.bak": "bm25.run.gz.bak",
    "qrels.covid.txt": "qrels.covid",
    ".run": ".run",
    ".gz": ".gz",
    "x.run/": "x",
    "-": "stdin",
    "irds": "irds",
}


@pytest.mark.parametrize(("path", "name"), NAMES.items(), ids=NAMES)
def test_a_file_names_its_run(path: str, name: str) -> None:
    assert reading.name_of(path) == name


TAGS = {
    "six fields": (b"# no\n\nq Q0 d 1 1 bm25\nq Q0 e 1 1 other\n", "bm25"),
    "a tag of two words": (b"q Q0 d 1 1 bm25 tuned\n", "bm25"),
    "invalid UTF-8": (b"q Q0 d 1 1 \xff\n", "\\xff"),
    "no tag": (b"q Q0 d 1 1\n", "x"),
    "three fields": (b"q d 1\n", "x"),
    "nothing": (b"", "x"),
}


@pytest.mark.parametrize(("content", "tag"), TAGS.values(), ids=TAGS)
def test_the_tag_of_a_run(tmp_path: Path, content: bytes, tag: str) -> None:
    source = reading.Source(written(tmp_path, content))
    assert reading.tag_of(source) == tag


# Chunks

Outcome = tuple[object, object]


def outcome(path: Path, chunk: int) -> Outcome:
    """Read a run in chunks of so many bytes: its queries and what was noted, or why not."""
    notes = reading.Notes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_plain, "CHUNK", chunk)
        try:
            run = _runs.read_run(reading.Source(path), notes)
        except te.ReadError as error:
            return str(error), None
    queries = [(q, list(documents.items())) for q, documents in run.items()]
    return queries, {**vars(notes), "tags": list(notes.tags)}


NASTY = (
    b"\xef\xbb\xbf# a b c d e\r\n\r\na Q0 d1 1 2 t\ra Q0 d2 2 1e400 t\r\n\n b\tQ0 d3 1 9 t u\r\r\n"
    b"b Q0 d4 1 0 t\na Q0 d5 3 0 u\nc Q0 d6 1 -1 t\rc Q0 d7 1 -1 t\n\rd Q0 d8 1 .5 t"
)


def test_every_size_of_chunk_gives_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, NASTY)
    whole = outcome(path, 1 << 18)
    assert [q for q, _ in whole[0]] == [b"a", b"b", b"c", b"d"]  # type: ignore[attr-defined]
    for chunk in range(1, len(NASTY) + 2):
        assert outcome(path, chunk) == whole, chunk


def test_every_size_of_chunk_refuses_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, NASTY + b"\r\nd Q0 d8 2 0 t\r\n")
    whole = outcome(path, 1 << 18)
    assert str(whole[0]).startswith(f"{path}:14: saw document 'd8' again for query 'd' (first on ")
    for chunk in range(1, len(NASTY) + 30):
        assert outcome(path, chunk) == whole, chunk


LINES = st.builds(
    lambda query_id, docno, score, tag: b" ".join([query_id, b"Q0", docno, b"1", score, tag]),
    st.sampled_from([b"a", b"a", b"b", b"#c"]),
    st.integers(0, 40).map(lambda i: b"d%d" % i),
    st.sampled_from([b"1", b"2", b".5", b"1e400", b"+1", b"inf"]),
    st.sampled_from([b"t", b"t", b"u", b"t u"]),
)
ODD_LINES = st.sampled_from([b"", b"#", b"a", b"a Q0 x 1 nan t", b"\0", b" ", b"a b c", b"\xef"])
FILES = st.lists(
    st.tuples(
        st.one_of(LINES, LINES, LINES, LINES, LINES, ODD_LINES),
        st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r"]),
    ),
    max_size=15,
).map(lambda lines: b"".join(line + end for line, end in lines))


@given(content=FILES, chunk=st.integers(1, 200), bom=st.booleans())
@example(b"a Q0 d1 1 1 t\nb Q0 d2 1 1 t\na Q0 d3 1 1 t\n", 15, False)
@settings(max_examples=300)
def test_chunks_change_nothing(folder: Path, content: bytes, chunk: int, bom: bool) -> None:
    path = written(folder, b"\xef\xbb\xbf" * bom + content)
    assert outcome(path, chunk) == outcome(path, 1 << 18)


# After public bug reports: small inputs of our own, with what is right for each

both_readers = pytest.mark.parametrize("reader", ["plain", "columnar"])


def scored(
    folder: Path,
    qrels: bytes,
    run: bytes,
    measures: list[str],
    reader: Reader = "auto",
    profile: str = "9.0",
    level: int = 1,
    complete: bool = False,
) -> dict[str, list[float | None]]:
    judged = reading.load_judgments(reading.Source(written(folder, qrels, "x.qrels")), "x.qrels")
    asked = parse(measures, Options(level, profile=profile))
    evaluation = Evaluation(judged, "x.qrels", asked, profile, complete=complete, reader=reader)
    result = evaluation.score(reading.Source(written(folder, run)), "x")
    return dict(zip(result.query_ids, map(list, result.rows), strict=True))


DOCS = b"a 0 good 1\na 0 bad 0\nb 0 good 1\n"
# In a, "good" is second; in b it is first.
LOOK = {"a": [1 / 2, 1 / 2], "b": [1.0, 1.0]}
LINED = b"a Q0 bad 1 2 t\na Q0 good 2 1 t\nb Q0 good 1 1 t\n"
Values = Mapping[str, Sequence[float | None]]
REPORTS: dict[str, tuple[bytes, bytes, list[str], Values]] = {
    "01 ties go to the last docno": (
        b"p 0 z 1\np 0 y 0\nq 0 y 1\n",
        b"p Q0 y 1 3 t\np Q0 z 2 3 t\nq Q0 y 1 3 t\nq Q0 z 2 3 t\n",
        ["P_1", "recip_rank", "ndcg"],
        {"p": [1, 1, 1], "q": [0, 1 / 2, math.log(2) / math.log(3)]},
    ),
    "04 the rank column does not matter": (
        b"p 0 a 1\nq 0 a 1\nr 0 a 1\n",
        b"p Q0 b 1 1 t\np Q0 a 2 2 t\nq Q0 a 0 2 t\nq Q0 b 0 1 t\nr Q0 b first 1 t\nr Q0 a - 2 t\n",
        ["recip_rank", "P_1"],
        {"p": [1, 1], "q": [1, 1], "r": [1, 1]},
    ),
    "04 a score that rises with the rank": (
        b"q 0 a 1\n",
        b"q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 c 3 3 t\nq Q0 d 4 4 t\n",
        ["recip_rank", "P_1"],
        {"q": [1 / 4, 0]},
    ),
    "09 a query only in the qrels": (
        b"a 0 d 1\nb 0 d 1\n",
        b"a Q0 d 1 1 t\n",
        ["map", "P_1"],
        {"a": [1, 1], "b": [None, None]},
    ),
    "10 a query only in the run": (
        b"b 0 d 1\n",
        b"0 Q0 d 1 1 t\nb Q0 x 1 2 t\nb Q0 d 2 1 t\nc Q0 d 1 1 t\n",
        ["map", "P_1"],
        {"b": [1 / 2, 0]},
    ),
    "14 only judgments of 0": (
        b"a 0 d 1\nb 0 d 0\nb 0 e 0\n",
        b"a Q0 d 1 1 t\nb Q0 d 1 1 t\nb Q0 x 2 0 t\n",
        ["map", "ndcg", "recip_rank", "P_1", "num_q"],
        {"a": [1, 1, 1, 1, 1], "b": [0, 0, 0, 0, 1]},
    ),
    "17 grades that are integral floats": (
        b"q 0 a 3.0\nq 0 b 0.0\nq 0 c 1.0\n",
        b"q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\n",
        ["ndcg", "map"],
        {
            "q": [
                (3 / math.log2(3) + 1 / math.log2(4)) / (3 + 1 / math.log2(3)),
                (1 / 2 + 2 / 3) / 2,
            ]
        },
    ),
    "20 BEIR's qrels": (
        b"query-id\tcorpus-id\tscore\n7\ta\t1\n7\tb\t0\n",
        b"7 Q0 b 1 3 t\n7 Q0 a 2 2 t\n",
        ["map"],
        {"7": [1 / 2]},
    ),
    "22 tabs, several blanks, blanks at the end": (
        b"a\t0  good 1 \na 0\tbad\t0\n  b 0 good 1\n",
        b"a\tQ0\tbad\t1\t2\tt\na  Q0 good   2 1 t  \n\tb Q0\tgood 1 1 t\t\n",
        ["map", "recip_rank"],
        LOOK,
    ),
    "23 CRLF": (
        DOCS.replace(b"\n", b"\r\n"),
        LINED.replace(b"\n", b"\r\n"),
        ["map", "recip_rank"],
        LOOK,
    ),
    "23 lone CR": (
        DOCS.replace(b"\n", b"\r"),
        LINED.replace(b"\n", b"\r"),
        ["map", "recip_rank"],
        LOOK,
    ),
    "24 BOM": (b"\xef\xbb\xbf" + DOCS, b"\xef\xbb\xbf" + LINED, ["map", "recip_rank"], LOOK),
    "25 blank lines": (
        b"\n" + DOCS.replace(b"\n", b"\n \n"),
        b"\n\n" + LINED.replace(b"\n", b"\n\t\n"),
        ["map", "recip_rank"],
        LOOK,
    ),
    "25 no final newline": (DOCS[:-1], LINED[:-1], ["map", "recip_rank"], LOOK),
    "26 comments": (
        b"# by us\n" + DOCS + b"#a 0 good 0\n",
        b"#\n#\n" + LINED + b"# a b\n",
        ["map", "recip_rank"],
        LOOK,
    ),
    "26 a query whose id begins with a number sign": (
        b"#2 0 good 1\n" + DOCS,
        b"#2 Q0 good 1 1 t\n" + LINED,
        ["map", "recip_rank"],
        LOOK,
    ),
    "29 quotes and commas": (
        b'a 0 "x\'y 1\na 0 1,000 0\nb 0 "" 1\n',
        b'a Q0 1,000 1 2 t\na Q0 "x\'y 2 1 t\nb Q0 "" 1 1 t\n',
        ["map", "recip_rank"],
        LOOK,
    ),
    "29 a no-break space": (
        "a 0 x\u00a0y 1\n".encode(),
        "a Q0 x 1 2 t\na Q0 x\u00a0y 2 1 t\n".encode(),
        ["recip_rank"],
        {"a": [1 / 2]},
    ),
    "29 an ideographic space": (
        "a 0 x\u3000y 1\n".encode(),
        "a Q0 x 1 2 t\na Q0 x\u3000y 2 1 t\n".encode(),
        ["recip_rank"],
        {"a": [1 / 2]},
    ),
    "30 a docno that is its query's id": (
        b"7 0 7 1\n7 0 8 0\n8 0 7 1\n",
        b"7 Q0 7 1 2 t\n7 Q0 8 2 1 t\n8 Q0 8 1 2 t\n8 Q0 7 2 1 t\n",
        ["ndcg_cut_10", "P_1"],
        {"7": [1, 1], "8": [1 / math.log2(3), 0]},
    ),
    "32 ids that look like nothing": (
        b"NA 0 null 1\nNA 0 nan 1\nnull 0 None 1\n",
        b"NA Q0 N/A 1 4 NA\nNA Q0 nan 2 3 NA\nNA Q0 null 3 2 NA\nnull Q0 None 1 1 NA\n",
        ["recip_rank", "map"],
        {"NA": [1 / 2, (1 / 2 + 2 / 3) / 2], "null": [1, 1]},
    ),
    "34 queries in byte order": (
        b"9 0 d 1\n10 0 d 1\nB 0 d 1\n2 0 d 1\n",
        b"B Q0 d 1 1 t\n2 Q0 d 1 1 t\n2 Q0 x 1 2 t\n9 Q0 d 1 1 t\n10 Q0 d 1 1 t\n",
        ["recip_rank"],
        {"10": [1], "2": [1 / 2], "9": [1], "B": [1]},
    ),
    "35 queries that alternate": (
        DOCS,
        b"a Q0 good 2 1 t\nb Q0 good 1 1 t\na Q0 bad 1 2 t\nb Q0 bad 1 0 t\n",
        ["recip_rank", "map"],
        LOOK,
    ),
    **{
        f"36 {name}": (compress(DOCS), compress(LINED), ["map", "recip_rank"], LOOK)
        for name, compress in COMPRESSIONS.items()
    },
    "36 two members": (
        gzip.compress(DOCS[:9]) + gzip.compress(DOCS[9:]),
        gzip.compress(LINED[:9]) + gzip.compress(LINED[9:]),
        ["map", "recip_rank"],
        LOOK,
    ),
    "38 MS MARCO": (
        DOCS,
        b"a\tbad\t1\na\tgood\t2\nb\tgood\t1\nb\tz\t2\n",
        ["map", "recip_rank"],
        LOOK,
    ),
    "38 no tag": (DOCS, LINED.replace(b" t\n", b"\n"), ["map", "recip_rank"], LOOK),
    "38 any second column": (DOCS, LINED.replace(b"Q0", b"0"), ["map", "recip_rank"], LOOK),
    "39 words after the tag": (
        DOCS,
        LINED.replace(b" t\n", b' bm25 # {"k1": 0.9}\n'),
        ["map", "recip_rank"],
        LOOK,
    ),
    "40 two tags": (DOCS, LINED.replace(b"2 1 t\n", b"2 1 u\n"), ["map", "recip_rank"], LOOK),
    "42 a very long docno": (
        b"q 0 %bb 1\n" % (b"y" * 25_000),
        b"q Q0 %ba 1 2 t\nq Q0 %bb 2 1 t\n" % (b"y" * 25_000, b"y" * 25_000),
        ["recip_rank"],
        {"q": [1 / 2]},
    ),
    "43 a cutoff beyond the run": (
        b"q 0 a 1\nq 0 b 1\nq 0 c 1\nq 0 d 1\nq 0 e 1\n",
        b"q Q0 a 1 4 t\nq Q0 x 2 3 t\nq Q0 b 3 2 t\n",
        ["P_2", "P_20", "recall_1", "recall_20"],
        {"q": [1 / 2, 2 / 20, 1 / 5, 2 / 5]},
    ),
    "45 relevant below rank 10": (
        b"q 0 m 1\n",
        b"".join(b"q Q0 %b 1 %d t\n" % (c.encode(), -i) for i, c in enumerate("abcdefghijklm")),
        ["recip_rank", "RR@10", "success_10"],
        {"q": [1 / 13, 0, 0]},
    ),
    "46 the gain of nDCG, and its ideal": (
        b"q 0 a 2\nq 0 b 1\nq 0 c 3\nq 0 d 0\n",
        b"q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 d 3 1 t\n",
        ["ndcg_cut_2", "ndcg", "nDCG(dcg='exp-log2')@2"],
        {
            "q": [
                (1 + 2 / math.log2(3)) / (3 + 2 / math.log2(3)),
                (1 + 2 / math.log2(3)) / (3 + 2 / math.log2(3) + 1 / math.log2(4)),
                (1 + 3 / math.log2(3)) / (7 + 3 / math.log2(3)),
            ]
        },
    ),
}


@quiet
@both_readers
@pytest.mark.parametrize(("qrels", "run", "measures", "expected"), REPORTS.values(), ids=REPORTS)
def test_after_public_bug_reports(
    tmp_path: Path,
    qrels: bytes,
    run: bytes,
    measures: list[str],
    expected: Values,
    reader: Reader,
) -> None:
    found = scored(tmp_path, qrels, run, measures, reader)
    assert list(found) == list(expected)
    # The arithmetic above may round otherwise than C's in the last bits.
    for query_id, row in expected.items():
        near = [v if v is None else pytest.approx(v, rel=1e-14) for v in row]
        assert found[query_id] == near


# 03: 0.1 and the next float above it are one C float; so are 1e39 and 1e40 (07), both infinite.
PRECISION = {
    "03 near scores": (b"q Q0 a 1 0.30000000000000004 t\nq Q0 b 2 0.3 t\n", 1 / 2, 1),
    "03 ten million and a quarter": (b"q Q0 a 1 100000000.25 t\nq Q0 b 2 100000000 t\n", 1 / 2, 1),
    "07 inf above a C float's range": (b"q Q0 a 1 inf t\nq Q0 b 2 1e300 t\n", 1 / 2, 1),
    "07 1e400 and 1e500": (b"q Q0 a 1 1e500 t\nq Q0 b 2 1e400 t\n", 1 / 2, 1 / 2),
    "07 1e-400 and 0": (b"q Q0 a 1 1e-400 t\nq Q0 b 2 0 t\n", 1 / 2, 1 / 2),
    "07 minus inf last": (b"q Q0 b 1 -inf t\nq Q0 a 2 -1e308 t\n", 1 / 2, 1),
}


@quiet
@both_readers
@pytest.mark.parametrize(("run", "as_floats", "as_doubles"), PRECISION.values(), ids=PRECISION)
def test_the_precision_of_scores_is_the_profiles(
    tmp_path: Path, run: bytes, as_floats: float, as_doubles: float, reader: Reader
) -> None:
    for profile, expected in (("9.0", as_floats), ("10.0", as_doubles)):
        assert scored(tmp_path, b"q 0 a 1\n", run, ["RR"], reader, profile) == {"q": [expected]}


@both_readers
def test_the_relevance_level_is_for_binary_measures_only(tmp_path: Path, reader: Reader) -> None:
    qrels = b"q 0 a 1\nq 0 b 2\nq 0 c 3\n"
    run = b"q Q0 a 1 3 t\nq Q0 c 2 2 t\nq Q0 x 3 1 t\n"
    measures = ["map", "recip_rank", "P_1", "recall_5", "ndcg"]
    ndcg = (1 + 3 / math.log2(3)) / (3 + 2 / math.log2(3) + 1 / math.log2(4))
    assert scored(tmp_path, qrels, run, measures, reader, level=2) == {
        "q": pytest.approx([(1 / 2) / 2, 1 / 2, 0, 1 / 2, ndcg], rel=1e-14)
    }


@both_readers
def test_no_query_in_common_is_refused(tmp_path: Path, reader: Reader) -> None:
    with pytest.raises(te.InputError) as refused:
        scored(tmp_path, b"T7.1 0 d 1\n", b"T7 Q0 d 1 1 t\nT8 Q0 d 1 1 t\n", ["map"], reader)
    assert str(refused.value) == (
        f"{tmp_path / 'x.run'}: saw no query of x.qrels but others, such as 'T7', expected such as "
        "'T7.1'. Check that both name queries alike, or score with --complete (trec_eval -c)."
    )


@both_readers
def test_no_query_in_common_is_all_zeros_when_complete(tmp_path: Path, reader: Reader) -> None:
    qrels, run = b"T7.1 0 d 1\nT7.2 0 d 1\n", b"T7 Q0 d 1 1 t\n"
    with pytest.warns(te.TrecEvalWarning) as warned:
        found = scored(tmp_path, qrels, run, ["map", "num_rel"], reader, complete=True)
    assert found == {"T7.1": [0, 1], "T7.2": [0, 1]}
    assert [str(one.message) for one in warned] == [
        "x: 1 query not in x.qrels; left out",
        "x: 2 queries of x.qrels missing; counted as trec_eval -c does",
    ]


@both_readers
def test_a_missing_query_counts_zero_when_complete(tmp_path: Path, reader: Reader) -> None:
    qrels, run = b"a 0 d 1\nb 0 d 1\nb 0 e 1\n", b"a Q0 d 1 1 t\n"
    with pytest.warns(te.TrecEvalWarning, match=r"^x: 1 query of x\.qrels missing; "):
        found = scored(tmp_path, qrels, run, ["map", "num_q", "num_rel"], reader, complete=True)
    assert found == {"a": [1, 1, 1], "b": [0, 1, 2]}


@both_readers
@pytest.mark.parametrize("name", BAD_RUNS)
def test_either_reader_refuses_alike(tmp_path: Path, name: str, reader: Reader) -> None:
    content, saw, expected, fix = BAD_RUNS[name]
    with pytest.raises(te.ReadError) as refused:
        scored(tmp_path, b"q 0 d1 1\n", content, ["map"], reader)
    assert str(refused.value) == f"{tmp_path / 'x.run'}{saw}, expected {expected}. {fix}"


INTERLEAVED = b"a Q0 x 1 2 t\nb Q0 x 1 2 t\na Q0 y 2 1 t\nb Q0 y 2 1 t\n"


@both_readers
def test_queries_that_alternate_are_told(tmp_path: Path, reader: Reader) -> None:
    with pytest.warns(te.TrecEvalWarning, match="^x: 2 queries are seen again after another one"):
        scored(tmp_path, b"a 0 x 1\nb 0 x 1\n", INTERLEAVED, ["RR"], reader)
