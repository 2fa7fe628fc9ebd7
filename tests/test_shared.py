"""What the C program printed, and cases after public bug reports, where the folder is at hand."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from trec_eval_py import twin

SHARED = Path(__file__).resolve().parents[2] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="no ../shared beside the checkout")

INDEX = SHARED / "oracle" / "index.txt"
CASES = INDEX.read_text().splitlines() if INDEX.exists() else []
PROGRAM = [sys.executable, "-m", "trec_eval_py"]


def kept(text: bytes, profile: str) -> list[bytes]:
    """All lines, but for those of what 10.0 computes from memory that it never set."""
    return [x for x in text.splitlines() if profile == "9.0" or not x.startswith(b"rbp")]


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
@pytest.mark.parametrize("case", CASES)
def test_every_line_of_the_c_program(case: str) -> None:
    profile, flags, collection, expected = case.split("|")
    folder = SHARED / "oracle"
    files = (str(folder / f"{collection}.{kind}") for kind in ("qrels", "run"))
    call = twin.read_arguments(["--profile", profile, *flags.split(), *files])
    want = kept((folder / expected).read_bytes(), profile)
    assert kept(twin.evaluate(call), profile) == want
    assert want


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
@pytest.mark.parametrize("collection", ["passage", "doc"])
def test_every_line_that_dl_hard_published(collection: str) -> None:
    folder = SHARED / "data" / "dl-hard" / collection
    words = ["-l", "2", "-o", "-c", "-M1000", "-q", "-m", "all_trec"]
    files = (str(folder / "qrels.txt"), str(folder / "bm25.run.gz"))
    got = twin.evaluate(twin.read_arguments([*words, *files]))
    assert got == gzip.decompress((folder / "bm25.run.eval.gz").read_bytes())


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("cases/verify", [*PROGRAM, "score"]),
        ("oracle/verify", [*PROGRAM, "trec_eval"]),
        ("data/verify", [*PROGRAM, "trec_eval", "--profile", "9.0"]),
    ],
)
def test_its_own_scripts_pass(script: str, command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(SHARED / script), "--", *command], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
