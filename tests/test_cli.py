"""The command line: what it takes, what it prints, what it leaves behind, how it ends."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import click
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from trec_eval_py import __main__ as entry
from trec_eval_py import __version__
from trec_eval_py.cli import main

ROOT = Path(__file__).resolve().parent.parent
FULL = Path("/dev/full")
HEADER = "qrels,run,query_id,measure,value,protocol\n"
NEEDS_FULL = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
COMMANDS = main.commands

# By bytes, q10 stands before q2. q10 has no relevant document; graded.run lacks q2.
JUDGMENTS = (("q1", "d1", 1), ("q1", "d2", 0), ("q1", "d3", 2), ("q2", "d1", 1), ("q10", "d9", 0))
ALL_RUN = """\
q1 Q0 d3 1 3.0 tagA
q1 Q0 d2 2 2.0 tagA
q1 Q0 d1 3 1.0 tagA
q10 Q0 d9 1 1.0 tagA
q2 Q0 d7 1 2.0 tagA
q2 Q0 d1 2 1.0 tagA
"""
SOME_RUN = """\
q1 Q0 d1 1 2.0 tagB
q10 Q0 d9 1 1.0 tagB
"""
# Average precision of q1 in all.run, added as C does; 5 / 6 is another double.
AVERAGE = (1 / 1 + 2 / 3) / 2
BAD_RUN = """\
q1 Q0 d1 1 2.0 tagC
q1 Q0 d2 2 nan tagC
"""
OTHER_RUN = "zz Q0 d1 1 2.0 tagD\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with small files, and nothing else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    files = {
        "tiny.qrels": "".join(f"{q} 0 {d} {grade}\n" for q, d, grade in JUDGMENTS),
        "all.run": ALL_RUN,
        "some.run": SOME_RUN,
        "bad.run": BAD_RUN,
        "other.run": OTHER_RUN,
        "empty.run": "# nothing\n",
        "bad.qrels": "q1 0 d1 1\nq1 0 d2 1.5\n",
        "empty.qrels": "",
        "none-relevant.qrels": "q1 0 d1 0\n",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.fixture
def device(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give a device as a target: root, who could replace the one in /dev, gets one of its own."""

    def given(name: str) -> Path:
        if os.geteuid() != 0:
            return Path("/dev", name)
        if not sys.platform.startswith("linux"):
            pytest.skip("a fault would replace a device in /dev: run this as another user")
        path = tmp_path_factory.mktemp("devices") / name
        minor = {"null": 3, "full": 7}[name]
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            path.open("wb").close()
        except OSError:
            pytest.skip("a fault would replace a device in /dev: run this as another user")
        return path

    return given


def call(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], input=stdin)


def done(*arguments: str | Path, stdin: bytes | None = None) -> str:
    """Call what must succeed, and give what it printed."""
    result = call(*arguments, stdin=stdin)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    return result.stdout


def scored(*arguments: str | Path, stdin: bytes | None = None) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(done("score", *arguments, stdin=stdin))))


def refused(status: int, *arguments: str | Path, stdin: bytes | None = None) -> str:
    """Call what must fail so, with nothing on standard output, and give what was said."""
    result = call(*arguments, stdin=stdin)
    assert (result.exit_code, result.stdout) == (status, ""), result.output
    assert "Traceback" not in result.stderr
    assert "fault of trec_eval_py" not in result.stderr
    return result.stderr


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "trec_eval_py", *map(str, arguments)]


def process(
    *arguments: str | Path, stdout: int | IO[bytes] = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )


def protocol(judgments: Sequence[tuple[str, str, int]] = JUDGMENTS, profile: str = "9.0") -> str:
    """By the definition: query TAB docno TAB grade, sorted by bytes, each ended by LF."""
    lines = sorted(f"{q}\t{d}\t{grade}\n".encode() for q, d, grade in judgments)
    return f"{hashlib.sha256(b''.join(lines)).hexdigest()[:12]}/{profile}"


def column(rows: Sequence[dict[str, str]], name: str) -> list[str]:
    """Give the different cells of a column, in order."""
    return list(dict.fromkeys(row[name] for row in rows))


class TestHelp:
    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_help(self, name: str) -> None:
        printed = done(name, "--help")
        assert printed.startswith((f"Usage: main {name} ", "Usage: trec_eval "))
        assert len(COMMANDS[name].help or "") > 20

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_option_has_help(self, name: str) -> None:
        for parameter in COMMANDS[name].params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.help, parameter.name

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_is_in_the_readme(self, name: str) -> None:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        assert re.search(rf"(trec_eval_py |`){name}\b", readme)

    def test_help_lists_the_commands(self) -> None:
        printed = done("--help")
        assert all(re.search(rf"^  {name} ", printed, re.MULTILINE) for name in COMMANDS)

    def test_the_version(self) -> None:
        assert done("--version") == f"trec_eval_py {__version__}\n"

    def test_the_program_bears_its_name(self) -> None:
        assert process("score", "--help").stdout.startswith("Usage: trec_eval_py score ")


class TestContract:
    def test_the_csv_is_the_contract_to_the_letter(self, here: Path) -> None:
        """AP of q1: 2 relevant documents, at ranks 1 and 3; of q2: 1, at rank 2."""
        average = "0.8333333333333333"
        assert float(average) == AVERAGE
        p = protocol()
        expected = f"""\
qrels,run,query_id,measure,value,protocol
tiny,all,q1,P_2,0.5,{p}
tiny,all,q1,RR@10,1.0,{p}
tiny,all,q1,map,{average},{p}
tiny,all,q10,P_2,0.0,{p}
tiny,all,q10,RR@10,0.0,{p}
tiny,all,q10,map,0.0,{p}
tiny,all,q2,P_2,0.5,{p}
tiny,all,q2,RR@10,0.5,{p}
tiny,all,q2,map,0.5,{p}
tiny,some,q1,P_2,0.5,{p}
tiny,some,q1,RR@10,1.0,{p}
tiny,some,q1,map,0.5,{p}
tiny,some,q10,P_2,0.0,{p}
tiny,some,q10,RR@10,0.0,{p}
tiny,some,q10,map,0.0,{p}
tiny,some,q2,P_2,,{p}
tiny,some,q2,RR@10,,{p}
tiny,some,q2,map,,{p}
"""
        given = ("tiny.qrels", "all.run", "some.run", "-m", "P_2", "-m", "RR@10", "-m", "map")
        result = call("score", *given)
        assert (result.exit_code, result.stdout_bytes) == (0, expected.encode())
        assert result.stderr == ("warning: some: 1 query of tiny missing; left empty\n")
        assert Path("s.csv").write_bytes(result.stdout_bytes)
        done("score", *given, "-o", "s.csv")
        assert Path("s.csv").read_bytes() == expected.encode()

    def test_the_protocol_is_that_of_the_judgments_whatever_their_order(self, here: Path) -> None:
        turned = Path("tiny.qrels").read_text().splitlines()[::-1]
        Path("turned.qrels").write_bytes(gzip.compress("\r\n".join(turned).encode()))
        rows = scored("turned.qrels", "all.run", "-m", "P_2")
        assert column(rows, "protocol") == [protocol()]

    def test_the_protocol_changes_with_a_grade(self, here: Path) -> None:
        Path("tiny.qrels").write_text(Path("tiny.qrels").read_text().replace("d9 0", "d9 -1"))
        changed = [(q, d, -1 if d == "d9" else grade) for q, d, grade in JUDGMENTS]
        rows = scored("tiny.qrels", "all.run", "-m", "P_2")
        assert column(rows, "protocol") == [protocol(changed)] != [protocol()]

    def test_the_protocol_names_the_profile(self, here: Path) -> None:
        rows = scored("tiny.qrels", "all.run", "-m", "P_2", "--profile", "10.0")
        assert column(rows, "protocol") == [protocol(profile="10.0")]

    def test_runs_and_measures_stand_as_given_and_queries_by_bytes(self, here: Path) -> None:
        rows = scored("tiny.qrels", "some.run", "all.run", "-m", "recip_rank", "-m", "P.5,2")
        assert column(rows, "run") == ["some", "all"]
        assert column(rows, "query_id") == ["q1", "q10", "q2"]
        assert column(rows, "measure") == ["recip_rank", "P_2", "P_5"]
        assert [(row["run"], row["query_id"], row["measure"]) for row in rows] == [
            (run, query_id, measure)
            for run in ("some", "all")
            for query_id in ("q1", "q10", "q2")
            for measure in ("recip_rank", "P_2", "P_5")
        ]

    def test_by_default_every_measure_is_scored(self, here: Path) -> None:
        labels = column(scored("tiny.qrels", "all.run"), "measure")
        assert labels == column(scored("tiny.qrels", "all.run", "-m", "all_trec"), "measure")
        assert {"num_q", "map", "ndcg_cut_10", "P_1000", "iprec_at_recall_0.00"} <= set(labels)

    def test_options_are_told_by_the_labels(self, here: Path) -> None:
        rows = scored("tiny.qrels", "all.run", "-m", "P_2", *("-l", "2", "-J", "-M", "5"))
        assert column(rows, "measure") == ["P_2(rel=2,judged_only,max=5)"]

    def test_settings_reach_the_values(self, here: Path) -> None:
        """At level 2 only d3 is relevant, at rank 1: P_2 is 0.5, and 1 where only rank 1 counts."""
        rows = scored("tiny.qrels", "all.run", "-m", "P_1(rel=2)", "-m", "num_ret(max=2)")
        assert [row["value"] for row in rows[:2]] == ["1.0", "2.0"]

    def test_num_docs_reach_utility(self, here: Path) -> None:
        """q1: 2 found, 1 other, none missed, 100 - 3 left, each of which counts 1."""
        rows = scored("tiny.qrels", "all.run", "-m", "utility_0,0,0,1", "-N", "100")
        assert (rows[0]["measure"], rows[0]["value"]) == ("utility_0,0,0,1(docs=100)", "97.0")

    def test_no_trim_changes_nothing(self, here: Path) -> None:
        given = ("score", "tiny.qrels", "all.run", "some.run")
        assert done(*given, "--no-trim") == done(*given)


