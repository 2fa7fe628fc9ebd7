"""From files, streams, dicts and frames to runs and qrels.

Ids are bytes inside. ``read_run`` and ``read_qrels`` are the public door and give frames; the rest
hands dicts or columns on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trec_eval_py.errors import InputError, ReadError, UsageError
from trec_eval_py.ranking import PROFILES, Columns, Judgments, Qrels, rank
from trec_eval_py.reading import _formats, _judgments, _lines, _memory, _runs
from trec_eval_py.reading._cells import any_length, json_object
from trec_eval_py.reading._formats import (
    FLAT_FORMATS,
    GROUPED_FORMATS,
    QRELS_FORMATS,
    RUN_FORMATS,
    check_qrels_format,
    check_run_format,
    holds,
    qrels_format_of,
    qrels_records,
    run_format_of,
    run_records,
)
from trec_eval_py.reading._groups import GroupLine, group_lines
from trec_eval_py.reading._judgments import QrelsLine
from trec_eval_py.reading._lines import LONGEST_ANSWER, field_count
from trec_eval_py.reading._plain import DUPLICATES, Duplicates, Notes, read_lines
from trec_eval_py.reading._queries import Query, group_queries, qrels_queries, run_queries
from trec_eval_py.reading._runs import RunLine
from trec_eval_py.reading._sources import Interleaved, Odd, Source
from trec_eval_py.reading._topics import read_topics
from trec_eval_py.reading._values import Place, Unusable, identifier
from trec_eval_py.schemas import QRELS, RUN, frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DUPLICATES",
    "FLAT_FORMATS",
    "FORMS",
    "GROUPED_FORMATS",
    "LONGEST_ANSWER",
    "QRELS_FORMATS",
    "RUN_FORMATS",
    "Duplicates",
    "GroupLine",
    "Interleaved",
    "Notes",
    "Odd",
    "QrelsLine",
    "Query",
    "RunLine",
    "Source",
    "any_length",
    "check_qrels_format",
    "check_run_format",
    "encoded",
    "field_count",
    "group_lines",
    "group_queries",
    "holds",
    "is_text_run",
    "json_object",
    "legible",
    "load_docno_map",
    "load_judgments",
    "load_run",
    "load_tagged_run",
    "metadata_of",
    "name_of",
    "number",
    "qrels_format_of",
    "qrels_queries",
    "qrels_records",
    "read_lines",
    "read_qrels",
    "read_run",
    "read_topics",
    "run_format_of",
    "run_queries",
    "run_records",
    "scan_run",
    "shown",
    "stream_run",
    "tag_of",
    "texts",
]

T = TypeVar("T")

# How trec_eval's -R reads judgments.
FORMS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")

_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst", ".lz4")
_SUFFIXES = (
    *(".run", ".trec", ".txt", ".tsv", ".csv", ".res", ".results", ".qrels"),
    *(".json", ".jsonl", ".parquet"),
)


def read_run(
    run: object,
    profile: str = "9.0",
    *,
    run_format: str = "auto",
    duplicates: Duplicates = "refuse",
) -> pd.DataFrame:
    """Read a run.

    The rank that a file states is ignored: ranks follow from the scores, as in trec_eval.

    Parameters
    ----------
    run : path, mapping or DataFrame
        A file: 6 fields a line (query_id Q0 docno rank score tag), 5 (no tag) or 3 (MS MARCO:
        query_id docno rank); JSON (query_id to docno to score, or to a ranked list), what rank_llm
        or MTEB write, or Parquet; plain or compressed (gzip, bzip2, xz, zstd, lz4). Both are told
        by content. Or in memory, query_id to docno to score, query_id to a ranked list, or a frame.
    profile : {"9.0", "10.0"}
        Whether scores compare as C floats or as doubles.
    run_format : str
        Forces a format of files: trec, msmarco, json, rank_llm, mteb (mteb:SUBSET/SPLIT for one
        part) or parquet.
    duplicates : {"refuse", "first", "best"}
        What becomes of a document that stands twice in a query: it is refused, or its first line
        is kept, or the one with the highest score.

    Returns
    -------
    DataFrame
        Columns query_id, docno, rank (from 1), score, tag (empty where there is none); shape
        (documents, 5); ordered by query_id (by bytes), then rank. Ties go to the docno that sorts
        last by bytes. ``attrs["ir_metadata"]`` holds the text of an ir_metadata header, if any.

    Raises
    ------
    ReadError
        At ``file:line``, on a wrong number of fields, a score that is no number, a document twice
        in a query; where a file has no run line.
    InputError
        On the same in memory, naming query and document.
    UsageError
        Where there is no such file.

    Warns
    -----
    TrecEvalWarning
        On what was read in a way that may surprise: see the README.

    References
    ----------
    trec_eval 9.0.8, get_trec_results.c (fields) and form_res_rels.c (order of ties).
    """
    if profile not in PROFILES:
        raise UsageError(f"profile: saw {profile!r}, expected one of {', '.join(PROFILES)}.")
    tags: dict[bytes, dict[bytes, bytes]] = {}
    notes = Notes(_checked(duplicates))
    check_run_format(run_format)
    if isinstance(run, str | os.PathLike):
        source = Source(run)

        def keep_tag(line: _runs.RunLine) -> None:
            tags.setdefault(line.query_id, {}).setdefault(line.docno, line.tag)

        queries = _formats.read_run(source, notes, run_format, keep_tag)
        notes.warn(source.name)
    else:
        queries = _memory.run(run, "run", notes)
        notes.warn("run")
    columns: dict[str, list[object]] = {name: [] for name in RUN.columns}
    shown = texts(queries, "run")
    for query_id in sorted(queries):
        scores = queries[query_id]
        docnos, _ = rank(scores, profile)
        tag = tags.get(query_id, {})
        columns["query_id"] += [shown[query_id]] * len(docnos)
        columns["docno"] += texts(docnos, "run").values()
        columns["rank"] += range(1, len(docnos) + 1)
        columns["score"] += [scores[docno] for docno in docnos]
        columns["tag"] += [tag.get(d, b"").decode("utf-8", "backslashreplace") for d in docnos]
    table = frame(RUN, columns)
    if notes.metadata:
        table.attrs["ir_metadata"] = metadata_of(notes)
    return table


def read_qrels(
    qrels: object, *, qrels_format: str = "auto", duplicates: Duplicates = "refuse"
) -> pd.DataFrame:
    """Read judgments.

    Parameters
    ----------
    qrels : path, mapping or DataFrame
        A file: 4 fields a line (query_id 0 docno relevance), or 3 under BEIR's header
        ``query-id corpus-id score``; JSON (query_id to docno to grade, or to the relevant docnos),
        lines of JSON ``{"query_id": ..., "relevant": ...}``, Parquet, or a judged file of LETOR
        with docnos in its comments; plain or compressed. Or in memory, query_id to docno to grade,
        query_id to the relevant docnos, or a frame of such columns.
    qrels_format : str
        Forces a format of files: qrels, beir, json, jsonl, parquet or letor.
    duplicates : {"refuse", "first", "best"}
        What becomes of a pair that is judged twice: it is refused, or the first judgment is kept,
        or the highest.

    Returns
    -------
    DataFrame
        Columns query_id, docno, iteration, relevance (an integer); shape (judgments, 4); ordered by
        query_id (by bytes), then as given. ``attrs["topics"]`` holds what else lines of JSON say of
        each query, by query_id and key.

    Raises
    ------
    ReadError
        At ``file:line``, on a wrong number of fields, a grade that is no integer, a pair judged
        twice; where a file has no judgment.
    InputError
        On the same in memory, naming query and document.
    UsageError
        Where there is no such file.

    References
    ----------
    trec_eval 9.0.8, get_qrels.c (which reads 1.5 as 1 and text as 0: refused here).
    """
    iterations: dict[bytes, dict[bytes, bytes]] = {}
    notes = Notes(_checked(duplicates))
    if qrels_format not in FLAT_FORMATS:
        raise UsageError(
            f"qrels_format: saw {qrels_format!r}, expected one of {', '.join(FLAT_FORMATS)}."
        )
    if isinstance(qrels, str | os.PathLike):
        source = Source(qrels)

        def keep_iteration(line: _judgments.QrelsLine) -> None:
            iterations.setdefault(line.query_id, {}).setdefault(line.docno, line.iteration)

        judged = _formats.read_flat(source, notes, qrels_format, keep_iteration)
        notes.warn(source.name)
    else:
        judged = _memory.qrels(qrels, "qrels", notes)
        notes.warn("qrels")
    columns: dict[str, list[object]] = {name: [] for name in QRELS.columns}
    shown = texts(judged, "qrels")
    for query_id in sorted(judged):
        documents = judged[query_id]
        iteration = iterations.get(query_id, {})
        columns["query_id"] += [shown[query_id]] * len(documents)
        columns["docno"] += texts(documents, "qrels").values()
        columns["iteration"] += [
            iteration.get(d, b"0").decode("utf-8", "backslashreplace") for d in documents
        ]
        columns["relevance"] += documents.values()
    table = frame(QRELS, columns)
    if notes.topics:
        table.attrs["topics"] = notes.topics
    return table


def scan_run(
    source: Source, notes: Notes, run_format: str, on_line: Callable[[RunLine], object]
) -> dict[bytes, dict[bytes, float]]:
    """Read a run as ``load_run`` does, hand each line on, and warn of nothing.

    What is no text has no lines. Faults go where ``notes`` says.
    """
    return _formats.read_run(source, notes, run_format, on_line)


def metadata_of(notes: Notes) -> str:
    """Give the text between the marks of an ir_metadata header (YAML), without the signs #."""
    lines = [line.rstrip()[1:].removeprefix(b" ") for line in notes.metadata[1:]]
    if lines and lines[-1] == b"ir_metadata.end":
        lines.pop()
    return b"\n".join([*lines, b""]).decode("utf-8", "backslashreplace")


