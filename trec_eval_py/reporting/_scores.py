"""Tidy scores from files: CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import io
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trec_eval_py.errors import InputError, ReadError, warn
from trec_eval_py.reading import Source, any_length, json_object, number
from trec_eval_py.reporting._writing import KINDS
from trec_eval_py.schemas import SCORES, check, frame

if TYPE_CHECKING:
    import pandas as pd

_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
_MEND = "Mend or drop the row."


class _Table(NamedTuple):
    """A file's cells, with the line that each row stands on."""

    names: list[str]
    lines: list[int]
    rows: list[list[Any]]


def read_scores(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read tidy scores, ours or anybody's.

    Parameters
    ----------
    path : path
        CSV, TSV, JSON lines or Parquet by suffix (CSV otherwise), plain or compressed; ``-`` is
        standard input.

    Returns
    -------
    DataFrame
        Columns qrels, run, query_id, measure, value (NaN where empty: a missing query), protocol.
        Ids stay text: ``001``, ``NA``, ``1e5`` are what they were. A file without a column protocol
        gets an empty one.

    Raises
    ------
    InputError
        On other columns, a value that is no number, a repeated key, or no row at all; ReadError
        names the line.
    UsageError
        Where there is no such file.

    Warns
    -----
    TrecEvalWarning
        Where the protocol is absent.
    """
    source = Source(path)
    kind = _kind_of(source.name)
    names, lines, rows = _parquet(source) if kind == "parquet" else _text(source, kind)
    missing = [name for name in SCORES.columns if name not in names and name != "protocol"]
    if missing or len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ReadError(
            source.name,
            1,
            f"columns {', '.join(names) or 'none'}",
            ",".join(SCORES.columns),
            f"Name each column once: {', '.join(twice)}."
            if twice
            else f"Add {', '.join(missing)}: a row for each value, as score writes without --wide.",
        )
    if not rows:
        raise ReadError(source.name, None, "no row of scores", "at least one", "Score a run first.")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    if "protocol" not in columns:
        warn(f"{source.name}: no protocol column; nothing says what its numbers are comparable to")
        columns["protocol"] = [""] * len(rows)
    for name in SCORES.columns:
        read = _value if name == "value" else _text_cell
        columns[name] = [
            read(source.name, line, name, cell)
            for line, cell in zip(lines, columns[name], strict=True)
        ]
    table = frame(SCORES, {name: columns[name] for name in SCORES.columns})
    try:
        check(table, SCORES)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None
    return table


def _kind_of(path: str) -> str:
    """Give the kind of file that a name speaks of; CSV where it does not."""
    name = path.lower()
    bare = next((name.removesuffix(end) for end in _COMPRESSIONS if name.endswith(end)), name)
    kind = Path(bare).suffix.removeprefix(".")
    return kind if kind in KINDS else "csv"


def _value(name: str, line: int, column: str, cell: object) -> float:
    if cell is None or cell == "":
        return math.nan
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        value: float | None = math.inf
        with suppress(OverflowError):
            value = float(cell)
    else:
        value = number(cell) if isinstance(cell, str) else None
    if value is None or math.isinf(value):
        raise ReadError(
            name,
            line,
            f"value {cell!r}",
            "a number, or nothing where the query is missing",
            _MEND,
        )
    return value


def _text_cell(name: str, line: int, column: str, cell: object) -> str:
    if not isinstance(cell, str):
        raise ReadError(name, line, f"{column} {cell!r}", "text", _MEND)
    return cell


def _parquet(source: Source) -> _Table:
    from pyarrow import ArrowException, parquet

    try:
        with Path(source.path).open("rb") as file:
            table = parquet.read_table(file)
    except ArrowException as error:
        said = str(error).splitlines()[0]
        raise ReadError(
            source.name, None, said, "a Parquet file", "Write it again, or name it .csv."
        ) from None
    rows = [list(row) for row in zip(*(c.to_pylist() for c in table.columns), strict=True)]
    return _Table(list(table.column_names), list(range(1, len(rows) + 1)), rows)


def _text(source: Source, kind: str) -> _Table:
    with source.open() as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
        try:
            return _json_lines(source, file) if kind == "jsonl" else _csv(source, file, kind)
        except UnicodeDecodeError as error:
            raise ReadError(
                source.name, None, str(error), f"{kind} in UTF-8", "Write the file again."
            ) from None


def _csv(source: Source, file: io.TextIOWrapper, kind: str) -> _Table:
    import csv

    with any_length():
        reader = csv.reader(file, delimiter="," if kind == "csv" else "\t", strict=True)
        table, line = _Table([], [], []), 1
        try:
            for row in reader:
                if not table.names:
                    table.names.extend(row)
                elif len(row) != len(table.names):
                    expected = f"{len(table.names)}, as in the header"
                    raise ReadError(source.name, line, f"{len(row)} cells", expected, _MEND)
                else:
                    table.lines.append(line)
                    table.rows.append(row)
                line = reader.line_num + 1  # a cell may hold line ends
        except csv.Error as error:
            raise ReadError(source.name, line, str(error), kind, _MEND) from None
    return table


def _json_lines(source: Source, file: io.TextIOWrapper) -> _Table:
    names: list[str] = []
    table = _Table(names, [], [])
    for line, text in enumerate(file, 1):
        if not text.strip():
            continue
        try:
            record = json_object(text)
        except (ValueError, RecursionError) as error:
            raise ReadError(source.name, line, str(error), "a JSON object", _MEND) from None
        if not isinstance(record, dict):
            raise ReadError(source.name, line, text.strip()[:60], "a JSON object", _MEND)
        names.extend(name for name in record if not table.rows)
        if set(record) != set(names):
            differ = sorted(set(names) ^ set(record))
            raise ReadError(
                source.name, line, f"other keys ({', '.join(differ)})", ", ".join(names), _MEND
            )
        table.lines.append(line)
        table.rows.append([record[name] for name in names])
    return table
