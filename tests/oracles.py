"""Slow, plain definitions of what trec_eval computes, to hold the package against.

Standard library only, nothing of the package. A ranking is the list of its documents' grades from
rank 1 on: None where the qrels lack the document, a negative grade where it was pooled but not
judged. Beside it stand the grades of all documents that the query's qrels hold. The definitions are
those of the papers cited; where trec_eval decided what a paper leaves open, that is said.
Profile "9.0" is trec_eval 9.0.8, "10.0" is trec_eval 10.0.
"""

import ctypes
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

Docno = TypeVar("Docno", str, bytes)
Ranking = Sequence[int | None]
Measure = Callable[[Ranking, Sequence[int], int, str, int], float]

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
SUCCESS_CUTOFFS = (1, 5, 10)
RECALL_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES_OF_R = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
INFAP_EPSILON = 1e-5
GEOMETRIC_FLOOR = 1e-5


def rank(run: Mapping[Docno, float], profile: str) -> list[Docno]:
    """Order docnos by score, highest first, then by their bytes, last first; NaN has no order."""
    return sorted(
        run, key=lambda docno: (_compared(run[docno], profile), _octets(docno)), reverse=True
    )


def ties(run: Mapping[Docno, float], profile: str) -> int:
    """Count the documents whose score, in the profile's precision, another document has too."""
    shared = Counter(_compared(score, profile) for score in run.values())
    return sum(documents for documents in shared.values() if documents > 1)


def relevances(
    run: Mapping[Docno, float],
    judged: Mapping[Docno, int],
    profile: str,
    *,
    max_docs: int | None = None,
    judged_only: bool = False,
) -> list[int | None]:
    """List the grades by rank; -M cuts first, then -J drops what is not judged or negative."""
    grades = [judged.get(docno) for docno in rank(run, profile)[:max_docs]]
    if judged_only:
        return [grade for grade in grades if grade is not None and grade >= 0]
    return grades


