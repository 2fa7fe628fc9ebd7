"""Scores to the lines that trec_eval prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from trec_eval_py.aggregating import addend, average
from trec_eval_py.distributing import Evaluation, Intake
from trec_eval_py.errors import NoCommonQueryError
from trec_eval_py.measures import Asked
from trec_eval_py.reading import Notes, Source, load_judgments, name_of
from trec_eval_py.scoring import ScoredRun
from trec_eval_py.twin._arguments import Call
from trec_eval_py.twin._z_scores import ZScores


class _Query(NamedTuple):
    """One query that counts: what is added up of its values, and its texts."""

    query_id: bytes
    values: Sequence[float]
    texts: Sequence[str]


def evaluate(call: Call) -> bytes:
    """Score the run, and give the lines to print.

    Raises
    ------
    NoCommonQueryError
        Where no query is in both files, without ``-c``.
    TrecEvalError
        Where a file is missing or refused.
    """
    form = "auto" if call.format == "qrels" else call.format
    notes = Notes(call.duplicates)
    judgments = load_judgments(Source(call.qrels), call.qrels, form, call.options.profile, notes)
    evaluation = Evaluation(
        judgments,
        call.qrels,
        [one for one in call.asked if not one.measure.text],
        call.options.profile,
        complete=call.complete,
        intake=Intake(duplicates=call.duplicates),
        texts=[one for one in call.asked if one.measure.text],
        drop_in=True,
    )
    scored = evaluation.score(Source(call.run), call.run)
    z_scores = None if call.z_scores is None else ZScores(Source(call.z_scores))
    queries = list(_counted(call, evaluation, scored, z_scores))
    if call.only is not None and not queries:
        raise NoCommonQueryError(
            f"-D: saw query {call.only.decode(errors='replace')!r}, expected one that is in both "
            f"{call.qrels} and {call.run}. Check its id."
        )
    if z_scores is not None:
        z_scores.warn()
    lines: list[bytes] = []
    for query in queries if call.queries else ():
        lines += _query_lines(call, query)
    if call.summary:
        tag = scored.tag or name_of(call.run).encode()
        lines += _summary_lines(call, queries, judgments.pool, tag)
    return b"".join(lines)


def _counted(
    call: Call, evaluation: Evaluation, scored: ScoredRun, z_scores: ZScores | None
) -> Iterator[_Query]:
    """Yield the queries that are printed and added up, in byte order.

    With ``-c``, 9.0 counts the queries that the run lacks in its averages only; 10.0 has values for
    them.
    """
    with_missing = call.complete and call.options.profile == "10.0"
    rows = zip(evaluation.queries, scored.rows, scored.texts, scored.answered, strict=True)
    for query_id, row, texts, answered in rows:
        if not (answered or with_missing) or call.only not in (None, query_id):
            continue
        values = []
        for one, value in zip(evaluation.asked, row, strict=True):
            added = addend(one.measure.averaging, value or 0.0)
            if z_scores is not None and one.measure.summary != "queries":
                added = z_scores.of(query_id, one.label, added)
            values.append(added)
        yield _Query(query_id, values, texts)


def _query_lines(call: Call, query: _Query) -> Iterator[bytes]:
    """Yield the lines of one query."""
    values, texts = iter(query.values), iter(query.texts)
    for one in call.asked:
        text = f"'{next(texts)}'" if one.measure.text else _shown(call, one, next(values))
        if one.measure.lines != "summary":
            yield _line(call, one, query.query_id, text.encode())


def _summary_lines(
    call: Call,
    queries: Sequence[_Query],
    pool: Mapping[bytes, Mapping[bytes, int]],
    tag: bytes,
) -> Iterator[bytes]:
    """Yield the lines of the summary.

    Parameters
    ----------
    call : Call
        What was asked.
    queries : sequence of _Query
        What is added up.
    pool : mapping
        query_id to docno to grade: with ``-c``, means are over all its queries.
    tag : bytes
        Of the run.
    """
    total = len(pool) if call.complete else len(queries)
    place = 0
    for one in call.asked:
        if one.measure.text:
            text = tag
        else:
            values = (query.values[place] for query in queries)
            value = average(one.measure.averaging, values, total)
            if one.measure.summary == "queries":
                value = float(total)
            elif one.measure.summary == "judgments" and call.complete:
                # Whatever -l says: m_num_rel.c, and tables that were published with it.
                value = float(sum(grade > 0 for one in pool.values() for grade in one.values()))
            text = _shown(call, one, value).encode()
            place += 1
        if one.measure.lines != "queries":
            yield _line(call, one, b"all", text)


def _shown(call: Call, one: Asked, value: float) -> str:
    """Write a value: counts are whole, but for z-scores."""
    if one.measure.averaging == "sum" and call.z_scores is None:
        return str(int(value))
    return f"{value:6.4f}"


def _line(call: Call, one: Asked, query_id: bytes, text: bytes) -> bytes:
    z = "" if call.z_scores is None or one.measure.text else "Z"
    return b"%b\t%b\t%b\n" % (f"{z}{one.label:<22}".encode(), query_id, text)
