"""Writers of each target: text put together a query at a time, and Parquet by batches of rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from trec_eval_py import reading
from trec_eval_py.converting import _json, _lines
from trec_eval_py.converting._work import AnyQuery, Work
from trec_eval_py.errors import ReadError
from trec_eval_py.reading import Notes, Source

BATCH = 1 << 16


class Form(NamedTuple):
    """How a target of text is put together."""

    encode: Callable[[Any, Work], bytes | str]
    start: str = ""
    between: str = ""
    end: str = ""
    together: bool = False
    """Whether all of a query must stand in one place."""
    empty: bool = False
    """Whether it holds a query without a document."""


RUN_FORMS = {
    "trec": Form(_lines.trec),
    "msmarco": Form(_lines.msmarco, together=True),
    "json": Form(_json.scores, "{", ",\n", "}\n", together=True, empty=True),
    "rank_llm": Form(_json.candidates, "", "\n", "\n", together=True, empty=True),
    "mteb": Form(_json.scores, "{", ",\n", "}}}\n", together=True, empty=True),
}
QRELS_FORMS = {
    "qrels": Form(_lines.qrels),
    "beir": Form(_lines.beir, "query-id\tcorpus-id\tscore\n"),
    "letor": Form(_lines.letor),
    "json": Form(_json.grades, "{", ",\n", "}\n", together=True, empty=True),
    "jsonl": Form(_json.questions, "", "\n", "\n", together=True, empty=True),
}
GROUP_FORM = Form(_lines.groups)


class TextWriter:
    """Writes a target of text."""

    def __init__(self, file: IO[bytes], work: Work) -> None:
        forms = RUN_FORMS if work.choice.kind == "run" else QRELS_FORMS
        self.form = GROUP_FORM if work.choice.kind == "groups" else forms[work.target]
        self._file, self._work = file, work
        self._begun, self._header, self._model = False, 0, False

    @property
    def together(self) -> bool:
        """Whether all of a query must stand in one place."""
        return self.form.together

    @property
    def empty(self) -> bool:
        """Whether it holds a query without a document."""
        return self.form.empty

    def add(self, query: AnyQuery) -> None:
        """Write what is held of a query."""
        text = self.form.encode(query, self._work)
        data = text if isinstance(text, bytes) else text.encode()
        if self._begun:
            self._file.write(self.form.between.encode())
        else:
            start = self._start()
            if isinstance(text, bytes):
                _check_told(start + data[: data.index(b"\n") + 1], query, self._work)
            self._file.write(start)
        self._file.write(data)
        self._begun = True

    def end(self) -> None:
        """Finish, and note what is left of headers."""
        if not self._begun:
            self._file.write(self._start())
        self._file.write(self.form.end.encode())
        left = self._work.notes.metadata[self._header :]
        if left:
            self._work.lose("metadata", left[0], len(left))
        if self._work.notes.model is not None and not self._model:
            self._work.lose("model")

    def close(self) -> None:
        """Leave the file as it is."""

    def _start(self) -> bytes:
        work = self._work
        if work.target == "mteb":
            meta = work.notes.model
            self._model = meta is not None  # else it may come last, or there is none
            if meta is None:
                meta = {"model_name": work.tag.decode(), "revision": None}
            subset, _, split = (work.choice.part or "default/test").partition("/")
            names = work.json(subset), work.json(split)
            text = f'{{"mteb_model_meta": {work.json(meta)},\n{names[0]}: {{{names[1]}: {{\n'
            return text.encode()
        if work.target in ("trec", "qrels"):
            self._header = len(work.notes.metadata)
            return b"".join(line + b"\n" for line in work.notes.metadata)
        return self.form.start.encode()


def _check_told(head: bytes, query: AnyQuery, work: Work) -> None:
    """Refuse a first line that would be read as something else than it says."""
    with tempfile.TemporaryDirectory(prefix="trec_eval_py-") as folder:
        path = Path(folder, "head")
        path.write_bytes(head)
        found: AnyQuery | None = None
        with suppress(ReadError):
            source, notes = Source(path), Notes()
            if work.choice.kind == "run":
                found = next(reading.run_queries(source, notes), None)
            elif work.choice.kind == "qrels":
                found = next(reading.qrels_queries(source, notes), None)
            else:
                found = next(reading.group_queries(source, notes, work.target), None)
    pair = (found.query_id, found.lines[0].docno) if found and found.lines else None
    if pair != (query.query_id, query.lines[0].docno) and work.target != "msmarco":
        expected = "an id that makes the file no other format, at its start"
        work.refuse_id(query, None, expected)


class ParquetWriter:
    """Writes a table, a batch of rows after the other."""

    together = empty = False

    def __init__(self, file: IO[bytes], work: Work) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        text, self._run = pa.string(), work.choice.kind == "run"
        columns = {"query_id": text, "docno": text, "iteration": text, "relevance": pa.int64()}
        if self._run:
            columns = {"query_id": text, "docno": text, "rank": pa.int64(), "score": pa.float64()}
            columns |= {"tag": text, "iteration": text}
        self._schema = pa.schema(list(columns.items()))
        self._work, self._rows = work, self._none()
        self._writer = parquet.ParquetWriter(file, self._schema)

    def add(self, query: AnyQuery) -> None:
        """Write what is held of a query."""
        work, rows, lines = self._work, self._rows, query.lines
        query_id, docnos = work.texts(query)
        rows["query_id"] += [query_id] * len(lines)
        rows["docno"] += docnos
        known = {one: work.text(one) for one in {line.iteration for line in lines}}
        rows["iteration"] += [known[line.iteration] for line in lines]
        if self._run:
            rows["rank"] += map(self._rank, work.stated_ranks(lines))
            rows["score"] += [line.score for line in lines]
            known = {one: work.text(one) for one in {line.tag for line in lines}}
            rows["tag"] += [known[line.tag] for line in lines]
        else:
            rows["relevance"] += [line.relevance for line in lines]
        if len(rows["query_id"]) >= BATCH:
            self._flush()

    def end(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()
        metadata = self._work.notes.metadata
        if metadata:
            self._work.lose("metadata", metadata[0], len(metadata))
        if self._work.notes.model is not None:
            self._work.lose("model")

    def close(self) -> None:
        """Give up, so that nothing is written to a closed file later."""
        with suppress(Exception):
            self._writer.close()

    def _rank(self, rank: bytes) -> int | None:
        """Give a rank as a number; none where that would not give its text back."""
        value = int(rank) if rank.isdigit() and len(rank) < 19 else None
        if value is None or b"%d" % value != rank:
            self._work.lose("odd ranks", rank)
            return None
        return value

    def _flush(self) -> None:
        import pyarrow as pa

        if self._rows["query_id"]:
            self._writer.write_table(pa.table(self._rows, schema=self._schema))
        self._rows = self._none()

    def _none(self) -> dict[str, list[Any]]:
        return {name: [] for name in self._schema.names}
