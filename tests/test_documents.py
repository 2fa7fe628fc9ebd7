"""From what a run lists to documents: chunks, own documents, tags, and repeated lines."""

from __future__ import annotations

import hashlib
import io
import json
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import trec_eval_py as te
from trec_eval_py import reading
from trec_eval_py.cli import main
from trec_eval_py.distributing import Evaluation, Reader, intake_of
from trec_eval_py.measures import Options, parse
from trec_eval_py.reading import Duplicates, _columnar, _runs
from trec_eval_py.scoring import ScoredRun

Run = dict[bytes, dict[bytes, float]]
Qrels = dict[bytes, dict[bytes, int]]

CHUNKS = r"^(.*)#\d+$"
MEASURES = ["map", "P_5", "num_ret", "num_rel_ret", "ndcg", "bpref"]
READERS: tuple[Reader, ...] = ("plain", "columnar")


@pytest.fixture
def save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], str]:
    """Write a file in the current folder, and give its name."""
    monkeypatch.chdir(tmp_path)

    def saved(name: str, content: str | bytes) -> str:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return saved


Save = Callable[[str, str | bytes], str]


def digits(content: str | bytes, count: int = 8) -> str:
    content = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(content).hexdigest()[:count]


def lines(run: Mapping[bytes, Mapping[bytes, float]]) -> bytes:
    return b"".join(
        b"%b Q0 %b 0 %b t\n" % (query_id, docno, repr(score).encode())
        for query_id, scores in run.items()
        for docno, score in scores.items()
    )


def scored(
    run: object,
    qrels: Qrels,
    reader: Reader = "auto",
    measure: str = "",
    **given: Any,  # noqa: ANN401 - what intake_of takes
) -> tuple[ScoredRun | str, list[str]]:
    """Score, and give what is said; a refusal is its text."""
    intake = intake_of(**given)
    asked = parse([measure] if measure else MEASURES, Options())
    evaluation = Evaluation(qrels, "x.qrels", asked, reader=reader, intake=intake)
    found: ScoredRun | str
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = evaluation.score(run, "x")
        except te.InputError as error:
            found = str(error)
    return found, [str(one.message) for one in warned]


def value(run: str, qrels: object, measure: str, **given: object) -> list[float]:
    scores = te.score(qrels, run, [measure], **given)  # type: ignore[arg-type]
    return [float(one) for one in scores["value"]]


# What documents are

BASES = ["D1", "D2", "D3", "dé", "q1", "q2", "x"]
DOCNOS = st.builds(
    lambda base, end: (base + end).encode(),
    st.sampled_from(BASES),
    st.sampled_from(["", "", "#0", "#1", "#10", "_2", "#x"]),
) | st.sampled_from([b"#1", b"d\xff#1", b"d\xff#2", b"\xff"])
QUERIES = st.sampled_from([b"q1", b"q2", b"D1", "dé".encode(), b"d\xff", b"q9"])
RUNS = st.dictionaries(
    QUERIES,
    st.dictionaries(DOCNOS, st.integers(-2, 3).map(float) | st.floats(-1e30, 1e30), min_size=1),
    min_size=1,
)
JUDGED = st.dictionaries(
    QUERIES,
    st.dictionaries(
        st.sampled_from([base.encode() for base in BASES] + [b"d\xff", b"D1#1"]),
        st.integers(-1, 3),
        min_size=1,
    ),
    min_size=1,
)
PATTERNS = [CHUNKS, r"^([^#_]*)", r"(D\d)?", r"^(.)(.*)$", r"#(\d)", r"^(d[^#]*)#"]
TABLES: list[dict[bytes, bytes]] = [
    {b"D1#0": b"D1", b"D1#1": b"D1", b"D2#1": b"D1", b"x": b"q1", b"d\xff#1": b"d\xff"},
    {b"D1": b"D2", b"D2": b"D1", b"D3": b"D3"},
]


def in_plain_dicts(run: Run, name: Callable[[bytes], bytes | None], drop: bool) -> tuple[Run, int]:
    """The oracle: the best score of each document, and how many lines nothing is said of."""
    found: Run = {query_id: {} for query_id in run}
    unnamed = 0
    for query_id, scores in run.items():
        for docno in scores:
            if not name(docno):
                unnamed += 1
        for document in {name(docno) or docno for docno in scores}:
            of_it = [s for d, s in scores.items() if (name(d) or d) == document]
            if not (drop and document == query_id):
                found[query_id][document] = max(of_it)
    return found, unnamed


