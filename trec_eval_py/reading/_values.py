"""Python values, from memory, JSON or Parquet, to runs and qrels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from numbers import Integral, Real
from typing import Generic, NamedTuple, TypeVar

from trec_eval_py.errors import InputError, ReadError
from trec_eval_py.reading._lines import quoted
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source

V = TypeVar("V", int, float)

Pairs = Iterable[tuple[object, object]]


class Unusable(Exception):
    """A value that cannot be used; whoever read it knows where it stands."""

    def __init__(self, saw: str, expected: str, fix: str, code: str) -> None:
        super().__init__(saw, expected, fix, code)


class Place(NamedTuple):
    """Where a value stands: in an argument, or on a line of a file."""

    name: str
    line: int | None = None
    in_file: bool = False

    def fault(self, error: Unusable, where: str = "") -> InputError:
        """Make the error that a caller gets; ``where`` says more than name and line do."""
        saw, expected, fix, code = error.args
        if self.in_file:
            saw = f"{saw} ({where})" if where else saw
            return ReadError(self.name, self.line, saw, expected, fix, code)
        where = f"{self.name}: {where}" if where else self.name
        return InputError(f"{where}: saw {saw}, expected {expected}. {fix}")


class Held(Generic[V]):
    """What has been read of a run, or of judgments: query_id to docno to value.

    Parameters
    ----------
    read : callable
        ``score`` or ``grade``.
    notes : Notes
        Says what becomes of a document that stands twice, and of faults.
    """

    def __init__(self, read: Callable[[object], V], notes: Notes) -> None:
        self._read: Callable[[object], V] = read
        self._notes = notes
        self.queries: dict[bytes, dict[bytes, V]] = {}

    def add_query(self, place: Place, query_id: object, documents: Pairs, where: str = "") -> None:
        """Add all documents of a query, which must not be there yet."""
        here = where or f"query {brief(query_id)}"
        try:
            key = identifier(query_id)
            if key in self.queries:
                raise Unusable(
                    f"query {brief(query_id)} again", "each once", "Join the two.", "query-twice"
                )
        except Unusable as error:
            self._notes.refuse(place.fault(error, "" if error.args[3] == "query-twice" else here))
            return
        self.queries[key] = {}
        for docno, value in documents:
            self._add(place, key, docno, value, here)

    def add(self, place: Place, query_id: object, docno: object, value: object) -> None:
        """Add one document."""
        where = f"row {place.line}, " if not place.in_file else ""
        try:
            key = identifier(query_id)
        except Unusable as error:
            self._notes.refuse(place.fault(error, f"{where}query"))
            return
        self._add(place, key, docno, value, f"{where}query {shown(query_id)}")

    def _add(self, place: Place, query_id: bytes, key: object, value: object, where: str) -> None:
        try:
            docno = identifier(key)
            documents = self.queries.setdefault(query_id, {})
            read = self._read(value)
            if docno not in documents:
                documents[docno] = read
                return
            kept = self._notes.kept
            if kept == "refuse":
                raise Unusable(
                    f"document {shown(key)} twice",
                    "once",
                    "Keep the best one, or choose duplicates best or first.",
                    "document-twice",
                )
            self._notes.duplicates += 1
            if kept == "best":
                documents[docno] = max(documents[docno], read)
        except Unusable as error:
            if error.args[3] != "document-twice":  # which names it
                where += f", document {shown(key)}"
            self._notes.refuse(place.fault(error, where))


def values_of(
    source: Source,
    line: int,
    query_id: object,
    docno: object,
    value: object,
    read: Callable[[object], V],
) -> tuple[bytes, bytes, V]:
    """Read a query_id, a docno and a score or grade that a file holds.

    Raises
    ------
    ReadError
        Where one of them cannot be used.
    """
    place = Place(source.name, line, in_file=True)
    where = "query"
    try:
        key = identifier(query_id)
        where = f"query {brief(query_id)}, document {shown(docno)}"
        return key, identifier(docno), read(value)
    except Unusable as error:
        raise place.fault(error, where) from None


def identifier(value: object) -> bytes:
    """Read an id: text or bytes as they are, an integer as its decimal digits; nothing else."""
    if isinstance(value, str):
        try:
            value = value.encode()
        except UnicodeEncodeError:
            raise Unusable(
                f"id {value!r}, which is no valid Unicode (a lone surrogate)",
                "text",
                "Decode it rightly, or pass bytes.",
                "id-not-text",
            ) from None
    elif isinstance(value, Integral) and not isinstance(value, bool):
        with suppress(ValueError):  # Python writes no integer of more than 4,300 digits
            value = b"%d" % int(value)
    if not isinstance(value, bytes):
        raise Unusable(f"id {shown(value)}", "text", "Convert it with str().", "id-not-text")
    if not value or b"\0" in value:
        saw = "an empty id" if not value else f"id {value!r} with a NUL"
        raise Unusable(saw, "text", "Name it, or drop it.", "id-not-text")
    return value


def score(value: object) -> float:
    """Convert a score, or refuse what is no number or has no place in an order."""
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            raise Unusable(
                f"a score beyond the range of a double ({type(value).__name__})",
                "a number within it",
                "Scale the scores.",
                "score-not-a-number",
            ) from None
        if not math.isnan(number):
            return number
    raise Unusable(
        f"score {shown(value)}",
        "a number that is not NaN",
        "Mend what made it, or drop the document.",
        "score-not-a-number",
    )


def grade(value: object) -> int:
    """Convert a grade: an integer, or a float that is one, within 64 bits."""
    if isinstance(value, Real) and not isinstance(value, bool):
        if isinstance(value, Integral):
            number = int(value)
        else:
            number = 2**63
            with suppress(OverflowError):
                real = float(value)
                number = int(real) if real.is_integer() else number
        if -(2**63) <= number < 2**63:
            return number
    raise Unusable(
        f"grade {shown(value)}",
        "an integer of at most 64 bits",
        "A fraction is never rounded here.",
        "grade-not-an-integer",
    )


def shown(value: object) -> str:
    """Show a value with its type, cut where it is long."""
    # A JSON object is held as a list of its members.
    kind = "dict" if type(value).__name__ == "Members" else type(value).__name__
    return f"{_cut(value)} ({kind})"


def brief(value: object) -> str:
    """Show an id as it will stand in the output; what is none, with its type."""
    if isinstance(value, bytes):
        return quoted(value)
    return _cut(value) if isinstance(value, str) else shown(value)


def _cut(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python writes
        text = "a number of thousands of digits"
    except RecursionError:
        text = "what is nested too deep"
    return f"{text[:60]}{'…' * (len(text) > 60)}"
