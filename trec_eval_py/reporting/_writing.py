"""Scores and other frames to files: CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from trec_eval_py.errors import OutputError, UsageError
from trec_eval_py.schemas import SCORES
from trec_eval_py.scoring import ScoredRun

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("csv", "tsv", "jsonl", "parquet")
_COMPRESSIONS = (".gz", ".zst")


def kind_of(path: str) -> str:
    """Give the kind of file that a name asks for.

    Raises
    ------
    UsageError
        On a suffix that means nothing here.
    """
    if not path:
        raise UsageError("-o: saw an empty file name, expected a path. Check the arguments.")
    if path == "-":
        return "csv"
    name = path.lower()
    bare = next((name.removesuffix(end) for end in _COMPRESSIONS if name.endswith(end)), name)
    kind = Path(bare).suffix.removeprefix(".")
    if kind == "parquet" and bare != name:
        raise UsageError(
            f"{path}: Parquet is compressed inside. Write {path[: -len(name) + len(bare)]}."
        )
    if kind in KINDS:
        return kind
    if not kind or not is_plain(path):
        return "csv"
    raise UsageError(
        f"{path}: saw suffix .{kind}, expected .{', .'.join(KINDS)}, all but the last also with "
        ".gz or .zst. Rename the output."
    )


@contextmanager
def output(path: str | None) -> Iterator[IO[bytes]]:
    """Open an output, so that a reader never sees half a file: it is renamed when it is whole.

    Parameters
    ----------
    path : str or None
        None and ``-`` are standard output; a suffix .gz, .bz2, .xz, .zst or .lz4 compresses; what
        exists and is no regular file (/dev/null, a pipe) is written directly.

    Raises
    ------
    OutputError
        With the system's words.
    """
    if path is None or path == "-":
        if sys.stdout is None:
            raise OutputError("standard output: is closed. Name a file with -o.")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        if not is_plain(path):
            with Path(path).open("ab") as raw, _compressed(raw, path) as file:
                yield file
            return
        target = Path(os.path.realpath(path))  # behind a link, the file is replaced, not the link
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(0, "Permission denied")
        number, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
        part = Path(name)
        try:
            with open(number, "wb") as raw:  # noqa: PTH123 - a file that is open already
                part.chmod(_mode(target))
                with _compressed(raw, path) as file:
                    yield file
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        if isinstance(error, OutputError | BrokenPipeError):
            raise
        fix = "Make its folder" if isinstance(error, FileNotFoundError) else "Free space"
        raise OutputError(
            f"{path}: cannot be written: {error.strerror or error}. {fix}, or choose another place."
        ) from None


def is_plain(path: str) -> bool:
    """Whether this is or will be a regular file of its own, that may be replaced."""
    # These lead to files that others write to as well.
    if re.fullmatch(r"/dev/(std(in|out|err)|fd/\d+)|/proc/[^/]+/fd/\d+", path):
        return False
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:
        return True


def _mode(target: Path) -> int:
    """Give the permissions of the file that is replaced, or those of any new file."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


@contextmanager
def _compressed(raw: IO[bytes], path: str) -> Iterator[IO[bytes]]:
    if path.lower().endswith(".gz"):
        import gzip

        # No name and no time inside, so that equal scores make equal bytes.
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            yield cast(IO[bytes], file)
    elif path.lower().endswith(".bz2"):
        import bz2

        with bz2.BZ2File(raw, "wb") as file:
            yield cast(IO[bytes], file)
    elif path.lower().endswith(".xz"):
        import lzma

        with lzma.LZMAFile(raw, "wb") as file:
            yield cast(IO[bytes], file)
    elif path.lower().endswith((".zst", ".lz4")):
        import pyarrow

        kind = "lz4" if path.lower().endswith(".lz4") else "zstd"
        with pyarrow.CompressedOutputStream(pyarrow.PythonFile(raw, "w"), kind) as file:
            yield cast(IO[bytes], file)
    else:
        yield raw