def namer(pattern: str | None, table: dict[bytes, bytes] | None) -> Callable[[bytes], bytes | None]:
    """Name documents by a pattern or a table."""
    if table is not None:
        return table.get
    if pattern is None:
        return lambda docno: docno

    def name(docno: bytes) -> bytes | None:
        found = re.search(pattern, docno.decode("utf-8", "surrogateescape"))
        return (found.group(1) or "").encode("utf-8", "surrogateescape") if found else None

    return name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


@given(
    run=RUNS,
    qrels=JUDGED,
    how=st.sampled_from(PATTERNS) | st.sampled_from(TABLES) | st.none(),
    drop=st.booleans(),
    apart=st.booleans(),
    block=st.sampled_from([64, 100, 1 << 20]),
)
def test_documents_are_those_of_plain_dicts(
    folder: Path,
    run: Run,
    qrels: Qrels,
    how: str | dict[bytes, bytes] | None,
    drop: bool,
    apart: bool,
    block: int,
) -> None:
    pattern = how if isinstance(how, str) else None
    table = how if isinstance(how, dict) else None
    given: dict[str, Any] = {"collapse": pattern, "docno_map": table, "drop_same_id": drop}
    documents, unnamed = in_plain_dicts(run, namer(pattern, table), drop)
    expected, said = scored(documents, qrels)
    path = folder / "x.run"
    written = lines(run).splitlines(keepends=True)
    # Every other line first, so that queries are interleaved.
    path.write_bytes(b"".join(written[::2] + written[1::2] if apart else written))
    which = "in the docno map" if table is not None else "matched by --collapse"
    if unnamed and isinstance(expected, ScoredRun):
        left = "docno not" if unnamed == 1 else "docnos not"
        became = "it is" if unnamed == 1 else "they are"
        said.append(f"x: {unnamed} {left} {which}; left as {became}")
    for reader in READERS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_columnar, "BLOCK", block)
            got, heard = scored(reading.Source(path), qrels, reader, **given)
        heard = [one for one in heard if "seen again after" not in one]
        assert sorted(heard) == sorted(said)
        if isinstance(expected, ScoredRun) and isinstance(got, ScoredRun):
            assert got.rows == expected.rows
            assert got.answered == expected.answered
        else:
            assert isinstance(got, str)
            assert isinstance(expected, str)
    in_memory, heard = scored(run, qrels, **given)
    assert sorted(heard) == sorted(said)
    assert isinstance(in_memory, str) or in_memory.rows == expected.rows  # type: ignore[union-attr]


@given(
    run=RUNS,
    again=st.lists(st.tuples(QUERIES, DOCNOS, st.integers(-5, 5).map(float)), max_size=5),
    kept=st.sampled_from(["refuse", "first", "best"]),
    pattern=st.sampled_from(PATTERNS),
)
def test_both_readers_agree_on_repeated_lines(
    folder: Path, run: Run, again: list[tuple[bytes, bytes, float]], kept: str, pattern: str
) -> None:
    path = folder / "x.run"
    path.write_bytes(lines(run) + b"".join(lines({q: {d: s}}) for q, d, s in again))
    qrels = {b"q1": {b"D1": 1, b"q1": 2}, b"D1": {b"D1": 1, "dé".encode(): 2}}
    given: dict[str, Any] = {"collapse": pattern, "drop_same_id": True, "duplicates": kept}
    source = reading.Source(path)
    assert scored(source, qrels, "plain", **given) == scored(source, qrels, "columnar", **given)


