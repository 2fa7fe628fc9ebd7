"""What becomes of runs and judgments in another format: kept, dropped and said, or refused."""

from __future__ import annotations

import json
import math
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import generators
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import trec_eval_py as te
from trec_eval_py import ranking, reading
from trec_eval_py.cli import main
from trec_eval_py.converting import _json as to_json

RUNS = ("trec", "msmarco", "json", "rank_llm", "mteb", "parquet")
SOURCES = ("trec", "trec5", *RUNS[1:])
QRELS = ("qrels", "beir", "json", "jsonl", "letor", "parquet")
GROUPS = ("qrels_jg", "prefs", "qrels_prefs", "subtopics")
LINES = ("trec", "trec5", "msmarco", "qrels", "beir", "letor")


class Document(NamedTuple):
    """A line of a run or of judgments, wherever it stands."""

    docno: bytes
    value: float
    rank: bytes = b""
    tag: bytes = b""
    iteration: bytes = b""


Held = dict[bytes, list[Document]]


def read(path: Path, kind: str, format: str = "auto") -> Held:
    """Give what is read of a file."""
    source, notes = reading.Source(path), reading.Notes()
    held: Held = {}
    if kind == "run":
        for run in reading.run_queries(source, notes, format):
            held.setdefault(run.query_id, []).extend(
                Document(one.docno, one.score, one.rank, one.tag, one.iteration)
                for one in run.lines
            )
        return held
    for query in reading.qrels_queries(source, notes, format):
        held.setdefault(query.query_id, []).extend(
            Document(one.docno, one.relevance, b"", b"", one.iteration) for one in query.lines
        )
    return held


