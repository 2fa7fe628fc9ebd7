"""Judgments by several users: preferences, and grades by judgment group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trec_eval_py as te
from trec_eval_py.distributing import Evaluation, Reader
from trec_eval_py.measures import Asked, Options, parse
from trec_eval_py.ranking import GroupedQrels, Judgments, Preferences
from trec_eval_py.scoring import ScoredRun

Run = dict[str, float]
# {group: {subgroup: {docno: level}}} and {group: {docno: grade}}
Levels = dict[str, dict[str, dict[str, float]]]
Groups = dict[str, dict[str, int]]

pytestmark = pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")


def preferences(levels: Levels) -> Preferences:
    """Judgments of one query, q."""
    return Preferences(
        {
            b"q": {
                group.encode(): {
                    name.encode(): {docno.encode(): level for docno, level in one.items()}
                    for name, one in subgroups.items()
                }
                for group, subgroups in levels.items()
            }
        },
        "prefs",
    )


def grouped(groups: Groups) -> GroupedQrels:
    return GroupedQrels(
        {
            b"q": {
                name.encode(): {docno.encode(): grade for docno, grade in one.items()}
                for name, one in groups.items()
            }
        }
    )


def scored(judgments: Judgments, run: Run, asked: list[Asked], profile: str = "9.0") -> ScoredRun:
    evaluation = Evaluation(judgments, "j", asked, profile)
    return evaluation.score({"q": run}, "run")


def values(judgments: Judgments, run: Run, max_docs: int | None = None) -> dict[str, float]:
    options = Options(max_docs=max_docs)
    asked = [one for one in parse(None, options, judgments.form) if one.measure.name != "num_q"]
    result = scored(judgments, run, asked)
    return {
        one.label.partition("(")[0]: float(value or 0)
        for one, value in zip(asked, result.rows[0], strict=True)
    }


# One user, u: a > b > c, and d is not relevant. The run has x (not judged), c, a, d; b is missing.
# Both retrieved: a > d and c > d are fulfilled, a > c is not: 2 of 3. One retrieved: a > b is
# fulfilled; b > c and b > d are not, since c and d stand above b: 1 of 3. Together 3 of 6.
ONE: Levels = {"u": {"s": {"a": 3, "b": 2, "c": 1, "d": 0}}}
RUN: Run = {"x": 5, "c": 4, "a": 3, "d": 2}

# Two users of a and b: u has a > b, v has b > a; w has nothing that v has not: b > a, and a > e.
CONFLICT: Levels = {
    "u": {"s": {"a": 2, "b": 1}},
    "v": {"s": {"a": 1, "b": 2}},
    "w": {"s": {"a": 2, "b": 3, "e": 1}},
}
BOTH: Run = {"a": 2, "b": 1}

# One user with two subgroups: a > b and b > c, so that a > c too; nothing between d and the others
# but c > d, and so a > d and b > d.
JOINED: Levels = {"u": {"s": {"a": 2, "b": 1}, "t": {"b": 5, "c": 4}, "v": {"c": 2, "d": 1}}}
BACKWARDS: Run = {"c": 2, "a": 1}

# s has a > b, and t, which is looked at later, has them and c alike: what s says stays.
TIED: Levels = {"u": {"s": {"a": 2, "b": 1}, "t": {"a": 1, "b": 1, "c": 1}}}
# The same by names in the other order, with another document that only the first one has.
TIED_FIRST: Levels = {"u": {"s": {"a": 1, "b": 1}, "t": {"a": 2, "b": 1, "c": 1}}}

# Nothing of it retrieved.
NOWHERE: Run = {"x": 1}

BY_HAND: dict[str, tuple[Levels, Run, dict[str, float]]] = {
    "one user": (
        ONE,
        RUN,
        {
            "num_prefs_poss": 6,
            "num_prefs_ful": 3,
            "num_prefs_ful_ret": 2,
            "simp": 3 / 6,
            "pair": 3 / 6,
            "avgjg": 3 / 6,
            # R = 3 and N = 1: two more non-relevant documents, below the two relevant retrieved:
            # (3 + 2 * 2) / (6 + 3 * 2). Among the retrieved R = 2: (2 + 2 * 1) / (3 + 3 * 1).
            "avgjg_Rnonrel": 7 / 12,
            "simp_ret": 2 / 3,
            "pair_ret": 2 / 3,
            "avgjg_ret": 2 / 3,
            "avgjg_Rnonrel_ret": 4 / 6,
            "simp_imp": 3 / 6,
            "pair_imp": 3 / 6,
            "avgjg_imp": 3 / 6,
        },
    ),
    "users who disagree": (
        CONFLICT,
        BOTH,
        {
            # a > b of u; b > a of v and of w; a > e and b > e of w, which are implied.
            "num_prefs_poss": 5,
            "num_prefs_ful": 3,
            "num_prefs_ful_ret": 1,
            "simp": 3 / 5,
            # a and b 1/3, a and e 1, b and e 1.
            "pair": (1 / 3 + 1 + 1) / 3,
            # u 1, v 0, w 2/3.
            "avgjg": (1 + 0 + 2 / 3) / 3,
            # R non-relevant ones for each: u (1 + 2 * 2) / (1 + 2 * 2), v (0 + 4) / (1 + 4),
            # w (2 + 2 * 3) / (3 + 3 * 3); among the retrieved w is (0 + 2 * 2) / (1 + 3 * 2).
            "avgjg_Rnonrel": (1 + 4 / 5 + 8 / 12) / 3,
            "simp_ret": 1 / 3,
            "pair_ret": 1 / 3,
            "avgjg_ret": 1 / 3,
            "avgjg_Rnonrel_ret": (1 + 4 / 5 + 4 / 7) / 3,
            "simp_imp": 3 / 5,
            "pair_imp": (1 / 3 + 1 + 1) / 3,
            "avgjg_imp": (1 + 0 + 2 / 3) / 3,
        },
    ),
    "what follows from subgroups": (
        JOINED,
        BACKWARDS,
        {
            # a > b, a > c, a > d, b > c, b > d, c > d. c stands above a; b and d are missing:
            # a > b, a > d and c > d are fulfilled, a > c and b > c are not, b > d is between
            # missing ones.
            "num_prefs_poss": 6,
            "num_prefs_ful": 3,
            "num_prefs_ful_ret": 0,
            "simp": 3 / 6,
            "pair": 3 / 6,
            "avgjg": 3 / 6,
            # R = 4, none is non-relevant: (3 + 2 * 4) / (6 + 4 * 4). Among the retrieved R = 2:
            # (0 + 2 * 2) / (1 + 4 * 2).
            "avgjg_Rnonrel": 11 / 22,
            "simp_ret": 0,
            "pair_ret": 0,
            "avgjg_ret": 0,
            "avgjg_Rnonrel_ret": 4 / 9,
            "simp_imp": 3 / 5,
            "pair_imp": 3 / 5,
            "avgjg_imp": 3 / 5,
        },
    ),
    "a subgroup ties what another orders": (
        TIED,
        {"b": 2, "a": 1},
        {
            "num_prefs_poss": 1,
            # R = 3 and none is non-relevant: (0 + 2 * 3) / (1 + 3 * 3); among the retrieved R = 2.
            "avgjg_Rnonrel": 6 / 10,
            "avgjg_Rnonrel_ret": 4 / 7,
        },
    ),
    "a subgroup orders what another ties": (
        TIED_FIRST,
        {"a": 2, "b": 1},
        {
            # a > b and a > c.
            "num_prefs_poss": 2,
            "num_prefs_ful": 2,
            "num_prefs_ful_ret": 1,
            "simp": 1,
            "pair": 1,
            "avgjg": 1,
            "avgjg_Rnonrel": (2 + 2 * 3) / (2 + 3 * 3),
            "simp_ret": 1,
            "pair_ret": 1,
            "avgjg_ret": 1,
            "avgjg_Rnonrel_ret": (1 + 2 * 2) / (1 + 3 * 2),
            "simp_imp": 1,
            "pair_imp": 1,
            "avgjg_imp": 1,
        },
    ),
    "nothing retrieved": (
        ONE,
        NOWHERE,
        {"num_prefs_poss": 6},
    ),
}


@pytest.mark.parametrize(("levels", "run", "wanted"), BY_HAND.values(), ids=BY_HAND)
def test_preferences_by_hand(levels: Levels, run: Run, wanted: dict[str, float]) -> None:
    found = values(preferences(levels), run)
    assert len(found) == 14
    assert found == pytest.approx(
        {name: wanted.get(name.removeprefix("prefs_"), 0) for name in found}, rel=1e-15
    )


# As many non-relevant documents as relevant ones. One user: a (1) over n1, n2, n3 (0); the run has
# n1, a, n2. R = 1, N = 3: of n1, n2, n3 by rank, n1 is kept. a over n1 fails; and n1, n2, n3 are
# compared with n1 too: n1 with itself, n2 and n3 with n1 fail. 0 of 4. Among the retrieved, 0 of 3.
MANY: Levels = {"u": {"s": {"a": 1, "n1": 0, "n2": 0, "n3": 0}}}
# With a first: a over n1 is fulfilled, 1 of 4; and 1 of 3.
# In subgroups, n2 and n3 are dropped with all their preferences: a over n1.
SPLIT: Levels = {"u": {"s": {"a": 1, "n1": 0}, "t": {"a": 1, "n2": 0, "n3": 0}}}
# In subgroups too, R = 2 and N = 3: a and b over n1 and n2, b over n3. a is not retrieved.
PARTLY: Levels = {
    "u": {"s": {"a": 1, "n1": 0, "n2": 0}, "t": {"b": 1, "n1": 0, "n2": 0, "n3": 0}},
}
BALANCED: dict[str, tuple[Levels, Run, float, float]] = {
    # n3 is dropped. b over n1 and n2 are fulfilled, a over n1 fails, and a over n2 with both
    # missing. Among the retrieved R = N = 1: b over n1.
    "in subgroups, a preferred one missing": (PARTLY, {"b": 2, "n1": 1}, 2 / 4, 1),
    # n3, the last of three retrieved, is dropped. Of b over n1 and n2 the first fails, and both of
    # a; among the retrieved these two do not count.
    "in subgroups, the same below others": (
        PARTLY,
        {"n1": 4, "b": 3, "n2": 2, "n3": 1},
        1 / 4,
        1 / 2,
    ),
    "too many, one above": (MANY, {"n1": 3, "a": 2, "n2": 1}, 0, 0),
    "too many, none above": (MANY, {"a": 3, "n1": 2, "n2": 1}, 1 / 4, 1 / 3),
    "in subgroups, one above": (SPLIT, {"n1": 3, "a": 2, "n2": 1}, 0, 0),
    "in subgroups, none above": (SPLIT, {"a": 3, "n1": 2, "n2": 1}, 1, 1),
    # R = N = 1 leaves all as it is; among the retrieved there is nothing, which makes it 0.
    "as many": ({"u": {"s": {"a": 1, "n": 0}}}, {"a": 1}, 1, 1),
    # The second user judged nothing relevant, so that nothing is left to prefer.
    "a user without preferences": (
        {"u": {"s": {"a": 1, "n": 0}}, "v": {"s": {"n": 0}}},
        {"a": 2, "n": 1},
        0,
        0,
    ),
}


@pytest.mark.parametrize(("levels", "run", "whole", "there"), BALANCED.values(), ids=BALANCED)
def test_as_many_non_relevant_by_hand(levels: Levels, run: Run, whole: float, there: float) -> None:
    found = values(preferences(levels), run)
    assert found["prefs_avgjg_Rnonrel"] == pytest.approx(whole, rel=1e-15)
    assert found["prefs_avgjg_Rnonrel_ret"] == pytest.approx(there, rel=1e-15)


@pytest.mark.parametrize("order", ["bxa", "xba", "abx"])
@pytest.mark.parametrize("reader", ["plain", "columnar"])
def test_ties_of_preferences_rise_by_docno(tmp_path: Path, reader: Reader, order: str) -> None:
    """As in trec_eval, form_prefs_counts.c; all else falls (form_res_rels.c)."""
    path = tmp_path / "tied.run"
    path.write_text("".join(f"q Q0 {docno} 1 1 t\n" for docno in order))
    for better, worse, value in (("a", "b", 1.0), ("b", "a", 0.0)):
        judgments = preferences({"u": {"s": {better: 2, worse: 1}}})
        asked = parse(["prefs_simp"], Options(), "prefs")
        evaluation = Evaluation(judgments, "j", asked, reader=reader)
        with pytest.warns(te.TrecEvalWarning, match="the docno that sorts first comes first"):
            result = evaluation.score(te.reading.Source(path), "r")
        assert result.rows == [[value]]
    groups = grouped({"u": {"b": 1}})
    asked = parse(["map_avgjg"], Options(), "qrels_jg")
    result = Evaluation(groups, "j", asked, reader=reader).score(te.reading.Source(path), "r")
    assert result.rows == [[1 / 2]]  # x, b, a


@pytest.mark.parametrize(("profile", "possible"), [("9.0", 0.0), ("10.0", 1.0)])
def test_levels_are_held_as_scores_are(tmp_path: Path, profile: str, possible: float) -> None:
    """As a C float, 1.00000001 is 1: trec_eval 9.0.8, trec_format.h."""
    (tmp_path / "p").write_text("q u s a 1.00000001\nq u s b 1\n")
    judgments = te.reading.load_judgments(te.reading.Source(tmp_path / "p"), "p", "prefs", profile)
    asked = parse(["prefs_num_prefs_poss"], Options(profile=profile), "prefs")
    assert scored(judgments, {"a": 1}, asked, profile).rows == [[possible]]


@pytest.mark.parametrize("first", ["s", "t"])
def test_of_two_levels_that_of_the_last_subgroup_stays(first: str) -> None:
    """trec_eval 9.0.8, form_prefs_counts.c, form_jg_pa: by the byte order of their names."""
    subgroups = {"s": {"a": 1.0, "b": 0.0}, "t": {"d": 0.0, "a": -1.0}}
    in_order = dict(sorted(subgroups.items(), key=lambda pair: pair[0] != first))
    # So a is not relevant, R is 0 and b and d are left out: nothing is left to prefer.
    found = values(preferences({"u": in_order}), {"a": 3, "b": 2, "c": 1})
    assert found["prefs_avgjg_Rnonrel"] == 0


def test_the_first_documents_alone_count() -> None:
    # Of x, c, a, d the first two: c alone is there. c > d is fulfilled, a > c and b > c are not,
    # the other three are between missing documents.
    found = values(preferences(ONE), RUN, max_docs=2)
    assert found["prefs_num_prefs_ful"] == 1
    assert found["prefs_simp"] == 1 / 6
    assert found["prefs_simp_imp"] == 1 / 3
    assert found["prefs_simp_ret"] == 0


DOCNOS = ["1", "10", "2", "9", "a", "b", "B"]


@st.composite
def levels_drawn(draw: st.DrawFn) -> Levels:
    """Up to three users with up to three subgroups, of one mind each: an order decides.

    A subgroup may tie what others order: levels above a highest one become that.
    """
    found: Levels = {}
    for group in draw(st.lists(st.sampled_from(["u", "v", "w"]), min_size=1, unique=True)):
        order = draw(st.dictionaries(st.sampled_from(DOCNOS), st.integers(-1, 3), min_size=1))
        names = draw(st.lists(st.sampled_from(["s", "t", "r"]), min_size=1, unique=True))
        subgroups = {}
        for name in names:
            some = draw(st.lists(st.sampled_from(sorted(order)), min_size=1, unique=True))
            highest = draw(st.integers(1, 3))
            subgroups[name] = {docno: float(min(order[docno], highest)) for docno in some}
        found[group] = subgroups
    return found


RUNS = st.dictionaries(
    st.sampled_from([*DOCNOS, "x", "y"]), st.integers(0, 4).map(float), min_size=1
)


@given(levels=levels_drawn(), run=RUNS, max_docs=st.none() | st.integers(1, 6))
@settings(max_examples=400)
def test_preferences_equal_the_oracle(levels: Levels, run: Run, max_docs: int | None) -> None:
    """To the last bit, but for sums over pairs, which the oracle may add in another order."""
    found = values(preferences(levels), run, max_docs)
    wanted = oracles.prefer(run, levels, max_docs)
    assert found.keys() == wanted.keys()
    assert found == pytest.approx(wanted, rel=1e-12, abs=0)


# Two users. u: a 2, b 0, c 1; v: b 1, c -1, d 1. The run is b, x, a, c.
# AP: u (1/3 + 2/4) / 2 = 5/12; v (1/1) / 2. P_2: 0 and 1/2.
# R is 2 for both: at 0.5 R, the first document: 0 and 1; at R, two: 0 and 1/2; at 2 R: 2/4 and 1/4.
USERS: Groups = {"u": {"a": 2, "b": 0, "c": 1}, "v": {"b": 1, "c": -1, "d": 1}}
ANSWER: Run = {"b": 4, "x": 3, "a": 2, "c": 1}
GROUPS_BY_HAND = {
    "map_avgjg": (5 / 12 + 1 / 2) / 2,
    "P_avgjg_2": (0 + 1 / 2) / 2,
    "P_avgjg_10": (2 / 10 + 1 / 10) / 2,
    "Rprec_mult_avgjg_0.50": (0 + 1) / 2,
    "Rprec_mult_avgjg_1.00": (0 + 1 / 2) / 2,
    "Rprec_mult_avgjg_2.00": (2 / 4 + 1 / 4) / 2,
    # At level 2: a for u, nothing for v.
    "map_avgjg(rel=2)": (1 / 3 + 0) / 2,
    # Judged documents only: b, a, c for u, and b for v, where c is not judged.
    "map_avgjg(judged_only)": ((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2,
    "P_avgjg_2(judged_only)": (1 / 2 + 1 / 2) / 2,
    # b and x alone.
    "map_avgjg(max=2)": (0 + 1 / 2) / 2,
}


@pytest.mark.parametrize(("label", "value"), GROUPS_BY_HAND.items(), ids=GROUPS_BY_HAND)
def test_judgment_groups_by_hand(label: str, value: float) -> None:
    asked = parse([label], Options(), "qrels_jg")
    assert [one.label for one in asked] == [label]
    ((found,),) = scored(grouped(USERS), ANSWER, asked).rows
    assert found == pytest.approx(value, rel=1e-15)


GROUP_ORACLES: dict[str, Callable[[Sequence[int | None], Sequence[int], int], float]] = {
    "map_avgjg": oracles.map,
    "P_avgjg_3": lambda ranking, judged, level: oracles.P(ranking, judged, level, 3),
    "Rprec_mult_avgjg_0.60": lambda ranking, judged, level: oracles.Rprec_mult(
        ranking, judged, level, 0.6
    ),
}


@given(
    groups=st.dictionaries(
        st.sampled_from(["u", "v", "w", "all"]),
        st.dictionaries(st.sampled_from(DOCNOS), st.integers(-2, 3), min_size=1),
        min_size=1,
    ),
    run=RUNS,
    level=st.integers(1, 3),
    max_docs=st.none() | st.integers(1, 6),
    judged_only=st.booleans(),
)
@settings(max_examples=300)
def test_judgment_groups_equal_the_oracle(
    groups: Groups, run: Run, level: int, max_docs: int | None, judged_only: bool
) -> None:
    """To the last bit: the sums are in the same order."""
    options = Options(level, judged_only, max_docs)
    asked = parse(GROUP_ORACLES, options, "qrels_jg")
    (row,) = scored(grouped(groups), run, asked).rows
    assert list(row) == [
        oracles.over_groups(
            run,
            groups,
            lambda ranking, judged, f=function: f(ranking, judged, level),  # type: ignore[misc]
            max_docs,
            judged_only,
        )
        for function in GROUP_ORACLES.values()
    ]


# In Python and at the door of files.


def test_too_many_documents_are_refused() -> None:
    levels = {f"d{i}": float(i) for i in range(10_001)}
    with pytest.raises(te.InputError, match=r"^prefs: query 'q': saw 10001 documents, expected at"):
        preferences({"u": {"s": levels}})


def test_duplicates_in_python(tmp_path: Path) -> None:
    (tmp_path / "r.run").write_text("q Q0 a 1 1 t\nq Q0 x 2 2 t\nq Q0 a 3 3 t\n")
    judged = {"q": {"a": 1}}
    for way, rank in (("first", 2), ("best", 1)):
        found = te.score(judged, tmp_path / "r.run", ["RR"], duplicates=way)  # type: ignore[arg-type]
        assert found["value"].tolist() == [1 / rank]
    with pytest.raises(te.ReadError, match="again for query"):
        te.score(judged, tmp_path / "r.run", ["RR"])
    with pytest.raises(te.UsageError, match=r"^duplicates: saw 'last', expected refuse, first or"):
        te.score(judged, tmp_path / "r.run", ["RR"], duplicates="last")  # type: ignore[arg-type]


def test_score_reads_preferences_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "p.prefs").write_text("q u s a 2\nq u s b 1\nr u s a 1\nr u s b 0\n")
    (tmp_path / "r.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    scores = te.score(
        tmp_path / "p.prefs", tmp_path / "r.run", ["prefs_simp", "num_q"], qrels_format="prefs"
    )
    assert scores["query_id"].tolist() == ["q", "q", "r", "r"]
    assert scores["value"].tolist()[:2] == [1.0, 1.0]
    assert scores["value"].isna().tolist() == [False, False, True, True]


def test_the_protocol_tells_judgments_and_groups_apart(tmp_path: Path) -> None:
    lines = {"as it is": "q u a 2\nq v a 1\n", "in another order": "q v a 1\nq u a 2\n"}
    lines |= {"another group": "q w a 2\nq v a 1\n", "another grade": "q u a 1\nq v a 1\n"}
    (tmp_path / "r.run").write_text("q Q0 a 1 2 t\n")
    protocols = {}
    for name, text in lines.items():
        (tmp_path / "j.qrels").write_text(text)
        scores = te.score(tmp_path / "j.qrels", tmp_path / "r.run", qrels_format="qrels_jg")
        (protocols[name],) = scores["protocol"].unique()
    assert protocols["as it is"] == protocols["in another order"]
    assert len(set(protocols.values())) == 3


def protocol(folder: Path, text: str, form: str) -> str:
    """The protocol of scores by judgments with these lines."""
    (folder / "j").write_text(text)
    (folder / "r.run").write_text("q Q0 a 1 2 t\n")
    scores = te.score(folder / "j", folder / "r.run", qrels_format=form)
    (found,) = scores["protocol"].unique()
    return str(found)


PREFS = ("q u s a 2", "q u s b 1", "q u t a 3", "q u t c 0", "q v s b 1", "r u s a 1")


@pytest.mark.parametrize("order", [(5, 4, 3, 2, 1, 0), (4, 0, 2, 5, 1, 3), (1, 0, 3, 2, 4, 5)])
def test_the_protocol_of_preferences_has_no_order(tmp_path: Path, order: Sequence[int]) -> None:
    """Of lines, documents, subgroups, groups or queries."""
    as_it_is = protocol(tmp_path, "\n".join(PREFS), "prefs")
    assert protocol(tmp_path, "\n".join(PREFS[i] for i in order), "prefs") == as_it_is


OTHER_PREFS = {
    "another level": {"q u s a 2": "q u s a 3"},
    "a level that differs as a double only": {"q u s a 2": "q u s a 2.0000000000000004"},
    "another subgroup": {"q v s b 1": "q v t b 1"},
    "another group": {"q v s b 1": "q w s b 1"},
    "levels of two subgroups exchanged": {"q u s a 2": "q u s a 3", "q u t a 3": "q u t a 2"},
}


@pytest.mark.parametrize("changes", OTHER_PREFS.values(), ids=OTHER_PREFS)
def test_the_protocol_tells_preferences_apart(tmp_path: Path, changes: dict[str, str]) -> None:
    as_it_is = protocol(tmp_path, "\n".join(PREFS), "prefs")
    changed = "\n".join(changes.get(line, line) for line in PREFS)
    assert protocol(tmp_path, changed, "prefs") != as_it_is


@pytest.mark.parametrize("zero", ["-0", "0.0", "-0.0", "+0", "0e3", "-.0"])
def test_one_protocol_however_0_is_written(tmp_path: Path, zero: str) -> None:
    lines = "q u s a 1\nq u s b {}\n"
    as_it_is = protocol(tmp_path, lines.format("0"), "prefs")
    assert protocol(tmp_path, lines.format(zero), "prefs") == as_it_is
    lines = "q u a 1\nq u b {}\n"
    as_it_is = protocol(tmp_path, lines.format("0"), "qrels_prefs")
    assert protocol(tmp_path, lines.format(zero), "qrels_prefs") == as_it_is


NO_LEVEL = "a finite decimal number. Mend or drop the line."
REFUSED: dict[str, tuple[str, str, str]] = {
    **{
        f"{text} in {form}": (
            form,
            f"q u{place} a 1\nq u{place} b {text}\n",
            f":2: saw level '{text}', expected {NO_LEVEL}",
        )
        for text in ("inf", "-Infinity", "1e999", "-1e999", "nan")
        for form, place in (("prefs", " s"), ("qrels_prefs", ""))
    },
    **{
        f"{what} for {form}": (form, text, f": saw no judgment, expected {fields}. Check what")
        for what, text in (("no byte", ""), ("blank lines", "\n \n"), ("comments", "# a\n#b\n"))
        for form, fields in (
            ("prefs", "5 fields (query_id group subgroup docno level)"),
            ("qrels_prefs", "4 fields (query_id group docno level)"),
            ("qrels_jg", "4 fields (query_id group docno relevance)"),
        )
    },
    # a stands in another subgroup, group and query too, which is no repetition.
    "a document twice in a subgroup": (
        "prefs",
        "# p\nq u t a 1\nq v s a 1\nr u s a 1\n\nq u s a 2\nq u s b 1\nq u s a 1\n",
        ":8: saw document 'a' again for query 'q', group 'u', subgroup 's' (first on line 6), "
        "expected one judgment of a document per subgroup. Keep one of them, or",
    ),
    "a document three times": (
        "prefs",
        "q u s b 1\nq u s a 2\nq u s a 2\nq u s a 2\n",
        ":3: saw document 'a' again for query 'q', group 'u', subgroup 's' (first on line 2), ",
    ),
    "a document twice in a group": (
        "qrels_jg",
        "# j\nq v a 1\nr u a 1\n\nq u a 2\nq u b 1\nq u a 1\n",
        ":7: saw document 'a' again for query 'q', group 'u' (first on line 5), expected one "
        "judgment of a document per group. Keep one of them, or",
    ),
    "a document twice in a group of qrels": (
        "qrels_prefs",
        "q v a 1\nr u a 1\nq u a 2\nq u b 1\nq u a 1\n",
        ":5: saw document 'a' again for query 'q', group 'u' (first on line 3), expected one ",
    ),
    "level 0, then one above": (
        "prefs",
        "q u s a 0\nq u s c 1\nq u t a 2\nq u t b 1\n",
        ": query 'q', group 'u': saw document 'a' with level 0 and with one above 0, expected one "
        "or the other: 0 says that it is not relevant. Mend one of the lines.",
    ),
    "a level above 0, then 0": (
        "prefs",
        "q u s a 2\nq u s b 1\nq u t a 0\nq u t c 1\n",
        ": query 'q', group 'u': saw document 'a' with level 0 and with one above 0, expected one ",
    ),
}


@pytest.mark.parametrize(("form", "text", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused(tmp_path: Path, form: str, text: str, said: str) -> None:
    path = tmp_path / "j"
    path.write_text(text)
    with pytest.raises(te.InputError) as caught:
        te.reading.load_judgments(te.reading.Source(path), "j", form)
    assert str(caught.value).startswith(f"{path}{said}")


def test_judgments_in_memory_are_qrels_only() -> None:
    with pytest.raises(te.UsageError, match=r"^qrels: saw judgments in memory to be read as prefs"):
        te.score({"q": {"a": 1}}, {"r": {"q": ["a"]}}, qrels_format="prefs")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(
        te.UsageError, match=r"^qrels_format: saw 'csv', expected one of auto, qrels, "
    ):
        te.score({"q": {"a": 1}}, {"r": {"q": ["a"]}}, qrels_format="csv")


def test_no_one_ranking_is_the_ceiling_of_several_users() -> None:
    evaluation = Evaluation(grouped(USERS), "j", parse(None, Options(), "qrels_jg"))
    with pytest.raises(te.UsageError, match=r"^ceiling: saw judgments read as qrels_jg, expected"):
        evaluation.ceiling()


def test_preferences_have_no_relevant_document_to_ask_for() -> None:
    with pytest.raises(te.UsageError, match=r"^answerable_only: saw preferences, expected judg"):
        Evaluation(preferences(ONE), "j", parse(None, Options(), "prefs"), answerable_only=True)


def test_queries_that_no_group_finds_relevant_can_be_left_out() -> None:
    judged = GroupedQrels({b"q": {b"u": {b"a": 0}, b"v": {b"a": 1}}, b"r": {b"u": {b"a": 0}}})
    asked = parse(["map_avgjg"], Options(), "qrels_jg")
    evaluation = Evaluation(judged, "j", asked, answerable_only=True)
    assert list(evaluation.queries) == [b"q"]