def test_columns_are_named_without_the_plain_reader(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is scored here went by columns, as the plain reader is out of reach."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("the plain reader")

    monkeypatch.setattr(_runs, "read_run", refuse)
    source = reading.Source(save("x.run", lines({b"q1": {b"D2#1": 3, b"D1#1": 2, b"q1#1": 9}})))
    qrels = {b"q1": {b"D1": 1, b"q1": 1}}
    found, _ = scored(source, qrels, "columnar", "RR", collapse=CHUNKS, drop_same_id=True)
    assert isinstance(found, ScoredRun)
    assert found.rows == [[0.5]]


def test_the_best_chunk_counts(save: Save) -> None:
    run = save("x.run", "q1 Q0 D1#0 1 1 t\nq1 Q0 D2#0 2 5 t\nq1 Q0 D1#1 3 9 t\n")
    assert value(run, {"q1": {"D1": 1}}, "RR", collapse=CHUNKS) == [1.0]
    assert value(run, {"q1": {"D1": 1}}, "num_ret", collapse=CHUNKS) == [2.0]
    assert value(run, {"q1": {"D1": 1}}, "num_ret") == [3.0]


def test_documents_are_cut_off_after_they_are_named(save: Save) -> None:
    """Three chunks of D1 are one document, so that D2 is the second of two."""
    run = save(
        "x.run", "".join(f"q1 Q0 D1#{i} 1 {9 - i} t\n" for i in range(3)) + "q1 Q0 D2#0 4 1 t\n"
    )
    assert value(run, {"q1": {"D2": 1}}, "RR", collapse=CHUNKS, max_docs=2) == [0.5]
    assert value(run, {"q1": {"D2#0": 1}}, "RR", max_docs=2) == [0.0]


def test_own_documents_are_dropped_after_they_are_named(save: Save) -> None:
    run = save("x.run", "q1 Q0 q1#7 1 9 t\nq1 Q0 D1#0 2 1 t\n")
    qrels = {"q1": {"D1": 1}}
    assert value(run, qrels, "RR", collapse=CHUNKS, drop_same_id=True) == [1.0]
    assert value(run, qrels, "RR", collapse=CHUNKS) == [0.5]
    table = {"q1#7": "q1", "D1#0": "D1"}
    assert value(run, qrels, "RR", docno_map=table, drop_same_id=True) == [1.0]


@pytest.mark.parametrize("reader", READERS)
def test_a_query_whose_only_document_is_its_own_is_answered_with_nothing(
    save: Save, reader: Reader
) -> None:
    source = reading.Source(save("x.run", "q1 Q0 q1 1 9 t\nq2 Q0 d1 1 9 t\n"))
    qrels = {b"q1": {b"d1": 1}, b"q2": {b"d1": 1}}
    found, said = scored(source, qrels, reader, "P_1", drop_same_id=True)
    assert isinstance(found, ScoredRun)
    assert found.rows == [[0.0], [1.0]]
    assert found.answered == [True, True]
    assert said == []


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("place", range(3))
def test_a_query_left_without_documents_changes_no_other(
    save: Save, reader: Reader, place: int
) -> None:
    """Its neighbours are out of order, and hold ties."""
    parts = [
        "q1 Q0 d1 1 1 t\nq1 Q0 d2 2 5 t\n",
        "q2 Q0 d3 1 2 t\nq2 Q0 d2 2 2 t\nq2 Q0 d1 1 9 t\n",
    ]
    parts.insert(place, "own Q0 own 1 9 t\n")
    source = reading.Source(save("x.run", "".join(parts)))
    qrels = {b"q1": {b"d1": 1}, b"q2": {b"d2": 1}, b"own": {b"d1": 1}}
    found, said = scored(source, qrels, reader, "RR", drop_same_id=True)
    assert isinstance(found, ScoredRun)
    assert dict(zip(found.query_ids, found.rows, strict=True)) == {
        "own": [0.0],
        "q1": [1 / 2],
        "q2": [1 / 3],
    }
    assert [one.partition(";")[0] for one in said] == ["x: 2 documents tie in 1 query"]


@pytest.mark.parametrize("reader", READERS)
def test_ms_marco_keeps_its_order(save: Save, reader: Reader) -> None:
    source = reading.Source(save("x.run", "q1\tD2#1\t1\nq1\tD1#5\t2\nq1\tD2#0\t3\nq1\tD1#1\t7\n"))
    qrels = {b"q1": {b"D1": 1}}
    found, _ = scored(source, qrels, reader, "RR", collapse=CHUNKS)
    assert isinstance(found, ScoredRun)
    assert found.rows == [[0.5]]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("pattern", "docno", "document"),
    [
        ("^(.)", "é1", "é"),
        (r"^(\w+)-", "文書-3", "文書"),
        ("^(.*?)#", b"\xff\xfe#1", b"\xff\xfe"),
        ("(?i)^(É)", "éa", "é"),
    ],
    ids=["a letter of two bytes", "words", "no UTF-8", "whatever the case"],
)
def test_characters_count_rather_than_bytes(
    save: Save, reader: Reader, pattern: str, docno: str | bytes, document: str | bytes
) -> None:
    docno = docno.encode() if isinstance(docno, str) else docno
    document = document.encode() if isinstance(document, str) else document
    source = reading.Source(save("x.run", b"q1 Q0 %b 1 1 t\n" % docno))
    found, said = scored(source, {b"q1": {document: 1}}, reader, "P_1", collapse=pattern)
    assert isinstance(found, ScoredRun)
    assert (found.rows, said) == ([[1.0]], [])


