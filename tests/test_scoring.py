"""From a ranking and its judgments to values: against oracles, pytrec_eval and arithmetic."""

from __future__ import annotations

import gc
import itertools
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import oracles
import pytest
import pytrec_eval
import pytrec_eval_ext
from generators import Qrels, Run, collections, graded_lists, judged_ranking
from hypothesis import given, settings
from hypothesis import strategies as st

import trec_eval_py as te
from trec_eval_py import scoring
from trec_eval_py.distributing import Evaluation
from trec_eval_py.errors import ScorerError
from trec_eval_py.measures import (
    MEASURES,
    NICKNAMES,
    REGISTRY,
    Asked,
    Options,
    line_name,
    parse,
    ranked,
)
from trec_eval_py.ranking import PROFILES, RankedQuery
from trec_eval_py.reading import Source
from trec_eval_py.scoring import ScoredRun, Scorer

# What a run is warned of has tests of its own; here most runs tie or lack queries.
pytestmark = pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
both_profiles = pytest.mark.parametrize("profile", PROFILES)

ROOT = Path(__file__).resolve().parent.parent
DEFAULTS = {profile: list(listed) for profile, listed in oracles.LISTED.items()}
DEFAULT = DEFAULTS["9.0"]
LATER = ("rbp", "unj")  # of 10.0, and not of pytrec_eval
Values = dict[str, float | None]
OPTIONS = st.builds(
    Options,
    relevance_level=st.integers(1, 4),
    judged_only=st.booleans(),
    max_docs=st.none() | st.integers(1, 12),
    profile=st.sampled_from(PROFILES),
)


def evaluation(
    judged: Mapping[bytes, Mapping[bytes, int]],
    measures: Sequence[str] | None = None,
    options: Options | None = None,
    **given: Any,  # noqa: ANN401 - whatever Evaluation takes
) -> Evaluation:
    options = options or Options()
    return Evaluation(judged, "qrels", parse(measures, options), options.profile, **given)


def by_line(one: Evaluation, scored: ScoredRun) -> dict[bytes, Values]:
    """Give each query's values under the names of trec_eval's lines."""
    names = [line_name(asked) for asked in one.asked]
    return {
        query_id: dict(zip(names, row, strict=True))
        for query_id, row in zip(one.queries, scored.rows, strict=True)
    }


def values(
    run: object,
    judged: Mapping[bytes, Mapping[bytes, int]],
    measures: Sequence[str] | None = None,
    options: Options | None = None,
    **given: Any,  # noqa: ANN401 - whatever Evaluation takes
) -> dict[bytes, Values]:
    one = evaluation(judged, measures, options, **given)
    return by_line(one, one.score(run, "run"))


def only(
    documents: object,
    judged: Mapping[bytes, int],
    *measures: str,
    **options: Any,  # noqa: ANN401
) -> Values:
    """Score one query, and give what is not 0."""
    found = values({b"q": documents}, {b"q": judged}, measures, Options(**options))[b"q"]
    return {name: value for name, value in found.items() if value != 0}


def expected(
    documents: Mapping[bytes, float], judged: Mapping[bytes, int], options: Options
) -> Values:
    """What the oracles say of one query."""
    level, judged_only, max_docs, num_docs, profile = options
    ranking = oracles.relevances(
        documents, judged, profile, max_docs=max_docs, judged_only=judged_only
    )
    grades = list(judged.values())
    return {
        name: measure(ranking, grades, level, profile, num_docs)
        for name, measure in oracles.LISTED[profile].items()
    }


# Generated collections: every default measure, to the last bit.


@given(collection=collections(), options=OPTIONS)
@settings(max_examples=300)
def test_default_measures_equal_the_oracles(
    collection: tuple[Run, Qrels], options: Options
) -> None:
    run, judged = collection
    found = values(run, judged, None, options)
    assert list(found) == sorted(judged)
    for query_id, row in found.items():
        if query_id not in run:
            assert row == dict.fromkeys(DEFAULTS[options.profile])
            continue
        assert row == expected(run[query_id], judged[query_id], options)


def plainly(run: Run, judged: Qrels, options: Options) -> dict[bytes, dict[str, float]]:
    """Ask pytrec_eval itself, query by query, for what can be asked of it without a crash."""
    level, judged_only, max_docs, _, profile = options
    listed = [REGISTRY[name] for name in NICKNAMES["9.0"]["all_trec"]]
    names = {measure.asked or measure.name for measure in listed if not measure.text}
    found = {}
    for query_id in judged.keys() & run.keys():
        grades = {docno.decode("latin-1"): grade for docno, grade in judged[query_id].items()}
        if max(grades.values()) < 0:  # else it corrupts memory
            grades["not retrieved"] = 0
        ordered = oracles.rank(run[query_id], profile)[:max_docs]
        if not ordered or level > max(grades.values()) + 1:  # it leaves out, or reads at random
            continue
        scores = run[query_id]
        if profile == "10.0":
            scores = {docno: float(-i) for i, docno in enumerate(ordered)}
        answer = {docno.decode("latin-1"): scores[docno] for docno in ordered}
        evaluator = pytrec_eval.RelevanceEvaluator(
            {"q": grades}, names, relevance_level=level, judged_docs_only_flag=judged_only
        )
        row = evaluator.evaluate({"q": answer})["q"]
        # These are undefined where judged_only leaves nothing; and log, of a floor, for one query.
        row = {name: 0.0 if value != value else value for name, value in row.items()}
        found[query_id] = row | {"gm_map": row["map"], "gm_bpref": row["bpref"]}
    return found


@given(collection=collections(), options=OPTIONS)
@settings(max_examples=300)
def test_default_measures_equal_pytrec_eval(
    collection: tuple[Run, Qrels], options: Options
) -> None:
    run, judged = collection
    found = values(run, judged, None, options)
    for query_id, row in plainly(run, judged, options).items():
        assert list(found[query_id]) == DEFAULTS[options.profile]
        for name, value in found[query_id].items():
            # 10.0 rounds recall to documents in another way, and has more, which oracles know.
            rounded = options.profile == "10.0" and name.startswith(("iprec_at_recall", "11pt"))
            if not rounded and not name.startswith(LATER):
                assert value == row[name], name


