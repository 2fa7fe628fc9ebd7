"""The plain reader of qrels: TREC (4 fields), BEIR under its header (3 fields), and LETOR."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from trec_eval_py.errors import ReadError
from trec_eval_py.reading import _lines, _plain
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source

Qrels = dict[bytes, dict[bytes, int]]

BEIR_HEADER = [b"query-id", b"corpus-id", b"score"]
LETOR_LINE = "relevance qid:query_id features # docno = DOCNO"
# In the comment of LETOR 4.0 `#docid = X inc = 1`, of Terrier `#docid = 921 docno = X`, and others;
# patterns are texts, compiled when one is first needed.
_LETOR_DOCNO = rb"\bdocno\s*=\s*(\S+)"
_LETOR_DOCID = rb"\bdocid\s*=\s*(\S+)"


class QrelsLine(NamedTuple):
    """A line of judgments, as it was read."""

    line: int
    query_id: bytes
    docno: bytes
    relevance: int
    iteration: bytes = b"0"
    """The second column: in plain qrels it means nothing."""


def read_qrels(
    source: Source,
    notes: Notes,
    format: str = "auto",
    on_line: Callable[[QrelsLine], object] | None = None,
) -> Qrels:
    """Read TREC qrels (4 fields), BEIR's under their header (3 fields), or a file of LETOR.

    Parameters
    ----------
    source : Source
        A file of text, compressed or not.
    notes : Notes
        Where to count what is worth a warning; says what becomes of repeated judgments.
    format : {"auto", "qrels", "beir", "letor"}
        By default, the first line decides.
    on_line : callable, optional
        Takes each line, in order.

    Returns
    -------
    dict
        query_id to docno to grade, in the order of the file.

    Raises
    ------
    ReadError
        At the first line that cannot be used, or where the file has no judgment.
    """
    reader = _QrelsReader(source, notes, format, on_line)
    reader.read()
    if not reader.qrels and not reader.faulty:
        notes.refuse(nothing(source))
    notes.width, notes.judgments, notes.format = reader.width, True, reader.format
    return reader.qrels


def nothing(source: Source) -> ReadError:
    """Make the error for a file without a judgment."""
    fix = "Check what wrote the file."
    return ReadError(source.name, None, "no judgment", _lines.QRELS_LINE, fix, "file-empty")


def qrels_lines(source: Source, notes: Notes, format: str = "auto") -> Iterator[QrelsLine]:
    """Yield the lines of judgments, holding none; a pair may stand twice.

    Raises
    ------
    ReadError
        At the first line that cannot be used.
    """
    reader = _QrelsReader(source, notes, format)
    for line_number, fields in _plain.read_lines(source, notes, reader.split):
        line = reader.parse(line_number, fields)
        notes.width, notes.judgments, notes.format = reader.width, True, reader.format
        if line is not None:
            yield line


def looks_like_letor(fields: list[bytes]) -> bool:
    """Whether a line is a judged feature vector, by its second field."""
    return len(fields) > 1 and fields[1].startswith(b"qid:")


class _QrelsReader(_plain.Reader):
    """What has been read of qrels so far."""

    def __init__(
        self,
        source: Source,
        notes: Notes,
        format: str = "auto",
        on_line: Callable[[QrelsLine], object] | None = None,
    ) -> None:
        super().__init__(source, notes)
        self.format, self.on_line = format, on_line
        self.qrels: Qrels = {}
        self.width = 0
        self.tabs = False  # whether BEIR's header was separated by tabs, and so is what follows

    def take_ordinary(self, block: bytes) -> int:
        """Take a chunk of ordinary four-field lines at once; give their number, or 0 for none."""
        if self.on_line or self.width == 3 or self.format not in ("auto", "qrels"):
            return 0
        fields = _plain.ordinary(block, 4)
        texts = b" ".join(fields[3::4])
        if not fields or texts.translate(None, b"0123456789- "):
            return 0
        try:
            grades = list(map(int, texts.decode("ascii").split()))
        except ValueError:
            return 0
        if not -(2**63) <= min(grades) <= max(grades) < 2**63:
            return 0
        if not _plain.add(self.qrels, self.last, fields[0::4], fields[2::4], grades):
            return 0
        self.format, self.width, self.last = "qrels", 4, fields[-4]
        return len(grades)

    def split(self, line: bytes) -> list[bytes]:
        """Split a line at white space; at tabs under BEIR's header, where ids may hold blanks."""
        if not self.width and line.rstrip() == b"\t".join(BEIR_HEADER):
            self.tabs = self.format in ("auto", "beir")
        if not self.tabs or b"\t" not in line:
            return super().split(line)
        cells = line.split(b"\t")
        if b'"' in line:  # as Python's csv module quotes what holds a quote or a tab
            rows = csv.reader([line.decode("latin-1")], delimiter="\t")
            cells = [cell.encode("latin-1") for cell in next(rows, [])]
        cells = [cell.strip() for cell in cells]
        return cells if len(cells) == 3 and all(cells) else super().split(line)

    def take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line of data, or refuse them."""
        line = self.parse(line_number, fields)
        if line is None:
            return
        if self.on_line is not None:
            self.on_line(line)
        documents = self.qrels.setdefault(line.query_id, {})
        self.last = line.query_id
        if line.docno not in documents:
            documents[line.docno] = line.relevance
            return
        if self.notes.kept == "refuse":
            raise self._judged_twice(line)
        self.notes.duplicates += 1
        if self.notes.kept == "best":
            documents[line.docno] = max(documents[line.docno], line.relevance)

    def parse(self, line_number: int, fields: list[bytes]) -> QrelsLine | None:
        """Read the fields of one line of data, or refuse them; None for BEIR's header."""
        name = self.source.name
        if not self.width:
            if self.format == "auto":
                self.format = _format_of(fields)
            self.width = 3 if self.format == "beir" else 4
            if fields == BEIR_HEADER and self.format == "beir":
                return None
        if self.format == "letor":
            return self._parse_letor(line_number, fields)
        if len(fields) != self.width:
            raise _not_a_judgment(name, line_number, fields, self.width)
        query_id, docno, text = fields[0], fields[self.width - 2], fields[-1]
        grade = self._grade(line_number, text)
        return QrelsLine(
            line_number, query_id, docno, grade, fields[1] if self.width == 4 else b"0"
        )

    def _parse_letor(self, line_number: int, fields: list[bytes]) -> QrelsLine:
        """Read a judged feature vector; its features are passed over."""
        vector, _, comment = b" ".join(fields).partition(b"#")
        if b" " in vector.strip().partition(b" ")[2]:
            self.notes.unread["features"] = None
        found = re.search(_LETOR_DOCNO, comment) or re.search(_LETOR_DOCID, comment)
        if not looks_like_letor(fields) or len(fields[1]) == 4 or found is None:
            saw = "no docno in the comment"
            if not looks_like_letor(fields) or len(fields[1]) == 4:
                saw = f"no query in {_lines.quoted(b' '.join(fields[:2]))}"
            raise ReadError(
                self.source.name,
                line_number,
                saw,
                LETOR_LINE,
                "Grades are of documents: write each one's docno at the end of its line.",
                "letor-docno",
            )
        return QrelsLine(line_number, fields[1][4:], found[1], self._grade(line_number, fields[0]))

    def _grade(self, line_number: int, text: bytes) -> int:
        grade = _lines.grade(text)
        if grade is None:
            raise not_a_grade(self.source.name, line_number, text)
        self.notes.floats += b"." in text
        return grade

    def _judged_twice(self, line: QrelsLine) -> ReadError:
        """Tell of a pair judged twice, with both lines."""
        self.notes.repeated += 1
        first, second_column = 0, []
        again = _QrelsReader(self.source, Notes(on_fault=lambda _: None), self.format)
        again.width, again.tabs = self.width, self.tabs
        looked_up = self.notes.repeated <= _plain.MOST_LOOKED_UP
        lines = _plain.read_lines(self.source, split=again.split)
        for number, fields in lines if looked_up else ():
            if number > line.line:
                break
            try:
                other = again.parse(number, fields)
            except ReadError:
                continue
            if other and other[1:3] == line[1:3]:
                first = first or number
                second_column.append(other.iteration)
        fix = "Keep one of them, or choose --duplicates best or first."
        if len(set(second_column)) > 1:
            fix = (
                "Where the second column names a user, read them with --qrels-format qrels_jg "
                "(trec_eval -R qrels_jg); where a subtopic, with --qrels-format subtopics."
            )
        return ReadError(
            self.source.name,
            line.line,
            f"document {_lines.quoted(line.docno)} again for query {_lines.quoted(line.query_id)}"
            + (f" (first on line {first})" if first else ""),
            "one judgment of a document per query",
            fix,
            "document-twice",
        )