def load_run(
    run: object, name: str, notes: Notes | None = None, run_format: str = "auto"
) -> dict[bytes, dict[bytes, float]]:
    """Read a run as query_id to docno to score, and warn of it under its name.

    ``notes`` says what becomes of repeated documents, and what was noted afterwards.
    """
    notes = Notes() if notes is None else notes
    if isinstance(run, Source):
        queries = _formats.read_run(run, notes, run_format)
    else:
        queries = _memory.run(run, name, notes)
    notes.warn(name)
    return queries


def load_tagged_run(
    source: Source, name: str, notes: Notes, run_format: str = "auto"
) -> dict[str, dict[bytes, dict[bytes, float]]]:
    """Read each tag of a file as a run of its own, in the order of first sight.

    Lines without a tag are under the empty one. The file is held whole.

    Raises
    ------
    ReadError
        As for one run; a document may stand once for each query and tag.
    """
    if not is_text_run(source, run_format):
        raise UsageError(
            f"{name}: saw a format without tags, expected a TREC run (--split-tags). Score it "
            "without."
        )
    runs = _runs.read_tagged(source, notes, run_format)
    notes.format = _formats.TEXT_OF[notes.width]
    notes.tags.clear()
    notes.warn(name)
    shown = texts(runs, name)
    return {shown[tag]: queries for tag, queries in runs.items()}