@pytest.mark.parametrize("reader", READERS)
def test_what_is_not_matched_is_counted(save: Save, reader: Reader) -> None:
    source = reading.Source(save("x.run", "q1 Q0 d1#1 1 3 t\nq1 Q0 d2 2 2 t\nq1 Q0 #1 3 1 t\n"))
    qrels = {b"q1": {b"d1": 1}}
    _, said = scored(source, qrels, reader, collapse=CHUNKS)
    assert said == ["x: 2 docnos not matched by --collapse; left as they are"]
    _, said = scored(source, qrels, reader, docno_map={"d1#1": "d1", "d2": "d1"})
    assert said == ["x: 1 docno not in the docno map; left as it is"]


# The ceiling


def test_the_ceiling_passes_through_the_same() -> None:
    """Of q1's two relevant documents, one is its own."""
    qrels = {b"q1": {b"q1": 2, b"d1": 1}}
    for drop, found in ((False, 1.0), (True, 0.5)):
        intake = intake_of(drop_same_id=drop)
        evaluation = Evaluation(qrels, "x", parse(["recall_5"], Options()), intake=intake)
        assert evaluation.ceiling().rows == [[found]]
    chunks = {b"q1": {b"d1#1": 1, b"d1#2": 1}}
    evaluation = Evaluation(
        chunks, "x", parse(["P_5"], Options()), intake=intake_of(collapse=CHUNKS)
    )
    assert evaluation.ceiling().rows == [[0.0]]  # of d1, which is not judged


def test_the_ceiling_says_nothing_of_docnos(recwarn: pytest.WarningsRecorder) -> None:
    intake = intake_of(collapse=CHUNKS)
    Evaluation({b"q1": {b"d1": 1}}, "x", parse(["P_1"], Options()), intake=intake).ceiling()
    assert not recwarn.list


# The protocol

MAP = "D1#0\tD1\n"
PROTOCOLS: dict[str, tuple[dict[str, object], str]] = {
    "nothing": ({}, ""),
    "collapse": ({"collapse": CHUNKS}, f";collapse={digits(CHUNKS)}"),
    "docno map, a file": ({"docno_map": "map.tsv"}, f";docno-map={digits(MAP)}"),
    "docno map, in memory": ({"docno_map": {"D1#0": "D1"}}, f";docno-map={digits(MAP)}"),
    "drop": ({"drop_same_id": True}, ";drop-same-id"),
    "first": ({"duplicates": "first"}, ";duplicates=first"),
    "all": (
        {
            "answerable_only": True,
            "drop_same_id": True,
            "collapse": CHUNKS,
            "duplicates": "best",
            "profile": "10.0",
        },
        f";answerable-only;drop-same-id;collapse={digits(CHUNKS)};duplicates=best",
    ),
    "an expression that is no ASCII": ({"collapse": "^(é)"}, f";collapse={digits('^(é)')}"),
}


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
@pytest.mark.parametrize(("given", "said"), PROTOCOLS.values(), ids=PROTOCOLS)
def test_the_protocol_says_what_was_done(save: Save, given: dict[str, object], said: str) -> None:
    save("map.tsv", MAP)
    run = save("x.run", "q1 Q0 D1#0 1 1 t\n")
    scores = te.score({"q1": {"D1": 1}}, run, ["P@1"], **given)  # type: ignore[arg-type]
    judged, profile = digits("q1\tD1\t1\n", 12), given.get("profile", "9.0")
    assert scores["protocol"].tolist() == [f"{judged}/{profile}{said}"]


def test_the_protocol_at_the_prompt(save: Save) -> None:
    save("x.qrels", "q1 0 D1 1\n")
    save("x.run", "q1 Q0 D1#0 1 1 t\n")
    save("map.tsv", MAP)
    judged = digits("q1\tD1\t1\n", 12)
    words = ["--collapse", CHUNKS, "--drop-same-id", "--duplicates", "first"]
    assert done(*words) == [
        f"x,x,q1,P@1,1.0,{judged}/9.0;drop-same-id;collapse={digits(CHUNKS)};duplicates=first"
    ]
    assert done("--docno-map", "map.tsv") == [
        f"x,x,q1,P@1,1.0,{judged}/9.0;docno-map={digits(MAP)}"
    ]


def test_an_expression_may_hold_bytes_that_are_no_text(save: Save) -> None:
    """As an argument of the command line that is no UTF-8."""
    run = save("x.run", b"q1 Q0 \xff#1 1 1 t\n")
    qrels = save("x.qrels", b"q1 0 \xff 1\n")
    assert value(run, qrels, "P@1", collapse="^(\udcff)") == [1.0]


