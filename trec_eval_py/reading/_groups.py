"""The readers of judgments by group: qrels_jg, subtopics, prefs, and qrels read as prefs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from trec_eval_py.errors import ReadError
from trec_eval_py.reading import _lines, _plain
from trec_eval_py.reading._judgments import not_a_grade
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source

V = TypeVar("V", int, float)

_LINES = {
    "qrels_jg": "4 fields (query_id group docno relevance)",
    "subtopics": "4 fields (query_id subtopic docno relevance)",
    "qrels_prefs": "4 fields (query_id group docno level)",
    "prefs": "5 fields (query_id group subgroup docno level)",
}


class GroupLine(NamedTuple):
    """A line of judgments by group, as it was read."""

    line: int
    query_id: bytes
    docno: bytes
    level: float
    """A grade (an integer) for qrels_jg and subtopics; else a level of preference."""
    group: bytes
    subgroup: bytes = b""
    """Of prefs only."""


def group_lines(source: Source, notes: Notes, form: str) -> Iterator[GroupLine]:
    """Yield the lines of judgments by group, holding none; a document may stand twice.

    Raises
    ------
    ReadError
        At the first line that cannot be used.
    """
    graded = form in ("qrels_jg", "subtopics")
    reader = (_GroupedReader if graded else _PreferenceReader)(source, notes, form)
    for line_number, fields in _plain.read_lines(source, notes):
        yield reader.parse(line_number, fields)


def read_grouped(
    source: Source, notes: Notes, form: str
) -> dict[bytes, dict[bytes, dict[bytes, int]]]:
    """Read qrels whose second column names a judgment group: a user, or a subtopic.

    Returns
    -------
    dict
        query_id to group to docno to grade, in the order of the file.

    Raises
    ------
    ReadError
        At the first line that cannot be used, or where the file has no judgment.
    """
    reader = _GroupedReader(source, notes, form)
    reader.read_all()
    return reader.qrels


def read_preferences(
    source: Source, notes: Notes, form: str
) -> dict[bytes, dict[bytes, dict[bytes, dict[bytes, float]]]]:
    """Read preferences: of five fields (prefs), or from qrels (qrels_prefs).

    Returns
    -------
    dict
        query_id to group to subgroup (``0`` for qrels) to docno to level.

    Raises
    ------
    ReadError
        At the first line that cannot be used, or where the file has no judgment.
    """
    reader = _PreferenceReader(source, notes, form)
    reader.read_all()
    return reader.levels


class _Reader(_plain.Reader):
    """What two forms share: judgments go line by line."""

    def __init__(self, source: Source, notes: Notes, form: str) -> None:
        super().__init__(source, notes)
        self.form, self.number = form, 0
        notes.width, notes.judgments = 5 if form == "prefs" else 4, True

    def read_all(self) -> None:
        """Read the whole file, and refuse one that holds nothing."""
        self.read()
        if not self.number:
            fix = "Check what wrote the file."
            fault = "no judgment", _LINES[self.form], fix, "file-empty"
            self.notes.refuse(ReadError(self.source.name, None, *fault))

    def take_ordinary(self, block: bytes) -> int:
        """Take no chunk at once."""
        return 0

    def _check(self, line_number: int, fields: list[bytes]) -> None:
        self.number += 1
        wanted = 5 if self.form == "prefs" else 4
        if len(fields) != wanted:
            fix = "Mend or drop the line."
            if len(fields) == 5:
                fix = "Five fields are preferences: read them as prefs."
            elif len(fields) == 4:
                fix = "Four fields are qrels: read them as qrels_prefs."
            saw = _lines.field_count(fields)
            raise ReadError(
                self.source.name,
                line_number,
                saw,
                _LINES[self.form],
                _lines.mend(fields, fix),
                "fields",
            )

    @abstractmethod
    def parse(self, line_number: int, fields: list[bytes]) -> GroupLine:
        """Read the fields of one line of data, or refuse them."""

    def _add(
        self,
        line_number: int,
        fields: list[bytes],
        documents: dict[bytes, V],
        value: V,
        place: str,
    ) -> None:
        docno = fields[-2]
        if docno in documents and self.notes.kept != "refuse":
            self.notes.duplicates += 1
            if self.notes.kept == "best":
                documents[docno] = max(documents[docno], value)
            return
        if docno in documents:
            self.notes.repeated += 1
            first = ""
            if self.notes.repeated <= _plain.MOST_LOOKED_UP:
                lines = _plain.read_lines(self.source)
                number = next(number for number, others in lines if others[:-1] == fields[:-1])
                first = f" (first on line {number})"
            raise ReadError(
                self.source.name,
                line_number,
                f"document {_lines.quoted(docno)} again for {place}{first}",
                f"one judgment of a document per {'subgroup' if self.form == 'prefs' else 'group'}",
                "Keep one of them, or choose --duplicates best or first.",
                "document-twice",
            )
        documents[docno] = value


class _GroupedReader(_Reader):
    """What has been read of qrels by group."""

    def __init__(self, source: Source, notes: Notes, form: str) -> None:
        super().__init__(source, notes, form)
        self.qrels: dict[bytes, dict[bytes, dict[bytes, int]]] = {}

    def take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line of data, or refuse them."""
        _, query_id, _, grade, group, _ = self.parse(line_number, fields)
        documents = self.qrels.setdefault(query_id, {}).setdefault(group, {})
        place = f"query {_lines.quoted(query_id)}, group {_lines.quoted(group)}"
        self._add(line_number, fields, documents, int(grade), place)

    def parse(self, line_number: int, fields: list[bytes]) -> GroupLine:
        """Read the fields of one line of data, or refuse them."""
        self._check(line_number, fields)
        query_id, group, docno, text = fields
        grade = _lines.grade(text)
        if grade is None:
            raise not_a_grade(self.source.name, line_number, text)
        self.notes.floats += b"." in text
        return GroupLine(line_number, query_id, docno, grade, group)


class _PreferenceReader(_Reader):
    """What has been read of preferences."""

    def __init__(self, source: Source, notes: Notes, form: str) -> None:
        super().__init__(source, notes, form)
        self.levels: dict[bytes, dict[bytes, dict[bytes, dict[bytes, float]]]] = {}

    def take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line of data, or refuse them."""
        _, query_id, _, level, group, subgroup = self.parse(line_number, fields)
        name = subgroup or b"0"
        groups = self.levels.setdefault(query_id, {})
        documents = groups.setdefault(group, {}).setdefault(name, {})
        place = f"query {_lines.quoted(query_id)}, group {_lines.quoted(group)}"
        place += f", subgroup {_lines.quoted(name)}" if subgroup else ""
        self._add(line_number, fields, documents, level, place)

    def parse(self, line_number: int, fields: list[bytes]) -> GroupLine:
        """Read the fields of one line of data, or refuse them."""
        self._check(line_number, fields)
        query_id, group, *subgroup, docno, text = fields
        level = _lines.score(text)
        if level is None or level in (float("inf"), float("-inf")):
            saw = f"level {_lines.quoted(text)}"
            fix = "Mend or drop the line."
            expected = "a finite decimal number"
            raise ReadError(self.source.name, line_number, saw, expected, fix, "level")
        name = subgroup[0] if subgroup else b""
        return GroupLine(line_number, query_id, docno, level + 0.0, group, name)
