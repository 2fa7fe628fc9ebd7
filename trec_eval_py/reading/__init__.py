"""From files, streams, dicts and frames to runs and qrels.

Ids are bytes inside. ``read_run`` and ``read_qrels`` are the public door and give frames; the rest
hands dicts or columns on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trec_eval_py.errors import InputError, UsageError
from trec_eval_py.ranking import (
    PROFILES,
    Columns,
    GroupedQrels,
    Judgments,
    Preferences,
    Qrels,
    rank,
)
from trec_eval_py.reading import _groups, _judgments, _lines, _memory, _runs
from trec_eval_py.reading._lines import field_count
from trec_eval_py.reading._plain import Notes, read_lines
from trec_eval_py.reading._runs import DUPLICATES, Duplicates
from trec_eval_py.reading._sources import Interleaved, Odd, Source
from trec_eval_py.schemas import QRELS, RUN, frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DUPLICATES",
    "FORMS",
    "Duplicates",
    "Interleaved",
    "Notes",
    "Odd",
    "Source",
    "field_count",
    "legible",
    "load_judgments",
    "load_run",
    "name_of",
    "number",
    "read_lines",
    "read_qrels",
    "read_run",
    "shown",
    "stream_run",
    "tag_of",
    "texts",
]

T = TypeVar("T")

# How files of judgments may be read: trec_eval's -R.
FORMS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")

_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
_SUFFIXES = (
    *(".run", ".trec", ".txt", ".tsv", ".csv", ".res", ".results", ".qrels"),
    *(".json", ".jsonl", ".parquet"),
)


def read_run(run: object, profile: str = "9.0") -> pd.DataFrame:
    """Read a run.

    The rank that a file states is ignored: ranks follow from the scores, as in trec_eval.

    Parameters
    ----------
    run : path, mapping or DataFrame
        A file of 6 fields a line (query_id Q0 docno rank score tag), 5 (no tag) or 3 (MS MARCO:
        query_id docno rank), plain or compressed (gzip, bzip2, xz, zstd; told by content); or
        query_id to docno to score, query_id to a ranked list, or a frame of such columns.
    profile : {"9.0", "10.0"}
        Whether scores compare as C floats or as doubles.

    Returns
    -------
    DataFrame
        Columns query_id, docno, rank (from 1), score, tag (the first word; empty where there is
        none); shape (documents, 5); ordered by query_id (by bytes), then rank. Ties go to the docno
        that sorts last by bytes.

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
    if isinstance(run, str | os.PathLike):
        source, notes = Source(run), Notes()
        queries, tags = _runs.read_run(source, notes, keep_tags=True)
        notes.warn(source.name)
    else:
        queries = _memory.run(run, "run")
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
    return frame(RUN, columns)


def read_qrels(qrels: object) -> pd.DataFrame:
    """Read judgments.

    Parameters
    ----------
    qrels : path, mapping or DataFrame
        A file of 4 fields a line (query_id 0 docno relevance), or 3 under BEIR's header
        ``query-id corpus-id score``, plain or compressed; or query_id to docno to grade, query_id
        to the relevant docnos, or a frame of such columns.

    Returns
    -------
    DataFrame
        Columns query_id, docno, iteration, relevance (an integer); shape (judgments, 4); ordered by
        query_id (by bytes), then as given.

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
    if isinstance(qrels, str | os.PathLike):
        source, notes = Source(qrels), Notes()
        judged = _judgments.read_qrels(source, notes, iterations)
        notes.warn(source.name)
    else:
        judged = _memory.qrels(qrels, "qrels")
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
    return frame(QRELS, columns)


def load_run(
    run: object, name: str, notes: Notes | None = None, duplicates: Duplicates = "refuse"
) -> dict[bytes, dict[bytes, float]]:
    """Read a run as query_id to docno to score, and warn of it under its name.

    What is noted of a file stands in ``notes`` afterwards.
    """
    if not isinstance(run, Source):
        return _memory.run(run, name)
    notes = Notes() if notes is None else notes
    queries = _runs.read_run(run, notes, duplicates=duplicates).queries
    notes.warn(name)
    return queries


def stream_run(
    source: Source,
    name: str,
    notes: Notes,
    work: Callable[[Columns], T],
    whole: bool = False,
    duplicates: Duplicates = "refuse",
) -> Iterator[T]:
    """Read a large run by columns, and yield what ``work`` makes of some queries after others.

    Parameters
    ----------
    source : Source
        Of the run.
    name : str
        What warnings call it.
    notes : Notes
        Where to note what is worth a warning; complete at the end.
    work : callable
        Called in threads.
    whole : bool
        Whether lines of a query may stand apart; then the file is held in memory.
    duplicates : {"refuse", "first", "best"}
        What becomes of a document that stands twice in a query.

    Raises
    ------
    Interleaved
        Where only ``whole`` will do.
    Odd
        Where ``load_run`` must take the file instead, from its start.
    """
    from trec_eval_py.reading import _columnar  # pyarrow's company, which small files spare

    read = _columnar.read_interleaved if whole else _columnar.read_run
    yield from read(source, notes, work, duplicates)
    notes.warn(name)


def load_judgments(
    judgments: object, name: str, form: str = "qrels", profile: str = "9.0"
) -> Judgments:
    """Read judgments of one of ``FORMS``, and warn of them under their name.

    Levels of preferences compare as the profile's version of trec_eval holds them.

    Raises
    ------
    InputError
        On what cannot be used; ReadError, with file and line, in a file.
    UsageError
        Where judgments in memory are of another form than qrels.
    """
    if not isinstance(judgments, Source):
        if form != "qrels":
            raise UsageError(
                f"{name}: saw judgments in memory to be read as {form}, expected a file. Write "
                "them to one, and pass its path."
            )
        return Qrels(_memory.qrels(judgments, name))
    notes = Notes()
    read: Judgments
    if form == "qrels":
        read = Qrels(_judgments.read_qrels(judgments, notes))
    elif form == "qrels_jg":
        read = GroupedQrels(_groups.read_grouped(judgments))
    else:
        read = Preferences(_groups.read_preferences(judgments, form), judgments.name, profile)
    notes.warn(name)
    return read


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
