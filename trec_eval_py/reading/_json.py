"""JSON: dicts by query, question files, and the outputs of rank_llm and MTEB.

Text is decoded a value at a time, so that no more than one query is held beside what is kept.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Literal, NamedTuple, NoReturn

from trec_eval_py.errors import ReadError
from trec_eval_py.reading import _lines
from trec_eval_py.reading._memory import labelled, ranked
from trec_eval_py.reading._plain import CHUNK, Notes
from trec_eval_py.reading._sources import Source
from trec_eval_py.reading._values import Held, Pairs, Place, Unusable, brief, grade, score, shown

Kind = Literal["json", "jsonl", "rank_llm", "mteb"]

LONGEST = _lines.LONGEST_ANSWER
# How many members of the first object may be looked at, to tell what a file is.
_ENOUGH = 16
_DEEPEST = 100
_META = "mteb_model_meta"
_CANDIDATES = '{"query": {"qid": ...}, "candidates": [{"docid": ..., "score": ...}]}'
_LABELS = '{"query_id": ..., "relevant": [...]}'


class Members(list[tuple[str, object]]):
    """An object as it was written: its members in order, a repeated key as often as it stood."""

    def __repr__(self) -> str:
        return repr(dict(self))

    def get(self, wanted: str) -> object:
        """Give the last member of this name; None where there is none."""
        return next((value for key, value in reversed(self) if key == wanted), None)

    def again(self) -> str | None:
        """Give the first key that stands twice; None where each stands once."""
        if len(dict(self)) == len(self):
            return None
        keys = [key for key, _ in self]
        return next(key for key in keys if keys.count(key) > 1)


class Answer(NamedTuple):
    """What a file says of one query."""

    line: int
    query_id: object
    documents: Pairs
    """docno and score, or docno and grade."""
    others: dict[str, object]
    """What else stands there of the query, by name."""
    by_docno: bool = True
    """Whether documents had values of their own, rather than places in a list."""


class Text:
    """The text of a JSON file, of which a part is held.

    Attributes
    ----------
    line : int
        Of what is read next, from 1.
    """

    def __init__(self, file: BinaryIO, name: str, notes: Notes) -> None:
        self._file, self._name, self._notes = file, name, notes
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._held, self._at, self._ended = "", 0, False
        self.line = 1
        self._odd = 0  # numbers out of range, in the value that is tried
        self._value = json.JSONDecoder(
            object_pairs_hook=Members, parse_float=self._float
        ).raw_decode

    def peek(self) -> str:
        """Give the next character that is no white space; nothing at the end."""
        while True:
            rest = self._held[self._at : self._at + 4096]
            blank = len(rest) - len(rest.lstrip(" \t\r\n"))
            self._move(self._at + blank)
            if self._at < len(self._held):
                return self._held[self._at]
            if self._ended:
                return ""
            self._more()

    def take(self, character: str, expected: str) -> None:
        """Pass over a character that must come next."""
        if self.peek() != character:
            self._refuse_next(expected)
        self._move(self._at + 1)

    def value(self) -> object:
        """Decode the next value, whole."""
        if not self.peek():
            self._refuse_next("a JSON value")
        while True:
            self._odd = 0
            try:
                value, end = self._value(self._held, self._at)
                # A number may go on with a fraction, or with an exponent of three characters.
                if end + 2 < len(self._held) or self._ended:
                    self._notes.out_of_range += self._odd
                    self._move(end)
                    return value
            except RecursionError:
                self.refuse("JSON that is nested too deep", "a query's documents")
            except json.JSONDecodeError as error:
                # Only what the text ends in may turn out right with more of it.
                inside = error.pos < len(self._held) - 16 and not error.msg.startswith("Unterm")
                if self._ended or inside:
                    self._move(error.pos)
                    self.refuse(f"no JSON ({error.msg[:1].lower()}{error.msg[1:]})", "JSON")
            except ValueError:  # an integer of more digits than Python reads
                self.refuse("an integer of thousands of digits", "a number within 64 bits")
            if len(self._held) - self._at > LONGEST:
                self.refuse(f"a value of more than {LONGEST >> 20} MB", "one query at a time")
            self._more()

    def members(self) -> Iterator[str]:
        """Yield each key of the next object; whoever asks reads the value, before the next key."""
        self.take("{", "a JSON object")
        if self.peek() == "}":
            self._move(self._at + 1)
            return
        while True:
            if self.peek() != '"':
                self._refuse_next("a key in double quotes")
            key = str(self.value())
            self.take(":", "a colon after the key")
            yield key
            if self.peek() == ",":
                self._move(self._at + 1)
                continue
            self.take("}", "a comma or a closing brace")
            return

    def elements(self) -> Iterator[None]:
        """Yield before each element of the next list, which whoever asks reads."""
        self.take("[", "a JSON list")
        if self.peek() == "]":
            self._move(self._at + 1)
            return
        while True:
            yield
            if self.peek() == ",":
                self._move(self._at + 1)
                continue
            self.take("]", "a comma or a closing bracket")
            return

    def refuse(self, saw: str, expected: str, fix: str = "Mend what wrote the file.") -> NoReturn:
        """Refuse the file at the line that is read."""
        raise ReadError(self._name, self.line, saw, expected, fix, "json")

    def end(self) -> None:
        """Refuse what comes after the whole."""
        if self.peek():
            self._refuse_next("the end of the file")

    def _refuse_next(self, expected: str) -> NoReturn:
        following = self._held[self._at : self._at + 20].split("\n")[0]
        self.refuse(brief(following) if following else "the end of the file", expected)

    def _move(self, to: int) -> None:
        self.line += self._held.count("\n", self._at, to)
        self._at = to

    def _more(self) -> None:
        """Hold more text, twice as much each time, so that a long value is not tried too often."""
        data = self._file.read(max(CHUNK, len(self._held) - self._at))
        try:
            text = self._decode(data, final=not data)
        except UnicodeDecodeError:
            self.refuse("bytes that are no UTF-8", "JSON, which is UTF-8", "Convert the file.")
        self._ended = not data
        self._held, self._at = self._held[self._at :] + text, 0

    def _float(self, text: str) -> float:
        value = float(text)
        if value in (0.0, float("inf"), float("-inf")):
            self._odd += _lines.out_of_range(text.encode(), value)
        return value


@contextmanager
def opened(source: Source, notes: Notes) -> Iterator[Text]:
    """Open a JSON file."""
    with source.open() as file:
        yield Text(file, source.name, notes)


def kind_of(source: Source) -> Kind:
    """Tell what a JSON file is, by its first object: only as far as it takes to tell.

    Raises
    ------
    ReadError
        Where it is no JSON, or JSON of no known kind.
    """
    with opened(source, Notes()) as text:
        if text.peek() == "[":
            return "rank_llm"
        keys, scalar = set(), False
        for seen, key in enumerate(text.members()):
            if key == _META:
                return "mteb"
            value = text.value()
            if key == "query" and isinstance(value, Members) and value.get("qid") is not None:
                return "rank_llm"
            if key == "candidates" and _is_list_of_objects(value):
                return "rank_llm"
            if key == "query_id" and not isinstance(value, list):  # else a query of that name
                return "jsonl"
            if seen == _ENOUGH:
                return "json"
            keys.add(key)
            scalar = scalar or not isinstance(value, list)
        # One object for all queries; or a question without its query_id, or the first of several.
        question = "relevant" in keys and (scalar or source.name.lower().endswith(".jsonl"))
        return "jsonl" if question or text.peek() == "{" else "json"


def _is_list_of_objects(value: object) -> bool:
    plain = isinstance(value, list) and not isinstance(value, Members)
    return plain and bool(value) and isinstance(value[0], Members)  # type: ignore[index]


def parts_of(source: Source) -> list[str]:
    """List the parts of MTEB's predictions, as SUBSET/SPLIT."""
    parts = []
    with opened(source, Notes()) as text:
        for part in _parts(text, Notes()):
            parts.append(part)
            _pass_over(text)
    return parts