def said(source: Path, target: Path, to: str, from_format: str = "auto") -> list[str]:
    """Convert, and give the warnings without the file's name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        te.convert(source, target, to=to, from_format=from_format)
    return [str(one.message).partition(": ")[2] for one in caught]


def dropped(source: Path, target: Path, to: str, from_format: str = "auto") -> set[str]:
    """Convert, and give what is said to be dropped, or changed."""
    found = (
        re.match(r"(.+?) (dropped|written)", text) for text in said(source, target, to, from_format)
    )
    return {one[1] for one in found if one}


def text(one: bytes) -> str:
    return one.decode("utf-8", "backslashreplace")


def by_order(documents: list[Document]) -> dict[bytes, bytes]:
    order, _ = ranking.rank({one.docno: one.value for one in documents}, "9.0")
    return {docno: b"%d" % place for place, docno in enumerate(order, 1)}


def missing(before: Held, after: Held, kind: str) -> set[str]:
    """Tell by comparison what one file holds and another does not."""
    found = set()
    texts = {text(query_id).encode(): query_id for query_id in before}
    for query_id, old in before.items():
        name = query_id if query_id in after else text(query_id).encode()
        if name not in after:
            assert not old
            found.add("queries without a document")
            continue
        new = {one.docno: one for one in after[name]}
        ranks = by_order(after[name]) if kind == "run" else {}
        assert len(new) == len(old) == len(after[name])
        for one in old:
            docno = one.docno if one.docno in new else text(one.docno).encode()
            other = new[docno]
            if (name, docno) != (query_id, one.docno):
                found.add("bytes that are no UTF-8")
            if other.value != one.value:
                assert kind == "run"
                found.add("scores")
            for what, was, became in (
                ("tags", one.tag, other.tag),
                ("second fields", one.iteration, other.iteration),
            ):
                if was not in (b"", became):
                    shown = text(was).encode() == became
                    found.add("bytes that are no UTF-8" if shown else what)
            if one.rank and one.rank != (other.rank or ranks[docno]):
                found.add("ranks other than the order of the scores")
    assert [one for one in after if one not in before and one not in texts] == []
    return found


def write_run(path: Path, format: str, run: Held) -> None:
    """Write a run by other means than those under test."""
    if format in ("trec", "trec5", "msmarco"):
        lines = []
        for query_id, documents in run.items():
            for place, one in enumerate(documents, 1):
                score, rank = repr(one.value).encode(), one.rank
                fields = [query_id, one.iteration, one.docno, rank, score, one.tag]
                if format == "msmarco":
                    fields = [query_id, one.docno, b"%d" % place]
                lines.append(b" ".join(fields[:5] if format == "trec5" else fields) + b"\n")
        path.write_bytes(b"".join(lines))
        return
    plain = {
        text(query_id): {text(one.docno): one.value for one in documents}
        for query_id, documents in run.items()
    }
    if format == "parquet":
        rows = [(text(q), one) for q, documents in run.items() for one in documents]
        columns = {
            "query_id": [query_id for query_id, _ in rows],
            "docno": [text(one.docno) for _, one in rows],
            "score": [one.value for _, one in rows],
            "tag": [text(one.tag) for _, one in rows],
        }
        parquet.write_table(pa.table(columns), path)
    elif format == "rank_llm":
        lines_of = [
            {
                "query": {"text": "", "qid": query_id},
                "candidates": [{"docid": d, "score": s} for d, s in scores.items()],
            }
            for query_id, scores in plain.items()
        ]
        path.write_text("".join(json.dumps(one) + "\n" for one in lines_of))
    else:
        whole = {"mteb_model_meta": {"model_name": "m"}, "dev": {"x": plain}}
        path.write_text(json.dumps(whole if format == "mteb" else plain))


def write_qrels(path: Path, format: str, qrels: Held) -> None:
    """Write judgments by other means than those under test."""
    rows = [(query_id, one) for query_id, documents in qrels.items() for one in documents]
    plain = {text(q): {text(d.docno): d.value for d in some} for q, some in qrels.items()}
    if format == "parquet":
        columns = {
            "qid": [text(query_id) for query_id, _ in rows],
            "docno": [text(one.docno) for _, one in rows],
            "label": [one.value for _, one in rows],
        }
        parquet.write_table(pa.table(columns), path)
    elif format == "json":
        path.write_text(json.dumps(plain))
    elif format == "jsonl":
        lines = [{"query_id": q, "relevant": relevant} for q, relevant in plain.items()]
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    else:
        form = {
            "qrels": b"%(q)b %(i)b %(d)b %(g)d\n",
            "beir": b"%(q)b\t%(d)b\t%(g)d\n",
            "letor": b"%(g)d qid:%(q)b 1:0.5 # docno = %(d)b\n",
        }[format]
        values = (
            {b"q": q, b"i": one.iteration, b"d": one.docno, b"g": int(one.value)} for q, one in rows
        )
        head = b"query-id\tcorpus-id\tscore\n" if format == "beir" else b""
        path.write_bytes(head + b"".join(form % value for value in values))


RANKS = st.sampled_from([b"", b"", b"", b"7", b"0", b"2"])
TAGS = st.sampled_from([b"bm25", b"bm25", b"two words", b"t\xff"])


@st.composite
def runs(draw: st.DrawFn) -> Held:
    """Runs whose ranks are mostly those of their scores."""
    held: Held = {}
    for query_id, scores in draw(generators.runs()).items():
        plain = [Document(docno, score) for docno, score in scores.items()]
        ranks = by_order(plain)
        held[query_id] = [
            one._replace(
                rank=draw(RANKS) or ranks[one.docno],
                tag=draw(TAGS),
                iteration=draw(st.sampled_from([b"Q0", b"Q0", b"0"])),
            )
            for one in plain
        ]
    return held


@st.composite
def judgments(draw: st.DrawFn) -> Held:
    iterations = st.sampled_from([b"0", b"0", b"0", b"Q0", b"u\xff"])
    return {
        query_id: [
            Document(docno, grade, iteration=draw(iterations)) for docno, grade in grades.items()
        ]
        for query_id, grades in draw(generators.qrels()).items()
    }


def fitting(held: Held, format: str) -> Held:
    """Make what a source can hold: no blanks in lines, no infinity in JSON."""
    if format in LINES:
        return {
            query_id.replace(b" ", b"_"): [
                one._replace(docno=one.docno.replace(b" ", b"_")) for one in documents
            ]
            for query_id, documents in held.items()
        }
    if format == "parquet":
        return held
    return {
        query_id: [
            one._replace(value=math.copysign(1e300, one.value)) if math.isinf(one.value) else one
            for one in documents
        ]
        for query_id, documents in held.items()
    }


def unfit(held: Held, format: str) -> str:
    """Say why a target cannot hold this; nothing where it can."""
    reasons = []
    for query_id, documents in held.items():
        for one in documents:
            if format in LINES and b" " in query_id + one.docno:
                reasons.append("id without blanks")
            elif format in ("json", "rank_llm", "mteb") and math.isinf(one.value):
                reasons.append("JSON has no infinity")
    return reasons[0] if reasons else ""


@pytest.mark.parametrize("to", RUNS)
@pytest.mark.parametrize("format", SOURCES)
@settings(max_examples=10)
@given(run=runs())
def test_runs_keep_all_but_what_is_said(format: str, to: str, run: Held) -> None:
    run = fitting(run, format)
    run = {query_id.replace(b" ", b"_"): one for query_id, one in run.items()}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        write_run(source, format, run)
        before: Held = {}
        if any(run.values()) or (run and format not in (*LINES, "parquet")):
            before = read(source, "run", "trec" if format == "trec5" else format)
        asked = "trec" if format == "trec5" else format
        if not before or (not any(before.values()) and to in (*LINES, "parquet")):
            with pytest.raises(te.InputError, match=r"expected (at least one|a run)"):
                te.convert(source, target, to=to, from_format=asked)
            assert not target.exists()
            return
        if why := unfit(before, to):
            with pytest.raises(te.ReadError, match=why):
                te.convert(source, target, to=to, from_format=asked)
            assert not target.exists()
            return
        lost = dropped(source, target, to, asked)
        after = read(target, "run")
        assert list(map(text, after)) == [
            text(one) for one in before if before[one] or to in ("json", "rank_llm", "mteb")
        ]
        lost -= {"mteb_model_meta"} if format == "mteb" else set()
        assert lost == missing(before, after, "run")
        order = [[text(one.docno) for one in some] for some in after.values()]
        if to == "msmarco":
            wanted = [
                sorted(by_order(some), key=lambda one, some=some: int(by_order(some)[one]))  # type: ignore[misc]
                for some in before.values()
                if some
            ]
            assert order == [list(map(text, some)) for some in wanted]
        else:
            listed = [[text(one.docno) for one in some] for some in before.values()]
            assert [one for one in order if one] == [one for one in listed if one]
        if to in ("trec", "parquet") and format not in ("trec", "trec5"):
            for some in after.values():
                assert {one.docno: one.rank for one in some} == by_order(some)


@pytest.mark.parametrize("to", QRELS)
@pytest.mark.parametrize("format", QRELS)
@settings(max_examples=10)
@given(qrels=judgments())
def test_judgments_keep_all_but_what_is_said(format: str, to: str, qrels: Held) -> None:
    qrels = fitting(qrels, format)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        write_qrels(source, format, qrels)
        before = read(source, "qrels", format)
        if why := unfit(before, to):
            with pytest.raises(te.ReadError, match=why):
                te.convert(source, target, to=to, from_format=format)
            assert not target.exists()
            return
        lost = dropped(source, target, to, format)
        after = read(target, "qrels")
        lost -= {"features"} if format == "letor" else set()
        assert lost == missing(before, after, "qrels")
        pairs = [(text(q), text(d.docno)) for q, some in after.items() for d in some]
        assert pairs == [(text(q), text(d.docno)) for q, some in before.items() for d in some]
        assert reading.holds(reading.Source(target)) == "qrels"


WORDS = st.sampled_from([b"1", b"2", b"u\xff", b"0"])
LEVELS = st.sampled_from([0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize("to", GROUPS)
@pytest.mark.parametrize("format", GROUPS)
@settings(max_examples=10)
@given(rows=st.dictionaries(st.tuples(WORDS, WORDS, WORDS), LEVELS, min_size=1))
def test_judgments_by_group_come_back(
    format: str, to: str, rows: dict[tuple[bytes, bytes, bytes], float]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, target, back = (Path(folder, name) for name in ("source", "target", "back"))
        middle = b" 0 " if format == "prefs" else b" "
        source.write_bytes(
            b"".join(
                b"%b %b%b%b %d\n" % (query, group, middle, docno, int(level))
                for (query, group, docno), level in sorted(rows.items())
            )
        )
        assert said(source, target, to, format) == []
        assert said(target, back, format, to) == []
        levels = [
            [line[1:] for line in reading.group_lines(reading.Source(one), reading.Notes(), form)]
            for one, form in ((source, format), (back, format), (target, to))
        ]
        wanted = sorted(rows.items())
        assert levels[0] == levels[1]
        assert wanted == [((query, group, d), level) for query, d, level, group, _ in levels[2]]


RUN = b"q1 Q0 d2 1 3.5 me\nq1 Q0 d1 2 3.1 me\nq2 Q0 d9 1 0.2 me\n"
APART = b"q1 Q0 d2 1 3.5 me\nq2 Q0 d9 1 0.2 me\nq1 Q0 d1 2 3.1 me\n"
JUDGED = b"q1 0 d1 2\nq1 0 d2 0\nq2 0 d9 1\n"
META = b"# ir_metadata.start\n# tag:   me \n# ir_metadata.end\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in a folder with small files."""
    monkeypatch.chdir(tmp_path)
    for name, data in {"a.run": RUN, "a.qrels": JUDGED, "apart.run": APART}.items():
        Path(name).write_bytes(data)
    yield tmp_path
    assert not list(tmp_path.glob(".*"))