def load_docno_map(source: Source) -> dict[bytes, bytes]:
    """Read which document each docno stands for, from a file of two columns.

    Raises
    ------
    ReadError
        At a line of other than two fields, at a docno that is given two documents, and where there
        is no line.
    """
    table: dict[bytes, bytes] = {}
    for line_number, fields in read_lines(source, Notes()):
        saw = ""
        if len(fields) != 2:
            saw = field_count(fields)
        elif table.setdefault(fields[0], fields[1]) != fields[1]:
            saw = f"document {shown(fields[1])} for {shown(fields[0])}"
            saw += f", which has {shown(table[fields[0]])} above"
        if saw:
            fix = "Mend or drop the line."
            expected = "2 fields (docno document), one document a docno"
            raise ReadError(source.name, line_number, saw, expected, fix, "docno-map")
    if not table:
        raise ReadError(source.name, None, "no line", "2 fields (docno document)", "Check it.")
    return table


def is_text_run(source: Source, run_format: str = "auto") -> bool:
    """Whether a run is made of lines, so that ``stream_run`` may take it."""
    return _formats.run_format_of(source, run_format) in ("text", "trec", "msmarco")


def stream_run(
    source: Source,
    name: str,
    notes: Notes,
    work: Callable[[Columns], T],
    whole: bool = False,
    run_format: str = "auto",
) -> Iterator[T]:
    """Read a large run by columns, and yield what ``work`` makes of some queries after others.

    Parameters
    ----------
    source : Source
        Of the run.
    name : str
        What warnings call it.
    notes : Notes
        Says what becomes of repeated documents; what was noted is complete at the end.
    work : callable
        Called in threads.
    whole : bool
        Whether lines of a query may stand apart; then the file is held in memory.
    run_format : {"auto", "trec", "msmarco"}
        Of how many fields lines may be.

    Raises
    ------
    Interleaved
        Where only ``whole`` will do.
    Odd
        Where ``load_run`` must take the file instead, from its start.
    """
    from trec_eval_py.reading import _columnar  # pyarrow's company, which small files spare

    read = _columnar.read_interleaved if whole else _columnar.read_run
    yield from read(source, notes, work, run_format)
    notes.format = _formats.TEXT_OF[notes.width]
    notes.warn(name)


