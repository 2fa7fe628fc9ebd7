"""Runs and qrels that are in memory already: dicts, lists, sets and DataFrames."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

from trec_eval_py.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

V = TypeVar("V")
# Where a fault is, worked out only where there is one.
Place = Callable[[], str]

# Columns by the names that this package, PyTerrier, ir_datasets, ir_measures and ranx give them.
_QUERY = ("query_id", "qid", "q_id")
_DOCNO = ("docno", "doc_id", "docid")
_SCORE = ("score",)
_RELEVANCE = ("relevance", "label", "rel")


def is_frame(data: object) -> bool:
    """Whether this is a pandas DataFrame, without importing pandas."""
    return any(
        one.__name__ == "DataFrame" and one.__module__.partition(".")[0] == "pandas"
        for one in type(data).__mro__
    )


def run(data: object, name: str) -> dict[bytes, dict[bytes, float]]:
    """Read a run in memory.

    Parameters
    ----------
    data : mapping or DataFrame
        query_id to docno to score, or query_id to a ranked list of docnos; or a frame with columns
        query_id, docno and score under one of their usual names.
    name : str
        What errors call it.

    Returns
    -------
    dict
        query_id to docno to score; a ranked list of n documents has scores n to 1.

    Raises
    ------
    InputError
        Naming the query and the document where an id or a score cannot be used.
    """
    if is_frame(data):
        _refuse_several(data, name)
        return _grouped(_rows(data, name, (_QUERY, _DOCNO, _SCORE)), name, _score)
    queries: dict[bytes, dict[bytes, float]] = {}
    for query_id, documents in _queries(data, name):
        place = f"{name}: query {query_id.decode('utf-8', 'backslashreplace')!r}"
        if isinstance(documents, Mapping):
            queries[query_id] = _documents(documents.items(), place, _score)
        elif isinstance(documents, Sequence) and not isinstance(documents, str | bytes):
            count = len(documents)
            pairs = [(docno, count - i) for i, docno in enumerate(documents)]
            queries[query_id] = _documents(pairs, place, _score)
        else:
            raise InputError(
                f"{place}: saw {_shown(documents)}, expected docno to score, or a ranked list"
                f"{' (a set has no order)' * isinstance(documents, AbstractSet)}. Pass a dict or a "
                "list."
            )
    return queries


def qrels(data: object, name: str) -> dict[bytes, dict[bytes, int]]:
    """Read qrels in memory.

    Parameters
    ----------
    data : mapping or DataFrame
        query_id to docno to grade, or query_id to a set or list of relevant docnos (grade 1); or a
        frame with columns query_id, docno and relevance under one of their usual names.
    name : str
        What errors call it.

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
    if is_frame(data):
        judged = _grouped(_rows(data, name, (_QUERY, _DOCNO, _RELEVANCE)), name, _grade)
    else:
        judged = {}
        for query_id, documents in _queries(data, name):
            place = f"{name}: query {query_id.decode('utf-8', 'backslashreplace')!r}"
            if isinstance(documents, Mapping):
                judged[query_id] = _documents(documents.items(), place, _grade)
            elif isinstance(documents, AbstractSet | Sequence) and not isinstance(
                documents, str | bytes
            ):
                judged[query_id] = _documents([(d, 1) for d in documents], place, _grade)
                if isinstance(documents, AbstractSet):  # which has no order of its own
                    judged[query_id] = dict(sorted(judged[query_id].items()))
            else:
                raise InputError(
                    f"{place}: saw {_shown(documents)}, expected docno to grade, or the relevant "
                    "documents. Pass a dict, a set or a list."
                )
    judged = {query_id: documents for query_id, documents in judged.items() if documents}
    if not judged:
        raise InputError(f"{name}: saw no judgment, expected at least one. Check what made it.")
    return judged


def identifier(value: object, place: Place) -> bytes:
    """Read an id: text or bytes as they are, an integer as its decimal digits; nothing else."""
    if isinstance(value, str):
        try:
            value = value.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{place()}: saw id {value!r}, which is no valid Unicode (a lone surrogate), "
                "expected text. Decode it rightly, or pass bytes."
            ) from None
    elif isinstance(value, Integral) and not isinstance(value, bool):
        with suppress(ValueError):  # Python writes no integer of more than 4,300 digits
            value = b"%d" % int(value)
    if not isinstance(value, bytes):
        raise InputError(
            f"{place()}: saw id {_shown(value)}, expected text. Convert it with str()."
        )
    if not value or b"\0" in value:
        saw = "an empty id" if not value else f"id {value!r} with a NUL"
        raise InputError(f"{place()}: saw {saw}, expected text. Name it, or drop it.")
    return value


