"""Faults and oddities of files, as data: what ``check`` prints."""

from trec_eval_py.checking._findings import CODES, SEVERITIES, Code, Finding, Severity, found
from trec_eval_py.checking._ties import TieRange, Ties, tie_ranges

__all__ = [
    "CODES",
    "SEVERITIES",
    "Code",
    "Finding",
    "Severity",
    "TieRange",
    "Ties",
    "found",
    "tie_ranges",
]
