"""Every format that runs and judgments come in: told by content, read alike, refused in words."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import re
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

import trec_eval_py as te
from trec_eval_py import reading
from trec_eval_py.cli import main
from trec_eval_py.distributing import Evaluation, Reader
from trec_eval_py.measures import Options, parse
from trec_eval_py.reading import _json, _plain

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d9": 1, "dé": 2}}
RUN = {"q1": {"d2": 3.5, "d1": 3.1, "dx": 0.001}, "q2": {"dé": 0.2, "d9": -1.0}}
ONES = {"q1": {"d1": 1, "d3": 1}, "q2": {"dé": 1}}
MEASURES = ["all_trec"]

QUIET = pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")


@pytest.fixture
def save(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file, and give its path."""

    def saved(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return saved


Save = Callable[[str, str | bytes], Path]


def table(columns: dict[str, list[object]]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def rows_of(data: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, str, int, float]]:
    """Give query, document, rank and value of each pair."""
    for query_id, documents in data.items():
        for rank, (docno, value) in enumerate(documents.items(), 1):
            yield query_id, docno, rank, value


def lines_of(form: str, data: Mapping[str, Mapping[str, float]]) -> str:
    return "".join(form.format(q=q, d=d, r=r, v=v) + "\n" for q, d, r, v in rows_of(data))


def columns_of(
    names: tuple[str, ...], data: Mapping[str, Mapping[str, float]]
) -> dict[str, list[object]]:
    """Give query, document and value as columns of these names; a value named rank is the rank."""
    rows = list(rows_of(data))
    last: list[object] = [r if names[2] == "rank" else v for _, _, r, v in rows]
    return {names[0]: [q for q, *_ in rows], names[1]: [d for _, d, *_ in rows], names[2]: last}


def float_values(columns: dict[str, list[object]]) -> dict[str, list[object]]:
    *_, last = columns
    return {**columns, last: [float(str(value)) for value in columns[last]]}


def candidates(query_id: str) -> dict[str, object]:
    found = [{"docid": d, "score": v, "doc": {"x": [1]}} for d, v in RUN[query_id].items()]
    return {"query": {"text": "t", "qid": query_id}, "candidates": found}


RANKED = {query_id: list(documents) for query_id, documents in RUN.items()}
META = {"mteb_model_meta": {"model_name": "m", "revision": "r"}}
RUN_COLUMNS = {
    "ours": ("query_id", "docno", "score"),
    "PyTerrier": ("qid", "docno", "score"),
    "ir_datasets": ("query_id", "doc_id", "score"),
    "ranx": ("q_id", "doc_id", "score"),
    "Hugging Face": ("query-id", "corpus-id", "score"),
    "by rank": ("qid", "pid", "rank"),
}
QRELS_COLUMNS = {
    "ours": ("query_id", "docno", "relevance"),
    "PyTerrier": ("qid", "docno", "label"),
    "ir_datasets": ("query_id", "doc_id", "relevance"),
    "ranx": ("q_id", "doc_id", "score"),
    "Hugging Face": ("query-id", "corpus-id", "score"),
}
# What it is read as, and the file.
RUN_FILES: dict[str, tuple[str, str | bytes]] = {
    "TREC": ("trec", lines_of("{q} Q0 {d} {r} {v} me", RUN)),
    "TREC, no tag": ("trec (5 fields, no tag)", lines_of("{q} Q0 {d} {r} {v}", RUN)),
    "MS MARCO": ("msmarco", lines_of("{q}\t{d}\t{r}", RUN)),
    "JSON": ("json", json.dumps(RUN)),
    "JSON, indented, any script": ("json", json.dumps(RUN, indent=2, ensure_ascii=False)),
    "JSON, ranked lists": ("json", json.dumps(RANKED)),
    "JSON after a BOM and blanks": ("json", "\ufeff \n" + " " * 600 + json.dumps(RUN)),
    "rank_llm, lines": ("rank_llm", "".join(json.dumps(candidates(q)) + "\n" for q in RUN)),
    "rank_llm, list": ("rank_llm", json.dumps([candidates(q) for q in RUN], indent=1)),
    "rank_llm, candidates first": (
        "rank_llm",
        "".join(json.dumps(dict(reversed(candidates(q).items()))) for q in RUN),
    ),
    "MTEB": ("mteb", json.dumps({**META, "default": {"test": RUN}})),
    **{
        f"Parquet, {name}": ("parquet", table(columns_of(names, RUN)))
        for name, names in RUN_COLUMNS.items()
    },
}
QRELS_FILES: dict[str, tuple[str, str | bytes]] = {
    "TREC": ("qrels", lines_of("{q} 0 {d} {v}", QRELS)),
    "TREC, decimals": ("qrels", lines_of("{q} 0 {d} {v}.0", QRELS)),
    "BEIR": ("beir", "query-id\tcorpus-id\tscore\n" + lines_of("{q}\t{d}\t{v}", QRELS)),
    "JSON": ("json", json.dumps(QRELS)),
    "JSON, decimals": ("json", json.dumps(QRELS).replace(": 2", ": 2.0")),
    "JSON lines": (
        "jsonl",
        "".join(
            json.dumps({"query_id": q, "relevant": ds, "text": "hm"}) + "\n"
            for q, ds in QRELS.items()
        ),
    ),
    "LETOR 4.0": ("letor", lines_of("{v} qid:{q} 1:0.5 #docid = {d} inc = 1 prob = 0.02", QRELS)),
    "LETOR, PyTerrier": ("letor", lines_of("{v} qid:{q} 1:0.5 2:.1 # docno = {d}", QRELS)),
    "LETOR, bare": ("letor", lines_of("{v} qid:{q} 1:0.5 # docno={d}", QRELS)),
    "LETOR, Terrier": ("letor", lines_of("{v} qid:{q} #docid = 92 docno = {d}", QRELS)),
    **{
        f"Parquet, {name}": ("parquet", table(columns_of(names, QRELS)))
        for name, names in QRELS_COLUMNS.items()
    },
    "Parquet, floats": ("parquet", table(float_values(columns_of(("qid", "pid", "rel"), QRELS)))),
}


def halves(pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Pack a file as two members."""
    return lambda content: pack(content[: len(content) // 2]) + pack(content[len(content) // 2 :])


def arrow(kind: str) -> Callable[[bytes], bytes]:
    def pack(content: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, kind) as stream:
            stream.write(content)
        return bytes(sink.getvalue())

    return pack


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": halves(gzip.compress),
    "bzip2": halves(bz2.compress),
    "xz": halves(lzma.compress),
    "zstd": halves(arrow("zstd")),
    "lz4": halves(arrow("lz4")),
}


def values(scores: pd.DataFrame) -> list[tuple[str, str, float]]:
    return list(zip(scores["query_id"], scores["measure"], scores["value"], strict=True))


def protocol_of(scores: pd.DataFrame) -> str:
    (protocol,) = set(scores["protocol"])
    return str(protocol)


@pytest.fixture(scope="module")
def wanted() -> list[tuple[str, str, float]]:
    found = values(te.score(QRELS, {"x": RUN}, MEASURES))
    assert len({value for *_, value in found}) > 10
    return found


def hash_of(qrels: dict[str, dict[str, int]]) -> str:
    """Hash judgments as design says: sorted lines of query, docno and grade."""
    lines = sorted(f"{q}\t{d}\t{g}\n".encode() for q, ds in qrels.items() for d, g in ds.items())
    return hashlib.sha256(b"".join(lines)).hexdigest()[:12]


# What is the same in every format


@QUIET
@pytest.mark.parametrize(("form", "content"), RUN_FILES.values(), ids=RUN_FILES)
def test_a_run_scores_the_same_in_every_format(
    save: Save, wanted: list[tuple[str, str, float]], form: str, content: str | bytes
) -> None:
    path = save("x.run", content)
    assert values(te.score(QRELS, path, MEASURES)) == wanted
    notes = reading.Notes()
    reading.load_run(reading.Source(path), "x", notes)
    assert notes.format == form


@QUIET
@pytest.mark.parametrize("pack", PACKED)
@pytest.mark.parametrize(("form", "content"), RUN_FILES.values(), ids=RUN_FILES)
def test_a_compressed_run_scores_the_same(
    save: Save,
    wanted: list[tuple[str, str, float]],
    form: str,
    content: str | bytes,
    pack: str,
) -> None:
    packed = PACKED[pack](content.encode() if isinstance(content, str) else content)
    path = save("x.run", packed)
    source = reading.Source(path)
    assert source.compression == pack
    if form == "parquet":
        with pytest.raises(te.ReadError, match=f"x.run: saw a Parquet file inside {pack}, exp"):
            te.score(QRELS, path, MEASURES)
    else:
        assert values(te.score(QRELS, path, MEASURES)) == wanted


@QUIET
@pytest.mark.parametrize(("form", "content"), QRELS_FILES.values(), ids=QRELS_FILES)
def test_judgments_are_the_same_in_every_format(
    save: Save, wanted: list[tuple[str, str, float]], form: str, content: str | bytes
) -> None:
    path = save("x.qrels", content)
    scores = te.score(path, {"x": RUN}, MEASURES)
    assert values(scores) == wanted
    assert protocol_of(scores) == f"{hash_of(QRELS)}/9.0"
    notes = reading.Notes()
    reading.load_judgments(reading.Source(path), "x", notes=notes)
    assert notes.format == form


@QUIET
@pytest.mark.parametrize("pack", PACKED)
@pytest.mark.parametrize("kind", ["TREC", "BEIR", "JSON", "JSON lines", "LETOR 4.0"])
def test_compressed_judgments_are_the_same(save: Save, kind: str, pack: str) -> None:
    content = QRELS_FILES[kind][1]
    assert isinstance(content, str)
    path = save("x.qrels", PACKED[pack](content.encode()))
    assert protocol_of(te.score(path, {"x": RUN}, ["P@1"])) == f"{hash_of(QRELS)}/9.0"


@pytest.mark.parametrize("names", RUN_COLUMNS.values(), ids=RUN_COLUMNS)
def test_a_frame_scores_the_same(
    wanted: list[tuple[str, str, float]], names: tuple[str, ...]
) -> None:
    frame = pd.DataFrame(columns_of(names, RUN))
    assert values(te.score(QRELS, frame, MEASURES)) == wanted


@pytest.mark.parametrize("names", QRELS_COLUMNS.values(), ids=QRELS_COLUMNS)
def test_a_frame_of_judgments_is_the_same(names: tuple[str, ...]) -> None:
    frame = pd.DataFrame(columns_of(names, QRELS))
    assert protocol_of(te.score(frame, {"x": RUN}, ["P@1"])) == f"{hash_of(QRELS)}/9.0"


LABELLED = {
    "JSON, lists": json.dumps({q: list(ds) for q, ds in ONES.items()}),
    "JSON lines": "\n".join(
        json.dumps({"query_id": q, "relevant": list(ds)}) for q, ds in ONES.items()
    ),
    "JSON lines without line ends": "".join(
        json.dumps({"relevant": list(ds), "query_id": q}) for q, ds in ONES.items()
    ),
    "TREC": lines_of("{q} 0 {d} {v}", ONES),
}


@pytest.mark.parametrize("content", LABELLED.values(), ids=LABELLED)
def test_listed_documents_are_relevant(save: Save, content: str) -> None:
    scores = te.score(save("x.qrels", content), {"x": RUN}, ["P@1"])
    assert protocol_of(scores) == f"{hash_of(ONES)}/9.0"


# Which format it is


@pytest.mark.parametrize("query_id", ['{"a"}', "{a}", "[x]", "[1]", "{", "[", "{}", "PAR1"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_an_id_like_json_is_text(
    save: Save, query_id: str, packed: Callable[[bytes], bytes]
) -> None:
    run = save("x.run", packed(f"{query_id} Q0 d1 1 2.0 t\n".encode()))
    qrels = save("x.qrels", packed(f"{query_id} 0 d1 1\n".encode()))
    assert te.read_run(run)["query_id"].tolist() == [query_id]
    assert te.read_qrels(qrels)["query_id"].tolist() == [query_id]
    assert values(te.score(qrels, run, ["P@1"])) == [(query_id, "P@1", 1.0)]


JSON_HEADS = {
    "an object": ('{"q1": {"d1": 1}}', "json"),
    "blanks within": ('\n{ \t"q1"\n :{"d1": 1}}', "json"),
    "an escaped quote in the key": ('{"q\\"1": {"d1": 1}}', "json"),
    "a key longer than what is looked at": ('{"' + "q" * 600 + '": {"d1": 1}}', "json"),
    "a key cut off within an escape": ('{"' + "q" * 509 + '\\n": {"d1": 1}}', "json"),
    "a colon after what is looked at": ('{"q1"' + " " * 600 + ': {"d1": 1}}', "json"),
    "queries named as keys of other formats": (
        '{"query": {"d1": 1}, "candidates": ["d1"], "query_id": {"d1": 1}}',
        "json",
    ),
    "many queries": (json.dumps({f"q{i}": {"d1": 1} for i in range(50)}), "json"),
}


@pytest.mark.parametrize(("content", "kind"), JSON_HEADS.values(), ids=JSON_HEADS)
def test_json_is_told(save: Save, content: str, kind: str) -> None:
    notes = reading.Notes()
    reading.load_run(reading.Source(save("x", content)), "x", notes)
    assert notes.format == kind


TAKES_ITS_OWN = {
    "trec": ("TREC", "TREC, no tag"),
    "msmarco": ("MS MARCO",),
    "json": ("JSON", "JSON, ranked lists"),
    "rank_llm": ("rank_llm, lines", "rank_llm, list"),
    "mteb": ("MTEB",),
    "mteb:default/test": ("MTEB",),
    "parquet": ("Parquet, ours", "Parquet, by rank"),
}


@QUIET
@pytest.mark.parametrize("forced", TAKES_ITS_OWN)
@pytest.mark.parametrize("kind", [kind for kinds in TAKES_ITS_OWN.values() for kind in kinds])
def test_a_forced_run_format_takes_its_own_and_refuses_others(
    save: Save, wanted: list[tuple[str, str, float]], forced: str, kind: str
) -> None:
    path = save("x.run", RUN_FILES[kind][1])
    if kind in TAKES_ITS_OWN[forced]:
        assert values(te.score(QRELS, path, MEASURES, run_format=forced)) == wanted
        return
    with pytest.raises(te.ReadError, match=r"x\.run:.* saw .*, expected ") as refused:
        te.score(QRELS, path, MEASURES, run_format=forced)
    assert "Members" not in str(refused.value)


QRELS_TAKE = {
    "qrels": "TREC",
    "beir": "BEIR",
    "json": "JSON",
    "jsonl": "JSON lines",
    "parquet": "Parquet, ours",
    "letor": "LETOR 4.0",
}


@pytest.mark.parametrize("forced", QRELS_TAKE)
@pytest.mark.parametrize("kind", QRELS_TAKE.values())
def test_a_forced_qrels_format_takes_its_own_and_refuses_others(
    save: Save, forced: str, kind: str
) -> None:
    path = save("x.qrels", QRELS_FILES[kind][1])
    if kind == QRELS_TAKE[forced]:
        read = te.read_qrels(path, qrels_format=forced)
        assert len(read) == 5
        return
    with pytest.raises(te.ReadError, match=r"x\.qrels:.* saw .*, expected "):
        te.read_qrels(path, qrels_format=forced)


def test_beir_forced_needs_no_header(save: Save) -> None:
    path = save("x.qrels", "q1\td1\t2\n")
    assert te.read_qrels(path, qrels_format="beir")["relevance"].tolist() == [2]


@pytest.mark.parametrize("name", ["csv", "TREC", "", "json:default/test", "trec:x"])
def test_an_unknown_run_format_is_refused(name: str) -> None:
    said = re.escape(f"run_format: saw {name!r}, expected one of auto, trec, msmarco, json, ")
    with pytest.raises(te.UsageError, match=said):
        te.score(QRELS, {"x": RUN}, run_format=name)


def test_an_unknown_qrels_format_is_refused() -> None:
    with pytest.raises(te.UsageError, match="qrels_format: saw 'csv', expected one of auto, qrels"):
        te.score(QRELS, {"x": RUN}, qrels_format="csv")


# MTEB's parts

PARTS = {**META, "en": {"test": {"q1": {"d9": 1.0}}, "dev": {}}, "de": {"test": RUN}}


def test_a_part_of_mteb_is_chosen(save: Save, wanted: list[tuple[str, str, float]]) -> None:
    path = save("x.json", json.dumps(PARTS))
    assert values(te.score(QRELS, path, MEASURES, run_format="mteb:de/test")) == wanted


def test_parts_of_mteb_are_told(save: Save) -> None:
    path = save("x.json", json.dumps(PARTS))
    said = (
        r"x\.json: saw 3 parts \(en/test, en/dev, de/test\), expected one\. "
        "Choose one: --run-format mteb:en/test$"
    )
    with pytest.raises(te.ReadError, match=said):
        te.read_run(path)
    said = r"x\.json: saw parts en/test, en/dev, de/test, expected fr/test\. Name one of them\."
    with pytest.raises(te.ReadError, match=said):
        te.read_run(path, run_format="mteb:fr/test")


# Questions


def test_what_is_said_of_questions_is_kept(save: Save) -> None:
    lines = [
        {"query_id": "q1", "relevant": ["d1"], "text": "why?", "tags": ["a", {"b": 1}]},
        {"query_id": 2, "relevant": {"d1": 2}, "text": None},
        {"query_id": "q3", "relevant": ["d1"]},
    ]
    read = te.read_qrels(save("x.jsonl", "\n".join(map(json.dumps, lines))))
    assert read.attrs["topics"] == {
        "q1": {"text": "why?", "tags": ["a", {"b": 1}]},
        "2": {"text": None},
    }
    assert read["query_id"].tolist() == ["2", "q1", "q3"]
    assert read["relevance"].tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("others", "said"),
    [("", "1 query names no document; left out"), ("q3", "2 queries name no document; left out")],
)
def test_questions_without_a_document_are_left_out(save: Save, others: str, said: str) -> None:
    empty = [{"query_id": one, "relevant": []} for one in ("q2", others) if one]
    lines = [{"query_id": "q1", "relevant": ["d1"]}, *empty]
    with pytest.warns(te.TrecEvalWarning, match=f"^x: {said}$"):
        scores = te.score(
            save("x.jsonl", "\n".join(map(json.dumps, lines))), {"x": {"q1": ["d1"]}}, ["P@1"]
        )
    assert values(scores) == [("q1", "P@1", 1.0)]


def test_only_questions_without_a_document_are_refused(save: Save) -> None:
    path = save("x.jsonl", '{"query_id": "q1", "relevant": []}')
    with pytest.raises(te.ReadError, match=r"x\.jsonl: saw no judgment, expected "):
        te.read_qrels(path)


def test_an_empty_answer_is_no_missing_query(save: Save) -> None:
    for content in ('{"q1": {}}', '{"q1": []}', '[{"query": {"qid": "q1"}, "candidates": []}]'):
        scores = te.score({"q1": {"d1": 1}}, save("x.json", content), ["P@1", "num_q"])
        assert values(scores) == [("q1", "P@1", 0.0), ("q1", "num_q", 1.0)]


# What is refused


def tar(content: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("x.run")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.run", content)
    return file.getvalue()


TEXT = b"q1 Q0 d1 1 2.0 t\n"
PARQUET = table({"qid": ["q1"], "docno": ["d1"], "score": [1.0]})
JUDGED = table({"qid": ["q1"], "docno": ["d1"], "label": [1]})
DEEP = "[" * 100_000 + "]" * 100_000
DEEPER = "[" * 300 + "]" * 300
LONG = "9" * 5000

# What a file holds, and what is said after its name.
REFUSED_RUNS: dict[str, tuple[str | bytes, str]] = {
    "NaN": (
        '{"q0": [],\n"q1":\n{"d1": NaN}}',
        ":2: saw score nan (float) (query 'q1', document 'd1' (str)), expected a number that is "
        "not NaN.",
    ),
    "a score in quotes": ('{"q1": {"d1": "1"}}', ":1: saw score '1' (str) (query 'q1', "),
    "a score that is null": ('{"q1": {"d1": null}}', ":1: saw score None (NoneType) (query 'q1', "),
    "a score that is true": ('{"q1": {"d1": true}}', ":1: saw score True (bool) (query 'q1', "),
    "a score that is an object": (
        '{"q1": {"d1": {"score": 1}}}',
        ":1: saw score {'score': 1} (dict) (query 'q1', document 'd1' (str)), expected a number",
    ),
    "a document that is an object": (
        '{"q1": [{"docid": "d1"}]}',
        ":1: saw id {'docid': 'd1'} (dict) (query 'q1', ",
    ),
    "a document that is a number with a fraction": ('{"q1": [1.5]}', ":1: saw id 1.5 (float) ("),
    "an empty docno": ('{"q1": {"": 1}}', ":1: saw an empty id (query 'q1', document '' (str))"),
    "a NUL in a docno": ('{"q1": {"\\u0000": 1}}', ":1: saw id b'\\x00' with a NUL"),
    "a query that is text": (
        '{"q1": "d1"}',
        ":1: saw 'd1' (str) (query 'q1'), expected docno to score, or a ranked list. ",
    ),
    "a query that is a number": ('{"a": {}, "q1": 5}', ":1: saw 5 (int) (query 'q1'), expected "),
    "a query twice": (
        '{"q1": {"d1": 1},\n"q1": {"d2": 1}}',
        ":2: saw query 'q1' again, expected each once. Join the two.",
    ),
    "a document twice": (
        '{"q1": {"d1": 1, "d1": 1}}',
        ":1: saw document 'd1' (str) twice (query 'q1'), expected once. Keep the best one, or ",
    ),
    "a document twice in a list": ('{"q1": [1, "1"]}', ":1: saw document '1' (str) twice (que"),
    "a lone surrogate": (
        '{"q1": {"\\ud800": 1}}',
        ":1: saw id '\\ud800', which is no valid Unicode (a lone surrogate) (query 'q1', ",
    ),
    "no UTF-8": (
        b'{"q1": {"d1": 1},\n"q2": {"\xff": 1}}',
        ":1: saw bytes that are no UTF-8, expected JSON, which is UTF-8. Convert the file.",
    ),
    "UTF-8 that is cut off": (b'{"q1": {"d\xc3', ":1: saw bytes that are no UTF-8, expected JSON"),
    "nested very deep": (
        '{"q1": {"d1": ' + DEEP + "}}",
        ":1: saw JSON that is nested too deep, expected a query's documents.",
    ),
    "nested deep": ('{"q1": {"d1": ' + DEEPER + "}}", ":1: saw score [[[["),
    "nested deep, as rank_llm": (
        '{"query": {"qid": "q1"}, "candidates": ' + DEEPER + "}",
        ":1: saw JSON that is nested too deep, expected {",
    ),
    "cut off": ('{"q1": {"d1": 1},\n"q2": {"d', ":2: saw no JSON (unterminated string start"),
    "cut off after a query": ('{"q1": {"d1": 1}', ":1: saw the end of the file, expected a comma "),
    "cut off after a comma": ('{"q1": {"d1": 1},\n', ":2: saw the end of the file, expected a key"),
    "cut off after a key": ('{"q1":\n', ":2: saw the end of the file, expected a JSON value. "),
    "a comma at the end": ('{"q1": {"d1": 1},\n}', ":2: saw '}', expected a key in double quotes."),
    "a comma at the end of a query": ('{"q1": {"d1": 1,}}', ":1: saw no JSON (expecting property"),
    "single quotes": ("{\"q1\": {'d1': 1}}", ":1: saw no JSON (expecting property name"),
    "something after": ('{"q1": {"d1": 1}}\nx', ":2: saw 'x', expected the end of the file. "),
    "two objects": (
        '{"q1": {"d1": 1}}\n{"q2": {"d1": 1}}',
        ":1: saw JSON lines that are none of rank_llm's, expected a run. Judgments come first, ",
    ),
    "an integer of thousands of digits": (
        '{"q1": {"d1": ' + LONG + "}}",
        ":1: saw an integer of thousands of digits, expected a number within 64 bits. ",
    ),
    "an integer beyond a double": (
        '{"q1": {"d1": ' + "9" * 400 + "}}",
        ":1: saw a score beyond the range of a double (int) (query 'q1', ",
    ),
    "an empty object": ("{}", ": saw no run line, expected 6 fields "),
    "an empty list": ("[]", ": saw no run line, expected 6 fields "),
    "a list of text": ('["q1"]', ':1: saw \'q1\' (str), expected {"query": {"qid": ...}, '),
    "a list without an end": (
        '[{"query": {"qid": "q1"}, "candidates": []}',
        ":1: saw the end of the file, expected a comma or a closing bracket. ",
    ),
    "rank_llm without a docid": (
        '[{"query": {"qid": "q1"}, "candidates": [{"score": 1}]}]',
        ":1: saw id None (NoneType) (query 'q1', document None (NoneType)), expected text.",
    ),
    "rank_llm without a query": (
        '{"query": {"qid": "q1"}, "candidates": []}\n{"candidates": []}',
        ':2: saw {"candidates": []}, expected {"query": ',
    ),
    "rank_llm with two queries": (
        '{"query": {"qid": "q1"}, "query": {"qid": "q2"}, "candidates": []}',
        ":1: saw key 'query' twice, expected each key once. Keep one.",
    ),
    "rank_llm with two scores": (
        '[{"query": {"qid": "q1"}, "candidates": [{"docid": "d", "score": 1, "score": 2}]}]',
        ":1: saw key 'score' twice, expected each key once. Keep one.",
    ),
    "questions": (
        '{"query_id": "q1", "relevant": ["d1"]}',
        ":1: saw JSON lines that are none of rank_llm's, expected a run. Judgments come first, ",
    ),
    "qrels": ("q1 0 d1 1\n", ":1: saw 4 fields, expected 6 fields "),
    "qrels in Parquet": (JUDGED, ": saw columns qid, docno, label, expected score among them."),
    "MTEB whose part is a list": (
        json.dumps({**META, "default": {"test": ["d1"]}}),
        """:1: saw '["d1"]}}', expected a JSON object.""",
    ),
    "UTF-16": (
        '{"q1": {"d1": 1}}'.encode("utf-16"),
        ": saw UTF-16 text, expected text. Convert it: iconv -f UTF-16 -t UTF-8.",
    ),
    "UTF-16, big end first": (b"\xfe\xff\0q\x001", ": saw UTF-16 text, expected text. "),
    "UTF-32": ("q1".encode("utf-32"), ": saw UTF-32 text, expected text. Convert it: iconv -f UTF"),
    "tar": (tar(TEXT), ": saw a tar archive, expected text. Unpack it, and give the file inside."),
    "tar.gz": (gzip.compress(tar(TEXT)), ": saw a tar archive inside gzip, expected text. Unpack"),
    "tar.bz2": (bz2.compress(tar(TEXT)), ": saw a tar archive inside bzip2, expected text. Unpa"),
    "zip": (zipped(TEXT), ": saw a zip archive, expected text. Unpack it, and give the file insi"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4", ": saw a 7-Zip archive, expected text. Unpack it, "),
    "rar": (b"Rar!\x1a\x07\1\0", ": saw a RAR archive, expected text. Unpack it, "),
    "compress": (
        b"\x1f\x9d\x90q1",
        ": saw a file of the program compress (.Z), expected text. Unpack it: gzip -d FILE.",
    ),
    "gzip in gzip": (
        gzip.compress(gzip.compress(TEXT)),
        ": saw gzip around gzip, expected one compression. Unpack it once.",
    ),
    "xz in gzip": (gzip.compress(lzma.compress(TEXT)), ": saw gzip around xz, expected one comp"),
    "Parquet in gzip": (
        gzip.compress(PARQUET),
        ": saw a Parquet file inside gzip, expected text. Unpack it, and give the file inside.",
    ),
    "Parquet that is cut off": (PARQUET[:-10], ":1: saw a NUL byte, expected text. The file is da"),
    "Parquet that is damaged": (
        PARQUET[:-60] + b"\xff" * 52 + PARQUET[-8:],
        ": saw a Parquet file that is damaged (",
    ),
    "Parquet with damaged pages": (
        b"PAR1" + b"x" * 20 + PARQUET[24:],
        ": saw a Parquet file that is damaged (",
    ),
    "Parquet without a row": (
        table({"qid": pa.array([], "str"), "docno": pa.array([], "str"), "score": []}),
        ": saw no run line, expected ",
    ),
    "Parquet without columns of ours": (
        table({"topic": ["q1"], "docno": ["d1"], "score": [1.0]}),
        ": saw columns topic, docno, score, expected query_id or qid or q_id or query-id among ",
    ),
    "Parquet with a null": (
        table({"qid": ["q1", None], "docno": ["d1", "d1"], "score": [1.0, 1.0]}),
        ":2: saw id None (NoneType) (query), expected text.",
    ),
    "Parquet with a NaN": (
        table({"qid": ["q1"], "docno": ["d1"], "score": [float("nan")]}),
        ":1: saw score nan (float) (query 'q1' (str), document 'd1' (str)), expected a number ",
    ),
    "Parquet with lists for queries": (
        table({"qid": [["q1"]], "docno": ["d1"], "score": [1.0]}),
        ":1: saw id ['q1'] (list) (query), expected text.",
    ),
    "Parquet by rank, with lists for queries": (
        table({"qid": [["q1"]], "docno": ["d1"], "rank": [1]}),
        ":1: saw id ['q1'] (list) (query), expected text.",
    ),
    "Parquet whose ranks fall": (
        table({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "rank": [1, 1]}),
        ":2: saw rank 1 (int) without a score (query 'q1' (str)), expected a rank above 1. List ",
    ),
    "Parquet whose ranks begin late": (
        table({"qid": ["q1", "q2"], "docno": ["d1", "d2"], "rank": [1, 2]}),
        ":2: saw rank 2 (int) without a score (query 'q2' (str)), expected a rank of 0 or 1, or a ",
    ),
    "Parquet with a document twice": (
        table({"qid": ["q1", "q1"], "docno": ["d1", "d1"], "score": [1.0, 2.0]}),
        ":2: saw document 'd1' (str) twice (query 'q1' (str)), expected once.",
    ),
}


@pytest.mark.parametrize(("content", "said"), REFUSED_RUNS.values(), ids=REFUSED_RUNS)
def test_a_run_is_refused_in_words(save: Save, content: str | bytes, said: str) -> None:
    path = save("x.run", content)
    with pytest.raises(te.ReadError) as refused:
        te.read_run(path)
    assert f"{path}{said}" in str(refused.value)
    with pytest.raises(te.ReadError) as again:
        te.score({"q1": {"d1": 1}}, path)
    assert str(again.value) == str(refused.value)


REFUSED_QRELS: dict[str, tuple[str | bytes, str]] = {
    "a fraction": (
        '{"q1": {"d1": 1.5}}',
        ":1: saw grade 1.5 (float) (query 'q1', document 'd1' (str)), expected an integer of at ",
    ),
    "a run in JSON": ('{"q1":\n{"d1": 3.5}}', ":1: saw grade 3.5 (float) (query 'q1', "),
    "beyond 64 bits": ('{"q1": {"d1": 9223372036854775808}}', ":1: saw grade 9223372036854775808 "),
    "infinite": ('{"q1": {"d1": 1e400}}', ":1: saw grade inf (float) (query 'q1', "),
    "NaN": ('{"q1": {"d1": NaN}}', ":1: saw grade nan (float) (query 'q1', "),
    "true": ('{"q1": {"d1": true}}', ":1: saw grade True (bool) (query 'q1', "),
    "a query that is text": (
        '{"q1": "d1"}',
        ":1: saw 'd1' (str) (query 'q1'), expected docno to grade, or the relevant documents. ",
    ),
    "a document twice": ('{"q1": ["d1", "d1"]}', ":1: saw document 'd1' (str) twice (query 'q1')"),
    "a query twice": ('{"q1": ["d1"], "q1": ["d2"]}', ":1: saw query 'q1' again, expected each "),
    "a question twice": (
        '{"query_id": "q1", "relevant": ["d1"]}\n{"query_id": "q1", "relevant": ["d2"]}',
        ":2: saw query 'q1' again, expected each once. Join the two.",
    ),
    "a question without documents": (
        '{"query_id": "q1", "relevant": ["d1"]}\n{"query_id": "q2"}',
        ':2: saw {"query_id": "q2"}, expected a line {"query_id": ..., "relevant": [...]}. Name ',
    ),
    "a question without a name": (
        '{"query_id": "q1", "relevant": ["d1"]}\n\n{"relevant": ["d1"]}',
        ':3: saw {"relevant": ["d1"]}, expected a line {',
    ),
    "a question that is none": (
        '{"query_id": "q1", "relevant": ["d1"]}\n12',
        ":2: saw 12 (int), expected a line {",
    ),
    "a question with two lists": (
        '{"query_id": "q1", "relevant": ["d1"], "relevant": ["d2"]}',
        ":1: saw key 'relevant' twice, expected each key once. Keep one.",
    ),
    "a question named by a list": (
        '{"query_id": "q1", "relevant": ["d1"]}\n{"query_id": ["q2"], "relevant": ["d1"]}',
        ":2: saw id ['q2'] (list) (query ['q2'] (list)), expected text.",
    ),
    "a question that says something deep": (
        '{"query_id": "q1", "relevant": ["d1"], "x": ' + DEEPER + "}",
        ":1: saw JSON that is nested too deep, expected what is said of a query.",
    ),
    "questions with a comma between": (
        '{"query_id": "q1", "relevant": ["d1"]},\n{"query_id": "q2", "relevant": ["d1"]}',
        ":1: saw ",
    ),
    "an empty object": ("{}", ": saw no judgment, expected 4 fields "),
    "only queries without documents": ('{"q1": {}}', ": saw no judgment, expected 4 fields "),
    "rank_llm": (
        json.dumps(candidates("q1")),
        ":1: saw a run as rank_llm writes it, expected judgments. Qrels come first, then runs.",
    ),
    "MTEB": (
        json.dumps({**META, "default": {"test": RUN}}),
        ":1: saw a run as mteb writes it, expected judgments. Qrels come first, then runs.",
    ),
    "a run": (TEXT, ":1: saw 6 fields, expected 4 fields "),
    "a run in Parquet": (
        table({"qid": ["q1"], "docno": ["d1"], "score": [1.5]}),
        ":1: saw grade 1.5 (float) (query 'q1' (str), document 'd1' (str)), expected an integer",
    ),
    "LETOR without a docno": (
        "2 qid:q1 1:0.5\n",
        ":1: saw no docno in the comment, expected relevance qid:query_id features # docno = ",
    ),
    "LETOR with an empty query": (
        "2 qid: 1:0.5 # docno = d1\n",
        ":1: saw no query in '2 qid:', expected relevance qid:query_id features",
    ),
    "LETOR, then qrels": (
        "2 qid:q1 1:0.5 # docno = d1\nq1 0 d2 1\n",
        ":2: saw no query in 'q1 0', expected relevance qid:query_id features",
    ),
    "LETOR with a fraction": (
        "1.5 qid:q1 1:0.5 # docno = d1\n",
        ":1: saw relevance '1.5', expected an integer of at most 64 bits.",
    ),
    "LETOR with a document twice": (
        "1 qid:q1 1:0.5 # docno = d1\n0 qid:q1 1:0.1 #docid=d1\n",
        ":2: saw document 'd1' again for query 'q1' (first on line 1), expected one judgment",
    ),
}


@pytest.mark.parametrize(("content", "said"), REFUSED_QRELS.values(), ids=REFUSED_QRELS)
def test_judgments_are_refused_in_words(save: Save, content: str | bytes, said: str) -> None:
    path = save("x.qrels", content)
    with pytest.raises(te.ReadError) as refused:
        te.read_qrels(path)
    assert f"{path}{said}" in str(refused.value)
    with pytest.raises(te.ReadError) as again:
        te.score(path, {"x": {"q1": {"d1": 1}}})
    assert str(again.value) == str(refused.value)


@pytest.mark.parametrize(("content", "said"), REFUSED_RUNS.values(), ids=REFUSED_RUNS)
def test_records_are_refused_alike(save: Save, content: str | bytes, said: str) -> None:
    """What converts or checks a run meets the same faults, but for documents that stand twice."""
    source = reading.Source(save("x.run", content))
    if " twice (" in said or " again, " in said or ": saw no run line" in said:
        list(reading.run_records(source, reading.Notes()))
        return
    with pytest.raises(te.ReadError, match=r"x\.run:.* saw "):
        list(reading.run_records(source, reading.Notes()))


FRAMES = {
    "a rank that does not rise": (
        {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "rank": [2, 1]},
        "run: row 0, query 'q1' (str): saw rank 2 (int) without a score, expected a rank of 0 or ",
    ),
    "a rank twice": (
        {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "rank": [1, 1]},
        "run: row 1, query 'q1' (str): saw rank 1 (int) without a score, expected a rank above 1.",
    ),
    "neither score nor rank": (
        {"qid": ["q1"], "docno": ["d1"], "sim": [1.0]},
        "run: saw columns qid, docno, sim, expected score among them. Rename yours.",
    ),
    "no id": (
        {"qid": [None], "docno": ["d1"], "rank": [1]},
        "run: row 0, query: saw id None (NoneType), expected text. Convert it with str().",
    ),
}


@pytest.mark.parametrize(("columns", "said"), FRAMES.values(), ids=FRAMES)
def test_a_frame_is_refused_in_words(columns: dict[str, list[object]], said: str) -> None:
    with pytest.raises(te.InputError, match=re.escape(said)):
        te.read_run(pd.DataFrame(columns, dtype=object))


def test_ranks_in_a_frame_count_only_without_scores() -> None:
    frame = pd.DataFrame({"qid": "q1", "docno": ["d1", "d2"], "rank": [9, 0], "score": [1, 2]})
    assert te.read_run(frame)["docno"].tolist() == ["d2", "d1"]


def test_scores_beyond_a_double_are_told(save: Save) -> None:
    path = save("x.json", '{"q1": {"d1": 1e400, "d2": -1e400, "d3": 1e-400, "d4": 0.0}}')
    with pytest.warns(te.TrecEvalWarning, match=r"x\.json: 3 scores lie beyond the range of a d"):
        read = te.read_run(path)
    assert read["score"].tolist() == [float("inf"), 0.0, 0.0, float("-inf")]


def test_infinite_scores_need_no_warning(save: Save) -> None:
    read = te.read_run(save("x.json", '{"q1": {"d1": -Infinity, "d2": Infinity}}'))
    assert read["docno"].tolist() == ["d2", "d1"]


# Subtopics

SUBTOPICS = "q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 1\n"


def test_judgments_by_subtopic_are_hashed_with_it(save: Save) -> None:
    source = reading.Source(save("x.qrels", SUBTOPICS))
    judged = reading.load_judgments(source, "x", "subtopics")
    lines = b"q1\td1\t1\t1\nq1\td1\t2\t0\nq1\td2\t2\t1\n"
    asked = parse(["num_q"], Options(), "subtopics")
    evaluation = Evaluation(judged, "x", asked)
    assert evaluation.protocol.judgments == hashlib.sha256(lines).hexdigest()[:12]
    assert judged.form == "subtopics"


def test_measures_of_qrels_refuse_subtopics(save: Save) -> None:
    path = save("x.qrels", SUBTOPICS)
    said = "measure 'P@1': saw judgments read as subtopics, expected qrels. Read them so with "
    with pytest.raises(te.MeasureError, match=said):
        te.score(path, {"x": {"q1": ["d1"]}}, ["P@1"], qrels_format="subtopics")


def test_subtopics_are_read_only_when_asked_for(save: Save) -> None:
    path = save("x.qrels", SUBTOPICS)
    with pytest.raises(te.ReadError, match=r"x\.qrels:2: saw document 'd1' again .*subtopics\."):
        te.read_qrels(path)
    with pytest.raises(te.UsageError, match="qrels: saw judgments in memory to be read as subto"):
        te.score(QRELS, {"x": RUN}, ["num_q"], qrels_format="subtopics")
    source = reading.Source(save("y.qrels", "q1 1 d1 x\n"))
    with pytest.raises(te.ReadError, match=r"y\.qrels:1: saw relevance 'x', expected an integer"):
        reading.load_judgments(source, "y", "subtopics")
    source = reading.Source(save("z.qrels", "q1 1 d1 1\nq1 d1 1\n"))
    said = r"z\.qrels:2: saw 3 fields, expected 4 fields \(query_id subtopic docno relevance\)"
    with pytest.raises(te.ReadError, match=said):
        reading.load_judgments(source, "z", "subtopics")


# Headers of ir_metadata

HEADER = "# ir_metadata.start\n# tag: me and five more words\n# method:\n#   auto: true \n#\n"
HEADED = f"{HEADER}# ir_metadata.end\nq1 Q0 d1 1 2.0 t\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("reader", ["plain", "columnar"])
def test_a_header_is_kept_and_is_no_comment(save: Save, reader: Reader, end: str) -> None:
    path = save("x.run", HEADED.replace("\n", end))
    read = te.read_run(path)
    assert read.attrs["ir_metadata"] == "tag: me and five more words\nmethod:\n  auto: true\n\n"
    evaluation = Evaluation({b"q1": {b"d1": 1}}, "x", parse(["P@1"], Options()), reader=reader)
    assert evaluation.score(reading.Source(path), "x").rows == [[1.0]]


@pytest.mark.parametrize("reader", ["plain", "columnar"])
def test_a_comment_after_the_header_is_one(save: Save, reader: Reader) -> None:
    path = save("x.run", f"{HEADED}#q1 Q0 d2 1 2.0 t\n")
    evaluation = Evaluation({b"q1": {b"d1": 1}}, "x", parse(["P@1"], Options()), reader=reader)
    with pytest.warns(te.TrecEvalWarning, match="x: 1 comment line has as many fields"):
        evaluation.score(reading.Source(path), "x")


def test_without_a_header_nothing_is_said(save: Save) -> None:
    assert te.read_run(save("x.run", TEXT)).attrs == {}
    assert "topics" not in te.read_qrels(save("x.qrels", "q1 0 d1 1\n")).attrs


# What --verbose says

VERBOSE = [
    *((kind, "", form) for kind, (form, _) in RUN_FILES.items() if kind != "MTEB"),
    ("MTEB", "mteb:default/test", "mteb (default/test)"),
    ("MTEB", "", "mteb"),
]


@pytest.mark.parametrize(
    ("kind", "forced", "form"), VERBOSE, ids=[f"{k} {f}" for k, f, _ in VERBOSE]
)
def test_verbose_says_what_a_run_was_read_as(save: Save, kind: str, forced: str, form: str) -> None:
    run, qrels = save("x.run", RUN_FILES[kind][1]), save("x.qrels", QRELS_FILES["TREC"][1])
    more = ["--run-format", forced] if forced else []
    words = ["score", "-v", str(qrels), str(run), "-m", "P@1", *more]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    lines = done.stderr.splitlines()
    assert "x: read as qrels" in lines
    assert f"x: read as {form}" in lines


@pytest.mark.parametrize("pack", PACKED)
def test_verbose_says_the_compression(save: Save, pack: str) -> None:
    packed = PACKED[pack]
    run = save("x.run", packed(TEXT))
    qrels = save("x.qrels", packed(b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"))
    done = CliRunner().invoke(main, ["score", "--verbose", str(qrels), str(run), "-m", "P@1"])
    assert done.stderr == f"x: read as beir, {pack}\nx: read as trec, {pack}\n"


@pytest.mark.parametrize(
    ("content", "form"),
    [(TEXT, "trec"), (b"q1 Q0 d1 1 2.0\n", "trec (5 fields, no tag)"), (b"q1 d1 1\n", "msmarco")],
    ids=["6", "5", "3"],
)
def test_verbose_says_it_of_a_file_that_is_split(save: Save, content: bytes, form: str) -> None:
    run, qrels = save("x.run", content), save("y.qrels", "q1 0 d1 1\n")
    words = ["score", "-v", "--split-tags", str(qrels), str(run), "-m", "P@1"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    assert f"x: read as {form}" in done.stderr.splitlines()


@pytest.mark.parametrize("kind", ["JSON", "rank_llm, lines", "MTEB", "Parquet, ours"])
def test_a_run_without_tags_is_named_after_its_file(save: Save, kind: str) -> None:
    run, qrels = save("mine.run", RUN_FILES[kind][1]), save("y.qrels", QRELS_FILES["TREC"][1])
    words = ["score", "--run-names", "tag", str(qrels), str(run), "-m", "num_q", "--wide"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("y,mine,q1,")


# Where the text of JSON is cut into chunks

ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CHUNKS = st.integers(1, 7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


def in_chunks(
    path: Path, content: bytes, chunk: int, read: Callable[[_json.Text], object]
) -> object:
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_json, "CHUNK", chunk)
        with _json.opened(reading.Source(path), reading.Notes()) as text:
            return read(text)


def whole(text: _json.Text) -> object:
    value = _json.plain(text.value())
    text.end()
    return value


def all_values(text: _json.Text) -> object:
    found = []
    while text.peek():
        found.append(_json.plain(text.value()))
    return found


def by_member(text: _json.Text) -> object:
    found = {key: (text.line, _json.plain(text.value())) for key in text.members()}
    text.end()
    return found


def by_element(text: _json.Text) -> object:
    found = [_json.plain(text.value()) for _ in text.elements()]
    text.end()
    return found


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


@given(
    value=ANY,
    chunk=CHUNKS,
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 0, 3]),
    blank=st.sampled_from(["", " ", "\n\r\t "]),
    bom=st.booleans(),
)
def test_json_in_chunks_is_what_json_reads(
    folder: Path,
    value: object,
    chunk: int,
    ascii_only: bool,
    indent: int | None,
    blank: str,
    bom: bool,
) -> None:
    text = blank + json.dumps(value, ensure_ascii=ascii_only, indent=indent) + blank
    content = utf8(text)
    expected = json.loads(content.decode())
    mark = b"\xef\xbb\xbf" if bom else b""
    assert repr(in_chunks(folder / "x", mark + content, chunk, whole)) == repr(expected)


@given(values=st.lists(ANY), chunk=CHUNKS, between=st.sampled_from([" ", "\n", "\r\n"]))
@example(values=[1.5, -2, 1e300, 1e-300, 12, 0], chunk=1, between=" ")
def test_values_one_after_the_other(
    folder: Path, values: list[object], chunk: int, between: str
) -> None:
    content = utf8(between.join(map(json.dumps, values)))
    expected = json.loads(b"[%b]" % utf8(",".join(map(json.dumps, values))))
    assert repr(in_chunks(folder / "x", content, chunk, all_values)) == repr(expected)


@given(value=st.dictionaries(st.text(), ANY, max_size=5), chunk=CHUNKS)
@example(value={"a": 1.5, "b": 1e22, "c": -0.0}, chunk=1)
def test_members_one_after_the_other(folder: Path, value: dict[str, object], chunk: int) -> None:
    content = utf8("{" + ",".join(f"\n{json.dumps(k)}:{json.dumps(v)}" for k, v in value.items()))
    expected = {k: (i, v) for i, (k, v) in enumerate(json.loads(content + b"}").items(), 2)}
    assert repr(in_chunks(folder / "x", content + b"\n}", chunk, by_member)) == repr(expected)


@given(value=st.lists(ANY, max_size=5), chunk=CHUNKS)
def test_elements_one_after_the_other(folder: Path, value: list[object], chunk: int) -> None:
    content = utf8(json.dumps(value))
    assert repr(in_chunks(folder / "x", content, chunk, by_element)) == repr(json.loads(content))


@given(
    value=ANY,
    chunk=CHUNKS | st.just(1 << 18),
    at=st.floats(0, 1),
    cut=st.integers(0, 3),
    put=st.sampled_from([*'",:{}[]\\0.e-+ntfIN \n', "", "é", "\0", "\\u12", "1e400"]),
)
def test_damaged_json_is_refused_where_json_refuses_it(
    folder: Path, value: object, chunk: int, at: float, cut: int, put: str
) -> None:
    text = json.dumps(value)
    start = int(at * len(text))
    content = utf8(text[:start] + put + text[start + cut :])
    expected: object = te.ReadError
    try:
        expected = repr(json.loads(content.decode()))
    except ValueError:
        with pytest.raises(te.ReadError, match=r"x:\d+: saw .*, expected "):
            in_chunks(folder / "x", content, chunk, whole)
        return
    assert repr(in_chunks(folder / "x", content, chunk, whole)) == expected


@given(run=st.dictionaries(st.text(min_size=1), st.lists(st.text(min_size=1), unique=True)))
def test_a_run_in_chunks(folder: Path, run: dict[str, list[str]]) -> None:
    """Every key, document and place of a run comes through, whatever it holds."""
    run = {q: ds for q, ds in run.items() if "\0" not in q and not any("\0" in d for d in ds)}
    path = folder / "x.json"
    path.write_bytes(json.dumps(run).encode())
    notes = reading.Notes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_json, "CHUNK", 5)
        read = _json.read_run(reading.Source(path), notes, "json")
    assert read == {
        q.encode(): {d.encode(): len(ds) - i for i, d in enumerate(ds)} for q, ds in run.items()
    }


# What may fill the memory


def test_a_value_without_end_is_refused(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json, "LONGEST", 1 << 20)
    many = {f"q{i}": [f"{i} {'d' * 1000}"] for i in range(4000)}  # four times as much, in parts
    assert len(te.read_run(save("x.json", json.dumps(many)))) == 4000
    path = save("x.json", '{"q1": {"d1": 1},\n"q2": ["' + "d" * (3 << 20) + '"]}')
    said = r"x\.json:2: saw a value of more than 1 MB, expected one query at a time"
    with pytest.raises(te.ReadError, match=said):
        te.read_run(path)


def test_no_more_than_a_query_is_held(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json, "CHUNK", 100)
    path = save("x.json", json.dumps({f"q{i}": ["d" * 300] for i in range(500)}))
    most = 0
    with _json.opened(reading.Source(path), reading.Notes()) as text:
        for _ in text.members():
            text.value()
            most = max(most, len(text._held))
    assert most < 2000


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_line_without_end_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(_plain, "LONGEST_LINE", 1 << 20)
    path = save("x", b"#\n" + b"x" * (3 << 20))
    read = te.read_run if kind == "run" else te.read_qrels
    with pytest.raises(te.ReadError, match="x:2: saw a line of more than 1 MB, expected lines of"):
        read(path)


# What a file holds

HOLDS = {
    **{f"run, {kind}": (content, "run") for kind, (_, content) in RUN_FILES.items()},
    **{
        f"qrels, {kind}": (content, "qrels")
        for kind, (_, content) in QRELS_FILES.items()
        if kind != "JSON, decimals"
    },
    "nothing": ("", ""),
    "scores": ("qrels,run,query_id,measure,value,protocol\n", "scores"),
    "an empty object": ("{}", "run"),
    "an empty query": ('{"q1": {}}', "run"),
}


@pytest.mark.parametrize(("content", "held"), HOLDS.values(), ids=HOLDS)
def test_what_a_file_holds(save: Save, content: str | bytes, held: str) -> None:
    assert reading.holds(reading.Source(save("x", content))) == held


def warned(call: Callable[[], object]) -> list[str]:
    """Give what is said in a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("TREC", []),
        ("JSON", []),
        ("Parquet, by rank", []),
        ("TREC, no tag", ["lines have 5 fields; they were read as query_id Q0 docno rank score"]),
        ("MS MARCO", ["lines have 3 fields; they were read as query_id docno rank (MS MARCO)"]),
    ],
)
def test_what_is_said_of_a_format(save: Save, kind: str, said: list[str]) -> None:
    path = save("x.run", RUN_FILES[kind][1])
    assert warned(lambda: te.score(QRELS, path, ["P@1"])) == [f"x: {one}" for one in said]