KINDS = (
    *(".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz"),
    *(".csv.zst", ".tsv.zst", ".jsonl.zst"),
)
Cells = tuple[str | float | None, ...]


def read_back(path: Path) -> tuple[list[str], list[Cells]]:
    """Read what was written without help of ours: names of columns, and rows."""
    if path.suffix == ".parquet":
        table = parquet.read_table(io.BytesIO(path.read_bytes()))
        return table.column_names, list(zip(*table.to_pydict().values(), strict=True))
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if path.suffix == ".zst":
        content = pa.CompressedInputStream(pa.BufferReader(content), "zstd").read()
    text = content.decode()
    if ".jsonl" in path.name:
        rows = [json.loads(line) for line in text.splitlines()]
        return list(rows[0]), [tuple(row.values()) for row in rows]
    names, *lines = csv.reader(io.StringIO(text), delimiter="\t" if ".tsv" in path.name else ",")
    return names, [typed(names, line) for line in lines]


def typed(names: Sequence[str], cells: Sequence[str]) -> Cells:
    texts = ("qrels", "run", "query_id", "measure", "protocol")
    return tuple(
        cell if name in texts else float(cell) if cell else None
        for name, cell in zip(names, cells, strict=True)
    )


class TestFiles:
    GIVEN = ("tiny.qrels", "all.run", "some.run", "-m", "map", "-m", "P_2")

    @pytest.mark.parametrize("suffix", KINDS)
    def test_every_kind_holds_the_same(self, here: Path, suffix: str) -> None:
        names, *lines = csv.reader(io.StringIO(done("score", *self.GIVEN)))
        done("score", *self.GIVEN, "-o", f"s{suffix}")
        assert read_back(Path(f"s{suffix}")) == (names, [typed(names, line) for line in lines])

    @pytest.mark.parametrize("suffix", KINDS)
    def test_every_kind_may_be_wide(self, here: Path, suffix: str) -> None:
        done("score", *self.GIVEN, "--wide", "-o", f"s{suffix}")
        p = protocol()
        assert read_back(Path(f"s{suffix}")) == (
            ["qrels", "run", "query_id", "protocol", "map", "P_2"],
            [
                ("tiny", "all", "q1", p, AVERAGE, 0.5),
                ("tiny", "all", "q10", p, 0.0, 0.0),
                ("tiny", "all", "q2", p, 0.5, 0.5),
                ("tiny", "some", "q1", p, 0.5, 0.5),
                ("tiny", "some", "q10", p, 0.0, 0.0),
                ("tiny", "some", "q2", p, None, None),
            ],
        )

    def test_wide_on_standard_output(self, here: Path) -> None:
        p = protocol()
        assert done("score", "tiny.qrels", "some.run", "-m", "utility_1,-1,0,0", "--wide") == (
            "qrels,run,query_id,protocol,utility\n"
            f"tiny,some,q1,{p},1.0\ntiny,some,q10,{p},-1.0\ntiny,some,q2,{p},\n"
        )

    def test_a_measure_with_commas_is_quoted(self, here: Path) -> None:
        given = ("score", "tiny.qrels", "all.run", "-m", "utility_2,-1,0,0")
        assert f'tiny,all,q1,"utility_2,-1,0,0",3.0,{protocol()}\n' in done(*given)
        assert done(*given, "--wide").startswith('qrels,run,query_id,protocol,"utility_2,-1,0,0"\n')

    def test_a_target_is_replaced(self, here: Path) -> None:
        Path("s.csv").write_text("before")
        done("score", *self.GIVEN, "-o", "s.csv")
        assert Path("s.csv").read_text().startswith(HEADER)

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
    def test_a_replaced_target_keeps_its_mode(self, here: Path, mode: int) -> None:
        Path("s.csv").touch()
        Path("s.csv").chmod(mode)
        done("score", *self.GIVEN, "-o", "s.csv")
        assert Path("s.csv").read_text().startswith(HEADER)
        assert stat.S_IMODE(Path("s.csv").stat().st_mode) == mode

    def test_a_new_target_has_the_mode_of_new_files(self, here: Path) -> None:
        Path("other").touch()
        done("score", *self.GIVEN, "-o", "s.csv")
        assert Path("s.csv").stat().st_mode == Path("other").stat().st_mode

    def test_a_target_of_254_bytes(self, here: Path) -> None:
        name = f"{'é' * 125}.csv"
        assert len(name.encode()) == 254
        done("score", *self.GIVEN, "-o", name)
        assert Path(name).read_text() == done("score", *self.GIVEN)

    def test_a_target_whose_name_is_too_long_is_refused(self, here: Path) -> None:
        before = sorted(here.iterdir())
        name = f"{'n' * 252}.csv"
        assert refused(3, "score", *self.GIVEN, "-o", name).splitlines()[-1] == (
            f"error: {name}: cannot be written: File name too long. Free space, or choose another "
            "place."
        )
        assert sorted(here.iterdir()) == before

    def test_behind_a_link_the_file_is_replaced(self, here: Path) -> None:
        Path("folder").mkdir()
        Path("folder/real.csv").write_text("before")
        Path("link.csv").symlink_to("folder/real.csv")
        done("score", *self.GIVEN, "-o", "link.csv")
        assert Path("link.csv").is_symlink()
        assert Path("folder/real.csv").read_text().startswith(HEADER)
        assert [path.name for path in Path("folder").iterdir()] == ["real.csv"]

    def test_the_null_device_stays_one(self, here: Path, device: Callable[[str], Path]) -> None:
        null = device("null")
        done("score", *self.GIVEN, "-o", null)
        assert stat.S_ISCHR(null.stat().st_mode)
        assert null.read_bytes() == b""

    def test_a_named_pipe_is_written_directly(self, here: Path) -> None:
        os.mkfifo("pipe")
        with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
            done("score", *self.GIVEN, "-o", "pipe")
            assert reader.communicate()[0] == done("score", *self.GIVEN)
        assert stat.S_ISFIFO(Path("pipe").stat().st_mode)

    def test_standard_output_by_its_path(self, here: Path) -> None:
        Path("s.csv").symlink_to("/dev/stdout")  # a link, which is all that a fault can replace
        ended = process("score", *self.GIVEN, "-o", "s.csv")
        assert "error" not in ended.stderr
        assert ended.stdout.startswith(HEADER)

    def test_a_process_may_stand_for_a_file(self, here: Path) -> None:
        """The shell names the end of a pipe, such as /dev/fd/63."""
        shell = '"$@" -o >(cat >&2)'
        ended = subprocess.run(
            ["bash", "-c", shell, "bash", *command("score", "tiny.qrels", "all.run", "-m", "map")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, done(*SCORE))
        assert ended.stdout == done(*SCORE, "-o", "s.csv")

    def test_a_minus_is_standard_output(self, here: Path) -> None:
        assert done("score", *self.GIVEN, "-o", "-") == done("score", *self.GIVEN)
        done("score", *self.GIVEN, "-o", "s.csv")
        assert done("summary", "s.csv", "-o", "-") == done("summary", "s.csv", "--format", "csv")
        assert not Path("-").exists()

    def test_standard_output_by_its_path_is_appended_to(self, here: Path) -> None:
        Path("log.csv").write_text("before\n")
        with Path("log.csv").open("ab") as log:
            ended = process("score", *self.GIVEN, "-o", "/dev/stdout", stdout=log)
        assert ended.returncode == 0
        assert Path("log.csv").read_text().startswith(f"before\n{HEADER}")

    def test_nothing_else_is_left(self, here: Path) -> None:
        before = {path.name for path in here.iterdir()}
        done("score", *self.GIVEN, "-o", "s.csv")
        assert {path.name for path in here.iterdir()} == {*before, "s.csv"}


needs_raw_names = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="file names are text here"
)
NAMED = {
    "file": (["all.run"], ["all"]),
    "NAME=FILE": (["mine=all.run"], ["mine"]),
    "the first = splits": (["a=b=c.run"], ["a"]),
    "a file that holds =": (["b=c.run"], ["b=c"]),
    "a name with a suffix stays": (["a.run=all.run"], ["a.run"]),
    "compression and suffix": (["x.run.gz"], ["x"]),
    "bzip2, .res": (["x.res.bz2"], ["x"]),
    "xz, .trec": (["x.trec.xz"], ["x"]),
    "zstd, .results": (["x.results.zst"], ["x"]),
    "capitals": (["X.RUN"], ["X"]),
    "one suffix of two": (["x.run.txt"], ["x.run"]),
    "a suffix that is none": (["bm25.v1"], ["bm25.v1"]),
    "no suffix": (["plain"], ["plain"]),
    "in a folder": (["folder/all.run"], ["all"]),
    "path": (["--run-names", "path", "folder/all.run", "all.run"], ["folder/all.run", "all.run"]),
    "tag": (["--run-names", "tag", "all.run", "some.run"], ["tagA", "tagB"]),
    "tag, but for a name": (["--run-names", "tag", "mine=all.run"], ["mine"]),
    "tag, where there is none": (["--run-names", "tag", "no-tag.run"], ["no-tag"]),
    "one file under two names": (["a=all.run", "b=all.run"], ["a", "b"]),
    "standard input": (["-"], ["stdin"]),
    "standard input with a name": (["mine=-"], ["mine"]),
    "with blanks and commas": (["my run, v=all.run"], ["my run, v"]),
}
CLASHES = {
    "two alike": (
        ["all.run", "folder/all.run"],
        "error: folder/all.run: saw a second run named 'all' (the first is all.run), expected "
        "names that differ. Write NAME=FILE, or --run-names path or tag.\n",
    ),
    "a name that a file has": (
        ["all.run", "all=some.run"],
        "error: all=some.run: saw a second run named 'all' (the first is all.run), expected "
        "names that differ. Write NAME=FILE, or --run-names path or tag.\n",
    ),
    "tags alike": (
        ["--run-names", "tag", "all.run", "folder/all.run"],
        "error: folder/all.run: saw a second run named 'tagA' (the first is all.run), expected "
        "names that differ. Write NAME=FILE, or --run-names path or tag.\n",
    ),
    "reserved": (
        ["ideal=all.run"],
        "error: ideal=all.run: the name 'ideal' is reserved. Write NAME=all.run.\n",
    ),
    "reserved, by its file": (
        ["ideal.run"],
        "error: ideal.run: the name 'ideal' is reserved. Write NAME=ideal.run.\n",
    ),
    "standard input twice": (
        ["-", "b=-"],
        "error: -: standard input can be read once; give the other as a file.\n",
    ),
}


