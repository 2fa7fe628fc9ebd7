"""trec_eval's order of documents, and where the judged ones stand in it."""

from trec_eval_py.ranking._columns import Columns, QrelsIndex
from trec_eval_py.ranking._order import (
    PROFILES,
    Batch,
    JudgedRanking,
    RankedQuery,
    held,
    ideal,
    judge,
    judge_run,
    rank,
)

__all__ = [
    "PROFILES",
    "Batch",
    "Columns",
    "JudgedRanking",
    "QrelsIndex",
    "RankedQuery",
    "held",
    "ideal",
    "judge",
    "judge_run",
    "rank",
]
