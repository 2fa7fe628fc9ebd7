"""Hostile files, each made from a seed, and what holds both readers to one verdict on them.

``scripts/fuzz`` and the tests share this. It knows files as bytes only, and asks for one thing,
whatever the readers can read: either values or a ``TrecEvalError``, and from both readers the same.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import traceback
import warnings
import zipfile
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest import mock

import trec_eval_py as te
from trec_eval_py import reading
from trec_eval_py.distributing import Evaluation, Intake, Reader, form_of
from trec_eval_py.errors import ScorerError
from trec_eval_py.measures import Asked, Options, parse
from trec_eval_py.ranking import Judgments, Qrels
from trec_eval_py.reading import _columnar, _plain

Rows = dict[str, list[tuple[str, str]]]
"""query_id to docnos, each with a number as it is written."""
Mutation = Callable[[Random, bytes], bytes]

QUERIES = ["q1", "q2", "q3", "10", "9", "007", "all", "NA", "café"]
DOCNOS = [
    *(f"d{i}" for i in range(1, 16)),
    *("D1", "001", "1e5", "nan", "null", "FT911-3", "d1,d2", 'd"1', "clueweb09-en0000-" + "0" * 60),
    *("é", "日本", "x" * 8, "x" * 8 + "y", "all", "q1", "10"),
]
NEAR = ["0.3", "0.30000000000000004", "0.30000001", "16777216", "16777217", "1e39", "1e40", "1.0"]
GOOD_QRELS = {
    query_id.encode(): {
        docno.encode(): (i * 7 + len(query_id)) % 5 - 1 for i, docno in enumerate(DOCNOS[::2])
    }
    for query_id in QUERIES[:-2]
}
GOOD_RUN = b"".join(
    f"{query_id} Q0 {docno} {i} {(i * 5) % 11} good\n".encode()
    for query_id in QUERIES[1:8:2]
    for i, docno in enumerate(DOCNOS[::2])
)

# What may stand in a field, or in one of its places.
NUMBERS = [
    *(
        "nan",
        "NaN",
        "-nan",
        "+NaN",
        "nan",
        "nan(1)",
        "inf",
        "-inf",
        "Infinity",
        "1e400",
        "-1e400",
        "1e-400",
        "1_000",
        "0x10",
        "1,5",
    ),
    *("+5", ".5", "5.", "-.5e+1", "1e5", "1e", "--1", "١٢", "\uff11", "-0", "1.0", "1.5", "-1"),
    *("0", "1", "2147483648", "9223372036854775807", "9223372036854775808", "1" * 400),
    *("1" * 4400, "0." + "3" * 400, "0" * 400 + "1", "-9223372036854775809", "1e308", "4.9e-324"),
]
IDS = [
    *(
        "NA",
        "null",
        "nan",
        "001",
        "1e5",
        "+1",
        "0x10",
        "all",
        "q1",
        "#q1",
        "-",
        "--",
        '"',
        "'",
        "\\",
    ),
    *(
        "\\N",
        '"d1"',
        '"q1"',
        "runid",
        "num_q",
        "{",
        "[",
        "[]",
        "{}",
        '""',
        "\u00a0",
        "\u2028",
        "\ufeff",
        "\x7f",
    ),
    *("x" * 64, "x" * 65, "y" * 300, "a b", "a\tb", "../x", "%s", "<b>", "=1+1", "é"),
]
STRAY = [
    *(b"\0", b" ", b"  ", b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b"\v", b"\f", b"\x1a", b"\x1c"),
    *(b"\x85", b"\xa0", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xff", b"\xfe\xff"),
    *(b"\xed\xa0\x80", b"\xc3", b"\xf0\x9f\x98\x80", b"#", b'"', b",", b"{", b"]", b"\\ud800"),
    *(b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"BZh9"),
]
VALUES = [
    *("null", "true", "false", "[]", "{}", '""', '"1"', '"NaN"', "NaN", "-Infinity", "Infinity"),
    *(
        "1e999",
        "-0",
        "1.0",
        "1.5",
        "[1, 2]",
        '{"a": 1}',
        '"\\ud800"',
        '"\\u0000"',
        '"a b"',
        '"\\n"',
    ),
    *("9" * 400, "9" * 5000, '{"d1": {"d2": 1}}', "01", "+1", ".5", "'q1'", "undefined"),
]
METADATA = [
    *(b"# ir_metadata.start", b"# schema-version: 0.1", b"# tag: me", b"# method:"),
    *(b"#   automatic: true", b"# ir_metadata.end"),
]
COMMENTS = [
    *(
        b"#",
        b"# a",
        b"# one two three four five",
        b"#one two three four five six",
        b" # a b c d",
        b" # Q0 d1 1 1 t",
        b"# two three four five six",
    ),
    *(b"#q1 Q0 d1 1 1 t", b"# 1 0", b"#\0", b"#\xff", b"// a", b"# a\tb\tc\td"),
]


def hostile_run(rng: Random, heavy: bool = False) -> bytes:
    """Make a file that someone may give for a run.

    Parameters
    ----------
    rng : Random
        Equal states give equal files.
    heavy : bool
        Whether what is to be huge is as huge as in the wild; else it is a fiftieth of that.
    """
    return _hostile(rng, RUN_FORMATS, heavy)


def hostile_qrels(rng: Random, heavy: bool = False) -> bytes:
    """Make a file that someone may give for qrels; as ``hostile_run`` does."""
    return _hostile(rng, QRELS_FORMATS, heavy)


def hostile_file(seed: int, heavy: bool = False) -> bytes:
    """Make the file of a seed, a run or qrels."""
    rng = Random(seed)
    return rng.choice([hostile_run, hostile_qrels])(rng, heavy)


def _hostile(rng: Random, formats: Sequence[Callable[[Random], bytes]], heavy: bool) -> bytes:
    if rng.random() < 0.04:
        return _no_file_at_all(rng, heavy)
    content = rng.choice(formats)(rng)
    if rng.random() < 0.5:  # one thing wrong, which the rest of the file does not hide
        return rng.choice(MILD)(rng, content)
    for mutation in rng.choices(MUTATIONS, k=rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 4])):
        content = mutation(rng, content)
    if rng.random() < 0.02:
        content = _huge_id(rng, content, 1 << 20 if heavy else 1 << 14)
    if rng.random() < 0.15:
        content = rng.choice(ENCODINGS)(rng, content)
    if rng.random() < 0.2:
        content = rng.choice(WRAPPINGS)(rng, content)
        if rng.random() < 0.4:
            content = rng.choice([_cut, _flip, _stray, _append])(rng, content)
    return content


def plausible_files(rng: Random) -> list[bytes]:
    """Make one file of each format, with nothing wrong: where a search may begin."""
    return [write(rng) for write in [*RUN_FORMATS, *QRELS_FORMATS]]


# Formats


def _scored_rows(rng: Random) -> Rows:
    """Some queries' documents: sorted or not, with ties, near ties or neither."""
    kinds: list[Callable[[int], str]] = [
        lambda i: f"{20 - i * 0.37:.4f}",
        lambda i: repr(rng.uniform(-9, 9)),
        lambda i: str(rng.randint(-1, 2)),
        lambda i: rng.choice(NEAR),
        lambda i: "0.5",
        lambda i: f"{rng.uniform(0, 1):.3e}",
    ]
    number = rng.choice(kinds)
    return {
        query_id: [
            (docno, number(i)) for i, docno in enumerate(rng.sample(DOCNOS, rng.randint(1, 12)))
        ]
        for query_id in rng.sample(QUERIES, rng.randint(1, 6))
    }