def test_a_map_is_hashed_as_it_is_unpacked(save: Save) -> None:
    import gzip

    run = save("x.run", "q1 Q0 D1#0 1 1 t\n")
    save("map.gz", gzip.compress(b"\xef\xbb\xbf# a comment\n\n" + MAP.encode()))
    scores = te.score({"q1": {"D1": 1}}, run, ["P@1"], docno_map="map.gz")
    assert scores["value"].tolist() == [1.0]
    digest = digits(b"\xef\xbb\xbf# a comment\n\n" + MAP.encode())
    assert scores["protocol"][0].endswith(f";docno-map={digest}")


# What is refused

WRONG: dict[str, tuple[dict[str, object], str]] = {
    "no group": (
        {"collapse": r"#\d+$"},
        r"collapse: saw '#\\d+$', expected a group, which is the document, such as '^(.*)#\d+$'. "
        "Put it in parentheses.",
    ),
    "a group that is none": ({"collapse": "(?:a)"}, "collapse: saw '(?:a)', expected a group"),
    "no expression": (
        {"collapse": "("},
        "collapse: saw '(', which is no regular expression (missing ), unterminated subpattern",
    ),
    "bytes": ({"collapse": b"(a)"}, "collapse: saw b'(a)', expected text. "),
    "a compiled one": (
        {"collapse": re.compile("(a)")},
        "collapse: saw re.compile('(a)'), expected text. Pass the expression's text.",
    ),
    "a number": ({"collapse": 3}, "collapse: saw 3, expected text."),
    "both": (
        {"collapse": "(a)", "docno_map": {"a": "b"}},
        "collapse: saw docno_map beside, expected one of the two. Drop one.",
    ),
    "no such file": ({"docno_map": "none.tsv"}, "none.tsv: cannot be read: No such file"),
    "a list": ({"docno_map": ["a"]}, "saw ['a'], expected a path."),
    "duplicates": (
        {"duplicates": "last"},
        "duplicates: saw 'last', expected refuse, first or best.",
    ),
}


@pytest.mark.parametrize(("given", "said"), WRONG.values(), ids=WRONG)
def test_options_that_mean_nothing_are_refused(
    save: Save, given: dict[str, object], said: str
) -> None:
    save("x", "")
    with pytest.raises(te.UsageError) as refused:
        te.score({"q1": {"d1": 1}}, {"x": {"q1": ["d1"]}}, **given)  # type: ignore[arg-type]
    assert str(refused.value).startswith(said)


MAPS = {
    "three columns": ("a b\nc d e\n", "m:2: saw 3 fields, expected 2 fields (docno document), one"),
    "one column": ("a\n", "m:1: saw 1 field, expected 2 fields (docno document), one document a d"),
    "two documents": (
        "a b\n\na b\na c\n",
        "m:4: saw document 'c' for 'a', which has 'b' above, ex",
    ),
    "nothing": ("# a b\n", "m: saw no line, expected 2 fields (docno document). "),
    "a NUL": ("a \0\n", "m:1: saw a NUL byte, expected text. "),
}


@pytest.mark.parametrize(("content", "said"), MAPS.values(), ids=MAPS)
def test_a_map_is_refused_in_words(save: Save, content: str, said: str) -> None:
    with pytest.raises(te.ReadError) as refused:
        te.score({"q1": {"d1": 1}}, {"x": {"q1": ["d1"]}}, docno_map=save("m", content))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"a": ""}, "docno_map: saw an empty id, expected text. "),
        ({"a": 1.5}, "docno_map: saw id 1.5 (float), expected text. "),
        ({None: "a"}, "docno_map: saw id None (NoneType), expected text. "),
        ({"1": "a", 1: "b"}, "docno_map: saw a docno twice (as text and number), expected once. "),
    ],
    ids=["an empty name", "a number", "no docno", "a docno twice"],
)
def test_a_map_in_memory_is_refused_in_words(table: dict[object, object], said: str) -> None:
    with pytest.raises(te.InputError) as refused:
        te.score(
            {"q1": {"d1": 1}},
            {"x": {"q1": ["d1"]}},
            docno_map=table,  # type: ignore[arg-type]
        )
    assert str(refused.value).startswith(said)


# A run for each tag


def prompt(*words: str) -> Result:
    return CliRunner().invoke(main, ["score", *words, "-m", "P@1"])


def done(*words: str) -> list[str]:
    """Score x.run by x.qrels, and give the lines of values."""
    result = prompt("x.qrels", "x.run", *words)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()[1:]


def named(result: Result) -> list[tuple[str, float]]:
    """Give the name of each run, and its value."""
    assert result.exit_code == 0, result.stderr
    rows = pd.read_csv(io.StringIO(result.stdout), dtype={"run": str})
    return list(zip(rows["run"], rows["value"], strict=True))


