"""What one conversion knows: its source, what it drops, and what it must refuse."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from trec_eval_py import ranking, reading
from trec_eval_py.converting._choice import Choice
from trec_eval_py.errors import InputError, ReadError, warn
from trec_eval_py.reading import GroupLine, Notes, QrelsLine, Query, RunLine, Source, shown

Line = RunLine | QrelsLine | GroupLine
AnyQuery = Query[Any]

# As ranks are made where a file states none: by the version that `score` stands for by default.
PROFILE = "9.0"
_WHAT = {
    "scores": "scores",
    "ranks": "ranks other than the order of the scores",
    "odd ranks": "ranks that are no integers",
    "tags": "tags",
    "iteration": "second fields",
    "texts": "texts of queries",
    "attributes": "attributes of queries",
    "empty": "queries without a document",
    "subgroups": "names of subgroups",
    "metadata": "lines of ir_metadata",
    "model": "mteb_model_meta",
}


class Work:
    """One conversion under way.

    Attributes
    ----------
    must_hold : bool
        Whether what was written of a query so far is wrong if more of it follows.
    """

    def __init__(self, source: Source, choice: Choice, notes: Notes) -> None:
        self.source, self.choice, self.notes = source, choice, notes
        self.name = reading.name_of(source.name)
        self.must_hold = False
        self.queries = self.lines = 0
        self._lost: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._texts: dict[str, bytes] = {}

    @property
    def target(self) -> str:
        """The format that is written."""
        return self.choice.target

    @property
    def tag(self) -> bytes:
        """What stands for a tag where the source has none: the file's name."""
        return re.sub(rb"[\s\0]", b"_", self.name.encode("utf-8", "backslashreplace")) or b"run"

    def lose(self, what: str, example: bytes | str = b"", count: int = 1) -> None:
        """Note what the target has no place for."""
        self._lost[what] += count
        if example and what not in self._examples:
            one = (
                example.encode("utf-8", "backslashreplace") if isinstance(example, str) else example
            )
            self._examples[what] = shown(one)

    def lose_all(self, what: str, values: Iterable[bytes], kept: bytes = b"") -> None:
        """Note each value but that which says nothing."""
        some = [value for value in values if value != kept]
        if some:
            self.lose(what, some[0], len(some))

    def say(self) -> None:
        """Give what was dropped as warnings, a line a kind."""
        if self.choice.kind == "run" and self.notes.width == 3 and self.target != "msmarco":
            warn(f"{self.name}: scores are made of ranks: they fall from -1")
        for what, count in self._lost.items():
            example = f", first {self._examples[what]}" if what in self._examples else ""
            if what == "bytes":
                text = f"bytes that are no UTF-8 written as \\xNN ({count:,}{example})"
            else:
                text = f"{_WHAT[what]} dropped ({count:,}{example}): {self.target} has none"
            warn(f"{self.name}: {text}")
        comments = ["comments"] if self.notes.comment_lines > 0 else []
        for what in [*self.notes.unread, *comments]:
            warn(f"{self.name}: {what} dropped: they are not read")

    def refuse(self, line: int | None, saw: str, expected: str, fix: str) -> NoReturn:
        """Refuse what the target cannot hold."""
        raise ReadError(self.source.name, line, saw, expected, fix, "not-in-target")

    def refuse_id(self, query: AnyQuery, docno: bytes | None, expected: str) -> NoReturn:
        """Refuse an id, naming query and document."""
        saw = f"query {shown(query.query_id)}"
        line = query.line
        if docno is not None:
            saw = f"document {shown(docno)} of {saw}"
            line = next((one.line for one in query.lines if one.docno == docno), line)
        groups = self.choice.kind == "groups"
        fix = "Rename it." if groups else "Rename it, or convert to json or parquet."
        self.refuse(line, saw, f"{expected}, to be told from the rest in {self.target}", fix)

    def ranks(self, lines: Sequence[RunLine], texts: Sequence[str] = ()) -> list[bytes]:
        """Give ranks as trec_eval has them, of docnos or what stands for them."""
        docnos = [text.encode() for text in texts] or [line.docno for line in lines]
        scores = (line.score for line in lines)
        order, _ = ranking.rank(dict(zip(docnos, scores, strict=True)), PROFILE)
        places = {docno: b"%d" % place for place, docno in enumerate(order, 1)}
        return [places[docno] for docno in docnos]

    def stated_ranks(self, lines: Sequence[RunLine]) -> list[bytes]:
        """Give ranks as they are stated; where they are not, as trec_eval has them."""
        stated = [line.rank for line in lines]
        if all(stated):
            return stated
        self.must_hold = True
        return [one or made for one, made in zip(stated, self.ranks(lines), strict=True)]

    def texts(self, query: AnyQuery) -> tuple[str, list[str]]:
        r"""Give the query_id and the docnos as text; bytes that are no UTF-8 become ``\xNN``."""
        query_id, docnos = query.query_id, [line.docno for line in query.lines]
        try:
            text, texts = query_id.decode(), [docno.decode() for docno in docnos]
        except UnicodeDecodeError:
            self.must_hold = True
            text, texts = self.text(query_id), [self.text(docno) for docno in docnos]
            reading.texts(dict.fromkeys(docnos), f"{self.name}: query {shown(query_id)}")
        if self._texts.setdefault(text, query_id) != query_id:
            raise InputError(
                f"{self.name}: saw queries {self._texts[text]!r} and {query_id!r}, which are alike "
                "as text, expected ids that differ. Rename one."
            )
        return text, texts

    def text(self, value: bytes) -> str:
        r"""Give text; bytes that are no UTF-8 become ``\xNN``, which is noted."""
        text = value.decode("utf-8", "backslashreplace")
        if text.encode() != value:
            self.lose("bytes", text)
        return text

    def json(self, value: object, query: AnyQuery | None = None) -> str:
        """Write JSON, or refuse numbers that it has not."""
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except ValueError:
            where = f"query {shown(query.query_id)}" if query else "mteb_model_meta"
            saw = f"a number that is infinite or NaN beside {where}"
            line = query.line if query else None
            self.refuse(line, saw, "finite ones: JSON has no other", "Mend or drop it.")
        try:
            text.encode()
        except UnicodeEncodeError:  # a lone surrogate, which only an escape can say
            return json.dumps(value)
        return text

    def refuse_twice(self, query: AnyQuery) -> None:
        """Refuse a document that stands twice in what is held of a query."""
        keys: list[object] = [line.docno for line in query.lines]
        if self.choice.kind == "groups":
            keys = [(line.group, line.subgroup, line.docno) for line in query.lines]
        if len(set(keys)) == len(keys):
            return
        first: dict[object, int] = {}
        for key, line in zip(keys, query.lines, strict=True):
            if key in first:
                above = first[key]
                where = f" (first on line {above})" if above != line.line else ""
                group = f", group {shown(line.group)}" if isinstance(line, GroupLine) else ""
                raise ReadError(
                    self.source.name,
                    line.line,
                    f"document {shown(line.docno)} again for query {shown(query.query_id)}"
                    f"{group}{where}",
                    "a document once per query" if not group else "a document once per group",
                    "Keep one of them.",
                    "document-twice",
                )
            first[key] = line.line