def call(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["convert", *arguments], input=stdin)


def converted(*arguments: str, stdin: bytes | None = None) -> tuple[str, str]:
    """Call what must succeed, and give what is printed and said."""
    result = call(*arguments, stdin=stdin)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    return result.stdout, result.stderr


REFUSED = {
    "blank in a docno": (
        '{"q": {"a b": 1.5}}',
        ["--to", "trec"],
        "in:1: saw document 'a b' of query 'q', expected an id without blanks",
    ),
    "tab in a query": ('{"q\\t1": {"a": 1.5}}', ["--to", "msmarco"], "in:1: saw query 'q\\t1', e"),
    "newline in a docno": (
        '{"q": {"ok": 1.5, "a\\n": 1.5}}',
        ["--to", "trec"],
        "saw document 'a\\n' of query 'q'",
    ),
    "a comment": (
        '{"q": {"a": 1.5}, "#2": {"a": 1.5}}',
        ["--to", "trec"],
        "saw query '#2', expected an id that does not begin with #, as comments do, to be told",
    ),
    "# in LETOR": ('{"a#b": {"d": 1}}', ["--to", "letor"], "saw query 'a#b', expected an id with"),
    "a mark at the start": ('{"\ufeffq": {"a": 1.5}}', ["--to", "trec"], "no other format, at its"),
    "JSON at the start": ('{"{\\"": {"a": 1.5}}', ["--to", "trec"], "query '{\"', expected an id"),
    "LETOR at the start": ("q qid:1 d 1\n", ["--from", "qrels", "--to", "qrels"], "no other forma"),
    "infinite in JSON": (
        "q Q0 a 1 2 t\nq Q0 b 2 -inf t\n",
        ["--to", "json"],
        "in:2: saw score -inf (query 'q', document 'b'), expected a finite score: JSON has no",
    ),
    "a query that marks MTEB's": (
        "mteb_model_meta Q0 a 1 2 t\n",
        ["--to", "json"],
        "in:1: saw query 'mteb_model_meta', expected no id that marks another format of JSON",
    ),
    "a query that marks questions": ("query_id 0 a 1\n", ["--to", "json"], "saw query 'query_id'"),
    "a query that marks rank_llm's": (
        "query Q0 qid 1 2 t\n",
        ["--to", "json"],
        "saw query 'query' with a document qid",
    ),
    "twice": (
        "q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\n",
        ["--to", "trec"],
        "in:3: saw document 'a' again for query 'q' (first on line 1), expected a document once",
    ),
    "twice, apart": (
        "q Q0 a 1 3 t\nr Q0 b 1 2 t\nq Q0 a 2 1 t\n",
        ["--to", "json"],
        "in:3: saw document 'a' again for query 'q' (first on line 1)",
    ),
    "twice in JSON": ('{"q": {"a": 1.5, "a": 2.5}}', ["--to", "trec"], "in:1: saw document 'a' ag"),
    "a query twice in JSON": (
        '{"q": {"a": 1.5},\n"q": {"b": 1.5}}',
        ["--to", "trec"],
        "in:2: saw query 'q' again, expected each once. Join the two.",
    ),
    "alike as text": (
        b"q Q0 \\xff 1 3 t\nq Q0 \xff 2 2 t\n",
        ["--to", "json"],
        "alike as text, expected ids that differ",
    ),
    "queries alike as text": (
        b"\\xff Q0 a 1 3 t\n\xff Q0 a 1 2 t\n",
        ["--to", "json"],
        "saw queries b'\\\\xff' and b'\\xff', which are alike as text",
    ),
    "twice in a group": (
        "q u a 1\nq v a 1\nq u a 0\n",
        ["--from", "qrels_jg", "--to", "subtopics"],
        "in:3: saw document 'a' again for query 'q', group 'u' (first on line 1), expected a doc",
    ),
    "a level that is no grade": (
        "q u a 1.5\n",
        ["--from", "qrels_prefs", "--to", "qrels_jg"],
        "in:1: saw level 1.5 (query 'q', document 'a'), expected an integer of 64 bits",
    ),
    "a grade beyond levels": (
        "q u a 9007199254740993\n",
        ["--from", "qrels_jg", "--to", "prefs"],
        "in:1: saw grade 9007199254740993 (query 'q', document 'a'), expected a level",
    ),
    "two subgroups": (
        "q u s a 1\nq u t b 1\n",
        ["--from", "prefs", "--to", "qrels_prefs"],
        "in:2: saw subgroups 's' and 't' of group 'u' (query 'q', document 'b'), expected one",
    ),
    "an infinite attribute": (
        '{"query_id": "q", "relevant": ["a"], "x": 1e999}',
        ["--to", "jsonl"],
        "in:1: saw a number that is infinite or NaN beside query 'q'",
    ),
    "no document": ('{"q": {}}', ["--to", "trec"], "in: saw no document, expected at least one"),
    "nothing": ("# no line\n", ["--to", "trec"], "in: saw no line, expected a run or judgments"),
    "scores": ("qrels,run,query_id,measure,value\n", ["--to", "trec"], "in:1: saw scores, expecte"),
    "not a number": ("q Q0 a 1 x t\n", ["--to", "json"], "in:1: saw score 'x'"),
}


