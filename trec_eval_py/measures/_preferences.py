"""Measures of preferences, where judges said which of two documents they would rather have.

A ranking fulfils a preference where the preferred document comes first; one that was retrieved
comes before one that was not. The sums run in trec_eval's order (form_prefs_counts.c and
m_prefs_*.c), so that both agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import TYPE_CHECKING

from trec_eval_py.ranking import Over, PreferenceGroup, PreferredRanking, areas_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Definition = Callable[[PreferredRanking, tuple[float, ...], int, str], float]


def possible(
    ranking: PreferredRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """How many preferences were judged (m_prefs_num_prefs_poss.c)."""
    return float(sum(group.areas.of("all")[1] for group in ranking.groups))


def fulfilled(
    ranking: PreferredRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """How many of them are fulfilled, implied ones too (m_prefs_num_prefs_ful.c)."""
    return float(sum(group.areas.of("all")[0] for group in ranking.groups))


def fulfilled_retrieved(
    ranking: PreferredRanking, parameters: tuple[float, ...], level: int, profile: str
) -> float:
    """How many between retrieved documents are fulfilled (m_prefs_num_prefs_ful_ret.c)."""
    return float(sum(group.areas.of("retrieved")[0] for group in ranking.groups))


def simple(over: Over) -> Definition:
    """Fulfilled over possible (m_prefs_simp.c, _ret.c, _imp.c)."""

    def definition(
        ranking: PreferredRanking, parameters: tuple[float, ...], level: int, profile: str
    ) -> float:
        counts = [group.areas.of(over) for group in ranking.groups]
        best = sum(of for _, of in counts)
        return sum(found for found, _ in counts) / best if best else 0.0

    return definition


def by_group(over: Over) -> Definition:
    """Fulfilled over possible for each judgment group, averaged (m_prefs_avgjg.c, _ret.c, _imp.c).

    A group without such preferences counts as 0.
    """

    def definition(
        ranking: PreferredRanking, parameters: tuple[float, ...], level: int, profile: str
    ) -> float:
        total = 0.0
        for group in ranking.groups:
            found, best = group.areas.of(over)
            total += found / best if best else 0.0
        return total / len(ranking.groups)

    return definition


def by_pair(over: Over) -> Definition:
    """Fulfilled over possible for each pair, averaged (m_prefs_pair.c, _ret.c, _imp.c)."""

    def definition(
        ranking: PreferredRanking, parameters: tuple[float, ...], level: int, profile: str
    ) -> float:
        import numpy as np

        retrieved, implied, unseen = ranking.pairs
        shares = retrieved if over == "retrieved" else np.concatenate([retrieved, implied])
        pairs = len(shares) + (unseen if over == "all" else 0)  # those not retrieved add 0
        # One by one, as trec_eval adds them.
        total = float(np.add.accumulate(shares)[-1]) if len(shares) else 0.0
        return total / pairs if pairs else 0.0

    return definition


def balanced(retrieved_only: bool) -> Definition:
    """Average over groups that have as many non-relevant documents as relevant ones.

    A group in which nothing is left to prefer makes the whole 0, as in trec_eval
    (m_prefs_avgjg_Rnonrel.c, _ret.c), where it is no number.
    """

    def definition(
        ranking: PreferredRanking, parameters: tuple[float, ...], level: int, profile: str
    ) -> float:
        total = 0.0
        for group in ranking.groups:
            found, best = _balanced_counts(group, retrieved_only)
            total += found / best if best else nan
        return total / len(ranking.groups) if total > 0.0 else 0.0

    return definition


def _balanced_counts(group: PreferenceGroup, retrieved_only: bool) -> tuple[int, int]:
    """Count with as many non-relevant documents as relevant ones."""
    import numpy as np

    levels, end = group.levels, group.retrieved
    # trec_eval counts a negative level as non-relevant where the group has no subgroups, and as
    # neither where it has.
    relevant, nonrelevant = levels > 0, (levels == 0) if group.partial else (levels <= 0)
    stop = end if retrieved_only else len(levels)
    wanted, there = int(relevant[:stop].sum()), int(nonrelevant[:stop].sum())
    over: Over = "retrieved" if retrieved_only else "all"
    if wanted >= there:
        found, best = group.areas.of(over)
        missing = wanted - there
        return (
            found + int(relevant[:end].sum()) * missing,
            best + int(relevant.sum()) * missing,
        )
    if group.partial:
        # All relevant documents of the group set the number, in both variants.
        places = np.flatnonzero(levels[:stop] == 0)[int(relevant.sum()) :]
        kept = np.delete(np.arange(len(levels)), places)
        preferred = group.preferred[np.ix_(kept, kept)]
        return areas_of(preferred, int((kept < end).sum())).of(over)
    return _balanced_classes(levels, end, wanted, retrieved_only)


def _balanced_classes(
    levels: npt.NDArray[np.float64], end: int, wanted: int, retrieved_only: bool
) -> tuple[int, int]:
    """Count between classes of equal level, of the lowest of which the first are kept.

    As in trec_eval, documents of the lowest class are compared with those kept of it, too.
    """
    import numpy as np

    values = np.unique(levels[~np.isnan(levels)])[::-1]
    classes = [np.flatnonzero(levels == value) for value in values]
    if retrieved_only:
        classes = [places[places < end] for places in classes]
    kept = classes[-1][:wanted]
    found = others = 0
    pairs = [(a, b) for i, a in enumerate(classes) for b in classes[i + 1 : -1]]
    for above, below in [*pairs, *((places, kept) for places in classes)]:
        first = above[:, None] < below[None, :]
        if not retrieved_only:
            first &= above[:, None] < end
        found += int(first.sum())
        others += int((~first).sum())
    return found, found + others