HIGH_GRADES = st.sampled_from([-1, 0, 1, 2, 5, 999, 1000, 1001, 40_000])


@given(collection=collections(grades=HIGH_GRADES), options=OPTIONS, step=st.integers(1, 1500))
@settings(max_examples=60)
def test_high_grades_and_levels_equal_the_oracles(
    collection: tuple[Run, Qrels], options: Options, step: int
) -> None:
    run, judged = collection
    options = options._replace(relevance_level=step)
    for query_id, row in values(run, judged, None, options).items():
        if query_id in run:
            assert row == expected(run[query_id], judged[query_id], options)


# A trimmed ranking gives what the whole one gives, for each measure by itself.


def whole_query(ranking: list[int | None], judged: list[int]) -> RankedQuery:
    """Name the documents, as the plain reader does."""
    docnos = [b"r%d" % i for i in range(1, len(ranking) + 1)]
    found = {d: g for d, g in zip(docnos, ranking, strict=True) if g is not None}
    missed = {b"m%d" % i: grade for i, grade in enumerate(judged[len(found) :])}
    return RankedQuery(judged_ranking(ranking, judged), docnos, found | missed)


QUERIES = st.lists(graded_lists(deep=True).filter(lambda one: one[0]), min_size=1, max_size=3)
TRIMMED = [m.name for m in MEASURES if m.form in ("qrels", "any") and not (m.own or m.text)]
TRIMMED += ["nDCG(dcg='exp-log2')@5", "RR@3", "P.1,7", "map_10", "set_F.2", "IPrec@0.101"]
TRIMMED += ["ndcg.1=3,2=9", "rbp.p=0.5"]


def all_three_ways(queries: list[RankedQuery], asked: list[Asked], profile: str) -> None:
    whole = Scorer(asked, profile).score(queries)
    bare = [one._replace(docnos=None, judged=None) for one in queries]
    assert Scorer(asked, profile, trim=False).score(bare) == whole
    scorer = Scorer(asked, profile, trim=True)
    assert scorer.score(bare) == whole
    assert scorer.score(bare) == whole  # again, from what it knows by now


@pytest.mark.parametrize("name", TRIMMED)
@given(queries=QUERIES, options=OPTIONS, deeper=st.none() | st.integers(1, 500))
@settings(max_examples=25)
def test_a_trimmed_ranking_scores_as_the_whole_one(
    name: str,
    queries: list[tuple[list[int | None], list[int]]],
    options: Options,
    deeper: int | None,
) -> None:
    asked = parse([name], options._replace(max_docs=deeper))
    all_three_ways([whole_query(*one) for one in queries], asked, options.profile)


# What needs the judged documents, beside what needs a few ranks, the deeper one first or last.
CUT = [f"{name}_{k}" for name in ("P", "ndcg_cut", "map_cut", "success") for k in (1, 2, 5, 6, 17)]
UNCUT = ["AP", "bpref", "Rndcg", "RR@3", "P(rel=2)@5", "AP(judged_only=True)", "RR(max=2)"]
SEVERAL = st.builds(
    lambda cut, uncut: [*cut, *uncut],
    st.lists(st.sampled_from(CUT), min_size=1, max_size=3),
    st.lists(st.sampled_from(UNCUT), max_size=2),
)


@given(queries=QUERIES, options=OPTIONS, names=SEVERAL)
@settings(max_examples=200)
def test_trimming_for_several_measures_at_once(
    queries: list[tuple[list[int | None], list[int]]], options: Options, names: list[str]
) -> None:
    asked = parse(names, options)
    all_three_ways([whole_query(*one) for one in queries], asked, options.profile)


@given(queries=st.lists(graded_lists(HIGH_GRADES).filter(lambda one: one[0]), min_size=1))
@settings(max_examples=20)
def test_trimming_with_high_grades(queries: list[tuple[list[int | None], list[int]]]) -> None:
    asked = parse(["all_trec"], Options(relevance_level=2))
    all_three_ways([whole_query(*one) for one in queries], asked, "9.0")


# Equal queries are computed once: these differ from the first in one thing each. The last two
# differ for Rndcg, which looks at the end of a ranking that reaches two past those with gain.
ALIKE: list[tuple[list[int | None], list[int]]] = [
    ([1], [1, 1]),
    ([1, None, None, None], [1, 1]),
    ([None, 1, None, None], [1, 1]),
    ([2], [2, 1]),
    ([1], [1, 2]),
    ([1], [1, 0]),
    ([1], [1, 1, -1]),
    ([None, None, 1], [1, 1]),
    ([None, None, 1, None], [1, 1]),
]


@both_profiles
def test_queries_that_are_nearly_alike_are_told_apart(profile: str) -> None:
    queries = [whole_query(*one) for one in [*ALIKE, *ALIKE[::-1]]]
    all_three_ways(queries, parse(None, Options(profile=profile)), profile)


@given(collection=collections(), options=OPTIONS)
@settings(max_examples=50)
def test_one_measure_scores_as_among_all(collection: tuple[Run, Qrels], options: Options) -> None:
    run, judged = collection
    together = values(run, judged, ["map", "ndcg_cut_5", "P(rel=3)@5", "RR@2", "utility"], options)
    for name, line in [("ndcg_cut_5", "ndcg_cut_5"), ("RR@2", "recip_rank_2")]:
        alone = values(run, judged, [name], options)
        assert {q: row[line] for q, row in alone.items()} == {
            q: row[line] for q, row in together.items()
        }


@pytest.mark.parametrize("run", ["bm25", "title", "fusion"])
@both_profiles
def test_both_readers_score_the_demo_alike(run: str, profile: str) -> None:
    judged = te.read_qrels(ROOT / "qrels" / "demo.qrels")
    by_query: Qrels = {}
    for query_id, docno, grade in zip(
        judged["query_id"], judged["docno"], judged["relevance"], strict=True
    ):
        by_query.setdefault(query_id.encode(), {})[docno.encode()] = grade
    source = Source(ROOT / "runs" / "demo" / f"{run}.run")
    options = Options(profile=profile)
    plain = evaluation(by_query, None, options, reader="plain").score(source, run)
    assert evaluation(by_query, None, options, reader="columnar").score(source, run) == plain
    untrimmed = evaluation(by_query, None, options, reader="columnar", trim=False)
    assert untrimmed.score(source, run) == plain


