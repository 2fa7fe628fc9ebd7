"""Runs and qrels as tables: DataFrames and Parquet, whose columns have one of their usual names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from trec_eval_py.errors import InputError, ReadError
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source
from trec_eval_py.reading._values import (
    Held,
    Place,
    Unusable,
    grade,
    identifier,
    score,
    shown,
)

if TYPE_CHECKING:
    import pandas as pd

# Columns by the names that this package, PyTerrier, ir_datasets, ir_measures, ranx, BEIR and
# data sets on the Hugging Face hub give them; the first that is there counts.
QUERY = ("query_id", "qid", "q_id", "query-id")
DOCNO = ("docno", "doc_id", "docid", "corpus-id", "corpus_id", "pid")
SCORE = ("score",)
RANK = ("rank",)
# What a row may hold beside: text, or an integer.
RUN_OTHERS = ("rank", "tag", "iteration")
QRELS_OTHERS = ("iteration",)
RELEVANCE = ("relevance", "label", "rel", "grade", "score")

BATCH = 1 << 16


class Row(NamedTuple):
    """A document of a run, or a judgment, as it stands in a table."""

    number: int
    """Counted from 1, in a file; from 0, as pandas counts, in a frame."""
    query_id: object
    docno: object
    value: object
    others: Sequence[object] = ()
    """Of ``RUN_OTHERS`` or ``QRELS_OTHERS``, in a file; None where there is no such column."""


def is_frame(data: object) -> bool:
    """Whether this is a pandas DataFrame, without importing pandas."""
    return any(
        one.__name__ == "DataFrame" and one.__module__.partition(".")[0] == "pandas"
        for one in type(data).__mro__
    )


def run(data: object, name: str, notes: Notes) -> dict[bytes, dict[bytes, float]]:
    """Read a run from a frame, by ``score`` or, where there is none, in the order of ``rank``."""
    table: pd.DataFrame = data  # type: ignore[assignment]
    for column in ("run", "system"):
        once = list(table.columns).count(column) == 1
        if once and len(set(map(str, table[column].dropna()))) > 1:
            raise InputError(
                f"{name}: saw several systems in column {column}, expected one run. Pass "
                f"dict(list(frame.groupby({column!r}))) as runs."
            )
    names = list(table.columns)
    by_rank = _by_rank(names)
    columns = columns_of(names, name, (QUERY, DOCNO, RANK if by_rank else SCORE))
    rows = _rows(table, columns)
    held = Held(score, notes)
    for row in _ranked(rows, name, in_file=False) if by_rank else rows:
        held.add(Place(name, row.number), row.query_id, row.docno, row.value)
    return held.queries


def qrels(data: object, name: str, notes: Notes) -> dict[bytes, dict[bytes, int]]:
    """Read judgments from a frame."""
    table: pd.DataFrame = data  # type: ignore[assignment]
    columns = columns_of(list(table.columns), name, (QUERY, DOCNO, RELEVANCE))
    held = Held(grade, notes)
    for row in _rows(table, columns):
        held.add(Place(name, row.number), row.query_id, row.docno, row.value)
    return held.queries


def read_run(source: Source, notes: Notes) -> dict[bytes, dict[bytes, float]]:
    """Read a run from a Parquet file, as ``run`` does from a frame.

    Raises
    ------
    ReadError
        Where a column is missing, a row cannot be used (with its number, from 1), the file holds
        no row or is damaged.
    """
    held = Held(score, notes)
    for row in run_rows(source):
        held.add(Place(source.name, row.number, in_file=True), *row[1:4])
    return held.queries


def read_qrels(source: Source, notes: Notes) -> dict[bytes, dict[bytes, int]]:
    """Read judgments from a Parquet file, as ``qrels`` does from a frame."""
    held = Held(grade, notes)
    for row in qrels_rows(source):
        held.add(Place(source.name, row.number, in_file=True), *row[1:4])
    return held.queries


def run_rows(source: Source, notes: Notes | None = None) -> Iterator[Row]:
    """Yield the rows of a run; without scores, ranks must rise from 0 or 1 in each query.

    Columns that are passed over go to ``notes``.
    """
    with _opened(source) as file:
        names = file.schema_arrow.names
        by_rank = _by_rank(names)
        wanted = (QUERY, DOCNO, RANK if by_rank else SCORE)
        columns = columns_of(names, source.name, wanted, in_file=True)
        rows = _batches(file, columns, RUN_OTHERS, notes)
        yield from _ranked(rows, source.name, in_file=True) if by_rank else rows


def _by_rank(names: Sequence[object]) -> bool:
    """Whether ranks have to stand in for scores."""
    return "score" not in names and "rank" in names


def _ranked(rows: Iterable[Row], name: str, in_file: bool) -> Iterator[Row]:
    """Turn ranks, which rise from 0 or 1 in each query, to scores."""
    above: dict[bytes, tuple[int, int]] = {}
    for row in rows:
        rank, place = row.value, Place(name, row.number, in_file)
        try:
            query_id = identifier(row.query_id)
            last, count = above.get(query_id, (-1, 0))
            if not isinstance(rank, int) or rank <= last or (not count and rank > 1):
                saw = f"rank {shown(rank)} without a score"
                expected = f"a rank above {last}" if count else "a rank of 0 or 1, or a score"
                fix = "List each query's documents in order, or add a column score."
                raise Unusable(saw, expected, fix, "rank-not-rising")
        except Unusable as error:
            where = "query" if error.args[3] == "id-not-text" else f"query {shown(row.query_id)}"
            where = where if in_file else f"row {row.number}, {where}"
            raise place.fault(error, where) from None
        above[query_id] = rank, count + 1
        yield row._replace(value=-1 - count)


def qrels_rows(source: Source, notes: Notes | None = None) -> Iterator[Row]:
    """Yield the rows of judgments; columns that are passed over go to ``notes``."""
    with _opened(source) as file:
        names = file.schema_arrow.names
        columns = columns_of(names, source.name, (QUERY, DOCNO, RELEVANCE), in_file=True)
        yield from _batches(file, columns, QRELS_OTHERS, notes)


def beside(value: object) -> bytes:
    """Read a cell beside ids and values: text or an integer; empty where it is neither."""
    if isinstance(value, float) and value.is_integer():  # as pandas writes integers with gaps
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    return value.encode() if isinstance(value, str) else b""


def holds(source: Source) -> str:
    """Say what a Parquet file holds, by its columns: run, qrels or scores."""
    import pyarrow.types

    with _opened(source) as file:
        schema = file.schema_arrow
        if {"run", "measure", "value"} <= set(schema.names):
            return "scores"
        if any(name in schema.names for name in RELEVANCE if name != "score"):
            return "qrels"
        # As BEIR's and MTEB's are on the hub: the score of query-id and corpus-id is an integer.
        whole = "score" in schema.names and pyarrow.types.is_integer(schema.field("score").type)
        return "qrels" if whole else "run"


def columns_of(
    names: Sequence[object], name: str, wanted: tuple[tuple[str, ...], ...], in_file: bool = False
) -> list[str]:
    """Find the columns that are wanted, each by one of its usual names.

    Raises
    ------
    InputError
        Where one is missing, or stands twice.
    """
    columns = []
    for aliases in wanted:
        found = next((alias for alias in aliases if alias in names), None)
        fault = None
        if found is None:
            shown_names = ", ".join(map(str, names))
            fault = f"columns {shown_names}", f"{' or '.join(aliases)} among them", "Rename yours."
        elif list(names).count(found) > 1:
            fault = f"column {found} twice", "once", "Drop one."
        if found is None or fault is not None:
            saw, expected, fix = fault or ("", "", "")
            raise Place(name, None, in_file).fault(Unusable(saw, expected, fix, "columns"))
        columns.append(found)
    return columns


def _rows(table: pd.DataFrame, columns: list[str]) -> Iterator[Row]:
    """Yield the wanted columns of a frame, row by row, as Python objects."""
    values = [table[column].tolist() for column in columns]
    for number, row in enumerate(zip(*values, strict=True)):
        yield Row(number, *row)


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """Open a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(source.path) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        said = " ".join(str(error).split())[:200]
        raise ReadError(
            source.name,
            None,
            f"a Parquet file that is damaged ({said})",
            "a whole one",
            "Fetch or write the file again.",
            "parquet-damaged",
        ) from None


def _batches(
    file: Any,  # noqa: ANN401 - pyarrow has no types
    columns: list[str],
    others: Sequence[str],
    notes: Notes | None,
) -> Iterator[Row]:
    number, names = 0, file.schema_arrow.names
    there: list[str] = []
    if notes is not None:
        there = [name for name in others if names.count(name) == 1 and name not in columns]
        # A rank that makes the scores is read already.
        notes.unread.update((n, None) for n in names if n not in (*columns, *there))
    wanted = list(dict.fromkeys([*columns, *there]))
    for batch in file.iter_batches(BATCH, columns=wanted):
        values: Iterable[tuple[object, ...]] = zip(
            *(batch.column(column).to_pylist() for column in columns), strict=True
        )
        beside: Iterable[tuple[object, ...]] = zip(
            *(
                batch.column(name).to_pylist()
                if name in (*columns, *there)
                else repeat(None, batch.num_rows)
                for name in others
            ),
            strict=True,
        )
        for number, (row, rest) in enumerate(zip(values, beside, strict=True), number + 1):  # noqa: B020
            yield Row(number, row[0], row[1], row[2], rest)
