"""trec_eval's order, the judged documents in it, and the columnar way to the same."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

import numpy as np
import oracles
import pyarrow as pa
import pytest
from generators import (
    BEYOND_FLOAT,
    DOCNOS,
    FEW_SCORES,
    QUERIES,
    SCORES,
    WITHIN_FLOAT,
    Qrels,
    Run,
    answers,
    graded_lists,
    judged_ranking,
    judgments,
    qrels,
    runs,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trec_eval_py.ranking import (
    PROFILES,
    Batch,
    Columns,
    JudgedRanking,
    QrelsIndex,
    RankedQuery,
    held,
    ideal,
    judge,
    judge_run,
    rank,
)

both_profiles = pytest.mark.parametrize("profile", PROFILES)


def as_oracle(judged: JudgedRanking) -> list[int | None]:
    """Write a judged ranking as the list of its grades, None where it is unjudged."""
    ranking: list[int | None] = [None] * judged.retrieved
    for position, grade in zip(judged.ranks, judged.grades, strict=True):
        ranking[position - 1] = grade
    return ranking


# Order.

ORDERS: dict[str, tuple[dict[bytes, float], list[bytes], list[bytes]]] = {
    # scores, the order of 9.0, the order of 10.0
    "by score": ({b"a": 1.0, b"b": 3.0, b"c": 2.0}, [b"b", b"c", b"a"], [b"b", b"c", b"a"]),
    "ties: the docno that sorts last": (
        {b"10": 1.0, b"9": 1.0, b"2": 1.0},
        [b"9", b"2", b"10"],
        [b"9", b"2", b"10"],
    ),
    "upper case sorts before lower": ({b"B": 1.0, b"a": 1.0}, [b"a", b"B"], [b"a", b"B"]),
    "a prefix sorts before what it begins": (
        {b"d1": 1.0, b"d10": 1.0, b"d": 1.0},
        [b"d10", b"d1", b"d"],
        [b"d10", b"d1", b"d"],
    ),
    # 0.9222621453752586 and ...585 are 0.92226213... as C floats, both.
    "a tie as C floats only": (
        {b"a": 0.9222621453752586, b"b": 0.9222621453752585},
        [b"b", b"a"],
        [b"a", b"b"],
    ),
    # 2**24 + 1 is the first whole number that no C float holds; it rounds to 2**24.
    "whole numbers past 2**24": ({b"a": 16777217.0, b"b": 16777216.0}, [b"b", b"a"], [b"a", b"b"]),
    # The largest C float is 3.4e38.
    "beyond a C float": (
        {b"a": 1e40, b"b": 1e39, b"c": math.inf},
        [b"c", b"b", b"a"],
        [b"c", b"a", b"b"],
    ),
    "below a C float": ({b"a": -1e39, b"b": -1e40}, [b"b", b"a"], [b"a", b"b"]),
    # The smallest C float is 1.4e-45.
    "underflow to 0": (
        {b"a": 1e-46, b"b": 0.0, b"c": -1e-46},
        [b"c", b"b", b"a"],
        [b"a", b"b", b"c"],
    ),
    "minus zero is zero": ({b"a": 0.0, b"b": -0.0}, [b"b", b"a"], [b"b", b"a"]),
    "infinity ties with itself": (
        {b"a": math.inf, b"b": math.inf, b"c": -math.inf},
        [b"b", b"a", b"c"],
        [b"b", b"a", b"c"],
    ),
    # 0xC3 0xA9 is UTF-8 for a letter, 0xE9 and 0xFF are none; all sort after ASCII, by byte.
    "bytes that are no UTF-8": (
        {b"z": 1.0, b"\xc3\xa9": 1.0, b"\xff": 1.0, b"\xe9": 1.0},
        [b"\xff", b"\xe9", b"\xc3\xa9", b"z"],
        [b"\xff", b"\xe9", b"\xc3\xa9", b"z"],
    ),
    "nothing": ({}, [], []),
    "one": ({b"a": 0.0}, [b"a"], [b"a"]),
}


@pytest.mark.parametrize(("scores", "old", "new"), ORDERS.values(), ids=ORDERS)
def test_order(scores: dict[bytes, float], old: list[bytes], new: list[bytes]) -> None:
    assert (rank(scores, "9.0")[0], rank(scores, "10.0")[0]) == (old, new)


@both_profiles
@given(scores=answers(SCORES) | answers(FEW_SCORES) | answers(st.just(1.0)))
def test_order_and_ties_equal_the_oracle(scores: dict[bytes, float], profile: str) -> None:
    assert rank(scores, profile) == (oracles.rank(scores, profile), oracles.ties(scores, profile))


@both_profiles
@given(scores=answers(SCORES), seed=st.integers())
def test_order_of_lines_is_irrelevant(scores: dict[bytes, float], profile: str, seed: int) -> None:
    docnos = list(scores)
    random.Random(seed).shuffle(docnos)
    assert rank({docno: scores[docno] for docno in docnos}, profile) == rank(scores, profile)


@given(scores=answers(SCORES))
def test_ranking_changes_no_argument(scores: dict[bytes, float]) -> None:
    before = list(scores.items())
    rank(scores, "9.0")
    assert list(scores.items()) == before


TIES: dict[str, tuple[list[float], int, int]] = {
    # scores, ties of 9.0, ties of 10.0
    "none": ([3.0, 2.0, 1.0], 0, 0),
    "two": ([3.0, 2.0, 2.0], 2, 2),
    "two and three": ([3.0, 2.0, 2.0, 1.0, 1.0, 1.0], 5, 5),
    "not side by side": ([2.0, 3.0, 2.0], 2, 2),
    "as C floats only": ([0.9222621453752586, 0.9222621453752585], 2, 0),
    "overflow": ([1e39, 1e40, 1.0], 2, 0),
    "zeros": ([0.0, -0.0], 2, 2),
    "nothing": ([], 0, 0),
}


@pytest.mark.parametrize(("scores", "old", "new"), TIES.values(), ids=TIES)
def test_ties_are_counted(scores: list[float], old: int, new: int) -> None:
    run = dict(zip(DOCNOS, scores, strict=False))
    assert (rank(run, "9.0")[1], rank(run, "10.0")[1]) == (old, new)


def test_scores_are_held_in_the_precision_of_the_profile() -> None:
    assert held([0.1, 1e39, -1e39, 1e-46], "10.0") == [0.1, 1e39, -1e39, 1e-46]
    assert held([0.1, 1e39, -1e39, 1e-46], "9.0") == [
        0.10000000149011612,  # 13421773 / 2**27
        math.inf,
        -math.inf,
        0.0,
    ]


# Judging.


def test_judge_finds_where_the_judged_documents_stand() -> None:
    judged = {b"d": 2, b"x": 1, b"b": -1, b"a": 0}
    assert judge([b"c", b"d", b"a", b"e", b"b"], judged) == JudgedRanking(
        5, [2, 3, 5], [2, 0, -1], {2: 1, 1: 1, -1: 1, 0: 1}
    )


@both_profiles
@given(scores=answers(SCORES), judged=judgments())
def test_judge_equals_the_oracle(
    scores: dict[bytes, float], judged: dict[bytes, int], profile: str
) -> None:
    found = judge(rank(scores, profile)[0], judged)
    assert as_oracle(found) == oracles.relevances(scores, judged, profile)
    assert sorted(judged.values()) == sorted(
        grade for grade, count in found.judged.items() for _ in range(count)
    )


@given(collection=graded_lists(), level=st.integers(1, 4))
def test_counts_of_relevant_documents(
    collection: tuple[list[int | None], list[int]], level: int
) -> None:
    ranking, judged = collection
    found = judged_ranking(ranking, judged)
    ranks = [i for i, grade in enumerate(ranking, 1) if grade is not None and grade >= level]
    assert found.relevant_ranks(level) == ranks
    assert found.relevant_retrieved(level) == oracles.num_rel_ret(ranking, judged, level)
    assert found.relevant(level) == oracles.num_rel(ranking, judged, level)


# -M and -J. Ranks 1 to 6: unjudged, 2, judged but negative, 0, unjudged, 1.
RANKING = JudgedRanking(6, [2, 3, 4, 6], [2, -1, 0, 1], {2: 1, -1: 1, 0: 1, 1: 2})
CUTS: dict[str, tuple[int | None, bool, list[int | None]]] = {
    "nothing asked": (None, False, [None, 2, -1, 0, None, 1]),
    "longer than the ranking": (7, False, [None, 2, -1, 0, None, 1]),
    "as long": (6, False, [None, 2, -1, 0, None, 1]),
    "first four": (4, False, [None, 2, -1, 0]),
    "first, which is unjudged": (1, False, [None]),
    "judged ones": (None, True, [2, 0, 1]),
    "first four, then the judged of them": (4, True, [2, 0]),
    "first, and nothing is left": (1, True, []),
}


@pytest.mark.parametrize(("max_docs", "judged_only", "expected"), CUTS.values(), ids=CUTS)
def test_cut(max_docs: int | None, judged_only: bool, expected: list[int | None]) -> None:
    cut = RANKING.cut(max_docs, judged_only)
    assert as_oracle(cut) == expected
    assert cut.judged == RANKING.judged


@given(
    scores=answers(FEW_SCORES),
    judged=judgments(),
    max_docs=st.none() | st.integers(1, 16),
    judged_only=st.booleans(),
)
def test_cut_equals_the_oracle(
    scores: dict[bytes, float], judged: dict[bytes, int], max_docs: int | None, judged_only: bool
) -> None:
    cut = judge(rank(scores, "9.0")[0], judged).cut(max_docs, judged_only)
    assert as_oracle(cut) == oracles.relevances(
        scores, judged, "9.0", max_docs=max_docs, judged_only=judged_only
    )


# The ceiling.

IDEALS: dict[str, tuple[dict[bytes, int], list[bytes]]] = {
    "high to low": ({b"a": 1, b"b": 3, b"c": 2}, [b"b", b"c", b"a"]),
    "those judged 0 or less are left out": ({b"a": 0, b"b": 1, b"c": -1}, [b"b"]),
    "one judged 0 where nothing else is": ({b"a": 0, b"b": 0}, [b"b"]),
    "not a negative one, where one is judged 0": ({b"b": -1, b"a": 0}, [b"a"]),
    "one negative where nothing else is": ({b"a": -1, b"b": -2}, [b"a"]),
    "equal grades by docno, last first": ({b"10": 1, b"9": 1}, [b"9", b"10"]),
}


@pytest.mark.parametrize(("judged", "expected"), IDEALS.values(), ids=IDEALS)
def test_ideal(judged: dict[bytes, int], expected: list[bytes]) -> None:
    assert ideal(judged) == expected


@given(judged=judgments())
def test_ideal_has_each_positive_document_from_high_to_low(judged: dict[bytes, int]) -> None:
    best = ideal(judged)
    grades = [judged[docno] for docno in best]
    positive = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
    assert grades == (positive or [max(judged.values())])
    assert len(set(best)) == len(best)


# A run, in memory.


def joined(batches: Iterable[Batch]) -> Batch:
    """Put batches together, each query's numbers as plain lists and dicts."""
    whole = Batch({}, [], 0, 0)
    for batch in batches:
        assert whole.queries.keys().isdisjoint(batch.queries)
        for query_id, one in batch.queries.items():
            retrieved, ranks, grades, judged = one.ranking
            plain = JudgedRanking(retrieved, list(ranks), list(grades), dict(judged))
            whole.queries[query_id] = RankedQuery(plain)
        whole = Batch(
            whole.queries,
            whole.others + batch.others,
            whole.tied + batch.tied,
            whole.tied_queries + batch.tied_queries,
        )
    return whole


