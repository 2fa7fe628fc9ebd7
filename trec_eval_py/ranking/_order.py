"""trec_eval's order of documents, and where the judged ones stand in it.

Documents are ordered by score, descending, then by docno, descending by bytes; the rank that a file
states is ignored. Profile "9.0" compares scores as C floats, as trec_eval 9.0.x and pytrec_eval do;
profile "10.0" compares doubles. There is one ranking for all measures.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import gt, neg
from typing import NamedTuple

PROFILES = ("9.0", "10.0")


class JudgedRanking(NamedTuple):
    """All that measures read of one query: where its judged documents stand in its ranking."""

    retrieved: int
    """Documents in the ranking, judged or not."""
    ranks: Sequence[int]
    """Ranks, from 1 and rising, of the documents in the ranking that the qrels name."""
    grades: Sequence[int]
    """Grades of the same documents; negative ones are in the pool, but unjudged."""
    judged: Mapping[int, int]
    """For each grade, how many documents the qrels judge so, retrieved or not."""

    def cut(self, max_docs: int | None, judged_only: bool) -> JudgedRanking:
        """Keep the first ``max_docs`` documents, then of these the judged ones (-M, -J)."""
        ranks, grades, retrieved = self.ranks, self.grades, self.retrieved
        if max_docs is not None and max_docs < retrieved:
            retrieved = max_docs
            kept = sum(rank <= max_docs for rank in ranks)
            ranks, grades = ranks[:kept], grades[:kept]
        if judged_only:
            grades = [grade for grade in grades if grade >= 0]
            retrieved = len(grades)
            ranks = range(1, retrieved + 1)
        return JudgedRanking(retrieved, ranks, grades, self.judged)

    def relevant_ranks(self, level: int) -> list[int]:
        """Ranks of the relevant documents retrieved."""
        return [r for r, g in zip(self.ranks, self.grades, strict=True) if g >= level]

    def relevant_retrieved(self, level: int) -> int:
        """Count the relevant documents retrieved."""
        return sum(grade >= level for grade in self.grades)

    def relevant(self, level: int) -> int:
        """Count the documents judged relevant, retrieved or not."""
        return sum(n for grade, n in self.judged.items() if grade >= level)


class RankedQuery(NamedTuple):
    """One query of a run with its judgments."""

    ranking: JudgedRanking
    docnos: Sequence[bytes] | None = None
    """The whole ranking with ``judged``, where pytrec_eval is to see both as they are."""
    judged: Mapping[bytes, int] | None = None


class Batch(NamedTuple):
    """Some queries of a run, ranked and judged."""

    queries: dict[bytes, RankedQuery]
    """Those that the qrels judge."""
    others: list[bytes]
    """Those that they do not."""
    tied: int
    """Documents of the judged queries that share their score with another of the same query."""
    tied_queries: int
    """Queries with such documents."""
    unnamed: int = 0
    """Lines whose docno should stand for a document, and for which nothing names one."""


def held(scores: Sequence[float], profile: str) -> list[float]:
    """Give the scores as the profile's version of trec_eval holds them while it compares."""
    if profile == "10.0":
        return list(scores)
    return array("f", scores).tolist()  # rounds to nearest, to inf beyond the range, as C does


def rank(
    query: Mapping[bytes, float], profile: str, ties_rise: bool = False
) -> tuple[list[bytes], int]:
    """Order one query's documents as trec_eval does.

    Parameters
    ----------
    query : mapping of docno to score
        Scores are finite or infinite, not NaN; docnos are bytes.
    profile : {"9.0", "10.0"}
        Whether scores compare as C floats or as doubles.
    ties_rise : bool
        Whether, among equal scores, docnos rise by bytes, as trec_eval has it for preferences.

    Returns
    -------
    docnos : list of bytes
        The first is at rank 1.
    tied : int
        How many documents share their score with another.

    References
    ----------
    trec_eval 9.0.8 and 10.0, form_res_rels.c and form_prefs_counts.c, comp_sim_docno.
    """
    scores = held(list(query.values()), profile)
    if all(map(gt, scores, scores[1:])):  # most files are in order already
        return list(query), 0
    if ties_rise:
        pairs = sorted(zip(map(neg, scores), query, strict=True))
    else:
        pairs = sorted(zip(scores, query, strict=True), reverse=True)
    counts = Counter(scores)
    tied = sum(n for n in counts.values() if n > 1)
    return [docno for _, docno in pairs], tied


def judge(docnos: Sequence[bytes], judged: Mapping[bytes, int]) -> JudgedRanking:
    """Find the judged documents in one query's ranking."""
    found = [(i, judged[docno]) for i, docno in enumerate(docnos, 1) if docno in judged]
    return JudgedRanking(
        len(docnos), [i for i, _ in found], [g for _, g in found], Counter(judged.values())
    )


def judge_run(
    run: Mapping[bytes, Mapping[bytes, float]],
    qrels: Mapping[bytes, Mapping[bytes, int]],
    profile: str,
    ties_rise: bool = False,
    size: int = 10_000,
) -> Iterator[Batch]:
    """Rank and judge a run that is held in memory, in batches of about ``size`` documents."""
    batch, documents = Batch({}, [], 0, 0), 0
    for query_id, scores in run.items():
        judged = qrels.get(query_id)
        if judged is None:
            batch.others.append(query_id)
            continue
        docnos, tied = rank(scores, profile, ties_rise)
        batch.queries[query_id] = RankedQuery(judge(docnos, judged), docnos, judged)
        batch = batch._replace(tied=batch.tied + tied, tied_queries=batch.tied_queries + (tied > 0))
        documents += len(docnos)
        if documents >= size:
            yield batch
            batch, documents = Batch({}, [], 0, 0), 0
    yield batch


def ideal(judged: Mapping[bytes, int]) -> list[bytes]:
    """Order a query's judged documents from high grade to low: the ceiling of any ranking.

    Documents judged 0 are left out, and so are negative ones; where nothing else is judged, one of
    them (of the highest grade) stays, so that the query counts as answered.
    """
    by_grade = sorted(judged, key=lambda docno: (judged[docno], docno), reverse=True)
    positive = [docno for docno in by_grade if judged[docno] > 0]
    return positive or by_grade[:1]