BEIR_IDS = {
    "a blank": (b"q 1\td 1\t2", {"q 1": {"d 1": 2}}),
    "quoted": (b'"q""1"\t"d 1"\t2', {'q"1': {"d 1": 2}}),
    "an open quote": (b'q\t"d\t2', {"q": {'"d': 2}}),
    "blanks around": (b" q \td1 \t2", {"q": {"d1": 2}}),
    "no tab": (b"q d1 2", {"q": {"d1": 2}}),
    "U+2028": ("q\u2028\td1\t2".encode(), {"q\u2028": {"d1": 2}}),
}


@pytest.mark.parametrize(("line", "wanted"), BEIR_IDS.values(), ids=BEIR_IDS)
def test_ids_under_a_header_of_beir(
    tmp_path: Path, line: bytes, wanted: dict[str, dict[str, int]]
) -> None:
    """BEIR's own reader splits at tabs, as the csv module does."""
    path = tmp_path / "b.tsv"
    path.write_bytes(b"query-id\tcorpus-id\tscore\n" + line + b"\n")
    read = te.read_qrels(path)
    found: dict[str, dict[str, int]] = {}
    for query_id, docno, grade in zip(
        read["query_id"], read["docno"], read["relevance"], strict=True
    ):
        found.setdefault(query_id, {})[docno] = grade
    assert found == wanted


