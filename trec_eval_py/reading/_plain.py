"""Reading line by line, with the standard library alone: what every plain reader shares.

Plain readers define what a file means. Whole chunks of ordinary lines are taken at once, which
changes nothing but the time; any chunk that is not ordinary goes line by line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import compress, pairwise
from operator import ne
from typing import BinaryIO, Literal, TypeVar, get_args

from trec_eval_py.errors import InputError, ReadError, warn
from trec_eval_py.reading import _lines
from trec_eval_py.reading._sources import Source

V = TypeVar("V")
# What becomes of a document that stands twice in a query.
Duplicates = Literal["refuse", "first", "best"]
DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)

CHUNK = 1 << 18
# Whatever has no line end for so long is no text, or would exhaust the memory.
LONGEST_LINE = 16 << 20
# Of so many repeated documents the first line is looked up, which takes reading the file again.
MOST_LOOKED_UP = 20
_DAMAGED = "The file is damaged or no text: write it again."
_LONGEST_HEADER = 10_000
_METADATA = (b"# ir_metadata.start", b"# ir_metadata.end")


class Notes:
    """What is worth telling about a file, gathered while it is read.

    Parameters
    ----------
    kept : {"refuse", "first", "best"}
        What becomes of a document that stands twice in a query.
    on_fault : callable, optional
        Takes each fault, whereupon reading goes on; by default the first one is raised.
    """

    def __init__(
        self,
        kept: Duplicates = "refuse",
        on_fault: Callable[[InputError], object] | None = None,
    ) -> None:
        self.kept, self.on_fault = kept, on_fault
        self.format = ""  # what the file was read as
        self.metadata: list[bytes] = []  # lines of an ir_metadata header
        self.topics: dict[str, dict[str, object]] = {}  # what a question file says beside
        self.model: object = None  # what MTEB's predictions say of the model
        self.unread: dict[str, None] = {}  # what the file holds beside, by name
        self.unlabelled = 0
        self.repeated = 0  # documents refused since they stand again
        self.out_of_range = 0
        self.comments: Counter[int] = Counter()  # by their number of fields
        self.comment_lines = 0
        self.interleaved = 0
        self.duplicates = 0
        self.tags: dict[bytes, None] = {}
        self.last_tag = b""
        self.floats = 0
        self.width = 6
        self.judgments = False

    def refuse(self, error: InputError) -> None:
        """Raise a fault, or hand it on where all of them are wanted."""
        if self.on_fault is None:
            raise error
        self.on_fault(error)

    def keep_header(self, source: Source) -> None:
        """Keep the ir_metadata header of a file; its lines do not count as comments."""
        self.metadata = _header_of(source)
        for line in self.metadata:
            self.see_comment(line, -1)

    def see_comment(self, line: bytes, count: int = 1) -> None:
        """Count a comment by its number of fields; three words are often no line of data."""
        self.comment_lines += count
        fields = line.split()
        if len(fields) != 3 or _lines.is_integer(fields[2]):
            self.comments[min(len(fields), 6)] += count

    def warn(self, name: str) -> None:
        """Give each as a warning, a line a kind."""
        said = []
        if self.out_of_range:
            said.append(
                f"{self.out_of_range} scores lie beyond the range of a double and were read as "
                "infinite or 0; such documents tie"
            )
        comments = self.comments[self.width]
        if comments > 0:
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
        if self.duplicates:
            said.append(
                f"{self.duplicates} {'line repeats' if self.duplicates == 1 else 'lines repeat'} a "
                f"document of the same query; the {self.kept} of each was kept"
            )
        if len(self.tags) > 1:
            shown = ", ".join(_lines.quoted(tag) for tag in list(self.tags)[:3])
            said.append(f"{len(self.tags)} tags in one file ({shown}); it is scored as one run")
        if self.unlabelled:
            were = "query names" if self.unlabelled == 1 else "queries name"
            said.append(f"{self.unlabelled} {were} no document; left out")
        if self.floats:
            grades = "grade is" if self.floats == 1 else "grades are"
            said.append(f"{self.floats} {grades} written as 1.0 is, and read as integers")
        if self.width == 5 and not self.judgments:
            said.append("lines have 5 fields; they were read as query_id Q0 docno rank score")
        if self.width == 3 and not self.judgments:
            said.append("lines have 3 fields; they were read as query_id docno rank (MS MARCO)")
        for text in said:
            warn(f"{name}: {text}")


def _header_of(source: Source) -> list[bytes]:
    """Give the lines of an ir_metadata header among the comments that a file begins with.

    Where the mark of its end is not among the next ten thousand of them, it is no header.
    """
    header: list[bytes] = []
    with source.open() as file:
        if file.read(4).removeprefix(_lines.BOM)[:1] != b"#":
            return []
    with source.open() as file:
        for _, line in lines(file, source.name):
            if line[:1] != b"#" or len(header) > _LONGEST_HEADER:
                return []
            if header or line.rstrip() == _METADATA[0]:
                header.append(line)
            if header and line.rstrip() == _METADATA[1]:
                return header
    return []


def chunks(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield a file in chunks of whole lines, without a byte order mark at the start."""
    rest, mark, passed = b"", _lines.BOM, 0
    while data := file.read(max(CHUNK, len(rest))):
        if len(rest) > LONGEST_LINE:
            raise endless(name, passed + 1, rest)
        block = rest + data
        # The last line stays for the next turn, with a CR that may be half a line's end.
        end = max(block.rfind(b"\n"), block.rfind(b"\r", 0, -1)) + 1
        block, rest = block[:end], block[end:]
        if block:
            yield block.removeprefix(mark)
            mark = b""
            passed += line_ends(block)
    if rest:
        yield rest.removeprefix(mark)


