"""What changed between two versions of judgments: arithmetic by hand, and a plain oracle."""

from __future__ import annotations

from fractions import Fraction

import pytest
from generators import GRADES, Qrels, qrels
from hypothesis import given
from hypothesis import strategies as st

from trec_eval_py.checking import Agreement, Finding, agreement, compare_judgments

OLD: Qrels = {b"1": {b"a": 1, b"b": 0, b"c": 0}, b"2": {b"a": 1}}
# Twenty pairs: 10 both relevant, 5 neither, 2 relevant before only, 3 relevant now only.
CELLS = {(1, 1): 10, (0, 0): 5, (1, 0): 2, (0, 1): 3}


def of_cells(cells: dict[tuple[int, int], int], query_id: bytes = b"1") -> tuple[Qrels, Qrels]:
    """Make new and old judgments with so many pairs of each old and new grade."""
    grades = [pair for pair, count in cells.items() for _ in range(count)]
    docnos = [f"d{i}".encode() for i in range(len(grades))]
    new = {query_id: {d: after for d, (_, after) in zip(docnos, grades, strict=True)}}
    old = {query_id: {d: before for d, (before, _) in zip(docnos, grades, strict=True)}}
    return new, old


def codes(findings: list[Finding]) -> dict[str, Finding]:
    """Index findings by their code, of which each stands once."""
    assert len({one.code for one in findings}) == len(findings)
    return {one.code: one for one in findings}


def compared(new: Qrels, old: Qrels, level: int = 1) -> dict[str, Finding]:
    return codes(compare_judgments(new, old, "new.qrels", "old.qrels", level))


# Agreement.


def test_agreement_by_hand() -> None:
    """p_o = 15/20; p_e = (12*13 + 8*7) / 400 = 212/400; kappa = (300 - 212) / (400 - 212)."""
    got = agreement(*of_cells(CELLS))
    assert (got.pairs, got.same, got.raw) == (20, 15, 0.75)
    assert got.kappa == got.kappa_relevant == 88 / 188
    assert (got.both_relevant, got.either_relevant, got.overlap) == (10, 15, 10 / 15)


def test_kappa_over_grades_and_over_relevance_differ() -> None:
    """Grades 1 and 2 are both relevant at level 1: there the judges agree wholly, on 4 of 6 pairs.

    Over grades p_o = 4/6 and p_e = (2*2 + 2*2 + 2*2) / 36, so kappa = (24 - 12) / (36 - 12).
    """
    new, old = of_cells({(0, 0): 2, (1, 1): 1, (2, 2): 1, (1, 2): 1, (2, 1): 1})
    got = agreement(new, old)
    assert (got.kappa, got.kappa_relevant, got.overlap) == (0.5, 1.0, 1.0)
    # At level 2: both 1, neither 3, one 2; p_o = 4/6, p_e = (2*2 + 4*4)/36: (24 - 20)/(36 - 20).
    got = agreement(new, old, 2)
    assert (got.kappa, got.kappa_relevant, got.overlap) == (0.5, 0.25, 1 / 3)


def test_kappa_is_negative_where_judges_disagree_more_than_by_chance() -> None:
    """p_o = 0, p_e = (1*1 + 1*1) / 4: (0 - 2) / (4 - 2)."""
    assert agreement(*of_cells({(0, 1): 1, (1, 0): 1})).kappa == -1.0


def test_overlap_is_pooled_and_averaged() -> None:
    """Query 1 has 1 of 2, query 2 has 3 of 3: together 4 of 5, on average 3/4."""
    new, old = of_cells({(1, 1): 1, (0, 1): 1}, b"1")
    others = of_cells({(1, 1): 3}, b"2"), of_cells({(0, 0): 3}, b"3")
    for more_new, more_old in others:
        new.update(more_new)
        old.update(more_old)
    got = agreement(new, old)
    assert (got.overlap, got.mean_overlap) == (4 / 5, 3 / 4)


def test_pairs_that_one_does_not_judge_are_left_out() -> None:
    """A negative grade is in the pool, but unjudged."""
    new = {b"1": {b"a": 1, b"b": 0, b"c": -1, b"d": 1, b"n": 1}, b"9": {b"a": 1}}
    old = {b"1": {b"a": 1, b"b": 0, b"c": 1, b"d": -2, b"o": 1}, b"8": {b"a": 1}}
    got = agreement(new, old)
    assert got == Agreement(2, 2, 1.0, 1.0, 1.0, 1, 1, 1.0, 1.0)