class ScoresWriter:
    """Writes scored runs one after the other; nothing at all before the first.

    Parameters
    ----------
    file : binary file
        Where to.
    kind : {"csv", "tsv", "jsonl", "parquet"}
        Of file.
    wide : bool
        Whether each measure is a column.
    """

    def __init__(self, file: IO[bytes], kind: str, wide: bool = False) -> None:
        self._file, self._kind, self._wide = file, kind, wide
        self._parquet: Any = None
        self._begun = False

    def add(self, scored: ScoredRun) -> None:
        """Write one run."""
        names = _wide_names(scored) if self._wide else list(SCORES.columns)
        if self._kind == "parquet":
            self._add_parquet(scored, names)
        elif self._kind == "jsonl":
            self._file.writelines(_json_lines(scored, names, self._wide))
        else:
            separator = "," if self._kind == "csv" else "\t"
            if not self._begun:
                self._file.write(_line(names, separator).encode())
            lines = _wide_lines if self._wide else _long_lines
            self._file.writelines(lines(scored, separator))
        self._begun = True

    def __enter__(self) -> ScoresWriter:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Finish the file; what is given up must not be written to later, when it is closed."""
        if self._parquet is not None:
            with suppress(Exception) if error else nullcontext():
                self._parquet.close()

    def _add_parquet(self, scored: ScoredRun, names: list[str]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        columns = zip(*_rows(scored, self._wide), strict=True)
        texts = {"qrels", "run", "query_id", "measure", "protocol"}
        table = pa.table(
            {
                name: pa.array(column, pa.string() if name in texts else pa.float64())
                for name, column in zip(names, columns, strict=True)
            }
        )
        if self._parquet is None:
            self._parquet = parquet.ParquetWriter(self._file, table.schema)
        self._parquet.write_table(table)


def _wide_names(scored: ScoredRun) -> list[str]:
    return ["qrels", "run", "query_id", "protocol", *scored.labels]


def _rows(scored: ScoredRun, wide: bool) -> Iterator[tuple[object, ...]]:
    qrels, run, protocol, labels, query_ids, rows = scored[:6]
    for query_id, row in zip(query_ids, rows, strict=True):
        if wide:
            yield (qrels, run, query_id, protocol, *row)
        else:
            for label, value in zip(labels, row, strict=True):
                yield qrels, run, query_id, label, value, protocol


def _long_lines(scored: ScoredRun, separator: str) -> Iterator[bytes]:
    """Write one query's rows at a time; a cell is quoted once, not once a row."""
    start = f"{_cell(scored.qrels, separator)}{separator}{_cell(scored.run, separator)}{separator}"
    end = f"{separator}{_cell(scored.protocol, separator)}\n"
    labels = [f"{separator}{_cell(label, separator)}{separator}" for label in scored.labels]
    for query_id, row in zip(scored.query_ids, scored.rows, strict=True):
        query = start + _cell(query_id, separator)
        yield "".join(
            [
                f"{query}{label}{'' if value is None else repr(value)}{end}"
                for label, value in zip(labels, row, strict=True)
            ]
        ).encode()


def _wide_lines(scored: ScoredRun, separator: str) -> Iterator[bytes]:
    for row in _rows(scored, wide=True):
        texts = ["" if cell is None else str(cell) for cell in row]
        yield _line(texts, separator).encode()


def _json_lines(scored: ScoredRun, names: list[str], wide: bool) -> Iterator[bytes]:
    import json

    for row in _rows(scored, wide):
        text = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
        yield f"{text}\n".encode()


def _line(cells: Sequence[str], separator: str) -> str:
    """Write a line of CSV by the rules of the csv module: minimal quotes, LF."""
    text = io.StringIO()
    # With CR in the line's end, the module quotes cells with a CR too: readers would split there.
    csv.writer(text, delimiter=separator, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"


@lru_cache(maxsize=1024)
def _cell(text: str, separator: str) -> str:
    return _line([text, ""], separator)[: -len(separator) - 1]


def write_rows(table: pd.DataFrame, file: IO[bytes], kind: str) -> None:
    """Write any frame as CSV, TSV, JSON, JSON lines or Parquet; NaN is empty, or null."""
    if kind == "parquet":
        table.to_parquet(file, index=False)
        return
    names = list(map(str, table.columns))
    columns = ([_finite(cell) for cell in table[name].tolist()] for name in table.columns)
    rows = zip(*columns, strict=True)
    if kind in ("json", "jsonl"):
        import json

        records = [dict(zip(names, row, strict=True)) for row in rows]
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        text = "\n".join(lines) if kind == "jsonl" else f"[{','.join(lines)}]"
        file.write(f"{text}\n".encode())
        return
    separator = "," if kind == "csv" else "\t"
    for cells in [names, *rows]:
        file.write(_line(["" if c is None else str(c) for c in cells], separator).encode())


def _finite(cell: object) -> object:
    return None if isinstance(cell, float) and math.isnan(cell) else cell
