"""Queries to JSON: objects by query, question files, and what rank_llm and MTEB write."""

from __future__ import annotations

import math
from json.encoder import encode_basestring as quoted

from trec_eval_py.converting import _lines
from trec_eval_py.converting._work import Work
from trec_eval_py.reading import LONGEST_ANSWER, QrelsLine, Query, RunLine, shown

# A first object with these keys is told as another format.
_RESERVED = (b"mteb_model_meta", b"query_id")


def scores(query: Query[RunLine], work: Work) -> str:
    """Write a member: query_id to docno to score."""
    query_id, docnos = _of_run(query, work)
    if work.target == "json":
        _refuse_reserved(query, work)
    pairs = zip(docnos, query.lines, strict=True)
    members = ", ".join(f"{quoted(docno)}: {line.score!r}" for docno, line in pairs)
    return _short(f"{quoted(query_id)}: {{{members}}}", query, work)


def candidates(query: Query[RunLine], work: Work) -> str:
    """Write a line of rank_llm's."""
    query_id, docnos = _of_run(query, work)
    pairs = zip(docnos, query.lines, strict=True)
    listed = ", ".join(
        f'{{"docid": {quoted(docno)}, "score": {line.score!r}, "doc": {{}}}}'
        for docno, line in pairs
    )
    text = work.json(query.others.get("text", ""), query)
    head = f'{{"query": {{"text": {text}, "qid": {quoted(query_id)}}}'
    return _short(f'{head}, "candidates": [{listed}]}}', query, work)


def grades(query: Query[QrelsLine], work: Work) -> str:
    """Write a member: query_id to docno to grade."""
    query_id, docnos = work.texts(query)
    _lines.lose_of_qrels(query, work)
    _refuse_reserved(query, work)
    return _short(f"{quoted(query_id)}: {_graded(query, docnos)}", query, work)


def questions(query: Query[QrelsLine], work: Work) -> str:
    """Write a line of a question file; its documents as a list where all grades are 1."""
    query_id, docnos = work.texts(query)
    _lines.lose_of_qrels(query, work)
    relevant = _graded(query, docnos)
    if all(line.relevance == 1 for line in query.lines):
        relevant = f"[{', '.join(map(quoted, docnos))}]"
    beside = "".join(
        f", {quoted_key}: {work.json(value, query)}"
        for quoted_key, value in ((work.json(key), value) for key, value in query.others.items())
    )
    return _short(
        f'{{"query_id": {quoted(query_id)}, "relevant": {relevant}{beside}}}', query, work
    )


def _graded(query: Query[QrelsLine], docnos: list[str]) -> str:
    pairs = zip(docnos, query.lines, strict=True)
    return f"{{{', '.join(f'{quoted(docno)}: {line.relevance}' for docno, line in pairs)}}}"


def _of_run(query: Query[RunLine], work: Work) -> tuple[str, list[str]]:
    """Give ids as text; note what JSON does not hold of a run, and refuse what it cannot."""
    for line in query.lines:
        if math.isinf(line.score):
            saw = (
                f"score {line.score} (query {shown(query.query_id)}, document {shown(line.docno)})"
            )
            fix = "Mend it, or convert to trec or parquet."
            work.refuse(line.line, saw, "a finite score: JSON has no infinity", fix)
    query_id, docnos = work.texts(query)
    ranks = [b""] * len(docnos)
    if any(line.rank for line in query.lines):
        ranks = work.ranks(query.lines, docnos)  # as they will follow from what is written
    _lines.lose_of_run(query, work, ranks)
    return query_id, docnos


def _refuse_reserved(query: Query[RunLine] | Query[QrelsLine], work: Work) -> None:
    by_name = query.query_id == b"query" and any(line.docno == b"qid" for line in query.lines)
    if query.query_id in _RESERVED or by_name:
        saw = f"query {shown(query.query_id)}{' with a document qid' * by_name}"
        expected = "no id that marks another format of JSON"
        work.refuse(query.line, saw, expected, "Rename it, or choose another target.")


def _short(text: str, query: Query[RunLine] | Query[QrelsLine], work: Work) -> str:
    if len(text) > LONGEST_ANSWER:
        saw = f"{len(text) >> 20} MB of JSON for query {shown(query.query_id)}"
        expected = f"at most {LONGEST_ANSWER >> 20} MB a query, which is what is read back"
        work.refuse(query.line, saw, expected, "Choose parquet or a format of lines.")
    return text