def load_judgments(
    judgments: object,
    name: str,
    qrels_format: str = "auto",
    profile: str = "9.0",
    notes: Notes | None = None,
    quiet: bool = False,
) -> Judgments:
    """Read judgments of one of ``QRELS_FORMATS``, and warn of them under their name, unless quiet.

    Levels of preferences compare as the profile's version of trec_eval holds them.

    Raises
    ------
    InputError
        On what cannot be used; ReadError, with file and line, in a file.
    UsageError
        Where judgments in memory are of another form than qrels.
    """
    notes = Notes() if notes is None else notes
    read: Judgments
    if isinstance(judgments, Source):
        read = _formats.read_judgments(judgments, notes, qrels_format, profile)
    elif qrels_format not in ("auto", "qrels"):
        raise UsageError(
            f"{name}: saw judgments in memory to be read as {qrels_format}, expected a file. Write "
            "them to one, and pass its path."
        )
    else:
        read = Qrels(_memory.qrels(judgments, name, notes))
    if not quiet:
        notes.warn(name)
    return read


def _checked(duplicates: str) -> Duplicates:
    if duplicates not in DUPLICATES:
        raise UsageError(f"duplicates: saw {duplicates!r}, expected refuse, first or best.")
    return duplicates


def name_of(path: str) -> str:
    """Name a run or qrels after its file: less a compression suffix and a known suffix."""
    if path == "-":
        return "stdin"
    name = legible(Path(path).name)
    for suffixes in (_COMPRESSIONS, _SUFFIXES):
        ending = next((s for s in suffixes if name.lower().endswith(s) and len(name) > len(s)), "")
        name = name[: len(name) - len(ending)]
    return name


def legible(name: str) -> str:
    """Show a file name that is no UTF-8 as an id would be shown."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def tag_of(source: Source) -> str:
    """Give the tag on the first line of a run; the file's name where there is none."""
    if not is_text_run(source):
        return name_of(source.name)
    for _, fields in read_lines(source):
        if len(fields) > 5:
            return fields[5].decode("utf-8", "backslashreplace")
        break
    return name_of(source.name)


def number(text: str) -> float | None:
    """Read a finite or infinite decimal number by the grammar of scores; None where it is none."""
    return _lines.score(text.encode())


def shown(one: bytes) -> str:
    """Show an id in a message."""
    return _lines.quoted(one)


def encoded(value: object, name: str) -> bytes:
    """Read an id that was given in Python.

    Raises
    ------
    InputError
        Where it is neither text, bytes nor an integer, or empty.
    """
    try:
        return identifier(value)
    except Unusable as error:
        raise Place(name).fault(error) from None


def texts(ids: Iterable[bytes], name: str) -> dict[bytes, str]:
    r"""Turn ids to text: bytes that are not UTF-8 become ``\xNN``.

    Raises
    ------
    InputError
        Where two ids become alike.
    """
    shown = {one: one.decode("utf-8", "backslashreplace") for one in ids}
    if len(set(shown.values())) < len(shown):
        alike: dict[str, bytes] = {}
        for one, text in shown.items():
            if text in alike:
                raise InputError(
                    f"{name}: saw ids {alike[text]!r} and {one!r}, which are alike as text, "
                    "expected ids that differ. Rename one."
                )
            alike[text] = one
    return shown