@pytest.mark.parametrize("grade", [0, 1, 3])
def test_kappa_is_undefined_where_all_have_one_grade(grade: int) -> None:
    got = agreement(*of_cells({(grade, grade): 4}))
    assert (got.kappa, got.kappa_relevant, got.raw) == (None, None, 1.0)
    assert got.overlap == (1.0 if grade else None)


def test_nothing_in_common_is_undefined() -> None:
    got = agreement({b"1": {b"a": 1}}, {b"1": {b"b": 1}})
    assert got == Agreement(0, 0, None, None, None, 0, 0, None, None)


def oracle_kappa(pairs: list[tuple[int, int]]) -> float | None:
    """Cohen 1960, as it is printed, in fractions: (p_o - p_e) / (1 - p_e)."""
    if not pairs:
        return None
    n = len(pairs)
    observed = Fraction(sum(a == b for a, b in pairs), n)
    by_chance = Fraction(0)
    for grade in {grade for pair in pairs for grade in pair}:
        before, after = (sum(pair[side] == grade for pair in pairs) for side in (0, 1))
        by_chance += Fraction(before, n) * Fraction(after, n)
    return None if by_chance == 1 else float((observed - by_chance) / (1 - by_chance))


@given(new=qrels(), old=qrels(), level=st.integers(1, 3))
def test_agreement_is_that_of_the_definitions(new: Qrels, old: Qrels, level: int) -> None:
    """One division each, of whole numbers: 1e-12 is far above its rounding."""
    pairs = [
        (old[q][d], new[q][d])
        for q in new
        for d in new[q]
        if d in old.get(q, {}) and new[q][d] >= 0 and old[q][d] >= 0
    ]
    relevant = [(int(a >= level), int(b >= level)) for a, b in pairs]
    got = agreement(new, old, level)
    assert (got.pairs, got.same) == (len(pairs), sum(a == b for a, b in pairs))
    assert got.kappa == pytest.approx(oracle_kappa(pairs), abs=1e-12)
    assert got.kappa_relevant == pytest.approx(oracle_kappa(relevant), abs=1e-12)
    assert got.both_relevant == sum(a and b for a, b in relevant)
    assert got.either_relevant == sum(a or b for a, b in relevant)


@given(new=qrels(), old=qrels(), level=st.integers(1, 3))
def test_agreement_is_the_same_both_ways(new: Qrels, old: Qrels, level: int) -> None:
    assert agreement(new, old, level) == agreement(old, new, level)


# Findings.


def test_the_same_judgments_are_said_to_be() -> None:
    """In whatever order."""
    again = {b"2": OLD[b"2"], b"1": dict(reversed(OLD[b"1"].items()))}
    (finding,) = compare_judgments(again, OLD, "new.qrels", "old.qrels")
    assert finding[:4] == ("note", "judgments-same", "new.qrels", None)
    assert finding.saw == "the same judgments as old.qrels: no query, document or grade differs"


CHANGES: dict[str, tuple[Qrels, str, str, str]] = {
    # the new version of OLD, a code, its severity, what was seen
    "query added": (
        {**OLD, b"3": {b"a": 1}, b"10": {b"a": 1}},
        "judgments-query-added",
        "warning",
        "2 queries that old.qrels lacks: '10', '3'",
    ),
    "query dropped": (
        {b"1": OLD[b"1"]},
        "judgments-query-dropped",
        "warning",
        "nothing for 1 query of old.qrels: '2'",
    ),
    "document added": (
        {**OLD, b"2": {b"a": 1, b"x": 0}},
        "judgments-document-added",
        "note",
        "1 document that old.qrels lacks in queries of both, as document 'x' of query '2'",
    ),
    "documents dropped": (
        {**OLD, b"1": {b"a": 1}},
        "judgments-document-dropped",
        "warning",
        "no judgment of 2 documents that old.qrels has in queries of both, as document 'b' of "
        "query '1'",
    ),
    "grades changed": (
        {b"1": {b"a": 1, b"b": 2, b"c": 2}, b"2": {b"a": -1}},
        "judgments-grade-changed",
        "warning",
        "3 of 4 grades changed since old.qrels (0 to 2: 2, 1 to -1: 1), as document 'b' of query "
        "'1', from 0 to 2",
    ),
    "relevant changed": (
        {**OLD, b"1": {b"a": 1, b"b": 1, b"c": 1}},
        "judgments-relevant-changed",
        "note",
        "1 query of 2 with more or fewer relevant documents (grade 1 or more) than in old.qrels, "
        "as query '1': 1 before, 3 now",
    ),
    "relevant lost": (
        {**OLD, b"2": {b"a": 0}},
        "judgments-relevant-lost",
        "warning",
        "no relevant document (grade 1 or more) any longer for 1 query that had one in old.qrels: "
        "'2'",
    ),
}


