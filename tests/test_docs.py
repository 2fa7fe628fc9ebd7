"""Every example in the README, run as a reader would."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """Give the blocks of one language, in the order of the README."""
    return [text for name, text in BLOCKS if name == language]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples and a command ``trec_eval_py``, after the console examples."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("qrels", "runs"):
        shutil.copytree(ROOT / name, folder / name)
    command = folder / "bin" / "trec_eval_py"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trec_eval_py "$@"\n')
    command.chmod(0o755)
    return folder


def prompt(folder: Path, line: str) -> str:
    """Give what a command prints to standard output."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout


def examples() -> list[tuple[str, str]]:
    """Split console blocks into commands and what follows each."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def test_console_examples(workplace: Path) -> None:
    assert len(examples()) >= 3
    for command, output in examples():
        assert prompt(workplace, command) == output, command


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
def test_python_examples(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt(workplace, examples()[0][0])  # writes scores.csv
    monkeypatch.chdir(workplace)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    names: dict[str, object] = {}
    assert len(blocks("python")) == 2
    with warnings.catch_warnings():
        for number, block in enumerate(blocks("python")):
            test = parser.get_doctest(block, names, f"README-{number}", "README.md", 0)
            runner.run(test, clear_globs=False)
            names = test.globs
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 5


def expected_means(workplace: Path) -> list[tuple[str, str, float]]:
    """The means of scores.csv by another way: the csv module and a sum."""
    import csv

    values: dict[tuple[str, str], list[float]] = {}
    with (workplace / "scores.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["value"]:
                values.setdefault((row["run"], row["measure"]), []).append(float(row["value"]))
    return sorted((run, m, sum(v) / len(v)) for (run, m), v in values.items())


def test_duckdb_example(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    prompt(workplace, examples()[0][0])
    monkeypatch.chdir(workplace)
    (query,) = blocks("sql")
    got = duckdb.sql(query).fetchall()
    want = expected_means(workplace)
    assert [row[:2] for row in got] == [row[:2] for row in want]
    assert [row[2] for row in got] == pytest.approx([row[2] for row in want], abs=1e-12)


IDS = "qrels,run,query_id,measure,value,protocol\n" + "".join(
    f"q,r,{query_id},P_5,{value},p\n"
    for query_id, value in [("001", "0.5"), ("NA", "1.0"), ("1e5", ""), ("null", "0.25")]
)


def test_r_example_keeps_ids(tmp_path: Path) -> None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("no Rscript on PATH")
    (tmp_path / "scores.csv").write_text(IDS)
    (script,) = blocks("r")
    script += 'cat(scores$query_id, sep = "|"); cat(is.na(scores$value))'
    done = subprocess.run(
        [rscript, "-e", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("001|NA|1e5|nullFALSE FALSE TRUE FALSE")


def test_duckdb_example_keeps_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "scores.csv").write_text(IDS)
    monkeypatch.chdir(tmp_path)
    (query,) = blocks("sql")
    source = re.search(r"FROM (read_csv\(.*?\}\))", query, re.DOTALL)
    assert source is not None
    rows = duckdb.sql(f"SELECT query_id, value FROM {source[1]}").fetchall()
    assert rows == [("001", 0.5), ("NA", 1.0), ("1e5", None), ("null", 0.25)]


def test_pandas_example_keeps_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scores.csv").write_text(IDS)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    code = "\n".join(
        line[4:] for line in blocks("python")[1].splitlines() if line[:4] in (">>> ", "... ")
    )
    exec(code.split("len(scores)")[0], names)
    frame = names["scores"]
    assert frame["query_id"].tolist() == ["001", "NA", "1e5", "null"]  # type: ignore[index]
    assert frame["value"].isna().tolist() == [False, False, True, False]  # type: ignore[index]


def test_readme_is_about_a_hundred_lines() -> None:
    assert len(README.splitlines()) <= 130
