"""What can be measured: the registry, and the reading and writing of measure names."""

from trec_eval_py.measures._definitions import HIGHEST_GRADE_ASKED
from trec_eval_py.measures._names import (
    Asked,
    Options,
    averaging,
    explain,
    find,
    line_name,
    parse,
    ranked,
    spellings,
    two_decimals,
)
from trec_eval_py.measures._registry import MEASURES, NICKNAMES, REGISTRY, Measure

__all__ = [
    "HIGHEST_GRADE_ASKED",
    "MEASURES",
    "NICKNAMES",
    "REGISTRY",
    "Asked",
    "Measure",
    "Options",
    "averaging",
    "explain",
    "find",
    "line_name",
    "parse",
    "ranked",
    "spellings",
    "two_decimals",
]
