"""All findings of some files, whatever they hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from trec_eval_py.checking._against import compare_judgments
from trec_eval_py.checking._findings import Finding, found
from trec_eval_py.checking._qrels import Pool, check_qrels
from trec_eval_py.checking._runs import check_run
from trec_eval_py.checking._scores import check_scores
from trec_eval_py.errors import InputError, ReadError, UsageError
from trec_eval_py.reading import (
    Source,
    check_qrels_format,
    check_run_format,
    holds,
    read_topics,
)

if TYPE_CHECKING:
    import pandas as pd


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
    an older version, they are judgments.

    Parameters
    ----------
    files : sequence of str
        Paths; ``-`` is standard input.
    checks : Checks
        What they are held against.

    Returns
    -------
    list of Finding
        File by file, the qrels that were given among them; within a file by line.

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
    topics = None
    if checks.topics is not None:
        topics = read_topics(Source(checks.topics))
    if checks.against is not None:
        old, pool = check_qrels(Source(checks.against), None, checks.qrels_format)
        findings += [one for one in old.all() if one.severity == "error"]
        for source in opened:
            new, judged = check_qrels(source, topics, checks.qrels_format, checks.relevance_level)
            findings += new.all()
            if pool and judged:
                findings += compare_judgments(
                    judged, pool, source.name, checks.against, checks.relevance_level
                )
        return findings
    qrels: Pool | None = None
    if checks.qrels is not None:
        source = Source(checks.qrels)
        if _holds(source) == "run" and all(_holds(one) == "qrels" for one in opened):
            return [_swapped(source.name, opened[0].name)]
        given, qrels = check_qrels(source, None, checks.qrels_format, checks.relevance_level)
        findings += given.all()
    for source in opened:
        findings += _check_one(source, checks, qrels, topics)
    return findings


def check(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    qrels: str | None = None,
    topics: str | None = None,
    against: str | None = None,
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
    given = [files] if isinstance(files, str | os.PathLike) else files
    checks = Checks(
        qrels, topics, against, max_docs, relevance_level, profile, run_format, qrels_format
    )
    findings = check_files([os.fspath(one) for one in given], checks)
    columns = {
        name: pd.Series([getattr(one, name) for one in findings], dtype=dtype)
        for name, dtype in _COLUMNS.items()
    }
    return pd.DataFrame(columns)


def _check_one(
    source: Source, checks: Checks, qrels: Pool | None, topics: list[bytes] | None
) -> list[Finding]:
    kind = _holds(source)
    if kind == "scores":
        return check_scores(source.name)
    forced = checks.qrels_format != "auto" and checks.qrels is None
    if checks.qrels is None and (kind == "qrels" or forced):
        level = checks.relevance_level
        return check_qrels(source, topics, checks.qrels_format, level)[0].all()
    if kind == "qrels" and checks.run_format == "auto":
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
        return holds(source) or "run"
    except ReadError as error:
        return "qrels" if error.code == "swapped" else "run"
    except InputError:
        return "run"


def _swapped(qrels: str, run: str) -> Finding:
    saw = f"a run where qrels are wanted, and judgments in {run} where a run is"
    return found("swapped", qrels, None, saw, f"Write: check {qrels} --qrels {run}")
