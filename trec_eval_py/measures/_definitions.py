"""Measures that are defined here, because pytrec_eval lacks them or must not be asked.

Each takes a query's judged ranking, the measure's parameters, the relevance level and the profile,
and runs through trec_eval's sums in trec_eval's order, so that where both exist they agree to the
last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from math import ldexp, log, log2
from typing import Any

from trec_eval_py.ranking import GroupedRanking, JudgedRanking

# Of a ranking as its form of judgments has it, parameters, relevance level and profile; text
# measures give text.
Definition = Callable[[Any, tuple[float, ...], int, str], float | str]
OfRanking = Callable[[JudgedRanking, tuple[float, ...], int, str], float]

# Above this, trec_eval's loops over every grade from 0 up take seconds, then crash (m_ndcg.c).
HIGHEST_GRADE_ASKED = 1000


def one(ranking: object, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """Count the query: num_q."""
    return 1.0


def relevant(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Relevant documents, retrieved or not: num_rel."""
    return float(ranking.relevant(level))


def count(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """Documents retrieved: num_ret."""
    return float(ranking.retrieved)


def set_p(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """Relevant among retrieved (m_set_P.c)."""
    return ranking.relevant_retrieved(level) / ranking.retrieved if ranking.retrieved else 0.0


def set_relative_p(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Precision of the set over the best that its size allows (m_set_rel_P.c)."""
    best = min(ranking.retrieved, ranking.relevant(level))
    return ranking.relevant_retrieved(level) / best if best else 0.0


def set_map(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Precision times recall of the set, as one quotient (m_set_map.c)."""
    found = ranking.relevant_retrieved(level)
    scale = ranking.retrieved * ranking.relevant(level)
    return found * found / scale if scale else 0.0


def set_f(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """(x + 1) P R / (x P + R); x is the square of beta (m_set_F.c)."""
    (x,) = parameters
    found = ranking.relevant_retrieved(level)
    if not found:
        return 0.0
    precision, recall = found / ranking.retrieved, found / ranking.relevant(level)
    return (x + 1.0) * precision * recall / (x * precision + recall)


def utility(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Weighted sum over the four cells of relevance by retrieval (m_utility.c)."""
    a, b, c, d, collection = parameters
    found, relevant = ranking.relevant_retrieved(level), ranking.relevant(level)
    return (
        a * found
        + b * (ranking.retrieved - found)
        + c * (relevant - found)
        + d * (collection + found - ranking.retrieved - relevant)
    )


def _recall_cutoff(recall: float, relevant: int, profile: str) -> int:
    """Give how many relevant documents a recall level asks for, as the profile's version does."""
    if profile == "10.0":  # lround: half away from zero; recall and relevant are not negative
        wanted = recall * relevant
        return int(wanted) + (wanted - int(wanted) >= 0.5)
    return int(recall * relevant + 0.9)


def _interpolated(ranking: JudgedRanking, level: int) -> list[float]:
    """Give, at each relevant document retrieved, the best precision there or deeper."""
    best, precisions = 0.0, []
    ranks = ranking.relevant_ranks(level)
    for found in range(len(ranks), 0, -1):
        best = max(best, found / ranks[found - 1])
        precisions.append(best)
    return precisions[::-1]


def _precision_at(precisions: list[float], cutoff: int) -> float:
    """Interpolated precision at the cutoff-th relevant document; 0 is the best anywhere."""
    index = max(cutoff - 1, 0)
    return precisions[index] if index < len(precisions) else 0.0


def iprec_at_recall(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Interpolated precision at one recall level (m_iprec_at_recall.c)."""
    cutoff = _recall_cutoff(parameters[0], ranking.relevant(level), profile)
    return _precision_at(_interpolated(ranking, level), cutoff)


def eleven_point_average(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Mean interpolated precision over recall levels, summed from the highest (m_11pt_avg.c)."""
    relevant, precisions = ranking.relevant(level), _interpolated(ranking, level)
    total = 0.0
    for recall in sorted(parameters, reverse=True):
        total += _precision_at(precisions, _recall_cutoff(recall, relevant, profile))
    return total / len(parameters)


def rprec_mult(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Precision at a multiple of R; + 0.9 in both profiles (m_Rprec_mult.c)."""
    cutoff = int(parameters[0] * ranking.relevant(level) + 0.9)
    found = sum(rank <= cutoff for rank in ranking.relevant_ranks(level))
    return found / cutoff if cutoff else 0.0


def _ideal_gains(ranking: JudgedRanking) -> Iterator[int]:
    """Yield the positive grades judged for the query, from high to low."""
    for grade in sorted(ranking.judged, reverse=True):
        if grade > 0:
            for _ in range(ranking.judged[grade]):
                yield grade


def _dcg(gains: Iterator[tuple[int, float]], cutoff: float) -> float:
    """Sum gain / log2(rank + 1) over (rank, gain) down to the cutoff."""
    total = 0.0
    for rank, gain in gains:
        if rank > cutoff:
            break
        if gain > 0:
            total += gain / log2(rank + 1)
    return total


def _gains(parameters: tuple[float, ...]) -> dict[int, float]:
    """Give the gains that were given: parameters are grade, gain, grade, gain and so on."""
    return {int(grade): gain for grade, gain in zip(parameters[::2], parameters[1::2], strict=True)}


def _found_gains(ranking: JudgedRanking, given: dict[int, float]) -> Iterator[tuple[int, float]]:
    """Yield rank and gain of each document that has a gain.

    For trec_eval, documents that the qrels lack have level -1, and those with a negative grade -2:
    they have a gain where one is given for that level.
    """
    levels = [grade if grade >= 0 else -2 for grade in ranking.grades]
    found = dict(zip(ranking.ranks, levels, strict=True))
    if -1 in given:
        found = {rank: found.get(rank, -1) for rank in range(1, ranking.retrieved + 1)}
    for rank, level in found.items():
        if level >= 0 or level in given:
            yield rank, given.get(level, float(level))


def dcg(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """DCG with the grade as gain, or with gains given for grades (m_dcg.c)."""
    total = 0.0
    for rank, gain in _found_gains(ranking, _gains(parameters)):
        if gain:
            total += gain / log2(rank + 1)
    return total


def ideal_dcg(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """DCG of the judged documents with a positive gain, from high gain to low (m_dcg.c)."""
    given = _gains(parameters)
    gains = chain.from_iterable(
        [given.get(grade, float(grade))] * number
        for grade, number in ranking.judged.items()
        if grade >= 0
    )
    return _dcg(enumerate(sorted(gains, reverse=True), 1), float("inf"))


def ndcg(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """DCG over the best possible (m_ndcg.c)."""
    ideal = ideal_dcg(ranking, parameters, level, profile)
    return dcg(ranking, parameters, level, profile) / ideal if ideal else 0.0


def ndcg_cut(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """NDCG with the grade as gain at a cutoff (m_ndcg_cut.c)."""
    ideal = _dcg(enumerate(_ideal_gains(ranking), 1), parameters[0])
    found = _dcg(zip(ranking.ranks, ranking.grades, strict=True), parameters[0])
    return found / ideal if ideal else 0.0


def ndcg_exp(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """NDCG with gain 2**grade - 1 (Burges et al. 2005, ICML), at a cutoff where one is given."""
    cutoff = parameters[0] if parameters else float("inf")
    # Gains are scaled by 2**-top, which cancels out: 2**1024 is no float.
    top = max(0, max(ranking.judged, default=0) - HIGHEST_GRADE_ASKED)

    def gain(grade: int) -> float:
        return ldexp(1.0, grade - top) - ldexp(1.0, -top) if grade > 0 else 0.0

    ideal = _dcg(((i, gain(g)) for i, g in enumerate(_ideal_gains(ranking), 1)), cutoff)
    found = _dcg(((i, gain(g)) for i, g in zip(ranking.ranks, ranking.grades, strict=True)), cutoff)
    return found / ideal if ideal else 0.0


def ndcg_rel(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """NDCG averaged over the ranks of documents with gain (m_ndcg_rel.c); reads no level.

    Documents with gain that were not retrieved count with the final DCG over the full ideal.
    """
    ideal_gains = list(_ideal_gains(ranking))
    if not ideal_gains:
        return 0.0
    found, ideal, total, seen, at = 0.0, 0.0, 0.0, 0, 0
    for rank, grade in zip(ranking.ranks, ranking.grades, strict=True):
        if grade > 0:
            ideal = _extend(ideal, ideal_gains, at, rank)
            at = rank
            found += grade / log2(rank + 1)
            total += found / ideal
            seen += 1
    ideal = _extend(ideal, ideal_gains, at, len(ideal_gains))
    total += (len(ideal_gains) - seen) * found / ideal
    return total / len(ideal_gains)


def _extend(ideal: float, gains: list[int], done: int, rank: int) -> float:
    """Carry an ideal DCG that holds the first ``done`` gains on to ``rank``."""
    for index in range(done, min(rank, len(gains))):
        ideal += gains[index] / log2(index + 2)
    return ideal


def rndcg(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """NDCG averaged over the ranks at which the ideal gain changes (m_Rndcg.c).

    The last point is the end of the ranking, where it reaches past the documents with gain.
    """
    ideal_gains = list(_ideal_gains(ranking))
    if not ideal_gains or not ranking.relevant(level):
        return 0.0
    found_at = dict(zip(ranking.ranks, ranking.grades, strict=True))
    changes = [
        index
        for index in range(1, len(ideal_gains) + 1)
        if index == len(ideal_gains) or ideal_gains[index] != ideal_gains[index - 1]
    ]
    total, points, found, ideal, at = 0.0, 0, 0.0, 0.0, 0
    for change in changes:
        found = _found(found, found_at, at, min(change, ranking.retrieved))
        ideal = _extend(ideal, ideal_gains, at, change)
        total += found / ideal
        points += 1
        at = change
    if ranking.retrieved >= len(ideal_gains) + 2:
        last = max(ranking.ranks, default=0)
        found = _found(found, found_at, at, last)
        total += found / ideal
        points += 1
    return total / points


def _found(dcg: float, grades: dict[int, int], done: int, rank: int) -> float:
    """Carry a DCG that holds the first ``done`` ranks on to ``rank``."""
    for index in range(done + 1, rank + 1):
        grade = grades.get(index, 0)
        if grade > 0:
            dcg += grade / log2(index + 1)
    return dcg


def g(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """Gain over log2(2 + cost - gain so far), by the sum of ideal gains (m_G.c)."""
    ideal_gains = list(_ideal_gains(ranking))
    if not ideal_gains:
        return 0.0
    # Costs are whole: as floats, those of grades from 2**53 on would lose what is subtracted.
    total, gained, cost, at = 0.0, 0, 0, 0
    for rank, grade in zip(ranking.ranks, ranking.grades, strict=True):
        if grade > 0:
            # Each rank costs the ideal gain there, and at least 1.
            cost += sum(ideal_gains[at:rank]) + max(0, rank - max(at, len(ideal_gains)))
            at = rank
            gained += grade
            total += grade / log2(2 + cost - gained)
    return total / sum(ideal_gains)


def precision(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Relevant documents above the cutoff, over the cutoff (m_P_avgjg.c)."""
    found = sum(rank <= parameters[0] for rank in ranking.relevant_ranks(level))
    return found / parameters[0]


def average_precision(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Precision where each relevant document is found, over all of them (m_map_avgjg.c)."""
    total = _precisions(ranking, level)
    return total / ranking.relevant(level) if total else 0.0


def over_groups(definition: OfRanking) -> Definition:
    """Average a measure over judgment groups (m_map_avgjg.c, m_P_avgjg.c, m_Rprec_mult_avgjg.c)."""

    def averaged(
        ranking: GroupedRanking, parameters: tuple[float, ...], level: int, profile: str
    ) -> float:
        total = 0.0
        for group in ranking.groups:
            total += definition(group, parameters, level, profile)
        return total / len(ranking.groups)

    return averaged


def yaap(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """Log odds of average precision, smoothed (m_yaap.c)."""
    total = _precisions(ranking, level)
    return log((1.0 + total) / (1.0 + ranking.relevant(level) - total))


def _precisions(ranking: JudgedRanking, level: int) -> float:
    """Add the precisions at the ranks of relevant documents."""
    total = 0.0
    for found, rank in enumerate(ranking.relevant_ranks(level), 1):
        total += found / rank
    return total


def rbp(ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str) -> float:
    """Rank-biased precision (m_rbp.c); parameters are p, then grade, gain and so on.

    Where some gain is below 0 or above 1, they are scaled so that the lowest is 0 and the highest
    1, over the gains given, those of all levels from 0 to the highest judged for the query, and 0,
    which is that of all other documents. The C program compares with limits that it never sets;
    this is what it gives where they happen to be 0.
    """
    p, given = parameters[0], _gains(parameters[1:])
    top = max(ranking.judged, default=-1)
    highest = next((level for level in range(top, 0, -1) if level not in given), 0)
    low, high = min([0.0, *given.values()]), max([float(highest), *given.values()])
    scale = (low, high - low) if low < 0 or high > 1 else (0.0, 1.0)
    deepest = ranking.retrieved if -1 in given else max(ranking.ranks, default=0)
    powers = _powers(p, deepest)
    total = 0.0
    for rank, gain in _found_gains(ranking, given):
        if rank > len(powers):
            break
        gain = (gain - scale[0]) / scale[1]
        if gain:
            total += gain * powers[rank - 1]
    return (1.0 - p) * total


def rbp_resid(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """How much gain unjudged documents and all below the ranking could add (m_rbp_resid.c)."""
    p = parameters[0]
    judged = {r for r, g in zip(ranking.ranks, ranking.grades, strict=True) if g >= 0}
    if len(judged) == ranking.retrieved:
        return 0.0
    powers = _powers(p, ranking.retrieved + 1)
    total = 0.0
    for rank, power in enumerate(powers[: ranking.retrieved], 1):
        if rank not in judged:
            if total + power == total and total:
                break  # from here on all are too small to add anything
            total += power
    left = powers[ranking.retrieved] if ranking.retrieved < len(powers) else 0.0
    return left + (1.0 - p) * total


@lru_cache(maxsize=8)
def _powers_to(p: float, size: int) -> tuple[float, ...]:
    """Give 1, p, p * p … as repeated products, until they are 0 or so many."""
    power = 1.0
    powers: list[float] = []
    while power and len(powers) < size:
        powers.append(power)
        power *= p
    return tuple(powers)


def _powers(p: float, size: int) -> tuple[float, ...]:
    """Give at least so many powers of p; where there are fewer, the others are 0."""
    return _powers_to(p, 1 << size.bit_length())


def unjudged(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """Unjudged documents above the cutoff, over the cutoff (m_unjudged.c)."""
    cutoff = parameters[0]
    judged = sum(
        rank <= cutoff and grade >= 0
        for rank, grade in zip(ranking.ranks, ranking.grades, strict=True)
    )
    return (min(ranking.retrieved, cutoff) - judged) / cutoff


def relstring(
    ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
) -> str:
    """Give a character for each of the first documents (m_relstring.c)."""
    levels = dict(zip(ranking.ranks, ranking.grades, strict=True))
    length = min(int(parameters[0]), ranking.retrieved)
    return "".join(_character(levels.get(rank)) for rank in range(1, length + 1))


def _character(grade: int | None) -> str:
    if grade is None:
        return "-"
    return "." if grade < 0 else str(grade) if grade <= 9 else ">"
