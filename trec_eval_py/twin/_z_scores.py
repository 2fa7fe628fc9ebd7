"""z-scores: how far a value lies from the mean of others, in standard deviations."""

from __future__ import annotations

from math import isfinite

from trec_eval_py.errors import ReadError, warn
from trec_eval_py.reading import Source, field_count, number, read_lines, shown

# What trec_eval prints for a value without a mean and deviation (trec_eval 9.0.8, trec_eval.h).
NONE = -1000000.0
LINE = "4 fields (query_id measure mean standard_deviation)"


class ZScores:
    """Means and standard deviations by query and measure (get_zscores.c, convert_zscores.c).

    Parameters
    ----------
    source : Source
        Lines of query_id, measure, mean and standard deviation; of two for one pair, the first
        counts.

    Raises
    ------
    ReadError
        At the first line that cannot be used.
    """

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._known: dict[tuple[bytes, bytes], tuple[float, float]] = {}
        self._lacking = 0
        for line_number, fields in read_lines(source):
            if len(fields) != 4:
                raise ReadError(
                    self._name,
                    line_number,
                    field_count(fields),
                    LINE,
                    "Mend or drop the line.",
                )
            query_id, measure, mean, deviation = fields
            self._known.setdefault(
                (query_id, measure),
                (self._number(line_number, mean), self._number(line_number, deviation)),
            )
        if not self._known:
            raise ReadError(self._name, None, "no line", LINE, "Check what wrote it.")

    def of(self, query_id: bytes, measure: str, value: float) -> float:
        """Give the z-score of a value; where nothing deviates, the mean itself has 0."""
        known = self._known.get((query_id, measure.encode()))
        if known is not None:
            mean, deviation = known
            if deviation and isfinite(score := (value - mean) / deviation):
                return score
            if value == mean:
                return 0.0
        self._lacking += 1
        return NONE

    def warn(self) -> None:
        """Say how many values had none."""
        if self._lacking:
            lack = "value lacks" if self._lacking == 1 else "values lack"
            warn(
                f"{self._name}: {self._lacking} {lack} a mean and a standard deviation to divide "
                f"by; {NONE:.0f} stands there, and counts in the summary"
            )

    def _number(self, line_number: int, text: bytes) -> float:
        value = number(text.decode("latin-1"))
        if value is None or value in (float("inf"), float("-inf")):
            fix = "Mend or drop the line."
            raise ReadError(self._name, line_number, shown(text), "a finite decimal number", fix)
        return value