def _queries(data: object, name: str) -> Iterator[tuple[bytes, Any]]:
    if not isinstance(data, Mapping):
        raise InputError(
            f"{name}: saw {_shown(data)}, expected a path, a dict by query_id, or a DataFrame. "
            "An iterator or an open file is not read: it would be empty the second time."
        )
    seen: set[bytes] = set()
    for key, documents in data.items():
        query_id = identifier(key, partial(_at, f"{name}: query ", key))
        if query_id in seen:
            raise InputError(
                f"{name}: saw query {key!r} twice (as text and number), expected once."
            )
        seen.add(query_id)
        yield query_id, documents


def _documents(
    pairs: Iterable[tuple[object, object]], place: str, read: Callable[[object, Place], V]
) -> dict[bytes, V]:
    documents: dict[bytes, V] = {}
    for key, value in pairs:
        here = partial(_at, f"{place}, document ", key)
        docno = identifier(key, here)
        if docno in documents:
            raise InputError(
                f"{place}: saw document {_shown(key)} twice, expected once. Keep the best one."
            )
        documents[docno] = read(value, here)
    return documents


def _at(place: str, one: object) -> str:
    return f"{place}{_shown(one)}"


def _score(value: object, place: Place) -> float:
    """Convert a score, or refuse what is no number or has no place in an order."""
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            score = float(value)
        except OverflowError:
            raise InputError(
                f"{place()}: saw a score beyond the range of a double ({type(value).__name__}), "
                "expected a number within it."
            ) from None
        if not math.isnan(score):
            return score
    raise InputError(f"{place()}: saw score {_shown(value)}, expected a number that is not NaN.")


def _grade(value: object, place: Place) -> int:
    """Convert a grade: an integer, or a float that is one, within 64 bits."""
    if isinstance(value, Real) and not isinstance(value, bool):
        if isinstance(value, Integral):
            grade = int(value)
        else:
            grade = 2**63
            with suppress(OverflowError):
                number = float(value)
                grade = int(number) if number.is_integer() else grade
        if -(2**63) <= grade < 2**63:
            return grade
    raise InputError(
        f"{place()}: saw grade {_shown(value)}, expected an integer of at most 64 bits. A fraction "
        "is never rounded here."
    )


def _shown(value: object) -> str:
    """Show a value with its type, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python writes
        text = "a number of thousands of digits"
    return f"{text[:60]}{'…' * (len(text) > 60)} ({type(value).__name__})"


def _refuse_several(data: object, name: str) -> None:
    """Refuse a frame that holds several systems: scored as one run, they would mix."""
    table: pd.DataFrame = data  # type: ignore[assignment]
    for column in ("run", "system"):
        once = list(table.columns).count(column) == 1
        if once and len(set(map(str, table[column].dropna()))) > 1:
            raise InputError(
                f"{name}: saw several systems in column {column}, expected one run. Pass "
                f"dict(list(frame.groupby({column!r}))) as runs."
            )


def _rows(
    data: object, name: str, wanted: tuple[tuple[str, ...], ...]
) -> Iterator[tuple[object, object, object]]:
    """Yield the wanted columns of a frame, row by row, as Python objects."""
    table: pd.DataFrame = data  # type: ignore[assignment]
    columns = []
    for names in wanted:
        found = next((column for column in names if column in table.columns), None)
        if found is None:
            raise InputError(
                f"{name}: saw columns {', '.join(map(str, table.columns))}, expected "
                f"{' or '.join(names)} among them. Rename yours."
            )
        if list(table.columns).count(found) > 1:
            raise InputError(f"{name}: saw column {found} twice, expected once. Drop one.")
        columns.append(table[found].tolist())
    yield from zip(*columns, strict=True)


def _grouped(
    rows: Iterator[tuple[object, object, object]], name: str, read: Callable[[object, Place], V]
) -> dict[bytes, dict[bytes, V]]:
    queries: dict[bytes, dict[bytes, V]] = {}
    for row, (key, document, value) in enumerate(rows):
        query_id = identifier(key, partial("{}: row {}, query".format, name, row))
        docno = identifier(document, partial("{}: row {}, document".format, name, row))
        documents = queries.setdefault(query_id, {})
        if docno in documents:
            raise InputError(
                f"{name}: row {row}: saw document {_shown(document)} twice for query {_shown(key)},"
                " expected once. Keep the best one."
            )
        documents[docno] = read(value, partial(_at_row, name, row, key, document))
    return queries


def _at_row(name: str, row: int, key: object, document: object) -> str:
    return f"{name}: row {row}, query {_shown(key)}, document {_shown(document)}"
