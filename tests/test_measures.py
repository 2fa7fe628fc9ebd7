"""Names of measures to what is asked and back; the registry; the definitions of our own."""

from __future__ import annotations

from collections.abc import Callable
from math import log, log2
from typing import NamedTuple

import oracles
import pytest
import pytrec_eval_ext
from generators import graded_lists, judged_ranking
from hypothesis import given, settings
from hypothesis import strategies as st

from trec_eval_py import MeasureError, score
from trec_eval_py.measures import (
    MEASURES,
    NICKNAMES,
    REGISTRY,
    Measure,
    Options,
    averaging,
    expand,
    explain,
    find,
    line_name,
    parse,
    spellings,
    two_decimals,
)

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


def labels(*names: str, options: Options | None = None) -> list[str]:
    return [one.label for one in parse(names, options or Options())]


def cut(*names: str) -> list[str]:
    return [f"{name}_{cutoff}" for name in names for cutoff in CUTOFFS]


# Spellings and labels.

IPREC = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
RPREC = [f"Rprec_mult_{multiple / 5:.2f}" for multiple in range(1, 11)]
SPELLINGS: dict[str, list[str]] = {
    # trec_eval's: a dot or an underscore, one label a line that trec_eval prints.
    "P": cut("P"),
    "P_5": ["P_5"],
    "P.5": ["P_5"],
    "P.5,10": ["P_5", "P_10"],
    "P_10,5": ["P_5", "P_10"],
    "P.010,10": ["P_10"],
    "P_1000000000": ["P_1000000000"],
    "recall": cut("recall"),
    "recall.1000": ["recall_1000"],
    "ndcg_cut": cut("ndcg_cut"),
    "ndcg_cut.10": ["ndcg_cut_10"],
    "relative_P": cut("relative_P"),
    "relative_P.7": ["relative_P_7"],
    "map_cut": cut("map_cut"),
    "map_cut.100": ["map_cut_100"],
    "map_10": ["map_cut_10"],
    "map.10": ["map_cut_10"],
    "map": ["map"],
    "recip_rank": ["recip_rank"],
    "recip_rank.10": ["recip_rank_10"],
    "recip_rank_10": ["recip_rank_10"],
    "success": ["success_1", "success_5", "success_10"],
    "success.3": ["success_3"],
    "iprec_at_recall": IPREC,
    "iprec_at_recall.0.1": ["iprec_at_recall_0.10"],
    "iprec_at_recall.0.10,0.1": ["iprec_at_recall_0.10"],
    "iprec_at_recall_0.101": ["iprec_at_recall_0.101"],
    "iprec_at_recall_0.101,0.104": ["iprec_at_recall_0.101", "iprec_at_recall_0.104"],
    "iprec_at_recall.1": ["iprec_at_recall_1.00"],
    "iprec_at_recall_.5": ["iprec_at_recall_0.50"],
    "Rprec": ["Rprec"],
    "Rprec_mult": RPREC,
    "Rprec_mult.0.5,1.0": ["Rprec_mult_0.50", "Rprec_mult_1.00"],
    "Rprec_mult_0.333": ["Rprec_mult_0.333"],
    "utility": ["utility"],
    "utility.1,-1,0,0": ["utility"],
    "utility.2,-1,0,0": ["utility_2,-1,0,0"],
    "utility_2,-1,-0.5,0": ["utility_2,-1,-0.5,0"],
    "utility(docs=1000)": ["utility(docs=1000)"],
    "11pt_avg": ["11pt_avg"],
    "11pt_avg.0.5,0.1": ["11pt_avg_0.1,0.5"],
    "set_F": ["set_F"],
    "set_F.1": ["set_F"],
    "set_F.0.5": ["set_F_0.5"],
    "set_F_2": ["set_F_2"],
    "G": ["G"],
    "gm_bpref": ["gm_bpref"],
    " P_5 ": ["P_5"],
    # Settings: those that are not default, in one order.
    "P(rel=2)": [f"{one}(rel=2)" for one in cut("P")],
    "P_5(max=100,judged_only,rel=2)": ["P_5(rel=2,judged_only,max=100)"],
    "P_5(rel=1)": ["P_5"],
    "P_5(judged_only=True)": ["P_5(judged_only)"],
    "P_5(judged_only=False)": ["P_5"],
    "utility_2,-1,0,0(docs=1000, rel=2)": ["utility_2,-1,0,0(rel=2,docs=1000)"],
    "ndcg_cut_10(judged_only)": ["ndcg_cut_10(judged_only)"],
    "num_rel(rel=2)": ["num_rel(rel=2)"],
    # ir_measures': defaults dropped, aliases resolved, parameters in its order, max last.
    "P@5": ["P@5"],
    "P(rel=2)@5": ["P(rel=2)@5"],
    "P(rel=1)@5": ["P@5"],
    "P(judged_only=True,rel=2)@5": ["P(rel=2,judged_only=True)@5"],
    "P(max=7,rel=2)@5": ["P(rel=2,max=7)@5"],
    "Precision@5": ["P@5"],
    "R@1000": ["R@1000"],
    "Recall@1000": ["R@1000"],
    "AP": ["AP"],
    "MAP": ["AP"],
    "MAP@100": ["AP@100"],
    "AP(rel=2)@100": ["AP(rel=2)@100"],
    "AP(cutoff=100)": ["AP@100"],
    "RR": ["RR"],
    "MRR": ["RR"],
    "MRR@10": ["RR@10"],
    "RR(rel=2)@10": ["RR(rel=2)@10"],
    "nDCG": ["nDCG"],
    "NDCG@10": ["nDCG@10"],
    "nDCG@10": ["nDCG@10"],
    "nDCG(dcg='log2')@10": ["nDCG@10"],
    "nDCG(dcg='exp-log2')@10": ["nDCG(dcg='exp-log2')@10"],
    'nDCG(judged_only=True, dcg="exp-log2")': ["nDCG(dcg='exp-log2',judged_only=True)"],
    "Success@5": ["Success@5"],
    "IPrec@0.1": ["IPrec@0.1"],
    "IPrec@0.10": ["IPrec@0.1"],
    "IPrec@0.101": ["IPrec@0.101"],
    "RPrec": ["Rprec"],
    "Rprec(rel=2,judged_only=True)": ["Rprec(rel=2,judged_only=True)"],
    "Bpref": ["Bpref"],
    "BPref(rel=2)": ["Bpref(rel=2)"],
    "infAP(rel=2)": ["infAP(rel=2)"],
    "NumQ": ["NumQ"],
    "NumRel": ["NumRel"],
    "NumRet": ["NumRet"],
    "NumRet(rel=1)": ["NumRet(rel=1)"],
    "NumRet(rel=2)": ["NumRet(rel=2)"],
    "NumRelRet": ["NumRet(rel=1)"],
    "SetP": ["SetP"],
    "SetP(relative=True)": ["SetP(relative=True)"],
    "SetP(relative=True,rel=2)": ["SetP(rel=2,relative=True)"],
    "SetRelP": ["SetP(relative=True)"],
    "SetR": ["SetR"],
    "SetAP": ["SetAP"],
    "SetF": ["SetF"],
    "SetF(beta=1.0)": ["SetF"],
    "SetF(beta=0.5)": ["SetF(beta=0.5)"],
    "SetF(beta=0.3,rel=2)": ["SetF(rel=2,beta=0.3)"],
    # Other tools' names, written in ir_measures' form.
    "hit@5": ["Success@5"],
    "hits@5": ["Success@5"],
    "hit_rate@5": ["Success@5"],
    "hitrate@5": ["Success@5"],
    "success@5": ["Success@5"],
    "recall@5": ["R@5"],
    "precision@5": ["P@5"],
    "mrr@10": ["RR@10"],
    "map@100": ["AP@100"],
    "ndcg@10": ["nDCG@10"],
    "ndcg_burges@10": ["nDCG(dcg='exp-log2')@10"],
    "ndcg_at_10": ["nDCG@10"],
    "recall_at_5": ["R@5"],
    "map_at_100": ["AP@100"],
    "hit_rate_at_1": ["Success@1"],
}


