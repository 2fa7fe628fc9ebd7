"""The drop-in for the C program trec_eval: its arguments to calls, scores to its lines.

Flags, lines, their order, padding and rounding are those of trec_eval 9.0.8 or 10.0, as the profile
says. Where the C program guesses, crashes or drops what was asked, this does not: docs/trec_eval.md
lists each difference.
"""

from trec_eval_py.twin._arguments import LONG, OURS, Call, read_arguments, read_measures
from trec_eval_py.twin._lines import evaluate

__all__ = ["LONG", "OURS", "Call", "evaluate", "read_arguments", "read_measures"]
