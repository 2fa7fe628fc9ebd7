"""Means over queries."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import trec_eval_py as te
from trec_eval_py.aggregating import LEAST, Missing, mean
from trec_eval_py.schemas import AGGREGATES

HASH = "0123456789ab/9.0"
# 1 is lost where it is added to 1e16 first; math.fsum, and sum from Python 3.12 on, keep it.
UNEVEN = [1e16, 1.0, 1.0, -1e16]

Row = tuple[str, str, str, str, float | None]


def scores(rows: Sequence[Row], protocol: str = HASH) -> pd.DataFrame:
    columns = ["qrels", "run", "query_id", "measure", "value"]
    table = pd.DataFrame(rows, columns=columns).astype({"value": "float64"})
    return table.assign(protocol=protocol)


def of_one_run(values: dict[str, float | None], measure: str = "AP") -> pd.DataFrame:
    return scores([("q", "a", query_id, measure, value) for query_id, value in values.items()])


def added(values: Sequence[float]) -> float:
    """Add one by one, as C does."""
    total = 0.0
    for value in values:
        total += value
    return total


AVERAGES = {
    "arithmetic": ("map", [0.5, 0.25, 0.0], 0.75 / 3),
    "arithmetic under an unknown label": ("my own measure", [1.0, 2.0], 1.5),
    "a count is summed": ("num_rel_ret", [3.0, 0.0, 4.0], 7.0),
    "a count by its other name is summed": ("NumRet(rel=1)", [3.0, 4.0], 7.0),
    "a count with settings is summed": ("num_rel(rel=2)", [3.0, 4.0], 7.0),
    "geometric": ("gm_map", [0.5, 0.125], math.exp((math.log(0.5) + math.log(0.125)) / 2)),
    "geometric, 0 counts as 0.00001": ("gm_map", [0.0, 1.0], math.exp(math.log(0.00001) / 2)),
    "geometric, less than 0.00001 counts so": ("gm_bpref", [1e-9], math.exp(math.log(0.00001))),
    "utility may be negative": ("utility", [-3.0, 1.0], -1.0),
    "added one by one": ("map", UNEVEN, added(UNEVEN) / 4),
    "counts added one by one": ("num_rel_ret", UNEVEN, added(UNEVEN)),
    "tenths added one by one": ("map", [0.1] * 10, added([0.1] * 10) / 10),
}


@pytest.mark.parametrize(("label", "values", "expected"), AVERAGES.values(), ids=AVERAGES)
def test_a_mean_is_trec_evals(label: str, values: list[float], expected: float) -> None:
    """To the last bit: every sum here is the same in C."""
    assert mean(label, values).value == expected


def test_the_cases_tell_sums_apart() -> None:
    assert added(UNEVEN) != math.fsum(UNEVEN)
    assert added([0.1] * 10) != math.fsum([0.1] * 10)
    assert LEAST == 0.00001


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_values_are_added_in_the_order_given(values: list[float]) -> None:
    assert mean("P_10", values).value == added(values) / len(values)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_a_geometric_mean_adds_logarithms_in_the_order_given(values: list[float]) -> None:
    logarithms = [math.log(max(value, 0.00001)) for value in values]
    assert mean("gm_map", values).value == math.exp(added(logarithms) / len(values))


MISSING: dict[str, tuple[Missing, str, float, int]] = {
    "skipped": ("skip", "map", 0.75, 2),
    "as zero": ("zero", "map", 0.5, 3),
    "count, skipped": ("skip", "num_rel_ret", 1.5, 2),
    "count, as zero": ("zero", "num_rel_ret", 1.5, 3),
}


@pytest.mark.parametrize(("missing", "label", "value", "queries"), MISSING.values(), ids=MISSING)
def test_a_missing_query_counts_as_asked(
    missing: Missing, label: str, value: float, queries: int
) -> None:
    found = mean(label, [1.0, None, 0.5], missing)
    assert (found.value, found.queries, found.missing) == (value, queries, 1)


def test_a_missing_query_may_be_refused() -> None:
    with pytest.raises(te.InputError) as caught:
        mean("map", [1.0, None, None], "refuse")
    assert str(caught.value) == (
        "measure map: saw 2 missing queries, expected none. "
        "Score the run with --complete, or choose --missing zero or skip."
    )


def test_nothing_is_refused_where_nothing_is_missing() -> None:
    assert mean("map", [1.0, 0.0], "refuse").value == 0.5


def test_the_mean_with_zeros_stands_beside() -> None:
    assert mean("map", [1.0, None, 0.5]).value_with_zeros == 0.5
    assert mean("gm_map", [1.0, None]).value_with_zeros == math.exp(math.log(0.00001) / 2)


def test_a_count_has_no_mean_with_zeros() -> None:
    assert math.isnan(mean("num_ret", [1.0, None]).value_with_zeros)


def test_the_mean_of_nothing_is_nothing() -> None:
    found = mean("map", [None, None])
    assert math.isnan(found.value)
    assert (found.queries, found.missing, found.value_with_zeros) == (0, 2, 0.0)
    assert math.isnan(mean("map", []).value)


TWO_RUNS: list[Row] = [
    ("q", "b", "1", "AP", 0.5),
    ("q", "b", "1", "num_q", 1.0),
    ("q", "b", "2", "AP", None),
    ("q", "b", "2", "num_q", None),
    ("q", "a", "1", "AP", 0.25),
    ("q", "a", "1", "num_q", 1.0),
    ("q", "a", "2", "AP", 0.75),
    ("q", "a", "2", "num_q", 1.0),
]


def test_summary_has_a_row_for_each_measure_of_each_run_in_order() -> None:
    nan = math.nan
    expected = pd.DataFrame(
        [
            ("q", "b", "AP", 0.5, 1, 1, 0.25, HASH),
            ("q", "b", "num_q", 1.0, 1, 1, nan, HASH),
            ("q", "a", "AP", 0.5, 2, 0, 0.5, HASH),
            ("q", "a", "num_q", 2.0, 2, 0, nan, HASH),
        ],
        columns=list(AGGREGATES.columns),
    ).astype(AGGREGATES.columns)
    assert_frame_equal(te.summary(scores(TWO_RUNS)), expected)


def test_summary_keeps_measures_in_the_order_asked() -> None:
    found = te.summary(scores(TWO_RUNS), ["num_q", "AP"])
    assert found["measure"].tolist() == ["num_q", "AP", "num_q", "AP"]
    assert found["run"].tolist() == ["b", "b", "a", "a"]


def test_summary_takes_measures_once_given() -> None:
    assert te.summary(scores(TWO_RUNS), (m for m in ["AP"]))["measure"].tolist() == ["AP", "AP"]


def test_summary_adds_queries_by_the_bytes_of_their_ids() -> None:
    by_bytes: dict[str, float | None] = {"1": 1e16, "10": -1e16, "2": 1.0, "ñ": 1.0}
    for order, total in {
        ("1", "10", "2", "ñ"): 2.0,
        ("1", "2", "10", "ñ"): 1.0,  # as numbers
        ("2", "1", "10", "ñ"): 1.0,  # as the rows stand
    }.items():
        assert added([by_bytes[q] or 0.0 for q in order]) == total
    rows = {q: by_bytes[q] for q in ("2", "1", "10", "ñ")}
    assert te.summary(of_one_run(rows))["value"].tolist() == [2.0 / 4]


SPELLINGS = {
    "equal": ("AP", ["AP"]),
    "equal meaning": ("map", ["AP"]),
    "equal label before equal meaning": ("map", ["AP", "map"]),
    "cutoff": ("P.5", ["P@5"]),
}


@pytest.mark.parametrize(("asked", "held"), SPELLINGS.values(), ids=SPELLINGS)
def test_summary_finds_a_measure_in_any_spelling(asked: str, held: list[str]) -> None:
    table = scores([("q", "a", "1", label, 0.5) for label in held])
    assert te.summary(table, [asked])["measure"].tolist() == [held[-1]]


def test_summary_takes_the_members_of_a_family_that_the_scores_hold() -> None:
    table = scores([("q", "a", "1", label, 0.5) for label in ("P_10", "AP", "P@5", "P_3")])
    assert te.summary(table, ["P"])["measure"].tolist() == ["P@5", "P_10"]
    assert te.summary(table, ["official"])["measure"].tolist() == ["AP", "P@5", "P_10"]
    assert te.summary(table, ["P_10", "P"])["measure"].tolist() == ["P_10", "P@5"]


def test_summary_takes_no_path() -> None:
    with pytest.raises(te.InputError) as caught:
        te.summary("s.csv")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "scores: saw 's.csv' (str), expected a frame. Read a file with read_scores(path)."
    )


def test_summary_has_a_measure_once() -> None:
    found = te.summary(of_one_run({"1": 0.5}), ["map", "AP"])
    assert found["measure"].tolist() == ["AP"]
    assert not found.duplicated(["qrels", "run", "measure"]).any()


def test_summary_leaves_out_what_a_run_was_not_scored_on() -> None:
    table = scores([("q", "a", "1", "AP", 0.5), ("q", "b", "1", "RR", 0.5)])
    found = te.summary(table)
    assert list(zip(found["run"], found["measure"], strict=True)) == [("a", "AP"), ("b", "RR")]


def test_summary_takes_an_unknown_label_as_it_is() -> None:
    found = te.summary(of_one_run({"1": 0.5, "2": 1.0}, "loudness"), ["loudness"])
    assert found["value"].tolist() == [0.75]


def test_summary_of_other_index_and_columns_is_the_same() -> None:
    table = scores(TWO_RUNS)
    other = table[table.columns[::-1]].assign(note="x").set_axis(range(100, 108))
    assert_frame_equal(te.summary(other), te.summary(table))


def test_summary_leaves_its_argument_alone() -> None:
    table = scores(TWO_RUNS)
    before = table.copy(deep=True)
    te.summary(table, ["AP"], missing="zero")
    assert_frame_equal(table, before)


def test_summary_of_no_rows_has_none() -> None:
    found = te.summary(scores([]))
    assert found.empty
    assert list(found.columns) == list(AGGREGATES.columns)


def test_summary_takes_two_qrels_under_two_protocols() -> None:
    table = pd.concat(
        [
            scores([("q1", "a", "1", "AP", 0.5)], "h1/9.0"),
            scores([("q2", "a", "1", "AP", 0.25)], "h2/10.0"),
        ]
    )
    found = te.summary(table)
    assert list(zip(found["qrels"], found["protocol"], strict=True)) == [
        ("q1", "h1/9.0"),
        ("q2", "h2/10.0"),
    ]


def test_summary_counts_zeros_as_asked() -> None:
    found = te.summary(of_one_run({"1": 0.5, "2": None}), missing="zero")
    assert found[["value", "queries", "missing"]].values.tolist() == [[0.25, 2, 1]]


TWO_PROTOCOLS = pd.concat(
    [
        scores([("q", "a", "1", "AP", 0.5)], "h/9.0"),
        scores([("q", "b", "1", "AP", 0.5)], "h/10.0"),
    ]
)
REFUSED = {
    "two protocols": (
        TWO_PROTOCOLS,
        None,
        "skip",
        te.InputError,
        "qrels q: saw protocols h/9.0 and h/10.0, expected one. Numbers under two protocols are "
        "not comparable: summarise them apart.",
    ),
    "unknown measure": (
        scores(TWO_RUNS),
        ["AP", "ndcg"],
        "skip",
        te.UsageError,
        "measure 'ndcg': not among the scores, which hold AP, num_q. Score it with -m ndcg.",
    ),
    "many measures": (
        scores([("q", "a", "1", f"P_{k}", 0.5) for k in range(1, 11)]),
        ["ndcg"],
        "skip",
        te.UsageError,
        "measure 'ndcg': not among the scores, which hold P_1, P_2, P_3, P_4, P_5, P_6, P_7, P_8 "
        "…. Score it with -m ndcg.",
    ),
    "unknown way": (
        scores(TWO_RUNS),
        None,
        "drop",
        te.UsageError,
        "missing: saw 'drop', expected 'skip', 'zero' or 'refuse'.",
    ),
    "missing query": (
        scores(TWO_RUNS),
        None,
        "refuse",
        te.InputError,
        "measure AP: saw 1 missing query, expected none. Score the run with --complete, or "
        "choose --missing zero or skip.",
    ),
    "no value": (
        scores(TWO_RUNS).drop(columns="value"),
        None,
        "skip",
        te.InputError,
        "scores frame: saw columns qrels, run, query_id, measure, protocol, expected qrels, run, "
        "query_id, measure, value, protocol. Rename or add value.",
    ),
    "key twice": (
        scores([*TWO_RUNS, TWO_RUNS[0]]),
        None,
        "skip",
        te.InputError,
        "scores frame: saw {'qrels': 'q', 'run': 'b', 'query_id': '1', 'measure': 'AP'} twice, "
        "expected each once. Drop the repeated row.",
    ),
}


@pytest.mark.parametrize(
    ("table", "measures", "missing", "error", "message"), REFUSED.values(), ids=REFUSED
)
def test_summary_refuses(
    table: pd.DataFrame,
    measures: list[str] | None,
    missing: Missing,
    error: type[te.TrecEvalError],
    message: str,
) -> None:
    with pytest.raises(error) as caught:
        te.summary(table, measures, missing=missing)
    assert str(caught.value) == message


@pytest.mark.parametrize("column", ["qrels", "run", "query_id", "measure", "protocol"])
def test_summary_loses_no_row_in_silence(column: str) -> None:
    table = scores(TWO_RUNS)
    table.loc[0, column] = None
    with pytest.raises(te.InputError, match=column):
        te.summary(table)


def test_the_ceiling_has_no_missing_queries() -> None:
    """Where no ranking alone is best, the run ``ideal`` is empty, and that is no missing query."""
    qrels = {"q": {"d": 1}}
    scores = te.score(qrels, {"a": {"q": ["d"]}}, ["AP", "num_ret"])
    ideal = scores.assign(run="ideal", value=[1.0, float("nan")])
    table = te.summary(pd.concat([scores, ideal], ignore_index=True), missing="refuse")
    assert table[["run", "measure", "missing"]].to_numpy().tolist() == [
        ["a", "AP", 0],
        ["a", "num_ret", 0],
        ["ideal", "AP", 0],
    ]


NO_SCORES: dict[str, tuple[dict[str, int | str], str]] = {
    "an id that is a number": ({"query_id": 1}, "saw query_id 1 (int), expected text."),
    "a value that is text": ({"value": "x"}, "saw value of dtype "),
}


@pytest.mark.parametrize(("cells", "saw"), NO_SCORES.values(), ids=NO_SCORES)
def test_frames_of_other_types_are_refused(cells: dict[str, int | str], saw: str) -> None:
    table = te.score({"q": {"d": 1}}, {"a": {"q": ["d"]}}, ["AP"])
    changed = table.astype(dict.fromkeys(cells, object))
    for name, cell in cells.items():
        changed[name] = cell
    with pytest.raises(te.InputError) as refused:
        te.summary(changed)
    assert str(refused.value).startswith(f"scores frame: {saw}")
