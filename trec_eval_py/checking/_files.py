"""All findings of some files, whatever they hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from trec_eval_py.checking._against import compare_judgments
from trec_eval_py.checking._findings import Finding, Findings, found
from trec_eval_py.checking._qrels import Pool, check_qrels
from trec_eval_py.checking._runs import check_run
from trec_eval_py.checking._scores import check_scores
from trec_eval_py.errors import InputError, ReadError, UsageError
from trec_eval_py.ranking import PROFILES
from trec_eval_py.reading import (
    Notes,
    Source,
    check_qrels_format,
    check_run_format,
    holds,
    number,
    read_lines,
    read_topics,
    run_records,
)

if TYPE_CHECKING:
    import pandas as pd


# So many lines may tell qrels of which the first is at fault.
_ENOUGH = 100
_COLUMNS = {
    "severity": "str",
    "code": "str",
    "file": "str",
    "line": "Int64",
    "saw": "str",
    "fix": "str",
}


class Checks(NamedTuple):
    """What files are held against."""

    qrels: str | None = None
    topics: str | None = None
    against: str | None = None
    """An older version of judgments."""
    max_docs: int | None = None
    relevance_level: int = 1
    profile: str = "9.0"
    run_format: str = "auto"
    qrels_format: str = "auto"


def check_files(files: Sequence[str], checks: Checks) -> list[Finding]:
    """Find everything that is wrong or odd in some files: runs, judgments or scores.

    What a file holds is told by its content. With qrels to hold them against, files are runs; with
    an older version, they are judgments. What they are held against is read as far as it can be.

    Parameters
    ----------
    files : sequence of str
        Paths; ``-`` is standard input.
    checks : Checks
        What they are held against.

    Returns
    -------
    list of Finding
        File by file, first what they are held against; within a file by line.

    Raises
    ------
    UsageError
        Where a file is not there, or what is asked for makes no sense together.
    """
    if checks.qrels is not None and checks.against is not None:
        raise UsageError(
            "against: saw qrels beside, expected one of the two. Runs are held against qrels, new "
            "judgments against old ones."
        )
    others = (checks.qrels, checks.topics, checks.against)
    if [*files, *others].count("-") > 1:
        raise UsageError("-: standard input can be read once; give the others as files.")
    opened = [Source(file) for file in files]
    findings: list[Finding] = []
    topics: list[bytes] | None = None
    if checks.topics is not None:
        faults, topics = _read_topics(Source(checks.topics))
        findings += faults
    if checks.against is not None:
        old, pool = _judgments(Source(checks.against), None, checks)
        findings += [one for one in old if one.severity == "error"]
        for source in opened:
            new, judged = _judgments(source, topics, checks)
            findings += new
            if pool and judged:
                findings += compare_judgments(
                    judged, pool, source.name, checks.against, checks.relevance_level
                )
        return findings
    qrels: Pool | None = None
    if checks.qrels is not None:
        source = Source(checks.qrels)
        given, qrels = _judgments(source, None, checks, opened)
        if any(one.code == "swapped" for one in given) and all(map(_is_qrels, opened)):
            return findings + given
        findings += given
    for source in opened:
        findings += _check_one(source, checks, qrels, topics)
    return findings


def check(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    qrels: str | os.PathLike[str] | None = None,
    topics: str | os.PathLike[str] | None = None,
    against: str | os.PathLike[str] | None = None,
    max_docs: int | None = None,
    relevance_level: int = 1,
    profile: str = "9.0",
    run_format: str = "auto",
    qrels_format: str = "auto",
) -> pd.DataFrame:
    """Find everything that is wrong or odd in files: runs, judgments or scores.

    Parameters
    ----------
    files : path or list of paths
        What each holds is told by its content.
    qrels : path, optional
        Judgments to hold runs against.
    topics : path, optional
        Which queries there are: TSV or CSV (first column) or lines of JSON.
    against : path, optional
        An older version of the judgments in ``files``: what changed, and agreement.
    max_docs : int, optional
        How many documents a query may have.
    relevance_level : int
        The lowest grade that counts as relevant.
    profile : {"9.0", "10.0"}
        Whether scores tie as C floats or as doubles.
    run_format, qrels_format : str
        What files are read as; by default their content tells.

    Returns
    -------
    DataFrame
        Columns severity (error, warning, note), code, file, line (NA where it is the whole file's),
        saw, fix; file by file, by line. No row where there is nothing to say.

    Raises
    ------
    UsageError
        Where a file is not there, or what is asked for makes no sense together.
    """
    import pandas as pd

    check_run_format(run_format)
    check_qrels_format(qrels_format)
    if profile not in PROFILES:
        raise UsageError(f"profile: saw {profile!r}, expected one of {', '.join(PROFILES)}.")
    for name, value in (("max_docs", max_docs), ("relevance_level", relevance_level)):
        if value is not None and value < 1:
            raise UsageError(f"{name}: saw {value!r}, expected an integer from 1.")
    given = [files] if isinstance(files, str | os.PathLike) else files
    checks = Checks(
        None if qrels is None else os.fspath(qrels),
        None if topics is None else os.fspath(topics),
        None if against is None else os.fspath(against),
        max_docs,
        relevance_level,
        profile,
        run_format,
        qrels_format,
    )
    findings = check_files([os.fspath(one) for one in given], checks)
    columns = {
        name: pd.Series([getattr(one, name) for one in findings], dtype=dtype)
        for name, dtype in _COLUMNS.items()
    }
    return pd.DataFrame(columns)


def _read_topics(source: Source) -> tuple[list[Finding], list[bytes] | None]:
    """Read topics as far as it goes, and give their faults; None where there is no topic."""
    faults = Findings(source.name)
    topics: list[bytes] = []
    try:
        topics = read_topics(source, Notes(on_fault=faults.add_error))
    except InputError as error:  # whereupon reading cannot go on
        faults.add_error(error)
    return faults.all(), topics or None


def _judgments(
    source: Source, topics: list[bytes] | None, checks: Checks, runs: Sequence[Source] = ()
) -> tuple[list[Finding], Pool]:
    """Check a file that is to be judgments; of a run, say so once."""
    found_here, pool = check_qrels(source, topics, checks.qrels_format, checks.relevance_level)
    findings = found_here.all()
    if not pool and checks.qrels_format == "auto" and _is_run(source):
        return [_swapped(source.name, runs)], pool
    return findings, pool


def _check_one(
    source: Source, checks: Checks, qrels: Pool | None, topics: list[bytes] | None
) -> list[Finding]:
    kind = _holds(source)
    if kind == "scores":
        return check_scores(source)
    judged = kind == "qrels"
    if (checks.qrels_format == "auto") != (checks.run_format == "auto"):  # one tells, if forced
        judged = checks.run_format == "auto"
    if judged and checks.qrels is None:
        level = checks.relevance_level
        return check_qrels(source, topics, checks.qrels_format, level)[0].all()
    if kind == "qrels" and checks.run_format == "auto" and not _is_run(source):
        fix = "Qrels are given by --qrels, and runs as FILE: see which is which."
        return [found("run-like-qrels", source.name, None, "judgments where a run is wanted", fix)]
    return check_run(
        source,
        qrels or None,
        checks.qrels or "",
        topics,
        checks.max_docs,
        checks.profile,
        checks.run_format,
        checks.relevance_level,
    ).all()


def _holds(source: Source) -> str:
    """Say what a file holds; what cannot be told is checked as a run, which says why."""
    try:
        kind = holds(source) or "run"
        return kind if kind != "run" or not _is_text(source) else _text_holds(source)
    except ReadError as error:
        return "qrels" if error.code == "swapped" else "run"
    except InputError:
        return "run"


def _is_text(source: Source) -> bool:
    return not source.is_parquet and not source.is_json


def _text_holds(source: Source) -> str:
    """Tell scores by the header, and qrels by more lines than the first, which may be at fault."""
    lines = [fields for _, fields in islice(read_lines(source), _ENOUGH)]
    if lines and {b"query_id", b"measure"} <= set(lines[0]):
        return "scores"
    fourth = [number(fields[3].decode("latin-1")) for fields in lines if len(fields) == 4]
    grades = [grade for grade in fourth if grade is not None and grade.is_integer()]
    return "qrels" if grades and len(grades) * 2 >= len(lines) else "run"


def _is_qrels(source: Source) -> bool:
    return _holds(source) == "qrels"


def _is_run(source: Source) -> bool:
    """Whether a file begins as a run does: a table, or numbers by docno, may be either."""
    try:
        return next(run_records(source, Notes()), None) is not None
    except InputError:
        return False


def _swapped(qrels: str, runs: Sequence[Source]) -> Finding:
    if runs and all(map(_is_qrels, runs)):
        saw = f"a run where qrels are wanted, and judgments in {runs[0].name} where a run is"
        return found("swapped", qrels, None, saw, f"Write: check {qrels} --qrels {runs[0].name}")
    fix = "Qrels are given by --qrels, and runs as FILE: see which is which."
    return found("swapped", qrels, None, "a run where judgments are wanted", fix)
