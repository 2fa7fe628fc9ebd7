"""From scores per query to one value per run and measure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from trec_eval_py.errors import InputError, UsageError
from trec_eval_py.measures import Options, averaging, expand_known, find, measure_of, ranked
from trec_eval_py.schemas import AGGREGATES, CEILING, SCORES, check, frame

if TYPE_CHECKING:
    import pandas as pd

Missing = Literal["skip", "zero", "refuse"]
# What a query counts at least in a geometric mean: trec_eval 9.0.8, trec_eval.h, MIN_GEO_MEAN.
LEAST = 0.00001


class Mean(NamedTuple):
    """One run's value of one measure over queries."""

    value: float
    queries: int
    missing: int
    value_with_zeros: float


def mean(label: str, values: Sequence[float | None], missing: Missing = "skip") -> Mean:
    """Average one run's values of one measure.

    Parameters
    ----------
    label : str
        The measure; counts (num_*) are summed, gm_* get the geometric mean with each value at least
        0.00001, all else and unknown labels the arithmetic mean.
    values : sequence of float or None
        One a query, in the byte order of query ids, in which they are summed; None is missing.
    missing : {"skip", "zero", "refuse"}
        What a missing query counts: nothing, as in trec_eval without -c; 0, as with it; or it is
        refused.

    Returns
    -------
    Mean
        ``queries`` counts those that ``value`` is over. ``value_with_zeros`` is the mean with 0 for
        each missing query, NaN for counts. NaN where there is no query at all.

    References
    ----------
    trec_eval 9.0.8, meas_avg.c.
    """
    how = averaging(label)
    present = [value for value in values if value is not None]
    absent = len(values) - len(present)
    if absent and missing == "refuse":
        raise InputError(
            f"measure {label}: saw {absent} missing {'query' if absent == 1 else 'queries'}, "
            "expected none. "
            "Score the run with --complete, or choose --missing zero or skip."
        )
    zeros = _average(how, [0.0 if value is None else value for value in values])
    value = zeros if missing == "zero" else _average(how, present)
    queries = len(values) if missing == "zero" else len(present)
    return Mean(value, queries, absent, math.nan if how == "sum" else zeros)


def average(how: str, values: Iterable[float], queries: int) -> float:
    """Make one number of a run's values, as trec_eval does.

    Parameters
    ----------
    how : {"mean", "sum", "geometric"}
        For the last, values are the logarithms of what is averaged: see ``addend``.
    values : iterable of float
        In the byte order of query ids.
    queries : int
        How many queries they are over, at least 1; those that have no value count as 0, or as the
        least value in a geometric mean.

    References
    ----------
    trec_eval 9.0.8, meas_acc.c and meas_avg.c.
    """
    total, count = 0.0, 0
    for value in values:  # one by one: sum() keeps more digits from Python 3.12 on
        total += value
        count += 1
    if how == "geometric":
        return math.exp((total + (queries - count) * math.log(LEAST)) / queries)
    return total if how == "sum" else total / queries


def addend(how: str, value: float) -> float:
    """Give what trec_eval adds up for a value: its logarithm for a geometric mean."""
    return math.log(max(value, LEAST)) if how == "geometric" else value


def _average(how: str, values: Sequence[float]) -> float:
    if not values:
        return math.nan
    return average(how, (addend(how, value) for value in values), len(values))


def summary(
    scores: pd.DataFrame, measures: Iterable[str] | None = None, *, missing: Missing = "skip"
) -> pd.DataFrame:
    """Average scores over queries.

    Parameters
    ----------
    scores : DataFrame
        Tidy scores: qrels, run, query_id, measure, value (NaN: missing), protocol.
    measures : iterable of str, optional
        Those to keep, in this order, in any spelling; all by default.
    missing : {"skip", "zero", "refuse"}
        What a missing query counts: nothing, as in trec_eval; 0; or it is refused.

    Returns
    -------
    DataFrame
        Columns qrels, run, measure, value, queries, missing, value_with_zeros, protocol; a row for
        each measure of each run, in the order of the scores.

    Raises
    ------
    InputError
        On other columns, a repeated key, two protocols for one name of qrels, or a missing query
        where those are refused.
    UsageError
        On a measure that the scores do not hold.

    References
    ----------
    trec_eval 9.0.8, meas_avg.c.
    """
    if missing not in ("skip", "zero", "refuse"):
        raise UsageError(f"missing: saw {missing!r}, expected 'skip', 'zero' or 'refuse'.")
    check(scores, SCORES)
    # Where no ranking alone is best, the ceiling is empty, and that is no missing query.
    unranked = [label for label in scores["measure"].unique() if not ranked(label)]
    scores = scores[~((scores["run"] == CEILING) & scores["measure"].isin(unranked))]
    for name, protocols in scores.groupby("qrels", sort=False)["protocol"].unique().items():
        if len(protocols) > 1:
            raise InputError(
                f"qrels {name}: saw protocols {' and '.join(protocols)}, expected one. Numbers "
                "under two protocols are not comparable: summarise them apart."
            )
    labels = list(dict.fromkeys(scores["measure"]))
    wanted = labels
    if measures is not None:
        measures = [measures] if isinstance(measures, str) else measures
        wanted = list(dict.fromkeys(label for one in measures for label in _held(one, labels)))
    columns: dict[str, list[object]] = {name: [] for name in AGGREGATES.columns}
    for (qrels, run), one_run in scores.groupby(["qrels", "run"], sort=False):
        by_measure = dict(list(one_run.groupby("measure", sort=False)))
        for label in wanted:
            if label not in by_measure:
                continue
            rows = by_measure[label]
            pairs = sorted(
                zip(rows["query_id"].tolist(), rows["value"].tolist(), strict=True),
                key=lambda pair: pair[0].encode("utf-8", "surrogatepass"),
            )
            got = mean(label, [None if v != v else v for _, v in pairs], missing)
            columns["qrels"].append(qrels)
            columns["run"].append(run)
            columns["measure"].append(label)
            columns["protocol"].append(rows["protocol"].iloc[0])
            for name, value in zip(Mean._fields, got, strict=True):
                columns[name].append(value)
    return frame(AGGREGATES, columns)


def _held(measure: str, labels: Sequence[str]) -> list[str]:
    """Find the labels that are meant, of which a family (``P``) or a nickname has several."""
    found = find(measure, labels)
    if found is not None:
        return [found]
    # What 10.0 means by a nickname holds all that 9.0 does.
    asked = expand_known(measure, Options(profile="10.0"))
    family = [find(one.label, labels) for one in asked]
    held = [label for label in family if label is not None]
    if not held:
        wanted = {one.measure.name for one in asked}
        near = [x for x in labels if (meant := measure_of(x)) and meant.name in wanted]
        fix = f"Did you mean {' or '.join(near[:3])}?" if near else f"Score it with -m {measure}."
        raise UsageError(
            f"measure {measure!r}: not among the scores, which hold {', '.join(labels[:8])}"
            f"{' …' if len(labels) > 8 else ''}. {fix}"
        )
    return held
