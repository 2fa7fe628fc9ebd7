"""The plain reader of qrels: TREC (4 fields), and BEIR under its header (3 fields)."""

from __future__ import annotations

from trec_eval_py.errors import ReadError
from trec_eval_py.reading import _lines, _plain
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source


def read_qrels(
    source: Source, notes: Notes, iterations: dict[bytes, dict[bytes, bytes]] | None = None
) -> dict[bytes, dict[bytes, int]]:
    """Read TREC qrels (4 fields), or BEIR's under their header (3 fields).

    Returns
    -------
    dict
        query_id to docno to grade, in the order of the file.

    Raises
    ------
    ReadError
        At the first line that cannot be used, or where the file has no judgment.
    """
    reader = _QrelsReader(source, notes, iterations)
    reader.read()
    if not reader.qrels:
        raise ReadError(
            source.name, None, "no judgment", _lines.QRELS_LINE, "Check what wrote the file."
        )
    notes.width, notes.judgments = reader.width, True
    return reader.qrels


class _QrelsReader(_plain.Reader):
    """What has been read of qrels so far."""

    def __init__(
        self, source: Source, notes: Notes, iterations: dict[bytes, dict[bytes, bytes]] | None
    ) -> None:
        super().__init__(source, notes)
        self.iterations = iterations
        self.qrels: dict[bytes, dict[bytes, int]] = {}
        self.width = 0

    def take_ordinary(self, block: bytes) -> int:
        """Take a chunk of ordinary four-field lines at once; give their number, or 0 for none."""
        if self.iterations is not None or self.width == 3:
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
        self.width, self.last = 4, fields[-4]
        return len(grades)

    def take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line of data, or refuse them."""
        name = self.source.name
        if not self.width:
            self.width = 3 if fields == [b"query-id", b"corpus-id", b"score"] else 4
            if self.width == 3:
                return
        if len(fields) != self.width:
            raise _not_a_judgment(name, line_number, fields, self.width)
        query_id, docno, text = fields[0], fields[self.width - 2], fields[-1]
        grade = _lines.grade(text)
        if grade is None:
            raise _not_a_grade(name, line_number, text)
        self.notes.floats += b"." in text
        documents = self.qrels.setdefault(query_id, {})
        if docno in documents:
            raise _judged_twice(self.source, line_number, query_id, docno, self.width)
        documents[docno] = grade
        self.last = query_id
        if self.iterations is not None:
            iteration = fields[1] if self.width == 4 else b"0"
            self.iterations.setdefault(query_id, {})[docno] = iteration


def _not_a_grade(name: str, line_number: int, text: bytes) -> ReadError:
    return ReadError(
        name,
        line_number,
        f"relevance {_lines.quoted(text)}",
        "an integer of at most 64 bits",
        "A fraction is never rounded here: map your grades to integers.",
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
    return ReadError(name, line_number, saw, expected, _lines.mend(fields, fix))


def _judged_twice(
    source: Source, line_number: int, query_id: bytes, docno: bytes, width: int
) -> ReadError:
    """Tell of a pair judged twice, with both lines."""
    first, second_column = 0, []
    for at, fields in _plain.read_lines(source):
        if len(fields) != width:
            continue
        if fields[0] == query_id and fields[width - 2] == docno and at <= line_number:
            first = first or at
            second_column.append(fields[1])
    fix = "Keep one of them."
    if width == 4 and len(set(second_column)) > 1:
        fix = (
            "Where the second column names a user, read them with --qrels-format qrels_jg "
            "(trec_eval -R qrels_jg); a subtopic has no place in plain qrels."
        )
    return ReadError(
        source.name,
        line_number,
        f"document {_lines.quoted(docno)} again for query {_lines.quoted(query_id)} (first on line "
        f"{first})",
        "one judgment of a document per query",
        fix,
    )
