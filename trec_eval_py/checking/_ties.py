"""How much of a number is the rule by which ties are broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from trec_eval_py.aggregating import average
from trec_eval_py.measures import Options, parse
from trec_eval_py.ranking import JudgedRanking, RankedQuery, held, judge, rank
from trec_eval_py.scoring import Scorer

# A ranking with higher grades first within each tie maximises these, and one with lower first
# minimises them: exchanging two neighbours so that the better comes first never lowers them.
_MEASURES = ("recip_rank", "map", "ndcg_cut_10")


class TieRange(NamedTuple):
    """What one measure's mean is, and what it could be with other orders among tied documents."""

    measure: str
    value: float
    """With ties as trec_eval breaks them."""
    lowest: float
    highest: float


class Ties(NamedTuple):
    """How many documents tie, and what that can move."""

    documents: int
    """Documents that share their score, in the profile's precision, with another of the query."""
    queries: int
    """Queries with such documents."""
    only_as_floats: int
    """Documents that share their score as a C float, but not as a double; where the profile is
    10.0, they are told apart."""
    answered: int
    """Judged queries that the run answers: what all these numbers are over."""
    ranges: tuple[TieRange, ...]
    """Of recip_rank, map and ndcg_cut_10; empty where no judged query is answered."""


class _Orders(NamedTuple):
    """One query's ranking as it is, and at its worst and best."""

    ruled: JudgedRanking
    worst: JudgedRanking
    best: JudgedRanking


def tie_ranges(
    run: Mapping[bytes, Mapping[bytes, float]],
    qrels: Mapping[bytes, Mapping[bytes, int]],
    profile: str,
    relevance_level: int = 1,
) -> Ties:
    """Count ties, and give what other orders among tied documents could make of three means.

    Queries without judgments are left out, and judged ones that the run lacks, too. One that is
    answered with no document counts 0.

    Parameters
    ----------
    run : mapping
        query_id to docno to score; no NaN.
    qrels : mapping
        query_id to docno to grade.
    profile : {"9.0", "10.0"}
        Whether scores compare, and so tie, as C floats or as doubles.
    relevance_level : int
        The lowest grade that counts as relevant, from 1.

    Returns
    -------
    Ties
        The counts, and for each measure the mean as it is, the lowest and the highest.

    Raises
    ------
    InputError
        Where a judged document stands deeper than the scorer can count.
    """
    answered = sorted(run.keys() & qrels.keys())
    tied = tied_queries = only_as_floats = 0
    orders = []
    for query_id in answered:
        scores, judged = run[query_id], qrels[query_id]
        docnos, count = rank(scores, profile)
        tied += count
        tied_queries += count > 0
        only_as_floats += _tied(scores, "9.0") - _tied(scores, "10.0")
        orders.append(_orders(docnos, scores, judged, profile, count > 0))
    ranges = _ranges(orders, profile, relevance_level) if orders else ()
    return Ties(tied, tied_queries, only_as_floats, len(answered), ranges)


def _tied(scores: Mapping[bytes, float], profile: str) -> int:
    """Count the documents that share their score with another."""
    counts = Counter(held(list(scores.values()), profile))
    return sum(n for n in counts.values() if n > 1)


def _orders(
    docnos: Sequence[bytes],
    scores: Mapping[bytes, float],
    judged: Mapping[bytes, int],
    profile: str,
    tied: bool,
) -> _Orders:
    """Re-order each group of tied documents by grade; one that is unjudged is worth no more than 0.

    Where one of two documents has the higher grade, every measure that reads a level from 1 on
    finds it no less relevant.
    """
    ruled = judge(docnos, judged)
    if not tied:
        return _Orders(ruled, ruled, ruled)

    def grade(docno: bytes) -> int:
        return judged.get(docno, 0)

    compared = dict(zip(docnos, held([scores[docno] for docno in docnos], profile), strict=True))
    groups = [list(group) for _, group in groupby(docnos, compared.__getitem__)]
    worst = [docno for group in groups for docno in sorted(group, key=grade)]
    best = [docno for group in groups for docno in sorted(group, key=grade, reverse=True)]
    return _Orders(ruled, judge(worst, judged), judge(best, judged))


def _ranges(orders: Sequence[_Orders], profile: str, relevance_level: int) -> tuple[TieRange, ...]:
    """Average each measure over the queries, which are in the order of their bytes."""
    asked = parse(_MEASURES, Options(relevance_level=relevance_level, profile=profile))
    scorer = Scorer(asked, profile)
    values, lowest, highest = (_means(scorer, rankings) for rankings in zip(*orders, strict=True))
    return tuple(map(TieRange, _MEASURES, values, lowest, highest))


def _means(scorer: Scorer, rankings: Sequence[JudgedRanking]) -> list[float]:
    """Give the mean of each measure over rankings, one a query."""
    filled = [RankedQuery(ranking) for ranking in rankings if ranking.retrieved]
    scored = iter(scorer.score(filled) if filled else [])
    rows = [next(scored) if one.retrieved else scorer.unanswered(one) for one in rankings]
    return [average("mean", column, len(rows)) for column in zip(*rows, strict=True)]