BAD_BEIR = {
    "no docno": (b"q\t\t1", ":2: saw 2 fields, expected 3 fields (query-id corpus-id score)."),
    "four columns": (b"q\td\t1\t1", ":2: saw 4 fields, expected 3 fields"),
    "a blank, and no tab": (b"q d 1 1", ":2: saw 4 fields, expected 3 fields"),
    "a fraction": (b"q 1\td\t0.5", ":2: saw relevance '0.5', expected an integer"),
}


@pytest.mark.parametrize(("line", "said"), BAD_BEIR.values(), ids=BAD_BEIR)
def test_what_is_no_line_of_beir(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "b.tsv"
    path.write_bytes(b"query-id\tcorpus-id\tscore\n" + line + b"\n")
    with pytest.raises(te.ReadError) as refused:
        te.read_qrels(path)
    assert str(refused.value).startswith(f"{path}{said}")


def test_judged_twice_under_a_header_of_beir(tmp_path: Path) -> None:
    path = tmp_path / "b.tsv"
    path.write_bytes(b"query-id\tcorpus-id\tscore\nq\td 1\t1\nq\te\t1\nq\td 1\t0\n")
    said = r":4: saw document 'd 1' again for query 'q' \(first on line 2\), expected one judgment"
    with pytest.raises(te.ReadError, match=said):
        te.read_qrels(path)


def test_what_json_holds_is_told_past_an_empty_query(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"q1": {}, "q2": {"d1": 1}}')
    assert reading.holds(reading.Source(path)) == "qrels"
