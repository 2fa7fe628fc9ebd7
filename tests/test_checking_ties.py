"""What ties can move, held against every order there is."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator

import oracles
import pytest
from generators import GRADES, NEAR
from hypothesis import given, settings
from hypothesis import strategies as st

from trec_eval_py.checking import TieRange, Ties, tie_ranges
from trec_eval_py.ranking import PROFILES

both_profiles = pytest.mark.parametrize("profile", PROFILES)

NEARLY = {b"a": 1.0, b"b": 1.0 + 1e-12, b"c": 0.5}
HIGHER_LAST = {b"a": 2, b"b": 1}


def test_the_range_of_one_tie() -> None:
    """b (by its docno), then a: AP is 1/2, recip_rank 1/2; the other way round both are 1."""
    got = tie_ranges({b"1": {b"a": 1.0, b"b": 1.0}}, {b"1": {b"a": 1}}, "9.0")
    assert got[:4] == Ties(documents=2, queries=1, only_as_floats=0, answered=1, ranges=())[:4]
    assert got.ranges[:2] == (
        TieRange("recip_rank", 0.5, 0.5, 1.0),
        TieRange("map", 0.5, 0.5, 1.0),
    )
    # DCG of rank 2 is 1 / log2(3), of rank 1 it is 1.
    low = pytest.approx(0.6309297535714574, abs=1e-12)
    assert got.ranges[2] == TieRange("ndcg_cut_10", low, low, 1.0)  # type: ignore[arg-type]


def test_the_higher_grade_comes_first_at_best() -> None:
    """DCG is 2 + 1/log2(3) at best, 1 + 2/log2(3) at worst and by the rule."""
    got = tie_ranges({b"1": {b"a": 1.0, b"b": 1.0}}, {b"1": HIGHER_LAST}, "9.0").ranges[2]
    at_second = 0.6309297535714574
    assert got.highest == 1.0
    worst = (1 + 2 * at_second) / (2 + at_second)
    assert (got.value, got.lowest) == pytest.approx((worst, worst), abs=1e-12)


def test_a_relevance_level_is_heeded() -> None:
    """At level 2 only a is relevant, second by the rule."""
    got = tie_ranges({b"1": {b"a": 1.0, b"b": 1.0}}, {b"1": HIGHER_LAST}, "9.0", 2)
    assert got.ranges[0] == TieRange("recip_rank", 0.5, 0.5, 1.0)


def test_ties_as_floats_are_told_from_ties() -> None:
    run, judged = {b"1": NEARLY}, {b"1": {b"a": 1}}
    as_floats, as_doubles = tie_ranges(run, judged, "9.0"), tie_ranges(run, judged, "10.0")
    assert as_floats[:4] == (2, 1, 2, 1)
    assert as_doubles[:4] == (0, 0, 2, 1)
    assert as_floats.ranges[0] == TieRange("recip_rank", 0.5, 0.5, 1.0)
    assert as_doubles.ranges[0] == TieRange("recip_rank", 0.5, 0.5, 0.5)


def test_a_tie_of_doubles_that_a_float_joins() -> None:
    """All three tie as floats, two of them as doubles."""
    run = {b"1": {b"a": 1.0, b"b": 1.0, b"c": 1.0 + 1e-12}}
    assert tie_ranges(run, {b"1": {b"a": 1}}, "9.0")[:3] == (3, 1, 1)
    assert tie_ranges(run, {b"1": {b"a": 1}}, "10.0")[:3] == (2, 1, 1)


def test_only_judged_queries_that_are_answered_count() -> None:
    """Query 1 has 1/2 by the rule, query 2 (answered with nothing) 0: half of 1/2."""
    run: dict[bytes, dict[bytes, float]]
    run = {b"1": {b"a": 1.0, b"b": 1.0}, b"2": {}, b"9": {b"a": 1.0, b"b": 1.0}}
    got = tie_ranges(run, {b"1": {b"a": 1}, b"2": {b"a": 1}, b"3": {b"a": 1}}, "9.0")
    assert got[:4] == (2, 1, 0, 2)
    assert got.ranges[0] == TieRange("recip_rank", 0.25, 0.25, 0.5)


def test_no_common_query_has_no_mean() -> None:
    assert tie_ranges({b"1": {b"a": 1.0}}, {b"2": {b"a": 1}}, "9.0") == Ties(0, 0, 0, 0, ())


def test_nothing_is_changed_in_place() -> None:
    run, judged = {b"1": {b"a": 1.0, b"b": 1.0}}, {b"1": {b"b": 1, b"a": -1}}
    tie_ranges(run, judged, "9.0")
    assert (list(run[b"1"]), judged) == ([b"a", b"b"], {b"1": {b"b": 1, b"a": -1}})


def orders(scores: dict[bytes, float], profile: str) -> Iterator[tuple[bytes, ...]]:
    """Try every order of the documents, and keep those in which scores never rise."""
    as_held = {
        docno: ctypes.c_float(score).value if profile == "9.0" else score
        for docno, score in scores.items()
    }
    for order in itertools.permutations(scores):
        if all(as_held[a] >= as_held[b] for a, b in itertools.pairwise(order)):
            yield order


def values(order: tuple[bytes, ...], judged: dict[bytes, int], level: int) -> list[float]:
    ranking, grades = [judged.get(docno) for docno in order], list(judged.values())
    return [
        oracles.recip_rank(ranking, grades, level),
        oracles.map(ranking, grades, level),
        oracles.ndcg_cut(ranking, grades, level, 10),
    ]


FEW = [b"a", b"b", b"c", b"d", b"e"]
TYING = st.sampled_from([1.0, 1.0, 1.0 + 1e-12, 0.5, *NEAR[:2]])
QUERY = st.tuples(
    st.dictionaries(st.sampled_from(FEW), TYING, min_size=1),
    st.dictionaries(st.sampled_from([*FEW, b"z"]), GRADES, min_size=1),
)


@both_profiles
@settings(max_examples=150, deadline=None)
@given(queries=st.lists(QUERY, min_size=1, max_size=3), level=st.integers(1, 3))
def test_ranges_are_those_of_every_order(
    profile: str,
    queries: list[tuple[dict[bytes, float], dict[bytes, int]]],
    level: int,
) -> None:
    """Sums of few terms differ by their order only: 1e-12 is far above that."""
    names = [str(i).encode() for i in range(len(queries))]
    run = {name: scores for name, (scores, _) in zip(names, queries, strict=True)}
    qrels = {name: judged for name, (_, judged) in zip(names, queries, strict=True)}
    got = tie_ranges(run, qrels, profile, level)
    ruled = [values(tuple(oracles.rank(s, profile)), j, level) for s, j in queries]
    every = [[values(order, j, level) for order in orders(s, profile)] for s, j in queries]
    for i, measure in enumerate(("recip_rank", "map", "ndcg_cut_10")):
        count = len(queries)
        value = sum(row[i] for row in ruled) / count
        lowest = sum(min(row[i] for row in rows) for rows in every) / count
        highest = sum(max(row[i] for row in rows) for rows in every) / count
        assert got.ranges[i].measure == measure
        assert got.ranges[i][1:] == pytest.approx((value, lowest, highest), abs=1e-12)
        assert got.ranges[i].lowest <= got.ranges[i].value <= got.ranges[i].highest
    tied = [oracles.ties(scores, profile) for scores, _ in queries]
    assert (got.documents, got.queries) == (sum(tied), sum(n > 0 for n in tied))


def test_ndcg_counts_the_first_ten_ranks_of_a_longer_tie() -> None:
    """Of twelve that tie, the one relevant document is first at best, last (and not seen) else."""
    run = {b"1": {f"d{i:02}".encode(): 1.0 for i in range(12)}}
    got = tie_ranges(run, {b"1": {b"d05": 1, b"d01": 0, b"d02": -1}}, "10.0").ranges
    assert (got[2].lowest, got[2].highest) == (0.0, 1.0)
    # By the rule d05 follows d11 … d06: it is seventh.
    assert got[0] == TieRange("recip_rank", 1 / 7, 1 / 12, 1.0)