TAGGED = """\
q1 Q0 d1 1 2 tagB
q1 Q0 d1 1 1 tagA
q1 Q0 d2 2 2 tagA
q1 Q0 d2 2 1 tagB
"""


@pytest.fixture
def tagged(save: Save) -> str:
    save("x.qrels", "q1 0 d1 1\n")
    return save("x.run", TAGGED)


def test_each_tag_is_a_run(tagged: str) -> None:
    """In the order of first sight; lines of tags may stand among each other."""
    result = prompt("x.qrels", tagged, "--split-tags")
    assert named(result) == [("tagB", 1.0), ("tagA", 0.0)]
    assert result.stderr == ""
    scores = te.score("x.qrels", tagged, ["P@1"], split_tags=True)
    assert scores["run"].tolist() == ["tagB", "tagA"]


def test_a_name_goes_before_the_tag(tagged: str, save: Save) -> None:
    result = prompt("x.qrels", f"mine={tagged}", "--split-tags")
    assert named(result) == [("mine/tagB", 1.0), ("mine/tagA", 0.0)]
    result = prompt("x.qrels", f"./{tagged}", "--split-tags", "--run-names", "path")
    assert named(result) == [("./x.run/tagB", 1.0), ("./x.run/tagA", 0.0)]
    scores = te.score("x.qrels", {"mine": tagged}, ["P@1"], split_tags=True)
    assert scores["run"].tolist() == ["mine/tagB", "mine/tagA"]
    save("y.run", TAGGED)
    result = prompt("x.qrels", "a=x.run", "b=y.run", "--split-tags")
    assert [name for name, _ in named(result)] == ["a/tagB", "a/tagA", "b/tagB", "b/tagA"]


def test_a_tag_in_two_files_is_refused(tagged: str, save: Save) -> None:
    save("y.run", TAGGED)
    result = prompt("x.qrels", tagged, "y.run", "--split-tags", "-o", "s.csv")
    assert result.exit_code == 2
    said = "runs: saw tag 'tagB' in two files, expected names that differ. Write NAME=FILE (in "
    assert said in result.stderr
    assert not Path("s.csv").exists()
    with pytest.raises(te.UsageError, match="runs: saw tag 'tagB' in two files"):
        te.score("x.qrels", [tagged, "y.run"], ["P@1"], split_tags=True)


def test_the_name_of_the_ceiling_is_no_tag(save: Save) -> None:
    run = save("x.run", "q1 Q0 d1 1 2 ideal\n")
    with pytest.raises(te.UsageError, match="runs: saw tag 'ideal', which is reserved"):
        te.score({"q1": {"d1": 1}}, run, ["P@1"], split_tags=True)


@pytest.mark.parametrize("content", ["q1 Q0 d1 1 2\n", "q1 d1 1\n"], ids=["5 fields", "MS MARCO"])
def test_a_run_without_tags_keeps_its_name(tagged: str, save: Save, content: str) -> None:
    run = save("plain.run", content)
    assert named(prompt("x.qrels", run, "--split-tags")) == [("plain", 1.0)]
    assert named(prompt("x.qrels", f"n={run}", "--split-tags")) == [("n", 1.0)]


def test_a_document_may_stand_once_for_each_tag(tagged: str, save: Save) -> None:
    run = save("y.run", f"{TAGGED}q1 Q0 d2 3 9 tagB\n")
    result = prompt("x.qrels", run, "--split-tags")
    assert result.exit_code == 3
    assert "y.run:5: saw document 'd2' again for query 'q1' (first on line 4), ex" in result.stderr
    result = prompt("x.qrels", run, "--split-tags", "--duplicates", "best")
    assert named(result) == [("tagB", 0.0), ("tagA", 0.0)]
    assert "y: 1 line repeats a document of the same query; the best of each" in result.stderr
    result = prompt("x.qrels", run, "--split-tags", "--duplicates", "first")
    assert named(result) == [("tagB", 1.0), ("tagA", 0.0)]


def test_a_tag_of_several_words_is_one(save: Save) -> None:
    run = save("x.run", "q1 Q0 d1 1 2 my  run\nq1 Q0 d1 1 2 my other\n")
    scores = te.score({"q1": {"d1": 1}}, run, ["P@1"], split_tags=True)
    assert scores["run"].tolist() == ["my run", "my other"]


def test_tags_that_are_alike_as_text_are_refused(save: Save) -> None:
    run = save("x.run", b"q1 Q0 d1 1 2 \xff\nq1 Q0 d1 1 2 \\xff\n")
    with pytest.raises(te.InputError, match=r"x: saw ids .* which are alike as text"):
        te.score({"q1": {"d1": 1}}, run, ["P@1"], split_tags=True)


