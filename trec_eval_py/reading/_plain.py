"""The plain readers: line by line into dicts, with the standard library alone.

They define what a file means. Whole chunks of ordinary lines are taken at once, which changes
nothing but the time; any chunk that is not ordinary goes line by line.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import compress, pairwise
from operator import ne
from typing import BinaryIO, NamedTuple, TypeVar

from trec_eval_py.errors import ReadError, TrecEvalWarning, UsageError
from trec_eval_py.reading import _lines
from trec_eval_py.reading._sources import Source

V = TypeVar("V")

CHUNK = 1 << 18


class Run(NamedTuple):
    """One run: for each query, in the order of first sight, its documents with their scores."""

    name: str
    queries: dict[bytes, dict[bytes, float]]
    tags: dict[bytes, dict[bytes, bytes]]
    """Tags by query and docno, where they were asked for."""


class Notes:
    """What is worth a warning about a file, counted while it is read."""

    def __init__(self) -> None:
        self.out_of_range = 0
        self.comments: Counter[int] = Counter()  # by their number of fields
        self.interleaved = 0
        self.tags: dict[bytes, None] = {}
        self.floats = 0
        self.width = 6
        self.judgments = False

    def see_comment(self, line: bytes) -> None:
        """Count a comment by its number of fields; three words are often no line of data."""
        fields = line.split()
        if len(fields) != 3 or _lines.is_integer(fields[2]):
            self.comments[min(len(fields), 6)] += 1

    def warn(self, name: str) -> None:
        """Give each as a warning, a line a kind."""
        said = []
        if self.out_of_range:
            said.append(
                f"{self.out_of_range} scores lie beyond the range of a double and were read as "
                "infinite or 0; such documents tie"
            )
        comments = self.comments[self.width]
        if comments:
            said.append(
                f"{comments} comment {'line has' if comments == 1 else 'lines have'} as many "
                "fields as a data line; a line that begins with # is a comment, whatever follows"
            )
        if self.interleaved:
            said.append(
                f"{self.interleaved} {'query is' if self.interleaved == 1 else 'queries are'} seen "
                "again after another one; the file is held whole in memory. Sort it by query to "
                "save time and memory"
            )
        if len(self.tags) > 1:
            shown = ", ".join(_lines.quoted(tag) for tag in list(self.tags)[:3])
            said.append(f"{len(self.tags)} tags in one file ({shown}); it is scored as one run")
        if self.floats:
            said.append(f"{self.floats} grades are written as 1.0 is; they were read as integers")
        if self.width == 5:
            said.append("lines have 5 fields; they were read as query_id Q0 docno rank score")
        if self.width == 3 and not self.judgments:
            said.append("lines have 3 fields; they were read as query_id docno rank (MS MARCO)")
        for text in said:
            warnings.warn(f"{name}: {text}", TrecEvalWarning, stacklevel=2)


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file in chunks of whole lines, without a byte order mark at the start."""
    rest, mark = b"", _lines.BOM
    while data := file.read(CHUNK):
        block = rest + data
        # The last line stays for the next turn, with a CR that may be half a line's end.
        end = max(block.rfind(b"\n"), block.rfind(b"\r", 0, -1)) + 1
        block, rest = block[:end], block[end:]
        if block:
            yield block.removeprefix(mark)
            mark = b""
    if rest:
        yield rest.removeprefix(mark)


def lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers; they end with LF, CRLF or a lone CR."""
    number = 0
    for block in chunks(file):
        for number, line in enumerate(block.splitlines(), number + 1):  # noqa: B020
            yield number, line


def read_run(source: Source, notes: Notes, keep_tags: bool = False) -> Run:
    """Read a TREC run (6 fields, or 5 without a tag) or a MS MARCO run (3 fields).

    Parameters
    ----------
    source : Source
        A file of text, compressed or not.
    notes : Notes
        Where to count what is worth a warning.
    keep_tags : bool
        Whether to hold each line's tag.

    Returns
    -------
    Run
        Scores as doubles; in a MS MARCO run they fall from -1, one by one.

    Raises
    ------
    ReadError
        At the first line that cannot be used, or where the file has no data line.
    """
    reader = _RunReader(source, notes, keep_tags)
    with source.open() as file:
        number = 1
        for block in chunks(file):
            number += reader.take_ordinary(block) or reader.take_carefully(number, block)
    if not reader.queries:
        raise ReadError(
            source.name, None, "no run line", _lines.RUN_LINE, "Check what wrote the file."
        )
    if reader.layout is not None:
        notes.width = reader.layout.width
    return Run("", reader.queries, reader.tags)


def refuse(
    source: Source, layout: _lines.Layout, number: int, block: bytes, seen: set[bytes]
) -> None:
    """Refuse the first line at fault in some whole queries of a run, if there is one.

    Not where a query of these lines was seen before them: then only the whole file tells.
    """
    reader = _RunReader(source, Notes(), keep_tags=False)
    reader.layout = layout
    try:
        reader.take_carefully(number, block)
    except ReadError as error:
        lines = block.splitlines()[: (error.line or number) - number + 1]
        if seen.isdisjoint(one for line in lines for one in line.split(None, 1)[:1]):
            raise


class _RunReader:
    """What has been read of a run so far."""

    def __init__(self, source: Source, notes: Notes, keep_tags: bool) -> None:
        self.source, self.notes, self.keep_tags = source, notes, keep_tags
        self.queries: dict[bytes, dict[bytes, float]] = {}
        self.tags: dict[bytes, dict[bytes, bytes]] = {}
        self.ranks: dict[bytes, int] = {}
        self.layout: _lines.Layout | None = None
        self.last: bytes | None = None
        self.again: set[bytes] = set()

    def take_ordinary(self, block: bytes) -> int:
        """Take a chunk of ordinary six-field lines at once; give their number, or 0 for none."""
        if self.keep_tags or (self.layout is not None and self.layout.width != 6):
            return 0
        fields = _ordinary(block, 6)
        query_ids, docnos, texts, tags = fields[0::6], fields[2::6], fields[4::6], fields[5::6]
        numbers = b" ".join(texts)
        if not fields or numbers.translate(None, _lines.SCORE_CHARACTERS + b" "):
            return 0
        try:
            scores = list(map(float, numbers.decode("ascii").split()))
        except ValueError:
            return 0
        if not _add(self.queries, self.last, query_ids, docnos, scores):
            return 0
        self.last = query_ids[-1]
        if self.layout is None:
            self.layout = _lines.Layout(self.source.name, 1, fields[:6])
        if 0.0 in scores or float("inf") in scores or float("-inf") in scores:
            self.notes.out_of_range += sum(map(_lines.out_of_range, texts, scores))
        alike = tags.count(tags[0]) == len(tags)
        self.notes.tags.update(dict.fromkeys(tags[:1] if alike else tags))
        return len(tags)

    def take_carefully(self, number: int, block: bytes) -> int:
        """Take a chunk line by line, and refuse the first that cannot be used."""
        name = self.source.name
        line_number = number - 1
        for line_number, line in enumerate(block.splitlines(), number):
            if line[:1] == b"#":
                self.notes.see_comment(line)
                continue
            fields = line.split()
            if not fields:
                continue
            _refuse_nul(name, line_number, line)
            if self.layout is None:
                self.layout = _lines.Layout(name, line_number, fields)
            self.layout.check(name, line_number, fields)
            if self.layout.width == 3:
                self._take_ranked(line_number, *fields)
                continue
            query_id, _, docno, _, text, *tag = fields
            value = _lines.score(text)
            if value is None:
                raise _not_a_score(name, line_number, text)
            self.notes.out_of_range += _lines.out_of_range(text, value)
            if tag:
                self.notes.tags[tag[0]] = None
            self._add(line_number, query_id, docno, value)
            if self.keep_tags:
                self.tags.setdefault(query_id, {})[docno] = tag[0] if tag else b""
        return line_number - number + 1

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
                "A run of 3 fields (query_id docno rank) lists each query's documents in order.",
            )
        self._add(line_number, query_id, docno, -1.0 - len(self.queries.get(query_id, ())))
        self.ranks[query_id] = rank

    def _add(self, line_number: int, query_id: bytes, docno: bytes, value: float) -> None:
        documents = self.queries.setdefault(query_id, {})
        if docno in documents:
            first = self._line_of(query_id, docno)
            raise ReadError(
                self.source.name,
                line_number,
                f"document {_lines.quoted(docno)} again for query {_lines.quoted(query_id)} "
                f"(first on line {first})",
                "a document once per query",
                "Keep the line with its best score.",
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
            for line_number, line in lines(file):
                fields = line.split() if docno in line and line[:1] != b"#" else []
                if fields[:1] == [query_id] and fields[at] == docno:
                    return line_number
        raise UsageError(f"{self.source.name}: changed while it was read. Read it again.")


def _ordinary(block: bytes, width: int) -> list[bytes]:
    """Split a chunk with one space, or one tab, between its fields; nothing where it has others.

    With so many delimiters on every line, and ``width`` times as many fields as lines, each line
    has ``width`` fields.
    """
    if block[:1] == b"#" or b"\n#" in block or any(c in block for c in b"\r\v\f\0"):
        return []
    delimiter = b"\t" if b"\t" in block else b" "
    if delimiter == b"\t" and b" " in block:
        return []
    rows = block.split(b"\n")
    if not rows[-1]:
        rows.pop()
    if {row.count(delimiter) for row in rows} != {width - 1}:
        return []
    fields = block.split()
    return fields if len(fields) == width * len(rows) else []


def _add(
    held: dict[bytes, dict[bytes, V]],
    last: bytes | None,
    query_ids: list[bytes],
    docnos: list[bytes],
    values: list[V],
) -> bool:
    """Add whole queries to what is held; or nothing, where a query or a document is seen again."""
    changes = compress(range(1, len(values)), map(ne, query_ids, query_ids[1:]))
    parts: dict[bytes, dict[bytes, V]] = {}
    for start, end in pairwise([0, *changes, len(values)]):
        part = dict(zip(docnos[start:end], values[start:end], strict=True))
        query_id = query_ids[start]
        if len(part) != end - start or query_id in parts:
            return False
        # Only the first of them may go on with the last query before.
        if query_id in held and (
            start or query_id != last or not part.keys().isdisjoint(held[query_id])
        ):
            return False
        parts[query_id] = part
    for query_id, part in parts.items():
        if query_id in held:
            held[query_id].update(part)
        else:
            held[query_id] = part
    return True


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
    with source.open() as file:
        number = 1
        for block in chunks(file):
            number += reader.take_ordinary(block) or reader.take_carefully(number, block)
    if not reader.qrels:
        raise ReadError(
            source.name, None, "no judgment", _lines.QRELS_LINE, "Check what wrote the file."
        )
    notes.width, notes.judgments = reader.width, True
    return reader.qrels


class _QrelsReader:
    """What has been read of qrels so far."""

    def __init__(
        self, source: Source, notes: Notes, iterations: dict[bytes, dict[bytes, bytes]] | None
    ) -> None:
        self.source, self.notes, self.iterations = source, notes, iterations
        self.qrels: dict[bytes, dict[bytes, int]] = {}
        self.width = 0
        self.last: bytes | None = None

    def take_ordinary(self, block: bytes) -> int:
        """Take a chunk of ordinary four-field lines at once; give their number, or 0 for none."""
        if self.iterations is not None or self.width == 3:
            return 0
        fields = _ordinary(block, 4)
        texts = b" ".join(fields[3::4])
        if not fields or texts.translate(None, b"0123456789- "):
            return 0
        try:
            grades = list(map(int, texts.decode("ascii").split()))
        except ValueError:
            return 0
        if not -(2**63) <= min(grades) <= max(grades) < 2**63:
            return 0
        if not _add(self.qrels, self.last, fields[0::4], fields[2::4], grades):
            return 0
        self.width, self.last = 4, fields[-4]
        return len(grades)

    def take_carefully(self, number: int, block: bytes) -> int:
        """Take a chunk line by line, and refuse the first that cannot be used."""
        name = self.source.name
        line_number = number - 1
        for line_number, line in enumerate(block.splitlines(), number):
            if line[:1] == b"#":
                self.notes.see_comment(line)
                continue
            fields = line.split()
            if not fields:
                continue
            _refuse_nul(name, line_number, line)
            if not self.width:
                self.width = 3 if fields == [b"query-id", b"corpus-id", b"score"] else 4
                if self.width == 3:
                    continue
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
        return line_number - number + 1


def _refuse_nul(name: str, line_number: int, line: bytes) -> None:
    if b"\0" in line:
        raise ReadError(
            name,
            line_number,
            "a NUL byte",
            "text",
            "The file is damaged or no text: write it again.",
        )


def _not_a_score(name: str, line_number: int, text: bytes) -> ReadError:
    fix = "Mend or drop the line."
    if text.lower().lstrip(b"+-").startswith(b"nan"):
        fix = "NaN has no place in an order: mend what wrote it, or drop the line."
    elif b"," in text:
        fix = "Write a decimal point."
    elif text.lower() in (b"score", b"sim"):
        fix = "A run has no header: drop the line."
    return ReadError(name, line_number, f"score {_lines.quoted(text)}", "a decimal number", fix)


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
        fix = "Five fields are prels (Million Query) or preferences, which are not qrels."
    elif len(fields) == 6:
        fix = "Six fields are a run's: qrels come first, then runs."
    elif len(fields) == 3:
        fix = "Three fields need BEIR's header query-id corpus-id score on the first line."
    saw = f"{len(fields)} field{'s' * (len(fields) != 1)}"
    return ReadError(name, line_number, saw, expected, fix)


def _judged_twice(
    source: Source, line_number: int, query_id: bytes, docno: bytes, width: int
) -> ReadError:
    """Tell of a pair judged twice, with both lines."""
    first, second_column = 0, []
    with source.open() as file:
        for at, line in lines(file):
            fields = line.split()
            if line[:1] == b"#" or len(fields) != width:
                continue
            if fields[0] == query_id and fields[width - 2] == docno and at <= line_number:
                first = first or at
                second_column.append(fields[1])
    fix = "Keep one of them."
    if width == 4 and len(set(second_column)) > 1:
        fix = "Where the second column names a subtopic or a user, these are no plain qrels."
    return ReadError(
        source.name,
        line_number,
        f"document {_lines.quoted(docno)} again for query {_lines.quoted(query_id)} (first on line "
        f"{first})",
        "one judgment of a document per query",
        fix,
    )
