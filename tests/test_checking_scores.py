"""Faults of files of tidy scores: every one, with its line."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import math
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import trec_eval_py as te
from trec_eval_py.checking import CODES, Finding, check_scores
from trec_eval_py.checking._findings import MOST_LISTED
from trec_eval_py.schemas import SCORES

HEADER = "qrels,run,query_id,measure,value,protocol\n"
ROW = "x,a,q1,P_5,0.5,h/9.0\n"
Where = tuple[str, int | None, str]


def checked(tmp_path: Path, content: str | bytes, name: str = "s.csv") -> list[Finding]:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = check_scores(str(path))
    assert {one.file for one in found} <= {str(path)}
    assert all(one.severity == CODES[one.code].severity for one in found)
    return found


def brief(found: list[Finding]) -> list[Where]:
    return [(one.code, one.line, one.saw) for one in found]


def test_a_file_that_score_writes_has_no_fault(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    scores = te.score(qrels, {"one": run, "two": run}, ["nDCG@10", "AP", "num_ret"])
    scores.to_csv(tmp_path / "s.csv", index=False)
    scores.to_csv(tmp_path / "s.tsv", index=False, sep="\t")
    scores.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    scores.to_parquet(tmp_path / "s.parquet")
    for kind in ("csv", "tsv", "jsonl", "parquet"):
        assert check_scores(str(tmp_path / f"s.{kind}")) == []


FAULTS: dict[str, tuple[str, list[Where]]] = {
    # what follows the header and two good rows from line 4 on, and what is found
    "value": (
        "x,a,q2,P_5,half,h/9.0\nx,a,q2,recall_5,inf,h/9.0\n",
        [
            ("scores-no-number", 4, "value 'half', expected a number"),
            ("scores-no-number", 5, "value 'inf', expected a number"),
        ],
    ),
    "value as a missing one is written elsewhere": (
        "x,a,q2,P_5,NA,h/9.0\nx,a,q2,recall_5,nan,h/9.0\n",
        [
            ("scores-no-number", 4, "value 'NA', expected a number"),
            ("scores-no-number", 5, "value 'nan', expected a number"),
        ],
    ),
    "key repeated": (
        f"{ROW}x,a,q1,recall_5,0.25,h/9.0\n",
        [
            (
                "scores-key-repeated",
                4,
                "qrels 'x', run 'a', query_id 'q1', measure 'P_5' as on line 2",
            ),
            (
                "scores-key-repeated",
                5,
                "qrels 'x', run 'a', query_id 'q1', measure 'recall_5' as on line 3",
            ),
        ],
    ),
    "two protocols": (
        "x,b,q1,P_5,0.5,h/10.0\nx,b,q1,recall_5,0.5,h/10.0\ny,b,q1,P_5,0.5,i/9.0\n",
        [("scores-two-protocols", 4, "protocol 'h/10.0' for qrels 'x', expected 'h/9.0' as above")],
    ),
    "cells": (
        "x,a,q2,P_5,0.5\n\nx,a,q2,P_5,0.5,h/9.0,more\n",
        [
            ("scores-cells", 4, "5 cells, expected 6, as in the header"),
            ("scores-cells", 5, "0 cells, expected 6, as in the header"),
            ("scores-cells", 6, "7 cells, expected 6, as in the header"),
        ],
    ),
    "a quote inside, and what follows is read": (
        'x,"a"b,q2,P_5,0.5,h/9.0\nx,a,q2,P_5,2.5,h/9.0\n',
        [
            ("scores-cells", 4, "',' expected after '\"', expected csv"),
            ("scores-out-of-range", 5, "value 2.5 of 'P_5', expected 0 to 1"),
        ],
    ),
    "a quote that never ends": (
        'x,"a,q2,P_5,0.5,h/9.0\n',
        [("scores-cells", 4, "unexpected end of data, expected csv")],
    ),
    "lines after a cell that holds line ends": (
        '"x\n\ny",a,q1,P_5,0.5,h/9.0\nz,a,q1,P_5,two,h/9.0\n',
        [("scores-no-number", 7, "value 'two', expected a number")],
    ),
    "missing": (
        "x,a,q2,P_5,,h/9.0\nx,a,q2,recall_5,,h/9.0\nx,a,q3,P_5,0,h/9.0\nx,a,q3,recall_5,,h/9.0\n",
        [("scores-value-missing", None, "no value for 2 of 3 queries of run 'a' on qrels 'x': "
          "'q2', 'q3'")],
    ),
    "the ceiling of what no ranking alone maximises": (
        "x,ideal,q1,P_5,1,h/9.0\nx,ideal,q1,recall_5,1,h/9.0\ny,ideal,q1,num_ret,,h/9.0\n",
        [],
    ),
    "queries differ": (
        "x,b,q1,P_5,0,h/9.0\nx,b,q1,recall_5,0,h/9.0\nx,b,q2,P_5,0,h/9.0\nx,b,q2,recall_5,0,h/9.0\n",
        [("scores-queries-differ", None, "1 of 2 queries for run 'a' on qrels 'x', which lacks "
          "'q2'")],
    ),
    "queries may differ between qrels": ("y,b,q2,P_5,0,h/9.0\ny,b,q2,recall_5,0,h/9.0\n", []),
    "measures differ": (
        "x,b,q1,P_5,0,h/9.0\n",
        [("scores-measures-differ", None, "1 of 2 measures for run 'b' on qrels 'x', which lacks "
          "'recall_5'")],
    ),
    "rows lacking": (
        "x,a,q2,P_5,0.5,h/9.0\n",
        [("scores-rows-lacking", None, "3 rows for run 'a' on qrels 'x', expected 4: 2 queries by "
          "2 measures")],
    ),
    "range": (
        "y,a,q1,P_5,-0.5,i\ny,a,q1,nDCG@10,45.3,i\ny,a,q1,AP(rel=2),1.5,i\ny,a,q1,RR@10,2,i\n"
        "y,a,q1,num_ret,1000,i\ny,a,q1,theirs,7,i\ny,a,q1,P_10,1.0000000000000002,i\n"
        '"y",a,q1,"ndcg_1=-3,2=9",-1,i\n',
        [
            ("scores-out-of-range", 4, "value -0.5 of 'P_5', expected 0 to 1"),
            ("scores-out-of-range", 5, "value 45.3 of 'nDCG@10', expected 0 to 1"),
            ("scores-out-of-range", 6, "value 1.5 of 'AP(rel=2)', expected 0 to 1"),
            ("scores-out-of-range", 7, "value 2.0 of 'RR@10', expected 0 to 1"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), FAULTS.values(), ids=FAULTS)
def test_every_fault_is_found(tmp_path: Path, rows: str, expected: list[Where]) -> None:
    content = f"{HEADER}{ROW}x,a,q1,recall_5,0.5,h/9.0\n{rows}"
    assert brief(checked(tmp_path, content)) == expected
    if '"' not in rows:  # quoted for its commas
        assert brief(checked(tmp_path, content.replace(",", "\t"), "s.tsv")) == expected


def test_a_row_that_cannot_be_read_is_not_called_missing(tmp_path: Path) -> None:
    """Run a has no readable row for q2, so that its queries are not compared with those of b."""
    rows = f"{ROW}x,a,q2,P_5\n{ROW.replace('a', 'b')}x,b,q2,P_5,0.5,h/9.0\n"
    assert [one.code for one in checked(tmp_path, HEADER + rows)] == ["scores-cells"]


COLUMNS: dict[str, tuple[str, list[str], str]] = {
    # header and rows, the codes, how to mend the first
    "wide": (
        "qrels,run,query_id,protocol,P_5\nx,a,q1,h/9.0,0.5\n",
        ["scores-columns"],
        "Add measure, value: a row for each value, as score writes without --wide.",
    ),
    "missing and twice": (
        "run,run,query_id,measure,value,protocol\nx,a,q1,P_5,0.5,h\n",
        ["scores-columns"],
        "Name each column once: 'run'. Add qrels: a row for each value, as score writes without "
        "--wide.",
    ),
    "twice": (
        "qrels,run,query_id,measure,value,value,protocol\nx,a,q1,P_5,0.5,0.5,h\n",
        ["scores-columns"],
        "Name each column once: 'value'.",
    ),
    "no header": (ROW, ["scores-columns"], "Add qrels, run, query_id, measure, value: a row for "
                  "each value, as score writes without --wide."),
    "nothing": ("", ["scores-columns"], "Add qrels, run, query_id, measure, value: a row for each "
                "value, as score writes without --wide."),
    "other faults are found, too": (
        "qrels,query_id,measure,value\nx,q1,P_5,half\nx,q1,P_5,7\nx,1e5,P_5,0\n",
        ["scores-columns", "scores-no-number", "scores-out-of-range", "id-exponent"],
        "Add run: a row for each value, as score writes without --wide.",
    ),
    "no protocol": (
        "qrels,run,query_id,measure,value\nx,a,q1,P_5,0.5\n",
        ["scores-no-protocol"],
        "Compare its numbers with none of another file; score writes the column.",
    ),
    "no row": (HEADER, ["scores-empty"], "Score a run first."),
    "no row that can be read": (f"{HEADER}x\n", ["scores-cells"], "Mend or drop the row."),
}  # fmt: skip


@pytest.mark.parametrize(("content", "codes", "fix"), COLUMNS.values(), ids=COLUMNS)
def test_columns(tmp_path: Path, content: str, codes: list[str], fix: str) -> None:
    found = checked(tmp_path, content)
    assert [one.code for one in found] == codes
    assert found[0].fix == fix


def test_json_lines(tmp_path: Path) -> None:
    good = {"qrels": "x", "run": "a", "query_id": "q1", "measure": "P_5", "value": 0.5}
    good["protocol"] = "h/9.0"
    lines = [
        json.dumps(good),
        "",
        json.dumps({**good, "query_id": 301}),
        json.dumps({**good, "query_id": ["a"]}),
        json.dumps({**good, "value": None}),
        json.dumps({**good, "query_id": "q2", "value": True}),
        json.dumps({**good, "query_id": "q3", "value": 10**400}),
        json.dumps({**good, "query_id": "q4", "extra": 1}),
        "{",
        "[1]",
        '{"run": "a", "run": "b"}',
        json.dumps({**good, "query_id": "q5"}).replace("0.5", "NaN"),
        json.dumps({**good, "query_id": "q6", "value": 50}),
    ]
    found = checked(tmp_path, "\n".join(lines), "s.jsonl")
    assert [one[:2] for one in brief(found)] == [
        ("scores-not-text", 3),
        ("scores-not-text", 4),
        ("scores-key-repeated", 5),
        ("scores-no-number", 6),
        ("scores-no-number", 7),
        *(("scores-cells", line) for line in range(8, 13)),
        ("scores-out-of-range", 13),
        ("scores-value-missing", None),
    ]
    saw = {one.line: one.saw for one in found}
    assert saw[3] == "query_id 301 (int), expected text"
    assert saw[6] == "value True (bool), expected a number"
    assert saw[7] == f"value 1{'0' * 59}… (int), expected a number"
    assert saw[8] == "other keys ('extra') than on the first line"
    assert saw[10] == "'[1]', expected a JSON object"
    assert saw[11] == "key 'run' twice, expected a JSON object"
    assert saw[12] == "NaN is no JSON; a missing value is null, expected a JSON object"


def test_parquet_has_rows(tmp_path: Path) -> None:
    columns = {
        "qrels": ["x"] * 4,
        "run": ["a"] * 4,
        "query_id": ["001", "001", "NA", "3"],
        "measure": ["P_5"] * 4,
        "value": [0.5, math.nan, 2.0, math.inf],
        "protocol": ["h/9.0"] * 4,
    }
    path = tmp_path / "s.parquet"
    parquet.write_table(pa.table(columns), path)
    assert brief(check_scores(str(path))) == [
        (
            "scores-key-repeated",
            None,
            "row 2: qrels 'x', run 'a', query_id '001', measure 'P_5' as on row 1",
        ),
        ("scores-out-of-range", None, "row 3: value 2.0 of 'P_5', expected 0 to 1"),
        ("scores-no-number", None, "row 4: value inf (float), expected a number"),
        (
            "scores-value-missing",
            None,
            "no value for 1 of 3 queries of run 'a' on qrels 'x': '001'",
        ),
    ]
    parquet.write_table(pa.table({**columns, "query_id": [1, 2, 3, 4]}), path)
    assert "row 1: query_id 1 (int), expected text" in [x.saw for x in check_scores(str(path))]


@pytest.mark.parametrize(
    ("name", "pack"),
    [("s.csv.gz", gzip.compress), ("s.csv.bz2", bz2.compress), ("s.csv", gzip.compress)],
)
def test_compressed_files(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    found = checked(tmp_path, pack(f"{HEADER}{ROW}{ROW}".encode()), name)
    assert [one[:2] for one in brief(found)] == [("scores-key-repeated", 3)]


def test_zstd(tmp_path: Path) -> None:
    with pa.CompressedOutputStream(str(tmp_path / "s.tsv.zst"), "zstd") as file:
        file.write(f"{HEADER}{ROW}{ROW}".replace(",", "\t").encode())
    found = check_scores(str(tmp_path / "s.tsv.zst"))
    assert [one[:2] for one in brief(found)] == [("scores-key-repeated", 3)]


UNREADABLE: dict[str, tuple[str, bytes, int | None, str]] = {
    "cut off": ("s.csv.gz", gzip.compress(f"{HEADER}{ROW}".encode())[:-9], 1, "that is cut off"),
    "no Parquet": ("s.parquet", HEADER.encode(), None, "expected a Parquet file"),
    "Parquet by another name": ("s.csv", b"PAR1....PAR1", None, "a Parquet file, expected text"),
    "UTF-16": ("s.csv", HEADER.encode("utf-16"), None, "UTF-16 text, expected text"),
}


@pytest.mark.parametrize(("name", "content", "line", "saw"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, name: str, content: bytes, line: int | None, saw: str
) -> None:
    (found,) = checked(tmp_path, content, name)
    assert (found.code, found.line) == ("scores-unreadable", line)
    assert saw in found.saw


def test_no_such_file_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(te.UsageError, match="cannot be read: No such file"):
        check_scores(str(tmp_path / "none.csv"))


def test_lines_that_are_no_utf_8(tmp_path: Path) -> None:
    rows = [b"x,a,caf\xe9,P_5,0.5,h", b"x,a,caf\xc3\xa9,P_5,0.5,h", b"x,a,\xff\xfe,P_5,0.5,h"]
    found = checked(tmp_path, HEADER.encode() + b"\n".join(rows))
    assert brief(found) == [
        ("scores-not-utf-8", 2, "byte 0xe9, expected text in UTF-8"),
        ("scores-not-utf-8", 4, "byte 0xff, expected text in UTF-8"),
    ]


def test_long_lists_of_faults_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"x,a,q{i},P_5,half,h\n" for i in range(MOST_LISTED + 5))
    found = checked(tmp_path, HEADER + rows)
    assert len(found) == MOST_LISTED + 1
    assert brief(found)[MOST_LISTED - 1 :] == [
        ("scores-no-number", MOST_LISTED + 1, "value 'half', expected a number"),
        ("scores-no-number", None, "5 more of these, 1005 in all"),
    ]


# Ids.

IDS: dict[str, list[str]] = {
    "id-leading-zero": ["001", "00", "-01", "007.5"],
    "id-decimal": ["1.1", "1.10", "1.", ".5", "-0.5", "007.5"],
    "id-exponent": ["1e5", "1E5", "2.5e-3", "1e+5"],
    "id-long-integer": ["1234567890123456", "99999999999999999999"],
    "id-na-like": [
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    ],
    "id-date-like": [
        *("2020-01-02", "2020-1", "1-2", "9-1-1", "1/2", "3/4/2020", "MAR1", "Sept2", "1-Mar"),
        *("1 mar 2020", "March-1", "dec 24"),
    ],
    "id-boolean": ["TRUE", "true", "False"],
    "": [
        *("q1", "301", "0", "-5", "10", "123456789012345", "1_1", "31_1-2", "d1.1", "1e", "e5"),
        *(
            "1.1.1",
            "NAN1",
            "none of",
            "1-2-",
            "MARS1",
            "123-45",
            "truth",
            "fal\u017fe",
            "é",
            "\u0660\u0661",
        ),
    ],
}


@pytest.mark.parametrize("column", SCORES.key)
@pytest.mark.parametrize(("code", "one"), [(code, one) for code, ids in IDS.items() for one in ids])
def test_an_id_that_guessing_mangles(tmp_path: Path, column: str, code: str, one: str) -> None:
    cells = {"qrels": "x", "run": "a", "query_id": "q", "measure": "m", column: one}
    found = checked(tmp_path, f"{HEADER}{','.join(cells.values())},0.5,h\n")
    expected = {kind for kind, ids in IDS.items() if one in ids} - {""}
    assert {x.code for x in found} == expected
    assert code in (expected or {""})
    assert all(x.line == 2 and f"{column} '{one}'" in x.saw for x in found)


def test_ids_make_one_finding_a_kind(tmp_path: Path) -> None:
    rows = "".join(f"x,{run},{q},P_5,0.5,h\n" for run in "ab" for q in ("q", "007", "008"))
    (found,) = checked(tmp_path, HEADER + rows)
    assert found[:2] == ("warning", "id-leading-zero")
    assert found.line == 3
    assert found.saw == (
        "query_id '007' with a leading zero (and 1 more such ids): where types are guessed, '001' "
        "is 1"
    )
    assert found.fix == (
        "Read the file with te.read_scores(path), or pandas.read_csv(path, dtype=str, "
        "keep_default_na=False); in a spreadsheet, import ids as text."
    )


def test_pandas_mangles_what_is_said_to_be(tmp_path: Path) -> None:
    """A column of such ids alone is other than text, or lost; by the recipe, it is as it was."""
    for code in ("id-leading-zero", "id-decimal", "id-exponent", "id-na-like", "id-boolean"):
        for one in IDS[code]:
            text = f"query_id,value\n{one},1\n"
            assert pd.read_csv(io.StringIO(text))["query_id"].tolist() != [one]
            recipe = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
            assert recipe["query_id"].tolist() == [one]


def test_json_lines_are_guessed_for_numbers_only(tmp_path: Path) -> None:
    """pandas.read_json leaves NA, dates and truth values alone."""
    ids = ["001", "1.10", "1e5", "NA", "1-2", "TRUE"]
    row = {"qrels": "x", "run": "a", "measure": "P_5", "value": 0.5, "protocol": "h"}
    content = "\n".join(json.dumps({**row, "query_id": one}) for one in ids)
    found = checked(tmp_path, content, "s.jsonl")
    assert [x.code for x in found] == ["id-leading-zero", "id-decimal", "id-exponent"]
    assert "pandas.read_json(path, lines=True, dtype=False)" in found[0].fix
    read = pd.read_json(io.StringIO(content), lines=True, dtype=False)
    assert read["query_id"].tolist() == ids


# Against read_scores, which takes a file or refuses it at its first fault.

CELLS = st.sampled_from(["a", "b", "001", "NA", "", "0.5", "nan", "inf", "1e999", "é", '"', "5 "])
LINES = st.lists(
    st.sampled_from([HEADER, ROW, ROW.replace("0.5", ""), ROW.replace("q1", "q2"), "\n", "{}\n"])
    | st.lists(CELLS, min_size=5, max_size=7).map(lambda cells: ",".join(cells) + "\n"),
    max_size=5,
)
JSON = st.lists(
    st.sampled_from(["\n", "{}\n", "[]\n", "null\n", "nonsense\n"])
    | st.fixed_dictionaries(
        {name: st.sampled_from(["a", "b"]) for name in SCORES.key},
        optional={
            "value": st.sampled_from([None, 0.5, 10**400, "0.5", "x", True, {}]),
            "protocol": st.sampled_from(["h", 5, None]),
        },
    ).map(lambda record: json.dumps(record) + "\n"),
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(
    content=st.tuples(st.just("s.csv"), LINES.map(lambda lines: [HEADER, *lines]) | LINES)
    | st.tuples(st.just("s.jsonl"), JSON),
    tail=st.sampled_from([b"", b"\xff\n", b"\xc3"]),
)
def test_errors_are_what_read_scores_refuses(content: tuple[str, list[str]], tail: bytes) -> None:
    name, lines = content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes("".join(lines).encode() + tail)
        found = check_scores(str(path))
        errors = {x.code for x in found if x.severity == "error"} - {"scores-two-protocols"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", te.TrecEvalWarning)
            try:
                te.read_scores(path)
            except te.InputError:
                refused = True
            else:
                refused = False
    assert bool(errors) == refused