RUN: Run = {
    b"q1": {b"a": 1.0, b"b": 2.0, b"c": 1.0},
    b"q2": {b"a": 5.0},
    b"q3": {b"x": 1.0, b"b": 1.0},
    b"q4": {},
}
QRELS: Qrels = {b"q1": {b"a": 1}, b"q3": {b"b": 0, b"x": 2}, b"q4": {b"a": 1}, b"q5": {b"a": 1}}


def test_run_is_ranked_judged_and_counted() -> None:
    """Of q1, a and c tie, and c sorts last: b, c, a. Of q3, all tie: x, b. q2 is not judged."""
    assert joined(judge_run(RUN, QRELS, "9.0")) == Batch(
        {
            b"q1": RankedQuery(JudgedRanking(3, [3], [1], {1: 1})),
            b"q3": RankedQuery(JudgedRanking(2, [1, 2], [2, 0], {0: 1, 2: 1})),
            b"q4": RankedQuery(JudgedRanking(0, [], [], {1: 1})),
        },
        others=[b"q2"],
        tied=4,
        tied_queries=2,
    )


def test_whole_ranking_goes_with_its_judgments() -> None:
    (batch,) = judge_run(RUN, QRELS, "9.0")
    assert batch.queries[b"q1"].docnos == [b"b", b"c", b"a"]
    assert batch.queries[b"q1"].judged == QRELS[b"q1"]


