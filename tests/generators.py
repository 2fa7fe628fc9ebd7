"""What the property tests run on: ties, near ties, negative grades, unjudged documents, gaps.

Ids are bytes, as inside the package; some are no UTF-8, and some look like what ``scoring`` names
documents by.
"""

from __future__ import annotations

import bz2
import gzip
import json
import math
from collections import Counter

from hypothesis import strategies as st

from trec_eval_py.ranking import JudgedRanking

Run = dict[bytes, dict[bytes, float]]
Qrels = dict[bytes, dict[bytes, int]]

QUERIES = [b"1", b"10", b"9", b"no query", b"all", b"q\xff"]
DOCNOS = [
    *(b"1", b"2", b"10", b"9", b"A", b"a", b"B", b"b", b"d1", b"d2", b"d\xc3\xa9", b"d\xe9"),
    *(b"\xff", b"0~0", b"1~0", b"-1~0", b"x y", b"\xe2\x82\xac"),
]
# Pairs that are equal as C floats only (the last is 2**24 and one more), and infinite ones.
NEAR = [0.9222621453752586, 0.9222621453752585, 1.0, 1.0 + 1e-12, 16777216.0, 16777217.0]
BEYOND_FLOAT = [1e39, 1e40, -1e39, -1e40]
EDGES = [0.0, -0.0, 1e-46, -1e-46, math.inf, -math.inf]

WITHIN_FLOAT = st.sampled_from([*NEAR, *EDGES]) | st.floats(-1e30, 1e30, width=64)
SCORES = st.sampled_from([*NEAR, *EDGES, *BEYOND_FLOAT]) | st.floats(allow_nan=False)
FEW_SCORES = st.integers(-1, 2).map(float)
GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])


def judgments(grades: st.SearchStrategy[int] = GRADES) -> st.SearchStrategy[dict[bytes, int]]:
    """One query's judgments."""
    return st.dictionaries(st.sampled_from(DOCNOS), grades, min_size=1, max_size=10)


def qrels(grades: st.SearchStrategy[int] = GRADES) -> st.SearchStrategy[Qrels]:
    """Judgments of some queries."""
    return st.dictionaries(st.sampled_from(QUERIES), judgments(grades), min_size=1, max_size=4)


def answers(scores: st.SearchStrategy[float]) -> st.SearchStrategy[dict[bytes, float]]:
    """One query's documents, in any order."""
    return st.dictionaries(st.sampled_from(DOCNOS), scores, max_size=15)


def runs(scores: st.SearchStrategy[float] = SCORES) -> st.SearchStrategy[Run]:
    """Runs in which scores tie never, now and then, or everywhere."""
    kinds: list[st.SearchStrategy[float]] = [scores, FEW_SCORES, st.just(0.5)]
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.dictionaries(st.sampled_from(QUERIES), answers(kind), max_size=5)
    )


@st.composite
def graded_lists(
    draw: st.DrawFn, grades: st.SearchStrategy[int] = GRADES, deep: bool = False
) -> tuple[list[int | None], list[int]]:
    """Give a ranking as ``oracles`` takes it, and the grades of all judged documents."""
    gaps = st.sampled_from([0, 0, 0, 0, 1, 2, 5, *([17, 90, 400] if deep else [])])
    ranking: list[int | None] = []
    for gap, grade in draw(st.lists(st.tuples(gaps, grades), max_size=12)):
        ranking += [*[None] * gap, grade]
    ranking += [None] * draw(gaps)
    missed = draw(st.lists(grades, max_size=6))
    judged = [grade for grade in ranking if grade is not None] + missed
    return ranking, judged or [0]


def judged_ranking(ranking: list[int | None], judged: list[int]) -> JudgedRanking:
    """Turn what ``oracles`` takes into what ``measures`` and ``scoring`` take."""
    found = [(rank, grade) for rank, grade in enumerate(ranking, 1) if grade is not None]
    return JudgedRanking(
        len(ranking), [rank for rank, _ in found], [grade for _, grade in found], Counter(judged)
    )


def meeting(run: Run, judged: Qrels) -> tuple[Run, Qrels]:
    """See to it that a run with a query has one that is judged: else it is refused."""
    if run and run.keys().isdisjoint(judged):
        run = {next(iter(judged)): next(iter(run.values())), **run}
    return run, judged


def collections(
    scores: st.SearchStrategy[float] = SCORES, grades: st.SearchStrategy[int] = GRADES
) -> st.SearchStrategy[tuple[Run, Qrels]]:
    """Runs with judgments; each may have queries that the other lacks."""
    return st.builds(meeting, runs(scores), qrels(grades))


# Files, put together line by line: each part is odd rarely, so that many files can be read whole.

