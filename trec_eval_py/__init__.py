"""Score TREC runs against qrels: every measure of pytrec_eval, per query, as tidy scores."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from trec_eval_py._version import __version__

if TYPE_CHECKING:
    from trec_eval_py.aggregating import summary
    from trec_eval_py.checking import check
    from trec_eval_py.converting import convert
    from trec_eval_py.distributing import score, score_ranking
    from trec_eval_py.errors import (
        InputError,
        MeasureError,
        OutputError,
        ReadError,
        ScorerError,
        TrecEvalError,
        TrecEvalWarning,
        UsageError,
    )
    from trec_eval_py.reading import read_qrels, read_run
    from trec_eval_py.reporting import read_scores

__all__ = [
    "InputError",
    "MeasureError",
    "OutputError",
    "ReadError",
    "ScorerError",
    "TrecEvalError",
    "TrecEvalWarning",
    "UsageError",
    "__version__",
    "check",
    "convert",
    "read_qrels",
    "read_run",
    "read_scores",
    "score",
    "score_ranking",
    "summary",
]

_HOMES = {
    "check": "checking",
    "score": "distributing",
    "score_ranking": "distributing",
    "summary": "aggregating",
    "convert": "converting",
    "read_run": "reading",
    "read_qrels": "reading",
    "read_scores": "reporting",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: ``--version`` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES.get(name, "errors")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