@pytest.mark.parametrize(("data", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_held_is_refused(
    here: Path, data: str | bytes, options: list[str], message: str
) -> None:
    Path("in").write_bytes(data if isinstance(data, bytes) else data.encode())
    Path("out").write_bytes(b"old")
    for target in ("out", "-"):
        result = call("in", target, *options)
        assert (result.exit_code, result.stdout) == (3, "")
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    assert Path("out").read_bytes() == b"old"


MISUSED = {
    "no format": (
        ["a.run", "-"],
        "-: saw no suffix, expected one that names a format of a run (.r",
    ),
    "unknown suffix": (["a.run", "b.foo"], "saw suffix .foo, expected one that names a format"),
    "another kind's suffix": (
        ["a.run", "b.qrels"],
        "saw suffix .qrels, expected one that names a f",
    ),
    "unknown format": (["a.run", "b", "--to", "xml"], "--to: saw 'xml', expected one of trec, msm"),
    "unknown source": (
        ["a.run", "b", "--from", "trec5"],
        "--from: saw 'trec5', expected one of au",
    ),
    "half a part": (["a.run", "b", "--to", "mteb:x"], "--to: saw 'mteb:x', expected one of"),
    "a part of none": (["a.run", "b", "--to", "trec:x/y"], "--to: saw 'trec:x/y', expected one of"),
    "clashing formats": (
        ["a.run", "b", "--from", "trec", "--to", "beir"],
        "--to beir: is of judgments, and --from trec of a run, expected two formats of one kind",
    ),
    "clashing content": (
        ["a.run", "b", "--to", "beir"],
        "--to beir: is of judgments, and a.run holds a run, expected two of one kind",
    ),
    "groups to pairs": (
        ["a.qrels", "b", "--from", "subtopics", "--to", "qrels"],
        "a document may stand there once for each group, and here once for a query",
    ),
    "groups to a run": (
        ["a.qrels", "b", "--from", "subtopics", "--to", "trec"],
        "they are judgments, and this is a run",
    ),
    "groups unnamed": (
        ["a.qrels", "b", "--to", "prefs"],
        "Add --from prefs, if its lines are such",
    ),
    "groups to where": (
        ["a.qrels", "b.txt", "--from", "prefs"],
        "--to: is missing, expected one of",
    ),
    "one object in lines": (["a.run", "b.jsonl", "--to", "json"], "--to json, which is one object"),
    "Parquet packed": (["a.run", "b.parquet.gz"], "Parquet is compressed inside. Write b.parquet."),
    "no name": (["a.run", "", "--to", "json"], "OUT: saw an empty file name, expected a path"),
    "no file": (["no.run", "b.json"], "no.run: cannot be read: No such file or directory"),
}


@pytest.mark.parametrize(("arguments", "message"), MISUSED.values(), ids=MISUSED)
def test_what_makes_no_sense_is_wrong_use(here: Path, arguments: list[str], message: str) -> None:
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert {path.name for path in here.iterdir()} == {"a.run", "a.qrels", "apart.run"}


@pytest.mark.parametrize(
    ("name", "format"),
    {
        **{"x.run": "trec", "x.trec": "trec", "x.txt": "trec", "x.res": "trec", "X.RUN": "trec"},
        **{"x.tsv": "msmarco", "x.json": "json", "x.jsonl": "rank_llm", "x.parquet": "parquet"},
    }.items(),
)
def test_a_suffix_names_the_format_of_a_run(here: Path, name: str, format: str) -> None:
    _, err = converted("a.run", name, "-v")
    assert f"a.run: read as trec\n{name}: written as {format}, 2 queries, 3 lines\n" in err
    assert list(read(Path(name), "run")) == [b"q1", b"q2"]


@pytest.mark.parametrize(
    ("name", "format"),
    {
        **{"x.qrels": "qrels", "x.txt": "qrels", "x.tsv": "beir", "x.json": "json"},
        **{"x.jsonl": "jsonl", "x.parquet": "parquet"},
    }.items(),
)
def test_a_suffix_names_the_format_of_judgments(here: Path, name: str, format: str) -> None:
    _, err = converted("a.qrels", name, "-v")
    assert err == f"a.qrels: read as qrels\n{name}: written as {format}, 2 queries, 3 lines\n"
    assert list(read(Path(name), "qrels")) == [b"q1", b"q2"]


@pytest.mark.parametrize(
    ("end", "kind"),
    {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}.items(),
)
def test_a_suffix_packs(here: Path, end: str, kind: str) -> None:
    converted("a.run", f"b.run{end}")
    assert reading.Source(f"b.run{end}").compression == kind
    assert converted(f"b.run{end}", "-", "--to", "trec") == (RUN.decode(), "")


def test_standard_input_and_output(here: Path) -> None:
    out, err = converted("-", "-", "--to", "json", stdin=RUN)
    assert out == '{"q1": {"d2": 3.5, "d1": 3.1},\n"q2": {"d9": 0.2}}\n'
    assert err == "warning: stdin: tags dropped (3, first 'me'): json has none\n"


@pytest.mark.parametrize("data", [RUN, META + RUN, b"q 7 d x -inf two words\n".replace(b"x", b"3")])
def test_what_is_trec_stays_as_it_is(here: Path, data: bytes) -> None:
    assert converted("-", "-", "--to", "trec", stdin=data) == (data.decode(), "")


def test_comments_and_headers_are_said_to_be_dropped(here: Path) -> None:
    _, err = converted("-", "x.json", stdin=b"# mine\n" + META + RUN)
    assert "warning: stdin: lines of ir_metadata dropped (3, first '# ir_metadata.start'): j" in err
    assert "warning: stdin: comments dropped: they are not read\n" in err


def test_a_query_that_stands_apart_is_one_key(here: Path) -> None:
    out, err = converted("apart.run", "-", "--to", "json")
    assert out == '{"q1": {"d2": 3.5, "d1": 3.1},\n"q2": {"d9": 0.2}}\n'
    assert "warning: apart: 1 query is seen again after another one; the file is held whole" in err


def test_lines_stay_where_they_are(here: Path) -> None:
    assert converted("apart.run", "-", "--to", "trec") == (APART.decode(), "")


def test_ranks_that_are_made_see_the_whole_query(here: Path) -> None:
    rows = {"query_id": ["q", "r", "q"], "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0]}
    parquet.write_table(pa.table(rows), "x.parquet")
    out, _ = converted("x.parquet", "-", "--to", "trec")
    assert out == "q Q0 a 2 1.0 x\nq Q0 c 1 2.0 x\nr Q0 b 1 1.0 x\n"


def test_ms_marco_is_in_the_order_of_ranks(here: Path) -> None:
    """As in trec_eval, ties go to the docno that sorts last."""
    data = b"q Q0 a 1 1 t\nq Q0 c 2 2 t\nq Q0 b 3 1 t\n"
    out, err = converted("-", "-", "--to", "msmarco", stdin=data)
    assert out == "q\tc\t1\nq\tb\t2\nq\ta\t3\n"
    assert "ranks other than the order of the scores dropped (3, first '1')" in err
    assert "scores dropped (3, first '1.0')" in err


def test_ranks_are_those_of_ids_as_they_are_written(here: Path) -> None:
    r"""Of two that tie, byte FF sorts last, and the text \xff first."""
    data = b"q Q0 \xff 1 1 t\nq Q0 a 2 1 t\n"
    _, err = converted("-", "-", "--to", "json", stdin=data)
    assert "ranks other than the order of the scores dropped (2, first '1')" in err


def test_scores_that_are_made_of_ranks_are_said(here: Path) -> None:
    out, err = converted("-", "-", "--to", "trec", stdin=b"q\ta\t1\nq\tb\t4\n")
    assert out == "q Q0 a 1 -1.0 stdin\nq Q0 b 4 -2.0 stdin\n"
    assert "warning: stdin: scores are made of ranks: they fall from -1\n" in err


def test_attributes_of_queries_stay_in_questions(here: Path) -> None:
    line = '{"query_id": "q", "relevant": {"a": 2, "é": 1}, "text": "x \\ud800", "n": [1, 0.1]}\n'
    out, err = converted("-", "-", "--to", "jsonl", stdin=line.encode())
    assert (json.loads(out), err) == (json.loads(line), "")
    _, err = converted("-", "-", "--to", "qrels", stdin=line.encode())
    assert (
        err == "warning: stdin: attributes of queries dropped (2, first 'text'): qrels has none\n"
    )


def test_questions_list_what_is_graded_one(here: Path) -> None:
    out, _ = converted("-", "-", "--to", "jsonl", stdin=b"q 0 a 1\nq 0 b 1\nr 0 a 1\nr 0 b 2\n")
    assert [json.loads(line)["relevant"] for line in out.splitlines()] == [
        ["a", "b"],
        {"a": 1, "b": 2},
    ]


RANK_LLM = (
    '{"query": {"text": "what?", "qid": 7}, "candidates": '
    '[{"docid": "a", "score": 1.5, "doc": {"contents": "x"}}]}\n'
)


def test_texts_of_queries_stay_in_rank_llm(here: Path) -> None:
    out, err = converted("-", "-", "--to", "rank_llm", stdin=RANK_LLM.encode())
    assert json.loads(out)["query"] == {"text": "what?", "qid": "7"}
    assert err == "warning: stdin: doc dropped: they are not read\n"
    for to in ("trec", "msmarco", "json", "mteb"):
        _, err = converted("-", "-", "--to", to, stdin=RANK_LLM.encode())
        assert f"warning: stdin: texts of queries dropped (1, first 'what?'): {to} has none" in err


def test_mteb_keeps_what_it_says_of_the_model(here: Path) -> None:
    data = b'{"mteb_model_meta": {"model_name": "m", "revision": "r"}, "x": {"y": {"q": {"a": 1}}}}'
    out, err = converted("-", "-", "--to", "mteb:x/y", stdin=data)
    assert (json.loads(out), err) == (json.loads(data), "")
    _, err = converted("-", "-", "--to", "trec", stdin=data)
    assert "warning: stdin: mteb_model_meta dropped (1): trec has none\n" in err


def test_what_mteb_says_last_of_the_model_comes_too_late(here: Path) -> None:
    data = b'{"x": {"y": {"q": {"a": 1.5}}}, "mteb_model_meta": {"model_name": "m"}}'
    out, err = converted("-", "-", "--to", "mteb", stdin=data)
    assert json.loads(out)["mteb_model_meta"] == {"model_name": "stdin", "revision": None}
    assert err == "warning: stdin: mteb_model_meta dropped (1): mteb has none\n"


def test_a_part_of_mteb_is_read_by_name(here: Path) -> None:
    data = b'{"mteb_model_meta": {}, "x": {"y": {"q": {"a": 1.5}}, "z": {"q": {"b": 1.5}}}}'
    out, _ = converted("-", "-", "--from", "mteb:x/z", "--to", "msmarco", stdin=data)
    assert out == "q\tb\t1\n"
    assert call("-", "-", "--to", "msmarco", stdin=data).exit_code == 3


def test_features_that_are_not_read_are_said(here: Path) -> None:
    data = b"2 qid:q 1:0.5 # docno = a\n"
    out, err = converted("-", "-", "--to", "letor", stdin=data)
    assert (out, err) == (
        "2 qid:q # docno = a\n",
        "warning: stdin: features dropped: they are not read\n",
    )
    assert converted("-", "-", "--to", "qrels", stdin=out.encode()) == ("q 0 a 2\n", "")


def test_columns_that_are_not_read_are_said(here: Path) -> None:
    rows = {"qid": ["q"], "docno": ["a"], "score": [1.5], "rank": ["1"], "body": ["x"]}
    parquet.write_table(pa.table(rows), "x.parquet")
    out, err = converted("x.parquet", "-", "--to", "trec")
    assert (out, err) == ("q Q0 a 1 1.5 x\n", "warning: x: body dropped: they are not read\n")


def test_parquet_holds_our_columns(here: Path) -> None:
    Path("b.run").write_bytes(b"001 Q0 d1 1 0.1 t\n001 0 d\xff 02 -inf t\n")
    _, err = converted("b.run", "b.parquet")
    table = parquet.read_table("b.parquet")
    assert table.schema.names == ["query_id", "docno", "rank", "score", "tag", "iteration"]
    assert table.to_pylist()[1] == {
        **{"query_id": "001", "docno": "d\\xff", "rank": None, "score": -math.inf},
        **{"tag": "t", "iteration": "0"},
    }
    assert "warning: b: ranks that are no integers dropped (1, first '02'): parquet has none" in err
    assert "warning: b: bytes that are no UTF-8 written as \\xNN (1, first 'd\\xff')" in err
    converted("a.qrels", "q.parquet")
    names = ["query_id", "docno", "iteration", "relevance"]
    assert parquet.read_table("q.parquet").schema.names == names


def test_a_suffix_tells_the_kind_where_the_content_is_open(here: Path) -> None:
    """Scores that are whole numbers look like grades."""
    Path("x.json").write_text('{"q": {"a": 3}}')
    assert converted("x.json", "x.run")[1] == ""
    assert Path("x.run").read_text() == "q Q0 a 1 3.0 x\n"
    converted("x.json", "x.qrels")
    assert Path("x.qrels").read_text() == "q 0 a 3\n"


def test_a_file_may_become_itself(here: Path) -> None:
    converted("apart.run", "apart.run", "--to", "json")
    assert json.loads(Path("apart.run").read_text()) == {
        "q1": {"d2": 3.5, "d1": 3.1},
        "q2": {"d9": 0.2},
    }


def test_no_folder_is_said(here: Path) -> None:
    result = call("a.run", "no/b.json")
    assert (result.exit_code, result.stderr.count("\n")) == (3, 1)
    assert result.stderr.startswith("error: no/b.json: cannot be written: ")


def test_too_much_json_for_a_query_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(to_json, "LONGEST_ANSWER", 10)
    result = call("a.run", "x.json")
    assert result.exit_code == 3
    assert "MB of JSON for query 'q1', expected at most" in result.stderr


def test_from_python(here: Path) -> None:
    done = te.convert(Path("a.qrels"), Path("b.json"))
    assert done == ("qrels", "qrels", "json", 2, 3)
    assert json.loads(Path("b.json").read_text()) == {"q1": {"d1": 2, "d2": 0}, "q2": {"d9": 1}}
