"""The reader of large runs: blocks of bytes to columns, with pyarrow and numpy.

pyarrow's CSV reader splits at one delimiter and misreads what is not of that form: a doubled blank
makes a field, a line of six words that begins with # a query. So each block is screened first, and
one that does not fit is written anew, line by line, by the rules of the plain reader. Whatever is
still not plain raises ``Odd``: the plain reader then takes the file, and says what is wrong where.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Generic, NamedTuple, TypeVar

from trec_eval_py.errors import ReadError
from trec_eval_py.ranking import Columns
from trec_eval_py.reading import _lines, _runs
from trec_eval_py.reading._plain import LONGEST_LINE, Notes
from trec_eval_py.reading._sources import Interleaved, Odd, Source

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Bytes = npt.NDArray[np.uint8]
    Integers = npt.NDArray[np.int64]
    Words = npt.NDArray[np.uint64]

T = TypeVar("T")

BLOCK = 6 << 20
ROWS = 200_000
LONG = 64
_FIELDS = {
    6: ["query_id", "q0", "docno", "rank", "score", "tag"],
    5: ["query_id", "q0", "docno", "rank", "score"],
    3: ["query_id", "docno", "rank"],
}


def read_run(
    source: Source,
    notes: Notes,
    work: Callable[[Columns], T],
    format: str = "auto",
) -> Iterator[T]:
    """Read a run block by block, and yield what ``work`` makes of each, in order.

    Reading and ``work`` run in threads beside the caller; memory is bounded by a few blocks, each
    of them whole queries.

    Raises
    ------
    Interleaved
        Where a query is seen again after another one.
    Odd
        Where the plain reader must look: at a document that stands twice in a query, too.
    ReadError
        At the first line that cannot be used.
    """

    def checked(columns: Columns) -> T:
        _refuse_duplicates(columns.docnos, columns.ends)
        return work(columns)

    seen: set[bytes] = set()
    for query_ids, result in _read(source, notes, checked, format, sound=True):
        if len(set(query_ids)) < len(query_ids) or not seen.isdisjoint(query_ids):
            raise Interleaved
        seen.update(query_ids)
        yield result


def read_interleaved(
    source: Source,
    notes: Notes,
    work: Callable[[Columns], T],
    format: str = "auto",
) -> Iterator[T]:
    """Read a run whole, put the lines of each query together, and yield as ``read_run`` does.

    Raises
    ------
    Odd
        Where the plain reader must look.
    ReadError
        At the first line that cannot be used.
    """
    import numpy as np
    import pyarrow as pa

    numbers: dict[bytes, int] = {}
    docnos, scores, queries = [], [], []
    for query_ids, columns in _read(source, notes, lambda columns: columns, format, sound=False):
        if notes.width == 3:  # ranks must rise across the parts of a query
            raise Odd
        known = [numbers.setdefault(query_id, len(numbers)) for query_id in query_ids]
        queries.append(np.repeat(np.array(known, np.int32), np.diff(columns.ends, prepend=0)))
        docnos.append(columns.docnos.cast(pa.large_binary()))
        scores.append(columns.scores)
    all_docnos, all_scores = pa.concat_arrays(docnos), np.concatenate(scores)
    by_query = np.concatenate(queries)
    del docnos, scores, queries
    begins = by_query[np.flatnonzero(np.diff(by_query, prepend=-1))]
    notes.interleaved = int(np.count_nonzero(np.bincount(begins) > 1))
    order, ends = np.argsort(by_query, kind="stable"), np.cumsum(np.bincount(by_query))
    names, first = list(numbers), 0
    while first < len(names):
        start = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, start + ROWS, side="right")))
        rows = order[start : ends[last - 1]]
        columns = Columns(
            names[first:last],
            ends[first:last] - start,
            all_docnos.take(rows).cast(pa.binary()),
            all_scores[rows],
        )
        _refuse_duplicates(columns.docnos, columns.ends)
        yield work(columns)
        first = last


def _read(
    source: Source,
    notes: Notes,
    work: Callable[[Columns], T],
    format: str,
    sound: bool,
) -> Iterator[tuple[list[bytes], T]]:
    """Yield each block's query ids, as they follow each other, and what ``work`` makes of it.

    Where all that is yielded is ``sound``, the first fault is in the first block that has one.
    """
    from concurrent.futures import ThreadPoolExecutor

    free: list[bytearray] = []
    waiting: deque[tuple[Future[_Done[T]], bytearray, int]] = deque()
    workers = max(2, min(4, os.cpu_count() or 2))
    progress: _Progress | None = None
    notes.keep_header(source)
    with source.open() as file, ThreadPoolExecutor(workers) as pool:
        try:
            blocks = _blocks(file, free)
            while block := _next(blocks):
                buffer, length = block
                layout = progress.layout if progress else _layout(source, buffer, length, format)
                progress = progress or _Progress(source, notes, layout, sound)
                width = progress.layout.width
                waiting.append((pool.submit(_work, buffer, length, width, work), buffer, length))
                if len(waiting) > workers:
                    yield progress.take(*waiting[0])
                    free.append(waiting.popleft()[1])
            while waiting and progress:
                yield progress.take(*waiting.popleft())
            if progress is None:  # there is nothing in it
                raise Odd
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _Done(NamedTuple, Generic[T]):
    """What became of one block."""

    lines: int
    query_ids: list[bytes]
    notes: Notes
    result: T


class _Progress:
    """How far a run has been read."""

    def __init__(
        self,
        source: Source,
        notes: Notes,
        layout: _lines.Layout,
        sound: bool,
    ) -> None:
        self._source, self._notes, self.layout, self._sound = source, notes, layout, sound
        self._lines = 0
        self._seen: set[bytes] = set()
        notes.width = layout.width

    def take(
        self, future: Future[_Done[T]], buffer: bytearray, length: int
    ) -> tuple[list[bytes], T]:
        """Take the next block, or refuse it by the rules of the plain reader."""
        try:
            lines, query_ids, found, result = future.result()
        except Odd:
            if self._sound:
                block = bytes(memoryview(buffer)[:length])
                _runs.refuse(
                    self._source,
                    self.layout,
                    self._lines + 1,
                    block,
                    self._seen,
                    self._notes.kept,
                )
            raise
        self._seen.update(query_ids)
        self._lines += lines
        self._notes.out_of_range += found.out_of_range
        self._notes.comments.update(found.comments)
        self._notes.tags.update(found.tags)
        self._notes.last_tag = found.last_tag or self._notes.last_tag
        return query_ids, result


def _next(blocks: Iterator[tuple[bytearray, int]]) -> tuple[bytearray, int] | None:
    """Give the next block; where the stream breaks, the plain reader is to tell of it.

    A line before may be at fault too, and comes first.
    """
    try:
        return next(blocks, None)
    except Exception:
        raise Odd from None


def _work(buffer: bytearray, length: int, width: int, work: Callable[[Columns], T]) -> _Done[T]:
    notes = Notes()
    lines, columns = _parse(buffer, length, width, notes)
    return _Done(lines, columns.query_ids, notes, work(columns))


def _blocks(file: BinaryIO, free: list[bytearray]) -> Iterator[tuple[bytearray, int]]:
    """Cut a file into blocks of whole queries; buffers come from ``free`` where there are any."""
    size, carry, first = BLOCK, b"", True
    while True:
        buffer = free.pop() if free else bytearray()
        if len(buffer) <= size:
            buffer = bytearray(size + 1)
        filled = len(carry)
        buffer[:filled] = carry
        view = memoryview(buffer)
        count = -1
        while filled < size and (count := file.readinto(view[filled:size])):  # type: ignore[attr-defined]
            filled += count
        if first:
            first = False
            if buffer.startswith(_lines.BOM):
                buffer[: filled - 3] = buffer[3:filled]
                filled -= 3
        if count == 0:
            if filled:
                if buffer[filled - 1] != 10:
                    buffer[filled] = 10
                    filled += 1
                yield buffer, filled
            return
        if filled > LONGEST_LINE and buffer.find(b"\n", 0, LONGEST_LINE) < 0:
            raise Odd
        end = _last_query(buffer, filled)
        carry = bytes(view[end:filled])
        del view
        if end:
            yield buffer, end
        else:
            _refuse_repetition(buffer, filled)
            size *= 2  # one query fills the block


def _refuse_repetition(buffer: bytearray, filled: int) -> None:
    """Raise Odd where a query that fills the block begins with a line that stands in it again.

    What unpacks to the same line over and over would else fill the memory before it is refused.
    """
    line = bytes(buffer[: buffer.find(b"\n", 0, filled) + 1])
    if line and buffer.find(b"\n" + line, 0, filled) >= 0:
        raise Odd


def _last_query(buffer: bytearray, filled: int) -> int:
    """Find where the lines of the last whole line's query begin, or 0 where nothing is before.

    Any place between lines of two queries will do; looking at few lines finds one.
    """
    end = buffer.rfind(b"\n", 0, filled) + 1
    same = buffer.rfind(b"\n", 0, end - 1) + 1 if end else 0
    query_id = _query_at(buffer, same, end)
    other, step = same, 1 << 12
    while other > 0:
        start = max(0, same - step)
        other = start and buffer.find(b"\n", start, same) + 1
        if _query_at(buffer, other, end) != query_id:
            break
        if other == 0:
            return 0
        same, step = other, step * 2
    while True:  # the line at other is of another query, the one at same is not
        middle = buffer.find(b"\n", (other + same) // 2, same) + 1
        if middle in (0, same):
            middle = buffer.find(b"\n", other, same) + 1
            if middle in (0, same):
                return same
        if _query_at(buffer, middle, end) == query_id:
            same = middle
        else:
            other = middle


def _query_at(buffer: bytearray, start: int, end: int) -> bytes:
    line_end = buffer.find(b"\n", start, end)
    fields = bytes(buffer[start : line_end if line_end >= 0 else end]).split(None, 1)
    return fields[0] if fields else b""


def _layout(source: Source, buffer: bytearray, length: int, format: str) -> _lines.Layout:
    """Find the layout that the first data line decides on."""
    block = bytes(memoryview(buffer)[:length])
    start = block.rfind(b"\n", 0, length - len(block.lstrip())) + 1  # past blank lines
    while start < length:
        end = block.find(b"\n", start) + 1
        for line in block[start:end].splitlines():
            fields = _lines.split(line)
            if fields and line[:1] != b"#":
                try:
                    return _lines.Layout(source.name, 1, fields, format)
                except ReadError:
                    raise Odd from None
        start = end
    raise Odd


def _parse(buffer: bytearray, length: int, width: int, notes: Notes) -> tuple[int, Columns]:
    """Turn a block into columns, and count its lines."""
    import numpy as np
    import pyarrow as pa

    data = np.frombuffer(buffer, np.uint8, length)
    if length > LONGEST_LINE:
        ends = np.flatnonzero((data == 10) | (data == 13))
        if np.diff(ends, prepend=-1).max(initial=0) > LONGEST_LINE + 1:
            raise Odd
    blanks = _screen(data, width)
    lines = 0 if blanks is None else len(blanks)
    if blanks is None and (data <= 32).all() and not bytes(data).strip():
        lines, data = _count_lines(data), data[:0]
    elif blanks is None:
        lines = _count_lines(data)
        squeezed = _squeezed(data)
        blanks = _screen(squeezed, width)
        if blanks is None:
            squeezed = np.frombuffer(_normalised(bytes(data), width, notes), np.uint8)
            blanks = _screen(squeezed, width)
        data = squeezed
    if not len(data):
        nothing = np.empty(0, np.int64)
        return lines, Columns([], nothing, pa.array([], pa.binary()), nothing.astype(float))
    if blanks is None or bytes(data[:3]) == _lines.BOM:  # which pyarrow would drop
        raise Odd
    return lines, _columns(data, blanks, width, notes)


def _count_lines(data: Bytes) -> int:
    """Count lines that end with LF, CRLF or a lone CR."""
    import numpy as np

    returns = data == 13
    pairs = np.count_nonzero(returns[:-1] & (data[1:] == 10))
    return int(np.count_nonzero(data == 10) + np.count_nonzero(returns) - pairs)


def _screen(data: Bytes, width: int) -> Integers | None:
    """Give the places after each field, a row a line, where every line is of the plain form.

    That is: so many fields, one space or one tab between them, LF at the end, or CRLF at each, and
    no line that begins with #. All bytes up to the space count, so that none hides in a field.
    """
    import numpy as np

    crlf = len(data) > 1 and data[-2] == 13
    count = width + crlf
    places: Integers = np.flatnonzero(data <= 32)
    if not len(places) or len(places) % count or places[0] == 0:
        return None
    adjacent = np.flatnonzero(np.diff(places) == 1)
    if len(adjacent) != crlf * (len(places) // count) or (adjacent % count != width - 1).any():
        return None
    blanks = places.reshape(-1, count)
    found = data[places].reshape(-1, count)
    delimiter = found[0, 0]
    if delimiter not in (9, 32) or (found[:, : width - 1] != delimiter).any():
        return None
    if (found[:, -1] != 10).any() or (crlf and (found[:, -2] != 13).any()):
        return None
    if data[0] == 35 or (data[blanks[:-1, -1] + 1] == 35).any():
        return None
    return blanks[:, :width]


def _squeezed(data: Bytes) -> Bytes:
    """Write each run of white space as one byte: LF where it ends a line, else a space.

    So blanks at both ends of lines, blank lines and CR go. Nothing is left where a line begins with
    #, or would seem to without the blanks before it: those go line by line.
    """
    import numpy as np

    places = np.flatnonzero((data == 32) | ((data >= 9) & (data <= 13)))
    if not len(places) or data[0] == 35:
        return data[:0]
    begins = np.flatnonzero(np.diff(places, prepend=-2) > 1)
    ends_line = np.logical_or.reduceat((data[places] == 10) | (data[places] == 13), begins)
    after = np.append(places[begins[1:] - 1], places[-1]) + 1
    if (data[after[:-1][ends_line[:-1]]] == 35).any():
        return data[:0]
    keep = np.ones(len(data), bool)
    keep[places] = False
    firsts = places[begins]
    keep[firsts] = True
    squeezed = data.copy()
    squeezed[firsts] = np.where(ends_line, 10, 32)
    squeezed = squeezed[keep]
    return squeezed[1:] if firsts[0] == 0 else squeezed


def _normalised(data: bytes, width: int, notes: Notes) -> bytes:
    """Write a block anew in the plain form, by the rules of the plain reader."""
    lines = data.splitlines()
    kept = []
    for line in lines:
        if line[:1] == b"#":
            notes.see_comment(line)
            continue
        fields = _lines.split(line)
        if not fields:
            continue
        if b"\0" in line or len(fields) < width or (width < 6 and len(fields) != width):
            raise Odd
        if len(fields) > 6:
            if not _lines.is_integer(fields[3]):
                raise Odd
            del fields[6:]
        kept.append(b" ".join(fields))
    return b"\n".join([*kept, b""])


def _columns(data: Bytes, blanks: Integers, width: int, notes: Notes) -> Columns:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    delimiter = chr(data[blanks[0, 0]])
    table, scores = _read_scores(data, delimiter, width)
    runs = pc.run_end_encode(table["query_id"].chunk(0), run_end_type=pa.int64())
    ends, docnos = runs.run_ends.to_numpy(), table["docno"].chunk(0)
    ranks = _ranks(table["rank"].chunk(0)) if width < 6 else np.empty(0, np.int64)
    if scores is None:
        scores = _order_of(ranks, ends)
    else:
        extreme = np.flatnonzero((scores == 0) | np.isinf(scores))
        if len(extreme):
            texts = _read_csv(data, delimiter, width, {"score": pa.binary()})["score"]
            for found in pc.value_counts(texts.take(extreme).combine_chunks()).to_pylist():
                text, count = found["values"], found["counts"]
                notes.out_of_range += count * _lines.out_of_range(text, _score(text))
    if width == 6:
        notes.tags.update(dict.fromkeys(_tags(data, blanks, delimiter)))
        notes.last_tag = data[blanks[-1, 4] + 1 : blanks[-1, 5]].tobytes()
    return Columns(runs.values.to_pylist(), ends, docnos, scores)


def _read_scores(
    data: Bytes, delimiter: str, width: int
) -> tuple[pa.Table, npt.NDArray[np.float64] | None]:
    """Read all that is needed of a block, and the scores, where it has any."""
    import numpy as np
    import pyarrow as pa

    others = {"rank": pa.binary()} if width < 6 else {}
    if width == 3:
        return _read_csv(data, delimiter, width, others), None
    try:
        table = _read_csv(data, delimiter, width, {"score": pa.float64(), **others})
        scores: npt.NDArray[np.float64] = table["score"].chunk(0).to_numpy()
    except pa.ArrowInvalid:  # a plus sign, or beyond the range, which the plain rules may allow
        table = _read_csv(data, delimiter, width, {"score": pa.binary(), **others})
        scores = np.array([_score(text) for text in table["score"].to_pylist()])
    if np.isnan(scores).any():
        raise Odd
    return table, scores


def _read_csv(data: Bytes, delimiter: str, width: int, types: dict[str, pa.DataType]) -> pa.Table:
    """Read the query, the docno and the columns named in ``types``."""
    import pyarrow as pa
    from pyarrow import csv

    if len(data) >= 2**31 - 1:
        raise Odd
    columns = {"query_id": pa.binary(), "docno": pa.binary(), **types}
    return csv.read_csv(
        pa.BufferReader(pa.py_buffer(data)),
        read_options=csv.ReadOptions(
            use_threads=False, block_size=len(data) + 1, column_names=_FIELDS[width]
        ),
        parse_options=csv.ParseOptions(
            delimiter=delimiter,
            quote_char=False,
            double_quote=False,
            escape_char=False,
        ),
        convert_options=csv.ConvertOptions(
            check_utf8=False,
            column_types=columns,
            include_columns=list(columns),
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _score(text: bytes) -> float:
    value = _lines.score(text)
    if value is None:
        raise Odd
    return value


def _ranks(texts: pa.Array) -> Integers:
    """Read ranks: decimal digits, and few enough for an integer; the plain reader takes others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    as_text = texts.view(pa.string())
    if not pc.all(pc.ascii_is_decimal(as_text)).as_py():
        raise Odd
    if pc.max(pc.binary_length(texts)).as_py() > 15:
        raise Odd
    ranks: Integers = as_text.cast(pa.int64()).to_numpy()
    return ranks