@pytest.mark.parametrize(("name", "expected"), SPELLINGS.items(), ids=SPELLINGS)
def test_spelling_gives_labels(name: str, expected: list[str]) -> None:
    assert labels(name) == expected


MEANINGS: dict[str, tuple[str, tuple[float, ...]]] = {
    "map_10": ("map_cut", (10,)),
    "recip_rank": ("recip_rank", ()),
    "recip_rank_10": ("recip_rank", (10,)),
    "RR@10": ("recip_rank", (10,)),
    "AP": ("map", ()),
    "AP@100": ("map_cut", (100,)),
    "nDCG": ("ndcg", ()),
    "nDCG@10": ("ndcg_cut", (10,)),
    "nDCG(dcg='exp-log2')@10": ("ndcg_exp", (10,)),
    "nDCG(dcg='exp-log2')": ("ndcg_exp", ()),
    "R@5": ("recall", (5,)),
    "Success@5": ("success", (5,)),
    "IPrec@0.1": ("iprec_at_recall", (0.1,)),
    "IPrec@0.101": ("iprec_at_recall", (0.101,)),
    "NumRet(rel=2)": ("num_rel_ret", ()),
    "SetP(relative=True)": ("set_relative_P", ()),
    "SetR": ("set_recall", ()),
    "SetAP": ("set_map", ()),
    "set_F_0.5": ("set_F", (0.5,)),
    # x of trec_eval is the square of beta.
    "SetF(beta=0.5)": ("set_F", (0.25,)),
    "SetF(beta=2)": ("set_F", (4.0,)),
    "utility": ("utility", (1.0, -1.0, 0.0, 0.0)),
    "utility_2,-1,-0.5,0": ("utility", (2.0, -1.0, -0.5, 0.0)),
    "11pt_avg_0.5,0.1,0.5": ("11pt_avg", (0.1, 0.5)),
}


@pytest.mark.parametrize(("name", "expected"), MEANINGS.items(), ids=MEANINGS)
def test_spelling_means(name: str, expected: tuple[str, tuple[float, ...]]) -> None:
    (one,) = parse([name], Options())
    assert (one.measure.name, one.parameters) == expected


TOGETHER: dict[str, tuple[list[str], list[str]]] = {
    "defaults stay whole beside one of them": (["P", "P_10"], cut("P")),
    "and after it": (["P_10", "P"], ["P_10", *[one for one in cut("P") if one != "P_10"]]),
    "two options, both": (["P.5", "P.10"], ["P_5", "P_10"]),
    "all eleven levels": (["iprec_at_recall", "iprec_at_recall.0.10"], IPREC),
    "under both spellings": (["ndcg_cut.10", "nDCG@10", "ndcg_cut_10"], ["ndcg_cut_10", "nDCG@10"]),
    "as asked, not as trec_eval prints": (["recip_rank", "map"], ["recip_rank", "map"]),
    "two weights": (["set_F.0.5", "set_F.2"], ["set_F_0.5", "set_F_2"]),
    "nicknames overlap": (["set", "official"], [*NICKNAMES["9.0"]["set"][1:], *["map", "gm_map"]]),
}


@pytest.mark.parametrize(("names", "expected"), TOGETHER.values(), ids=TOGETHER)
def test_several_names_give_each_label_once(names: list[str], expected: list[str]) -> None:
    assert labels(*names)[: len(expected)] == expected
    assert len(set(labels(*names))) == len(labels(*names))


def test_a_single_text_is_one_name() -> None:
    assert [one.label for one in parse("P_5", Options())] == ["P_5"]


OFFICIAL = ["num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"]
OFFICIAL += ["recip_rank", *IPREC, *cut("P")]
SET = ["num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P"]
SET += ["set_recall", "set_map", "set_F"]
# trec_eval -m all_trec, less runid and relstring.
ALL_TREC = [*OFFICIAL, *cut("recall"), "infAP", "gm_bpref", *RPREC, "utility", "11pt_avg", "binG"]
ALL_TREC += ["G", "ndcg", "ndcg_rel", "Rndcg", *cut("ndcg_cut", "map_cut", "relative_P")]
ALL_TREC += ["success_1", "success_5", "success_10", "set_P", "set_relative_P", "set_recall"]
ALL_TREC += ["set_map", "set_F", "num_nonrel_judged_ret"]
LATER = ["rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"]
BY_PROFILE = {"9.0": ALL_TREC, "10.0": [*ALL_TREC, *LATER]}
EXPANDED = {"official": OFFICIAL, "set": SET}


@pytest.mark.parametrize("profile", ["9.0", "10.0"])
@pytest.mark.parametrize(("name", "expected"), EXPANDED.items(), ids=EXPANDED)
def test_nickname_in_the_order_of_trec_eval(name: str, expected: list[str], profile: str) -> None:
    assert labels(name, options=Options(profile=profile)) == expected


@pytest.mark.parametrize("profile", ["9.0", "10.0"])
def test_all_trec_is_the_versions(profile: str) -> None:
    assert labels("all_trec", options=Options(profile=profile)) == BY_PROFILE[profile]


