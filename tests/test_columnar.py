"""The reader by columns is held to the plain one, which defines what a file means."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given, settings
from hypothesis import strategies as st

import trec_eval_py as te
from trec_eval_py import reading
from trec_eval_py.distributing import Evaluation, Reader
from trec_eval_py.measures import Options, parse
from trec_eval_py.reading import _columnar, _runs

Qrels = dict[bytes, dict[bytes, int]]

# What only the reader by columns says: it had to hold the whole file.


class Outcome(NamedTuple):
    """What came of scoring a file: values or a refusal, and the warnings."""

    values: object
    said: list[str]


def outcome(
    path: Path,
    qrels: Qrels,
    reader: Reader,
    profile: str = "9.0",
    block: int | None = None,
    measures: list[str] | None = None,
) -> Outcome:
    """Score a file on every measure; whatever is no error of the package's own is raised."""
    evaluation = Evaluation(
        qrels, "x.qrels", parse(measures, Options(profile=profile)), profile, reader=reader
    )
    values: object
    with warnings.catch_warnings(record=True) as warned, pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("always")
        if block is not None:
            patch.setattr(_columnar, "BLOCK", block)
        try:
            # Every bit counts, that of the sign of 0.0 too.
            values = repr(evaluation.score(reading.Source(path), "x"))
        except te.InputError as error:
            values = f"{type(error).__name__}: {error}"
    said = [str(one.message) for one in warned]
    return Outcome(values, said)


def assert_alike(
    path: Path, qrels: Qrels, block: int | None = None, measures: list[str] | None = None
) -> Outcome:
    """Hold the reader by columns to the plain one, in both profiles."""
    for profile in ("9.0", "10.0"):
        plain = outcome(path, qrels, "plain", profile, measures=measures)
        assert outcome(path, qrels, "columnar", profile, block, measures) == plain
    return plain


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("columnar")


# Files as bytes

QUERIES = [b"1", b"10", b"9", b"q\xff", b"all", b"\xef\xbb\xbf9"]
DOCNOS = [
    *(b"a", b"b", b"B", b"c", b"d1", b"d10", b"d2", b"\xff", b"\xc3\xa9", b"\x7f", b'"', b"a,b"),
    *(b"NA", b"null", b"nan", b"001", b"#d", b"\xef\xbb\xbf", b"x" * 9, b"x" * 8, b"x" * 8 + b"y"),
    *(b"\x1c", b"a\\", b"1e5", b"0~0", b"e1", b"e2", b"e3", b"e4", b"e5", b"e6", b"e7", b"e8"),
]
# Pairs that are one C float, pairs that are not one double, and what is written in odd ways.
NEAR = [b"0.30000000000000004", b"0.3", b"16777216", b"16777217", b"1e39", b"1e40", b"1e-46", b"0"]
ODD = [b"+1.5", b"1e400", b"-1e400", b"1e-400", b"inf", b"-INFINITY", b"-0", b".5", b"5.", b"1E2"]
KINDS = [
    st.integers(-2, 2).map(lambda i: b"%d" % i),
    st.floats(-9, 9).map(lambda x: repr(x).encode()),
    st.sampled_from(NEAR),
    st.sampled_from([*NEAR, *ODD]),
    st.just(b"0.5"),
]
GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])
JUDGED = st.dictionaries(
    st.sampled_from(QUERIES),
    st.dictionaries(st.sampled_from(DOCNOS), GRADES, min_size=1, max_size=8),
    min_size=2,
    max_size=4,
)
BETWEEN = [b"\n", b" \n", b"#\n", b"# six words of a comment\n", b"#a b\r\n", b"\r\n", b"\t\n"]
FAULTS = [
    *(b"q Q0 bad 1 nan t\n", b"q Q0 bad 1 0x1p3 t\n", b"q Q0 bad 1 1,5 t\n", b"q Q0 bad 1 1_0 t\n"),
    *(b"q  Q0 bad 1 1.5\n", b"q Q0 bad 1 1.5\n", b"q bad\n", b"q bad 1\n", b"q\n", b"\0\n"),
    *(b"q Q0 b\0d 1 1.5 t\n", b"q Q0 my doc 1 1.5 t\n", b"qid Q0 docno rank score tag\n"),
    *(b"q Q0 bad 1 1.5 t\r", b"q Q0 bad one 1.5\n", b"q bad 0\n", b"q Q0 bad 1 NA t\n"),
]
STRAY = [b"\0", b" ", b"\t", b"\n", b"\r", b"#", b"\xef\xbb\xbf", b"\xff", b"n", b"1", b"\v", b"."]