def test_a_format_without_tags_is_not_split(tagged: str, save: Save) -> None:
    run = save("x.json", '{"q1": {"d1": 1}}')
    result = prompt("x.qrels", run, "--split-tags")
    assert result.exit_code == 2
    assert "x: saw a format without tags, expected a TREC run (--split-tags)." in result.stderr


def test_chunks_of_each_tag_are_named(save: Save) -> None:
    run = save("x.run", "q1 Q0 d1#1 1 2 a\nq1 Q0 d1#1 1 2 b\nq1 Q0 d1#2 1 3 b\nq1 Q0 d2 1 1 b\n")
    with pytest.warns(te.TrecEvalWarning, match="b: 1 docno not matched by --collapse"):
        scores = te.score(
            {"q1": {"d1": 1}}, run, ["num_ret", "P@1"], split_tags=True, collapse=CHUNKS
        )
    assert scores["value"].tolist() == [1.0, 1.0, 2.0, 1.0]


def test_each_tag_says_its_own_of_queries(save: Save) -> None:
    run = save("x.run", "q1 Q0 d1 1 2 a\nq1 Q0 d1 1 2 b\nq2 Q0 d1 1 2 b\n")
    with pytest.warns(te.TrecEvalWarning, match="^a: 1 query of qrels missing; left empty$"):
        scores = te.score({"q1": {"d1": 1}, "q2": {"d1": 1}}, run, ["P@1"], split_tags=True)
    assert scores["value"].isna().tolist() == [False, True, False, False]


# Documents that stand twice