PREFS = ["num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"]
PREFS += ["prefs_simp", "prefs_pair", "prefs_avgjg"]
ALL_PREFS = [*PREFS, "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret"]
ALL_PREFS += ["prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"]
BY_GROUP = ["num_q", "map_avgjg", *cut("P_avgjg")]
BY_GROUP += [f"Rprec_mult_avgjg_{number / 5:.2f}" for number in range(1, 11)]


@pytest.mark.parametrize(
    ("form", "name", "expected"),
    [
        ("prefs", "prefs", PREFS),
        ("prefs", "all_prefs", ALL_PREFS),
        ("prefs", None, ALL_PREFS),
        ("qrels_jg", "qrels_jg", BY_GROUP),
        ("qrels_jg", None, BY_GROUP),
    ],
)
def test_other_judgments_have_lists_of_their_own(
    form: str, name: str | None, expected: list[str]
) -> None:
    asked = parse(None if name is None else [name], Options(), form)
    assert [one.label for one in asked] == expected


@pytest.mark.parametrize(
    ("form", "name", "wanted"),
    [
        ("qrels", "prefs_simp", "prefs"),
        ("qrels", "P_avgjg_5", "qrels_jg"),
        ("prefs", "map", "qrels"),
        ("qrels_jg", "num_ret", "qrels"),
        ("qrels_jg", "prefs", "prefs"),
    ],
)
def test_a_measure_of_other_judgments_is_refused(form: str, name: str, wanted: str) -> None:
    with pytest.raises(MeasureError) as refusal:
        parse([name], Options(), form)
    assert f"saw judgments read as {form}, expected {wanted}." in str(refusal.value)


@pytest.mark.parametrize("names", [None, []], ids=["None", "none at all"])
@pytest.mark.parametrize("profile", ["9.0", "10.0"])
def test_default_is_all_trec(names: list[str] | None, profile: str) -> None:
    assert [one.label for one in parse(names, Options(profile=profile))] == BY_PROFILE[profile]


def test_the_oracles_know_the_default_by_the_same_names() -> None:
    assert {name: list(listed) for name, listed in oracles.LISTED.items()} == BY_PROFILE


# Options: -l 3 -J -M 100 -N 10000.
OPTIONS = Options(relevance_level=3, judged_only=True, max_docs=100, num_docs=10000)
UNDER_OPTIONS = {
    "P_5": "P_5(rel=3,judged_only,max=100)",
    "utility": "utility(rel=3,judged_only,max=100,docs=10000)",
    "11pt_avg_0.5": "11pt_avg_0.5(rel=3,judged_only,max=100)",
    "RR@10": "RR(rel=3,judged_only=True,max=100)@10",
    "IPrec@0.1": "IPrec(rel=3,judged_only=True,max=100)@0.1",
    "SetRelP": "SetP(rel=3,relative=True,judged_only=True,max=100)",
    "SetF(beta=2)": "SetF(rel=3,beta=2.0,judged_only=True,max=100)",
    # Measures that do not read a setting do not bear it.
    "num_q": "num_q",
    "NumQ": "NumQ",
    "num_rel": "num_rel(rel=3)",
    "NumRel": "NumRel(rel=3)",
    "num_ret": "num_ret(judged_only,max=100)",
    "NumRet": "NumRet(judged_only=True,max=100)",
    "ndcg": "ndcg(judged_only,max=100)",
    "ndcg_cut_10": "ndcg_cut_10(judged_only,max=100)",
    "nDCG@10": "nDCG(judged_only=True,max=100)@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(dcg='exp-log2',judged_only=True,max=100)@10",
    "G": "G(judged_only,max=100)",
    # What a spelling says already is not touched.
    "P(rel=1)@5": "P(judged_only=True,max=100)@5",
    "P(judged_only=False)@5": "P(rel=3,max=100)@5",
    "P_5(judged_only=False)": "P_5(rel=3,max=100)",
    "P_5(rel=2,max=7)": "P_5(rel=2,judged_only,max=7)",
    "AP(max=3)": "AP(rel=3,judged_only=True,max=3)",
    "ndcg.1=3,2=9": "ndcg_1=3,2=9(judged_only,max=100)",
    "rbp.p=0.5": "rbp_p=0.5(judged_only,max=100)",
    "unj_5": "unj_5(judged_only,max=100)",
    "ideal_dcg": "ideal_dcg",
    "yaap": "yaap(rel=3,judged_only,max=100)",
    "utility(docs=5)": "utility(rel=3,judged_only,max=100,docs=5)",
    "NumRelRet": "NumRet(rel=1,judged_only=True,max=100)",
}


@pytest.mark.parametrize(("name", "expected"), UNDER_OPTIONS.items(), ids=UNDER_OPTIONS)
def test_label_says_what_the_options_said(name: str, expected: str) -> None:
    assert labels(name, options=OPTIONS) == [expected]


@pytest.mark.parametrize("profile", ["9.0", "10.0"])
def test_profile_is_never_in_a_label(profile: str) -> None:
    assert labels("map", "iprec_at_recall_0.10", options=Options(profile=profile)) == [
        "map",
        "iprec_at_recall_0.10",
    ]


# Labels read back.

# Decimals in the plain notation, which is the only one that names accept.
DECIMALS = st.integers(0, 10**4).map(lambda n: n / 10**4)
PARAMETERS: dict[str, st.SearchStrategy[str]] = {
    "cutoffs": st.integers(1, 10**9).map(str),
    "levels": DECIMALS.map(str),
    "multiples": st.integers(1, 10**6).map(lambda n: str(n / 1000)),
    "points": st.lists(DECIMALS.map(str), min_size=1, max_size=4).map(",".join),
    "gains": st.dictionaries(st.integers(-2, 99), st.integers(-99, 99), min_size=1).map(
        lambda gains: ",".join(f"{grade}={gain / 4}" for grade, gain in gains.items())
    ),
    "persistence": st.integers(0, 100).map(lambda n: f"p={n / 100}"),
    "weight": st.integers(0, 10**6).map(lambda n: str(n / 1000)),
    "weights": st.lists(
        st.integers(-(10**6), 10**6).map(lambda n: str(n / 100)), min_size=4, max_size=4
    ).map(",".join),
}
IR_MEASURES = ["P@{}", "R@{}", "AP", "AP@{}", "RR", "RR@{}", "nDCG", "nDCG@{}", "Success@{}"]
IR_MEASURES += ["nDCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')@{}", "Rprec", "Bpref", "infAP"]
IR_MEASURES += ["NumQ", "NumRel", "NumRet", "NumRet(rel=2)", "SetP", "SetP(relative=True)"]
IR_MEASURES += ["SetR", "SetF", "SetAP"]
OPTIONS_DRAWN = st.builds(
    Options,
    relevance_level=st.integers(1, 5),
    judged_only=st.booleans(),
    max_docs=st.none() | st.integers(1, 10**6),
    num_docs=st.integers(0, 10**9),
    profile=st.sampled_from(["9.0", "10.0"]),
)