# Arithmetic.

BY_HAND: dict[str, tuple[str, float]] = {
    # Ranking a b c d e, of which a is unjudged, b relevant (2), c judged 0, d relevant (1), e
    # negative; f (1) is missed: R is 3.
    "num_q": ("num_q", 1),
    "num_ret": ("num_ret", 5),
    "num_rel": ("num_rel", 3),
    "num_rel at 2": ("num_rel(rel=2)", 1),
    "num_rel_ret": ("NumRet(rel=1)", 2),
    "num_nonrel_judged_ret": ("num_nonrel_judged_ret", 1),
    "and at 2: b alone is relevant": ("num_nonrel_judged_ret(rel=2)", 2),
    "map": ("map", (1 / 2 + 2 / 4) / 3),
    "map cut before d": ("AP@3", (1 / 2) / 3),
    "gm_map of a query is its map": ("gm_map", (1 / 2 + 2 / 4) / 3),
    "P": ("P@5", 2 / 5),
    "P beyond the ranking": ("P@10", 2 / 10),
    "recall": ("R@2", 1 / 3),
    "Rprec": ("Rprec", 1 / 3),
    "recip_rank": ("RR", 1 / 2),
    "recip_rank cut at it": ("RR@2", 1 / 2),
    "recip_rank cut above it": ("RR@1", 0),
    "recip_rank at 3, which no document has": ("RR(rel=3)", 0),
    "recip_rank of the first four judged": ("RR(judged_only=True)", 1),
    # b has no judged non-relevant document above, d one; min(N, R) = min(1, 3).
    "bpref": ("bpref", (1 + (1 - 1 / 1)) / 3),
    "success above": ("Success@1", 0),
    "success at": ("Success@2", 1),
    "relative_P": ("relative_P_5", 2 / 3),
    "set_P": ("SetP", 2 / 5),
    "set_P of the judged: b c d": ("SetP(judged_only=True)", 2 / 3),
    "set_recall": ("SetR", 2 / 3),
    "set_relative_P": ("SetRelP", 2 / 3),
    "set_map": ("SetAP", 2 * 2 / (5 * 3)),
    # P 2/5 and R 2/3.
    "set_F": ("SetF", 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
    "set_F with x 4": ("SetF(beta=2)", 5 * (2 / 5) * (2 / 3) / (4 * (2 / 5) + 2 / 3)),
    "utility: 2 found, 3 others": ("utility", 2 - 3),
    "utility of the first two": ("utility(max=2)", 1 - 1),
    # 1 missed; of 10 documents, 10 + 2 - 5 - 3 are neither retrieved nor relevant.
    "utility of a collection": ("utility_1,1,1,0.5(docs=10)", 2 + 3 + 1 + 0.5 * 4),
    "ndcg": (
        "nDCG",
        (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3) + 1 / math.log2(4)),
    ),
    "ndcg at 2": ("nDCG@2", (2 / math.log2(3)) / (2 + 1 / math.log2(3))),
    "ndcg with 2**grade - 1": (
        "nDCG(dcg='exp-log2')@2",
        (3 / math.log2(3)) / (3 + 1 / math.log2(3)),
    ),
    # Of R = 3, 0.5 asks for 1.5 documents: 9.0 takes int(1.5 + 0.9) = 2, at rank 4.
    "iprec": ("IPrec@0.5", 2 / 4),
    "iprec past what was found": ("IPrec@1", 0),
    # int(0.5 * 3 + 0.9) = 2 documents.
    "Rprec_mult": ("Rprec_mult_0.50", 1 / 2),
    # Each found document by how many not relevant ones stand above: 1 and 2.
    "binG": ("binG", (1 / math.log2(3) + 1 / math.log2(4)) / 3),
}
RANKED = [b"a", b"b", b"c", b"d", b"e"]
JUDGED = {b"b": 2, b"c": 0, b"d": 1, b"e": -1, b"f": 1}


