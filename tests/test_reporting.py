"""Scores in files and means in tables."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import math
import re
import struct
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

import trec_eval_py as te
from trec_eval_py import reporting
from trec_eval_py.aggregating import Mean
from trec_eval_py.reporting import Means, ScoresWriter
from trec_eval_py.schemas import SCORES
from trec_eval_py.scoring import Row, ScoredRun

HEADER = "qrels,run,query_id,measure,value,protocol\n"
ONE_ROW = "q,a,1,P_5,0.5,h/9.0\n"
KINDS = ("csv", "tsv", "jsonl", "parquet")
SUFFIXES = (
    *(".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz"),
    *(".csv.zst", ".tsv.zst", ".jsonl.zst", ".CSV", ".Csv.GZ", ""),
)

# What a CSV must quote, what it must not, and what readers like to take for something else.
NAMES = st.one_of(
    st.text(st.sampled_from("a,\"';\t\n\r\\ é日|#"), max_size=5),
    st.sampled_from(("001", "NA", "null", "1e5", "nan", "True", "", " ", "=1+1", "\ufeff")),
    st.text(max_size=4).filter(lambda text: text.isprintable()),
)
# Python 3.11's csv writes a lone CR without quotes, which no reader takes.
NO_CR = NAMES.filter(lambda text: "\r" not in text)
VALUES = st.one_of(
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from((0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, 1e16, 123456789.0)),
)


@st.composite
def scored_runs(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES) -> list[ScoredRun]:
    """Draw runs scored against one set of qrels on the same measures."""
    labels = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    query_ids = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    runs = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    qrels, protocol = draw(names), draw(names)

    def row() -> Row:
        values: list[float | None] = [draw(VALUES) for _ in labels]
        return values

    return [
        ScoredRun(qrels, run, protocol, labels, query_ids, [row() for _ in query_ids])
        for run in runs
    ]


def written(runs: Sequence[ScoredRun], kind: str, wide: bool = False) -> bytes:
    file = io.BytesIO()
    with ScoresWriter(file, kind, wide) as writer:
        for run in runs:
            writer.add(run)
    return file.getvalue()


def long_rows(runs: Sequence[ScoredRun]) -> list[tuple[str, str, str, str, float | None, str]]:
    return [
        (run.qrels, run.run, query_id, label, value, run.protocol)
        for run in runs
        for query_id, row in zip(run.query_ids, run.rows, strict=True)
        for label, value in zip(run.labels, row, strict=True)
    ]


def wide_rows(runs: Sequence[ScoredRun]) -> list[tuple[str | float | None, ...]]:
    return [
        (run.qrels, run.run, query_id, run.protocol, *row)
        for run in runs
        for query_id, row in zip(run.query_ids, run.rows, strict=True)
    ]


def by_the_csv_module(
    header: Sequence[str], rows: Sequence[Sequence[str | float | None]], delimiter: str
) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(
        [repr(cell) if isinstance(cell, float) else cell for cell in row] for row in rows
    )
    return text.getvalue().encode()


ODD = ScoredRun("", "", "", ["", 'a"b', "c,d", "e\tf"], ["", "1\n2"], [[None] * 4, [0.5] * 4])


@pytest.mark.parametrize(("kind", "delimiter"), [("csv", ","), ("tsv", "\t")])
@given(runs=scored_runs(NO_CR))
@example(runs=[ODD])
def test_bytes_are_those_of_the_csv_module(
    kind: str, delimiter: str, runs: list[ScoredRun]
) -> None:
    expected = by_the_csv_module(list(SCORES.columns), long_rows(runs), delimiter)
    assert written(runs, kind) == expected


@pytest.mark.parametrize(("kind", "delimiter"), [("csv", ","), ("tsv", "\t")])
@given(runs=scored_runs(NO_CR))
@example(runs=[ODD])
def test_wide_bytes_are_those_of_the_csv_module(
    kind: str, delimiter: str, runs: list[ScoredRun]
) -> None:
    header = ["qrels", "run", "query_id", "protocol", *runs[0].labels]
    assert written(runs, kind, wide=True) == by_the_csv_module(header, wide_rows(runs), delimiter)


def by_rfc_4180(
    header: Sequence[str], rows: Sequence[Sequence[str | float | None]], delimiter: str
) -> bytes:
    """Quote what holds a delimiter, a quote, CR or LF (RFC 4180, 2.6), but end lines with LF."""

    def cell(value: str | float | None) -> str:
        text = "" if value is None else str(value)
        odd = any(c in text for c in (delimiter, '"', "\r", "\n"))
        return '"{}"'.format(text.replace('"', '""')) if odd else text

    return "".join(f"{delimiter.join(map(cell, row))}\n" for row in [header, *rows]).encode()


CRS = ScoredRun("\r", "a\rb", "\r\n", ["P\r", "\r\r"], ["\n\r", "2\r"], [[None] * 2, [0.5] * 2])


@pytest.mark.parametrize(("kind", "delimiter"), [("csv", ","), ("tsv", "\t")])
@given(runs=scored_runs())
@example(runs=[ODD])
@example(runs=[CRS])
def test_bytes_are_those_of_rfc_4180(kind: str, delimiter: str, runs: list[ScoredRun]) -> None:
    assert written(runs, kind) == by_rfc_4180(list(SCORES.columns), long_rows(runs), delimiter)
    header = ["qrels", "run", "query_id", "protocol", *runs[0].labels]
    assert written(runs, kind, wide=True) == by_rfc_4180(header, wide_rows(runs), delimiter)


@given(runs=scored_runs())
def test_json_lines_are_objects_with_null_for_what_is_missing(runs: list[ScoredRun]) -> None:
    lines = written(runs, "jsonl").decode().split("\n")
    assert lines.pop() == ""
    expected = [dict(zip(SCORES.columns, row, strict=True)) for row in long_rows(runs)]
    assert [json.loads(line) for line in lines] == expected


def test_json_lines_are_utf_8() -> None:
    run = ScoredRun("é", "a", "h", ["P_5"], ["1"], [[None]])
    assert (
        written([run], "jsonl")
        == (
            '{"qrels": "é", "run": "a", "query_id": "1", "measure": "P_5", "value": null, '
            '"protocol": "h"}\n'
        ).encode()
    )


def test_parquet_has_texts_and_doubles() -> None:
    run = ScoredRun("q", "a", "h", ["P_5"], ["1", "2"], [[0.5], [None]])
    table = parquet.read_table(io.BytesIO(written([run, run._replace(run="b")], "parquet")))
    types = {field.name: str(field.type) for field in table.schema}
    assert types == dict.fromkeys(SCORES.columns, "string") | {"value": "double"}
    assert table["value"].to_pylist() == [0.5, None, 0.5, None]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_before_the_first_run(kind: str) -> None:
    assert written([], kind) == b""


def write(path: Path, runs: Sequence[ScoredRun]) -> None:
    kind = reporting.kind_of(str(path))
    with reporting.output(str(path)) as file, ScoresWriter(file, kind) as writer:
        for run in runs:
            writer.add(run)


def bits(value: float | None) -> bytes:
    return b"" if value is None or math.isnan(value) else struct.pack("<d", value)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(runs=scored_runs())
@example(runs=[ODD])
@example(runs=[CRS])
def test_reading_undoes_writing(suffix: str, runs: list[ScoredRun]) -> None:
    """To the last bit, for every kind; ids stay the text that they were."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"scores{suffix}")
        write(path, runs)
        table = te.read_scores(path)
    texts = [name for name in SCORES.columns if name != "value"]
    expected = long_rows(runs)
    assert list(table[texts].itertuples(index=False, name=None)) == [
        (*row[:4], row[5]) for row in expected
    ]
    assert list(map(bits, table["value"])) == [bits(row[4]) for row in expected]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_scores_are_read_in_the_types_of_their_schema(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    write(path, [ScoredRun("q", "a", "h", ["P_5"], ["1"], [[1.0]])])
    table = te.read_scores(path)
    assert {name: str(dtype) for name, dtype in table.dtypes.items()} == SCORES.columns
    assert isinstance(table.index, pd.RangeIndex)


def parquet_of(**columns: list[object]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


FULL: dict[str, list[object]] = {
    **{"qrels": ["q"], "run": ["a"], "query_id": ["1"], "measure": ["P_5"]},
    **{"value": [0.5], "protocol": ["h/9.0"]},
}
JSON_ROW = {name: column[0] for name, column in FULL.items()}

READ_ALIKE: dict[str, tuple[str, bytes]] = {
    "plain": ("s.csv", f"{HEADER}{ONE_ROW}".encode()),
    "BOM": ("s.csv", f"\ufeff{HEADER}{ONE_ROW}".encode()),
    "CRLF": ("s.csv", f"{HEADER}{ONE_ROW}".replace("\n", "\r\n").encode()),
    "no final newline": ("s.csv", f"{HEADER}{ONE_ROW}".rstrip().encode()),
    "quotes all over": ("s.csv", f'{HEADER}"q","a","1","P_5","0.5","h/9.0"\n'.encode()),
    "other order, other columns": (
        "s.csv",
        b"note,value,protocol,measure,query_id,run,qrels\nx,.5,h/9.0,P_5,1,a,q\n",
    ),
    "tabs": ("s.tsv", f"{HEADER}{ONE_ROW}".replace(",", "\t").encode()),
    "gzip": ("s.csv.gz", gzip.compress(f"{HEADER}{ONE_ROW}".encode())),
    "gzip under another name": ("s.csv", gzip.compress(f"{HEADER}{ONE_ROW}".encode())),
    "JSON lines": ("s.jsonl", f"{json.dumps(JSON_ROW)}\n\n".encode()),
    "Parquet": ("s.parquet", parquet_of(**FULL)),
}


@pytest.mark.parametrize(("name", "content"), READ_ALIKE.values(), ids=READ_ALIKE)
def test_scores_of_others_are_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    table = te.read_scores(tmp_path / name)
    assert table.values.tolist() == [["q", "a", "1", "P_5", 0.5, "h/9.0"]]


@pytest.mark.parametrize(
    "name",
    [
        *("s.txt", "s.csv.bz2", "s.csv.xz", "s.xlsx", "s", "s.txt.gz", "s.gz", "s.csv.old"),
        *("s.tsv.bz2", "s.TSV.XZ", "s.tsv.zst", "s.jsonl.bz2", "s.jsonl.xz", "s.JSONL.ZST"),
    ],
)
def test_a_suffix_below_that_of_compression_tells_the_kind_and_others_are_csv(
    tmp_path: Path, name: str
) -> None:
    content = f"{HEADER}{ONE_ROW}".encode()
    if ".tsv" in name.lower():
        content = content.replace(b",", b"\t")
    if ".jsonl" in name.lower():
        content = json.dumps(JSON_ROW).encode()
    compress: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": lambda plain: pa.compress(plain, "zstd", asbytes=True),
    }
    packed = compress.get(Path(name).suffix.lower(), bytes)(content)
    (tmp_path / name).write_bytes(packed)
    assert te.read_scores(tmp_path / name).values.tolist() == [["q", "a", "1", "P_5", 0.5, "h/9.0"]]


def test_an_empty_value_is_missing(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(f"{HEADER}q,a,1,P_5,,h/9.0\n")
    assert te.read_scores(tmp_path / "s.csv")["value"].isna().tolist() == [True]


def test_an_absent_protocol_is_told_once_and_empty(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("qrels,run,query_id,measure,value\nq,a,1,P_5,0.5\nq,a,2,P_5,0.5\n")
    with pytest.warns(te.TrecEvalWarning) as caught:
        table = te.read_scores(path)
    assert [str(one.message) for one in caught] == [
        f"{path}: no protocol column; nothing says what its numbers are comparable to"
    ]
    assert [one.filename for one in caught] == [__file__]
    assert table["protocol"].tolist() == ["", ""]


def case(text: str | bytes, message: str, name: str = "s.csv") -> tuple[str, bytes, str]:
    return name, text.encode() if isinstance(text, str) else text, message


REFUSED: dict[str, tuple[str, bytes, str]] = {
    "no value": case(
        "qrels,run,query_id,measure,protocol\nq,a,1,P_5,h\n",
        ":1: saw columns qrels, run, query_id, measure, protocol, expected "
        "qrels,run,query_id,measure,value,protocol. Add value: a row for each value, as score "
        "writes without --wide.",
    ),
    "wide": case(
        "qrels,run,query_id,protocol,P_5\nq,a,1,h,0.5\n",
        ":1: saw columns qrels, run, query_id, protocol, P_5, expected "
        "qrels,run,query_id,measure,value,protocol. Add measure, value: a row for each value, as "
        "score writes without --wide.",
    ),
    "text for a value": case(
        f"{HEADER}{ONE_ROW}q,a,2,P_5,high,h/9.0\n",
        ":3: saw value 'high', expected a number, or nothing where the query is missing. Mend or "
        "drop the row.",
    ),
    "cells lack": case(
        f"{HEADER}{ONE_ROW}q,a,2\n",
        ":3: saw 3 cells, expected 6, as in the header. Mend or drop the row.",
    ),
    "a cell too many": case(
        f"{HEADER}q,a,1,P_5,0.5,h/9.0,x\n",
        ":2: saw 7 cells, expected 6, as in the header. Mend or drop the row.",
    ),
    "key twice": case(
        f"{HEADER}{ONE_ROW}{ONE_ROW}",
        ": scores frame: saw {'qrels': 'q', 'run': 'a', 'query_id': '1', 'measure': 'P_5'} twice, "
        "expected each once. Drop the repeated row.",
    ),
    "latin-1": case(
        f"{HEADER}q,é,1,P_5,0.5,h\n".encode("latin-1"),
        ": saw 'utf-8' codec can't decode byte 0xe9 in position 44: invalid continuation byte, "
        "expected csv in UTF-8. Write the file again.",
    ),
    "text after a quote": case(
        f'{HEADER}q,"a"b,1,P_5,0.5,h\n',
        ":2: saw ',' expected after '\"', expected csv. Mend or drop the row.",
    ),
    "no JSON": case(
        "{\n",
        ":1: saw Expecting property name enclosed in double quotes: line 2 column 1 (char 2), "
        "expected a JSON object. Mend or drop the row.",
        "s.jsonl",
    ),
    "a list for a value": case(
        json.dumps(JSON_ROW | {"value": [1]}),
        ":1: saw value [1], expected a number, or nothing where the query is missing. Mend or drop "
        "the row.",
        "s.jsonl",
    ),
    "damaged gzip": case(
        gzip.compress(f"{HEADER}{ONE_ROW}".encode())[:-12],
        ":1: saw a gzip stream that is cut off or damaged at its start (Compressed file ended "
        "before the end-of-stream marker was reached), expected a whole one. Fetch or write the "
        "file again.",
        "s.csv.gz",
    ),
}


A_NUMBER = "expected a number, or nothing where the query is missing. Mend or drop the row."
ITS_COLUMNS = "expected qrels,run,query_id,measure,value,protocol."
NO_ROW = ": saw no row of scores, expected at least one. Score a run first."

REFUSED |= {
    **{
        f"value {value!r}": case(
            f"{HEADER}q,a,1,P_5,{value},h\n", f":2: saw value {value!r}, {A_NUMBER}"
        )
        for value in (
            *("1_0", "inf", "-inf", "Infinity", "nan", "NaN", "-nan", "NA", "null", "None"),
            *("1e400", "0x1", " 1", "1 ", "1.0f", "\u0661"),
        )
    },
    "JSON infinity": case(
        json.dumps(JSON_ROW | {"value": math.inf}),
        ":1: saw Infinity is no JSON; a missing value is null, expected a JSON object. Mend or drop"
        " the row.",
        "s.jsonl",
    ),
    "JSON true": case(
        json.dumps(JSON_ROW | {"value": True}), f":1: saw value True, {A_NUMBER}", "s.jsonl"
    ),
    "Parquet infinity": case(
        parquet_of(**(FULL | {"value": [-math.inf]})),
        f":1: saw value -inf, {A_NUMBER}",
        "s.parquet",
    ),
    "JSON text for a value": case(
        json.dumps(JSON_ROW | {"value": "x"}), f":1: saw value 'x', {A_NUMBER}", "s.jsonl"
    ),
    "the line after a quoted line end": case(
        f'{HEADER}"q\nr",a,1,P_5,0.1,h\nq,a,1,P_5,x,h\n', f":4: saw value 'x', {A_NUMBER}"
    ),
    "header alone": case(HEADER, NO_ROW),
    "header alone, without its end": case(HEADER.rstrip(), NO_ROW),
    "header alone in TSV": case(HEADER.replace(",", "\t"), NO_ROW, "s.tsv"),
    "header alone, compressed": case(gzip.compress(HEADER.encode()), NO_ROW, "s.csv.gz"),
    "Parquet without a row": case(
        parquet_of(**{name: [] for name in SCORES.columns}), NO_ROW, "s.parquet"
    ),
    "nothing": case(
        "",
        f":1: saw columns none, {ITS_COLUMNS} Add qrels, run, query_id, measure, value: a row for "
        "each value, as score writes without --wide.",
    ),
    "a column that is not there": case(
        "qrels;run\n",
        f":1: saw columns qrels;run, {ITS_COLUMNS} Add qrels, run, query_id, measure, value: a row "
        "for each value, as score writes without --wide.",
    ),
    "a column twice": case(
        "qrels,run,run,query_id,measure,value,protocol\nq,a,b,1,P_5,0.5,h\n",
        f":1: saw columns qrels, run, run, query_id, measure, value, protocol, {ITS_COLUMNS} Name "
        "each column once: run.",
    ),
    "another column twice": case(
        "qrels,run,query_id,measure,value,protocol,note,note\nq,a,1,P_5,0.5,h,x,y\n",
        ":1: saw columns qrels, run, query_id, measure, value, protocol, note, note, "
        f"{ITS_COLUMNS} Name each column once: note.",
    ),
    "an empty line amid rows": case(
        f"{HEADER}{ONE_ROW}\nq,a,2,P_5,0.5,h/9.0\n",
        ":3: saw 0 cells, expected 6, as in the header. Mend or drop the row.",
    ),
    "JSON that is no object": case(
        "[1]\n", ":1: saw [1], expected a JSON object. Mend or drop the row.", "s.jsonl"
    ),
    "JSON number": case(
        "3\n", ":1: saw 3, expected a JSON object. Mend or drop the row.", "s.jsonl"
    ),
    "JSON row without a key": case(
        f'{json.dumps(JSON_ROW)}\n{{"qrels": "q", "run": "a", "query_id": "2", '
        '"measure": "P_5", "value": 1}\n',
        ":2: saw other keys (protocol), expected qrels, run, query_id, measure, value, protocol. "
        "Mend or drop the row.",
        "s.jsonl",
    ),
    "JSON row with another key": case(
        f"{json.dumps(JSON_ROW)}\n{json.dumps(JSON_ROW | {'query_id': '2', 'x': 1})}\n",
        ":2: saw other keys (x), expected qrels, run, query_id, measure, value, protocol. "
        "Mend or drop the row.",
        "s.jsonl",
    ),
    "JSON null for an id": case(
        json.dumps(JSON_ROW | {"query_id": None}),
        ":1: saw query_id None, expected text. Mend or drop the row.",
        "s.jsonl",
    ),
    "JSON number for an id": case(
        json.dumps(JSON_ROW | {"query_id": 1}),
        ":1: saw query_id 1, expected text. Mend or drop the row.",
        "s.jsonl",
    ),
    "Parquet number for an id": case(
        parquet_of(**(FULL | {"query_id": [1]})),
        ":1: saw query_id 1, expected text. Mend or drop the row.",
        "s.parquet",
    ),
    "no Parquet": case(
        "hello", "expected a Parquet file. Write it again, or name it .csv.", "s.parquet"
    ),
}


@pytest.mark.parametrize(("name", "content", "message"), REFUSED.values(), ids=REFUSED)
def test_read_scores_refuses(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(te.InputError) as caught:
        te.read_scores(path)
    assert str(caught.value).startswith(f"{path}:")
    assert str(caught.value).endswith(message)


def test_read_scores_refuses_where_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    with pytest.raises(te.UsageError) as caught:
        te.read_scores(path)
    message = f"{path}: cannot be read: No such file or directory. Check the path."
    assert str(caught.value) == message


ODD_SCORES: dict[str, tuple[str, bytes, str]] = {
    "JSON null for a protocol": case(
        json.dumps(JSON_ROW | {"protocol": None}), ":1: .*protocol", "s.jsonl"
    ),
    "Parquet null for a protocol": case(
        parquet_of(**(FULL | {"protocol": [None]})), "protocol", "s.parquet"
    ),
    "a JSON number that no double holds": case(
        json.dumps(JSON_ROW | {"value": 10**400}), ":1: saw value 1", "s.jsonl"
    ),
    "JSON nested too deep": case("[" * 100_000, ":1: ", "s.jsonl"),
    "JSON NaN, which is no JSON": case(
        json.dumps(JSON_ROW | {"value": math.nan}), ":1: saw (value )?[nN]a[nN]", "s.jsonl"
    ),
    "a JSON key twice": case(
        json.dumps(JSON_ROW).replace('"run": "a"', '"run": "a", "run": "b"'),
        ":1: .*run",
        "s.jsonl",
    ),
}


@pytest.mark.parametrize(("name", "content", "pattern"), ODD_SCORES.values(), ids=ODD_SCORES)
def test_read_scores_refuses_odd_files(
    tmp_path: Path, name: str, content: bytes, pattern: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(te.InputError, match=pattern):
        te.read_scores(tmp_path / name)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz"])
def test_a_cell_may_be_longer_than_the_csv_module_likes(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"s{suffix}"
    limit = csv.field_size_limit()
    assert limit == 131072
    ids = ["x" * limit, "y" * (limit + 1), "z,\n" * limit]
    write(path, [ScoredRun("q", "a", "h", ["P_5"], ids, [[0.5], [1.0], [None]])])
    assert te.read_scores(path)["query_id"].tolist() == ids
    assert csv.field_size_limit() == limit


def test_the_limit_of_the_csv_module_is_put_back_after_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(f"{HEADER}x\n")
    with pytest.raises(te.InputError):
        te.read_scores(tmp_path / "s.csv")
    assert csv.field_size_limit() == 131072


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        *[(f"s.{kind}", kind) for kind in KINDS],
        *[(f"s.{kind}{end}", kind) for kind in KINDS[:3] for end in (".gz", ".zst")],
        *[("scores", "csv"), ("S.TSV.GZ", "tsv"), ("a.b/scores", "csv"), ("a.b.csv", "csv")],
        *[("/dev/null", "csv"), ("-", "csv")],
    ],
)
def test_a_name_tells_the_kind(path: str, kind: str) -> None:
    assert reporting.kind_of(path) == kind


NO_KIND = {
    "other suffix": (
        "s.xlsx",
        "s.xlsx: saw suffix .xlsx, expected .csv, .tsv, .jsonl, .parquet, all but the last also "
        "with .gz or .zst. Rename the output.",
    ),
    "other compression": (
        "s.csv.bz2",
        "s.csv.bz2: saw suffix .bz2, expected .csv, .tsv, .jsonl, .parquet, all but the last also "
        "with .gz or .zst. Rename the output.",
    ),
    "Parquet, compressed": (
        "S.Parquet.gz",
        "S.Parquet.gz: Parquet is compressed inside. Write S.Parquet.",
    ),
}


@pytest.mark.parametrize(("path", "message"), NO_KIND.values(), ids=NO_KIND)
def test_a_name_that_tells_no_kind_is_refused(path: str, message: str) -> None:
    with pytest.raises(te.UsageError) as caught:
        reporting.kind_of(path)
    assert str(caught.value) == message


@pytest.mark.parametrize("suffix", [".csv.gz", ".csv.zst", ".parquet"])
def test_equal_scores_make_equal_bytes(tmp_path: Path, suffix: str) -> None:
    runs = [ScoredRun("q", "a", "h", ["P_5"], ["1"], [[0.5]])]
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    write(one, runs)
    write(other, runs)
    assert one.read_bytes() == other.read_bytes()


def test_gzip_holds_no_time_and_no_name(tmp_path: Path) -> None:
    """RFC 1952, 2.3: byte 3 are the flags (8: a name follows), bytes 4 to 7 the time."""
    write(tmp_path / "s.csv.gz", [ScoredRun("q", "a", "h", ["P_5"], ["1"], [[0.5]])])
    assert (tmp_path / "s.csv.gz").read_bytes()[3:8] == bytes(5)


def fail_halfway(path: Path, error: BaseException) -> None:
    with reporting.output(str(path)) as file:
        file.write(b"half")
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), te.InputError("x"), SystemExit(3)])
@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz", "s.csv.zst"])
def test_a_reader_never_sees_half_a_file(tmp_path: Path, name: str, error: BaseException) -> None:
    (tmp_path / name).write_text("before")
    with pytest.raises(type(error)):
        fail_halfway(tmp_path / name, error)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "before"


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    for mode in (0o600, 0o640, 0o666, 0o444):
        path = tmp_path / f"{mode}.csv"
        path.write_text("before")
        path.chmod(mode)
        write(path, [ScoredRun("q", "a", "h", ["P_5"], ["1"], [[0.5]])])
        assert path.read_text().startswith(HEADER)
        assert path.stat().st_mode & 0o7777 == mode


def test_two_outputs_in_one_folder_stay_apart(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    with reporting.output(str(one)) as file, reporting.output(str(other)) as another:
        file.write(b"one")
        another.write(b"other")
    assert (one.read_bytes(), other.read_bytes()) == (b"one", b"other")


@pytest.mark.parametrize("length", [254, 255])
def test_a_name_may_be_as_long_as_the_system_takes(tmp_path: Path, length: int) -> None:
    path = tmp_path / f"{'n' * (length - 4)}.csv"
    write(path, [ScoredRun("q", "a", "h", ["P_5"], ["1"], [[0.5]])])
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_what_the_system_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(te.OutputError) as caught, reporting.output(str(tmp_path / "no" / "s.csv")):
        pass
    assert str(caught.value) == (
        f"{tmp_path}/no/s.csv: cannot be written: No such file or directory. "
        "Make its folder, or choose another place."
    )


def mean(value: float, missing: int = 0, zeros: float = math.nan) -> Mean:
    return Mean(value, 3 - missing, missing, zeros)


NAN = math.nan
LABELS = ["num_q", "AP"]
FIRST = Means("q", "first", "h/9.0", LABELS, [mean(3), mean(0.25)])
GAPS = Means("q", "gaps", "h/9.0", LABELS, [mean(2, 1), mean(0.5, 1, 1 / 3)])
USUAL = ["num_q", "num_rel_ret", "map", "recip_rank", "P_10", "ndcg_cut_10", "recall_1000"]
MANY = [f"P_{k}" for k in range(1, 12)]
WIDE = Means("q", "first", "h/9.0", MANY, [mean(k / 100) for k in range(1, 12)])

TABLES: dict[str, tuple[list[Means], str]] = {
    "nothing": ([], ""),
    "one run": (
        [FIRST],
        """\
q: means over 3 queries, trec_eval 9.0 profile

run    num_q      AP
first      3  0.2500
""",
    ),
    "missing queries": (
        [FIRST, GAPS],
        """\
q: means over 3 queries, trec_eval 9.0 profile

run               num_q      AP
first                 3  0.2500
gaps (1 missing)      2  0.5000
  missing as 0           0.3333
""",
    ),
    "nothing but missing": (
        [Means("q", "none", "h/9.0", ["AP"], [Mean(NAN, 0, 3, 0.0)])],
        """\
q: means over 3 queries, trec_eval 9.0 profile

run                   AP
none (3 missing)
  missing as 0    0.0000
""",
    ),
    "profile and options": (
        [Means("q", "a", "h/10.0;answerable-only", ["AP"], [mean(1)])],
        """\
q: means over 3 queries, trec_eval 10.0 profile, answerable-only

run      AP
a    1.0000
""",
    ),
    "no protocol": (
        [Means("q", "a", "", ["AP"], [mean(1)])],
        """\
q: means over 3 queries, trec_eval of no stated version

run      AP
a    1.0000
""",
    ),
    "two qrels": (
        [FIRST, FIRST._replace(qrels="r", protocol="i/10.0")],
        """\
q: means over 3 queries, trec_eval 9.0 profile

run    num_q      AP
first      3  0.2500

r: means over 3 queries, trec_eval 10.0 profile

run    num_q      AP
first      3  0.2500
""",
    ),
    "other measures": (
        [FIRST, Means("q", "b", "h/9.0", ["RR"], [mean(1)])],
        """\
q: means over 3 queries, trec_eval 9.0 profile

run    num_q      AP      RR
first      3  0.2500
b                     1.0000
""",
    ),
    "more measures than columns": (
        [WIDE, WIDE._replace(run="b")],
        "q: means over 3 queries, trec_eval 9.0 profile\n\nmeasure   first       b\n"
        + "".join(f"{f'P_{k}':<7}  {k / 100:.4f}  {k / 100:.4f}\n" for k in range(1, 12)),
    ),
}


@pytest.mark.parametrize(("means", "expected"), TABLES.values(), ids=TABLES)
def test_a_table_is_plain_text_off_a_terminal(means: list[Means], expected: str) -> None:
    file = io.StringIO()
    reporting.show(means, file)
    assert file.getvalue() == expected


def test_a_table_in_markdown() -> None:
    file = io.StringIO()
    reporting.show_rows(["run", "a|b"], [["x|y", "1"], ["  z", ""]], "markdown", file)
    assert file.getvalue() == "| run | a\\|b |\n| --- | ---: |\n| x\\|y | 1 |\n| z |  |\n"


def test_means_in_markdown() -> None:
    file = io.StringIO()
    reporting.show([FIRST, GAPS], file, "markdown")
    assert file.getvalue() == (
        "q: means over 3 queries, trec_eval 9.0 profile\n\n"
        "| run | num_q | AP |\n| --- | ---: | ---: |\n| first | 3 | 0.2500 |\n"
        "| gaps (1 missing) | 2 | 0.5000 |\n| gaps, missing as 0 |  | 0.3333 |\n"
    )


def test_markdown_has_a_title_for_each_table() -> None:
    file = io.StringIO()
    reporting.show([FIRST, FIRST._replace(qrels="r", protocol="i/10.0")], file, "markdown")
    table = "| run | num_q | AP |\n| --- | ---: | ---: |\n| first | 3 | 0.2500 |\n"
    assert file.getvalue() == (
        f"q: means over 3 queries, trec_eval 9.0 profile\n\n{table}\n"
        f"r: means over 3 queries, trec_eval 10.0 profile\n\n{table}"
    )


def test_columns_of_text_stand_left() -> None:
    rows = [["map", "AP", "0.5"], ["P_5", "precision at 5", ""], ["x", "", "-1"]]
    file = io.StringIO()
    reporting.show_rows(["measure", "also", "value"], rows, "table", file)
    assert file.getvalue() == (
        "measure  also            value\n"
        "map      AP                0.5\n"
        "P_5      precision at 5\n"
        "x                           -1\n"
    )
    file = io.StringIO()
    reporting.show_rows(["measure", "also", "value"], rows, "markdown", file)
    assert file.getvalue().splitlines()[1] == "| --- | --- | ---: |"


def test_rows_as_csv_and_json() -> None:
    file = io.StringIO()
    reporting.show_rows(["run", "a,b"], [["x", "1"]], "csv", file)
    assert file.getvalue() == 'run,"a,b"\nx,1\n'
    file = io.StringIO()
    reporting.show_rows(["run", "é"], [["x", "1"]], "json", file)
    assert file.getvalue() == '[\n {\n  "run": "x",\n  "é": "1"\n }\n]\n'


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Means]], str]:
    """Show means on a terminal of 80 columns, and give what it shows, less its colours."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")

    def shown(means: list[Means]) -> str:
        file = Terminal()
        reporting.show(means, file)
        text = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
        return "\n".join(line.rstrip() for line in text.split("\n"))

    return shown


def test_a_table_on_a_terminal(terminal: Callable[[list[Means]], str]) -> None:
    assert terminal([FIRST, GAPS._replace(run="with gaps in it")]) == (
        "q: means over 3 queries, trec_eval 9.0 profile\n"
        "\n"
        "  run                           num_q       AP\n"
        " ──────────────────────────────────────────────\n"
        "  first                             3   0.2500\n"
        "  with gaps in it (1 missing)       2   0.5000\n"
        "    missing as 0                        0.3333\n"
        "\n"
    )


def test_the_title_of_a_narrow_table_is_one_line(terminal: Callable[[list[Means]], str]) -> None:
    assert "q: means over 3 queries, trec_eval 9.0 profile\n" in terminal([FIRST])


def wide_means(name: str) -> Means:
    return Means("q", name, "h/9.0", USUAL, [mean(k) for k in range(len(USUAL))])


@pytest.mark.parametrize("columns", [50, 60, 80, 100, 300])
def test_a_wide_table_is_shared_out_to_what_fits(
    terminal: Callable[[list[Means]], str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """Every measure once, below one title, and the run's name beside each part."""
    monkeypatch.setenv("COLUMNS", str(columns))
    title, *lines = terminal([wide_means("a-run")]).split("\n")
    assert title == "q: means over 3 queries, trec_eval 9.0 profile"
    assert max(map(len, lines)) <= columns
    headers = [line.split() for line in lines if line.startswith("  run ")]
    assert [name for header in headers for name in header[1:]] == USUAL
    assert [line.split()[0] for line in lines if line.startswith("  a-run ")] == (
        ["a-run"] * len(headers)
    )
    assert (len(headers) > 1) == (columns < 90)