@st.composite
def names(draw: st.DrawFn) -> str:
    """Names of one measure, in either spelling."""
    if draw(st.booleans()):
        name = draw(st.sampled_from(IR_MEASURES)).format(draw(st.integers(1, 10**9)))
        beta = draw(st.integers(0, 10**4)) / 100
        level = draw(DECIMALS)
        return draw(st.sampled_from([name, name, name, f"SetF(beta={beta})", f"IPrec@{level}"]))
    measure = draw(st.sampled_from([m for m in MEASURES if not m.own and not m.text]))
    bare = measure.optional_cutoff or measure.kind in ("gains", "persistence")
    if measure.kind == "none" or (bare and draw(st.booleans())):
        return measure.name
    mark = draw(st.sampled_from("._"))
    return f"{measure.name}{mark}{draw(PARAMETERS[measure.kind])}"


@given(name=names(), options=OPTIONS_DRAWN)
@settings(max_examples=1000)
def test_every_label_is_read_back_with_its_meaning(name: str, options: Options) -> None:
    (asked,) = expand(name, options)
    (again,) = expand(asked.label, Options())
    assert (again.label, again.meaning) == (asked.label, asked.meaning)


@given(name=names(), options=OPTIONS_DRAWN)
def test_an_equal_label_is_found_before_one_of_equal_meaning(name: str, options: Options) -> None:
    (asked,) = expand(name, options)
    assert find(asked.label, ["AP", "map", "nDCG@10", asked.label]) == asked.label


@pytest.mark.parametrize("label", [*BY_PROFILE["10.0"], "dcg_1=3,2=9", "rbp_p=0.5,2=1"])
def test_line_name_of_trec_eval(label: str) -> None:
    (asked,) = parse([label], OPTIONS)
    assert line_name(asked) == label


FOUND: dict[str, tuple[str, list[str], str | None]] = {
    "equal": ("map", ["AP", "map"], "map"),
    "equal meaning": ("map", ["P_5", "AP"], "AP"),
    "the other way": ("AP", ["P_5", "map"], "map"),
    "the first of equal meaning": ("ndcg_at_10", ["ndcg_cut_10", "nDCG@10"], "ndcg_cut_10"),
    "old spelling": ("ndcg_cut.10", ["nDCG@10"], "nDCG@10"),
    "settings in two orders": ("P(judged_only=True,rel=2)@5", ["P_5(rel=2,judged_only)"], "*"),
    "square of beta": ("set_F_4", ["SetF(beta=2.0)"], "SetF(beta=2.0)"),
    "recall level": ("IPrec@0.1", ["iprec_at_recall_0.10"], "iprec_at_recall_0.10"),
    "another level": ("map", ["map(rel=2)"], None),
    "judged only, or not": ("map", ["map(judged_only)"], None),
    "cut, or not": ("map", ["map(max=100)"], None),
    "another collection": ("utility", ["utility(docs=100)"], None),
    "settings that a measure does not read": ("NumQ", ["num_q"], "num_q"),
    "another cutoff": ("P_5", ["P_10", "P@10"], None),
    "cut and not cut": ("recip_rank", ["RR@10"], None),
    "an unknown label, equal": ("my own", ["map", "my own"], "my own"),
    "an unknown label": ("my own", ["map"], None),
    "labels that mean nothing": ("AP", ["my own", "map"], "map"),
    "many at once": ("P", ["P_5", "P_10"], None),
}


@pytest.mark.parametrize(("label", "known", "expected"), FOUND.values(), ids=FOUND)
def test_find(label: str, known: list[str], expected: str | None) -> None:
    assert find(label, iter(known)) == (known[0] if expected == "*" else expected)


AVERAGES = {
    **{"num_q": "sum", "NumRel": "sum", "NumRet(rel=2)": "sum", "num_nonrel_judged_ret": "sum"},
    **{"gm_map": "geometric", "gm_bpref(rel=2)": "geometric"},
    **{"map": "mean", "AP": "mean", "my own": "mean", "P": "mean"},
}


@pytest.mark.parametrize(("label", "expected"), AVERAGES.items(), ids=AVERAGES)
def test_averaging_of_a_label(label: str, expected: str) -> None:
    assert averaging(label) == expected


DECIMALS_TWO = {0.1: "0.10", 0.0: "0.00", 1.0: "1.00", 0.29: "0.29", 0.101: None, 0.1 + 0.2: None}


@pytest.mark.parametrize(("value", "expected"), DECIMALS_TWO.items(), ids=str)
def test_two_decimals(value: float, expected: str | None) -> None:
    assert two_decimals(value) == expected


# Refused names; the whole name is matched before pytrec_eval, which aborts on some, sees it.