class TestNames:
    @pytest.fixture(autouse=True)
    def files(self, here: Path) -> None:
        Path("folder").mkdir()
        for name in (
            *("b=c.run", "c.run", "b", "x.run.gz", "x.res.bz2", "x.trec.xz", "x.results.zst"),
            *("X.RUN", "x.run.txt", "bm25.v1", "plain", "folder/all.run", "ideal.run"),
        ):
            Path(name).write_text(ALL_RUN)
        Path("no-tag.run").write_text(ALL_RUN.replace(" tagA", ""))

    @pytest.mark.parametrize(("runs", "names"), NAMED.values(), ids=NAMED)
    def test_a_run_is_named(self, runs: list[str], names: list[str]) -> None:
        rows = scored("tiny.qrels", *runs, "-m", "P_2", stdin=ALL_RUN.encode())
        assert column(rows, "run") == names

    @pytest.mark.parametrize(("runs", "said"), CLASHES.values(), ids=CLASHES)
    def test_names_that_clash_are_refused(self, runs: list[str], said: str) -> None:
        given = ("score", "tiny.qrels", *runs, "-m", "P_2")
        assert refused(2, *given, stdin=ALL_RUN.encode()) == said

    @pytest.mark.parametrize(
        ("qrels", "name"), [("tiny.qrels", "tiny"), ("a=tiny.qrels", "a"), ("-", "stdin")]
    )
    def test_qrels_are_named(self, qrels: str, name: str) -> None:
        judged = Path("tiny.qrels").read_bytes()
        rows = scored(qrels, "all.run", "-m", "P_2", stdin=judged)
        assert column(rows, "qrels") == [name]

    def test_standard_input_is_for_one_of_qrels_and_runs(self) -> None:
        said = refused(2, "score", "-", "-", stdin=ALL_RUN.encode())
        assert said == "error: -: standard input can be read once; give the other as a file.\n"

    RAW = os.fsdecode(b"\xff")

    @needs_raw_names
    def test_a_file_name_that_is_not_utf_8(self) -> None:
        os.link("all.run", f"{self.RAW}.run")
        os.link("tiny.qrels", f"{self.RAW}.qrels")
        ended = process("score", f"{self.RAW}.qrels", f"{self.RAW}.run", "-m", "P_2")
        assert (ended.returncode, ended.stderr) == (0, "")
        p = protocol()
        assert ended.stdout == (
            f"{HEADER}\\xff,\\xff,q1,P_2,0.5,{p}\n\\xff,\\xff,q10,P_2,0.0,{p}\n"
            f"\\xff,\\xff,q2,P_2,0.5,{p}\n"
        )

    @needs_raw_names
    @pytest.mark.parametrize("suffix", KINDS)
    def test_such_a_name_stays_in_every_kind(self, suffix: str) -> None:
        os.link("all.run", f"{self.RAW}.run")
        output = f"{self.RAW}{suffix}"
        ended = process("score", "tiny.qrels", f"{self.RAW}.run", "-m", "P_2", "-o", output)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert {row[1] for row in read_back(Path(output))[1]} == {"\\xff"}

    @needs_raw_names
    @pytest.mark.parametrize("suffix", KINDS)
    def test_scores_of_such_a_name_are_read(self, suffix: str) -> None:
        output = f"{self.RAW}{suffix}"
        shown = process("score", "tiny.qrels", "all.run", "-m", "P_2", "-o", output).stdout
        ended = process("summary", output)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, shown, "")

    @needs_raw_names
    @pytest.mark.parametrize(
        ("given", "names"),
        [
            (["tiny.qrels", "--run-names", "path", f"{RAW}.run"], ["tiny", "\\xff.run"]),
            (["tiny.qrels", f"{RAW}=all.run"], ["tiny", "\\xff"]),
            ([f"{RAW}=tiny.qrels", "all.run"], ["\\xff", "all"]),
        ],
        ids=["path", "NAME=FILE", "qrels"],
    )
    def test_other_names_that_are_not_utf_8(self, given: list[str], names: list[str]) -> None:
        os.link("all.run", f"{self.RAW}.run")
        ended = process("score", *given, "-m", "P_2")
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.splitlines()[1].split(",")[:2] == names

    EMPTY = "error: saw an empty file name, expected a path. Check the arguments.\n"

    @pytest.mark.parametrize(
        "words",
        [
            ("score", "tiny.qrels", "x="),
            ("score", "tiny.qrels", ""),
            ("score", "tiny.qrels", "all.run", ""),
            ("score", "x=", "all.run"),
            ("score", "", "all.run"),
            ("score", "tiny.qrels", "--run-names", "tag", "x="),
            ("score", "tiny.qrels", "all.run", "x=", "-o", "s.csv"),
            ("summary", ""),
        ],
        ids=" ".join,
    )
    def test_an_empty_file_name_is_refused(self, words: tuple[str, ...]) -> None:
        assert refused(2, *words) == self.EMPTY
        assert not Path("s.csv").exists()

    @pytest.mark.parametrize("given", ["=", "=all.run"])
    def test_an_empty_name_is_part_of_a_path(self, given: str) -> None:
        said = f"error: {given}: cannot be read: No such file or directory. Check the path.\n"
        assert refused(2, "score", "tiny.qrels", given) == said

    @pytest.mark.parametrize(
        "words", [("score", "tiny.qrels", "all.run", "-m", "map"), ("summary", "s.csv")]
    )
    def test_an_empty_output_name_is_refused(self, words: tuple[str, ...]) -> None:
        done("score", "tiny.qrels", "all.run", "-m", "map", "-o", "s.csv")
        assert "empty file name" in refused(2, *words, "-o", "")

    @pytest.mark.parametrize(
        "words", [("score", "tiny.qrels", "all.run", "-m", ""), ("measures", "")], ids=" ".join
    )
    def test_an_empty_measure_is_refused(self, words: tuple[str, ...]) -> None:
        said = "error: measure '': expected a measure. `trec_eval_py measures` lists them.\n"
        assert refused(2, *words) == said


