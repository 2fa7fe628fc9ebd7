"""Faults and oddities of judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from statistics import median

from trec_eval_py.checking._findings import Findings, counted, listed
from trec_eval_py.errors import InputError
from trec_eval_py.ranking import Qrels
from trec_eval_py.reading import Notes, Source, load_judgments

Pool = Mapping[bytes, Mapping[bytes, int]]


def check_qrels(
    source: Source,
    topics: Collection[bytes] | None = None,
    qrels_format: str = "auto",
    relevance_level: int = 1,
) -> tuple[Findings, Pool]:
    """Find all faults of judgments, and what may surprise in numbers that rest on them.

    Parameters
    ----------
    source : Source
        Of any format.
    topics : collection of bytes, optional
        The query ids that are to be judged.
    qrels_format : str
        What the file is read as.
    relevance_level : int
        The lowest grade that counts as relevant.

    Returns
    -------
    Findings
        By line; those of the whole file last.
    mapping
        query_id to docno to grade, as far as it could be read; empty where judgments are of groups.
    """
    findings = Findings(source.name)
    notes = Notes(on_fault=findings.add_error)
    pool: Pool = {}
    try:
        judgments = load_judgments(source, source.name, qrels_format, notes=notes, quiet=True)
        if not isinstance(judgments, Qrels):
            findings.add_common(notes)
            return findings, {}
        pool = judgments.pool
    except InputError as error:  # whereupon reading cannot go on
        findings.add_error(error)
    findings.add_common(notes)
    if notes.floats:
        findings.add("grade-as-float", None, f"{counted(notes.floats, 'grade')} written as 1.0 is")
    if notes.unlabelled:
        findings.add(
            "query-unlabelled",
            None,
            f"{counted(notes.unlabelled, 'query', 'queries')} without a relevant document",
            "They are left out: see that nothing answers them.",
        )
    findings.add_alike(pool)
    # What a query's only judgment is at fault leaves nothing of it.
    pool = {query_id: documents for query_id, documents in pool.items() if documents}
    if pool:
        _check_grades(findings, pool, relevance_level)
    if topics is not None and pool:
        _check_topics(findings, pool, set(topics))
    return findings, pool


def _check_grades(findings: Findings, pool: Pool, level: int) -> None:
    grades: Counter[int] = Counter()
    for documents in pool.values():
        grades.update(documents.values())
    shown_grades = ", ".join(f"{grade}: {grades[grade]}" for grade in sorted(grades)[:20])
    more = ", …" if len(grades) > 20 else ""
    counts = [len(documents) for documents in pool.values()]
    findings.add(
        "grades",
        None,
        f"{counted(sum(counts), 'judgment')} of {counted(len(counts), 'query', 'queries')} "
        f"({min(counts)} to {max(counts)}, median {median(counts):g}); grades {shown_grades}{more}",
    )
    best = {query_id: max(documents.values()) for query_id, documents in pool.items()}
    negative = sorted(query_id for query_id, grade in best.items() if grade < 0)
    without = sorted(query_id for query_id, grade in best.items() if 0 <= grade < level)
    if negative:
        findings.add(
            "only-negative",
            None,
            f"{counted(len(negative), 'query', 'queries')} with negative grades only "
            f"({listed(negative)})",
            "They count 0 in every mean: leave them out with --answerable-only.",
        )
    if without:
        findings.add(
            "no-relevant",
            None,
            f"{counted(len(without), 'query', 'queries')} without a document of grade {level} or "
            f"more ({listed(without)})",
            "They count 0 in every mean: leave them out with --answerable-only.",
        )
    if min(grades) >= level:
        findings.add(
            "no-non-relevant",
            None,
            "no document that is judged and not relevant",
            "bpref, infAP and --judged-only say little here.",
        )
    if max(grades) > 1000:
        findings.add("grade-high", None, f"grades up to {max(grades)}", "See that they are meant.")


def _check_topics(findings: Findings, pool: Pool, topics: set[bytes]) -> None:
    missing, extra = sorted(topics - pool.keys()), sorted(pool.keys() - topics)
    if missing:
        findings.add(
            "topics-missing",
            None,
            f"{counted(len(missing), 'query', 'queries')} of the topics not judged "
            f"({listed(missing)})",
            "Runs are not scored on them.",
        )
    if extra:
        findings.add(
            "topics-extra",
            None,
            f"{counted(len(extra), 'query', 'queries')} not in the topics ({listed(extra)})",
            "See that both are of one collection.",
        )
