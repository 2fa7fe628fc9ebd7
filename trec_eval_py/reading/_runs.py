"""The plain reader of runs: TREC (6 fields, or 5 without a tag) and MS MARCO (3 fields)."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from trec_eval_py.errors import ReadError, UsageError
from trec_eval_py.reading import _lines, _plain
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source


class Run(NamedTuple):
    """One run: for each query, in the order of first sight, its documents with their scores."""

    queries: dict[bytes, dict[bytes, float]]
    tags: dict[bytes, dict[bytes, bytes]]
    """Tags by query and docno, where they were asked for."""


Duplicates = Literal["refuse", "first", "best"]
DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)


def read_run(
    source: Source, notes: Notes, keep_tags: bool = False, duplicates: Duplicates = "refuse"
) -> Run:
    """Read a TREC run (6 fields, or 5 without a tag) or a MS MARCO run (3 fields).

    Parameters
    ----------
    source : Source
        A file of text, compressed or not.
    notes : Notes
        Where to count what is worth a warning.
    keep_tags : bool
        Whether to hold each line's tag.
    duplicates : {"refuse", "first", "best"}
        What becomes of a document that stands twice in a query: it is refused, or its first line
        is kept, or the one with the highest score.

    Returns
    -------
    Run
        Scores as doubles; in a MS MARCO run they fall from -1, one by one.

    Raises
    ------
    ReadError
        At the first line that cannot be used, or where the file has no data line.
    """
    reader = _RunReader(source, notes, keep_tags, duplicates)
    reader.read()
    if not reader.queries:
        raise ReadError(
            source.name, None, "no run line", _lines.RUN_LINE, "Check what wrote the file."
        )
    if reader.layout is not None:
        notes.width = reader.layout.width
    return Run(reader.queries, reader.tags)


def refuse(
    source: Source,
    layout: _lines.Layout,
    number: int,
    block: bytes,
    seen: set[bytes],
    duplicates: Duplicates = "refuse",
) -> None:
    """Refuse the first line at fault in some whole queries of a run, if there is one.

    Not where a query of these lines was seen before them: then only the whole file tells.
    """
    reader = _RunReader(source, Notes(), keep_tags=False, duplicates=duplicates)
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
        self, source: Source, notes: Notes, keep_tags: bool, duplicates: Duplicates
    ) -> None:
        super().__init__(source, notes)
        self.keep_tags, self.duplicates = keep_tags, duplicates
        notes.kept = duplicates
        self.queries: dict[bytes, dict[bytes, float]] = {}
        self.tags: dict[bytes, dict[bytes, bytes]] = {}
        self.ranks: dict[bytes, int] = {}
        self.layout: _lines.Layout | None = None
        self.again: set[bytes] = set()

    def take_ordinary(self, block: bytes) -> int:
        """Take a chunk of ordinary six-field lines at once; give their number, or 0 for none."""
        if self.keep_tags or (self.layout is not None and self.layout.width != 6):
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
            self.layout = _lines.Layout(self.source.name, 1, fields[:6])
        if 0.0 in scores or float("inf") in scores or float("-inf") in scores:
            self.notes.out_of_range += sum(map(_lines.out_of_range, texts, scores))
        alike = tags.count(tags[0]) == len(tags)
        self.notes.tags.update(dict.fromkeys(tags[:1] if alike else tags))
        self.notes.last_tag = tags[-1]
        return len(tags)

    def take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line of data, or refuse them."""
        name = self.source.name
        if self.layout is None:
            self.layout = _lines.Layout(name, line_number, fields)
        self.layout.check(name, line_number, fields)
        if self.layout.width == 3:
            self._take_ranked(line_number, *fields)
            return
        query_id, _, docno, _, text, *tag = fields
        value = _lines.score(text)
        if value is None:
            raise _not_a_score(name, line_number, text)
        self.notes.out_of_range += _lines.out_of_range(text, value)
        if tag:
            self.notes.tags[tag[0]] = None
            self.notes.last_tag = tag[0]
        self._add(line_number, query_id, docno, value)
        if self.keep_tags:
            self.tags.setdefault(query_id, {})[docno] = tag[0] if tag else b""

    def _take_ranked(self, line_number: int, query_id: bytes, docno: bytes, text: bytes) -> None:
        """Take a MS MARCO line; its order is kept by scores that fall as the ranks rise."""
        name = self.source.name
        rank = int(text) if _lines.is_integer(text) and len(text) < 16 else None
        above = self.ranks.get(query_id)
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
            )
        self._add(line_number, query_id, docno, -1.0 - len(self.queries.get(query_id, ())))
        self.ranks[query_id] = rank

    def _add(self, line_number: int, query_id: bytes, docno: bytes, value: float) -> None:
        documents = self.queries.setdefault(query_id, {})
        if docno in documents and self.duplicates != "refuse":
            self.notes.duplicates += 1
            if self.duplicates == "best":
                documents[docno] = max(documents[docno], value)
            self.last = query_id
            return
        if docno in documents:
            first = self._line_of(query_id, docno)
            raise ReadError(
                self.source.name,
                line_number,
                f"document {_lines.quoted(docno)} again for query {_lines.quoted(query_id)} "
                f"(first on line {first})",
                "a document once per query",
                "Keep the line with its best score, or choose --duplicates best or first.",
            )
        if documents and query_id != self.last and query_id not in self.again:
            self.again.add(query_id)
            self.notes.interleaved += 1
        documents[docno] = value
        self.last = query_id

    def _line_of(self, query_id: bytes, docno: bytes) -> int:
        """Find the first line that holds a document; only asked for once there is a second."""
        at = 1 if self.layout is not None and self.layout.width == 3 else 2
        with self.source.open() as file:
            for line_number, line in _plain.lines(file):
                fields = line.split() if docno in line and line[:1] != b"#" else []
                if fields[:1] == [query_id] and fields[at] == docno:
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
    return ReadError(name, line_number, f"score {_lines.quoted(text)}", "a decimal number", fix)
