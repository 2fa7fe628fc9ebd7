"""The query ids of a file of topics: TSV, CSV or JSON lines."""

from __future__ import annotations

import csv
import io

from trec_eval_py.errors import ReadError
from trec_eval_py.reading import _lines, _plain
from trec_eval_py.reading._plain import Notes
from trec_eval_py.reading._sources import Source
from trec_eval_py.reading._values import Place, Unusable, identifier, shown

# What the column, or the key, of the id is called: ours, PyTerrier's, BEIR's.
_NAMES = ("query_id", "qid", "query-id", "_id", "id")


def read_topics(source: Source) -> list[bytes]:
    """Read the query ids of topics, in order.

    Lines of JSON name them by one of their usual keys; else they are the first column, up to a tab,
    or a comma where the first line holds no tab. A header that names the column is passed over.

    Raises
    ------
    ReadError
        Where a line has no id, one stands twice, or there is none.
    """
    ids = _from_json(source) if source.is_json else _from_text(source)
    first: dict[bytes, int] = {}
    for line, query_id in ids:
        if query_id in first:
            saw = f"query {_lines.quoted(query_id)} again (first on line {first[query_id]})"
            fix = "Drop one of them."
            raise ReadError(source.name, line, saw, "each query once", fix, "topic-twice")
        first[query_id] = line
    if not first:
        raise ReadError(
            source.name, None, "no topic", "a query_id a line", "Check it.", "file-empty"
        )
    return list(first)


def _from_json(source: Source) -> list[tuple[int, bytes]]:
    from trec_eval_py.reading import _json  # and json itself, which text spares

    ids = []
    with _json.opened(source, Notes()) as text:
        while text.peek():
            line, value = text.line, text.value()
            found = None
            if isinstance(value, _json.Members):
                found = next((v for name in _NAMES if (v := value.get(name)) is not None), None)
            try:
                ids.append((line, identifier(found)))
            except Unusable:
                saw = _json.brief_value(value)
                error = Unusable(saw, f"an object with {_NAMES[0]}", "Name the query.", "topics")
                raise Place(source.name, line, in_file=True).fault(error) from None
    return ids


def _from_text(source: Source) -> list[tuple[int, bytes]]:
    ids: list[tuple[int, bytes]] = []
    comma = None
    with source.open() as file:
        for number, line in _plain.lines(file, source.name):
            if line[:1] == b"#" or not line.strip():
                continue
            if comma is None:
                comma = b"\t" not in line and b"," in line
            cell = line.split(b"\t", 1)[0].strip()
            if comma:
                row = next(csv.reader(io.StringIO(line.decode("utf-8", "surrogateescape"))))
                cell = row[0].strip().encode("utf-8", "surrogateescape")
            if not ids and cell.decode("latin-1") in _NAMES:
                continue
            if not cell or b" " in cell:
                saw = f"first column {shown(cell.decode('utf-8', 'backslashreplace'))}"
                fix = "Separate columns by tabs or commas, and name each query."
                raise ReadError(source.name, number, saw, "a query_id", fix, "topics")
            ids.append((number, cell))
    return ids