@pytest.mark.parametrize(("new", "code", "severity", "saw"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_found(new: Qrels, code: str, severity: str, saw: str) -> None:
    finding = compared(new, OLD)[code]
    assert finding[:5] == (severity, code, "new.qrels", None, saw)


def test_a_change_that_is_none_is_not_found() -> None:
    """One grade changed, within the relevant ones: neither queries, documents nor counts did."""
    new = {**OLD, b"2": {b"a": 2}}
    assert set(compared(new, OLD)) == {"judgments-grade-changed", "judgments-agreement"}
    assert "judgments-relevant-changed" in compared(new, OLD, 2)


def test_long_lists_are_cut() -> None:
    new = {**OLD, **{f"q{i}".encode(): {b"a": 1} for i in range(7)}}
    saw = compared(new, OLD)["judgments-query-added"].saw
    assert saw == "7 queries that old.qrels lacks: 'q0', 'q1', 'q2', 'q3', 'q4' and 2 more"
    new, old = of_cells({(0, after): 1 for after in range(1, 15)})
    saw = compared(new, old)["judgments-grade-changed"].saw
    assert "(0 to 1: 1, 0 to 2: 1, " in saw
    assert "0 to 12: 1, …)" in saw


def test_changes_of_grades_are_listed_by_their_number() -> None:
    new, old = of_cells({(0, 1): 1, (0, 2): 1, (2, 0): 3})
    saw = compared(new, old)["judgments-grade-changed"].saw
    assert "(2 to 0: 3, 0 to 1: 1, 0 to 2: 1)" in saw


def test_agreement_is_told() -> None:
    saw = compared(*of_cells(CELLS))["judgments-agreement"].saw
    assert saw == (
        "15 of 20 pairs that both judge have the same grade in old.qrels (0.7500); Cohen's kappa "
        "over grades 0.4681; over relevant (grade 1 or more) or not 0.4681; overlap of the "
        "relevant 0.6667 (10 of 15; mean over queries 0.6667)"
    )


def test_what_is_undefined_is_told() -> None:
    new, old = {b"1": {b"a": 0, b"b": 0}}, {b"1": {b"a": 0}}
    assert compared(new, old)["judgments-agreement"].saw == (
        "1 of 1 pair that both judge have the same grade in old.qrels (1.0000); Cohen's kappa over "
        "grades is undefined (all are alike); over relevant (grade 1 or more) or not is undefined "
        "(all are alike); overlap is undefined (neither has a relevant document)"
    )
    saw = compared({b"2": {b"a": 0}}, old)["judgments-agreement"].saw
    assert (
        saw == "no pair of query and document that old.qrels judges, too: no agreement to measure"
    )


@given(new=qrels(GRADES), old=qrels(GRADES))
def test_findings_count_what_changed(new: Qrels, old: Qrels) -> None:
    """Whatever the judgments, no finding is told that sets of pairs do not bear out."""
    found = compared(new, old)
    if new == old:
        assert list(found) == ["judgments-same"]
        return
    pairs_new, pairs_old = ({(q, d) for q in one for d in one[q]} for one in (new, old))
    both = new.keys() & old.keys()
    expected = {
        "judgments-query-added": bool(new.keys() - old.keys()),
        "judgments-query-dropped": bool(old.keys() - new.keys()),
        "judgments-document-added": any(q in both for q, _ in pairs_new - pairs_old),
        "judgments-document-dropped": any(q in both for q, _ in pairs_old - pairs_new),
        "judgments-grade-changed": any(new[q][d] != old[q][d] for q, d in pairs_new & pairs_old),
        "judgments-agreement": True,
    }
    assert {code: code in found for code in expected} == expected
    assert not any("nan" in one.saw for one in found.values())