@pytest.mark.parametrize("columns", range(60, 111, 10))
def test_no_name_is_folded_where_there_is_room(
    terminal: Callable[[list[Means]], str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    for extra in range(11):  # whatever the length, so that some just fit
        name = f"a-run-with-a-long-name{'-' * extra}"
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = terminal([wide_means(name)]).split("\n")
        headers = [line for line in lines if line.startswith("  run ")]
        assert len([line for line in lines if line.startswith(f"  {name} ")]) == len(headers)


def test_the_title_is_one_line_on_a_narrow_terminal(
    terminal: Callable[[list[Means]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert "q: means over 3 queries, trec_eval 9.0 profile\n" in terminal([FIRST])


def test_one_query_is_a_query() -> None:
    file = io.StringIO()
    reporting.show([Means("q", "a", "h/9.0", ["AP"], [Mean(1.0, 1, 0, 1.0)])], file)
    assert file.getvalue().startswith("q: means over 1 query, trec_eval 9.0 profile\n")


def test_names_are_no_markup_on_a_terminal(terminal: Callable[[list[Means]], str]) -> None:
    assert "[red]x[/red]" in terminal([FIRST._replace(run="[red]x[/red]")])


HEADLINES: dict[str, tuple[list[str], bool, list[str]]] = {
    "those asked for": (["ndcg", "P_7"], True, ["ndcg", "P_7"]),
    "ten of those asked for": (MANY, True, MANY[:10]),
    "the usual ones": (
        ["num_q", "num_ret", "num_rel_ret", "map", "Rprec", "recip_rank", "P_5", *USUAL[:3:-1]],
        False,
        USUAL,
    ),
    "whatever the settings": (["P_5(rel=2)", "P_10(rel=2)"], False, ["P_10(rel=2)"]),
}


@pytest.mark.parametrize(("labels", "chosen", "expected"), HEADLINES.values(), ids=HEADLINES)
def test_headline_measures(labels: list[str], chosen: bool, expected: list[str]) -> None:
    assert reporting.headline(labels, chosen) == expected


def test_means_of_a_run() -> None:
    run = ScoredRun("q", "a", "h", ["AP", "num_q"], ["1", "2"], [[0.5, 1.0], [None, None]])
    found = reporting.means_of(run, ["num_q", "AP"])
    assert found[:4] == ("q", "a", "h", ["num_q", "AP"])
    assert [one[:3] for one in found.means] == [(1.0, 1, 1), (0.5, 1, 1)]
    assert found.means[1].value_with_zeros == 0.25


def test_means_in_a_frame_are_those_of_the_runs() -> None:
    run = ScoredRun("q", "a", "h", ["AP", "RR"], ["1", "2"], [[0.5, 1.0], [None, None]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.csv")
        write(path, [run, run._replace(run="b")])
        table = te.summary(te.read_scores(path))
    expected = [reporting.means_of(run._replace(run=name), ["AP", "RR"]) for name in "ab"]
    assert reporting.means_in(table) == expected


FRAME = pd.DataFrame({"run": ["a", "b,c"], "value": [0.1, NAN], "queries": [3, 0]})
ROWS = {
    "csv": b'run,value,queries\na,0.1,3\n"b,c",,0\n',
    "tsv": b"run\tvalue\tqueries\na\t0.1\t3\nb,c\t\t0\n",
    "jsonl": b'{"run": "a", "value": 0.1, "queries": 3}\n'
    b'{"run": "b,c", "value": null, "queries": 0}\n',
    "json": b'[{"run": "a", "value": 0.1, "queries": 3},'
    b'{"run": "b,c", "value": null, "queries": 0}]\n',
}


@pytest.mark.parametrize(("kind", "expected"), ROWS.items())
def test_a_frame_is_written_with_nothing_for_nan(kind: str, expected: bytes) -> None:
    file = io.BytesIO()
    reporting.write_rows(FRAME, file, kind)
    assert file.getvalue() == expected


def test_a_frame_is_written_as_parquet() -> None:
    file = io.BytesIO()
    reporting.write_rows(FRAME, file, "parquet")
    assert parquet.read_table(io.BytesIO(file.getvalue())).num_rows == 2