FILE_QUERIES = [b"q1", b"q2", b"q3", b"10", b"9", b"007", b"NA"]
FILE_IDS = [
    b"1",
    b"10",
    b"9",
    b"all",
    b"NA",
    b"q\xff",
    b"d1",
    b"d2",
    b"\xc3\xa9",
    b"001",
    b'"',
    b",",
]
ODD_IDS = [b"", b"#1", b"a b", b"nan", b"1e5", b"\xc2\xa0", b"\xef\xbb\xbf", b"\0", b"x" * 70, b"{"]
FILE_SCORES = [
    b"2",
    b"1",
    b"1",
    b"0.5",
    b"-3",
    b"0.3",
    b"0.30000000000000004",
    b"1e3",
    b".5",
    b"5.",
]
ODD_SCORES = [
    b"nan",
    b"inf",
    b"-inf",
    b"1e400",
    b"1e-400",
    b"0x10",
    b"1_0",
    b"1,5",
    b"+1",
    b"",
    b"x",
]
ODD_ENDS = [
    b"\r\n",
    b"\r",
    b"\n\n",
    b" \n",
    b"\n\t",
    b"\r\r\n",
    b"\v",
    b"\n# a b c d e\n",
    b"\n#\n",
]
JSON_ODD = ['"x"', "null", "NaN", "1e999", "[]", "{}", "true", '"\\ud800"', "", "1,", "9" * 400]


RARE = 37  # of 0 … 49; hypothesis draws both ends more often, and shrinks to 0


def mostly(usual: list[bytes], odd: list[bytes]) -> st.SearchStrategy[bytes]:
    """One of the usual, and one time in some fifty an odd one."""
    return st.integers(0, 49).flatmap(lambda i: st.sampled_from(odd if i == RARE else usual))


def in_form(form: str, docno: bytes, rank: bytes, score: bytes, grade: bytes) -> list[bytes]:
    """Give the fields of a line after its query_id."""
    return {
        "trec": [b"Q0", docno, rank, score, b"t"],
        "untagged": [b"Q0", docno, rank, score],
        "ms marco": [docno, rank],
        "qrels": [b"0", docno, grade],
        "beir": [docno, grade],
    }[form]


@st.composite
def text_files(draw: st.DrawFn) -> bytes:
    """Runs and qrels of fields on lines, with blanks, ends of lines and fields as they come."""
    form = draw(st.sampled_from(["trec", "trec", "trec", "untagged", "ms marco", "qrels", "beir"]))
    ids, scores = mostly(FILE_IDS, ODD_IDS), mostly(FILE_SCORES, ODD_SCORES)
    grades = mostly([b"0", b"1", b"1", b"2", b"-1"], ODD_SCORES)
    blanks = draw(st.sampled_from([mostly([b" "], [b"  ", b"\t", b""]), mostly([b"\t"], [b" "])]))
    ends = mostly([draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))], ODD_ENDS)
    query = st.tuples(mostly(FILE_QUERIES, ODD_IDS), st.lists(ids, max_size=6, unique=True))
    answers = draw(st.lists(query, min_size=1, max_size=5, unique_by=lambda one: one[0]))
    lines = [b"query-id\tcorpus-id\tscore\n"] if form == "beir" else []
    for query_id, docnos in answers:
        for rank, docno in enumerate(docnos, 1):
            fields = [query_id, *in_form(form, docno, b"%d" % rank, draw(scores), draw(grades))]
            lines.append(b"".join(field + draw(blanks) for field in fields)[:-1] + draw(ends))
    if draw(st.integers(0, 7)) == 0:
        lines = draw(st.permutations(lines))
    return draw(mostly([b""], [b"\xef\xbb\xbf", b"\n", b"# a b c d e\n"])) + b"".join(lines)


@st.composite
def json_files(draw: st.DrawFn) -> bytes:
    """Objects of objects, of lists or of both, in one document or one a line."""
    texts = st.sampled_from([one.decode() for one in FILE_IDS if one.isascii() and one != b'"'])
    keys = texts.map(json.dumps)
    numbers = st.integers(0, 49).flatmap(
        lambda i: st.sampled_from(JSON_ODD if i == RARE else ["2", "1", "1", "0.5", "-3", "1e3"])
    )
    pairs = st.builds("{}: {}".format, keys, numbers)
    inner = st.lists(pairs, max_size=5).map(lambda some: "{" + ", ".join(some) + "}")
    ranked = st.lists(keys, max_size=5).map(lambda some: "[" + ", ".join(some) + "]")
    values = draw(st.sampled_from([inner, inner, ranked, inner | ranked | numbers]))
    answers = draw(st.lists(st.tuples(keys, values), max_size=4))
    if draw(st.booleans()):
        text = "{" + ", ".join(f"{key}: {value}" for key, value in answers) + "}"
    else:
        name = draw(st.sampled_from(["relevant", "candidates", "results"]))
        text = "\n".join(f'{{"query_id": {key}, "{name}": {value}}}' for key, value in answers)
    return text.encode()


def packed_and_cut(content: bytes, pack: str, part: float) -> bytes:
    """Compress a file or not, and keep so much of it."""
    if pack:
        content = bz2.compress(content) if pack == "bzip2" else gzip.compress(content, mtime=0)
    return content[: int(len(content) * part)]


def files() -> st.SearchStrategy[bytes]:
    """Files that may be given for a run or qrels: of text or JSON, some cut off or compressed."""
    whole = text_files() | text_files() | text_files() | json_files()
    packs = st.sampled_from(["", "", "", "", "gzip", "bzip2"])
    parts = st.integers(0, 9).flatmap(lambda i: st.floats(0, 1) if i == 7 else st.just(1.0))
    return st.builds(packed_and_cut, whole, packs, parts)