@pytest.mark.parametrize(("size", "sizes"), [(1, [1, 1, 1]), (3, [1, 2]), (4, [2, 1]), (100, [3])])
def test_batches_are_about_as_large_as_asked(size: int, sizes: list[int]) -> None:
    """q1, q3 and q4 have 3, 2 and 0 documents; a batch ends once it has enough."""
    batches = list(judge_run(RUN, QRELS, "9.0", size=size))
    assert [len(batch.queries) for batch in batches] == sizes
    assert joined(batches) == joined(judge_run(RUN, QRELS, "9.0"))


@both_profiles
@given(run=runs(), judged=qrels(), size=st.integers(1, 20))
def test_run_equals_the_oracle(run: Run, judged: Qrels, profile: str, size: int) -> None:
    batch = joined(judge_run(run, judged, profile, size=size))
    assert list(batch.queries) == [query_id for query_id in run if query_id in judged]
    assert batch.others == [query_id for query_id in run if query_id not in judged]
    ties = []
    for query_id, one in batch.queries.items():
        expected = oracles.relevances(run[query_id], judged[query_id], profile)
        assert as_oracle(one.ranking) == expected
        ties.append(oracles.ties(run[query_id], profile))
    assert (batch.tied, batch.tied_queries) == (sum(ties), sum(tied > 0 for tied in ties))