IDS = ("001", "1", "1e5", "NA", "null", "nan", "a,b", 'say"x"', "'q'", "é", "日本", "a;b", "=1+1")


class TestIds:
    @pytest.fixture(autouse=True)
    def files(self, here: Path) -> None:
        Path("ids.qrels").write_text("".join(f"{q} 0 d 1\n" for q in IDS), encoding="utf-8")
        Path("ids.run").write_text("".join(f"{q} Q0 d 1 1 t\n" for q in IDS), encoding="utf-8")

    def test_ids_are_text_and_stay(self) -> None:
        rows = scored("ids.qrels", "ids.run", "-m", "P_1")
        assert column(rows, "query_id") == sorted(IDS, key=str.encode)
        assert {row["value"] for row in rows} == {"1.0"}

    @pytest.mark.parametrize("suffix", KINDS)
    def test_ids_stay_in_every_kind(self, suffix: str) -> None:
        done("score", "ids.qrels", "ids.run", "-m", "P_1", "-o", f"s{suffix}")
        _, rows = read_back(Path(f"s{suffix}"))
        assert [row[2] for row in rows] == sorted(IDS, key=str.encode)

    def test_only_what_needs_quotes_has_them(self) -> None:
        lines = done("score", "ids.qrels", "ids.run", "-m", "P_1").splitlines()
        quoted = [line.removeprefix("ids,ids,") for line in lines if '"' in line]
        assert [line[: line.index(",P_1")] for line in quoted] == ['"a,b"', '"say""x"""']

    def test_bytes_that_are_not_text_are_shown(self) -> None:
        Path("odd.qrels").write_bytes(b"\xff\xc3 0 d 1\n\x01 0 d 1\n")
        Path("odd.run").write_bytes(b"\xff\xc3 Q0 d 1 1 t\n\x01 Q0 d 1 1 t\n")
        rows = scored("odd.qrels", "odd.run", "-m", "P_1")
        assert column(rows, "query_id") == ["\x01", "\\xff\\xc3"]

    def test_ids_that_become_alike_are_refused(self) -> None:
        Path("odd.qrels").write_bytes(b"\xff 0 d 1\n\\xff 0 d 1\n")
        assert refused(3, "score", "odd.qrels", "ids.run") == (
            r"error: odd: saw ids b'\\xff' and b'\xff', which are alike as text, "
            "expected ids that differ. Rename one.\n"
        )


class TestQueries:
    def value(self, rows: list[dict[str, str]], query_id: str, measure: str) -> str:
        (row,) = [r for r in rows if (r["query_id"], r["measure"]) == (query_id, measure)]
        return row["value"]

    def test_a_missing_query_is_empty_in_every_measure(self, here: Path) -> None:
        rows = scored("tiny.qrels", "some.run")
        assert {row["value"] for row in rows if row["query_id"] == "q2"} == {""}
        assert all(row["value"] for row in rows if row["query_id"] != "q2")

    def test_complete_counts_it_as_trec_eval_does(self, here: Path) -> None:
        rows = scored("tiny.qrels", "some.run", "--complete")
        assert self.value(rows, "q2", "num_q") == "1.0"
        assert self.value(rows, "q2", "num_rel") == "1.0"
        others = {r["value"] for r in rows if r["measure"] not in ("num_q", "num_rel")}
        assert "" not in others
        assert {
            r["value"]
            for r in rows
            if r["query_id"] == "q2" and r["measure"] not in ("num_q", "num_rel")
        } == {"0.0"}

    def test_c_is_short_for_complete(self, here: Path) -> None:
        given = ("score", "tiny.qrels", "some.run")
        assert done(*given, "-c") == done(*given, "--complete")

    def test_complete_takes_a_run_of_other_queries(self, here: Path) -> None:
        result = call("score", "tiny.qrels", "other.run", "-m", "num_q", "-m", "map", "-c")
        assert result.exit_code == 0
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        assert [row["value"] for row in rows] == ["1.0", "0.0"] * 3
        assert result.stderr == (
            "warning: other: 1 query not in tiny; left out\n"
            "warning: other: 3 queries of tiny missing; counted as trec_eval -c does\n"
        )

    def test_answerable_only_leaves_out_the_rest_and_says_so(self, here: Path) -> None:
        rows = scored("tiny.qrels", "all.run", "-m", "map", "--answerable-only")
        assert column(rows, "query_id") == ["q1", "q2"]
        assert column(rows, "protocol") == [f"{protocol()};answerable-only"]

    def test_answerable_at_the_level_asked_for(self, here: Path) -> None:
        given = ("tiny.qrels", "all.run", "-m", "map", "--answerable-only")
        assert column(scored(*given, "-l", "2"), "query_id") == ["q1"]
        assert column(scored(*given, "-m", "P_5(rel=2)"), "query_id") == ["q1", "q2"]

    def test_the_ceiling_is_the_best_ranking(self, here: Path) -> None:
        given = ("-m", "map", "-m", "P_2", "-m", "num_ret", "-m", "set_P", "-m", "ndcg")
        rows = scored("tiny.qrels", "some.run", *given, "--ceiling")
        assert column(rows, "run") == ["some", "ideal"]
        best = [row["value"] for row in rows if row["run"] == "ideal"]
        assert best == [
            *("1.0", "1.0", "", "", "1.0"),  # q1
            *("0.0", "0.0", "", "", "0.0"),  # q10: nothing relevant
            *("1.0", "0.5", "", "", "1.0"),  # q2: one relevant document
        ]

    def test_ties_are_told_in_a_line(self, here: Path) -> None:
        Path("tied.run").write_text(ALL_RUN.replace("2.0", "3.0"))
        result = call("score", "tiny.qrels", "tied.run", "-m", "P_2")
        assert result.stderr == (
            "warning: tied: 2 documents tie in 1 query; among equal scores the docno that sorts "
            "last comes first\n"
        )

    def test_profiles_differ_where_scores_tie_as_floats(self, here: Path) -> None:
        """As doubles d1 is before d7; as C floats they tie, and d7 sorts last."""
        Path("near.run").write_text("q2 Q0 d1 1 1.00000001 t\nq2 Q0 d7 2 1.0 t\n")
        given = ("tiny.qrels", "near.run", "-m", "recip_rank", "--answerable-only")
        assert [row["value"] for row in scored(*given)] == ["", "0.5"]
        assert [row["value"] for row in scored(*given, "--profile", "10.0")] == ["", "1.0"]