def _order_of(ranks: Integers, ends: Integers) -> npt.NDArray[np.float64]:
    """Turn the ranks of a MS MARCO run into scores, where they start at 0 or 1 and rise."""
    import numpy as np

    starts = np.concatenate([[0], ends[:-1]])
    rises = np.diff(ranks) > 0
    rises[starts[1:] - 1] = True
    if not rises.all() or (ranks[starts] > 1).any():
        raise Odd
    places = np.arange(1.0, len(ranks) + 1)
    scores: npt.NDArray[np.float64] = np.repeat(starts, ends - starts) - places
    return scores


def _tags(data: Bytes, blanks: Integers, delimiter: str) -> list[bytes]:
    """Give the tags; most files have one, which comparing bytes with the first line tells."""
    import pyarrow as pa

    starts, ends = blanks[:, 4] + 1, blanks[:, 5]
    first = data[starts[0] : ends[0]]
    alike = len(first) < LONG and bool((ends - starts == len(first)).all())
    alike = alike and all((data[starts + i] == byte).all() for i, byte in enumerate(first))
    if alike:
        return [first.tobytes()]
    table = _read_csv(data, delimiter, 6, {"tag": pa.binary()})
    tags: list[bytes] = table["tag"].unique().to_pylist()
    return tags


def _refuse_duplicates(docnos: pa.BinaryArray, ends: Integers) -> None:
    """Raise Odd where a document stands twice in a query.

    Documents are hashed into a table; of those that meet another there, the whole hashes are
    compared, and of those that are equal, the docnos.
    """
    import numpy as np

    rows = len(docnos)
    hashes = _hashes(docnos) ^ (
        np.repeat(np.arange(len(ends), dtype=np.uint64), np.diff(ends, prepend=0))
        * np.uint64(0x9E3779B97F4A7C15)
    )
    hashes *= np.uint64(0xFF51AFD7ED558CCD)
    bits = max(4, int(rows * 4).bit_length())
    slots = (hashes >> np.uint64(64 - bits)).astype(np.int64)
    table = np.empty(1 << bits, np.int32)
    numbers = np.arange(rows, dtype=np.int32)
    table[slots] = numbers
    winners = table[slots]
    lost = np.flatnonzero(winners != numbers)
    if not len(lost):
        return
    met = np.unique(np.concatenate([lost, winners[lost]]))
    order = met[np.argsort(hashes[met], kind="stable")]
    found = hashes[order]
    equal = np.flatnonzero(found[1:] == found[:-1])
    alike = order[np.union1d(equal, equal + 1)]
    queries = np.searchsorted(ends, alike, side="right").tolist()
    documents = docnos.take(alike).to_pylist()
    if len(set(zip(queries, documents, strict=True))) < len(alike):
        raise Odd


