"""Every example in the README and in docs/, run as a reader would."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from trec_eval_py import twin

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
README = PAGES["README.md"]
# What a program prints to a terminal is told from what follows by a line that no program prints.
MARK = "--- end of what the command above prints ---"
HARNESS = f"""\
shopt -s expand_aliases
mark() {{ local status=$?; echo '{MARK}'; echo '{MARK}' >&2; return "$status"; }}
"""


class Example(NamedTuple):
    """A command and what follows it in the text."""

    command: str
    output: str


def blocks(language: str, page: str = "README.md") -> list[str]:
    """Give the blocks of one language, in the order of the page."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def split(block: str) -> list[Example]:
    """Split a block at its prompts; a command goes on where lines begin with ``> ``."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        end = next((i for i, line in enumerate(lines) if i and line[:2] != "> "), len(lines))
        command = "".join([lines[0], *(line[2:] for line in lines[1:end])])
        found.append(Example(command.rstrip("\n"), "".join(lines[end:])))
    return found


def examples(page: str = "README.md", language: str = "console") -> list[Example]:
    """Give the commands of a page and what follows each."""
    return [example for block in blocks(language, page) for example in split(block)]


Workplaces = Callable[[str], Path]


@pytest.fixture(scope="module")
def workplaces(tmp_path_factory: pytest.TempPathFactory) -> Workplaces:
    """A folder for each page, with the samples and a command ``trec_eval_py``."""
    made: dict[str, Path] = {}

    def of(page: str) -> Path:
        if page in made:
            return made[page]
        made[page] = folder = tmp_path_factory.mktemp(Path(page).stem)
        for name in ("qrels", "runs"):
            shutil.copytree(ROOT / name, folder / name)
        command = folder / "bin" / "trec_eval_py"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trec_eval_py "$@"\n')
        command.chmod(0o755)
        return folder

    return of


@pytest.fixture(scope="module")
def workplace(workplaces: Workplaces) -> Path:
    """The folder of the README."""
    return workplaces("README.md")


def prompt(folder: Path, *commands: str) -> tuple[list[str], list[str]]:
    """Give what commands of one shell print, to standard output and to standard error."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    script = folder / "bin" / "session.sh"
    script.write_text(HARNESS + "".join(f"{command}\nmark\n" for command in commands))
    done = subprocess.run(
        ["bash", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    out, err = (text.split(MARK + "\n") for text in (done.stdout, done.stderr))
    assert len(out) == len(err) == len(commands) + 1, done.stdout + done.stderr
    return out[:-1], err[:-1]


@pytest.mark.parametrize("page", PAGES)
def test_console_examples(page: str, workplaces: Workplaces) -> None:
    assert len(examples(page)) >= 3
    for block in blocks("console", page):
        asked = split(block)
        out, err = prompt(workplaces(page), *(example.command for example in asked))
        for example, printed, said in zip(asked, out, err, strict=True):
            assert printed == example.output, example.command
            # The README leaves warnings out; the other pages show a terminal, word for word.
            assert page == "README.md" or not said, f"{example.command} needs 2>&1"


def python_examples(page: str) -> doctest.TestResults:
    """Run the Python blocks of a page as one session."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        for number, block in enumerate(blocks("python", page)):
            test = parser.get_doctest(block, names, f"{page}-{number}", page, 0)
            runner.run(test, clear_globs=False)
            names = test.globs
    return runner.summarize(verbose=False)


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks("python", page)])
def test_python_examples(
    page: str, workplaces: Workplaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = workplaces(page)
    if page == "README.md":
        assert len(blocks("python")) == 2
        prompt(folder, examples()[0].command)  # writes scores.csv
    monkeypatch.chdir(folder)
    result = python_examples(page)
    assert result.failed == 0
    assert result.attempted > (5 if page == "README.md" else 0)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_its_language(page: str) -> None:
    fences = re.findall(r"^```(.*)$", PAGES[page], re.MULTILINE)
    known = {"console", "python", "sh", "text", "r", "sql", "yaml"}
    assert len(fences) % 2 == 0
    assert set(fences[::2]) <= known
    assert set(fences[1::2]) == {""}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", PAGES[page]):
        assert (folder / target).exists(), target


class TestSwitching:
    PAGE = "docs/switching.md"

    def test_the_c_programs_lines_and_ours_are_equal(self) -> None:
        # What the C program prints was recorded; what ours prints, test_console_examples runs.
        theirs = dict(examples(self.PAGE, "text"))
        ours = dict(examples(self.PAGE))
        assert len(theirs) >= 3
        for command, output in theirs.items():
            assert command.startswith("trec_eval ")
            assert output.count("\t") == 2 * output.count("\n") >= 2
            assert ours[f"trec_eval_py {command}"] == output

    def test_the_table_has_every_flag(self) -> None:
        rows = re.findall(r"^\| (?:`(-\w)` )?\| `(--\w+)` \|", PAGES[self.PAGE], re.MULTILINE)
        assert {long: short for short, long in rows} == {
            **{long.rstrip("="): short for long, short in twin.LONG.items()},
            **{long.rstrip("="): "" for long in twin.OURS},
        }


def test_what_differs_is_named_with_a_version() -> None:
    """Each difference is shown, and says which C program does otherwise."""
    page = PAGES["docs/trec_eval.md"]
    sections = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    assert len(sections) >= 30
    for section in sections:
        title = section.partition("\n")[0]
        assert "```console\n" in section, title
        assert re.search(r"\*\*C\*\*.*(9\.0\.8|10\.0|both)", section), title


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
    prompt(workplace, examples()[0].command)
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
