"""Runs and judgments a query at a time, with all that a file says of each, for `convert`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from trec_eval_py.reading._formats import (
    qrels_format_of,
    qrels_records,
    run_format_of,
    run_records,
)
from trec_eval_py.reading._groups import GroupLine, group_lines
from trec_eval_py.reading._judgments import QrelsLine
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._runs import RunLine
from trec_eval_py.reading._sources import Source
from trec_eval_py.reading._values import (
    Place,
    Unusable,
    brief,
    grade,
    identifier,
    score,
    values_of,
)

if TYPE_CHECKING:
    from trec_eval_py.reading._json import Answer

L = TypeVar("L", RunLine, QrelsLine, GroupLine)
V = TypeVar("V", int, float)


class Query(NamedTuple, Generic[L]):
    """What a file says of one query in one place."""

    line: int
    query_id: bytes
    lines: list[L]
    """None where a query is answered with nothing, or nothing is judged (JSON)."""
    others: dict[str, object]
    """What a question file says beside, by name; the query's ``text`` in rank_llm's files."""


def run_queries(source: Source, notes: Notes, wanted: str = "auto") -> Iterator[Query[RunLine]]:
    """Yield the queries of a run of any format, in the order of the file, holding one.

    A query whose lines stand apart comes several times, and a document may stand twice.

    Raises
    ------
    ReadError
        At the first line that cannot be used; in JSON, at a query that stands twice.
    """
    format, _, part = run_format_of(source, wanted).partition(":")
    if format not in ("json", "rank_llm", "mteb"):
        yield from _adjacent(run_records(source, notes, wanted))
        return
    from trec_eval_py.reading import _json  # and json itself, which text spares

    notes.format = f"{format} ({part})" if part else format
    answers = _json.run_answers(source, notes, format, part)  # type: ignore[arg-type]
    yield from _answered(source, answers, score, RunLine)


def qrels_queries(source: Source, notes: Notes, wanted: str = "auto") -> Iterator[Query[QrelsLine]]:
    """Yield the queries of judgments of one grade a document, as ``run_queries`` does."""
    format = qrels_format_of(source, wanted)
    if format not in ("json", "jsonl"):
        yield from _adjacent(qrels_records(source, notes, wanted))
        return
    from trec_eval_py.reading import _json  # and json itself, which text spares

    notes.format = format
    answers = _json.qrels_answers(source, notes, format)  # type: ignore[arg-type]
    for query in _answered(source, answers, grade, QrelsLine):
        notes.topics.clear()  # they go with their queries
        yield query


def group_queries(source: Source, notes: Notes, form: str) -> Iterator[Query[GroupLine]]:
    """Yield the queries of judgments by group, as ``run_queries`` does."""
    notes.format = form
    yield from _adjacent(group_lines(source, notes, form))


def _adjacent(lines: Iterable[L]) -> Iterator[Query[L]]:
    for query_id, some in groupby(lines, key=lambda line: line.query_id):
        held = list(some)
        yield Query(held[0].line, query_id, held, {})


def _answered(
    source: Source,
    answers: Iterable[Answer],
    read: Callable[[object], V],
    make: Callable[[int, bytes, bytes, V], L],
) -> Iterator[Query[L]]:
    seen: set[bytes] = set()
    for answer in answers:
        place = Place(source.name, answer.line, in_file=True)
        try:
            query_id = identifier(answer.query_id)
        except Unusable as error:
            raise place.fault(error, "query") from None
        if query_id in seen:
            again = f"query {brief(answer.query_id)} again"
            raise place.fault(Unusable(again, "each once", "Join the two.", "query-twice"))
        seen.add(query_id)
        lines = [
            make(
                answer.line,
                *values_of(source, answer.line, answer.query_id, docno, value, read),
            )
            for docno, value in answer.documents
        ]
        yield Query(answer.line, query_id, lines, answer.others)