def read_run(
    source: Source, notes: Notes, kind: Kind, part: str = ""
) -> dict[bytes, dict[bytes, float]]:
    """Read a run.

    Parameters
    ----------
    source : Source
        Of JSON.
    notes : Notes
        Where to count what is worth a warning.
    kind : {"json", "rank_llm", "mteb"}
        query_id to docno to score, or to a ranked list; what rank_llm writes; or MTEB.
    part : str
        Which part of MTEB's predictions, as SUBSET/SPLIT; needed where there are several.

    Raises
    ------
    ReadError
        At the line where a query or document begins that cannot be used, or where there is none.
    """
    held = Held(score, notes)
    for answer in run_answers(source, notes, kind, part):
        place = Place(source.name, answer.line, in_file=True)
        held.add_query(place, answer.query_id, answer.documents)
    return held.queries


def read_qrels(source: Source, notes: Notes, kind: Kind) -> dict[bytes, dict[bytes, int]]:
    """Read judgments: by query_id, docno to grade or relevant docnos (json), or questions (jsonl).

    What else a question holds goes to ``notes.topics``; questions without a document are counted.
    """
    held = Held(grade, notes)
    for answer in qrels_answers(source, notes, kind):
        place = Place(source.name, answer.line, in_file=True)
        held.add_query(place, answer.query_id, answer.documents)
    notes.unlabelled = sum(not documents for documents in held.queries.values())
    return {query_id: documents for query_id, documents in held.queries.items() if documents}


