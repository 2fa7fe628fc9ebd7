"""What the C program printed, and cases after public bug reports, where the folder is at hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import trec_eval_py as te
from trec_eval_py.aggregating import mean
from trec_eval_py.measures import averaging

SHARED = Path(__file__).resolve().parents[2] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="no ../shared beside the checkout")

# Of a later issue: text measures, and those that pytrec_eval lacks.
LATER = ("relstring", "runid", "yaap", "rbp", "unj")
INDEX = SHARED / "oracle" / "index.txt"
CASES = INDEX.read_text().splitlines() if INDEX.exists() else []


def options(flags: str) -> tuple[list[str], dict[str, object]]:
    """Translate trec_eval's flags into measures and the arguments of ``score``."""
    measures: list[str] = []
    given: dict[str, object] = {}
    words = flags.replace("-l2", "-l 2").split()
    while words:
        word = words.pop(0)
        if word == "-m":
            measures.append(words.pop(0))
        elif word.startswith("-m"):
            measures.append(word[2:])
        elif word == "-c":
            given["complete"] = True
        elif word == "-J":
            given["judged_only"] = True
        elif word[:2] in ("-l", "-M", "-N"):
            name = {"-l": "relevance_level", "-M": "max_docs", "-N": "num_docs"}[word[:2]]
            given[name] = int(word[2:] or words.pop(0))
    return [m for m in measures if not m.startswith(LATER)], given


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
@pytest.mark.parametrize("case", CASES)
def test_every_number_of_the_c_program(case: str) -> None:
    profile, flags, collection, expected = case.split("|")
    measures, given = options(flags)
    folder = SHARED / "oracle"
    scores = te.score(
        folder / f"{collection}.qrels",
        {"r": folder / f"{collection}.run"},
        measures,
        profile=profile,
        **given,  # type: ignore[arg-type]
    )
    got = {
        (q, label.split("(")[0]): value
        for q, label, value in zip(
            scores["query_id"], scores["measure"], scores["value"], strict=True
        )
        if value == value
    }
    labels = list(dict.fromkeys(label for _, label in got))
    query_ids = sorted({q for q, _ in got}, key=str.encode)
    compared = 0
    for line in (folder / expected).read_text().splitlines():
        label, query_id, printed = (part.strip() for part in line.split("\t"))
        if label.startswith(LATER):
            continue
        if query_id == "all":
            value = mean(label, [got[q, label] for q in query_ids]).value
            if label == "num_rel" and given.get("complete"):
                # Under -c the C program counts every grade above 0, whatever -l says, and all here
                # are at level 1, so that the sum is the same.
                assert "relevance_level" not in given
        else:
            value = got[query_id, label]
        digits = "{:.0f}" if averaging(label) == "sum" else "{:.4f}"
        assert digits.format(value + 0.0) == printed.replace("-0.0000", "0.0000"), (label, query_id)
        compared += 1
    assert compared >= len(labels)


def test_cases_after_public_bug_reports() -> None:
    command = [sys.executable, "-m", "trec_eval_py", "score"]
    done = subprocess.run(
        [sys.executable, str(SHARED / "cases" / "verify"), "--", *command],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
