"""What can be measured: the registry, and the reading and writing of measure names."""

from trec_eval_py.measures._asked import Asked, Options, line_name, two_decimals
from trec_eval_py.measures._catalogue import explain, spellings
from trec_eval_py.measures._definitions import HIGHEST_GRADE_ASKED
from trec_eval_py.measures._names import (
    averaging,
    check_form,
    expand,
    expand_known,
    find,
    in_trec_eval,
    measure_of,
    parse,
    ranked,
)
from trec_eval_py.measures._registry import DEFAULTS, MEASURES, NICKNAMES, REGISTRY, Measure

__all__ = [
    "DEFAULTS",
    "HIGHEST_GRADE_ASKED",
    "MEASURES",
    "NICKNAMES",
    "REGISTRY",
    "Asked",
    "Measure",
    "Options",
    "averaging",
    "check_form",
    "expand",
    "expand_known",
    "explain",
    "find",
    "in_trec_eval",
    "line_name",
    "measure_of",
    "parse",
    "ranked",
    "spellings",
    "two_decimals",
]