@pytest.mark.parametrize(("name", "value"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(name: str, value: float) -> None:
    """Within rounding: C adds and divides in another order than is written here."""
    ((found,),) = [row.values() for row in values({b"q": RANKED}, {b"q": JUDGED}, [name]).values()]
    assert found == pytest.approx(value, rel=1e-14)


def test_recall_is_rounded_as_the_profile_does() -> None:
    """R = 3, recall 0.4: 1.2 documents are int(1.2 + 0.9) = 2 in 9.0, and 1 in 10.0."""
    for profile, precision in [("9.0", 2 / 4), ("10.0", 1 / 2)]:
        found = only(RANKED, JUDGED, "IPrec@0.4", profile=profile)
        assert found == {"iprec_at_recall_0.40": precision}


def test_multiples_of_r_are_rounded_alike_in_both_profiles() -> None:
    """R = 3, 0.4: int(1.2 + 0.9) = 2 documents, of which 1 is relevant."""
    for profile in PROFILES:
        found = only(RANKED, JUDGED, "Rprec_mult_0.40", profile=profile)
        assert found == {"Rprec_mult_0.40": 1 / 2}


def test_recall_levels_that_print_alike_are_two() -> None:
    """R = 11: 0.096 asks for int(1.956) = 1 document, 0.104 for int(2.044) = 2, at rank 3."""
    judged = {b"d%d" % i: 1 for i in range(11)}
    ranking = [b"d0", b"x", b"d1"]
    found = only(ranking, judged, "iprec_at_recall_0.096,0.104")
    assert found == {"iprec_at_recall_0.096": 1.0, "iprec_at_recall_0.104": 2 / 3}


def test_a_cut_measure_is_not_the_uncut_one() -> None:
    ranking = [*(b"x%d" % i for i in range(10)), b"a"]
    found = only(ranking, {b"a": 1}, "map", "map_10", "map_11", "recip_rank", "recip_rank_10", "RR")
    assert found == {"map": 1 / 11, "map_cut_11": 1 / 11, "recip_rank": 1 / 11}


def test_one_ranking_for_all_measures() -> None:
    """a and b tie as C floats, so that b stands first in 9.0, for RR and RR@10 alike."""
    documents = {b"a": 0.9222621453752586, b"b": 0.9222621453752585}
    measures = ("RR", "RR@10", "P@1", "Success@1", "AP")
    old = only(documents, {b"a": 1}, *measures, profile="9.0")
    assert old == {"recip_rank": 0.5, "recip_rank_10": 0.5, "map": 0.5}
    new = only(documents, {b"a": 1}, *measures, profile="10.0")
    assert set(new.values()) == {1.0}
    assert len(new) == 5


# Grades.

TWO = math.log2(3)  # the discount at rank 2


@pytest.mark.parametrize("grade", [10_000, 1_000_000, 2**31, 2**62], ids=str)
def test_ndcg_with_a_grade_in_second_place(grade: int) -> None:
    found = only([b"a", b"b"], {b"a": 1, b"b": grade}, "nDCG", "nDCG@1", "nDCG@2")
    best = grade + 1 / TWO
    assert found == {
        "ndcg": (1 + grade / TWO) / best,
        "ndcg_cut_1": 1 / grade,
        "ndcg_cut_2": (1 + grade / TWO) / best,
    }


def test_ndcg_with_a_grade_of_ten_thousand_in_digits() -> None:
    found = only([b"a", b"b"], {b"a": 1, b"b": 10_000}, "ndcg")
    assert found == {"ndcg": pytest.approx(0.63099, abs=5e-6)}  # as many digits as are known


@pytest.mark.parametrize("grade", [1001, 1_000_000, 2**31, 2**62], ids=str)
@both_profiles
def test_every_measure_with_a_high_grade(grade: int, profile: str) -> None:
    judged = {b"a": 1, b"b": grade, b"c": 0, b"d": -1, b"e": grade - 1}
    documents = {b"x": 5.0, b"a": 4.0, b"d": 3.0, b"b": 2.0, b"c": 1.0}
    for level in (1, 2, 1000, grade, grade + 1):
        options = Options(relevance_level=level, profile=profile)
        found = values({b"q": documents}, {b"q": judged}, None, options)
        assert found == {b"q": expected(documents, judged, options)}


def test_gain_over_cost_of_high_grades() -> None:
    """The best comes second: 3 / log2(2 + high - 3), high / log2(2 + high + 3 - 3 - high)."""
    for high in (2**54, 2**55, 2**62):
        found = only([b"b", b"a"], {b"a": high, b"b": 3}, "G")
        assert found == {"G": pytest.approx((3 / math.log2(high - 1) + high) / (high + 3))}


def test_exponential_gain_of_high_grades() -> None:
    """(2**1999 + 2**2000 / log2(3)) / (2**2000 + 2**1999 / log2(3)), both over 2**2000."""
    for high in (2000, 1_000_000, 2**62):
        found = only([b"a", b"b"], {b"a": high - 1, b"b": high}, "nDCG(dcg='exp-log2')@2")
        value = (0.5 + 1 / TWO) / (1 + 0.5 / TWO)
        assert found == {"ndcg_exp_2": pytest.approx(value, rel=1e-14)}  # powers of 2 are exact


def test_exponential_gain_of_small_grades() -> None:
    """1, 3 and 0 of 3, 2, 1 and 0: 2**grade - 1 is 1, 7, 0 of 7, 3, 1."""
    judged = {b"a": 1, b"b": 3, b"c": 0, b"d": 2}
    found = only([b"a", b"b", b"c"], judged, "nDCG", "nDCG(dcg='exp-log2')")
    linear = (1 + 3 / TWO) / (3 + 2 / TWO + 1 / 2)
    exponential = (1 + 7 / TWO) / (7 + 3 / TWO + 1 / 2)
    assert found == {"ndcg": linear, "ndcg_exp": exponential}
    assert [round(linear, 4), round(exponential, 4)] == [0.6075, 0.5767]


LEVELS = [2, 3, 10, 1000, 1001, 5000, 2**31 - 1, 10**18]


@pytest.mark.parametrize("level", LEVELS)
@both_profiles
def test_a_level_above_every_grade_leaves_nothing_relevant(level: int, profile: str) -> None:
    """Two documents, judged 1 and 0, are judged and not relevant; gain does not know the level."""
    options = {"relevance_level": level, "profile": profile}
    found = only([b"b", b"a"], {b"a": 1, b"b": 0}, **options)
    gain = [name for name in found if name.startswith(("ndcg", "G", "rbp"))]
    assert {name: value for name, value in found.items() if name not in gain} == {
        "num_q": 1,
        "num_ret": 2,
        "utility": -2,
        "num_nonrel_judged_ret": 2,
    }
    cuts = [name for name in DEFAULT if name.startswith("ndcg_cut")]
    assert gain == ["G", "ndcg", "ndcg_rel", *cuts, *(["rbp"] if profile == "10.0" else [])]
    assert {found[name] for name in gain if name not in ("G", "rbp")} == {1 / TWO}


# Queries with little in them.

NEGATIVE: dict[str, dict[bytes, int]] = {
    "-1": {b"a": -1},
    "-1 twice": {b"a": -1, b"b": -1},
    "-1, not retrieved": {b"z": -1},
    "-2": {b"a": -2, b"b": -3},
    "far below": {b"a": -(2**62)},
}


@pytest.mark.parametrize("judged", NEGATIVE.values(), ids=NEGATIVE)
@both_profiles
def test_a_query_judged_only_negative(judged: dict[bytes, int], profile: str) -> None:
    found = only([b"a", b"x"], judged, profile=profile)
    # Both are not judged: all that a reader would gain is open.
    later = {"rbp_resid": pytest.approx(1), "unj_5": 2 / 5, "unj_10": 2 / 10, "unj_20": 2 / 20}
    assert found == {
        "num_q": 1,
        "num_ret": 2,
        "utility": -2,
        **(later if profile == "10.0" else {}),
    }


@pytest.mark.parametrize("judged", NEGATIVE.values(), ids=NEGATIVE)
def test_a_query_judged_only_negative_and_judged_documents_only(judged: dict[bytes, int]) -> None:
    assert only([b"a", b"x"], judged, judged_only=True) == {"num_q": 1}


@pytest.mark.parametrize("judged", NEGATIVE.values(), ids=NEGATIVE)
def test_a_query_judged_only_negative_among_others(judged: dict[bytes, int]) -> None:
    """C takes over what it found for the query before, which here is all there is to find."""
    run = {b"1": [b"a"], b"2": [b"a", b"x"], b"3": [b"a"]}
    found = values(run, {b"1": {b"a": 1}, b"2": judged, b"3": {b"a": 1}})
    alone = values({b"2": [b"a", b"x"]}, {b"2": judged})
    assert found[b"2"] == alone[b"2"]
    assert found[b"1"] == found[b"3"] == values({b"1": [b"a"]}, {b"1": {b"a": 1}})[b"1"]


def test_a_query_judged_only_non_relevant_counts() -> None:
    assert only([b"a", b"x"], {b"a": 0, b"b": 0}) == {
        "num_q": 1,
        "num_ret": 2,
        "utility": -2,
        "num_nonrel_judged_ret": 1,
    }


@pytest.mark.parametrize("ranking", [[b"x", b"y"], [b"n", b"x"]], ids=["unjudged", "negative"])
@both_profiles
def test_judged_documents_only_may_leave_nothing(ranking: list[bytes], profile: str) -> None:
    judged = {b"a": 1, b"b": 2, b"n": -1}
    found = only(ranking, judged, judged_only=True, profile=profile)
    assert found == {"num_q": 1, "num_rel": 2}


def test_max_docs_acts_before_judged_documents_only() -> None:
    """Of x a b, the first two are x a, of which a is judged: one retrieved, none of b."""
    judged = {b"a": 1, b"b": 1}
    names = ("num_ret", "num_rel_ret", "RR")
    found = only([b"x", b"a", b"b"], judged, *names, max_docs=2, judged_only=True)
    assert found == {"num_ret": 1, "num_rel_ret": 1, "recip_rank": 1}


NOTHING: dict[str, object] = {"no document in a dict": {}, "an empty list": []}
COMPLETE = {"num_q": 1, "num_rel": 2}


@pytest.mark.parametrize("documents", NOTHING.values(), ids=NOTHING)
@both_profiles
def test_answered_with_nothing(documents: object, profile: str) -> None:
    assert only(documents, {b"a": 1, b"b": 2, b"c": -1}, profile=profile) == COMPLETE


@both_profiles
def test_missing_query_under_complete_counts_as_answered_with_nothing(profile: str) -> None:
    judged = {b"1": {b"a": 1}, b"2": {b"a": 1, b"b": 2, b"c": -1}}
    options = Options(profile=profile)
    found = values({b"1": [b"a"]}, judged, None, options, complete=True)
    assert found[b"2"] == dict.fromkeys(DEFAULTS[profile], 0) | COMPLETE


@both_profiles
def test_what_10_0_computes_for_a_missing_query(profile: str) -> None:
    """Two are relevant: ln((1 + 0) / (1 + 2 - 0)), and 2 + 1 / log2(3) for the best ranking."""
    judged = {b"1": {b"a": 1}, b"2": {b"a": 1, b"b": 2, b"c": -1}}
    names = ["yaap", "ideal_dcg", "dcg", "rbp_resid_p=0.8", "unj_5", "utility_2,-1,-0.5,0"]
    found = values({b"1": [b"a"]}, judged, names, Options(profile=profile), complete=True)[b"2"]
    best = [math.log(1 / 3), 2 + 1 / TWO] if profile == "10.0" else [0, 0]
    assert list(found.values()) == [*best, 0, 0, 0, 0]


def test_complete_rows_read_the_level_and_no_weights() -> None:
    names = ["num_rel(rel=2)", "utility_1,-1,-1,1(docs=9)", "nDCG(dcg='exp-log2')@5", "num_q"]
    one = evaluation({b"q": {b"a": 1, b"b": 2}}, names, complete=True)
    assert one.score({}, "run").rows == [[1, 0, 0, 1]]


def test_missing_query_is_empty() -> None:
    found = values({}, {b"q": {b"a": 1}})
    assert found == {b"q": dict.fromkeys(DEFAULT)}


def test_rows_are_the_judged_queries_in_byte_order() -> None:
    judged = {q: {b"a": 1} for q in (b"9", b"\xff", b"10", b"B", b"a")}
    scored = evaluation(judged, ["map"]).score({b"9": [b"a"], b"other": [b"a"]}, "run")
    assert scored.query_ids == ["10", "9", "B", "a", r"\xff"]
    assert scored.rows == [[None], [1.0], [None], [None], [None]]


@pytest.mark.parametrize("query_id", [b"all", b"no query", b"no_query", b"0"], ids=repr)
def test_no_query_id_means_anything(query_id: bytes) -> None:
    """To pytrec_eval, ``no query`` and ``no_query`` are the query before."""
    run = {b"1": {b"a": 1.0}, query_id: {b"x": 2.0, b"a": 1.0}}
    found = values(run, {b"1": {b"a": 1}, query_id: {b"a": 1}}, ["map"])
    assert found == {b"1": {"map": 1.0}, query_id: {"map": 0.5}}


def test_docnos_may_look_like_anything() -> None:
    """Names that the scorer gives to documents itself, and bytes that are no text."""
    docnos = [b"1", b"2", b"0~0", b"1~0", b"-1~0", b" ", b"\xff\xfe", b"a" * 10_000, b"\xc3"]
    for position, docno in enumerate(docnos, 1):
        assert only(docnos, {docno: 1}, "RR") == {"recip_rank": 1 / position}
    found = only(docnos, dict.fromkeys(docnos, 1), "map", "num_rel_ret")
    assert found == {"map": 1.0, "num_rel_ret": len(docnos)}


# Answerable queries only.

ANSWERABLE = {b"1": {b"a": 1}, b"2": {b"a": 2, b"b": 0}, b"3": {b"a": 0}, b"4": {b"a": -1}}


@pytest.mark.parametrize(
    ("measures", "level", "kept"),
    [
        (["map"], 1, [b"1", b"2"]),
        (["map"], 2, [b"2"]),
        (["map", "P(rel=2)@5"], 1, [b"1", b"2"]),
        (["AP(rel=2)", "P(rel=2)@5"], 1, [b"2"]),
        # nDCG reads no level, so that the lowest asked for is 1.
        (["nDCG@10"], 2, [b"2"]),
        (["nDCG@10", "map"], 2, [b"2"]),
    ],
    ids=["1", "2", "the lowest", "said in names", "none read", "one of two reads"],
)
def test_answerable_only(measures: list[str], level: int, kept: list[bytes]) -> None:
    options = Options(relevance_level=level)
    run = {query_id: [b"a"] for query_id in ANSWERABLE}
    found = values(run, ANSWERABLE, measures, options, answerable_only=True)
    assert list(found) == kept


def test_answerable_only_is_in_the_protocol_and_leaves_judgments_as_they_are() -> None:
    every = evaluation(ANSWERABLE, ["map"]).protocol
    some = evaluation(ANSWERABLE, ["map"], answerable_only=True).protocol
    assert str(some) == f"{every};answerable-only"


def test_nothing_answerable_is_refused() -> None:
    with pytest.raises(te.InputError) as refusal:
        evaluation(ANSWERABLE, ["map"], Options(relevance_level=3), answerable_only=True)
    assert str(refusal.value) == (
        "qrels: saw no query with a document of grade 3 or more, expected one "
        "(--answerable-only). Lower the relevance level, or score all queries."
    )


# What a run is warned of, or refused for.

WARNED: dict[str, tuple[dict[bytes, object], dict[str, Any], list[str]]] = {
    "nothing": ({b"1": [b"a"], b"2": [b"a"]}, {}, []),
    "missing": (
        {b"1": [b"a"]},
        {},
        ["r: 1 query of qrels missing; left empty"],
    ),
    "missing under complete": (
        {b"1": [b"a"]},
        {"complete": True},
        ["r: 1 query of qrels missing; counted as trec_eval -c does"],
    ),
    "not judged": (
        {b"1": [b"a"], b"2": [b"a"], b"3": {b"a": 1.0, b"b": 1.0}},
        {},
        ["r: 1 query not in qrels; left out"],
    ),
    "ties in one query": (
        {b"1": {b"a": 1.0, b"b": 1.0, b"c": 2.0}, b"2": [b"a"]},
        {},
        ["r: 2 documents tie in 1 query; among equal scores the docno that sorts last comes first"],
    ),
    "ties in two, before -M and -J": (
        {b"1": {b"a": 1.0, b"b": 1.0, b"c": 2.0}, b"2": {b"x": 1.0, b"y": 1.0, b"z": 1.0}},
        {"options": Options(judged_only=True, max_docs=1)},
        [
            "r: 5 documents tie in 2 queries; among equal scores the docno that sorts last comes "
            "first"
        ],
    ),
    "as C floats only": (
        {b"1": {b"a": 1.0, b"b": 1.0 + 1e-12}, b"2": [b"a"]},
        {"options": Options(profile="10.0")},
        [],
    ),
    "an unanswerable query is not called missing": (
        {b"1": [b"a"], b"2": [b"a"]},
        {"answerable_only": True},
        ["r: 1 query of qrels missing; left empty"],
    ),
    "no query in common under complete": (
        {b"3": [b"a"]},
        {"complete": True},
        [
            "r: 1 query not in qrels; left out",
            "r: 2 queries of qrels missing; counted as trec_eval -c does",
        ],
    ),
}


@pytest.mark.filterwarnings("always::trec_eval_py.TrecEvalWarning")
@pytest.mark.parametrize(("run", "given", "messages"), WARNED.values(), ids=WARNED)
def test_warnings(
    run: dict[bytes, object],
    given: dict[str, Any],
    messages: list[str],
    recwarn: pytest.WarningsRecorder,
) -> None:
    judged = {b"1": {b"a": 1}, b"2": {b"a": 0 if "answerable_only" in given else 1}}
    if "answerable_only" in given:
        judged[b"3"] = {b"a": 1}
    evaluation(judged, ["map"], **given).score(run, "r")
    assert [str(warning.message) for warning in recwarn] == messages


def test_no_query_in_common_is_refused() -> None:
    with pytest.raises(te.InputError) as refusal:
        values({b"x": [b"a"]}, {b"1": {b"a": 1}}, ["map"])
    assert str(refusal.value) == (
        "run: saw no query of qrels but others, such as 'x', expected such as '1'. Check that "
        "both name queries alike, or score with --complete (trec_eval -c)."
    )


# The ceiling.

CEILING_GRADES = list(itertools.product([-1, 0, 1, 2], repeat=3))
CEILING_RANKINGS = [
    ranking
    for size in range(1, 5)
    for ranking in itertools.permutations([b"a", b"b", b"c", b"unjudged"], size)
]


@pytest.mark.parametrize(
    ("level", "judged_only", "profile"), [(1, False, "9.0"), (2, True, "9.0"), (2, False, "10.0")]
)
def test_no_ranking_beats_the_ceiling(level: int, judged_only: bool, profile: str) -> None:
    """Every ranking of some of four documents, with every three grades from -1 to 2."""
    judged: Qrels = {}
    run: dict[bytes, list[bytes]] = {}
    for i, grades in enumerate(CEILING_GRADES):
        for j, ranking in enumerate(CEILING_RANKINGS):
            query_id = b"%d %d" % (i, j)
            judged[query_id] = dict(zip([b"a", b"b", b"c"], grades, strict=True))
            run[query_id] = list(ranking)
    options = Options(relevance_level=level, judged_only=judged_only, profile=profile)
    one = evaluation(judged, ["all_trec", "nDCG(dcg='exp-log2')", "RR@2"], options)
    found, best = one.score(run, "run"), one.ceiling()
    for row, ceiling in zip(found.rows, best.rows, strict=True):
        for asked, value, most in zip(one.asked, row, ceiling, strict=True):
            if asked.measure.ranked:
                assert value is not None
                assert most is not None
                lower = asked.measure.better == "lower"
                assert (value >= most) if lower else (value <= most), asked.label


def test_ceiling_is_empty_for_what_no_ranking_maximises() -> None:
    one = evaluation({b"1": {b"a": 1}})
    row = by_line(one, one.ceiling())[b"1"]
    empty = [name for name, value in row.items() if value is None]
    assert empty == [
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P"),
        *("set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
    ]


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        *(("ndcg", False), ("rbp_p=0.5", False), ("dcg", False)),
        *(("ndcg_1=3,2=1", True), ("dcg_0=5", True), ("rbp_p=0.5,1=1,2=0.5", True)),
    ],
)
def test_ceiling_is_empty_where_gains_may_want_another_order(name: str, empty: bool) -> None:
    one = evaluation({b"1": {b"a": 1, b"b": 2}}, [name])
    assert [value is None for value in one.ceiling().rows[0]] == [empty]
    assert ranked(name) is not empty


def test_ceiling_is_a_run_of_its_own() -> None:
    """Of b (2), a (1) and c (0), the first two; R is 2."""
    judged = {b"q": {b"a": 1, b"b": 2, b"c": 0}, b"nothing": {b"a": 0}}
    one = evaluation(judged, ["AP", "nDCG@10", "P@5", "RR", "bpref", "G"])
    best = one.ceiling()
    assert (best.run, best.query_ids) == ("ideal", ["nothing", "q"])
    assert best.rows == [[0.0] * 6, [1.0, 1.0, 2 / 5, 1.0, 1.0, 1.0]]


def test_ceiling_warns_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    evaluation({b"q": {b"a": 1, b"b": 1}}).ceiling()
    assert not list(recwarn)


# Nothing is kept, nothing is changed.


@given(collection=collections(), options=OPTIONS)
@settings(max_examples=50)
def test_scoring_twice_gives_the_same(collection: tuple[Run, Qrels], options: Options) -> None:
    run, judged = collection
    before = repr((run, judged))
    one = evaluation(judged, None, options)
    first = one.score(run, "run")
    one.ceiling()
    assert one.score(run, "run") == first
    assert repr((run, judged)) == before


@given(collection=collections(), options=OPTIONS, seed=st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_the_order_of_queries_and_documents_is_irrelevant(
    collection: tuple[Run, Qrels],
    options: Options,
    seed: Any,  # noqa: ANN401 - a Random of sorts
) -> None:
    run, judged = collection

    def shuffled(nested: Mapping[bytes, Mapping[bytes, Any]]) -> dict[bytes, dict[bytes, Any]]:
        ids = seed.sample(list(nested), len(nested))
        return {q: dict(seed.sample(list(nested[q].items()), len(nested[q]))) for q in ids}

    assert values(shuffled(run), shuffled(judged), None, options) == values(
        run, judged, None, options
    )


def resident() -> int:
    """Give the bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_is_flat_over_ten_thousand_evaluations() -> None:
    judged = {b"q": {b"d%d" % i: i % 3 for i in range(20)}}
    run = {b"q": {b"d%d" % i: float(i) for i in range(10, 60)}}
    asked = parse(["map", "ndcg_cut_10", "iprec_at_recall", "P(rel=2)@5"], Options())

    def evaluate(times: int) -> None:
        for _ in range(times):
            Evaluation(judged, "qrels", asked).score(run, "run")

    evaluate(500)  # what is allocated once
    gc.collect()
    before = resident()
    evaluate(10_000)
    gc.collect()
    # One kept evaluation holds more than 2 kB of keys and values: 20 MB in all.
    assert resident() - before < 5_000_000


# The scorer is watched.


class Deaf:
    """A scorer whose C layer failed: 0.0 everywhere, with a word on stderr."""

    def __init__(self, qrels: object, names: object, level: int, judged_only: int) -> None:
        pass

    def evaluate(self, run: Mapping[str, object]) -> dict[str, dict[str, float]]:
        return {query_id: {"num_ret": 0.0, "map": 0.0} for query_id in run}


def test_an_answer_that_cannot_be_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytrec_eval_ext, "RelevanceEvaluator", Deaf)
    with pytest.raises(ScorerError) as fault:
        values({b"q": [b"a", b"b"]}, {b"q": {b"a": 1}}, ["map"])
    assert str(fault.value) == (
        "pytrec_eval counted 0 documents of 2: its numbers are not to be used. Please report this "
        "with your files."
    )


def test_too_deep_a_ranking_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A C float tells ranks apart down to 2**24; the bound is lowered here."""
    monkeypatch.setattr(scoring, "DEEPEST", 3)
    message = "^saw a ranking that counts down to rank 4, expected at most 3, where the scorer's"
    asked = parse(["map"], Options())
    whole = whole_query([None, 1, None, 0], [1, 0])
    for query in (whole, whole._replace(docnos=None)):
        with pytest.raises(te.InputError, match=message):
            Scorer(asked, "9.0").score([query])
    assert Scorer(parse(["map"], Options(max_docs=3)), "9.0").score([whole]) == [[0.5]]
    short = RankedQuery(judged_ranking([None, 1, None, None], [1]))
    assert Scorer(asked, "9.0").score([short]) == [[0.5]]


def test_no_measure_no_value() -> None:
    assert Scorer([], "9.0").score([whole_query([1], [1])]) == [[]]
    assert Scorer(parse(["map"], Options()), "9.0").score([]) == []


# Through the public door.


def table(scores: Any, run: str) -> dict[str, dict[str, float]]:  # noqa: ANN401 - a DataFrame
    rows = scores[scores["run"] == run]
    found: dict[str, dict[str, float]] = {}
    for query_id, measure, value in zip(
        rows["query_id"], rows["measure"], rows["value"], strict=True
    ):
        found.setdefault(query_id, {})[measure] = value
    return found


def test_worked_example_1() -> None:
    """The arithmetic is in runs/README.md; E was not judged."""
    names = ["Success@3", "R@3", "P@3", "RR@3"]
    with pytest.warns(te.TrecEvalWarning, match="^worked1: 1 query not in worked1"):
        scores = te.score(ROOT / "qrels" / "worked1.qrels", ROOT / "runs" / "worked1.run", names)
    assert table(scores, "worked1") == {
        "A": dict(zip(names, [1, 1, 1 / 3, 1], strict=True)),
        "B": dict(zip(names, [1, 1, 1 / 3, 1 / 3], strict=True)),
        "C": dict(zip(names, [1, 1 / 2, 1 / 3, 1], strict=True)),
        "D": dict(zip(names, [0, 0, 0, 0], strict=True)),
    }
    means = te.summary(scores)
    assert means["measure"].tolist() == names
    assert means["value"].round(3).tolist() == [0.75, 0.625, 0.25, 0.583]


def test_worked_example_2() -> None:
    """The arithmetic is in runs/README.md: the best DCG@3 is 1 + 1/log2(3)."""
    names = ["P@3", "R@3", "RR", "AP", "nDCG@3"]
    folder = ROOT / "runs" / "worked2"
    both = {"first": folder / "first.run", "second": folder / "second.run"}
    scores = te.score(ROOT / "qrels" / "worked2.qrels", both, names)
    best = 1 + 1 / TWO
    first = [2 / 3, 1, 1, (1 + 2 / 3) / 2, 1.5 / best]
    second = [1 / 3, 1 / 2, 1 / 2, (1 / 2 + 2 / 4) / 2, 1 / TWO / best]
    assert table(scores, "first")["1"] == dict(zip(names, first, strict=True))
    assert table(scores, "second")["1"] == dict(zip(names, second, strict=True))
    assert [round(value, 2) for value in [*first, *second]] == [
        *(0.67, 1.00, 1.00, 0.83, 0.92),
        *(0.33, 0.50, 0.50, 0.50, 0.39),
    ]


def test_score_ranking() -> None:
    found = te.score_ranking(["a", "x", "b", "y"], {"a", "b", "c"}, ["P@3", "R@3"])
    assert found == {"P@3": 2 / 3, "R@3": 2 / 3}


RANKING_CALLS: dict[str, tuple[list[str], Any, str, dict[str, float]]] = {
    "grades": (["a", "b"], {"a": 1, "b": 3}, "nDCG@1", {"nDCG@1": 1 / 3}),
    "a list of the relevant": (["x", "a"], ["a"], "RR", {"RR": 0.5}),
    "no document": ([], {"a"}, "P@3", {"P@3": 0.0}),
    "a cut": (["x", "a"], {"a"}, "RR@1", {"RR@1": 0.0}),
    "a level in the name": (["a", "b"], {"a": 1, "b": 2}, "RR(rel=2)", {"RR(rel=2)": 0.5}),
    "several by one name": (["a"], {"a"}, "P.1,2", {"P_1": 1.0, "P_2": 0.5}),
    "order is rank, whatever the names": (["a", "z"], {"a"}, "RR", {"RR": 1.0}),
}


@pytest.mark.parametrize(
    ("ranking", "judged", "measure", "result"), RANKING_CALLS.values(), ids=RANKING_CALLS
)
def test_score_ranking_of(
    ranking: list[str],
    judged: Mapping[str, int] | Iterable[str],
    measure: str,
    result: dict[str, float],
) -> None:
    assert te.score_ranking(ranking, judged, [measure]) == result


def test_score_ranking_without_measures_scores_all() -> None:
    found = te.score_ranking(["x", "a"], {"a"})
    assert found == te.score_ranking(["x", "a"], {"a"}, ["all_trec"])
    assert (found["recip_rank"], found["P_5"], found["num_ret"]) == (0.5, 0.2, 2.0)


def test_score_gives_tidy_rows() -> None:
    judged = {"2": {"a": 1}, "10": {"b": 2}}
    scores = te.score(judged, {"one": {"2": ["a"]}, "two": {"10": ["x", "b"]}}, ["RR", "num_q"])
    assert list(scores.columns) == ["qrels", "run", "query_id", "measure", "value", "protocol"]
    rows = zip(scores["run"], scores["query_id"], scores["measure"], scores["value"], strict=True)
    assert [(run, q, m, None if v != v else v) for run, q, m, v in rows] == [
        ("one", "10", "RR", None),
        ("one", "10", "num_q", None),
        ("one", "2", "RR", 1.0),
        ("one", "2", "num_q", 1.0),
        ("two", "10", "RR", 0.5),
        ("two", "10", "num_q", 1.0),
        ("two", "2", "RR", None),
        ("two", "2", "num_q", None),
    ]
    assert set(scores["qrels"]) == {"qrels"}
    assert scores["protocol"].str.fullmatch("[0-9a-f]{12}/9.0").all()


def test_score_takes_every_option() -> None:
    """Of x a b y, the first 3, of these the judged, a and b; b alone is at level 2, as is c."""
    scores = te.score(
        {"q": {"a": 1, "b": 2, "c": 2}, "r": {"a": 2}, "s": {"a": 1}},
        {"mine": {"q": ["x", "a", "b", "y"]}},
        ["RR", "num_ret", "num_rel", "utility_1,0,0,1"],
        relevance_level=2,
        complete=True,
        judged_only=True,
        max_docs=3,
        num_docs=100,
        profile="10.0",
        answerable_only=True,
        qrels_name="judgments",
    )
    # utility: 1 found, and 100 + 1 - 2 - 2 neither retrieved nor relevant.
    settings_ = "rel=2,judged_only"
    assert table(scores, "mine") == {
        "q": {
            f"RR({settings_}=True,max=3)": 0.5,
            "num_ret(judged_only,max=3)": 2.0,
            "num_rel(rel=2)": 2.0,
            f"utility_1,0,0,1({settings_},max=3,docs=100)": 98.0,
        },
        "r": {
            f"RR({settings_}=True,max=3)": 0.0,
            "num_ret(judged_only,max=3)": 0.0,
            "num_rel(rel=2)": 1.0,
            f"utility_1,0,0,1({settings_},max=3,docs=100)": 0.0,
        },
    }
    assert set(scores["qrels"]) == {"judgments"}
    assert scores["protocol"].str.fullmatch("[0-9a-f]{12}/10.0;answerable-only").all()


def test_score_of_everything_missing() -> None:
    with pytest.warns(te.TrecEvalWarning, match="^mine: 1 query of qrels missing"):
        scores = te.score({"q": {"a": 1}}, {"mine": {}}, ["RR"])
    assert scores["value"].isna().tolist() == [True]


def test_default_is_every_measure() -> None:
    scores = te.score({"q": {"a": 1}}, {"mine": {"q": ["a"]}})
    assert scores["measure"].tolist() == DEFAULT