def in_layout(fields: tuple[bytes, ...], width: int, rank: int) -> list[bytes]:
    query_id, docno, score, tag = fields
    if width == 3:
        return [query_id, docno, b"%d" % rank]
    return [query_id, b"Q0", docno, b"%d" % rank, score, *tag.split(b" ")][: 99 if width > 5 else 5]


@st.composite
def run_files(draw: st.DrawFn, faulty: bool) -> bytes:
    """Run files as they are found, or with one or two faults at any place."""
    width = draw(st.sampled_from([6, 6, 6, 5, 3]))
    scores = draw(st.sampled_from(KINDS))
    tags = draw(st.sampled_from([[b"t"], [b"t", b"my tag"], [b"t", b"uu", b"vv", b"w1", b"w2"]]))
    queries = draw(st.lists(st.sampled_from([*QUERIES, b"#x"]), min_size=2, unique=True))
    rows: list[list[bytes]] = []
    for query_id in queries:
        docnos = draw(st.lists(st.sampled_from(DOCNOS), min_size=1, max_size=20, unique=True))
        given_scores = [draw(scores) for _ in docnos]
        if draw(st.booleans()):
            given_scores.sort(key=float, reverse=True)
        first = draw(st.integers(0, 1))
        for i, (docno, score) in enumerate(zip(docnos, given_scores, strict=True)):
            fields = query_id, docno, score, draw(st.sampled_from(tags))
            rows.append(in_layout(fields, width, first + i))
    if draw(st.integers(0, 5)) == 0:  # queries that alternate
        rows = draw(st.permutations(rows)) if width > 3 else rows[::2] + rows[1::2]
    spaced = draw(
        st.sampled_from([[b" "], [b" "], [b" "], [b"\t"], [b" ", b"\t"], [b" ", b"  ", b" \t"]])
    )
    around = draw(st.sampled_from([[b""], [b""], [b""], [b"", b" "], [b"", b"", b"\t "]]))
    ends = draw(
        st.sampled_from([[b"\n"], [b"\n"], [b"\n"], [b"\r\n"], [b"\n", b"\r\n"], [b"\n", b"\r"]])
    )

    def written(row: list[bytes]) -> bytes:
        line = draw(st.sampled_from(spaced)).join(row)
        return draw(st.sampled_from(around)) + line + draw(st.sampled_from(around))

    lines = [written(row) + draw(st.sampled_from(ends)) for row in rows]
    for extra in draw(st.lists(st.sampled_from(BETWEEN), max_size=3)):
        lines.insert(draw(st.integers(0, len(lines))), extra * draw(st.sampled_from([1, 1, 40])))
    if faulty:
        faults = [*FAULTS, *lines]
        for fault in draw(st.lists(st.sampled_from(faults), max_size=2)):
            lines.insert(draw(st.integers(0, len(lines))), fault)
    content = b"".join(lines)
    if draw(st.booleans()):
        content = content.rstrip(b"\r\n")
    if faulty and draw(st.booleans()):
        place = draw(st.integers(0, len(content)))
        cut = draw(st.integers(0, 2))
        content = content[:place] + draw(st.sampled_from(STRAY)) + content[place + cut :]
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + content


BLOCKS = st.sampled_from([64, 64, 65, 100, 128, 256, 1000, 4096]) | st.integers(64, 600)


@given(content=run_files(faulty=False), qrels=JUDGED, block=BLOCKS)
@settings(max_examples=300)
def test_any_file_is_read_alike(folder: Path, content: bytes, qrels: Qrels, block: int) -> None:
    path = folder / "good.run"
    path.write_bytes(content)
    assert_alike(path, qrels, block)


@given(content=run_files(faulty=True), qrels=JUDGED, block=BLOCKS)
@example(b"", {b"q": {b"a": 1}}, 64)
@example(b"\xef\xbb\xbf", {b"q": {b"a": 1}}, 64)
@example(b"#\n" * 100, {b"q": {b"a": 1}}, 64)
@example(b"q Q0 a 1 1 t\n" + b"#\n" * 100, {b"q": {b"a": 1}}, 64)
@settings(max_examples=300)
def test_any_fault_is_refused_alike(folder: Path, content: bytes, qrels: Qrels, block: int) -> None:
    path = folder / "bad.run"
    path.write_bytes(content)
    assert_alike(path, qrels, block)