# What is asked, the status it ends with, and what is said at the end of standard error.
ENDS: dict[str, tuple[int, str, str]] = {
    "no command": (2, "", "Commands:"),
    "unknown command": (2, "evaluate", "No such command 'evaluate'."),
    "unknown option": (2, "score tiny.qrels all.run --metric map", "No such option"),
    "no run": (2, "score tiny.qrels", "Missing argument 'RUN...'."),
    "level 0": (2, "score tiny.qrels all.run -l 0", "0 is not in the range 1<=x<=2147483647."),
    "max 0": (2, "score tiny.qrels all.run -M 0", "0 is not in the range 1<=x<=2147483647."),
    "profile": (2, "score tiny.qrels all.run --profile 8.1", "'8.1' is not one of '9.0', '10.0'."),
    "unknown measure": (2, "score tiny.qrels all.run -m ndgc", "lists them."),
    "measure that aborts C": (
        2,
        "score tiny.qrels all.run -m P_0",
        "error: measure 'P_0': saw '0', expected a cutoff that is a whole number of at least 1. "
        "Write P_10, for example. `trec_eval_py measures P` explains it.",
    ),
    "text measure": (
        2,
        "score tiny.qrels all.run -m runid",
        "error: measure 'runid': saw a text measure, expected one with a number. "
        "Text is printed by the drop-in command: trec_eval_py trec_eval -m runid QRELS RUN.",
    ),
    "no such run": (
        2,
        "score tiny.qrels none.run",
        "error: none.run: cannot be read: No such file or directory. Check the path.",
    ),
    "no such named run": (
        2,
        "score tiny.qrels a=none.run",
        "error: none.run: cannot be read: No such file or directory. Check the path.",
    ),
    "no such qrels": (
        2,
        "score none.qrels all.run",
        "error: none.qrels: cannot be read: No such file or directory. Check the path.",
    ),
    "a folder for a run": (
        2,
        "score tiny.qrels .",
        "error: .: cannot be read: Is a directory. Check the path.",
    ),
    "suffix of the output": (
        2,
        "score tiny.qrels all.run -o s.xlsx",
        "error: s.xlsx: saw suffix .xlsx, expected .csv, .tsv, .jsonl, .parquet, all but the last "
        "also with .gz or .zst. Rename the output.",
    ),
    "bad run": (
        3,
        "score tiny.qrels bad.run",
        "error: bad.run:2: saw score 'nan', expected a decimal number. NaN has no place in an "
        "order: mend what wrote it, or drop the line.",
    ),
    "empty run": (
        3,
        "score tiny.qrels empty.run",
        "error: empty.run: saw no run line, expected 6 fields (query_id Q0 docno rank score tag). "
        "Check what wrote the file.",
    ),
    "bad qrels": (
        3,
        "score bad.qrels all.run",
        "error: bad.qrels:2: saw relevance '1.5', expected an integer of at most 64 bits. A "
        "fraction is never rounded here: map your grades to integers.",
    ),
    "empty qrels": (
        3,
        "score empty.qrels all.run",
        "error: empty.qrels: saw no judgment, expected 4 fields (query_id 0 docno relevance). "
        "Check what wrote the file.",
    ),
    "no query in common": (
        3,
        "score tiny.qrels other.run",
        "error: other.run: saw no query of tiny but others, such as 'zz', expected such as 'q1'. "
        "Check that both name queries alike, or score with --complete (trec_eval -c).",
    ),
    "nothing answerable": (
        3,
        "score none-relevant.qrels all.run --answerable-only -m map",
        "error: none-relevant: saw no query with a document of grade 1 or more, expected one "
        "(--answerable-only). Lower the relevance level, or score all queries.",
    ),
    "a cutoff that no run is long enough for": (
        2,
        "score tiny.qrels all.run -m P_1000000001",
        "error: measure 'P_1000000001': saw '1000000001', expected a cutoff of at most 1000000000. "
        "Write P_10, for example. `trec_eval_py measures P` explains it.",
    ),
    "nothing but what is left out": (
        3,
        "score tiny.qrels ten.run --answerable-only -m map",
        "error: ten.run: saw only queries of tiny that are left out (--answerable-only), expected "
        "others too. Score without, or lower the relevance level.",
    ),
    "no folder for the output": (
        3,
        "score tiny.qrels all.run -o none/s.csv",
        "error: none/s.csv: cannot be written: No such file or directory. Make its folder, or "
        "choose another place.",
    ),
    "a folder for the output": (
        3,
        "score tiny.qrels all.run -o .",
        "error: .: cannot be written: Is a directory. Free space, or choose another place.",
    ),
    "no such scores": (
        2,
        "summary none.csv",
        "error: none.csv: cannot be read: No such file or directory. Check the path.",
    ),
    "a measure that the scores lack": (
        2,
        "summary s.csv -m ndcg",
        "error: measure 'ndcg': not among the scores, which hold map. Score it with -m ndcg.",
    ),
    "other columns": (
        3,
        "summary all.run.csv",
        "error: all.run.csv:1: saw columns q1 Q0 d3 1 3.0 tagA, expected "
        "qrels,run,query_id,measure,value,protocol. Add qrels, run, query_id, measure, value: a "
        "row for each value, as score writes without --wide.",
    ),
    "two protocols": (
        3,
        "summary s.csv ten.csv",
        "Numbers under two protocols are not comparable: summarise them apart.",
    ),
    "scores twice": (
        2,
        "summary s.csv s.csv",
        "error: s.csv: holds map of run 'some' on 'tiny', and so does s.csv, expected each once. "
        "Score "
        "one of them as NAME=FILE.",
    ),
    "scores in two files": (
        2,
        "summary s.csv again.csv",
        "error: again.csv: holds map of run 'some' on 'tiny', and so does s.csv, expected each "
        "once. "
        "Score one of them as NAME=FILE.",
    ),
    "a file for a command": (
        2,
        "tiny.qrels all.run",
        "Error: tiny.qrels is a file. Write: trec_eval_py score QRELS RUN...",
    ),
    "neither a command nor a file": (
        2,
        "none.qrels all.run",
        "Error: No such command 'none.qrels'.",
    ),
    "scores without a row": (
        3,
        "summary header.csv",
        "error: header.csv: saw no row of scores, expected at least one. Score a run first.",
    ),
    "scores without a row beside others": (
        3,
        "summary s.csv header.csv",
        "error: header.csv: saw no row of scores, expected at least one. Score a run first.",
    ),
    "scores with a column twice": (
        3,
        "summary twice.csv",
        "error: twice.csv:1: saw columns qrels, run, query_id, measure, value, protocol, run, "
        "expected qrels,run,query_id,measure,value,protocol. Name each column once: run.",
    ),
    "missing queries refused": (
        3,
        "summary s.csv --missing refuse",
        "error: measure map: saw 1 missing query, expected none. Score the run with --complete, "
        "or choose --missing zero or skip.",
    ),
    "measure that is none": (2, "measures ndgc", "`trec_eval_py measures` lists them."),
}


class TestEnds:
    @pytest.mark.parametrize(("status", "words", "said"), ENDS.values(), ids=ENDS)
    def test_what_is_wrong_ends_with_its_status(
        self, here: Path, status: int, words: str, said: str
    ) -> None:
        Path("all.run.csv").write_text(ALL_RUN)
        Path("header.csv").write_text(HEADER)
        Path("ten.run").write_text("q10 Q0 d9 1 1.0 tagE\n")
        Path("twice.csv").write_text(f"{HEADER.rstrip()},run\nq,a,1,map,1,p/9.0,b\n")
        done("score", "tiny.qrels", "some.run", "-m", "map", "-o", "s.csv")
        done("score", "tiny.qrels", "b=some.run", "-m", "map", "--profile=10.0", "-o", "ten.csv")
        Path("again.csv").write_bytes(Path("s.csv").read_bytes())
        before = sorted(here.rglob("*"))
        stderr = refused(status, *words.split())
        assert said in stderr
        assert said == "Commands:" or stderr.rstrip().endswith(said) or said == "No such option"
        assert sorted(here.rglob("*")) == before

    def test_damaged_input_is_refused(self, here: Path) -> None:
        Path("cut.run.gz").write_bytes(gzip.compress(ALL_RUN.encode())[:-10])
        said = refused(3, "score", "tiny.qrels", "cut.run.gz")
        assert said.startswith("error: cut.run.gz:1: saw a gzip stream that is cut off or damaged ")

    def test_debug_shows_the_traceback(self, here: Path) -> None:
        ended = process("score", "tiny.qrels", "bad.run", "--debug")
        assert ended.returncode != 0
        assert ended.stderr.startswith("Traceback (most recent call last):\n")
        assert ended.stderr.splitlines()[-1].startswith("trec_eval_py.errors.ReadError: bad.run:2")

    def test_without_debug_there_is_none(self, here: Path) -> None:
        ended = process("score", "tiny.qrels", "bad.run")
        assert (ended.returncode, ended.stdout) == (3, "")
        assert ended.stderr.startswith("error: bad.run:2: saw ")
        assert ended.stderr.count("\n") == 1

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_takes_debug_and_h(self, name: str) -> None:
        assert "--debug" in done(name, "-h")

    def test_the_refusal_of_a_named_run_names_its_file(self, here: Path) -> None:
        for given in ("mine=other.run", "other.run"):
            assert refused(3, "score", "tiny.qrels", given).startswith(
                "error: other.run: saw no query of tiny but others, such as 'zz', "
            )


class TestBatch:
    RUNS = ("all.run", "bad.run", "some.run", "other.run")

    def test_runs_that_are_fine_are_written(self, here: Path) -> None:
        result = call("score", "tiny.qrels", *self.RUNS, "-m", "P_2")
        assert result.exit_code == 3
        assert result.stdout == done("score", "tiny.qrels", "all.run", "some.run", "-m", "P_2")
        errors = [line for line in result.stderr.splitlines() if line.startswith("error")]
        assert [line.split(": saw ")[0] for line in errors] == [
            "error: bad.run:2",
            "error: other.run",
        ]

    @pytest.mark.parametrize("suffix", KINDS)
    def test_they_are_written_to_a_file(self, here: Path, suffix: str) -> None:
        result = call("score", "tiny.qrels", *self.RUNS, "-m", "P_2", "-o", f"s{suffix}")
        assert result.exit_code == 3
        assert list(dict.fromkeys(row[1] for row in read_back(Path(f"s{suffix}"))[1])) == [
            "all",
            "some",
        ]
        assert re.findall(r"^(\w+) ", result.stdout, re.MULTILINE) == ["run", "all", "some"]

    def test_the_ceiling_comes_after_them(self, here: Path) -> None:
        result = call("score", "tiny.qrels", *self.RUNS, "-m", "P_2", "--ceiling")
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        assert (result.exit_code, column(rows, "run")) == (3, ["all", "some", "ideal"])

    @pytest.mark.parametrize("suffix", KINDS)
    @pytest.mark.parametrize("runs", [("bad.run",), ("bad.run", "other.run")])
    def test_nothing_is_written_where_none_is_fine(
        self, here: Path, suffix: str, runs: Sequence[str]
    ) -> None:
        target = Path(f"s{suffix}")
        target.write_text("before")
        before = sorted(here.iterdir())
        refused(3, "score", "tiny.qrels", *runs, "--ceiling", "-o", target)
        assert target.read_text() == "before"
        assert sorted(here.iterdir()) == before

    def test_no_header_is_printed_where_none_is_fine(self, here: Path) -> None:
        refused(3, "score", "tiny.qrels", "bad.run", "--wide")


