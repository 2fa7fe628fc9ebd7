"""trec_eval's order of documents, and where the judged ones stand in it."""

from trec_eval_py.ranking._columns import Columns, QrelsIndex
from trec_eval_py.ranking._documents import Documents
from trec_eval_py.ranking._judgments import (
    GroupedQrels,
    GroupedRanking,
    Judgments,
    Over,
    PreferenceGroup,
    Preferences,
    PreferredRanking,
    Qrels,
    Ranking,
    areas_of,
)
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
    "Documents",
    "GroupedQrels",
    "GroupedRanking",
    "JudgedRanking",
    "Judgments",
    "Over",
    "PreferenceGroup",
    "Preferences",
    "PreferredRanking",
    "Qrels",
    "QrelsIndex",
    "RankedQuery",
    "Ranking",
    "areas_of",
    "held",
    "ideal",
    "judge",
    "judge_run",
    "rank",
]