def _judged_rows(rng: Random) -> Rows:
    grades = rng.choice([["0", "1"], ["0", "1", "2", "3"], ["-2", "-1", "0", "1"], ["1"], ["0"]])
    return {
        query_id: [(docno, rng.choice(grades)) for docno, _ in answers]
        for query_id, answers in _scored_rows(rng).items()
    }


def _lines(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _trec_run(rng: Random, width: int = 6) -> bytes:
    blank = rng.choice([" ", " ", "\t"])
    tag = rng.choice(["t", "bm25", "my run v2"])
    return _lines(
        [
            blank.join([query_id, "Q0", docno, str(rank), score, *[tag][: width - 5]])
            for query_id, answers in _scored_rows(rng).items()
            for rank, (docno, score) in enumerate(answers, 1)
        ]
    )


def _five_fields(rng: Random) -> bytes:
    return _trec_run(rng, 5)


def _ms_marco_run(rng: Random) -> bytes:
    first = rng.choice([0, 1])
    return _lines(
        [
            f"{query_id}\t{docno}\t{rank}"
            for query_id, answers in _scored_rows(rng).items()
            for rank, (docno, _) in enumerate(answers, first)
        ]
    )


def _ir_metadata_run(rng: Random) -> bytes:
    return b"".join(line + b"\n" for line in METADATA) + _trec_run(rng)


def _trec_qrels(rng: Random) -> bytes:
    blank = rng.choice([" ", " ", "\t"])
    seconds = rng.choice([["0"], ["0"], ["Q0"], ["1", "2"], ["userA", "userB"]])
    return _lines(
        [
            blank.join([query_id, rng.choice(seconds), docno, grade])
            for query_id, judged in _judged_rows(rng).items()
            for docno, grade in judged
        ]
    )


def _beir_qrels(rng: Random) -> bytes:
    rows = [
        f"{query_id}\t{docno}\t{grade}"
        for query_id, judged in _judged_rows(rng).items()
        for docno, grade in judged
    ]
    return _lines(["query-id\tcorpus-id\tscore", *rows])


def _preferences(rng: Random) -> bytes:
    return _lines(
        [
            f"{query_id} u{rng.randint(1, 2)} s1 {docno} {grade}.0"
            for query_id, judged in _judged_rows(rng).items()
            for docno, grade in judged
        ]
    )


def _letor(rng: Random) -> bytes:
    return _lines(
        [
            f"{grade} qid:{query_id} 1:{rng.random():.2f} 2:0.5 # docno = {docno}"
            for query_id, judged in _judged_rows(rng).items()
            for docno, grade in judged
        ]
    )


def _json(rng: Random, value: object) -> bytes:
    layout: dict[str, Any] = rng.choice([{}, {}, {"indent": 1}, {"separators": (",", ":")}])
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, **layout)
    return text.encode() + rng.choice([b"", b"\n"])