HEADLINES = ["num_q", "num_rel_ret", "map", "recip_rank", "P_10", "ndcg_cut_10", "recall_1000"]


class TestSummaries:
    def header(self, printed: str) -> list[str]:
        (line,) = [line for line in printed.splitlines() if line.startswith("run ")]
        return line.split()[1:]

    def test_score_prints_means_where_the_csv_goes_to_a_file(self, here: Path) -> None:
        """map: (5/6 + 0 + 1/2) / 3; some.run lacks q2, which counts 0 in the second line."""
        given = ("tiny.qrels", "all.run", "some.run", "-m", "num_q", "-m", "map")
        assert done("score", *given, "-o", "s.csv") == (
            "tiny: means over 3 queries, trec_eval 9.0 profile\n"
            "\n"
            "run               num_q     map\n"
            "all                   3  0.4444\n"
            "some (1 missing)      2  0.2500\n"
            "  missing as 0           0.1667\n"
        )

    def test_summary_prints_the_same_means(self, here: Path) -> None:
        given = ("tiny.qrels", "all.run", "some.run", "-m", "num_q", "-m", "map")
        assert done("score", *given, "-o", "s.csv") == done("summary", "s.csv")

    def test_by_default_the_usual_measures(self, here: Path) -> None:
        printed = done("score", "tiny.qrels", "all.run", "-o", "s.csv")
        assert self.header(printed) == HEADLINES

    def test_at_most_ten_of_those_asked_for(self, here: Path) -> None:
        asked = [f"P_{k}" for k in range(1, 13)]
        options = [word for label in asked for word in ("-m", label)]
        printed = done("score", "tiny.qrels", "all.run", *options, "-o", "s.csv")
        assert self.header(printed) == asked[:10]

    def test_the_table_names_the_profile(self, here: Path) -> None:
        given = ("tiny.qrels", "all.run", "-m", "map", "--profile", "10.0", "--answerable-only")
        title = "tiny: means over 2 queries, trec_eval 10.0 profile, answerable-only\n"
        assert done("score", *given, "-o", "s.csv").startswith(title)
        assert done("summary", "s.csv").startswith(title)

    @pytest.fixture
    def saved(self, here: Path) -> str:
        done("score", "tiny.qrels", "some.run", "all.run", *self.ASKED, "-o", "s.csv")
        return "s.csv"

    ASKED = ("-m", "map", "-m", "num_ret")
    COLUMNS = "qrels,run,measure,value,queries,missing,value_with_zeros,protocol"

    def rows(self) -> list[str]:
        p = protocol()
        return [
            f"tiny,some,map,0.25,2,1,{0.5 / 3!r},{p}",
            f"tiny,some,num_ret,2.0,2,1,,{p}",
            f"tiny,all,map,{(AVERAGE + 0.5) / 3!r},3,0,{(AVERAGE + 0.5) / 3!r},{p}",
            f"tiny,all,num_ret,6.0,3,0,,{p}",
        ]

    def test_summary_as_csv(self, saved: str) -> None:
        expected = "".join(f"{line}\n" for line in [self.COLUMNS, *self.rows()])
        assert done("summary", saved, "--format", "csv") == expected
        assert done("summary", saved, "-o", "m.csv") == ""
        assert Path("m.csv").read_text() == expected

    def test_summary_as_markdown(self, saved: str) -> None:
        assert done("summary", saved, "--format", "markdown") == (
            "tiny: means over 3 queries, trec_eval 9.0 profile\n"
            "\n"
            "| run | map | num_ret |\n"
            "| --- | ---: | ---: |\n"
            "| some (1 missing) | 0.2500 | 2 |\n"
            "| some, missing as 0 | 0.1667 |  |\n"
            "| all | 0.4444 | 6 |\n"
        )

    def test_summary_as_json(self, saved: str) -> None:
        rows = json.loads(done("summary", saved, "--format", "json"), parse_constant=pytest.fail)
        lines = csv.DictReader(io.StringIO(done("summary", saved, "--format", "csv")))
        expected = [
            {
                name: cell if name in ("qrels", "run", "measure", "protocol") else json.loads(cell)
                for name, cell in ((name, cell or "null") for name, cell in line.items())
            }
            for line in lines
        ]
        assert rows == expected
        assert [list(row) for row in rows] == [self.COLUMNS.split(",")] * 4
        assert rows[0]["value"] == 0.25
        assert rows[1]["value_with_zeros"] is None

    def test_summary_as_json_has_null_for_the_mean_of_nothing(self, here: Path) -> None:
        Path("s.csv").write_text(f"{HEADER}q,a,1,map,,p/9.0\n")
        printed = done("summary", "s.csv", "--format", "json")
        assert json.loads(printed, parse_constant=pytest.fail) == [
            {
                **{"qrels": "q", "run": "a", "measure": "map", "value": None, "queries": 0},
                **{"missing": 1, "value_with_zeros": 0.0, "protocol": "p/9.0"},
            }
        ]

    @pytest.mark.parametrize("suffix", [".tsv", ".jsonl", ".parquet", ".csv.gz"])
    def test_summary_to_a_file_of_any_kind(self, saved: str, suffix: str) -> None:
        done("summary", saved, "-o", f"m{suffix}")
        names, rows = read_back(Path(f"m{suffix}"))
        assert names == self.COLUMNS.split(",")
        values = [row[3] for row in rows]
        assert values == [0.25, 2.0, (AVERAGE + 0.5) / 3, 6.0]

    def test_summary_keeps_measures_as_asked(self, saved: str) -> None:
        assert self.header(done("summary", saved, "-m", "num_ret", "-m", "AP")) == [
            "num_ret",
            "map",
        ]

    def test_summary_takes_many_files_and_kinds(self, saved: str) -> None:
        done("score", "tiny.qrels", "b=all.run", *self.ASKED, "-o", "b.parquet")
        printed = done("summary", saved, "b.parquet")
        assert re.findall(r"^(\w+) .*\d$", printed, re.MULTILINE) == ["some", "all", "b"]

    def test_summary_reads_standard_input(self, saved: str) -> None:
        piped = done("summary", "-", stdin=Path(saved).read_bytes())
        assert piped == done("summary", saved)

    @pytest.mark.parametrize(("missing", "value"), [("skip", "0.2500"), ("zero", "0.1667")])
    def test_summary_counts_missing_queries_as_asked(
        self, saved: str, missing: str, value: str
    ) -> None:
        printed = done("summary", saved, "-m", "map", "--missing", missing)
        assert f"some (1 missing)  {value}\n" in printed

    def test_summary_with_zeros_counts_queries_once(self, saved: str) -> None:
        assert done("summary", saved, "--missing", "zero") == (
            "tiny: means over 3 queries, trec_eval 9.0 profile\n"
            "\n"
            "run                  map  num_ret\n"
            "some (1 missing)  0.1667        2\n"
            "all               0.4444        6\n"
        )

    def test_summary_takes_the_members_of_a_family_that_the_scores_hold(self, here: Path) -> None:
        given = ("tiny.qrels", "all.run", "-m", "P.5,10", "-m", "map", "-m", "P_3")
        done("score", *given, "-o", "s.csv")
        assert self.header(done("summary", "s.csv", "-m", "P")) == ["P_5", "P_10"]
        assert self.header(done("summary", "s.csv", "-m", "official")) == ["map", "P_5", "P_10"]

    def test_what_the_table_leaves_out_is_told(self, here: Path) -> None:
        given = ("score", "tiny.qrels", "all.run", "-m", "P", "-m", "recall", "-o", "f.csv")
        lines = done(*given).splitlines()
        assert len(self.header("\n".join(lines))) == 10
        assert lines[-2:] == ["", "10 of 18 measures; `trec_eval_py summary f.csv` shows all."]


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, str]]:
    """Run with standard output on a terminal; give what it shows, and standard error."""
    pty = pytest.importorskip("pty")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")

    def shown(*arguments: str) -> tuple[str, str]:
        master, slave = pty.openpty()
        with subprocess.Popen(command(*arguments), stdout=slave, stderr=subprocess.PIPE) as child:
            os.close(slave)
            seen = b""
            try:
                while piece := os.read(master, 1 << 16):
                    seen += piece
            except OSError:  # on Linux, how the end of a terminal is told
                pass
            stderr = child.communicate()[1].decode()
        os.close(master)
        assert child.returncode == 0, stderr
        return re.sub(r"\x1b\[[0-9;]*m", "", seen.decode()).replace("\r\n", "\n"), stderr

    return shown