def num_q(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Count the query itself."""
    return 1.0


def num_ret(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Count the documents retrieved."""
    return float(len(ranking))


def num_rel(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Count the relevant documents, retrieved or not: R."""
    return float(_relevant(judged, level))


def num_rel_ret(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Count the relevant documents retrieved."""
    return float(_relevant(ranking, level))


def num_nonrel_judged_ret(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Count the documents retrieved that were judged, and judged not relevant."""
    return float(sum(1 for grade in ranking if grade is not None and 0 <= grade < level))


def map(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Average precision: precision at each relevant document, 0 where not retrieved, over R."""
    return map_cut(ranking, judged, level, len(ranking))


def map_cut(ranking: Ranking, judged: Sequence[int], level: int, cutoff: int) -> float:
    """Average precision of the top ranks; still over R, not over min(cutoff, R)."""
    precisions = (
        _relevant(ranking[:position], level) / position
        for position in _positions(ranking, level)
        if position <= cutoff
    )
    return _ratio(_total(precisions), _relevant(judged, level))


def gm_map(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Average precision; its mean over queries is geometric."""
    return map(ranking, judged, level)


def Rprec(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Precision at rank R."""
    wanted = _relevant(judged, level)
    return _ratio(_relevant(ranking[:wanted], level), wanted)


def bpref(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Buckley & Voorhees 2004, SIGIR 25-32, with trec_eval's denominator min(N, R).

    1/R sum over relevant documents retrieved of 1 - min(n, R) / min(N, R): n judged non-relevant
    documents above it, N of them in all. The rest of the ranking is passed over.
    """
    wanted = _relevant(judged, level)
    unwanted = sum(1 for grade in judged if 0 <= grade < level)
    kept = 0.0
    for position in _positions(ranking, level):
        above = int(num_nonrel_judged_ret(ranking[: position - 1], judged, level))
        kept += 1.0 - min(above, wanted) / min(unwanted, wanted) if above else 1.0
    return _ratio(kept, wanted)


def gm_bpref(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Binary preference; its mean over queries is geometric."""
    return bpref(ranking, judged, level)


def recip_rank(
    ranking: Ranking, judged: Sequence[int], level: int, cutoff: int | None = None
) -> float:
    """One over the rank of the first relevant document, 0 where the top ranks hold none."""
    positions = _positions(ranking[:cutoff], level)
    return 1.0 / positions[0] if positions else 0.0


def iprec_at_recall(
    ranking: Ranking, judged: Sequence[int], level: int, recall_level: float, profile: str
) -> float:
    """Highest precision at, or below, the rank where the recall level is reached; 0 if never.

    The level is reached with the n-th relevant document: n = recall level * R, rounded by the
    profile. With n = 0 every rank counts. Precision is highest at relevant documents.
    """
    needed = _rounded(recall_level * _relevant(judged, level), profile)
    positions = _positions(ranking, level)
    precisions = [found / position for found, position in enumerate(positions, start=1)]
    return max(precisions[max(needed - 1, 0) :], default=0.0)


def eleven_pt_avg(
    ranking: Ranking,
    judged: Sequence[int],
    level: int,
    profile: str,
    recall_levels: Sequence[float] = RECALL_LEVELS,
) -> float:
    """Mean of iprec_at_recall over the recall levels; trec_eval adds from the highest on."""
    falling = sorted(recall_levels, reverse=True)
    points = (iprec_at_recall(ranking, judged, level, point, profile) for point in falling)
    return _total(points) / len(recall_levels)


def P(ranking: Ranking, judged: Sequence[int], level: int, cutoff: int) -> float:
    """Precision of the top ranks; ranks that the run leaves empty count as not relevant."""
    return _relevant(ranking[:cutoff], level) / cutoff


def recall(ranking: Ranking, judged: Sequence[int], level: int, cutoff: int) -> float:
    """Share of the relevant documents that the top ranks hold."""
    return _ratio(_relevant(ranking[:cutoff], level), _relevant(judged, level))


def infAP(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Yilmaz & Aslam 2006, CIKM 102-111: average precision expected from a sampled pool.

    Precision expected at rank k: 1/k + (k-1)/k * (pooled above / (k-1)) * (share of the judged
    above that is relevant, smoothed). A negative grade is in the pool, None is not.
    """
    expected = 0.0
    for position in _positions(ranking, level):
        above = ranking[: position - 1]
        pooled = sum(1 for grade in above if grade is not None)
        relevant = _relevant(above, level)
        not_relevant = num_nonrel_judged_ret(above, judged, level)
        if position == 1:
            expected += 1.0
            continue
        share = (relevant + INFAP_EPSILON) / (relevant + not_relevant + 2 * INFAP_EPSILON)
        others = position - 1
        expected += 1.0 / position + others / position * (pooled / others) * share
    return _ratio(expected, _relevant(judged, level))


def Rprec_mult(ranking: Ranking, judged: Sequence[int], level: int, multiple: float) -> float:
    """Precision at a multiple of R, rounded with + 0.9 in both profiles; 0 at rank 0."""
    cutoff = int(multiple * _relevant(judged, level) + 0.9)
    return _ratio(_relevant(ranking[:cutoff], level), cutoff)


def utility(
    ranking: Ranking,
    judged: Sequence[int],
    level: int,
    p1: float = 1.0,
    p2: float = -1.0,
    p3: float = 0.0,
    p4: float = 0.0,
    num_docs: int = 0,
) -> float:
    """Weigh retrieved relevant, retrieved other, missed relevant and other missed documents."""
    found = _relevant(ranking, level)
    others = len(ranking) - found
    missed = _relevant(judged, level) - found
    rest = num_docs - found - others - missed
    return p1 * found + p2 * others + p3 * missed + p4 * rest


def binG(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Mean over the relevant documents of 1 / log2(2 + documents above that are not relevant)."""
    gained = 0.0
    for found, position in enumerate(_positions(ranking, level)):
        gained += 1.0 / math.log2(2 + position - 1 - found)
    return _ratio(gained, _relevant(judged, level))


def G(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Gain discounted by how far the ranking lags behind the ideal, over the sum of all gains.

    Each document gives grade / log2(2 + cost - gain), both summed up to and including its rank; a
    rank costs the ideal ranking's grade there, at least 1. The relevance level is not used.
    """
    gains = _gains(ranking)
    ideal = _ideal(judged)
    gained = 0.0
    for position, gain in enumerate(gains, start=1):
        cost = sum(ideal[:position]) + max(0, position - len(ideal))
        if gain:
            gained += gain / math.log2(2 + cost - sum(gains[:position]))
    return _ratio(gained, sum(ideal))


def ndcg(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Jarvelin & Kekalainen 2002, TOIS 20(4):422-446; gain = grade, discount = log2(rank + 1).

    The discount is that of trec_eval, without the paper's log base. Negative and absent grades
    gain nothing. The relevance level is not used.
    """
    return _ratio(_dcg(_gains(ranking)), _dcg(_ideal(judged)))


def ndcg_rel(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Mean, over all documents of positive grade, of nDCG at the rank where each one stands.

    One that was not retrieved counts as the DCG of the whole ranking over the whole ideal DCG. The
    relevance level is not used.
    """
    gains = _gains(ranking)
    ideal = _ideal(judged)
    places = [position for position, gain in enumerate(gains, start=1) if gain]
    at_places = _total(_dcg(gains[:place]) / _dcg(ideal[:place]) for place in places)
    missed = len(ideal) - len(places)
    at_end = _ratio(missed * _dcg(gains), _dcg(ideal))
    return _ratio(at_places + at_end, len(ideal))


def Rndcg(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Mean of nDCG at the ranks after which the ideal ranking's grade falls, and at the end.

    The end of the ranking counts where more than one document lies beyond the ideal ranking; so
    trec_eval has it. 0 without a document at the relevance level, which is not used otherwise.
    """
    if not _relevant(judged, level):
        return 0.0
    gains = _gains(ranking)
    ideal = _ideal(judged)
    ends = [sum(1 for grade in ideal if grade >= step) for step in sorted(set(ideal), reverse=True)]
    if len(ranking) > len(ideal) + 1:
        ends.append(len(ranking))
    return _ratio(_total(_dcg(gains[:end]) / _dcg(ideal[:end]) for end in ends), len(ends))


def ndcg_cut(ranking: Ranking, judged: Sequence[int], level: int, cutoff: int) -> float:
    """Discounted gain of the top ranks over that of the ideal ranking's top ranks."""
    return _ratio(_dcg(_gains(ranking)[:cutoff]), _dcg(_ideal(judged)[:cutoff]))


def exp_ndcg(
    ranking: Ranking, judged: Sequence[int], level: int, cutoff: int | None = None
) -> float:
    """Burges et al. 2005, ICML 89-96: nDCG with gain 2 ** grade - 1, for grades up to 1,023."""
    gains = [2.0**gain - 1.0 for gain in _gains(ranking)[:cutoff]]
    ideal = [2.0**gain - 1.0 for gain in _ideal(judged)[:cutoff]]
    return _ratio(_dcg(gains), _dcg(ideal))


def gain_of(grade: int | None, given: Mapping[int, float]) -> float:
    """Give a document's gain; -1 stands for no judgment, -2 for a negative grade."""
    if grade is None:
        return given.get(-1, 0.0)
    if grade < 0:
        return given.get(-2, 0.0)
    return given.get(grade, float(grade))


def dcg(ranking: Ranking, given: Mapping[int, float]) -> float:
    """Järvelin & Kekäläinen 2002, with gains that may be given for grades; negative ones count."""
    return _total(
        gain_of(grade, given) / math.log2(rank + 1) for rank, grade in enumerate(ranking, 1)
    )


def ideal_dcg(judged: Sequence[int], given: Mapping[int, float]) -> float:
    """The DCG of all judged documents by falling gain, as far as it is positive."""
    gains = sorted((gain_of(grade, given) for grade in judged if grade >= 0), reverse=True)
    return _dcg([gain for gain in gains if gain > 0])


def given_ndcg(ranking: Ranking, judged: Sequence[int], given: Mapping[int, float]) -> float:
    """Divide the one by the other."""
    return _ratio(dcg(ranking, given), ideal_dcg(judged, given))


def rbp(
    ranking: Ranking, judged: Sequence[int], p: float = 0.9, given: Mapping[int, float] = {}
) -> float:
    """Moffat & Zobel 2008: a user reads on with probability p. Gains outside 0 to 1 are scaled."""
    top = max([*judged, -1])
    # Of many levels, only the lowest and the highest matter.
    levels = [level for level in (*range(min(top, 100)), top) if level >= 0]
    # All other documents have gain 0.
    gains = [0.0, *given.values(), *(float(level) for level in levels if level not in given)]
    low, high = min(gains), max(gains)
    total, reads_on = 0.0, 1.0
    for grade in ranking:
        level = -1 if grade is None else grade if grade >= 0 else -2
        has_gain = level >= 0 or level in given
        gain = gain_of(grade, given) if has_gain else 0.0
        if has_gain and (low < 0 or high > 1):
            gain = _ratio(gain - low, high - low)
        total += gain * reads_on
        reads_on *= p
    return (1.0 - p) * total


def rbp_resid(ranking: Ranking, judged: Sequence[int], p: float = 0.9) -> float:
    """What unjudged documents, and all that follow the ranking, could add at most."""
    if all(grade is not None and grade >= 0 for grade in ranking):
        return 0.0
    total, reads_on = 0.0, 1.0
    for grade in ranking:
        if grade is None or grade < 0:
            total += reads_on
        reads_on *= p
    return reads_on + (1.0 - p) * total


def unj(ranking: Ranking, judged: Sequence[int], level: int, cutoff: int) -> float:
    """Unjudged share of the top ranks; what a short ranking lacks counts as judged."""
    return sum(grade is None or grade < 0 for grade in ranking[:cutoff]) / cutoff


def yaap(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Robertson 2012: log odds of the sum of precisions, smoothed."""
    found = _total(_relevant(ranking[:rank], level) / rank for rank in _positions(ranking, level))
    return math.log((1.0 + found) / (1.0 + _relevant(judged, level) - found))


def relstring(ranking: Ranking, length: int = 10) -> str:
    """Write the grades of the first documents, a character each."""
    characters = []
    for grade in ranking[:length]:
        if grade is None:
            characters.append("-")
        elif grade < 0:
            characters.append(".")
        else:
            characters.append(">" if grade > 9 else str(grade))
    return "".join(characters)


def relative_P(ranking: Ranking, judged: Sequence[int], level: int, cutoff: int) -> float:
    """Precision of the top ranks over the best possible: over min(cutoff, R) documents."""
    return _ratio(_relevant(ranking[:cutoff], level), min(cutoff, _relevant(judged, level)))


def success(ranking: Ranking, judged: Sequence[int], level: int, cutoff: int) -> float:
    """1 if the top ranks hold a relevant document, else 0."""
    return 1.0 if _relevant(ranking[:cutoff], level) else 0.0


def set_P(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Precision of all that was retrieved."""
    return _ratio(_relevant(ranking, level), len(ranking))


def set_relative_P(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Precision of all that was retrieved over the best possible for so many documents."""
    return _ratio(_relevant(ranking, level), min(len(ranking), _relevant(judged, level)))


def set_recall(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Share of the relevant documents that was retrieved at all."""
    return _ratio(_relevant(ranking, level), _relevant(judged, level))


def set_map(ranking: Ranking, judged: Sequence[int], level: int) -> float:
    """Precision times recall of all that was retrieved."""
    return _ratio(_relevant(ranking, level) ** 2, len(ranking) * _relevant(judged, level))


def set_F(ranking: Ranking, judged: Sequence[int], level: int, x: float = 1.0) -> float:
    """Harmonic mean of precision and recall, recall weighing x (the square of van Rijsbergen's)."""
    precision = set_P(ranking, judged, level)
    found = set_recall(ranking, judged, level)
    return _ratio((x + 1.0) * precision * found, x * precision + found)


def score(
    run: Mapping[str, Mapping[str, float]],
    qrels: Mapping[str, Mapping[str, int]],
    *,
    level: int = 1,
    profile: str = "9.0",
    max_docs: int | None = None,
    judged_only: bool = False,
) -> dict[str, dict[str, float]]:
    """Score the queries that are in both, in byte order, under every name of MEASURES."""
    scores = {}
    for query in sorted(run, key=_octets):
        if not qrels.get(query):
            continue
        judged = qrels[query]
        ranking = relevances(
            run[query], judged, profile, max_docs=max_docs, judged_only=judged_only
        )
        scores[query] = {
            name: measure(ranking, list(judged.values()), level, profile, 0)
            for name, measure in MEASURES.items()
        }
    return scores


def mean(name: str, values: Sequence[float]) -> float:
    """Join the values of one measure over the queries, adding in the order given."""
    if name.startswith("num_"):
        return _total(values)
    if name.startswith("gm_"):
        logarithms = (math.log(max(value, GEOMETRIC_FLOOR)) for value in values)
        return math.exp(_total(logarithms) / len(values))
    return _total(values) / len(values)


def _compared(score: float, profile: str) -> float:
    """Give the value by which the profile compares a score: a C float, or the double itself."""
    return {"9.0": ctypes.c_float(score).value, "10.0": float(score)}[profile]


def _octets(text: str | bytes) -> bytes:
    """Give the bytes of a name."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _rounded(share: float, profile: str) -> int:
    """Round a share of R to documents: 9.0 adds 0.9 and cuts, 10.0 rounds halves up."""
    whole = int(share)
    return {"9.0": int(share + 0.9), "10.0": whole + (share - whole >= 0.5)}[profile]


def _relevant(grades: Ranking, level: int) -> int:
    """Count the grades that reach the level; one that is negative is no judgment."""
    return sum(1 for grade in grades if grade is not None and grade >= max(level, 0))


def _positions(ranking: Ranking, level: int) -> list[int]:
    """List the ranks of the relevant documents."""
    ranked = enumerate(ranking, start=1)
    return [position for position, grade in ranked if _relevant([grade], level)]


def _gains(ranking: Ranking) -> list[int]:
    """Give what each rank gains: its grade, 0 where that is negative or absent."""
    return [max(grade or 0, 0) for grade in ranking]


def _ideal(judged: Sequence[int]) -> list[int]:
    """Give the gains of the best possible ranking, without those of 0."""
    return sorted((grade for grade in judged if grade > 0), reverse=True)


def _dcg(gains: Sequence[float]) -> float:
    """Add up the gains, each over log2(rank + 1)."""
    return _total(gain / math.log2(position + 1) for position, gain in enumerate(gains, start=1))


def _total(values: Iterable[float]) -> float:
    """Add from left to right, as C does; from Python 3.12 on, sum() corrects its rounding."""
    total = 0.0
    for value in values:
        total += value
    return total


def _ratio(part: float, whole: float) -> float:
    """Divide; what is undefined for want of documents is 0."""
    return part / whole if whole else 0.0


def _plain(function: Callable[[Ranking, Sequence[int], int], float]) -> Measure:
    """Adapt a measure that has no parameters."""
    return lambda ranking, judged, level, profile, num_docs: function(ranking, judged, level)


def _cut(function: Callable[[Ranking, Sequence[int], int, int], float], cutoff: int) -> Measure:
    """Adapt a measure of the top ranks."""
    return lambda ranking, judged, level, profile, num_docs: function(
        ranking, judged, level, cutoff
    )


def _cuts(
    function: Callable[[Ranking, Sequence[int], int, int], float],
    cutoffs: Sequence[int] = CUTOFFS,
) -> dict[str, Measure]:
    """Name a measure of the top ranks once a cutoff."""
    return {f"{function.__name__}_{cutoff}": _cut(function, cutoff) for cutoff in cutoffs}


def _at_recall(recall_level: float) -> Measure:
    """Adapt iprec_at_recall."""
    return lambda ranking, judged, level, profile, num_docs: iprec_at_recall(
        ranking, judged, level, recall_level, profile
    )


def _at_multiple(multiple: float) -> Measure:
    """Adapt Rprec_mult."""
    return lambda ranking, judged, level, profile, num_docs: Rprec_mult(
        ranking, judged, level, multiple
    )


# The names and the order of trec_eval's lines for -m all_trec, without runid and relstring; without
# unj, rbp and rbp_resid too, which 10.0 added.
MEASURES: dict[str, Measure] = {
    "num_q": _plain(num_q),
    "num_ret": _plain(num_ret),
    "num_rel": _plain(num_rel),
    "num_rel_ret": _plain(num_rel_ret),
    "map": _plain(map),
    "gm_map": _plain(gm_map),
    "Rprec": _plain(Rprec),
    "bpref": _plain(bpref),
    "recip_rank": _plain(recip_rank),
    **{f"iprec_at_recall_{point:.2f}": _at_recall(point) for point in RECALL_LEVELS},
    **_cuts(P),
    **_cuts(recall),
    "infAP": _plain(infAP),
    "gm_bpref": _plain(gm_bpref),
    **{f"Rprec_mult_{multiple:.2f}": _at_multiple(multiple) for multiple in MULTIPLES_OF_R},
    "utility": lambda ranking, judged, level, profile, num_docs: utility(
        ranking, judged, level, num_docs=num_docs
    ),
    "11pt_avg": lambda ranking, judged, level, profile, num_docs: eleven_pt_avg(
        ranking, judged, level, profile
    ),
    "binG": _plain(binG),
    "G": _plain(G),
    "ndcg": _plain(ndcg),
    "ndcg_rel": _plain(ndcg_rel),
    "Rndcg": _plain(Rndcg),
    **_cuts(ndcg_cut),
    **_cuts(map_cut),
    **_cuts(relative_P),
    **_cuts(success, SUCCESS_CUTOFFS),
    "set_P": _plain(set_P),
    "set_relative_P": _plain(set_relative_P),
    "set_recall": _plain(set_recall),
    "set_map": _plain(set_map),
    "set_F": _plain(set_F),
    "num_nonrel_judged_ret": _plain(num_nonrel_judged_ret),
}
# What 10.0 prints for it: three families more.
MEASURES_10: dict[str, Measure] = {
    **MEASURES,
    "rbp": lambda ranking, judged, level, profile, num_docs: rbp(ranking, judged),
    "rbp_resid": lambda ranking, judged, level, profile, num_docs: rbp_resid(ranking, judged),
    **_cuts(unj, (5, 10, 20)),
}
LISTED = {"9.0": MEASURES, "10.0": MEASURES_10}
# Measures of trec_eval that are in no list of its own.
UNLISTED: dict[str, Measure] = {
    "dcg": lambda ranking, judged, level, profile, num_docs: dcg(ranking, {}),
    "ideal_dcg": lambda ranking, judged, level, profile, num_docs: ideal_dcg(judged, {}),
    "yaap": _plain(yaap),
}


# Preferences. A query's levels are {group: {subgroup: {docno: level}}}.
Levels = Mapping[str, Mapping[str, Mapping[str, float]]]


def preferred(subgroups: Mapping[str, Mapping[str, float]]) -> set[tuple[str, str]]:
    """Pairs of which a group would rather have the first: stated, or following from others."""
    pairs = {
        (one, other)
        for levels in subgroups.values()
        for one in levels
        for other in levels
        if levels[one] > levels[other]
    }
    while len(subgroups) > 1:
        more = pairs | {(a, d) for a, b in pairs for c, d in pairs if b == c}
        if more == pairs:
            break
        pairs = more
    return pairs


def prefer(
    run: Mapping[str, float], levels: Levels, max_docs: int | None = None
) -> dict[str, float]:
    """Compute the 14 measures of preferences of one query.

    Documents tie by docno rising here. A document that is not retrieved stands below all that are;
    where two are not, they count as one above the other by docno, which no measure of a pair sees.
    """
    judged = sorted({d for group in levels.values() for one in group.values() for d in one})
    ranked = sorted(run, key=lambda docno: (-_compared(run[docno], "9.0"), _octets(docno)))
    there = [docno for docno in ranked[:max_docs] if docno in judged]
    place = {docno: i for i, docno in enumerate([*there, *(d for d in judged if d not in there)])}
    groups = [(subgroups, preferred(subgroups)) for _, subgroups in sorted(levels.items())]

    def kind(pair: tuple[str, str]) -> str:
        return ("nothing", "implied", "retrieved")[sum(docno in there for docno in pair)]

    def is_fulfilled(pair: tuple[str, str]) -> bool:
        return kind(pair) != "nothing" and place[pair[0]] < place[pair[1]]

    def count(pairs: Iterable[tuple[str, str]], kinds: Sequence[str]) -> tuple[int, int]:
        kept = [pair for pair in pairs if kind(pair) in kinds]
        return sum(is_fulfilled(pair) for pair in kept), len(kept)

    values: dict[str, float] = {}
    over = {
        "": ("retrieved", "implied", "nothing"),
        "_ret": ("retrieved",),
        "_imp": ("retrieved", "implied"),
    }
    counts = {end: [count(pairs, kinds) for _, pairs in groups] for end, kinds in over.items()}
    values["num_prefs_poss"] = float(sum(best for _, best in counts[""]))
    values["num_prefs_ful"] = float(sum(found for found, _ in counts[""]))
    values["num_prefs_ful_ret"] = float(sum(found for found, _ in counts["_ret"]))
    for end, kinds in over.items():
        found, best = (sum(column) for column in zip(*counts[end], strict=True))
        values[f"simp{end}"] = _ratio(found, best)
        shares = []
        for i, one in enumerate(sorted(judged, key=place.__getitem__)):
            for other in sorted(judged, key=place.__getitem__)[i + 1 :]:
                first = sum((one, other) in pairs for _, pairs in groups)
                last = sum((other, one) in pairs for _, pairs in groups)
                if first + last and kind((one, other)) in kinds:
                    # Where nothing was retrieved, the pair fails.
                    there_is_one = kind((one, other)) != "nothing"
                    shares.append(first / (first + last) if there_is_one else 0.0)
        values[f"pair{end}"] = _ratio(_total(shares), len(shares))
        values[f"avgjg{end}"] = _total(_ratio(*each) for each in counts[end]) / len(groups)
    for end, kinds in (("", over[""]), ("_ret", over["_ret"])):
        each = [
            _balanced(subgroups, pairs, place, len(there), end == "_ret", count, kinds)
            for subgroups, pairs in groups
        ]
        # A group without any preference left makes the whole 0.
        whole = all(best for _, best in each)
        total = _total(found / best for found, best in each) / len(groups) if whole else 0.0
        values[f"avgjg_Rnonrel{end}"] = total
    return {f"prefs_{name}": value for name, value in values.items()}


def _balanced(
    subgroups: Mapping[str, Mapping[str, float]],
    pairs: set[tuple[str, str]],
    place: Mapping[str, int],
    retrieved: int,
    retrieved_only: bool,
    count: Callable[[Iterable[tuple[str, str]], Sequence[str]], tuple[int, int]],
    kinds: Sequence[str],
) -> tuple[int, int]:
    """Count preferences where a group has as many non-relevant documents as relevant ones."""
    levels = {docno: level for one in subgroups.values() for docno, level in one.items()}
    in_order = sorted(levels, key=place.__getitem__)
    relevant = [docno for docno in in_order if levels[docno] > 0]
    # A level below 0 counts as not relevant, but not where there are subgroups.
    several = len(subgroups) > 1
    others = [d for d in in_order if levels[d] == 0 or (levels[d] < 0 and not several)]
    there = [docno for docno in relevant if place[docno] < retrieved]
    others_there = [docno for docno in others if place[docno] < retrieved]
    wanted, has = (there, others_there) if retrieved_only else (relevant, others)
    if len(wanted) >= len(has):
        missing = len(wanted) - len(has)
        found, best = count(pairs, kinds)
        return found + len(there) * missing, best + len(relevant) * missing
    if several:
        dropped = set((others_there if retrieved_only else others)[len(relevant) :])
        return count([pair for pair in pairs if dropped.isdisjoint(pair)], kinds)
    # With one subgroup, every document of the group, those of the lowest level too, is compared
    # with the first of the lowest level; of two of these, the one that comes first fulfils.
    lowest = min(levels.values())
    kept = [docno for docno in in_order if levels[docno] == lowest]
    if retrieved_only:
        kept = [docno for docno in kept if place[docno] < retrieved]
    kept = kept[: len(wanted)]
    among = [pair for pair in pairs if levels[pair[1]] > lowest]
    compared = [(docno, other) for docno in in_order for other in kept]
    if retrieved_only:
        compared = [pair for pair in compared if place[pair[0]] < retrieved]
        among = [pair for pair in among if max(place[pair[0]], place[pair[1]]) < retrieved]
    found = sum(place[a] < place[b] and place[a] < retrieved for a, b in [*among, *compared])
    return found, len(among) + len(compared)


def over_groups(
    run: Mapping[str, float],
    groups: Mapping[str, Mapping[str, int]],
    measure: Callable[[Ranking, Sequence[int]], float],
    max_docs: int | None = None,
    judged_only: bool = False,
) -> float:
    """Average a measure over judgment groups, each with grades of its own."""
    values = [
        measure(
            relevances(run, grades, "9.0", max_docs=max_docs, judged_only=judged_only),
            list(grades.values()),
        )
        for _, grades in sorted(groups.items())
    ]
    return _total(values) / len(values)