def run_answers(source: Source, notes: Notes, kind: Kind, part: str = "") -> Iterator[Answer]:
    """Yield what a run says of each query, in the order of the file."""
    with opened(source, notes) as text:
        if kind == "rank_llm":
            yield from _candidates(text, source, notes)
        elif kind == "mteb":
            yield from _predictions(text, source, notes, part)
        else:
            yield from _by_query(text, source, notes, grades=False)
            text.end()


def qrels_answers(source: Source, notes: Notes, kind: Kind) -> Iterator[Answer]:
    """Yield what judgments say of each query, in the order of the file."""
    with opened(source, notes) as text:
        if kind == "jsonl":
            for answer in _questions(text, source, notes):
                if answer.others:
                    notes.topics[str(answer.query_id)] = answer.others
                yield answer
        else:
            yield from _by_query(text, source, notes, grades=True)
            text.end()


def _by_query(text: Text, source: Source, notes: Notes, grades: bool) -> Iterator[Answer]:
    for query_id in text.members():
        line, value = text.line, text.value()
        documents = _pairs(value, grades)
        if documents is not None:
            yield Answer(line, query_id, documents, {}, isinstance(value, Members))
            continue
        expected = "docno to score, or a ranked list"
        if grades:
            expected = "docno to grade, or the relevant documents"
        error = Unusable(brief_value(value), expected, "Mend what wrote the file.", "json")
        place = Place(source.name, line, in_file=True)
        notes.refuse(place.fault(error, f"query {brief(query_id)}"))


def _pairs(value: object, grades: bool) -> Pairs | None:
    """Give documents with scores or grades; None where it is neither an object nor a list."""
    if isinstance(value, Members):
        return value
    return labelled(value) if grades else ranked(value)


def _questions(text: Text, source: Source, notes: Notes) -> Iterator[Answer]:
    while text.peek():
        line, value = text.line, text.value()
        place = Place(source.name, line, in_file=True)
        query_id = value.get("query_id") if isinstance(value, Members) else None
        documents = None
        if isinstance(value, Members) and query_id is not None:
            documents = _pairs(value.get("relevant"), grades=True)
        if documents is None or not isinstance(value, Members):
            fix = "Name the query, and its relevant documents as a list or by grade."
            error = Unusable(brief_value(value), f"a line {_LABELS}", fix, "json")
            notes.refuse(place.fault(error))
            continue
        if _refused_twice(value, place, notes):
            continue
        try:
            others = {key: plain(v) for key, v in value if key not in ("query_id", "relevant")}
        except RecursionError:
            text.refuse("JSON that is nested too deep", "what is said of a query")
        yield Answer(line, query_id, documents, others)