# The same from columns.


def columns(run: Run) -> Columns:
    """Lay a run out as the columnar reader does: whole queries, none of them empty."""
    return Columns(
        list(run),
        np.cumsum([len(documents) for documents in run.values()], dtype=np.int64),
        pa.array([docno for documents in run.values() for docno in documents], pa.binary()),
        np.array([s for documents in run.values() for s in documents.values()], np.float64),
    )


def answered(scores: st.SearchStrategy[float]) -> st.SearchStrategy[Run]:
    """Runs whose queries hold a document each, at least; in any order of lines."""
    return st.dictionaries(
        st.sampled_from(QUERIES),
        st.dictionaries(st.sampled_from(DOCNOS), scores, min_size=1),
        min_size=1,
    )


def in_order(run: Run, profile: str) -> Run:
    """Put each query's lines in the order of trec_eval."""
    return {q: {d: scores[d] for d in oracles.rank(scores, profile)} for q, scores in run.items()}


def by_score(run: Run) -> Run:
    """Put each query's lines in the order of their scores, ties as they come."""
    return {q: dict(sorted(scores.items(), key=lambda pair: -pair[1])) for q, scores in run.items()}


COLUMNS = (
    answered(WITHIN_FLOAT)
    | answered(FEW_SCORES)
    | answered(st.just(0.5))
    | answered(FEW_SCORES).map(by_score)
    | answered(WITHIN_FLOAT).map(by_score)
    | answered(FEW_SCORES).map(lambda run: in_order(run, "9.0"))
    | answered(WITHIN_FLOAT).map(lambda run: in_order(run, "10.0"))
)