class TestTerminal:
    def test_a_table_and_a_hint(
        self, here: Path, on_terminal: Callable[..., tuple[str, str]]
    ) -> None:
        shown, said = on_terminal("score", "tiny.qrels", "all.run", "-m", "map", "-m", "num_q")
        assert "trec_eval 9.0" in shown
        assert re.search(r"^  run +map +num_q *\n .*\n  all +0\.4444 +3 *$", shown, re.MULTILINE)
        assert shown.endswith("\nThese are means; -o FILE writes every query's values.\n")
        assert HEADER not in shown
        assert said == ""

    def test_with_a_file_no_hint_is_needed(
        self, here: Path, on_terminal: Callable[..., tuple[str, str]]
    ) -> None:
        shown, _ = on_terminal("score", "tiny.qrels", "all.run", "-m", "map", "-o", "s.csv")
        assert "0.4444" in shown
        assert "These are means" not in shown
        assert Path("s.csv").read_text().startswith(HEADER)

    def test_a_wide_table_is_shared_out_to_several(
        self, here: Path, on_terminal: Callable[..., tuple[str, str]]
    ) -> None:
        shown, _ = on_terminal("score", "tiny.qrels", "a-run=all.run")
        title, *lines = shown.splitlines()
        assert title == "tiny: means over 3 queries, trec_eval 9.0 profile"
        headers = [line.split() for line in lines if line.startswith("  run ")]
        assert len(headers) > 1
        assert [name for header in headers for name in header[1:]] == HEADLINES
        rows = [line.split() for line in lines if line.startswith("  a-run ")]
        assert list(map(len, rows)) == list(map(len, headers))
        assert max(map(len, lines)) <= 80

    def test_the_list_of_measures_fits(self, on_terminal: Callable[..., tuple[str, str]]) -> None:
        shown, said = on_terminal("measures")
        assert said == ""
        assert "Nicknames: " in shown
        tables = shown.partition("\nNicknames: ")[0]
        assert max(map(len, tables.splitlines())) <= 80
        assert {"ndcg_cut_k", "num_q", "better", "title"} <= set(shown.split())

    def test_nothing_is_lost_for_want_of_width(
        self,
        here: Path,
        on_terminal: Callable[..., tuple[str, str]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("COLUMNS", "100")
        shown, _ = on_terminal("score", "tiny.qrels", "a-run-with-a-long-name=all.run")
        assert "a-run-with-a-long-name" in shown
        assert re.search(r"9\.0\s+profile", shown)

    def test_a_minus_is_the_terminal(
        self, here: Path, on_terminal: Callable[..., tuple[str, str]]
    ) -> None:
        shown, _ = on_terminal("score", "tiny.qrels", "all.run", "-m", "map", "-o", "-")
        assert shown == done(*SCORE)


SCORE = ("score", "tiny.qrels", "all.run", "-m", "map")


PRINTED = {
    "scores": SCORE,
    "table of means": (*SCORE, "-o", "t.csv"),
    "summary": ("summary", "s.csv"),
    "summary as CSV": ("summary", "s.csv", "--format", "csv"),
    "measures": ("measures",),
    "a measure": ("measures", "P"),
}


PRINTED_BY_CLICK = {
    "version": ("--version",),
    "help": ("--help",),
    "measures as CSV": ("measures", "--format", "csv"),
    "measures as JSON": ("measures", "--format", "json"),
    "measures as Markdown": ("measures", "--format", "markdown"),
}


class TestUnwritable:
    @NEEDS_FULL
    @pytest.mark.parametrize("suffix", ["", *KINDS])
    def test_a_full_disk_under_a_file(
        self, here: Path, device: Callable[[str], Path], suffix: str
    ) -> None:
        target = f"s{suffix}"
        Path(target).symlink_to(device("full"))
        ended = process(*SCORE, "-o", target)
        assert (ended.returncode, ended.stdout) == (3, "")
        assert ended.stderr == (
            f"error: {target}: cannot be written: No space left on device. Free space, or choose "
            "another place.\n"
        )

    def printed_to_full(self, *arguments: str) -> tuple[int, str]:
        with FULL.open("wb") as full:
            ended = process(*arguments, stdout=full)
        return ended.returncode, ended.stderr

    @NEEDS_FULL
    @pytest.mark.parametrize("arguments", PRINTED.values(), ids=PRINTED)
    def test_a_full_disk_under_standard_output(
        self, here: Path, arguments: tuple[str, ...]
    ) -> None:
        done(*SCORE, "-o", "s.csv")
        assert self.printed_to_full(*arguments) == (
            3,
            "error: output: No space left on device.\n",
        )

    @NEEDS_FULL
    @pytest.mark.parametrize("arguments", PRINTED_BY_CLICK.values(), ids=PRINTED_BY_CLICK)
    def test_a_full_disk_under_what_is_not_flushed(
        self, here: Path, arguments: tuple[str, ...]
    ) -> None:
        assert self.printed_to_full(*arguments) == (
            3,
            "error: output: No space left on device.\n",
        )

    @NEEDS_FULL
    def test_what_was_written_before_stays(self, here: Path) -> None:
        self.printed_to_full(*SCORE, "-o", "t.csv")
        assert Path("t.csv").read_text() == done(*SCORE)

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_may_not_be_written(self, here: Path) -> None:
        Path("closed").mkdir(mode=0o500)
        assert refused(3, *SCORE, "-o", "closed/s.csv") == (
            "error: closed/s.csv: cannot be written: Permission denied. Free space, or choose "
            "another place.\n"
        )

    def closed(self, streams: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", f'"$@" {streams}', "sh", *command(*words)],
            capture_output=True,
            text=True,
            check=False,
        )

    NO_OUTPUT = "error: standard output: is closed. Name a file with -o.\n"

    @pytest.mark.parametrize(
        "words",
        [
            SCORE,
            (*SCORE, "--wide"),
            (*SCORE, "-o", "-"),
            ("summary", "s.csv", "--format", "csv"),
            ("summary", "s.csv", "--format", "json"),
            ("summary", "s.csv", "-o", "-"),
        ],
        ids=" ".join,
    )
    def test_closed_standard_output_is_refused(self, here: Path, words: tuple[str, ...]) -> None:
        done(*SCORE, "-o", "s.csv")
        before = sorted(here.iterdir())
        ended = self.closed(">&-", *words)
        assert (ended.returncode, ended.stderr) == (3, self.NO_OUTPUT)
        assert sorted(here.iterdir()) == before

    @pytest.mark.parametrize("style", ["table", "csv", "json", "markdown"])
    def test_measures_refuse_closed_standard_output(self, style: str) -> None:
        ended = self.closed(">&-", "measures", "--format", style)
        assert "fault of trec_eval_py" not in ended.stderr
        assert "Traceback" not in ended.stderr
        assert ended.returncode in (0, 3)

    @pytest.mark.parametrize(
        "words",
        [("summary", "s.csv"), ("measures", "P"), ("--version",), ("--help",), ("score", "-h")],
        ids=" ".join,
    )
    def test_what_only_speaks_says_nothing_to_nobody(
        self, here: Path, words: tuple[str, ...]
    ) -> None:
        done(*SCORE, "-o", "s.csv")
        ended = self.closed(">&-", *words)
        assert (ended.returncode, ended.stderr) == (0, "")

    @pytest.mark.parametrize("streams", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
    @pytest.mark.parametrize("suffix", KINDS)
    def test_a_file_is_written_whatever_is_closed(
        self, here: Path, streams: str, suffix: str
    ) -> None:
        """A file then gets the number of what is closed: nothing else may be written to it."""
        given = ("score", "tiny.qrels", "some.run", "-m", "map")
        done(*given, "-o", f"expected{suffix}")
        assert self.closed(streams, *given, "-o", f"s{suffix}").returncode == 0
        assert read_back(Path(f"s{suffix}")) == read_back(Path(f"expected{suffix}"))
        assert Path("some.run").read_text() == SOME_RUN

    @pytest.mark.parametrize("streams", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    def test_a_refusal_that_nobody_hears(self, here: Path, streams: str) -> None:
        ended = self.closed(streams, "score", "tiny.qrels", "bad.run", "-o", "s.csv")
        assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "")
        assert not Path("s.csv").exists()

    @pytest.mark.parametrize(
        "words",
        [
            ("score", "tiny.qrels", "-"),
            ("score", "tiny.qrels", "mine=-"),
            ("score", "-", "all.run"),
            ("score", "tiny.qrels", "--run-names", "tag", "-"),
            ("summary", "-"),
        ],
        ids=" ".join,
    )
    def test_closed_standard_input_is_refused(self, here: Path, words: tuple[str, ...]) -> None:
        ended = self.closed("<&-", *words)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == (
            "error: -: cannot be read: standard input is closed. Name a file.\n"
        )


def many_runs(number: int, lines: int = 20_000) -> list[str]:
    """Write a run that takes some time, and name it often enough to be caught at it."""
    with Path("large.run").open("w") as file:
        for i in range(lines):
            file.write(f"q{i // 1000} Q0 document-number-{i:08d} 1 {-i} a-tag\n")
    Path("large.qrels").write_text(
        "".join(f"q{i // 1000} 0 document-number-{i:08d} 1\n" for i in range(0, lines, 10))
    )
    return ["large.qrels", *(f"r{i}=large.run" for i in range(number))]


class TestStopped:
    @pytest.mark.parametrize("option", [[], ["--wide"]])
    def test_a_closed_pipe_is_the_end(self, here: Path, option: list[str]) -> None:
        given = command("score", *many_runs(30), *option)
        with subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            first = child.stdout.readline()
            child.stdout.close()
            said = child.stderr.read()
        assert first.startswith(b"qrels,run,query_id,")
        assert (child.returncode, said) == (0, b"")

    @pytest.mark.parametrize("words", ["measures", "--help", "measures P", "score --help"])
    def test_a_pipe_that_nobody_reads(self, words: str) -> None:
        shell = 'set -o pipefail; "$@" | true'
        ended = subprocess.run(
            ["bash", "-c", shell, "bash", *command(*words.split())],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert ended.stderr == ""

    @pytest.mark.parametrize("lines", [20_000, 100_000], ids=["plain reader", "columnar reader"])
    @pytest.mark.parametrize("before", [None, "before"])
    @pytest.mark.parametrize(
        "name",
        ["s.csv", "s.csv.zst", "s.parquet"],
    )
    def test_an_interrupt_leaves_nothing(
        self, here: Path, name: str, before: str | None, lines: int
    ) -> None:
        given = many_runs(300, lines)
        if before:
            Path(name).write_text(before)
        files = sorted(here.iterdir())
        with subprocess.Popen(
            command("score", *given, "-o", name),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as child:
            while child.poll() is None and not any(
                path.stat().st_size for path in here.glob(".*.part")
            ):
                time.sleep(0.01)
            child.send_signal(signal.SIGINT)
            stdout, stderr = child.communicate()
        assert stderr == "error: interrupted; no half-written file is left.\n"
        assert (child.returncode, stdout) == (130, "")
        assert sorted(here.iterdir()) == files
        assert before is None or Path(name).read_text() == before

    def test_an_interrupt_while_loading_is_told_in_a_line(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def interrupted() -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("trec_eval_py.cli.run", interrupted)
        with pytest.raises(SystemExit) as caught:
            entry.run()
        assert caught.value.code == 130
        assert capsys.readouterr() == ("", "error: interrupted.\n")


WRAPPER = """
import sys
from trec_eval_py.cli import main
try:
    main(sys.argv[1:])
finally:
    heavy = {"pandas", "pyarrow", "numpy", "scipy", "rich", "ir_datasets"}
    print("imported:", sorted(heavy & sys.modules.keys()), file=sys.stderr)
"""


CALLS = {
    "help": "--help",
    "version": "--version",
    "help of score": "score --help",
    "help of summary": "summary --help",
    "score": "score tiny.qrels all.run",
    "score to a file": "score tiny.qrels all.run some.run --ceiling -o s.csv",
    "score, wide": "score tiny.qrels all.run --wide -o s.jsonl.gz",
    "score by our own definitions": "score tiny.qrels all.run -m nDCG(dcg='exp-log2')@5",
    "measures": "measures",
}


class TestImports:
    @pytest.mark.parametrize("words", CALLS.values(), ids=CALLS)
    def test_small_calls_import_nothing_heavy(self, here: Path, words: str) -> None:
        ended = subprocess.run(
            [sys.executable, "-c", WRAPPER, *words.split()],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.stderr.splitlines()[-1] == "imported: []"
        assert ended.stdout

    def test_the_wrapper_sees_what_is_imported(self, here: Path) -> None:
        ended = subprocess.run(
            [sys.executable, "-c", WRAPPER, "score", "tiny.qrels", "all.run", "-o", "s.parquet"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "'pyarrow'" in ended.stderr.splitlines()[-1]


class TestOtherJudgments:
    def test_preferences_are_scored_by_default_with_all_their_measures(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("p.prefs").write_text("q u s a 2\nq u s b 1\nq v s a 1\n")
        Path("r.run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
        rows = list(csv.DictReader(io.StringIO(done(*PREFERRED))))
        assert len(rows) == 15
        values = {row["measure"]: row["value"] for row in rows}
        assert values["prefs_num_prefs_poss"] == "1.0"
        assert values["prefs_simp"] == "0.0"
        Path("scores.csv").write_text(done(*PREFERRED))
        shown = done(*PREFERRED, "-o", "o.csv").splitlines()[2].split()
        assert shown == ["run", "num_q", "prefs_num_prefs_ful", *PREFERRED_BY]
        table = json.loads(done("summary", "scores.csv", "-m", "all_prefs", "--format", "json"))
        assert [row["measure"] for row in table] == list(values)

    @pytest.mark.parametrize(("way", "rank"), [("first", 2), ("best", 1)])
    def test_duplicates_are_kept_as_asked_and_stand_in_the_protocol(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, rank: int
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("x.qrels").write_text("q 0 a 1\n")
        Path("r.run").write_text("q Q0 a 1 1 t\nq Q0 x 2 2 t\nq Q0 a 3 3 t\n")
        printed = done("score", "x.qrels", "r.run", "-m", "RR", "--duplicates", way)
        (row,) = csv.DictReader(io.StringIO(printed))
        assert float(row["value"]) == 1 / rank
        assert row["protocol"].endswith(f"/9.0;duplicates={way}")


PREFERRED_BY = ("prefs_simp", "prefs_pair", "prefs_avgjg")
PREFERRED = ("score", "p.prefs", "r.run", "--qrels-format", "prefs")


class TestMeasures:
    def test_all_are_listed(self) -> None:
        header, *lines, blank, nicknames, texts = done("measures").splitlines()
        assert header.split() == ["measure", "also", "title", "better"]
        named = {line.split(" ")[0] for line in lines}
        assert {"num_q", "map", "P_k", "ndcg_cut_k", "utility", "recip_rank,", "rbp"} <= named
        assert {"prefs_simp", "P_avgjg_k", "dcg", "unj_k", "yaap"} <= named
        assert blank == ""
        assert nicknames.startswith("Nicknames: ")
        assert texts == "Text, which `trec_eval_py trec_eval` prints: runid, relstring."
        assert named.isdisjoint({"runid", "relstring"})

    def test_the_list_as_csv_and_json(self) -> None:
        rows = list(csv.DictReader(io.StringIO(done("measures", "--format", "csv"))))
        assert list(rows[0]) == ["measure", "also", "title", "better"]
        assert json.loads(done("measures", "--format", "json")) == rows
        assert {row["better"] for row in rows} == {"higher", "lower", "neither"}

    def test_the_list_as_markdown(self) -> None:
        header, rule, *rows = done("measures", "--format", "markdown").splitlines()
        assert header == "| measure | also | title | better |"
        assert rule == "| --- | --- | --- | --- |"
        assert all(re.split(r"(?<!\\)\|", row)[5] == "" for row in rows)

    @pytest.mark.parametrize("name", ["map", "ndcg_cut_10", "P(rel=2)@5", "ndcg_exp", "hit@5"])
    def test_one_is_explained(self, name: str) -> None:
        printed = done("measures", name)
        assert "  Spelled: " in printed
        assert "  Over queries: " in printed
        assert "  Source: " in printed

    def test_a_nickname_lists_its_members(self) -> None:
        assert done("measures", "official") == (
            "official: num_q, num_ret, num_rel, num_rel_ret, map, gm_map, Rprec, bpref, "
            "recip_rank, iprec_at_recall, P\n"
        )

    def test_an_unknown_one_is_refused_with_the_nearest(self) -> None:
        assert refused(2, "measures", "ndcg_10") == (
            "error: measure 'ndcg_10': expected a measure. Did you mean ndcg_cut_10? "
            "`trec_eval_py measures` lists them.\n"
        )


def test_the_first_worked_example(here: Path) -> None:
    """A: relevant at rank 1 of 1; B: at rank 3 of 1; C: at rank 1 of 2; D: none of 1.

    Success (1 + 1 + 1 + 0) / 4, R (1 + 1 + 0.5 + 0) / 4, P (1/3 + 1/3 + 1/3 + 0) / 4,
    RR (1 + 1/3 + 1 + 0) / 4; E has no judgment, and is left out.
    """
    options = [word for m in ("Success@3", "R@3", "P@3", "RR@3") for word in ("-m", m)]
    files = (ROOT / "qrels/worked1.qrels", ROOT / "runs/worked1.run")
    assert done("score", *files, *options, "-o", "s.csv") == (
        "worked1: means over 4 queries, trec_eval 9.0 profile\n"
        "\n"
        "run      Success@3     R@3     P@3    RR@3\n"
        "worked1     0.7500  0.6250  0.2500  0.5833\n"
    )
    rows = list(csv.DictReader(io.StringIO(Path("s.csv").read_text())))
    assert column(rows, "query_id") == list("ABCD")
