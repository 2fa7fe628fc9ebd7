"""z-scores: how far a value lies from the mean of others, in standard deviations."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from trec_eval_py.errors import ReadError, warn
from trec_eval_py.reading import Source, field_count, number, read_lines, shown

# What trec_eval prints for a value without a mean and deviation (trec_eval 9.0.8, trec_eval.h).
_NONE = -1000000.0
_LINE = "4 fields (query_id measure mean standard_deviation)"
_MEND = "Mend or drop the line."


class _Spread(NamedTuple):
    """What one line says of a query and a measure."""

    line_number: int
    mean: float
    deviation: float


class ZScores:
    """Means and standard deviations by query and measure (get_zscores.c, convert_zscores.c).

    Parameters
    ----------
    source : Source
        Lines of query_id, measure, mean and standard deviation.

    Raises
    ------
    ReadError
        At the first line that cannot be used: with other fields, a deviation below 0, or a query
        and measure of a line before; where there is no line.
    """

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._known: dict[tuple[bytes, bytes], _Spread] = {}
        self._lacking = 0
        for line_number, fields in read_lines(source):
            self._take_line(line_number, fields)
        if not self._known:
            raise ReadError(self._name, None, "no line", _LINE, "Check what wrote it.")

    def of(self, query_id: bytes, measure: str, value: float) -> float:
        """Give the z-score of a value; where nothing deviates, the mean itself has 0."""
        known = self._known.get((query_id, measure.encode()))
        if known is not None:
            if known.deviation and isfinite(score := (value - known.mean) / known.deviation):
                return score
            if value == known.mean:
                return 0.0
        self._lacking += 1
        return _NONE

    def warn(self) -> None:
        """Say how many values had none."""
        if self._lacking:
            lack = "value lacks" if self._lacking == 1 else "values lack"
            warn(
                f"{self._name}: {self._lacking} {lack} a mean and a standard deviation to divide "
                f"by; {_NONE:.0f} stands there, and counts in the summary"
            )

    def _take_line(self, line_number: int, fields: list[bytes]) -> None:
        """Take the fields of one line, or refuse them."""
        if len(fields) != 4:
            raise ReadError(self._name, line_number, field_count(fields), _LINE, _MEND)
        query_id, measure, mean, deviation = fields
        spread = _Spread(
            line_number,
            self._number(line_number, "mean", mean),
            self._number(line_number, "standard deviation", deviation),
        )
        if spread.deviation < 0:
            saw = f"standard deviation {shown(deviation)}"
            raise ReadError(self._name, line_number, saw, "a number of at least 0", _MEND)
        first = self._known.setdefault((query_id, measure), spread)
        if first is not spread:
            raise ReadError(
                self._name,
                line_number,
                f"measure {shown(measure)} again for query {shown(query_id)} (first on line "
                f"{first.line_number})",
                "a measure once per query",
                "Keep one of them.",
            )

    def _number(self, line_number: int, name: str, text: bytes) -> float:
        """Read a finite number, or refuse it under the name of its field."""
        value = number(text.decode("latin-1"))
        if value is None or not isfinite(value):
            saw = f"{name} {shown(text)}"
            raise ReadError(self._name, line_number, saw, "a finite decimal number", _MEND)
        return value
