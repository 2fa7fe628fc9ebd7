"""The sample collections and the scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHELL = ("scripts/setup", "scripts/test", "scripts/demo", ".ci/run")


def samples(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for top in ("qrels", "runs")
        for path in sorted((folder / top).rglob("*"))
        if path.is_file() and path.name != "README.md"
    }


def test_the_samples_are_those_that_the_script_makes(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "make_samples"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    assert samples(tmp_path) == samples(ROOT)


def test_the_demo_is_large_enough() -> None:
    """At least 50 queries, 5 runs, and a kind for each query."""
    judged = {line.split()[0] for line in (ROOT / "qrels/demo.qrels").read_text().splitlines()}
    header, *topics = (ROOT / "qrels/demo.topics.tsv").read_text(encoding="utf-8").splitlines()
    assert len(judged) >= 50
    assert len(list((ROOT / "runs/demo").glob("*.run"))) >= 5
    kind = header.split("\t").index("kind")
    assert judged <= {topic.split("\t")[0] for topic in topics}
    assert len({topic.split("\t")[kind] for topic in topics}) > 1


@pytest.mark.parametrize("script", ["benchmark", "make_samples"])
def test_a_script_explains_itself(script: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), "--help"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")


@pytest.mark.parametrize("script", SHELL)
def test_a_shell_script_can_be_run(script: str) -> None:
    path = ROOT / script
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in path.read_text()
    subprocess.run(["bash", "-n", str(path)], check=True)