def _format_of(fields: list[bytes]) -> str:
    """Tell the format by the fields of the first line."""
    if fields == BEIR_HEADER:
        return "beir"
    return "letor" if looks_like_letor(fields) else "qrels"


def not_a_grade(name: str, line_number: int, text: bytes) -> ReadError:
    """Make the error for a grade that is no integer."""
    return ReadError(
        name,
        line_number,
        f"relevance {_lines.quoted(text)}",
        "an integer of at most 64 bits",
        "A fraction is never rounded here: map your grades to integers.",
        "grade-not-an-integer",
    )


def _not_a_judgment(name: str, line_number: int, fields: list[bytes], width: int) -> ReadError:
    expected = _lines.QRELS_LINE if width == 4 else "3 fields (query-id corpus-id score)"
    fix = "Mend or drop the line."
    if len(fields) == 5:
        fix = (
            "Five fields are preferences (read them with --qrels-format prefs, trec_eval -R prefs) "
            "or prels, which are no qrels."
        )
    elif len(fields) == 6:
        fix = "Six fields are a run's: qrels come first, then runs."
    elif len(fields) == 3:
        fix = "Three fields need BEIR's header query-id corpus-id score on the first line."
    saw = _lines.field_count(fields)
    return ReadError(name, line_number, saw, expected, _lines.mend(fields, fix), "fields")
