"""Runs and qrels that are in memory already: dicts, lists and sets; frames go to ``_tables``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from trec_eval_py.errors import InputError
from trec_eval_py.reading import _tables
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._values import (
    Held,
    Pairs,
    Place,
    Unusable,
    brief,
    grade,
    identifier,
    score,
    shown,
)


def run(data: object, name: str, notes: Notes) -> dict[bytes, dict[bytes, float]]:
    """Read a run in memory.

    Parameters
    ----------
    data : mapping or DataFrame
        query_id to docno to score, or query_id to a ranked list of docnos; or a frame with columns
        query_id, docno and score under one of their usual names.
    name : str
        What errors call it.
    notes : Notes
        Says what becomes of a document that stands twice.

    Returns
    -------
    dict
        query_id to docno to score; a ranked list of n documents has scores n to 1.

    Raises
    ------
    InputError
        Naming the query and the document where an id or a score cannot be used.
    """
    if _tables.is_frame(data):
        return _tables.run(data, name, notes)
    held = Held(score, notes)
    for query_id, documents in _queries(data, name):
        answer = ranked(documents)
        if answer is None:
            raise InputError(
                f"{name}: query {brief(query_id)}: saw {shown(documents)}, expected docno to "
                f"score, or a ranked list{' (a set has no order)' * _is_set(documents)}. Pass a "
                "dict or a list."
            )
        held.add_query(Place(name), query_id, answer)
    return held.queries


def qrels(data: object, name: str, notes: Notes) -> dict[bytes, dict[bytes, int]]:
    """Read qrels in memory.

    Parameters
    ----------
    data : mapping or DataFrame
        query_id to docno to grade, or query_id to a set or list of relevant docnos (grade 1); or a
        frame with columns query_id, docno and relevance under one of their usual names.
    name : str
        What errors call it.
    notes : Notes
        Says what becomes of a document that stands twice.

    Returns
    -------
    dict
        query_id to docno to grade; a query without a judgment is left out.

    Raises
    ------
    InputError
        Naming the query and the document where an id or a grade cannot be used; where nothing is
        judged at all.
    """
    if _tables.is_frame(data):
        judged = _tables.qrels(data, name, notes)
    else:
        held = Held(grade, notes)
        for query_id, documents in _queries(data, name):
            answer = labelled(documents)
            if answer is None:
                raise InputError(
                    f"{name}: query {brief(query_id)}: saw {shown(documents)}, expected docno to "
                    "grade, or the relevant documents. Pass a dict, a set or a list."
                )
            held.add_query(Place(name), query_id, answer)
            if _is_set(documents):  # which has no order of its own
                held.queries[query_id] = dict(sorted(held.queries[query_id].items()))
        judged = held.queries
    judged = {query_id: documents for query_id, documents in judged.items() if documents}
    if not judged:
        raise InputError(f"{name}: saw no judgment, expected at least one. Check what made it.")
    return judged


def ranked(documents: object) -> Pairs | None:
    """Give documents with scores: those of a mapping, or n to 1 for a list of n; else None."""
    if isinstance(documents, Mapping):
        return documents.items()
    if isinstance(documents, Sequence) and not isinstance(documents, str | bytes):
        count = len(documents)
        return [(docno, count - i) for i, docno in enumerate(documents)]
    return None


def labelled(documents: object) -> Pairs | None:
    """Give documents with grades: those of a mapping, or 1 for each that is listed; else None."""
    if isinstance(documents, Mapping):
        return documents.items()
    if isinstance(documents, AbstractSet | Sequence) and not isinstance(documents, str | bytes):
        return [(docno, 1) for docno in documents]
    return None


def _is_set(documents: object) -> bool:
    return isinstance(documents, AbstractSet)


def _queries(data: object, name: str) -> Iterator[tuple[bytes, Any]]:
    if not isinstance(data, Mapping):
        raise InputError(
            f"{name}: saw {shown(data)}, expected a path, a dict by query_id, or a DataFrame. "
            "An iterator or an open file is not read: it would be empty the second time."
        )
    seen: set[bytes] = set()
    for key, documents in data.items():
        try:
            query_id = identifier(key)
        except Unusable as error:
            raise Place(name).fault(error, f"query {shown(key)}") from None
        if query_id in seen:
            raise InputError(
                f"{name}: saw query {key!r} twice (as text and number), expected once. Keep one."
            )
        seen.add(query_id)
        yield query_id, documents
