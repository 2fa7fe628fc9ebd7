"""Runs and judgments from one format to another, a query at a time."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from trec_eval_py import reading, reporting
from trec_eval_py.converting._choice import FORMATS, Choice, choose
from trec_eval_py.converting._work import AnyQuery, Work
from trec_eval_py.converting._writers import ParquetWriter, TextWriter
from trec_eval_py.errors import ReadError
from trec_eval_py.reading import Notes, Query, Source

__all__ = ["FORMATS", "Converted", "convert"]


class Converted(NamedTuple):
    """What was converted."""

    kind: str
    """run, qrels or groups (judgments by group)."""
    read_as: str
    written_as: str
    queries: int
    lines: int
    """Documents of a run, or judgments."""


class _Apart(Exception):
    """A query is seen again after another one, and the target must have it in one place."""


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    to: str | None = None,
    from_format: str = "auto",
) -> Converted:
    """Convert a run or judgments to another format.

    What the target has no place for is dropped, and said in a warning each; what it would mangle is
    refused. Memory is bounded by one query, except where a query's lines stand apart and the target
    must have them in one place.

    Parameters
    ----------
    source, target : path
        ``-`` is standard input, and standard output. A suffix .gz, .bz2, .xz, .zst or .lz4 of the
        target compresses it. A target that exists is replaced when the whole is written.
    to : str, optional
        Of runs: trec, msmarco, json, rank_llm, mteb (mteb:SUBSET/SPLIT) or parquet. Of judgments:
        qrels, beir, json, jsonl, parquet or letor. Of judgments by group: qrels_jg, prefs,
        qrels_prefs or subtopics. By default, the suffix of the target tells.
    from_format : str
        One of the same; by default, the content tells. Judgments by group must be named.

    Returns
    -------
    Converted
        What was read and written.

    Raises
    ------
    UsageError
        Where there is no such file or format, the target is open, or the two are not of one kind.
    ReadError
        At ``file:line``, on what cannot be read, and on what the target cannot hold: an id with a
        blank in lines, an infinite score in JSON; on a document that stands twice in a query.
    OutputError
        Where the target cannot be written.

    Warns
    -----
    TrecEvalWarning
        On each kind of thing that is dropped.
    """
    opened, path = Source(source), os.fspath(target)
    choice = choose(opened, path, to, from_format)
    try:
        return _convert(opened, path, choice, apart=False)
    except _Apart:
        return _convert(opened, path, choice, apart=True)


def _convert(source: Source, path: str, choice: Choice, apart: bool) -> Converted:
    notes = Notes()
    work = Work(source, choice, notes)
    queries = _queries(source, notes, choice)
    with _whole(path) as file:
        make = ParquetWriter if choice.target == "parquet" else TextWriter
        writer = make(file, work)
        try:
            _write(_gathered(queries, notes) if apart else queries, writer, work)
        except BaseException:
            writer.close()
            raise
    notes.warn(work.name)
    work.say()
    return Converted(choice.kind, notes.format, choice.target, work.queries, work.lines)


def _queries(source: Source, notes: Notes, choice: Choice) -> Iterator[AnyQuery]:
    if choice.kind == "run":
        return reading.run_queries(source, notes, choice.source)
    if choice.kind == "qrels":
        return reading.qrels_queries(source, notes, choice.source)
    return reading.group_queries(source, notes, choice.source)


def _write(queries: Iterator[AnyQuery], writer: TextWriter | ParquetWriter, work: Work) -> None:
    seen: set[bytes] = set()
    for query in queries:
        again = query.query_id in seen
        if again and (writer.together or work.must_hold):
            raise _Apart
        seen.add(query.query_id)
        _lose_others(query, work)
        if not query.lines and not writer.empty:
            work.lose("empty", query.query_id)
            continue
        work.refuse_twice(query)
        writer.add(query)
        work.queries += not again
        work.lines += len(query.lines)
    if not work.lines and (work.choice.kind != "run" or not work.queries):
        saw = "no document" if work.choice.kind == "run" else "no judgment"
        fix = "Check what wrote the file."
        raise ReadError(work.source.name, None, saw, "at least one", fix, "file-empty")
    writer.end()


def _lose_others(query: AnyQuery, work: Work) -> None:
    """Note what a source says of a query, where the target has no place for it."""
    if work.choice.kind == "run" and work.target != "rank_llm" and query.others.get("text"):
        work.lose("texts", str(query.others["text"]))
    if work.choice.kind == "qrels" and work.target != "jsonl" and query.others:
        work.lose("attributes", next(iter(query.others)), len(query.others))


def _gathered(queries: Iterator[AnyQuery], notes: Notes) -> Iterator[AnyQuery]:
    """Hold all, and give each query once, in the order of first sight."""
    held: dict[bytes, AnyQuery] = {}
    again: set[bytes] = set()
    for query in queries:
        if query.query_id in held:
            held[query.query_id].lines.extend(query.lines)
            again.add(query.query_id)
        else:
            held[query.query_id] = Query(query.line, query.query_id, query.lines, query.others)
    notes.interleaved = len(again)
    yield from held.values()


@contextmanager
def _whole(path: str) -> Iterator[IO[bytes]]:
    """Open an output that gets nothing before all is written, be it a pipe or a terminal."""
    if path != "-" and reporting.is_plain(path):
        with reporting.output(path) as file:
            yield file
        return
    with tempfile.TemporaryFile(prefix="trec_eval_py-") as spool:
        yield spool
        spool.seek(0)
        with reporting.output(path) as file:
            shutil.copyfileobj(spool, file)