@both_profiles
@given(run=COLUMNS, judged=qrels())
@settings(max_examples=500)
@example(
    run={b"1": {b"a": 0.0, b"b": -0.0}, b"2": {b"a": -0.0, b"c": 0.0}}, judged={b"2": {b"a": 1}}
)
def test_columns_equal_the_plain_way(run: Run, judged: Qrels, profile: str) -> None:
    assert joined([QrelsIndex(judged).judge(columns(run), profile)]) == joined(
        judge_run(run, judged, profile)
    )


@both_profiles
@given(run=answered(st.sampled_from([*BEYOND_FLOAT, math.inf, -math.inf, 1.0])), judged=qrels())
def test_columns_equal_the_plain_way_beyond_a_float(run: Run, judged: Qrels, profile: str) -> None:
    batch = QrelsIndex(judged).judge(columns(run), profile)
    assert joined([batch]) == joined(judge_run(run, judged, profile))


@both_profiles
@given(run=COLUMNS, judged=qrels())
def test_columns_are_judged_in_parts_as_in_one(run: Run, judged: Qrels, profile: str) -> None:
    index = QrelsIndex(judged)
    parts = [index.judge(columns({q: documents}), profile) for q, documents in run.items()]
    assert joined(parts) == joined([index.judge(columns(run), profile)])


@given(seed=st.integers(0, 2**32), profile=st.sampled_from(PROFILES), kinds=st.integers(1, 60))
@settings(max_examples=30)
def test_large_columns_equal_the_plain_way(seed: int, profile: str, kinds: int) -> None:
    """Hundreds of documents a query, some queries sorted, of ``kinds`` scores each."""
    rng = random.Random(seed)
    docnos = [b"doc%d" % i for i in range(400)]
    run: Run = {}
    judged: Qrels = {}
    for i in range(12):
        chosen = rng.sample(docnos, rng.randint(1, 300))
        scores = {docno: float(rng.randrange(kinds)) for docno in chosen}
        query_id = b"q%d" % i
        run |= by_score({query_id: scores}) if rng.random() < 0.5 else {query_id: scores}
        graded = {docno: rng.randint(-1, 3) for docno in rng.sample(docnos, rng.randint(1, 60))}
        if rng.random() < 0.8:
            judged[query_id] = graded
    judged[b"missing"] = {b"doc1": 1}
    assert joined([QrelsIndex(judged).judge(columns(run), profile)]) == joined(
        judge_run(run, judged, profile)
    )


def test_columns_without_a_row() -> None:
    assert QrelsIndex(QRELS).judge(columns({}), "9.0") == Batch({}, [], 0, 0)


def test_columns_hand_over_numbers_and_no_documents() -> None:
    """pytrec_eval takes Python's numbers only, and each query's ranking is named by rank."""
    batch = QrelsIndex(QRELS).judge(columns({b"q1": {b"b": 2.0, b"a": 1.0}}), "9.0")
    one = batch.queries[b"q1"]
    assert one == RankedQuery(JudgedRanking(2, [2], [1], {1: 1}), docnos=None, judged=None)
    numbers = [one.ranking.retrieved, *one.ranking.ranks, *one.ranking.grades, batch.tied]
    assert {type(number) for number in numbers} == {int}


def test_a_slice_of_docnos_is_read_from_its_start() -> None:
    whole = columns(RUN | {b"q4": {b"a": 1.0}})
    part = Columns([b"q3"], np.array([2]), whole.docnos.slice(4, 2), whole.scores[4:6])
    assert joined([QrelsIndex(QRELS).judge(part, "9.0")]) == joined(
        judge_run({b"q3": RUN[b"q3"]}, QRELS, "9.0")
    )