CLEAN = [b"q%d Q0 d%d 1 %d t\n" % (i // 11, i, -i) for i in range(40)]
CLEAN_5 = [line.replace(b" t\n", b"\n") for line in CLEAN]
CLEAN_3 = [b"q%d d%d %d\n" % (i // 11, i, i % 11) for i in range(40)]
PLACES = (0, 15, 22, 40)
AMONG = {b"q1": {b"d12": 1, b"d15": 1}}
FAULTS_5 = [
    *(b"q Q0 bad 1\n", b"q Q0 bad 1 1 t\n", b"q Q0 bad x 1\n", b"q Q0 bad +1 1\n", b"q Q0 d 1 x\n"),
    *(b"q bad 1 2 t\n", b"q Q0  bad 1\n", b"q Q0 d 1 nan\n", b"q Q0 d 1000000000000000000 1\n"),
]
FAULTS_3 = [
    *(b"q1 bad 1\n", b"q1 bad 0\n", b"q1 bad x\n", b"q1 bad -1\n", b"q1 bad 4.0\n", b"q bad 2\n"),
    *(b"q bad +1\n", b"q bad\n", b"q  1\n", b"q a b 1\n", b"q d 1\nq d 2\n", b"q d 1\nq e 1\n"),
    *(b"q d 1\nq e 1000000000000000\n", b"q d 1\nq e 999999999999999\n", b"q d \n"),
]
IN_LAYOUTS = [(CLEAN, fault) for fault in [*FAULTS, *CLEAN[::9]]]
IN_LAYOUTS += [(CLEAN_5, fault) for fault in FAULTS_5] + [(CLEAN_3, fault) for fault in FAULTS_3]


@pytest.mark.parametrize(("lines", "fault"), IN_LAYOUTS, ids=[repr(f)[2:-3] for _, f in IN_LAYOUTS])
def test_a_fault_among_clean_lines_is_refused_alike(
    tmp_path: Path, lines: list[bytes], fault: bytes
) -> None:
    path = tmp_path / "x.run"
    for place in PLACES:
        path.write_bytes(b"".join([*lines[:place], fault, *lines[place:]]))
        for block in (64, 200):
            assert_alike(path, AMONG, block, ["map", "num_ret"])


ODDITIES = [
    *(b"# one two three four five\n", b"#q Q0 d 1 1 t\n", b"#\n", b"\n", b" \n", b"\r\n", b"\v\n"),
    *(b"x Q0 d 1 1 t\r\n", b"x\tQ0\td\t1\t1\tt\n", b"x Q0 d 1 1 t \n", b" x Q0 d 1 1 t\n"),
    *(b"x Q0 d 1 1 t u\n", b"x  Q0 d 1 1 t\n", b"x Q0 d 1 1\tt\n", b"x #Q0 #d 1 1 #t\n"),
    *(b"x Q0 d 1 +1 t\n", b"x Q0 d 1 inf t\n", b"x Q0 d 1 1e400 t\n", b"x Q0 d 1 1e-400 t\n"),
    *(b"x Q0 \x1c 1 1 t\n", b"x\x7f Q0 \xff 1 1 \x80\n", b'x Q0 "d 1 1 t\n', b"x Q0 d, 1 1 t\\\n"),
    *(
        b"\xef\xbb\xbfx Q0 d 1 1 t\n",
        b"x Q0 NA 1 1 NA\n",
        b"q3 Q0 late 1 1 t\n",
        b"NA Q0 d 1 1 t\n",
    ),
]


@pytest.mark.parametrize("oddity", ODDITIES, ids=[repr(line)[2:-3] for line in ODDITIES])
def test_an_oddity_among_clean_lines_is_read_alike(tmp_path: Path, oddity: bytes) -> None:
    path = tmp_path / "x.run"
    for place in PLACES:
        path.write_bytes(b"".join([*CLEAN[:place], oddity, *CLEAN[place:]]))
        for block in (64, 200):
            found = assert_alike(path, AMONG, block, ["map", "num_ret"])
            assert isinstance(found.values, str)
            assert found.values.startswith("ScoredRun")


@pytest.mark.parametrize("block", range(64, 400, 7))
def test_every_size_of_block_gives_the_same(tmp_path: Path, block: int) -> None:
    """Queries of one line and of many, sorted, tied and in no order, with lines between."""
    sizes = [1, 1, 30, 2, 1, 40, 1, 1, 1, 7]
    lines = []
    for query, size in enumerate(sizes):
        for i in range(size):
            score = [-i, 0, i * 7 % 5][query % 3]
            lines.append(b"q%d Q0 d%d %d %d t\n" % (query, i, i, score))
    lines[50:50] = [b"\n"] * 90
    lines[20:20] = [b"# a b c d e\n"]
    lines[-1] = lines[-1].rstrip(b"\n")
    path = tmp_path / "x.run"
    path.write_bytes(b"".join(lines))
    qrels = {b"q%d" % q: {b"d0": 1, b"d3": 2, b"d9": -1, b"d25": 1} for q in range(0, 12, 2)}
    assert_alike(path, qrels, block)


def in_blocks_of(path: Path, qrels: Qrels, block: int) -> Outcome:
    """Hold the readers alike, and see that the plain one did not have to help."""

    def refuse(*_: object) -> None:
        raise AssertionError("the plain reader was called")

    found = assert_alike(path, qrels, block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_runs, "read_run", refuse)
        outcome(path, qrels, "columnar", block=block)
    return found


def test_a_query_larger_than_many_blocks(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    lines = [b"a Q0 d 1 1 t\n", b"z Q0 d 1 1 t\n"]
    lines[1:1] = [b"q Q0 d%d 1 %d t\n" % (i, i * 7919 % 997) for i in range(3000)]
    path.write_bytes(b"".join(lines))
    qrels = {b"q": {b"d%d" % i: 1 for i in range(0, 4000, 7)}, b"z": {b"d": 1}}
    in_blocks_of(path, qrels, 256)


@pytest.mark.parametrize("field", [0, 1, 2, 5, 6])
def test_a_line_longer_than_a_block(tmp_path: Path, field: int) -> None:
    fields = [b"q", b"Q0", b"d", b"1", b"1", b"t", b"more"]
    fields[field] = b"x" * 5000
    path = tmp_path / "x.run"
    around = b"".join(b"%%d Q0 d%d 1 %d t\n" % (i, -i) for i in range(30))
    content = around.replace(b"%d", b"a") + b" ".join(fields) + b"\n" + around.replace(b"%d", b"z")
    path.write_bytes(content)
    qrels = {b"a": {b"d1": 1}, fields[0]: {fields[2]: 1}, b"z": {b"d2": 1}}
    in_blocks_of(path, qrels, 256)


def test_a_single_query_larger_than_a_real_block(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    lines = [b"q Q0 document-%d 1 %d.5 tag\n" % (i, i % 1000) for i in range(260_000)]
    path.write_bytes(b"".join(lines))
    assert path.stat().st_size > _columnar.BLOCK
    qrels = {b"q": {b"document-%d" % i: 1 for i in range(0, 260_000, 2500)}}
    plain = outcome(path, qrels, "plain", measures=["map", "ndcg"])
    assert outcome(path, qrels, "columnar", measures=["map", "ndcg"]) == plain
    assert plain.said[-1].startswith("x: 260000 documents tie in 1 query;")


@pytest.mark.parametrize(
    "tags", [[b"t", b"t1", b"t2"], [b"%d" % i for i in range(2000)]], ids=["3", "2000"]
)
def test_tags_are_counted_alike(tmp_path: Path, tags: list[bytes]) -> None:
    path = tmp_path / "x.run"
    lines = [b"q Q0 d%d 1 %d %b\n" % (i, -i, tag) for i, tag in enumerate(tags)]
    path.write_bytes(b"".join(lines))
    found = assert_alike(path, {b"q": {b"d1": 1}})
    assert found.said[0].startswith(f"x: {len(tags)} tags in one file (")


def test_comments_are_counted_alike(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(b"q Q0 d 1 1 t\n" + b"# a b c d e\n" * 30)
    assert assert_alike(path, {b"q": {b"d": 1}}, 64).said[0].startswith("x: 30 comment lines have")


@pytest.mark.parametrize("reader", ["plain", "columnar"])
def test_scores_beyond_a_c_float_need_no_warning(tmp_path: Path, reader: Reader) -> None:
    """They are infinite as C floats, as in trec_eval 9.0; numpy has a warning for that."""
    path = tmp_path / "x.run"
    path.write_bytes(b"q Q0 d1 1 1e300 t\nq Q0 d2 2 1 t\n")
    assert outcome(path, {b"q": {b"d1": 1}}, reader).said == []


# A run of 700,000 lines

WHERE = 700_000 * 2 // 3
MEASURES = ["map", "ndcg_cut_10", "recip_rank", "recall_1000", "bpref", "num_rel_ret"]


class Large(NamedTuple):
    """A large run and its judgments, clean as most are, with ties and two queries out of order."""

    lines: list[bytes]
    run: Path
    qrels: Path
    judged: dict[str, dict[str, int]]
    csv: bytes


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "trec_eval_py", "score", *map(str, arguments)]
    return subprocess.run([*call, "-m", "map", "-m", "ndcg_cut.10"], capture_output=True, text=True)


@pytest.fixture(scope="module")
def large(folder: Path) -> Iterator[Large]:
    random = np.random.default_rng(1)
    lines: list[bytes] = []
    judged: dict[str, dict[str, int]] = {}
    for query in range(700):
        docnos = random.permutation(100_000)[:1000].tolist()
        scores = random.gamma(2, 4, 1000).round(2 + query % 5)
        if query not in (70, 300):
            scores = np.sort(scores)[::-1]
        lines += [
            b"%d Q0 doc%d %d %r bm25\n".replace(b"%r", repr(score).encode()) % (query, docno, i + 1)
            for i, (docno, score) in enumerate(zip(docnos, scores.tolist(), strict=True))
        ]
        # One query in 40 is not judged; a third of the judged documents is not retrieved.
        if query % 40:
            names = [*random.choice(docnos, 40).tolist(), *random.permutation(10**5)[:20].tolist()]
            grades = random.integers(-1, 4, len(names)).tolist()
            judged[str(query)] = {f"doc{d}": g for d, g in zip(names, grades, strict=True)}
    judged["missing"] = {"doc1": 1}
    run, qrels = folder / "clean" / "x.run", folder / "x.qrels"
    run.parent.mkdir()
    run.write_bytes(b"".join(lines))
    qrels.write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, grades in judged.items() for d, g in grades.items())
    )
    out = folder / "clean.csv"
    done = command(qrels, run, "-o", out)
    assert done.returncode == 0, done.stderr
    yield Large(lines, run, qrels, judged, out.read_bytes())
    run.unlink()


@pytest.fixture
def changed(large: Large, tmp_path: Path) -> Iterator[Callable[[Callable[[bytes], bytes]], Path]]:
    """Write the large run with its line at two thirds changed."""
    path = tmp_path / "x.run"

    def write(change: Callable[[bytes], bytes]) -> Path:
        lines = list(large.lines)
        lines[WHERE - 1] = change(lines[WHERE - 1])
        path.write_bytes(b"".join(lines))
        return path

    yield write
    path.unlink(missing_ok=True)


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
def test_a_large_run_is_read_by_columns(large: Large, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the plain reader was called")

    monkeypatch.setattr(_runs, "read_run", refuse)
    assert len(te.score(large.judged, large.run, ["map"])) == 683


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
def test_every_value_is_that_of_pytrec_eval(large: Large) -> None:
    run: dict[str, dict[str, float]] = {}
    for line in large.lines:
        query_id, _, docno, _, score, _ = line.decode().split()
        run.setdefault(query_id, {})[docno] = float(score)
    expected = pytrec_eval.RelevanceEvaluator(
        large.judged, {"map", "ndcg_cut.10", "recip_rank", "recall.1000", "bpref", "num_rel_ret"}
    ).evaluate(run)
    scores = te.score(large.judged, large.run, MEASURES)
    found: dict[str, dict[str, float]] = {}
    for row in scores[scores["query_id"] != "missing"].itertuples():
        found.setdefault(str(row.query_id), {})[str(row.measure)] = float(str(row.value))
    assert scores["value"].isna().sum() == len(MEASURES)
    assert found == {q: {m: values[m] for m in MEASURES} for q, values in expected.items()}
    assert len(found) == 682


def test_a_large_compressed_run(large: Large, tmp_path: Path) -> None:
    path, out = tmp_path / "x.run.gz", tmp_path / "out.csv"
    path.write_bytes(gzip.compress(large.run.read_bytes(), 1))
    done = command(large.qrels, path, "-o", out)
    assert (done.returncode, out.read_bytes()) == (0, large.csv)


def test_a_large_compressed_run_that_is_cut_off(large: Large, tmp_path: Path) -> None:
    path, out = tmp_path / "x.run.gz", tmp_path / "out.csv"
    whole = gzip.compress(large.run.read_bytes(), 1)
    path.write_bytes(whole[: len(whole) * 2 // 3])
    done = command(large.qrels, path, "-o", out)
    assert (done.returncode, done.stdout, out.exists()) == (3, "", False)
    at = r":[0-9]{5,}: saw a gzip stream that is cut off or damaged after [0-9,]+ unpacked bytes \("
    assert re.match(re.escape(f"error: {path}") + at, done.stderr)


def with_score(score: bytes) -> Callable[[bytes], bytes]:
    def change(line: bytes) -> bytes:
        fields = line.split(b" ")
        return b" ".join([*fields[:4], score, *fields[5:]])

    return change


FAULTY: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "nan": (with_score(b"nan"), ":466666: saw score 'nan', expected a decimal number."),
    "hex": (with_score(b"0x1p3"), ":466666: saw score '0x1p3', expected a decimal number."),
    "a duplicate": (
        lambda line: line + line.replace(b" bm25", b"1 bm25"),
        ":466667: saw document 'doc%s' again for query '466' (first on line 466666), expected a",
    ),
    "five columns with a doubled blank": (
        lambda line: line.replace(b" Q0", b"  Q0").replace(b" bm25", b""),
        ":466666: saw 5 fields, expected 6 fields (query_id Q0 docno rank score tag).",
    ),
    "two columns": (
        lambda line: b" ".join(line.split(b" ")[:2]) + b"\n",
        ":466666: saw 2 fields, expected 6 fields (query_id Q0 docno rank score tag).",
    ),
    "NUL": (lambda line: line.replace(b"doc", b"d\0c"), ":466666: saw a NUL byte, expected text."),
}


@pytest.mark.parametrize(("change", "said"), FAULTY.values(), ids=FAULTY)
def test_a_fault_two_thirds_down_is_refused_with_its_line(
    large: Large,
    changed: Callable[[Callable[[bytes], bytes]], Path],
    change: Callable[[bytes], bytes],
    said: str,
    tmp_path: Path,
) -> None:
    path, out = changed(change), tmp_path / "out" / "x.csv"
    out.parent.mkdir()
    done = command(large.qrels, path, "-o", out)
    docno = large.lines[WHERE - 1].split()[2].decode().removeprefix("doc")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error: {path}{said.replace('%s', docno)}")
    assert list(out.parent.iterdir()) == []


HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "a comment of six words": lambda line: b"# one two three four five\n" + line,
    "a comment within a query of its name": lambda line: b"#" + line + line,
    "a blank line": lambda line: b"\n" + line,
    "CRLF": lambda line: line.replace(b"\n", b"\r\n"),
    "tabs": lambda line: line.replace(b" ", b"\t"),
    "a trailing blank": lambda line: line.replace(b"\n", b" \n"),
    "a tag of two words": lambda line: line.replace(b"\n", b" tuned\n"),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_is_harmless_two_thirds_down_changes_nothing(
    large: Large,
    changed: Callable[[Callable[[bytes], bytes]], Path],
    change: Callable[[bytes], bytes],
    tmp_path: Path,
) -> None:
    path, out = changed(change), tmp_path / "out.csv"
    done = command(large.qrels, path, "-o", out)
    assert (done.returncode, out.read_bytes()) == (0, large.csv)


EXTREME = [b"inf", b"-inf", b"+1.5", b"1e400", b"1e-400", b"1e39", b"5."]


@pytest.mark.parametrize("score", EXTREME, ids=[score.decode() for score in EXTREME])
def test_a_rare_number_two_thirds_down(
    large: Large, changed: Callable[[Callable[[bytes], bytes]], Path], score: bytes
) -> None:
    path = changed(with_score(score))
    fields = large.lines[WHERE - 1].split()
    qrels = {fields[0]: {fields[2]: 1}, b"missing": {b"d": 1}}
    columnar = outcome(path, qrels, "columnar", measures=["recip_rank"])
    assert columnar == outcome(path, qrels, "plain", measures=["recip_rank"])
    beyond = [text for text in columnar.said if "lie beyond the range of a double" in text]
    assert len(beyond) == (score in (b"1e400", b"1e-400"))


def test_a_duplicate_is_found_among_equal_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a, b, a under one hash, the two that are alike do not stand side by side."""
    import numpy as np
    import pyarrow as pa

    monkeypatch.setattr(_columnar, "_hashes", lambda docnos: np.zeros(len(docnos), np.uint64))
    ends = np.array([3], np.int64)
    with pytest.raises(reading.Odd):
        _columnar._refuse_duplicates(pa.array([b"a", b"b", b"a"], pa.binary()), ends)
    _columnar._refuse_duplicates(pa.array([b"a", b"b", b"c"], pa.binary()), ends)
    apart = np.array([2, 3], np.int64)
    _columnar._refuse_duplicates(pa.array([b"a", b"b", b"a"], pa.binary()), apart)
