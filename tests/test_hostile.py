"""No file, however odd, brings out more than values or a refusal, and both readers agree on it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import Counter
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest
from generators import files
from hostile import Choices, choices_of, examine, hostile_file, plausible_files, verdict
from hypothesis import example, given, settings
from hypothesis import strategies as st

import trec_eval_py as te
from trec_eval_py import reading
from trec_eval_py.reading import _runs

FUZZ = Path(__file__).resolve().parent.parent / "scripts" / "fuzz"
SEEDS = range(300)
GOOD = b"q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d1 1 1 t\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.mark.parametrize("first", SEEDS[::50])
def test_a_hostile_file_gives_values_or_a_refusal(folder: Path, first: int) -> None:
    found = {
        seed: findings
        for seed in range(first, first + 50)
        if (findings := examine(hostile_file(seed), folder, choices_of(seed)).findings)
    }
    assert found == {}


@given(
    content=files(),
    profile=st.sampled_from(["9.0", "10.0"]),
    duplicates=st.sampled_from(reading.DUPLICATES),
    complete=st.booleans(),
    form=st.sampled_from(["qrels", "qrels", *reading.FORMS]),
    block=st.sampled_from([None, 64, 100, 500]),
)
@example(b"", "9.0", "refuse", False, "qrels", None)
@settings(max_examples=200)
def test_both_readers_agree_on_any_file(
    folder: Path,
    content: bytes,
    profile: str,
    duplicates: reading.Duplicates,
    complete: bool,
    form: str,
    block: int | None,
) -> None:
    choices = Choices(profile, duplicates, complete, form, block)
    assert examine(content, folder, choices).findings == []


# What keeps the harness itself from being blind


def test_a_seed_gives_the_same_file_again() -> None:
    made = [hostile_file(seed) for seed in SEEDS]
    assert [hostile_file(seed) for seed in SEEDS] == made
    assert len(set(made)) > 280


def test_many_files_are_scored_and_refusals_are_of_many_kinds(folder: Path) -> None:
    kinds = Counter(
        kind
        for seed in SEEDS[:150]
        for kind in examine(hostile_file(seed), folder, choices_of(seed)).kinds
    )
    assert kinds["run: scored"] > 15
    assert kinds["qrels: scored"] > 8
    assert len(kinds) > 15


def test_text_runs_are_scored_by_columns(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain reader is out of reach here, so that what is scored went by columns."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("the plain reader")

    monkeypatch.setattr(_runs, "read_run", refuse)
    path, beside = folder / "x.run", folder / "good.run"
    path.write_bytes(GOOD)
    for block in (None, 64):
        found = verdict(path, "run", "columnar", Choices(block=block), beside)
        assert found.kind() == "scored"
    assert "the plain reader" in verdict(path, "run", "plain", Choices(), beside).fault


def test_every_plausible_file_that_is_read_is_read_alike(folder: Path) -> None:
    from random import Random

    for content in plausible_files(Random(1)):
        assert examine(content, folder, Choices()).findings == []


FAULTS: dict[str, tuple[type[Exception], str]] = {
    "another error": (KeyError, "KeyError: 'broken'"),
    "a refusal of one reader": (te.InputError, "as run: plain gives "),
    "a warning of another kind": (DeprecationWarning, "as run, columnar: DeprecationWarning: "),
}


@pytest.mark.parametrize(("raised", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, raised: type[Exception], said: str
) -> None:
    stream = reading.stream_run

    def broken(*given: object, **named: object) -> object:
        if issubclass(raised, Warning):
            import warnings

            warnings.warn("broken", raised, stacklevel=1)
            return stream(*given, **named)  # type: ignore[arg-type]
        raise raised("broken")

    monkeypatch.setattr(reading, "stream_run", broken)
    found = examine(GOOD, folder, Choices(), ["run"]).findings
    assert any(said in one for one in found)


# scripts/fuzz


def script() -> ModuleType:
    loader = SourceFileLoader("fuzz", str(FUZZ))
    spec = importlib.util.spec_from_loader("fuzz", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module  # dataclasses look there
    loader.exec_module(module)
    return module


def test_the_script_says_what_came_of_each_file() -> None:
    words = [sys.executable, str(FUZZ), "files", "6", "--workers", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    *kinds, last = done.stdout.splitlines()
    assert last == "6 files, findings in 0"
    assert sum(int(line.split()[0]) for line in kinds if line) == 12


def test_without_atheris_the_script_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fuzz = script()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert fuzz.main(["measures"]) == 2
    said = capsys.readouterr().err
    assert said == f"atheris is not there: {sys.executable} -m pip install atheris\n"