def _hashes(docnos: pa.BinaryArray) -> npt.NDArray[np.uint64]:
    """Hash docnos eight bytes at a time, through an unaligned view of pyarrow's buffer."""
    import numpy as np

    _, offsets_buffer, data_buffer = docnos.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[docnos.offset :][: len(docnos) + 1]
    starts, lengths = offsets[:-1].astype(np.int64), np.diff(offsets).astype(np.int64)
    data = np.zeros(int(offsets[-1]) + 8, np.uint8)
    data[:-8] = np.frombuffer(data_buffer, np.uint8)[: offsets[-1]]
    words = np.ndarray((len(data) - 7,), np.uint64, data, strides=(1,))
    masks = np.array([(1 << (8 * n)) - 1 for n in range(9)], np.uint64)
    hashes = lengths.astype(np.uint64)

    def mix(old: Words, begins: Integers, left: Integers) -> Words:
        word = words[begins] & masks[np.minimum(left, 8)]
        mixed = (old ^ word) * np.uint64(0x9FB21C651E98DF25)
        return mixed ^ (mixed >> np.uint64(32))

    hashes = mix(hashes, starts, lengths)
    rows, first = np.flatnonzero(lengths > 8), 8
    while len(rows) and first < LONG:
        hashes[rows] = mix(hashes[rows], starts[rows] + first, lengths[rows] - first)
        first += 8
        rows = rows[lengths[rows] > first]
    for row in rows.tolist():  # what is still left of them is long: Python hashes it whole
        rest = bytes(data[starts[row] + first : starts[row] + lengths[row]])
        hashes[row] ^= np.uint64(hash(rest) & 0xFFFFFFFFFFFFFFFF)
    return hashes