CUTOFF = "a cutoff that is a whole number of at least 1"
NAMED = {
    **{f"P{mark}": f"saw {mark[1:]!r}, expected {CUTOFF}. Write P_10, for example." for mark in (
        "_0", ".0", "_-1", ".-1", "_5x", "_5.5", "_5,0", "_5,", "_,5", "_1e3", "@0", "@-1", "@5x",
        "@", "_\u0665", "_5_5",
    )},
    "P@5,10": "saw '5,10', expected one cutoff. Ask for each by itself.",
    "ndcg_cut.0": f"saw '0', expected {CUTOFF}. Write ndcg_cut_10, for example.",
    "recip_rank_0": f"saw '0', expected {CUTOFF}. Write recip_rank_10, for example.",
    "map_0": f"saw '0', expected {CUTOFF}. Write map_cut_10, for example.",
    "iprec_at_recall_1.5": "saw '1.5', expected a recall level from 0 to 1.",
    "iprec_at_recall_-0.1": "saw '-0.1', expected a recall level from 0 to 1.",
    "IPrec@x": "saw 'x', expected a recall level from 0 to 1.",
    "11pt_avg_0.1,2": "saw '0.1,2', expected recall levels from 0 to 1.",
    "Rprec_mult_0": "saw '0', expected a multiple of R above 0.",
    "set_F_-1": "saw '-1', expected one number of at least 0.",
    "set_F_1,2": "saw '1,2', expected one number of at least 0.",
    "set_F_nan": "saw 'nan', expected one number of at least 0.",
    "utility_1,2": "saw '1,2', expected four numbers.",
    "utility_1,2,3,x": "saw '1,2,3,x', expected four numbers.",
    "ndcg_10": "expected a measure. Did you mean ndcg_cut_10?",
    "ndcg.10": "expected a measure. Did you mean ndcg_cut_10?",
    "ndcg_1=": "saw '1=', expected grade=gain, each once. Write ndcg_1=3.5,2=9, for example.",
    "ndcg_1=3,1=4": "saw '1=4', expected grade=gain, each once.",
    "ndcg_-3=1": "saw '-3=1', expected grade=gain, each once.",
    "ndcg_p=0.5": "saw 'p=0.5', expected grade=gain, each once.",
    "rbp_0.8": "saw '0.8', expected p from 0 to 1, grade=gain, each once. Write rbp_p=0.8, for",
    "rbp_p=1.5": "saw 'p=1.5', expected p from 0 to 1, grade=gain, each once.",
    "relstring_10": "saw a text measure, expected one with a number.",
    "set_P_5": "expected a measure.",
    "bpref_5": "expected a measure.",
    "mapp": "expected a measure. Did you mean map",
    "P_5@10": "expected a measure.",
    "P@5(rel=2)": "expected a measure.",
    "P(rel=2": "expected a measure.",
    "official(rel=2)": "expected a measure. Did you mean official?",
    "xyz": "expected a measure. `trec_eval_py measures` lists them.",
    "": "expected a measure. `trec_eval_py measures` lists them.",
    "P_": "expected a measure. Did you mean P",
    "runid": "saw a text measure, expected one with a number. Text is printed by the drop-in "
    "command: trec_eval_py trec_eval -m runid QRELS RUN.",
    "relstring": "saw a text measure, expected one with a number. Text is printed by the drop-in",
    "R": "saw no cutoff, expected one. Write R@10, for example.",
    "Success": "saw no cutoff, expected one. Write Success@10, for example.",
    "IPrec": "saw no cutoff, expected one. Write IPrec@0.1, for example.",
    "Bpref@10": "saw a cutoff, expected none. Write Bpref.",
    "SetF(beta=2)@5": "saw a cutoff, expected none. Write SetF.",
    "nDCG(rel=2)@10": "saw setting 'rel=2', expected dcg, judged_only, max",
    "ndcg_cut_10(rel=2)": "saw setting 'rel=2', expected judged_only, max, each once.",
    "num_q(max=3)": "saw setting 'max=3', expected none.",
    "num_rel(max=2)": "saw setting 'max=2', expected rel, each once.",
    "NumRel(max=2)": "saw setting 'max=2', expected rel, each once.",
    "P_5(docs=3)": "saw setting 'docs=3', expected rel, judged_only, max, each once.",
    "P_5(rel=2,rel=3)": "saw setting 'rel=3', expected rel, judged_only, max, each once.",
    "P(rel=0)@5": "saw 'rel=0', expected rel of at least 1.",
    "P_5(max=0)": "saw 'max=0', expected max of at least 1.",
    "P(rel=1.5)@5": "saw 'rel=1.5', expected a value for rel.",
    "P(rel=)@5": "saw 'rel=', expected a value for rel.",
    "P_5(judged_only=yes)": "saw 'judged_only=yes', expected a value for judged_only.",
    "nDCG(dcg=log2)@10": "saw 'dcg=log2', expected a value for dcg.",
    "nDCG(dcg='x')@10": "saw dcg='x', expected 'log2' or 'exp-log2'.",
    "SetF(beta=-1)": "saw 'beta=-1', expected a value for beta.",
}  # fmt: skip


@pytest.mark.parametrize(("name", "message"), NAMED.items(), ids=NAMED)
def test_refused_name(name: str, message: str) -> None:
    with pytest.raises(MeasureError) as refusal:
        parse([name], Options())
    assert str(refusal.value).startswith(f"measure {name!r}: {message}")


def test_a_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(MeasureError, match=r"^measures: saw 5, expected text such as 'nDCG@10'\.$"):
        parse([5], Options())  # type: ignore[list-item]


@pytest.mark.parametrize("name", ["P_5\n", "P_5 10", "P_5\x00", "P_5\ud800"], ids=ascii)
def test_no_odd_character_passes(name: str) -> None:
    """A name is one that means something after white space is stripped, or refused."""
    if name.strip() == "P_5":
        assert labels(name) == ["P_5"]
    else:
        with pytest.raises(MeasureError, match="expected a cutoff"):
            parse([name], Options())


@given(st.text(max_size=12) | st.text("PRndcgmap_.@(),=-0519 ", max_size=12))
@settings(max_examples=500)
def test_any_text_is_read_or_refused(name: str) -> None:
    try:
        asked = parse([name], Options())
    except MeasureError:
        return
    assert all(one.measure.name in REGISTRY for one in asked)


# The registry.

BETTER = {
    **dict.fromkeys(("num_q", "num_ret", "num_rel", "prefs_num_prefs_poss", "ideal_dcg")),
    **dict.fromkeys(("runid", "relstring")),
    **dict.fromkeys(("num_nonrel_judged_ret", "unj", "rbp_resid"), "lower"),
}
AVERAGING = {
    **dict.fromkeys((m for m in REGISTRY if m.startswith(("num_", "prefs_num_"))), "sum"),
    **dict.fromkeys(("gm_map", "gm_bpref"), "geometric"),
}
DEPTHS = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P", "success"), "cutoff"),
    **dict.fromkeys(("num_q", "num_ret", "num_rel", "utility"), "count"),
    "Rndcg": "gain",
}


@pytest.mark.parametrize("measure", MEASURES, ids=[m.name for m in MEASURES])
def test_registry_entry_is_whole(measure: Measure) -> None:
    assert measure.title[:1].isupper() or measure.title.startswith("nDCG")
    assert not measure.title.endswith(".")
    assert measure.meaning.endswith(".")
    assert measure.source
    later = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")
    version = "10.0" if measure.name in later else "9.0.8"
    assert (f"trec_eval {version}" in measure.source) is not measure.own
    assert measure.own == (measure.name == "ndcg_exp")
    assert measure.text == (measure.name in ("runid", "relstring"))
    assert measure.better == BETTER.get(measure.name, "higher")
    assert measure.averaging == AVERAGING.get(measure.name, "mean")
    # Those that pytrec_eval is not asked for may declare what they like: nothing is cut for them.
    assert measure.asked is None or measure.depth == DEPTHS.get(measure.name, "judged")
    assert measure.asked is not None or measure.definition is not None or measure.name == "runid"
    bare = measure.kind in ("none", "gains") or measure.optional_cutoff
    assert bool(measure.defaults) is not bare


def test_registry_names_are_unique_and_those_of_trec_eval() -> None:
    assert list(REGISTRY) == [measure.name for measure in MEASURES]
    listed = {name for nicknames in NICKNAMES["10.0"].values() for name in nicknames}
    assert REGISTRY.keys() - listed == {"dcg", "ideal_dcg", "yaap", "ndcg_exp"}
    assert listed <= REGISTRY.keys()


