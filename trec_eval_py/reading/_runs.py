"""The plain reader of runs: TREC (6 fields, or 5 without a tag) and MS MARCO (3 fields)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from trec_eval_py.errors import ReadError, UsageError
from trec_eval_py.reading import _lines, _plain
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source

Queries = dict[bytes, dict[bytes, float]]


class RunLine(NamedTuple):
    """A line of a run, as it was read."""

    line: int
    query_id: bytes
    docno: bytes
    score: float
    rank: bytes = b""
    """As it stood; empty where there is none."""
    tag: bytes = b""
    """Its words with one blank between; empty where there is none."""
    iteration: bytes = b"Q0"


def read_run(
    source: Source,
    notes: Notes,
    format: str = "auto",
    on_line: Callable[[RunLine], object] | None = None,
) -> Queries:
    """Read a TREC run (6 fields, or 5 without a tag) or a MS MARCO run (3 fields).

    Parameters
    ----------
    source : Source
        A file of text, compressed or not.
    notes : Notes
        Where to count what is worth a warning; says what becomes of repeated documents.
    format : {"auto", "trec", "msmarco"}
        Of how many fields lines may be; by default, the first line decides.
    on_line : callable, optional
        Takes each line, in order.

    Returns
    -------
    dict
        For each query, in the order of first sight, docno to score; scores are doubles, and in a
        MS MARCO run they fall from -1, one by one.

    Raises
    ------
    ReadError
        At the first line that cannot be used, or where the file has no data line.
    """
    reader = _RunReader(source, notes, format, on_line)
    reader.read()
    if not reader.queries and not reader.faulty:
        notes.refuse(nothing(source))
    if reader.layout is not None:
        notes.width = reader.layout.width
    return reader.queries


def read_tagged(source: Source, notes: Notes, format: str = "auto") -> dict[bytes, Queries]:
    """Read each tag as a run of its own; lines without one are under the empty tag.

    Raises
    ------
    ReadError
        As ``read_run``.
    """
    readers: dict[bytes, _RunReader] = {}
    first = _RunReader(source, notes, format)
    for line_number, fields in _plain.read_lines(source, notes):
        line = first.parse(line_number, fields)
        if line.tag not in readers:
            readers[line.tag] = _RunReader(source, notes, format)
            readers[line.tag].layout, readers[line.tag].by_tag = first.layout, True
        readers[line.tag].add(line)
    if first.layout is None:
        raise nothing(source)
    notes.width = first.layout.width
    return {tag: reader.queries for tag, reader in readers.items()}


def nothing(source: Source) -> ReadError:
    """Make the error for a file without a line of a run."""
    fix = "Check what wrote the file."
    return ReadError(source.name, None, "no run line", _lines.RUN_LINE, fix, "file-empty")


def run_lines(source: Source, notes: Notes, format: str = "auto") -> Iterator[RunLine]:
    """Yield the lines of a run, holding none; a document may stand twice.

    Raises
    ------
    ReadError
        At the first line that cannot be used.
    """
    reader = _RunReader(source, notes, format)
    for line_number, fields in _plain.read_lines(source, notes):
        line = reader.parse(line_number, fields)
        if reader.layout is not None:
            notes.width = reader.layout.width
        yield line


def refuse(
    source: Source,
    layout: _lines.Layout,
    number: int,
    block: bytes,
    seen: set[bytes],
    kept: _plain.Duplicates = "refuse",
) -> None:
    """Refuse the first line at fault in some whole queries of a run, if there is one.

    Not where a query of these lines was seen before them: then only the whole file tells.
    """
    reader = _RunReader(source, Notes(kept))
    reader.layout = layout
    try:
        reader.take_carefully(number, block)
    except ReadError as error:
        lines = block.splitlines()[: (error.line or number) - number + 1]
        if seen.isdisjoint(one for line in lines for one in line.split(None, 1)[:1]):
            raise


class _RunReader(_plain.Reader):
    """What has been read of a run so far."""

    def __init__(
        self,
        source: Source,
        notes: Notes,
        format: str = "auto",
        on_line: Callable[[RunLine], object] | None = None,
    ) -> None:
        super().__init__(source, notes)
        self.format, self.on_line = format, on_line
        self.queries: Queries = {}
        self.ranks: dict[bytes, tuple[int, int]] = {}  # the last one, and how many
        self.layout: _lines.Layout | None = None
        self.again: set[bytes] = set()
        self.by_tag = False  # whether it holds the lines of one tag only

    def take_ordinary(self, block: bytes) -> int:
        """Take a chunk of ordinary six-field lines at once; give their number, or 0 for none."""
        if self.on_line or self.format == "msmarco" or (self.layout and self.layout.width != 6):
            return 0
        fields = _plain.ordinary(block, 6)
        query_ids, docnos, texts, tags = fields[0::6], fields[2::6], fields[4::6], fields[5::6]
        numbers = b" ".join(texts)
        if not fields or numbers.translate(None, _lines.SCORE_CHARACTERS + b" "):
            return 0
        try:
            scores = list(map(float, numbers.decode("ascii").split()))
        except ValueError:
            return 0
        if not _plain.add(self.queries, self.last, query_ids, docnos, scores):
            return 0
        self.last = query_ids[-1]
        if self.layout is None:
            self.layout = _lines.Layout(self.source.name, 1, fields[:6], self.format)
        if 0.0 in scores or float("inf") in scores or float("-inf") in scores:
            self.notes.out_of_range += sum(map(_lines.out_of_range, texts, scores))
        alike = tags.count(tags[0]) == len(tags)
        self.notes.tags.update(dict.fromkeys(tags[:1] if alike else tags))
        self.notes.last_tag = tags[-1]
        return len(tags)

    def take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line of data, or refuse them."""
        line = self.parse(line_number, fields)
        if line.tag:
            # A tag of several words goes by its first.
            tag = fields[5]
            self.notes.tags[tag] = None
            self.notes.last_tag = tag
        if self.on_line is not None:
            self.on_line(line)
        self.add(line)

    def parse(self, line_number: int, fields: list[bytes]) -> RunLine:
        """Read the fields of one line of data, or refuse them."""
        name = self.source.name
        if self.layout is None:
            self.layout = _lines.Layout(name, line_number, fields, self.format)
        self.layout.check(name, line_number, fields)
        if self.layout.width == 3:
            query_id, docno, rank = fields
            return RunLine(line_number, query_id, docno, self._ranked(line_number, *fields), rank)
        query_id, iteration, docno, rank, text, *tag = fields
        value = _lines.score(text)
        if value is None:
            raise _not_a_score(name, line_number, text)
        self.notes.out_of_range += _lines.out_of_range(text, value)
        return RunLine(line_number, query_id, docno, value, rank, b" ".join(tag), iteration)

    def _ranked(self, line_number: int, query_id: bytes, docno: bytes, text: bytes) -> float:
        """Make scores of the ranks of MS MARCO, which fall as those rise and keep the order."""
        name = self.source.name
        rank = int(text) if _lines.is_integer(text) and len(text) < 16 else None
        above, count = self.ranks.get(query_id, (None, 0))
        if rank is None or (not 0 <= rank <= 1 if above is None else rank <= above):
            expected = (
                "a rank of 0 or 1 on a query's first line"
                if above is None
                else f"a rank above {above}, that of the query's line before"
            )
            raise ReadError(
                name,
                line_number,
                f"rank {_lines.quoted(text)}",
                expected,
                _lines.mend(
                    [query_id],
                    "A run of 3 fields (query_id docno rank) lists each query's documents in "
                    "order; one with scores has 6.",
                ),
                "rank-not-rising",
            )
        self.ranks[query_id] = rank, count + 1
        return -1.0 - count

    def add(self, line: RunLine) -> None:
        """Hold what a line says, or refuse a document that stands again."""
        line_number, query_id, docno, value = line[:4]
        documents = self.queries.setdefault(query_id, {})
        if docno in documents and self.notes.kept != "refuse":
            self.notes.duplicates += 1
            if self.notes.kept == "best":
                documents[docno] = max(documents[docno], value)
            self.last = query_id
            return
        if docno in documents:
            self.notes.repeated += 1
            first = ""
            if self.notes.repeated <= _plain.MOST_LOOKED_UP:
                first = f" (first on line {self._line_of(line)})"
            raise ReadError(
                self.source.name,
                line_number,
                f"document {_lines.quoted(docno)} again for query {_lines.quoted(query_id)}{first}",
                "a document once per query",
                "Keep the line with its best score, or choose --duplicates best or first.",
                "document-twice",
            )
        if documents and query_id != self.last and query_id not in self.again:
            self.again.add(query_id)
            self.notes.interleaved += 1
        documents[docno] = value
        self.last = query_id

    def _line_of(self, again: RunLine) -> int:
        """Find the first line that holds a document; only asked for once there is a second."""
        at = 1 if self.layout is not None and self.layout.width == 3 else 2
        tag = again.tag.split() if self.by_tag else []
        with self.source.open() as file:
            for line_number, line in _plain.lines(file, self.source.name):
                fields = line.split() if again.docno in line and line[:1] != b"#" else []
                found = len(fields) > at and fields[at] == again.docno
                if found and fields[0] == again.query_id and (not tag or fields[5:] == tag):
                    return line_number
        raise UsageError(f"{self.source.name}: changed while it was read. Read it again.")


def _not_a_score(name: str, line_number: int, text: bytes) -> ReadError:
    fix = "Mend or drop the line."
    if text.lower().lstrip(b"+-").startswith(b"nan"):
        fix = "NaN has no place in an order: mend what wrote it, or drop the line."
    elif b"," in text:
        fix = "Write a decimal point."
    elif text.lower() in (b"score", b"sim"):
        fix = "A run has no header: drop the line."
    saw = f"score {_lines.quoted(text)}"
    return ReadError(name, line_number, saw, "a decimal number", fix, "score-not-a-number")