def line_ends(block: bytes) -> int:
    """Count ends of lines: LF, CRLF or a lone CR."""
    return block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")


def endless(name: str, line: int, rest: bytes) -> ReadError:
    """Make the error for a line that is too long to be one."""
    saw, code = f"a line of more than {LONGEST_LINE >> 20} MB", "line-endless"
    if b"\0" in rest:
        saw, code = "a NUL byte", "nul-byte"
    return ReadError(name, line, saw, "lines of text", _DAMAGED, code)


def lines(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers; they end with LF, CRLF or a lone CR."""
    number = 0
    for block in chunks(file, name):
        for number, line in enumerate(block.splitlines(), number + 1):  # noqa: B020
            if len(line) > LONGEST_LINE:
                raise endless(name, number, line)
            yield number, line


def read_lines(
    source: Source,
    notes: Notes | None = None,
    split: Callable[[bytes], list[bytes]] = _lines.split,
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the fields of each line of data, with its number; comments and blank lines go.

    With ``notes``, comments are noted there, and NUL bytes refused.
    """
    if notes is not None:
        notes.keep_header(source)
    with source.open() as file:
        for line_number, line in lines(file, source.name):
            if line[:1] == b"#":
                if notes is not None:
                    notes.see_comment(line)
            elif fields := split(line):
                if notes is not None:
                    _refuse_nul(source.name, line_number, line)
                yield line_number, fields


class Reader(ABC):
    """What has been read of a file so far."""

    def __init__(self, source: Source, notes: Notes) -> None:
        self.source, self.notes = source, notes
        self.faulty = False
        self.last: bytes | None = None  # query_id of the line before

    def read(self) -> None:
        """Read the whole file."""
        self.notes.keep_header(self.source)
        with self.source.open() as file:
            number = 1
            for block in chunks(file, self.source.name):
                number += self.take_ordinary(block) or self.take_carefully(number, block)

    def take_carefully(self, number: int, block: bytes) -> int:
        """Take a chunk line by line, and refuse the first that cannot be used; count the lines."""
        if block.isspace():
            return line_ends(block)
        lines = block.splitlines()
        for line_number, line in enumerate(lines, number):
            if len(line) > LONGEST_LINE:
                raise endless(self.source.name, line_number, line)
            if line[:1] == b"#":
                self.notes.see_comment(line)
            elif fields := self.split(line):
                try:
                    _refuse_nul(self.source.name, line_number, line)
                    self.take_line(line_number, fields)
                except ReadError as error:
                    self.faulty = True
                    self.notes.refuse(error)
        return len(lines)

    def split(self, line: bytes) -> list[bytes]:
        """Split a line into its fields."""
        return _lines.split(line)

    @abstractmethod
    def take_ordinary(self, block: bytes) -> int:
        """Take a chunk of ordinary lines at once; give their number, or 0 for none."""

    @abstractmethod
    def take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line of data, or refuse them."""


def ordinary(block: bytes, width: int) -> list[bytes]:
    """Split a chunk with one space, or one tab, between its fields; nothing where it has others.

    With so many delimiters on every line, and ``width`` times as many fields as lines, each line
    has ``width`` fields.
    """
    if (
        len(block) > LONGEST_LINE
        or block.isspace()
        or block[:1] == b"#"
        or b"\n#" in block
        or any(c in block for c in b"\r\v\f\0")
    ):
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


def add(
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


def _refuse_nul(name: str, line_number: int, line: bytes) -> None:
    if b"\0" in line:
        raise ReadError(
            name,
            line_number,
            "a NUL byte",
            "text",
            _DAMAGED,
            "nul-byte",
        )