def _numbered(rows: Rows) -> dict[str, dict[str, Any]]:
    return {q: {docno: json.loads(text) for docno, text in some} for q, some in rows.items()}


def _json_run(rng: Random) -> bytes:
    return _json(rng, _numbered(_scored_rows(rng)))


def _json_lists(rng: Random) -> bytes:
    return _json(rng, {q: [docno for docno, _ in some] for q, some in _scored_rows(rng).items()})


def _json_qrels(rng: Random) -> bytes:
    return _json(rng, _numbered(_judged_rows(rng)))


def _mteb_run(rng: Random) -> bytes:
    splits = {rng.choice(["test", "dev"]): _numbered(_scored_rows(rng))}
    about = {"model_name": "m", "revision": "r"}
    return _json(rng, {"mteb_model_meta": about, rng.choice(["default", "en"]): splits})


def _label_lines(rng: Random) -> bytes:
    rows = _judged_rows(rng)
    return _lines(
        [
            json.dumps({"query_id": q, "relevant": [docno for docno, _ in judged]})
            for q, judged in rows.items()
        ]
    )


def _rank_llm_lines(rng: Random) -> bytes:
    rows = _numbered(_scored_rows(rng))
    return _lines(
        [
            json.dumps(
                {
                    "query": {"text": "t", "qid": q},
                    "candidates": [{"docid": d, "score": s, "doc": {}} for d, s in some.items()],
                }
            )
            for q, some in rows.items()
        ]
    )


RUN_FORMATS = [
    *([_trec_run] * 6 + [_five_fields] * 2 + [_ms_marco_run] * 2),
    *(_ir_metadata_run, _json_run, _json_lists, _mteb_run, _rank_llm_lines, _letor),
]
QRELS_FORMATS = [
    *([_trec_qrels] * 5 + [_beir_qrels] * 2 + [_preferences]),
    *(_json_qrels, _label_lines, _letor),
]

# Mutations of a file's text. Each takes any bytes, and gives some.


def _at(rng: Random, content: bytes) -> int:
    return rng.randint(0, len(content))


def _stray(rng: Random, content: bytes) -> bytes:
    at = rng.choice([_at(rng, content), _at(rng, content), 0, len(content)])
    return content[:at] + rng.choice(STRAY) + content[at + rng.choice([0, 0, 1, 2]) :]


