"""Faults and oddities of files, as data: what ``check`` prints."""

from trec_eval_py.checking._against import Agreement, agreement, compare_judgments
from trec_eval_py.checking._files import Checks, check, check_files
from trec_eval_py.checking._findings import CODES, SEVERITIES, Code, Finding, Severity, found
from trec_eval_py.checking._qrels import check_qrels
from trec_eval_py.checking._runs import check_run
from trec_eval_py.checking._scores import check_scores
from trec_eval_py.checking._ties import TieRange, Ties, tie_ranges

__all__ = [
    "CODES",
    "SEVERITIES",
    "Agreement",
    "Checks",
    "Code",
    "Finding",
    "Severity",
    "TieRange",
    "Ties",
    "agreement",
    "check",
    "check_files",
    "check_qrels",
    "check_run",
    "check_scores",
    "compare_judgments",
    "found",
    "tie_ranges",
]
