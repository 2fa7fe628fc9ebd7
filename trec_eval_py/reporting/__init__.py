"""From scores and means to files and tables, and from files back to scores."""

from trec_eval_py.reporting._findings import show_findings
from trec_eval_py.reporting._scores import read_scores
from trec_eval_py.reporting._tables import Means, headline, means_in, means_of, show, show_rows
from trec_eval_py.reporting._writing import ScoresWriter, is_plain, kind_of, output, write_rows

__all__ = [
    "Means",
    "ScoresWriter",
    "headline",
    "is_plain",
    "kind_of",
    "means_in",
    "means_of",
    "output",
    "read_scores",
    "show",
    "show_findings",
    "show_rows",
    "write_rows",
]