def _blanks(rng: Random, content: bytes) -> bytes:
    """Write some or all blanks otherwise."""
    other = rng.choice(
        [b"  ", b"  ", b"\t", b"\t", b" \t", b"\v", b"\f", b"\xc2\xa0", b"\xe2\x80\xa8", b",", b""]
    )
    share = rng.choice([1.0, 0.5, 0.05])
    return re.sub(rb"[ \t]", lambda found: other if rng.random() < share else found[0], content)


def _ends(rng: Random, content: bytes) -> bytes:
    """End some or all lines otherwise."""
    other = rng.choice(
        [b"\r\n", b"\r\n", b"\r", b"\n\n", b" \n", b"\n ", b"\r\r\n", b"\n\r", b"\v"]
    )
    share = rng.choice([1.0, 1.0, 0.5, 0.1])
    return re.sub(rb"\n", lambda found: other if rng.random() < share else found[0], content)


def _no_last_end(rng: Random, content: bytes) -> bytes:
    return content.rstrip(b"\r\n")


def _token(rng: Random, content: bytes) -> bytes:
    """Write a field, or a number or text of JSON, otherwise."""
    tokens = list(re.finditer(rb'"[^"\n]*"|[^\s",:{}\[\]]+', content))
    if not tokens:
        return content
    for one in sorted(rng.sample(tokens, min(len(tokens), rng.choice([1, 1, 2]))), key=_minus):
        new = rng.choice(rng.choice([NUMBERS, NUMBERS, IDS, VALUES, [""]])).encode()
        if one[0][:1] == b'"' and rng.random() < 0.5:
            new = b'"' + new.replace(b'"', b"") + b'"'
        content = content[: one.start()] + new + content[one.end() :]
    return content


def _minus(found: re.Match[bytes]) -> int:
    return -found.start()


def _field(rng: Random, content: bytes, at: int, news: list[str]) -> bytes:
    """Write one field of one to three lines otherwise, and leave those with too few."""
    new = rng.choice(news).encode()
    lines = content.split(b"\n")
    for one in rng.sample(range(len(lines)), min(len(lines), rng.choice([1, 1, 3]))):
        fields = re.split(rb"([ \t]+)", lines[one])
        if at * 2 < len(fields):
            fields[at * 2] = new
            lines[one] = b"".join(fields)
    return b"\n".join(lines)


def _number(rng: Random, content: bytes) -> bytes:
    """Write some scores, ranks or grades otherwise."""
    return _field(rng, content, rng.choice([4, 4, 4, 3, 3, 2]), NUMBERS)


def _id(rng: Random, content: bytes) -> bytes:
    """Write some query_ids, docnos or tags otherwise."""
    return _field(rng, content, rng.choice([0, 0, 2, 2, 2, 1, 5]), IDS)


def _column(rng: Random, content: bytes) -> bytes:
    """Write one field of every line otherwise: a rank, a tag, a score."""
    at = rng.randint(0, 5)
    new = rng.choice(rng.choice([NUMBERS, IDS, [""]])).encode()

    def written(line: bytes) -> bytes:
        fields = re.split(rb"([ \t]+)", line)
        if at * 2 < len(fields):
            fields[at * 2] = new
        return b"".join(fields)

    return b"\n".join(map(written, content.split(b"\n")))


def _on_lines(change: Callable[[Random, list[bytes], int], None]) -> Mutation:
    """Make a mutation of what changes a list of lines, at one of them."""

    def mutation(rng: Random, content: bytes) -> bytes:
        lines = content.split(b"\n")
        change(rng, lines, rng.randrange(len(lines)))
        return b"\n".join(lines)

    return mutation


def _insert(rng: Random, lines: list[bytes], at: int) -> None:
    lines[at:at] = [rng.choice([b"", b" ", *COMMENTS])] * rng.choice([1, 1, 2, 30])


def _comment_out(rng: Random, lines: list[bytes], at: int) -> None:
    """Make a comment that looks like a line of data of this very file."""
    lines.insert(at, rng.choice([b"#", b"#", b" #"]) + lines[rng.randrange(len(lines))])


def _insert_metadata(rng: Random, lines: list[bytes], at: int) -> None:
    at = rng.choice([0, 0, at])
    lines[at:at] = METADATA[: rng.choice([2, 6, 6])]


def _repeat(rng: Random, lines: list[bytes], at: int) -> None:
    lines.insert(rng.randint(0, len(lines)), lines[at])


