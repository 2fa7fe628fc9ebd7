"""Faults and oddities of files, as data: what ``check`` prints."""

from trec_eval_py.checking._findings import CODES, SEVERITIES, Code, Finding, Severity, found

__all__ = ["CODES", "SEVERITIES", "Code", "Finding", "Severity", "found"]