def _refused_twice(value: Members, place: Place, notes: Notes) -> bool:
    """Refuse an object with a key that stands twice: which value counts is anybody's guess."""
    again = value.again()
    if again is not None:
        error = Unusable(f"key {brief(again)} twice", "each key once", "Keep one.", "json")
        notes.refuse(place.fault(error))
    return again is not None


def _candidates(text: Text, source: Source, notes: Notes) -> Iterator[Answer]:
    if text.peek() == "[":
        for _ in text.elements():
            yield from _candidate(text, source, notes)
        text.end()
        return
    while text.peek():
        yield from _candidate(text, source, notes)


def _candidate(text: Text, source: Source, notes: Notes) -> Iterator[Answer]:
    line, value = text.line, text.value()
    query = value.get("query") if isinstance(value, Members) else None
    found = value.get("candidates") if isinstance(value, Members) else None
    query_id = query.get("qid") if isinstance(query, Members) else None
    whole = isinstance(found, list) and all(isinstance(one, Members) for one in found)
    place = Place(source.name, line, in_file=True)
    if query_id is None or not isinstance(found, list) or not whole:
        fix = "Mend what wrote the file."
        notes.refuse(place.fault(Unusable(brief_value(value), _CANDIDATES, fix, "json")))
        return
    if any(_refused_twice(one, place, notes) for one in (value, query, *found)):
        return
    documents = [(one.get("docid"), one.get("score")) for one in found]
    query_text = query.get("text") if isinstance(query, Members) else None
    for members, known in (
        (value, ("query", "candidates")),
        (query, ("qid", "text")),
        *((one, ("docid", "score")) for one in found),
    ):
        notes.unread.update((key, None) for key, held in members if key not in known and held)
    yield Answer(line, query_id, documents, {} if query_text is None else {"text": query_text})


def _predictions(text: Text, source: Source, notes: Notes, wanted: str) -> Iterator[Answer]:
    several = [] if wanted else parts_of(source)
    if len(several) > 1:
        raise ReadError(
            source.name,
            None,
            f"{len(several)} parts ({', '.join(several[:5])})",
            "one",
            f"Choose one: --run-format mteb:{several[0]}",
            "mteb-parts",
        )
    found = False
    for part in _parts(text, notes):
        if wanted in ("", part):
            found = True
            yield from _by_query(text, source, notes, grades=False)
        else:
            _pass_over(text)
    if wanted and not found:
        known = ", ".join(parts_of(source)) or "none"
        raise ReadError(
            source.name, None, f"parts {known}", wanted, "Name one of them.", "mteb-parts"
        )


def _parts(text: Text, notes: Notes) -> Iterator[str]:
    """Yield SUBSET/SPLIT of each part; whoever asks reads its queries."""
    for subset in text.members():
        if subset == _META:
            notes.model = plain(text.value())
            continue
        for split in text.members():
            yield f"{subset}/{split}"
    text.end()


def _pass_over(text: Text) -> None:
    """Pass over the queries of a part, holding one at a time."""
    for _ in text.members():
        text.value()


def plain(value: object, depth: int = 0) -> object:
    """Turn objects as they were written into dicts, of which the last of a name stays.

    Raises
    ------
    RecursionError
        On what is nested deeper than anything that is said of a query.
    """
    if not isinstance(value, list):
        return value
    if depth == _DEEPEST:
        raise RecursionError
    if isinstance(value, Members):
        return {key: plain(one, depth + 1) for key, one in value}
    return [plain(one, depth + 1) for one in value]


def brief_value(value: object) -> str:
    """Show a value as JSON, cut where it is long."""
    if isinstance(value, str | int | float | None):
        return shown(value)
    try:
        written = json.dumps(plain(value), ensure_ascii=False)
    except RecursionError:
        return "JSON that is nested too deep"
    return f"{written[:60]}{'…' * (len(written) > 60)}"
