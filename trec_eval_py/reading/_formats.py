"""Which format a file has, told by its content; and the reader of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trec_eval_py.errors import ReadError, UsageError
from trec_eval_py.ranking import GroupedQrels, Judgments, Preferences, Qrels
from trec_eval_py.reading import _groups, _judgments, _lines, _runs, _tables
from trec_eval_py.reading._plain import Notes, read_lines
from trec_eval_py.reading._sources import Source
from trec_eval_py.reading._values import grade, score, values_of

RUN_FORMATS = ("auto", "trec", "msmarco", "json", "rank_llm", "mteb", "parquet")
# Judgments of one grade a document: told by content. Those of several look like them, or like
# nothing else, and are read only when asked for.
FLAT_FORMATS = ("auto", "qrels", "beir", "json", "jsonl", "parquet", "letor")
GROUPED_FORMATS = ("qrels_jg", "prefs", "qrels_prefs", "subtopics")
QRELS_FORMATS = (*FLAT_FORMATS, *GROUPED_FORMATS)

_TEXT = ("trec", "msmarco", "qrels", "beir", "letor")
TEXT_OF = {6: "trec", 5: "trec (5 fields, no tag)", 3: "msmarco"}


def check_run_format(wanted: str) -> str:
    """Refuse what names no format of runs; ``mteb:SUBSET/SPLIT`` names a part.

    Raises
    ------
    UsageError
        Listing the formats there are.
    """
    name, _, part = wanted.partition(":")
    if name not in RUN_FORMATS or (part and name != "mteb"):
        raise UsageError(
            f"run_format: saw {wanted!r}, expected one of {', '.join(RUN_FORMATS)} (mteb takes a "
            "part: mteb:default/test)."
        )
    return wanted


def check_qrels_format(wanted: str) -> str:
    """Refuse what names no format of judgments.

    Raises
    ------
    UsageError
        Listing the formats there are.
    """
    if wanted not in QRELS_FORMATS:
        raise UsageError(
            f"qrels_format: saw {wanted!r}, expected one of {', '.join(QRELS_FORMATS)}."
        )
    return wanted


def run_format_of(source: Source, wanted: str = "auto") -> str:
    """Tell the format of a run; ``text`` where lines are to be read and their form is open.

    Raises
    ------
    ReadError
        Where the file is of a format that holds judgments.
    """
    format = _told(source) if wanted == "auto" else wanted
    if format == "jsonl":
        fix = (
            'Judgments come first, then runs; a run is {"q1": {"d1": 9.5}}, or lines of '
            '{"query": {"qid": "q1"}, "candidates": [...]}.'
        )
        raise _swapped(source, "JSON lines that are none of rank_llm's", "a run", fix)
    return format


def qrels_format_of(source: Source, wanted: str = "auto") -> str:
    """Tell the format of judgments; ``text`` where lines are to be read and their form is open.

    Raises
    ------
    ReadError
        Where the file is of a format that holds a run.
    """
    format = _told(source) if wanted == "auto" else wanted
    if format in ("rank_llm", "mteb"):
        fix = "Qrels come first, then runs."
        raise _swapped(source, f"a run as {format} writes it", "judgments", fix)
    return format


def _told(source: Source) -> str:
    """Tell by the content: parquet, a kind of JSON, or text."""
    if source.is_parquet:
        return "parquet"
    if not source.is_json:
        return "text"
    from trec_eval_py.reading import _json  # and json itself, which text spares

    return _json.kind_of(source)


def _swapped(source: Source, saw: str, expected: str, fix: str) -> ReadError:
    return ReadError(source.name, 1, saw, expected, fix, "swapped")


def read_run(
    source: Source,
    notes: Notes,
    wanted: str = "auto",
    on_line: Callable[[_runs.RunLine], object] | None = None,
) -> dict[bytes, dict[bytes, float]]:
    """Read a run of any format as query_id to docno to score; ``on_line`` takes lines of text."""
    format, _, part = run_format_of(source, wanted).partition(":")
    if format in ("text", *_TEXT):
        lines = "auto" if format == "text" else format
        queries = _runs.read_run(source, notes, lines, on_line)
        notes.format = TEXT_OF[notes.width]
        return queries
    notes.format = f"{format} ({part})" if part else format
    if format == "parquet":
        queries = _tables.read_run(source, notes)
    else:
        from trec_eval_py.reading import _json  # and json itself, which text spares

        queries = _json.read_run(source, notes, format, part)  # type: ignore[arg-type]
    if not queries:
        notes.refuse(_runs.nothing(source))
    return queries


def read_flat(
    source: Source,
    notes: Notes,
    wanted: str = "auto",
    on_line: Callable[[_judgments.QrelsLine], object] | None = None,
) -> dict[bytes, dict[bytes, int]]:
    """Read judgments of one grade a document, of any format, as query_id to docno to grade."""
    format = qrels_format_of(source, wanted)
    if format in ("text", *_TEXT):
        lines = "auto" if format == "text" else format
        return _judgments.read_qrels(source, notes, lines, on_line)
    notes.format = format
    if format == "parquet":
        qrels = _tables.read_qrels(source, notes)
    else:
        from trec_eval_py.reading import _json  # and json itself, which text spares

        qrels = _json.read_qrels(source, notes, format)  # type: ignore[arg-type]
    if not qrels:
        notes.refuse(_judgments.nothing(source))
    return qrels


def read_judgments(
    source: Source, notes: Notes, wanted: str = "auto", profile: str = "9.0"
) -> Judgments:
    """Read judgments of any form and format."""
    if wanted in ("qrels_jg", "subtopics"):
        notes.format = wanted
        return GroupedQrels(_groups.read_grouped(source, notes, wanted), wanted)
    if wanted in GROUPED_FORMATS:
        notes.format = wanted
        return Preferences(_groups.read_preferences(source, notes, wanted), source.name, profile)
    return Qrels(read_flat(source, notes, wanted))


def run_records(source: Source, notes: Notes, wanted: str = "auto") -> Iterator[_runs.RunLine]:
    """Yield the documents of a run of any format, in the order of the file, holding none.

    ``line`` is a row in Parquet, and where a query begins in JSON. A document may stand twice.

    Raises
    ------
    ReadError
        At the first line that cannot be used.
    """
    format, _, part = run_format_of(source, wanted).partition(":")
    notes.format = f"{format} ({part})" if part else format
    if format in ("text", *_TEXT):
        lines = "auto" if format == "text" else format
        for line in _runs.run_lines(source, notes, lines):
            notes.format = TEXT_OF[notes.width]
            yield line
    elif format == "parquet":
        for row in _tables.run_rows(source, notes):
            ids = values_of(source, row.number, *row[1:4], score)
            rank, tag, iteration = map(_tables.beside, row.others)
            yield _runs.RunLine(row.number, *ids, rank, tag, iteration or b"Q0")
    else:
        from trec_eval_py.reading import _json  # and json itself, which text spares

        for answer in _json.run_answers(source, notes, format, part):  # type: ignore[arg-type]
            for docno, value in answer.documents:
                read = values_of(source, answer.line, answer.query_id, docno, value, score)
                yield _runs.RunLine(answer.line, *read)


def qrels_records(
    source: Source, notes: Notes, wanted: str = "auto"
) -> Iterator[_judgments.QrelsLine]:
    """Yield judgments of one grade a document, of any format, as ``run_records`` does.

    What a question file says of a query stands in ``notes.topics`` before its documents.
    """
    format = qrels_format_of(source, wanted)
    notes.format = format
    if format in ("text", *_TEXT):
        lines = "auto" if format == "text" else format
        yield from _judgments.qrels_lines(source, notes, lines)
    elif format == "parquet":
        for row in _tables.qrels_rows(source, notes):
            pair = values_of(source, row.number, *row[1:4], grade)
            iteration = _tables.beside(row.others[0]) or b"0"
            yield _judgments.QrelsLine(row.number, *pair, iteration)
    else:
        from trec_eval_py.reading import _json  # and json itself, which text spares

        for answer in _json.qrels_answers(source, notes, format):  # type: ignore[arg-type]
            for docno, value in answer.documents:
                read = values_of(source, answer.line, answer.query_id, docno, value, grade)
                yield _judgments.QrelsLine(answer.line, *read)


def holds(source: Source) -> str:
    """Say what a file seems to hold: run, qrels or scores; nothing where it cannot be told.

    By its format where that tells; else by the first line, or by the values of the first query.
    """
    if source.is_parquet:
        return _tables.holds(source)
    if source.is_json:
        from trec_eval_py.reading import _json  # and json itself, which text spares

        kind = _json.kind_of(source)
        if kind == "jsonl":
            with _json.opened(source, Notes()) as text:
                first = text.value()
            keys = {key for key, _ in first} if isinstance(first, _json.Members) else set()
            return "scores" if {"run", "measure"} <= keys else "qrels"
        if kind != "json":
            return "run"
        for answer in _json.run_answers(source, Notes(on_fault=lambda _: None), "json"):
            # ranx's rule: grades are integers, scores are floats; a list is a ranking.
            values = [value for _, value in answer.documents]
            if not values:
                continue
            whole = all(isinstance(value, int) for value in values)
            return "qrels" if whole and answer.by_docno else "run"
        return "run"
    for _, fields in read_lines(source):
        if fields == _judgments.BEIR_HEADER or _judgments.looks_like_letor(fields):
            return "qrels"
        if len(fields) == 1 and b"query_id" in fields[0]:
            return "scores"
        if len(fields) == 4:
            return "run" if _lines.grade(fields[3]) is None else "qrels"
        # Of preferences, the fourth is a docno; of runs, a rank.
        return "qrels" if len(fields) == 5 and not _lines.is_integer(fields[3]) else "run"
    return ""