def _swap(rng: Random, lines: list[bytes], at: int) -> None:
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _shuffle(rng: Random, lines: list[bytes], at: int) -> None:
    rng.shuffle(lines)


def _drop_field(rng: Random, lines: list[bytes], at: int) -> None:
    fields = lines[at].split()
    del fields[rng.randint(0, 5) :][: rng.choice([1, 9])]
    if fields:
        del fields[rng.randrange(len(fields))]
    lines[at] = b" ".join(fields)


def _add_field(rng: Random, lines: list[bytes], at: int) -> None:
    fields = lines[at].split()
    fields.insert(rng.randint(0, len(fields)), rng.choice([b"x", b"1", b"a b", b"#", b"\0"]))
    lines[at] = b" ".join(fields)


def _cut_line(rng: Random, lines: list[bytes], at: int) -> None:
    lines[at] = lines[at][: rng.randint(0, len(lines[at]))]


def _header(rng: Random, lines: list[bytes], at: int) -> None:
    headers = [b"query-id\tcorpus-id\tscore", b"qid Q0 docno rank score tag", b"qid,docno,score"]
    lines.insert(rng.choice([0, 0, at]), rng.choice(headers))


def _cut(rng: Random, content: bytes) -> bytes:
    return content[: _at(rng, content)]


def _flip(rng: Random, content: bytes) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def _append(rng: Random, content: bytes) -> bytes:
    return content + rng.choice([content, b"{}", b"null", b"]", b"}", b"\0" * 9, b"x", b"\n" * 9])


def _json_structure(rng: Random, content: bytes) -> bytes:
    """Write a mark of JSON otherwise: trailing commas, lost brackets, keys that stand twice."""
    marks = list(re.finditer(rb"[{}\[\],:]", content))
    if not marks:
        return content
    one = rng.choice(marks)
    news = [
        b",",
        b",,",
        b"",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b',"q1":{"d1":1},',
        b',"q1":1,',
        b"//\n",
    ]
    return content[: one.start()] + rng.choice(news) + content[one.end() :]


def _same_keys(rng: Random, content: bytes) -> bytes:
    keys = re.findall(rb'"[^"\n]*"(?=\s*:)', content)
    return content.replace(rng.choice(keys), rng.choice(keys)) if keys else content


def _nested(rng: Random, content: bytes) -> bytes:
    depth = rng.choice([3, 300, 100_000])
    before, after = rng.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"[", b"")])
    return before * depth + content + after * depth


def _huge_id(rng: Random, content: bytes, size: int) -> bytes:
    fields = list(re.finditer(rb"[^\s\"]+", content))
    if not fields:
        return content
    one = rng.choice(fields)
    return content[: one.start()] + b"y" * size + content[one.end() :]


LINE_MUTATIONS = [
    *(_insert, _comment_out, _insert_metadata, _repeat, _swap, _shuffle, _drop_field, _add_field),
    *(_cut_line, _header),
]
MUTATIONS: list[Mutation] = [
    *(
        _stray,
        _stray,
        _blanks,
        _blanks,
        _ends,
        _ends,
        _no_last_end,
        _token,
        _token,
        _token,
        _column,
    ),
    *map(_on_lines, LINE_MUTATIONS),
    *(_cut, _flip, _append, _json_structure, _same_keys, _nested),
]
MILD: list[Mutation] = [
    *([_number] * 3 + [_id] * 2 + [_on_lines(_insert)] * 2),
    *(_on_lines(_comment_out), _ends, _stray, _column, _on_lines(_repeat), _on_lines(_swap)),
]

# Encodings, compression, archives


def _utf_8_mark(rng: Random, content: bytes) -> bytes:
    return b"\xef\xbb\xbf" * rng.choice([1, 1, 2]) + content


def _utf_16(rng: Random, content: bytes) -> bytes:
    encoding = rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    return content.decode("utf-8", "replace").encode(encoding)


def _latin_1(rng: Random, content: bytes) -> bytes:
    return content.decode("utf-8", "replace").encode("latin-1", "replace")


ENCODINGS: list[Mutation] = [_utf_8_mark, _utf_8_mark, _utf_16, _latin_1]


def _arrow(codec: str, content: bytes) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(content)
    compressed: bytes = sink.getvalue().to_pybytes()
    return compressed


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda content: _arrow("zstd", content),
    "lz4": lambda content: _arrow("lz4", content),
}