NOT_RANKED = {"utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"}
NOT_RANKED |= {"runid", "relstring", "ideal_dcg"}


@pytest.mark.parametrize("measure", MEASURES, ids=[m.name for m in MEASURES])
def test_what_a_ranking_alone_maximises(measure: Measure) -> None:
    unranked = measure.name in NOT_RANKED or measure.name.startswith(("num_", "prefs_num_"))
    assert measure.ranked is not unranked


READS = {
    **{m: set() for m in ("num_q", "runid", "ideal_dcg")},
    **{m: {"max"} for m in REGISTRY if m.startswith("prefs_")},
    **{m: {"judged_only", "max"} for m in ("dcg", "rbp", "rbp_resid", "unj", "relstring")},
    "num_rel": {"rel"},
    "num_ret": {"judged_only", "max"},
    "utility": {"rel", "judged_only", "max", "docs"},
    **{m: {"judged_only", "max"} for m in ("ndcg", "ndcg_cut", "ndcg_exp", "ndcg_rel", "G")},
}


@pytest.mark.parametrize("measure", MEASURES, ids=[m.name for m in MEASURES])
def test_settings_that_a_measure_reads(measure: Measure) -> None:
    assert measure.reads == READS.get(measure.name, {"rel", "judged_only", "max"})


SPELLED = {
    "P": ("P_k", "P@k"),
    "map": ("map", "AP"),
    "map_cut": ("map_cut_k", "AP@k"),
    "recip_rank": ("recip_rank, recip_rank_k", "RR, RR@k"),
    "ndcg_exp": ("", "nDCG(dcg='exp-log2')@k"),
    "iprec_at_recall": ("iprec_at_recall_r", "IPrec@r"),
    "Rprec_mult": ("Rprec_mult_x", ""),
    "num_rel_ret": ("num_rel_ret", "NumRet(rel=1)"),
    "set_relative_P": ("set_relative_P", "SetP(relative=True)"),
    "gm_map": ("gm_map", ""),
}


@pytest.mark.parametrize(("name", "expected"), SPELLED.items(), ids=SPELLED)
def test_spellings_of_a_measure(name: str, expected: tuple[str, str]) -> None:
    assert spellings(REGISTRY[name]) == expected


@pytest.mark.parametrize("measure", MEASURES, ids=[m.name for m in MEASURES])
def test_each_measure_is_explained(measure: Measure) -> None:
    text = explain(measure.name)
    assert text.startswith(f"{measure.title}\n  {measure.meaning}\n  Spelled: ")
    assert f"Source: {measure.source}" in text


def test_explanation_in_full() -> None:
    assert explain("RR@10").splitlines() == [
        "Reciprocal rank",
        "  1 over the rank of the first relevant document; 0 where none stands above the cutoff.",
        "  Spelled: recip_rank, recip_rank_k, RR, RR@k",
        "  Over queries: arithmetic mean; better: higher",
        "  Reads: -l, -J, -M",
        "  Computed by: pytrec_eval",
        "  Source: Kantor & Voorhees 2000, Information Retrieval 2:165-176; trec_eval 9.0.8, "
        "m_recip_rank.c",
    ]


def test_explanation_names_defaults_and_who_computes() -> None:
    text = explain("iprec_at_recall")
    assert f"By default: {', '.join(IPREC)}" in text
    assert "Computed by: pytrec_eval, in profile 10.0 by trec_eval_py" in text
    assert "Computed by: trec_eval_py" in explain("utility")


def test_nothing_is_explained_under_a_wrong_name() -> None:
    with pytest.raises(MeasureError, match=r"^measure 'ndcg_10': expected a measure"):
        explain("ndcg_10")


# Our own definitions: to the last bit those of the oracles and, where it has them, of pytrec_eval.

Ranking = list[int | None]
Oracle = Callable[[Ranking, list[int], int, str], float]


class Defined(NamedTuple):
    """A measure of our own with its parameters, its oracle, and pytrec_eval's name and key."""

    name: str
    parameters: tuple[float, ...]
    oracle: Oracle
    asked: str = ""
    key: str = ""


def unprofiled(function: Callable[[Ranking, list[int], int], float]) -> Oracle:
    return lambda ranking, judged, level, profile: function(ranking, judged, level)


def at_cutoff(cutoff: int) -> Oracle:
    return lambda ranking, judged, level, _: oracles.ndcg_cut(ranking, judged, level, cutoff)


def at_exp_cutoff(cutoff: int | None) -> Oracle:
    return lambda ranking, judged, level, _: oracles.exp_ndcg(ranking, judged, level, cutoff)


def at_recall(recall_level: float) -> Oracle:
    return lambda ranking, judged, level, profile: oracles.iprec_at_recall(
        ranking, judged, level, recall_level, profile
    )


def at_multiple(multiple: float) -> Oracle:
    return lambda ranking, judged, level, _: oracles.Rprec_mult(ranking, judged, level, multiple)


def at_points(*points: float) -> Oracle:
    return lambda ranking, judged, level, profile: oracles.eleven_pt_avg(
        ranking, judged, level, profile, points
    )


def weighed(x: float) -> Oracle:
    return lambda ranking, judged, level, _: oracles.set_F(ranking, judged, level, x)


def worth(a: float, b: float, c: float, d: float, docs: int) -> Oracle:
    return lambda ranking, judged, level, _: oracles.utility(
        ranking, judged, level, a, b, c, d, docs
    )


def with_gains(measure: Callable[..., float], *pairs: float) -> Oracle:
    given = dict(zip(map(int, pairs[::2]), pairs[1::2], strict=True))
    return lambda ranking, judged, level, _: measure(ranking, judged, given)


def persistent(measure: Callable[..., float], p: float, *pairs: float) -> Oracle:
    given = [dict(zip(map(int, pairs[::2]), pairs[1::2], strict=True))] if pairs else []
    return lambda ranking, judged, level, _: measure(ranking, judged, p, *given)


def unjudged(cutoff: int) -> Oracle:
    return lambda ranking, judged, level, _: oracles.unj(ranking, judged, level, cutoff)


