"""What the property tests run on: ties, near ties, negative grades, unjudged documents, gaps.

Ids are bytes, as inside the package; some are no UTF-8, and some look like what ``scoring`` names
documents by.
"""

from __future__ import annotations

import math
from collections import Counter

from hypothesis import strategies as st

from trec_eval_py.ranking import JudgedRanking

Run = dict[bytes, dict[bytes, float]]
Qrels = dict[bytes, dict[bytes, int]]

QUERIES = [b"1", b"10", b"9", b"no query", b"all", b"q\xff"]
DOCNOS = [
    *(b"1", b"2", b"10", b"9", b"A", b"a", b"B", b"b", b"d1", b"d2", b"d\xc3\xa9", b"d\xe9"),
    *(b"\xff", b"0~0", b"1~0", b"-1~0", b"x y", b"\xe2\x82\xac"),
]
# Pairs that are equal as C floats only (the last is 2**24 and one more), and infinite ones.
NEAR = [0.9222621453752586, 0.9222621453752585, 1.0, 1.0 + 1e-12, 16777216.0, 16777217.0]
BEYOND_FLOAT = [1e39, 1e40, -1e39, -1e40]
EDGES = [0.0, -0.0, 1e-46, -1e-46, math.inf, -math.inf]

WITHIN_FLOAT = st.sampled_from([*NEAR, *EDGES]) | st.floats(-1e30, 1e30, width=64)
SCORES = st.sampled_from([*NEAR, *EDGES, *BEYOND_FLOAT]) | st.floats(allow_nan=False)
FEW_SCORES = st.integers(-1, 2).map(float)
GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])


def judgments(grades: st.SearchStrategy[int] = GRADES) -> st.SearchStrategy[dict[bytes, int]]:
    """One query's judgments."""
    return st.dictionaries(st.sampled_from(DOCNOS), grades, min_size=1, max_size=10)


def qrels(grades: st.SearchStrategy[int] = GRADES) -> st.SearchStrategy[Qrels]:
    """Judgments of some queries."""
    return st.dictionaries(st.sampled_from(QUERIES), judgments(grades), min_size=1, max_size=4)


def answers(scores: st.SearchStrategy[float]) -> st.SearchStrategy[dict[bytes, float]]:
    """One query's documents, in any order."""
    return st.dictionaries(st.sampled_from(DOCNOS), scores, max_size=15)


def runs(scores: st.SearchStrategy[float] = SCORES) -> st.SearchStrategy[Run]:
    """Runs in which scores tie never, now and then, or everywhere."""
    kinds: list[st.SearchStrategy[float]] = [scores, FEW_SCORES, st.just(0.5)]
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.dictionaries(st.sampled_from(QUERIES), answers(kind), max_size=5)
    )


@st.composite
def graded_lists(
    draw: st.DrawFn, grades: st.SearchStrategy[int] = GRADES, deep: bool = False
) -> tuple[list[int | None], list[int]]:
    """Give a ranking as ``oracles`` takes it, and the grades of all judged documents."""
    gaps = st.sampled_from([0, 0, 0, 0, 1, 2, 5, *([17, 90, 400] if deep else [])])
    ranking: list[int | None] = []
    for gap, grade in draw(st.lists(st.tuples(gaps, grades), max_size=12)):
        ranking += [*[None] * gap, grade]
    ranking += [None] * draw(gaps)
    missed = draw(st.lists(grades, max_size=6))
    judged = [grade for grade in ranking if grade is not None] + missed
    return ranking, judged or [0]


def judged_ranking(ranking: list[int | None], judged: list[int]) -> JudgedRanking:
    """Turn what ``oracles`` takes into what ``measures`` and ``scoring`` take."""
    found = [(rank, grade) for rank, grade in enumerate(ranking, 1) if grade is not None]
    return JudgedRanking(
        len(ranking), [rank for rank, _ in found], [grade for _, grade in found], Counter(judged)
    )


def meeting(run: Run, judged: Qrels) -> tuple[Run, Qrels]:
    """See to it that a run with a query has one that is judged: else it is refused."""
    if run and run.keys().isdisjoint(judged):
        run = {next(iter(judged)): next(iter(run.values())), **run}
    return run, judged


def collections(
    scores: st.SearchStrategy[float] = SCORES, grades: st.SearchStrategy[int] = GRADES
) -> st.SearchStrategy[tuple[Run, Qrels]]:
    """Runs with judgments; each may have queries that the other lacks."""
    return st.builds(meeting, runs(scores), qrels(grades))