def _compressed(rng: Random, content: bytes) -> bytes:
    """Compress in one or more members, rarely twice."""
    compress = rng.choice(list(COMPRESSIONS.values()))
    at = _at(rng, content)
    members = rng.choice([[content], [content], [content[:at], content[at:]], [content, b""]])
    whole = b"".join(map(compress, members))
    return compress(whole) if rng.random() < 0.1 else whole


def _zip(rng: Random, content: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(zipfile.ZipInfo("x.run"), content)
    return sink.getvalue()


def _tar(rng: Random, content: bytes) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        member = tarfile.TarInfo("x.run")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    found = sink.getvalue()
    return gzip.compress(found, mtime=0) if rng.random() < 0.5 else found


WRAPPINGS: list[Mutation] = [*[_compressed] * 6, _zip, _tar]

# What is no file of any of the formats

BOMBS = [
    *(b"\0", b" ", b"\n", b"x", b"[", b"{", b'{"a":', b"#", b"\r", b"a b ", b"# a b c d e\n", b"9"),
    *(b" \n", b"a\n", b"\r\n", b"q1 Q0 d1 1 1 t\n", b"\xef\xbb\xbf", b'"', b"1,", b"#\n"),
]


@lru_cache(maxsize=64)
def _bomb(unit: bytes, size: int, kind: str) -> bytes:
    return COMPRESSIONS[kind](unit * (size // len(unit)))


def _no_file_at_all(rng: Random, heavy: bool) -> bytes:
    unit, kind = rng.choice(BOMBS), rng.choice(["gzip", "gzip", "zstd", "xz"])
    before = rng.choice([b"", b"", b"q1 Q0 d1 1 1 t\n", b"q1 Q0 d2 1 "])
    number = rng.randint(0, 300)
    which = rng.randrange(4)
    if which == 0:
        return b""
    if which == 1:
        return rng.randbytes(number)
    size = 50_000_000 if heavy else 500_000
    if b"\n" in unit or b"\r" in unit:  # for so many lines, honest work takes its time too
        size //= 10
    return COMPRESSIONS[kind](before) + _bomb(unit, size, kind)


# The harness


class Choices(NamedTuple):
    """How a file is read and scored."""

    profile: str = "9.0"
    duplicates: reading.Duplicates = "refuse"
    complete: bool = False
    form: str = "qrels"
    block: int | None = None
    """The size of the blocks in which both readers take a file; theirs where it is None."""


def choices_of(seed: int) -> Choices:
    """Give the choices that go with the file of a seed."""
    rng = Random(f"choices {seed}")
    return Choices(
        rng.choice(["9.0", "10.0"]),
        rng.choice(["refuse", "refuse", *reading.DUPLICATES]),
        rng.random() < 0.3,
        rng.choice(["qrels", "qrels", "qrels", *reading.FORMS]),
        rng.choice([None, 64, 100, 1000]),
    )


class Verdict(NamedTuple):
    """What came of one file."""

    error: str
    """The class of what was raised; empty where there are values."""
    text: str
    said: tuple[str, ...]
    fault: str
    """What must never happen, a traceback or a warning of another kind; else empty."""

    def kind(self) -> str:
        """Say in short what came of it, alike for what is alike."""
        if not self.error:
            return "scored"
        text = re.sub(r"^\S+?\.(run|qrels)(:\d+)?: ", "", self.text)
        text = re.sub(r"'([^']*)'|\"[^\"]*\"", "'…'", text.partition(". ")[0])
        text = re.sub(r"\(.*?\)", "(…)", re.sub(r"-?\d+", "N", text))
        return f"{self.error}: {text[:110]}"


ROLES = ("run", "qrels")
READERS: tuple[Reader, ...] = ("plain", "columnar")
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"PK")
# What no file can bring about, whatever is in it.
NEVER = ("changed while it was read",)


def verdict(path: Path, role: str, reader: Reader, choices: Choices, beside: Path) -> Verdict:
    """Score a file in a role, ``run`` or ``qrels``, against a good file of the other role."""
    error = text = fault = ""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            text = _scored(path, role, reader, choices, beside)
        except te.TrecEvalError as refused:
            error, text = type(refused).__name__, str(refused)
            if isinstance(refused, ScorerError) or any(never in text for never in NEVER):
                fault = f"{error}: {text}"
        except Exception as other:
            error, text = type(other).__name__, str(other)
            fault = "".join(traceback.format_exception(other)[-3:])
    said = tuple(str(one.message) for one in warned)
    for one in warned:
        if not issubclass(one.category, te.TrecEvalWarning):
            fault = fault or f"{one.category.__name__}: {one.message} ({one.filename}:{one.lineno})"
    return Verdict(error, text, said, fault)


def _scored(path: Path, role: str, reader: Reader, choices: Choices, beside: Path) -> str:
    if role == "run":
        evaluation = _against_good_qrels(reader, choices)
    else:
        source = reading.Source(path)
        judged = reading.load_judgments(source, "x.qrels", choices.form, choices.profile)
        evaluation = _evaluation(judged, reader, choices, form_of(choices.form))
        path = beside
    # Every bit counts, that of the sign of 0.0 too.
    return repr(evaluation.score(reading.Source(path), "x"))


@lru_cache
def _against_good_qrels(reader: Reader, choices: Choices) -> Evaluation:
    return _evaluation(Qrels(GOOD_QRELS), reader, choices, "qrels")


def _evaluation(judged: Judgments, reader: Reader, choices: Choices, form: str) -> Evaluation:
    return Evaluation(
        judged,
        "x.qrels",
        _asked(choices.profile, form),
        choices.profile,
        complete=choices.complete,
        reader=reader,
        intake=Intake(duplicates=choices.duplicates),
    )


@lru_cache
def _asked(profile: str, form: str) -> list[Asked]:
    return parse(None, Options(profile=profile), form)


class Examined(NamedTuple):
    """What came of a file in both roles."""

    kinds: list[str]
    findings: list[str]


def examine(
    content: bytes,
    folder: Path,
    choices: Choices,
    roles: Sequence[str] = ROLES,
    before: Callable[[str], None] = lambda stage: None,
) -> Examined:
    """Score a file as a run and as qrels with both readers, and hold the verdicts together.

    Parameters
    ----------
    content : bytes
        Of the file.
    folder : Path
        Where it may be written.
    choices : Choices
        How it is read; small blocks are for small files only.
    roles : list of str
        As what it is scored: ``run``, ``qrels``.
    before : callable
        Told of each role and reader before their turn.

    Returns
    -------
    Examined
        A kind of outcome for each role, and what is wrong: nothing where all is well.
    """
    kinds, findings = [], []
    beside = folder / "good.run"
    if not beside.exists():
        beside.write_bytes(GOOD_RUN)
    for role in roles:
        path = folder / f"x.{role}"
        path.write_bytes(content)
        plain, columnar = _verdicts(path, role, choices, beside, before)
        kinds.append(f"{role}: {plain.kind()}")
        for reader, found in (("plain", plain), ("columnar", columnar)):
            if found.fault:
                findings.append(f"as {role}, {reader}: {found.fault}")
        if plain[:3] != columnar[:3]:
            one, other = _first_difference(plain, columnar)
            findings.append(f"as {role}: plain gives {one}, columnar {other}")
    return Examined(kinds, findings)


def _verdicts(
    path: Path, role: str, choices: Choices, beside: Path, before: Callable[[str], None]
) -> list[Verdict]:
    """Give the plain and the columnar reader's verdict on a file."""
    size = _block(path, choices)
    blocks, chunks = size or _columnar.BLOCK, size or _plain.CHUNK
    found = []
    with mock.patch.object(_columnar, "BLOCK", blocks), mock.patch.object(_plain, "CHUNK", chunks):
        for reader in READERS:
            before(f"as {role}, {reader}")
            found.append(verdict(path, role, reader, choices, beside))
    return found


def _block(path: Path, choices: Choices) -> int | None:
    """Give the size of blocks for a file: large ones for what is large, or may unfold to that."""
    size = path.stat().st_size
    with path.open("rb") as file:
        packed = file.read(8).startswith(PACKED)
    if choices.block is None or size > (1 << 10 if packed else 1 << 16):
        return None
    return choices.block * 10 if packed else choices.block


def _first_difference(one: Verdict, other: Verdict) -> list[str]:
    texts = [
        f"{verdict.error or 'values'} {verdict.text} {verdict.said}" for verdict in (one, other)
    ]
    pairs = enumerate(zip(*texts, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(map(len, texts)))
    start = max(0, at - 60)
    return [f"{text[:60]!r} … {text[start : at + 150]!r}" for text in texts]
