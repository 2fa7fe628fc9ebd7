"""The query ids of a file of topics: TSV, CSV or JSON lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain

from trec_eval_py.errors import ReadError
from trec_eval_py.reading import _lines, _plain
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source
from trec_eval_py.reading._values import Place, Unusable, identifier

# What the column, or the key, of the id is called: ours, PyTerrier's, BEIR's.
_NAMES = ("query_id", "qid", "query-id", "_id", "id")
_EXPECTED = "a query_id, then a tab or comma if anything follows"


def read_topics(source: Source, notes: Notes | None = None) -> list[bytes]:
    """Read the query ids of topics, in order.

    Lines of JSON name them by one of their usual keys; else they are the first column, up to a tab,
    or a comma where the first line holds no tab. A header that names the column is passed over.

    Parameters
    ----------
    source : Source
        Of the topics.
    notes : Notes, optional
        Where faults go; by default the first one is raised.

    Returns
    -------
    list of bytes
        Each query_id once.

    Raises
    ------
    ReadError
        Where a line has no id, one stands twice, or there is none.
    """
    notes = Notes() if notes is None else notes
    ids = _from_json(source, notes) if source.is_json else _from_text(source, notes)
    first: dict[bytes, int] = {}
    for line, query_id in ids:
        if query_id not in first:
            first[query_id] = line
            continue
        saw = f"query {_lines.quoted(query_id)} again (first on line {first[query_id]})"
        fix = "Drop one of them."
        notes.refuse(ReadError(source.name, line, saw, "each query once", fix, "topic-twice"))
    if not first:
        fix = "Check what wrote the file."
        fault = "no topic", "a query_id a line", fix, "file-empty"
        notes.refuse(ReadError(source.name, None, *fault))
    return list(first)


def _from_json(source: Source, notes: Notes) -> Iterator[tuple[int, bytes]]:
    from trec_eval_py.reading import _json  # and json itself, which text spares

    with _json.opened(source, Notes()) as text:
        while text.peek():
            line, value = text.line, text.value()
            found = None
            if isinstance(value, _json.Members):
                found = next((v for name in _NAMES if (v := value.get(name)) is not None), None)
            try:
                query_id = identifier(found)
            except Unusable:
                saw, expected = _json.brief_value(value), f"an object with {_NAMES[0]}"
                error = Unusable(saw, expected, "Name the query.", "topics")
                notes.refuse(Place(source.name, line, in_file=True).fault(error))
                continue
            yield line, query_id


def _from_text(source: Source, notes: Notes) -> Iterator[tuple[int, bytes]]:
    header = True
    for number, cell in _first_cells(source, notes):
        if header and cell.decode("latin-1").lower() in _NAMES:
            header = False
            continue
        header = False
        if cell[:1] == b"<":
            fix = "Write lines of query_id, tab, text."
            saw = f"markup {_lines.quoted(cell)}"
            raise ReadError(source.name, number, saw, _EXPECTED, fix, "topics")
        if len(cell.split()) == 1 and b"\0" not in cell:
            yield number, cell
            continue
        saw = f"first column {_lines.quoted(cell)}"
        fix = "Separate columns by tabs or commas, and name each query."
        notes.refuse(ReadError(source.name, number, saw, _EXPECTED, fix, "topics"))


def _first_cells(source: Source, notes: Notes) -> Iterator[tuple[int, bytes]]:
    """Yield the first cell of each line of data, with its number."""
    with source.open() as file:
        lines = (
            (number, line)
            for number, line in _plain.lines(file, source.name)
            if line[:1] != b"#" and line.strip()
        )
        for number, line in lines:
            rest = chain([(number, line)], lines)
            if b"\t" not in line and b"," in line:
                yield from _of_csv(source.name, rest, notes)
            else:
                yield from ((at, one.split(b"\t", 1)[0].strip()) for at, one in rest)


def _of_csv(
    name: str, lines: Iterator[tuple[int, bytes]], notes: Notes
) -> Iterator[tuple[int, bytes]]:
    """Yield the first cell of each row, with the line where it begins: cells may hold line ends."""
    start = 0

    def texts() -> Iterator[str]:
        nonlocal start
        for number, line in lines:
            start = start or number
            yield f"{line.decode('utf-8', 'surrogateescape')}\n"

    rows = csv.reader(texts(), strict=True)
    while True:
        start = 0
        try:
            cell = next(rows)[0]
        except StopIteration:
            return
        except csv.Error as error:  # the reader goes on with the next line
            fix = "Write cells that hold a comma or a quote in double quotes."
            notes.refuse(ReadError(name, start, f"no CSV ({error})", _EXPECTED, fix, "topics"))
            continue
        yield start, cell.strip().encode("utf-8", "surrogateescape")