# Grade, gain, grade, gain and so on; -1 are documents that the qrels lack, -2 negative grades.
GAINS: list[tuple[float, ...]] = [
    *((), (1, 3.5, 2, 9.0), (1, 0.5, 2, 0.9, 3, 0.2), (0, 1.0, 1, 0.0), (2, -1.0)),
    *((-1, 0.5), (-2, 2.0, 1, 4.0), (-1, 1.0, -2, -1.0, 5, 9.0)),
]
LEVELS = oracles.RECALL_LEVELS
DEFINED = [
    Defined("num_q", (), unprofiled(oracles.num_q), "num_q"),
    Defined("num_rel", (), unprofiled(oracles.num_rel), "num_rel"),
    *[
        Defined("dcg", x, with_gains(lambda ranking, _, given: oracles.dcg(ranking, given), *x))
        for x in GAINS
    ],
    *[
        Defined("ideal_dcg", x, with_gains(lambda _, judged, g: oracles.ideal_dcg(judged, g), *x))
        for x in GAINS
    ],
    *[Defined("ndcg", x, with_gains(oracles.given_ndcg, *x)) for x in GAINS],
    *[
        Defined("rbp", (p, *x), persistent(oracles.rbp, p, *x))
        for p in (0.0, 0.5, 0.9, 1.0)
        for x in (*GAINS, (0, 2.0, 1, 2.0))
    ],
    *[
        Defined("rbp_resid", (p,), persistent(oracles.rbp_resid, p))
        for p in (0.0, 0.3, 0.8, 0.9, 0.99, 1.0)
    ],
    *[Defined("unj", (k,), unjudged(k)) for k in (1, 3, 5, 10, 1000)],
    Defined("yaap", (), unprofiled(oracles.yaap), "yaap"),
    Defined("num_ret", (), unprofiled(oracles.num_ret), "num_ret"),
    Defined("set_P", (), unprofiled(oracles.set_P), "set_P"),
    Defined("set_relative_P", (), unprofiled(oracles.set_relative_P), "set_relative_P"),
    Defined("set_map", (), unprofiled(oracles.set_map), "set_map"),
    *[Defined("set_F", (x,), weighed(x), f"set_F.{x}", "set_F") for x in (0.0, 0.5, 1.0, 2.0)],
    Defined("utility", (1, -1, 0, 0, 0), worth(1, -1, 0, 0, 0), "utility"),
    # It reads no minus sign, and knows no number of documents.
    Defined(
        *("utility", (2, 1, 0.5, 0.1, 0), worth(2, 1, 0.5, 0.1, 0)),
        *("utility.2,1,0.5,0.1", "utility"),
    ),
    Defined("utility", (2, -1, -0.5, 0.1, 1000), worth(2, -1, -0.5, 0.1, 1000)),
    *[
        Defined(
            *("iprec_at_recall", (x,), at_recall(x)),
            *(f"iprec_at_recall.{x}", f"iprec_at_recall_{x:.2f}"),
        )
        for x in (*LEVELS, 0.25, 0.101)
    ],
    *[
        Defined("Rprec_mult", (x,), at_multiple(x), f"Rprec_mult.{x}", f"Rprec_mult_{x:.2f}")
        for x in (*oracles.MULTIPLES_OF_R, 0.1, 0.333)
    ],
    Defined("11pt_avg", LEVELS, at_points(*LEVELS), "11pt_avg"),
    Defined("11pt_avg", (0.1, 0.25), at_points(0.1, 0.25), "11pt_avg.0.1,0.25", "11pt_avg"),
    Defined("G", (), unprofiled(oracles.G), "G"),
    Defined("ndcg", (), unprofiled(oracles.ndcg), "ndcg"),
    *[
        Defined("ndcg_cut", (k,), at_cutoff(k), f"ndcg_cut.{k}", f"ndcg_cut_{k}")
        for k in (1, 3, 5, 10, 1000)
    ],
    Defined("ndcg_rel", (), unprofiled(oracles.ndcg_rel), "ndcg_rel"),
    Defined("Rndcg", (), unprofiled(oracles.Rndcg), "Rndcg"),
    Defined("ndcg_exp", (), at_exp_cutoff(None)),
    *[Defined("ndcg_exp", (k,), at_exp_cutoff(k)) for k in (1, 5)],
]  # fmt: skip


def described(one: Defined) -> str:
    return f"{one.name}{list(one.parameters) or ''}"


def test_every_definition_is_tried() -> None:
    """Those of preferences and judgment groups are tried in test_preferences.py."""
    wanted = {m.name for m in MEASURES if m.definition and m.form in ("qrels", "any")}
    assert wanted == {one.name for one in DEFINED} | {"relstring"}


def defined(one: Defined, collection: tuple[Ranking, list[int]], level: int, profile: str) -> float:
    ranking = judged_ranking(*collection)
    return REGISTRY[one.name].defined(ranking, one.parameters, level, profile)


@pytest.mark.parametrize("profile", ["9.0", "10.0"])
@pytest.mark.parametrize("one", DEFINED, ids=described)
@given(collection=graded_lists(), level=st.integers(1, 4))
@settings(max_examples=50)
def test_definition_equals_the_oracle(
    one: Defined, profile: str, collection: tuple[Ranking, list[int]], level: int
) -> None:
    assert defined(one, collection, level, profile) == one.oracle(*collection, level, profile)


@given(collection=graded_lists(grades=st.integers(-2, 12)), length=st.integers(1, 30))
def test_relevance_string_equals_the_oracle(
    collection: tuple[Ranking, list[int]], length: int
) -> None:
    measure = REGISTRY["relstring"]
    assert measure.definition is not None
    got = measure.definition(judged_ranking(*collection), (length,), 1, "9.0")
    assert got == oracles.relstring(collection[0], length)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("judged", [(), (1,), (2, 3), (1, 700), (5, 900, 1000)])
def test_a_deep_residual_stops_where_nothing_more_is_added(p: float, judged: tuple[int]) -> None:
    ranking = [1 if rank in judged else None for rank in range(1, 1001)]
    one = Defined("rbp_resid", (p,), persistent(oracles.rbp_resid, p))
    assert defined(one, (ranking, [1]), 1, "9.0") == oracles.rbp_resid(ranking, [1], p)