def table(**columns: list[object]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


LOW_FIRST = [("q1", "d1", 1), ("q1", "d2", 0), ("q1", "d1", 3), ("q2", "d1", 1), ("q1", "d1", 2)]
COLUMNS: dict[str, list[object]] = {
    name: [row[place] for row in LOW_FIRST]
    for place, name in enumerate(("query_id", "docno", "relevance"))
}
OF_RUNS = {("score" if name == "relevance" else name): held for name, held in COLUMNS.items()}
IN_JSON = '{"q1": {"d1": 1, "d2": 0, "d1": 3, "d1": 2}, "q2": {"d1": 1}}'
QRELS_TWICE: dict[str, str | bytes | pd.DataFrame] = {
    "TREC": "".join(f"{q} 0 {d} {g}\n" for q, d, g in LOW_FIRST),
    "BEIR": "query-id corpus-id score\n" + "".join(f"{q} {d} {g}\n" for q, d, g in LOW_FIRST),
    "LETOR": "".join(f"{g} qid:{q} # docno = {d}\n" for q, d, g in LOW_FIRST),
    "JSON": IN_JSON,
    "JSON lines": '{"query_id": "q1", "relevant": {"d1": 1, "d2": 0, "d1": 3, "d1": 2}}\n'
    '{"query_id": "q2", "relevant": ["d1"]}\n',
    "Parquet": table(**COLUMNS),
    "a frame": pd.DataFrame(COLUMNS),
}
RUNS_TWICE: dict[str, str | bytes | pd.DataFrame] = {
    "TREC": "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in LOW_FIRST),
    "TREC, no tag": "".join(f"{q} Q0 {d} 1 {s}\n" for q, d, s in LOW_FIRST),
    "JSON": IN_JSON,
    "rank_llm": json.dumps(
        [
            {
                "query": {"qid": query_id},
                "candidates": [{"docid": d, "score": s} for q, d, s in LOW_FIRST if q == query_id],
            }
            for query_id in ("q1", "q2")
        ]
    ),
    "MTEB": '{"mteb_model_meta": {}, "default": {"test": ' + IN_JSON + "}}",
    "Parquet": table(**OF_RUNS),
    "a frame": pd.DataFrame(OF_RUNS),
}
# Of the grades, or scores, 1, 3 and 2.
KEPT: list[tuple[Duplicates, int]] = [("first", 1), ("best", 3)]


def on_disk(save: Save, data: str | bytes | pd.DataFrame) -> object:
    return data if isinstance(data, pd.DataFrame) else save("x", data)


@pytest.mark.parametrize(("kept", "grade"), KEPT)
@pytest.mark.parametrize("data", QRELS_TWICE.values(), ids=QRELS_TWICE)
def test_of_repeated_judgments_one_is_kept(
    save: Save, data: str | bytes | pd.DataFrame, kept: Duplicates, grade: int
) -> None:
    given = on_disk(save, data)
    said = f": 2 lines repeat a document of the same query; the {kept} of each was kept$"
    with pytest.warns(te.TrecEvalWarning, match=said):
        read = te.read_qrels(given, duplicates=kept)
    rows = list(zip(read["query_id"], read["docno"], read["relevance"], strict=True))
    assert sorted(rows) == [("q1", "d1", grade), ("q1", "d2", 0), ("q2", "d1", 1)]
    with pytest.warns(te.TrecEvalWarning, match=said):
        scores = te.score(given, {"x": {"q1": ["d1"], "q2": ["d1"]}}, ["ndcg"], duplicates=kept)
    judged = digits(f"q1\td1\t{grade}\nq1\td2\t0\nq2\td1\t1\n", 12)
    assert set(scores["protocol"]) == {f"{judged}/9.0;duplicates={kept}"}


@pytest.mark.parametrize(("kept", "best"), KEPT)
@pytest.mark.parametrize("data", RUNS_TWICE.values(), ids=RUNS_TWICE)
def test_of_a_repeated_document_one_is_kept(
    save: Save, data: str | bytes | pd.DataFrame, kept: Duplicates, best: int
) -> None:
    given = on_disk(save, data)
    said = f": 2 lines repeat a document of the same query; the {kept} of each was kept$"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        read = te.read_run(given, duplicates=kept)
    assert any(re.search(said, str(one.message)) for one in warned)
    rows = list(zip(read["query_id"], read["docno"], read["score"], strict=True))
    assert rows == [("q1", "d1", best), ("q1", "d2", 0), ("q2", "d1", 1)]


@pytest.mark.parametrize("data", QRELS_TWICE.values(), ids=QRELS_TWICE)
def test_repeated_judgments_are_refused_otherwise(
    save: Save, data: str | bytes | pd.DataFrame
) -> None:
    with pytest.raises(te.InputError, match=r"document 'd1' .*(again|twice).*duplicates best or f"):
        te.read_qrels(on_disk(save, data))


@pytest.mark.parametrize("data", RUNS_TWICE.values(), ids=RUNS_TWICE)
def test_a_repeated_document_is_refused_otherwise(
    save: Save, data: str | bytes | pd.DataFrame
) -> None:
    with pytest.raises(te.InputError, match=r"document 'd1' .*(again|twice).*duplicates best or f"):
        te.read_run(on_disk(save, data))


# A judgment of user u, or of subtopic u, that stands three times; another group says otherwise.
GROUPED = {
    "qrels_jg": ("q1 u d1 1\nq1 u d1 3\nq1 v d1 9\nq1 u d1 2\n", "q1\td1\tu\t{}\nq1\td1\tv\t9\n"),
    "subtopics": ("q1 u d1 1\nq1 u d1 3\nq1 v d1 9\nq1 u d1 2\n", "q1\td1\tu\t{}\nq1\td1\tv\t9\n"),
    "prefs": ("q1 u s d1 1\nq1 u s d1 3\nq1 u t d1 9\nq1 u s d1 2\n", ""),
    "qrels_prefs": ("q1 u d1 1\nq1 u d1 3\nq1 v d1 9\nq1 u d1 2\n", ""),
}


@pytest.mark.parametrize(("kept", "grade"), KEPT)
@pytest.mark.parametrize("form", GROUPED)
def test_of_judgments_that_a_group_repeats_one_is_kept(
    save: Save, form: str, kept: Duplicates, grade: int
) -> None:
    content, records = GROUPED[form]
    source = reading.Source(save("x", content))
    said = f"^x: 2 lines repeat a document of the same query; the {kept} of each was kept$"
    with pytest.warns(te.TrecEvalWarning, match=said):
        judged = reading.load_judgments(source, "x", form, notes=reading.Notes(kept))
    once = [line for line in content.splitlines() if line[-1] in (str(grade), "9")]
    same = reading.load_judgments(
        reading.Source(save("y", "\n".join(once))), "y", form, notes=reading.Notes()
    )
    assert sorted(judged.records()) == sorted(same.records())
    if records:
        lines_of_it = b"".join(b"%b\n" % one for one in sorted(judged.records()))
        assert lines_of_it.decode() == records.format(grade)


@pytest.mark.parametrize("form", GROUPED)
def test_judgments_that_a_group_repeats_are_refused_otherwise(save: Save, form: str) -> None:
    source = reading.Source(save("x", GROUPED[form][0]))
    said = r"x:2: saw document 'd1' again for query 'q1', group 'u'.* \(first on line 1\), expected"
    with pytest.raises(te.ReadError, match=said):
        reading.load_judgments(source, "x", form)