# By hand. The ranking is b (2), x (not judged), a (1), n (-1); c (0) is not retrieved.
RANKED: list[int | None] = [2, None, 1, -1]
JUDGED = [2, 1, -1, 0]
LOG = log2
BY_HAND: dict[str, tuple[str, tuple[float, ...], float]] = {
    "dcg": ("dcg", (), 2 / LOG(2) + 1 / LOG(4)),  # 2 + 0.5
    "dcg with gains": ("dcg", (1, 4.0, 2, 3.0), 3 + 4 / 2),
    "a gain below 0 counts": ("dcg", (2, -3.0), -3 + 1 / 2),
    "gains of what is not judged": ("dcg", (-1, 1.0, -2, 2.0), 2 + 1 / LOG(3) + 1 / 2 + 2 / LOG(5)),
    "ideal_dcg": ("ideal_dcg", (), 2 + 1 / LOG(3)),
    "ideal with gains, as many as judged": ("ideal_dcg", (1, 4.0, 2, 3.0), 4 + 3 / LOG(3)),
    "ideal with a gain for 0": ("ideal_dcg", (0, 8.0), 8 + 2 / LOG(3) + 1 / 2),
    "ndcg with gains": ("ndcg", (1, 4.0, 2, 3.0), (3 + 2) / (4 + 3 / LOG(3))),
    "fractions of gains are in order": (
        "ndcg",
        (1, 0.5, 2, 0.9),
        (0.9 + 0.5 / 2) / (0.9 + 0.5 / LOG(3)),
    ),
    # Grades over the highest, 2: 1 and 1/2. 0.1 * (1 + 0.5 * 0.9 * 0.9).
    "rbp": ("rbp", (0.9,), 0.1 * (1 + 0.5 * 0.81)),
    "rbp, p = 0.5": ("rbp", (0.5,), 0.5 * (1 + 0.5 * 0.25)),
    # Gains 0, 0.2 and 0.6 lie within 0 to 1, and stay.
    "rbp with gains": ("rbp", (0.5, 1, 0.2, 2, 0.6), 0.5 * (0.6 + 0.2 * 0.25)),
    # From -1 to 3: (3 + 1) / 4 and (0 + 1) / 4 and (-1 + 1) / 4.
    "rbp with gains below 0": ("rbp", (0.5, 0, -1.0, 1, 0.0, 2, 3.0), 0.5 * (1 + 0.25 * 0.25)),
    # 0 is the gain of what is not judged: from 0 to 3, and not from 2.
    "rbp with a gain for 0": ("rbp", (0.5, 0, 2.0, 1, 3.0, 2, 3.0), 0.5 * (1 + 0.25)),
    # x and n are not judged: 0.5**4 + 0.5 * (0.5 + 0.125).
    "rbp_resid": ("rbp_resid", (0.5,), 0.0625 + 0.5 * (0.5 + 0.125)),
    "unj_2": ("unj", (2,), 1 / 2),
    "unj_4": ("unj", (4,), 2 / 4),
    "a short ranking counts as judged": ("unj", (10,), 2 / 10),
    # Precisions 1 and 2/3; R = 2.
    "yaap": ("yaap", (), log((1 + 5 / 3) / (1 + 2 - 5 / 3))),
}


@pytest.mark.parametrize(("name", "parameters", "value"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(name: str, parameters: tuple[float, ...], value: float) -> None:
    one = Defined(name, parameters, unprofiled(oracles.num_q))
    assert defined(one, (RANKED, JUDGED), 1, "9.0") == pytest.approx(value, rel=1e-15)


# Of one measure with several settings, each has its own ranking to look at, and its own numbers.
BESIDE: dict[str, float] = {
    "dcg": 2 + 1 / LOG(4),
    "dcg(max=2)": 2,
    "dcg(judged_only)": 2 + 1 / LOG(3),
    "dcg(judged_only,max=1)": 2,
    "dcg_2=3": 3 + 1 / LOG(4),
    "dcg_2=3(max=2)": 3,
    # x, and n with its -1.
    "unj_5": 2 / 5,
    "unj_5(judged_only)": 0,
    "unj_5(max=2)": 1 / 5,
    "unj_2": 1 / 2,
    "rbp": 0.1 * (1 + 0.5 * 0.81),
    "rbp(max=1)": 0.1,
    "rbp_p=0.5(max=1)": 0.5,
    "yaap": log((1 + 5 / 3) / (1 + 2 - 5 / 3)),
    "yaap(rel=2)": log((1 + 1) / (1 + 1 - 1)),
    # 2 relevant and 2 others; 4 of the collection retrieved.
    "utility_1,-1,0,1(docs=10)": 2 - 2 + 6,
    "utility_1,-1,0,1(docs=20)": 2 - 2 + 16,
    "utility_1,-1,0,1(max=1,docs=20)": 1 - 0 + (20 - 1 - 1),
    "utility_1,-1,0,1(rel=2,docs=10)": 1 - 3 + 6,
}


@pytest.mark.parametrize("step", [1, -1], ids=["as listed", "backwards"])
def test_one_measure_with_several_settings_in_one_call(step: int) -> None:
    asked = list(BESIDE)[::step]
    qrels, run = {"q": {"b": 2, "a": 1, "n": -1, "c": 0}}, {"q": ["b", "x", "a", "n"]}
    scores = score(qrels, {"mine": run}, asked)
    assert scores["measure"].tolist() == asked
    found = dict(zip(scores["measure"], scores["value"], strict=True))
    assert found == pytest.approx(BESIDE, rel=1e-15)


def test_relevance_string_by_hand() -> None:
    measure = REGISTRY["relstring"]
    assert measure.definition is not None
    ranking = judged_ranking([*RANKED, 9, 10], [*JUDGED, 9, 10])
    assert measure.definition(ranking, (10,), 1, "9.0") == "2-1.9>"
    assert measure.definition(ranking, (3,), 1, "9.0") == "2-1"


@pytest.mark.parametrize("one", [x for x in DEFINED if x.asked], ids=described)
@given(collection=graded_lists(), level=st.integers(1, 3))
@settings(max_examples=50)
def test_definition_equals_pytrec_eval(
    one: Defined, collection: tuple[Ranking, list[int]], level: int
) -> None:
    ranking, judged = collection
    ranking = ranking or [None]  # it leaves out a query without a document
    if max(judged) < 0:  # it reads memory that is not its own
        judged = [*judged, 0]
    level = min(level, max(judged) + 1)  # and here
    found = {f"r{rank}": grade for rank, grade in enumerate(ranking, 1) if grade is not None}
    missed = {f"m{i}": grade for i, grade in enumerate(judged[len(found) :])}
    run = {f"r{rank}": -rank for rank in range(1, len(ranking) + 1)}
    evaluator = pytrec_eval_ext.RelevanceEvaluator({"q": found | missed}, {one.asked}, level, 0)
    answer = evaluator.evaluate({"q": run})["q"][one.key or one.asked]
    assert defined(one, (ranking, judged), level, "9.0") == answer


@pytest.mark.parametrize("name", ["map", "P", "recip_rank"])
def test_what_pytrec_eval_alone_computes_is_not_defined(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"^{name} is computed by pytrec_eval alone$"):
        REGISTRY[name].defined(judged_ranking([1], [1]), (), 1, "9.0")


def test_two_cutoffs_are_refused() -> None:
    with pytest.raises(MeasureError, match=r"saw two cutoffs, expected one\. Write P@10"):
        parse(["P(cutoff=5)@10"], Options())


def test_what_an_alias_fixes_gives_way_to_what_is_said() -> None:
    assert [one.label for one in parse(["NumRelRet(rel=2)"], Options())] == ["NumRet(rel=2)"]
