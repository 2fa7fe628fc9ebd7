"""What users of evaluators reported: each kind of file that some tool scored wrongly, or choked on.

The numbers of the cases are those of issues of public projects; the files are our own.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import math
import multiprocessing
import pickle
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import trec_eval_py as te
from trec_eval_py import reading
from trec_eval_py.cli import main
from trec_eval_py.distributing import Evaluation, Reader, options_of
from trec_eval_py.measures import parse

Values = Mapping[str, Sequence[float | None]]
"""By query (or ``mean``), the values of the measures in the order asked for; None is missing."""


@dataclass(frozen=True)
class Case:
    """Two files, what is asked of them, and what must come of it."""

    qrels: str | bytes
    run: str | bytes
    measures: str
    expected: Values | str
    """Values; or the refusal, from the file and line to what was expected."""
    options: Mapping[str, int] = field(default_factory=dict)
    """By their long names; a flag is 1."""
    said: tuple[str, ...] = ()
    """Warnings, all of them, in order."""
    expected_10: Values | None = None
    """In profile 10.0, where that differs."""
    said_10: tuple[str, ...] | None = None
    file: str = "x.run"

    def by(self, profile: str) -> Values | str:
        return self.expected if profile == "9.0" or self.expected_10 is None else self.expected_10

    def warned(self, profile: str) -> tuple[str, ...]:
        return self.said if profile == "9.0" or self.said_10 is None else self.said_10


LOG3 = math.log2(3)  # the discount at rank 2; that at rank 3 is log2(4) = 2


def ties(documents: int, queries: int) -> str:
    of = "1 query" if queries == 1 else f"{queries} queries"
    return (
        f"x: {documents} documents tie in {of}; among equal scores the docno that sorts last comes "
        "first"
    )


MISSING = "x: 1 query of x missing; left empty"
BEYOND = (
    "x: 4 scores lie beyond the range of a double and were read as infinite or 0; such documents "
    "tie"
)
COMMENT = (
    "x: 1 comment line has as many fields as a data line; a line that begins with # is a comment, "
    "whatever follows"
)
NUMBER = "expected a decimal number."
RUN_LINE = "expected 6 fields (query_id Q0 docno rank score tag)."
QRELS_LINE = "expected 4 fields (query_id 0 docno relevance)."

# A plain pair, which cases of form change in form alone: in u the relevant document stands second,
# in v first.
QRELS = "u 0 above 0\nu 0 below 2\nv 0 one 1\n"
RUN = "u Q0 above 1 7.5 mine\nu Q0 below 2 6 mine\nv Q0 one 1 0.25 mine\n"
SAME: Values = {
    "u": [1 / 2, 1 / 2],
    "v": [1, 1],
    "mean": [3 / 4, 3 / 4],  # (1/2 + 1) / 2
}
BOTH = "map recip_rank"


def same(
    qrels: str | bytes = QRELS,
    run: str | bytes = RUN,
    *,
    said: tuple[str, ...] = (),
    file: str = "x.run",
) -> Case:
    """Give the plain pair in another form."""
    return Case(qrels, run, BOTH, SAME, said=said, file=file)


def zstd(content: bytes) -> bytes:
    compressed: bytes = pa.compress(content, "zstd", asbytes=True)
    return compressed


# Two thirds of this stream unpack to more than half of the lines.
LONG_RUN = "".join(f"u Q0 doc{i * 7919 % 9973} {i} {900 - i} mine\n" for i in range(400))
PACKED = gzip.compress(LONG_RUN.encode())
TRUNCATED = PACKED[: len(PACKED) * 2 // 3]
LONG_ID = "é" * 15_000

CASES: dict[str, Case] = {
    # Order.
    "ties": Case(
        # m and n tie: n, which sorts last, comes first. In t2 it is judged 0, in t1 relevant.
        "t1 0 n 1\nt1 0 m 0\nt2 0 n 0\nt2 0 m 1\n",
        "t1 Q0 m 1 3.5 x\nt1 Q0 n 2 3.5 x\nt2 Q0 m 1 3.5 x\nt2 Q0 n 2 3.5 x\n",
        "P_1 recip_rank ndcg",
        {"t1": [1, 1, 1], "t2": [0, 1 / 2, 1 / LOG3]},
        said=(ties(4, 2),),
    ),
    "float32-ties": Case(
        # As C floats, 0.70000001 is 0.7, 2**25 + 1 is 2**25, and 3e-46 is 0: n comes first.
        # 0.70000003 rounds to the float above 0.7's: no tie.
        "far 0 m 1\nnear 0 m 1\nwhole 0 m 1\ntiny 0 m 1\n",
        "far Q0 m 1 0.70000003 x\nfar Q0 n 2 0.7 x\n"
        "near Q0 m 1 0.70000001 x\nnear Q0 n 2 0.7 x\n"
        "whole Q0 m 1 33554433 x\nwhole Q0 n 2 33554432 x\n"
        "tiny Q0 m 1 3e-46 x\ntiny Q0 n 2 2e-46 x\n",
        "recip_rank",
        {"far": [1], "near": [1 / 2], "tiny": [1 / 2], "whole": [1 / 2]},
        said=(ties(6, 3),),
        expected_10={"far": [1], "near": [1], "tiny": [1], "whole": [1]},
        said_10=(),
    ),
    "rank-against-score": Case(
        # By its score the relevant document is first, whatever the ranks say: turned, 0, no number.
        "turned 0 m 1\nzeros 0 m 1\nwords 0 m 1\n",
        "turned Q0 n 1 -2 x\nturned Q0 m 2 -1 x\n"
        "zeros Q0 n 0 4 x\nzeros Q0 m 0 5 x\n"
        "words Q0 n first 0.6 x\nwords Q0 m second 0.61 x\n",
        "recip_rank P_1",
        {"turned": [1, 1], "words": [1, 1], "zeros": [1, 1]},
    ),
    "score-equals-rank": Case(
        # The writer put the rank for the score, so the list is turned: m, meant first, is fourth.
        "q 0 m 1\n",
        "q Q0 m 1 1 x\nq Q0 n 2 2 x\nq Q0 o 3 3 x\nq Q0 p 4 4 x\n",
        "recip_rank P_1",
        {"q": [1 / 4, 0]},
    ),
    # Scores.
    "nan": Case(
        "q 0 m 1\n",
        "q Q0 m 1 2.5 x\nq Q0 n 2 NaN x\nq Q0 o 3 nan x\n",
        BOTH,
        f"x.run:2: saw score 'NaN', {NUMBER}",
    ),
    "infinity-and-beyond": Case(
        # least: -inf is last. As C floats inf and 5e200 tie, and p, which sorts last, comes first.
        # under and over: both scores become 0, or infinite, in a double too; n comes before m.
        "least 0 o 1\nunder 0 m 1\nover 0 m 1\n",
        "least Q0 m 1 -inf x\nleast Q0 o 2 Infinity x\nleast Q0 p 3 5e200 x\n"
        "under Q0 m 1 3e-350 x\nunder Q0 n 2 2e-350 x\n"
        "over Q0 m 1 3e350 x\nover Q0 n 2 2e350 x\n",
        "recip_rank",
        {"least": [1 / 2], "over": [1 / 2], "under": [1 / 2]},
        said=(BEYOND, ties(6, 3)),
        expected_10={"least": [1], "over": [1 / 2], "under": [1 / 2]},
        said_10=(BEYOND, ties(4, 2)),
    ),
    "decimal-comma": Case(
        "q 0 m 1\n",
        "q Q0 m 1 3,75 x\nq Q0 n 2 3,5 x\n",
        BOTH,
        f"x.run:1: saw score '3,75', {NUMBER} Write a decimal point.",
    ),
    "score-none": Case(
        "q 0 m 1\n",
        "q Q0 m 1 2 x\nq Q0 n 2 1 x\nq Q0 o 3 None x\n",
        BOTH,
        f"x.run:3: saw score 'None', {NUMBER}",
    ),
    "score-underscore": Case(
        "q 0 m 1\n",
        "q Q0 m 1 20 x\nq Q0 n 2 10_000 x\n",
        BOTH,
        f"x.run:2: saw score '10_000', {NUMBER}",
    ),
    "score-hexadecimal": Case(
        "q 0 m 1\n", "q Q0 m 1 0x1F x\n", BOTH, f"x.run:1: saw score '0x1F', {NUMBER}"
    ),
    "score-full-width": Case(
        "q 0 m 1\n",
        "q Q0 m 1 \uff14\uff12 x\n",
        BOTH,
        f"x.run:1: saw score '\uff14\uff12', {NUMBER}",
    ),
    # Queries.
    "query-only-in-qrels": Case(
        # The mean is over the query that was answered.
        "here 0 m 1\ngone 0 n 1\ngone 0 m 2\n",
        "here Q0 m 1 1 x\n",
        "map P_1 num_q",
        {"gone": [None, None, None], "here": [1, 1, 1], "mean": [1, 1, 1]},
        said=(MISSING,),
    ),
    "query-only-in-qrels-complete": Case(
        # (1 + 0) / 2; num_q is summed.
        "here 0 m 1\ngone 0 n 1\ngone 0 m 2\n",
        "here Q0 m 1 1 x\n",
        "map P_1 num_q",
        {"gone": [0, 0, 1], "here": [1, 1, 1], "mean": [1 / 2, 1 / 2, 2]},
        options={"complete": 1},
        said=("x: 1 query of x missing; counted as trec_eval -c does",),
    ),
    "query-only-in-run": Case(
        # m is third, so 1/3, in the mean too.
        "here 0 m 1\n",
        "more Q0 m 1 9 x\nhere Q0 o 1 3 x\nhere Q0 n 2 2 x\nhere Q0 m 3 1 x\n",
        "map P_1 num_q",
        {"here": [1 / 3, 0, 1], "mean": [1 / 3, 0, 1]},
        said=("x: 1 query not in x; left out",),
    ),
    "query-only-in-run-complete": Case(
        "here 0 m 1\n",
        "more Q0 m 1 9 x\nhere Q0 o 1 3 x\nhere Q0 n 2 2 x\nhere Q0 m 3 1 x\n",
        "map P_1 num_q",
        {"here": [1 / 3, 0, 1], "mean": [1 / 3, 0, 1]},
        options={"complete": 1},
        said=("x: 1 query not in x; left out",),
    ),
    "no-query-in-common": Case(
        "topic-3 0 m 1\n",
        "3 Q0 m 1 1 x\n",
        "map",
        "x.run: saw no query of x but others, such as '3', expected such as 'topic-3'.",
    ),
    "no-query-in-common-complete": Case(
        "topic-3 0 m 1\ntopic-4 0 m 1\n",
        "3 Q0 m 1 1 x\n",
        "map num_q",
        {"topic-3": [0, 1], "topic-4": [0, 1], "mean": [0, 2]},
        options={"complete": 1},
        said=(
            "x: 1 query not in x; left out",
            "x: 2 queries of x missing; counted as trec_eval -c does",
        ),
    ),
    "empty-run": Case(QRELS, "", BOTH, f"x.run: saw no run line, {RUN_LINE}"),
    "empty-run-complete": Case(
        QRELS, "", BOTH, f"x.run: saw no run line, {RUN_LINE}", options={"complete": 1}
    ),
    "blank-run": Case(QRELS, "\n \t\n\r\n", BOTH, f"x.run: saw no run line, {RUN_LINE}"),
    "run-of-comments": Case(QRELS, "# begin\n#end", BOTH, f"x.run: saw no run line, {RUN_LINE}"),
    "empty-qrels": Case("", RUN, BOTH, f"x.qrels: saw no judgment, {QRELS_LINE}"),
    "blank-qrels": Case(" \n\n\t\n", RUN, BOTH, f"x.qrels: saw no judgment, {QRELS_LINE}"),
    "only-non-relevant": Case(
        # none has no relevant document: 0, and it counts: (1 + 0) / 2.
        "some 0 m 3\nnone 0 m 0\nnone 0 n 0\n",
        "some Q0 m 1 1 x\nnone Q0 m 1 1 x\n",
        "map ndcg recip_rank P_1",
        {"none": [0, 0, 0, 0], "some": [1, 1, 1, 1], "mean": [1 / 2, 1 / 2, 1 / 2, 1 / 2]},
    ),
    # Grades.
    "float-grades": Case(
        "q 0 m 1\nq 0 n 2.5\n",
        "q Q0 m 1 1 x\n",
        BOTH,
        "x.qrels:2: saw relevance '2.5', expected an integer of at most 64 bits.",
    ),
    "integral-float-grades": Case(
        # Gains 1, 0, 3 where 3, 1, 0 is best; relevant at ranks 1 and 3.
        "q 0 m 1.0\nq 0 n 0.00\nq 0 o 3.\n",
        "q Q0 m 1 3 x\nq Q0 n 2 2 x\nq Q0 o 3 1 x\n",
        "ndcg map",
        {"q": [(1 + 3 / 2) / (3 + 1 / LOG3), (1 + 2 / 3) / 2]},
        said=("x: 3 grades are written as 1.0 is, and read as integers",),
    ),
    "judged-twice": Case(
        "q 0 n 0\nq 0 m 2\nv 0 m 2\nq 0 m 2\n",
        "q Q0 m 1 1 x\n",
        BOTH,
        "x.qrels:4: saw document 'm' again for query 'q' (first on line 2), expected one judgment "
        "of a document per query.",
    ),
    "judged-twice-differently": Case(
        "q 0 m 2\nq 0 m 0\n",
        "q Q0 m 1 1 x\n",
        BOTH,
        "x.qrels:2: saw document 'm' again for query 'q' (first on line 1), expected one judgment "
        "of a document per query.",
    ),
    "prels": Case(
        "12 doc-9 1 1 0.125\n12 doc-8 0 0 0.5\n",
        "12 Q0 doc-9 1 1 x\n",
        BOTH,
        f"x.qrels:1: saw 5 fields, {QRELS_LINE} Five fields are preferences",
    ),
    "qrels-with-a-note": Case(
        "12 0 doc-9 1\n12 0 doc-8 0 unsure\n",
        "12 Q0 doc-9 1 1 x\n",
        BOTH,
        f"x.qrels:2: saw 5 fields, {QRELS_LINE}",
    ),
    "beir-header": Case(
        # Relevant at rank 2 of 2.
        "query-id\tcorpus-id\tscore\nT-7\tC-1\t0\nT-7\tC-2\t1\n",
        "T-7 Q0 C-1 1 0.9 x\nT-7 Q0 C-2 2 0.8 x\n",
        BOTH,
        {"T-7": [1 / 2, 1 / 2], "mean": [1 / 2, 1 / 2]},
    ),
    "run-with-header": Case(
        QRELS,
        f"query q0 doc rank sim tag\n{RUN}",
        BOTH,
        f"x.run:1: saw score 'sim', {NUMBER} A run has no header: drop the line.",
    ),
    "relevance-level": Case(
        # At level 2, n (2) and o (2) are relevant, of which n is found at rank 2, with 1/2 / 2 for
        # map; nDCG gains 1 and 2 of the best 2, 2, 1, whatever the level.
        "q 0 m 1\nq 0 n 2\nq 0 o 2\n",
        "q Q0 m 1 9 x\nq Q0 n 2 8 x\nq Q0 p 3 7 x\n",
        "map ndcg recip_rank P_1 recall_3",
        {"q": [1 / 4, (1 + 2 / LOG3) / (2 + 2 / LOG3 + 1 / 2), 1 / 2, 0, 1 / 2]},
        options={"relevance-level": 2},
    ),
    # Lines.
    "blanks-and-tabs": same(
        "u\t0 \tabove  0\n  u 0.25 below 2\t \nv -1.5\tone 1\n",
        "u  Q0\tabove 1 7.5\tmine \n\tu Q0 below  2\t\t6 mine\n v\tQ0\tone\t1\t0.25\tmine\t\n",
    ),
    "crlf": same(QRELS.replace("\n", "\r\n"), RUN.replace("\n", "\r\n")),
    "lone-cr": same(QRELS.replace("\n", "\r"), RUN.replace("\n", "\r")),
    "bom": same(f"\ufeff{QRELS}"),
    "bom-in-run": same(run=f"\ufeff{RUN}"),
    "blank-lines": same(f"\n{QRELS}\n", "\n\t\n".join(["", *RUN.splitlines(), " \n"])),
    "no-final-newline": same(QRELS.rstrip(), RUN.rstrip()),
    "comments": same(
        f"# by hand\n{QRELS}#u 0 above 2\n",
        "#\n# two\n{}\n#in between\n{}\n{}\n# no end".format(*RUN.splitlines()),
        said=(COMMENT,),
    ),
    "comment-like-query": Case(
        # Query #7 is a comment in both files, and said to be; o#2 is a docno.
        "#7 0 m 1\nq 0 o#2 1\n",
        "#7 Q0 n 1 2 x\n#7 Q0 m 2 1 x\nq Q0 o#2 1 1 #x\n",
        BOTH,
        {"q": [1, 1], "mean": [1, 1]},
        said=(
            COMMENT,
            "x: 2 comment lines have as many fields as a data line; a line that begins with # is a "
            "comment, whatever follows",
        ),
    ),
    # Ids.
    "docno-with-blank": Case(
        QRELS,
        f"{RUN}v Q0 a file 2 77.0 mine\n",
        BOTH,
        f"x.run:4: saw 7 fields with 'file' for a rank, {RUN_LINE} A docno must not hold blanks;",
    ),
    "quotes-and-commas": Case(
        # 'tis is second, the lone quote first.
        'q 0 \'tis,_a 1\nr 0 "say 1\nr 0 b" 0\n',
        'q Q0 x,y" 1 2 "x\nq Q0 \'tis,_a 2 1 "x\nr Q0 "say 1 2 x"\nr Q0 b" 2 1 x"\n',
        BOTH,
        {"q": [1 / 2, 1 / 2], "r": [1, 1], "mean": [3 / 4, 3 / 4]},
        said=("x: 2 tags in one file ('\"x', 'x\"'); it is scored as one run",),
    ),
    **{
        # Blanks and ends of lines to Python, not to C: one field with what stands around. The qrels
        # have two blanks, so that they are split line by line, and the run as a whole.
        name: Case(
            f"q  0 m{mark}n 1\n",
            f"q Q0 m 1 2 x\nq Q0 m{mark}n 2 1 x\n",
            BOTH,
            {"q": [1 / 2, 1 / 2]},
        )
        for name, mark in [
            ("no-break-space", "\u00a0"),
            ("ideographic-space", "\u3000"),
            ("line-separator", "\u2028"),
            ("next-line", "\u0085"),
        ]
    },
    "docno-equals-query": Case(
        # A document named as the query counts: the list is the best there is.
        "5 0 5 1\n5 0 6 1\n5 0 7 1\n",
        "5 Q0 7 1 0.3 x\n5 Q0 5 2 0.2 x\n5 Q0 6 3 0.1 x\n",
        "ndcg_cut_10 P_1",
        {"5": [1, 1]},
    ),
    "query-retrieves-itself": Case(
        # It stands first, unjudged, and the relevant document second.
        "arg-8 0 reply-8 1\n",
        "arg-8 Q0 arg-8 1 30 x\narg-8 Q0 reply-8 2 20 x\n",
        "ndcg_cut_10 P_1",
        {"arg-8": [1 / LOG3, 0]},
    ),
    "ids-like-na": Case(
        # Relevant at ranks 2 and 3 of 5: (1/2 + 2/3) / 2.
        "q 0 nan 1\nq 0 N/A 1\nq 0 null 0\nq 0 <NA> 0\n",
        "q Q0 <NA> 1 5 x\nq Q0 nan 2 4 x\nq Q0 N/A 3 3 x\nq Q0 null 4 2 x\nq Q0 None 5 1 x\n",
        BOTH,
        {"q": [(1 / 2 + 2 / 3) / 2, 1 / 2]},
    ),
    "queries-and-tag-like-na": Case(
        "NA 0 NA 1\nnan 0 m 1\nNone 0 m 1\n",
        "nan Q0 m 1 2 null\nNone Q0 n 1 2 null\nNone Q0 m 2 1 null\nNA Q0 NA 1 1 null\n",
        BOTH,
        {"NA": [1, 1], "None": [1 / 2, 1 / 2], "nan": [1, 1]},
    ),
    "long-ids": Case(
        # 30,001 bytes, that differ in the last alone.
        f"q 0 {LONG_ID}1 1\nq 0 {LONG_ID}2 0\n",
        f"q Q0 {LONG_ID}2 1 2 x\nq Q0 {LONG_ID}1 2 1 x\n",
        BOTH,
        {"q": [1 / 2, 1 / 2]},
    ),
    "order-of-queries": Case(
        # By bytes, whatever the files say.
        "20 0 m 1\nB 0 m 1\n3 0 m 1\n100 0 m 1\na 0 m 1\n",
        "a Q0 m 1 1 x\n3 Q0 n 1 2 x\n3 Q0 m 2 1 x\n100 Q0 m 1 1 x\nB Q0 m 1 1 x\n20 Q0 m 1 1 x\n",
        "recip_rank",
        {"100": [1], "20": [1], "3": [1 / 2], "B": [1], "a": [1]},
    ),
    "interleaved-queries": same(
        "v 0 one 1\nu 0 below 2\nv 0 two 0\nu 0 above 0\n",
        "u Q0 below 2 6 t\nv Q0 two 2 0.125 t\nu Q0 above 1 7.5 t\nv Q0 one 1 0.25 t\n",
        said=(
            "x: 2 queries are seen again after another one; the file is held whole in memory. Sort "
            "it by query to save time and memory",
        ),
    ),
    # Compression, told by content.
    "gzip": same(run=gzip.compress(RUN.encode()), file="x.run.gz"),
    "bzip2": same(run=bz2.compress(RUN.encode()), file="x.run.bz2"),
    "xz": same(run=lzma.compress(RUN.encode()), file="x.run.xz"),
    "zstd": same(run=zstd(RUN.encode()), file="x.run.zst"),
    "plain-named-gz": same(file="x.run.gz"),
    "gzip-named-run": same(gzip.compress(QRELS.encode()), gzip.compress(RUN.encode())),
    "gzip-of-two-members": same(
        run=gzip.compress(RUN[:25].encode()) + gzip.compress(RUN[25:].encode()), file="x.txt.gz"
    ),
    "truncated-gzip": Case(
        QRELS,
        TRUNCATED,
        BOTH,
        "x.run.gz:1: saw a gzip stream that is cut off or damaged at its start (",
        file="x.run.gz",
    ),
    "truncated-line": Case(
        QRELS, f"{RUN}v Q0 two 2 0.1", BOTH, f"x.run:4: saw 5 fields, {RUN_LINE}"
    ),
    # Layouts of runs.
    "ms-marco": same(
        run="u\tabove\t1\nu\tbelow\t2\nv\tone\t1\n",
        said=("x: lines have 3 fields; they were read as query_id docno rank (MS MARCO)",),
    ),
    "five-fields-without-q0": Case(
        QRELS,
        RUN.replace(" Q0", ""),
        BOTH,
        "x.run:1: saw 5 fields with '7.5' for a rank, expected query_id Q0 docno rank score. Where "
        "Q0 is missing, put it back.",
    ),
    "five-fields-without-tag": same(
        run=RUN.replace(" mine", ""),
        said=("x: lines have 5 fields; they were read as query_id Q0 docno rank score",),
    ),
    "second-column-ignored": same(
        run=RUN.replace("Q0 above", "7 above").replace("Q0 one", "?! one")
    ),
    "tag-of-several-words": same(run=RUN.replace(" mine", ' our (id: 4) # {"k1": 0.9}')),
    "two-tags": same(
        run=RUN.replace("0.25 mine", "0.25 yours"),
        said=("x: 2 tags in one file ('mine', 'yours'); it is scored as one run",),
    ),
    "document-twice": Case(
        QRELS,
        f"{RUN}v Q0 two 2 0.2 mine\nv Q0 one 3 0.1 mine\n",
        BOTH,
        "x.run:5: saw document 'one' again for query 'v' (first on line 3), expected a document "
        "once per query.",
    ),
    "line-twice": Case(
        QRELS,
        RUN + RUN.splitlines()[2],
        BOTH,
        "x.run:4: saw document 'one' again for query 'v' (first on line 3), expected a document "
        "once per query.",
    ),
    # Cutoffs and gains.
    "cutoff-beyond-the-run": Case(
        # 1 of 2 retrieved documents is relevant, of 5 in all: P@2 1/2, P@20 1/20, R@1 0, R@20 1/5.
        "q 0 n 1\nq 0 o 1\nq 0 p 1\nq 0 r 2\nq 0 s 1\n",
        "q Q0 m 1 2 x\nq Q0 n 2 1 x\n",
        "P_2 P_20 recall_1 recall_20",
        {"q": [1 / 2, 1 / 20, 0, 1 / 5]},
    ),
    "rank-12-and-a-cut": Case(
        # The relevant document is the twelfth: below the cut, and whole without it.
        "q 0 m 1\n",
        "".join(f"q Q0 n{i} {i} {50 - i} x\n" for i in range(1, 12)) + "q Q0 m 12 1 x\n",
        "recip_rank success_10 recip_rank_10 recip_rank_12",
        {"q": [1 / 12, 0, 0, 1 / 12]},
    ),
    "rank-12-and-max-docs": Case(
        "q 0 m 1\n",
        "".join(f"q Q0 n{i} {i} {50 - i} x\n" for i in range(1, 12)) + "q Q0 m 12 1 x\n",
        "recip_rank map num_ret",
        {"q": [0, 0, 10]},
        options={"max-docs": 10},
    ),
    "gain-and-ideal": Case(
        # Gains 2, 1 of the best 3, 2, 1, though o (3) was not retrieved; exponential: 3, 1 of
        # 7, 3, 1.
        "q 0 m 2\nq 0 n 1\nq 0 o 3\nq 0 p 0\n",
        "q Q0 m 1 3 x\nq Q0 n 2 2 x\nq Q0 p 3 1 x\n",
        "ndcg_cut_3 ndcg nDCG(dcg='exp-log2')@3",
        {
            "q": [
                (2 + 1 / LOG3) / (3 + 2 / LOG3 + 1 / 2),
                (2 + 1 / LOG3) / (3 + 2 / LOG3 + 1 / 2),
                (3 + 1 / LOG3) / (7 + 3 / LOG3 + 1 / 2),
            ]
        },
    ),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Stand in a folder with the two files of a case."""
    one = CASES[request.param]
    monkeypatch.chdir(tmp_path)
    for name, content in (("x.qrels", one.qrels), (one.file, one.run)):
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return one


def call(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, arguments)
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result.exit_code, result.stdout, result.stderr


def approximately(expected: Values) -> dict[str, object]:
    """Allow for rounding: C adds and divides in another order than is written above."""
    return {
        query_id: [None if value is None else pytest.approx(value, rel=1e-14) for value in row]
        for query_id, row in expected.items()
    }


def in_csv(text: str, key: str, measures: str) -> dict[str, list[float | None]]:
    """Give the values of each query or run, and see that the measures stand as asked."""
    found: dict[str, list[float | None]] = {}
    asked = [measure.partition("(")[0] for measure in measures.split()]
    for row in csv.DictReader(io.StringIO(text)):
        values = found.setdefault(row[key], [])
        assert row["measure"].partition("(")[0] == asked[len(values)]
        values.append(float(row["value"]) if row["value"] else None)
    return found


@pytest.mark.parametrize("profile", ["9.0", "10.0"])
def test_at_the_prompt(case: Case, profile: str) -> None:
    measures = [word for measure in case.measures.split() for word in ("-m", measure)]
    options = [word for name, n in case.options.items() for word in option(name, n)]
    status, printed, said = call(
        "score", "x.qrels", case.file, *measures, *options, "--profile", profile, "-o", "out.csv"
    )
    expected = case.by(profile)
    if isinstance(expected, str):
        assert (status, printed) == (3, "")
        assert said.startswith(f"error: {expected}")
        assert said.count("\n") == 1
        assert sorted(path.name for path in Path().iterdir()) == sorted(["x.qrels", case.file])
        return
    assert said == "".join(f"warning: {text}\n" for text in case.warned(profile))
    assert status == 0
    found = in_csv(Path("out.csv").read_text(encoding="utf-8"), "query_id", case.measures)
    by_query = {query_id: row for query_id, row in expected.items() if query_id != "mean"}
    assert found == approximately(by_query)
    assert list(found) == list(by_query)  # in the order of bytes
    if "mean" in expected:
        status, printed, _ = call("summary", "out.csv", "--format", "csv")
        assert status == 0
        means = in_csv(printed, "run", case.measures)
        assert means == approximately({"x": expected["mean"]})


def option(name: str, value: int) -> list[str]:
    return [f"--{name}"] if name == "complete" else [f"--{name}", str(value)]


@pytest.mark.parametrize("profile", ["9.0", "10.0"])
@pytest.mark.parametrize("reader", ["plain", "columnar"])
def test_by_each_reader(case: Case, reader: Reader, profile: str) -> None:
    expected = case.by(profile)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if isinstance(expected, str):
            with pytest.raises(te.InputError) as refusal:
                scored_by(case, reader, profile)
            assert str(refusal.value).startswith(expected)
        else:
            by_query = {query_id: row for query_id, row in expected.items() if query_id != "mean"}
            assert scored_by(case, reader, profile) == approximately(by_query)
    assert [str(one.message) for one in warned] == list(case.warned(profile))
    assert {one.category for one in warned} <= {te.TrecEvalWarning}


def scored_by(case: Case, reader: Reader, profile: str) -> dict[str, list[float | None]]:
    level, max_docs = case.options.get("relevance-level", 1), case.options.get("max-docs")
    asked = parse(case.measures.split(), options_of(level, False, max_docs, 0, profile))
    evaluation = Evaluation(
        reading.load_judgments(reading.Source("x.qrels"), "x"),
        "x",
        asked,
        profile,
        complete="complete" in case.options,
        reader=reader,
    )
    scored = evaluation.score(reading.Source(case.file), "x")
    return {q: list(row) for q, row in zip(scored.query_ids, scored.rows, strict=True)}


# What is a call, and no file; the rest is where ids, grades and names of measures are tested.


def test_one_tag_in_two_files_is_two_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In b the relevant document is second: 1/2."""
    monkeypatch.chdir(tmp_path)
    Path("x.qrels").write_text("q 0 m 1\n")
    Path("a.run").write_text("q Q0 m 1 2 tag\nq Q0 n 2 1 tag\n")
    Path("b.run").write_text("q Q0 n 1 2 tag\nq Q0 m 2 1 tag\n")
    status, printed, said = call("score", "x.qrels", "a.run", "b.run", "-m", "RR")
    assert (status, said) == (0, "")
    assert in_csv(printed, "run", "RR") == {"a": [1.0], "b": [0.5]}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # Of 10 relevant documents, all 5 retrieved are relevant: 5 of min(5, 10), or 5 of 10.
        ("relative_P_5", 1.0),
        ("recall_5", 0.5),
        ("R@5", 0.5),
    ],
)
def test_recall_is_capped_only_where_its_name_says_so(measure: str, value: float) -> None:
    relevant = [f"d{i}" for i in range(10)]
    assert te.score_ranking(relevant[:5], relevant, [measure]) == {measure: value}


CALL_QRELS = {"u": {"m": 1}, "v": {"m": 2, "n": 1}}
CALL_RUN = {"u": {"m": 1.0, "n": 2.0}, "v": ["m", "n"]}


def answers() -> list[tuple[str, str, float]]:
    scores = te.score(CALL_QRELS, {"mine": CALL_RUN}, ["map", "ndcg"])
    columns = (scores[name].tolist() for name in ("query_id", "measure", "value"))
    return list(zip(*columns, strict=True))


def test_a_spawned_process_starts_clean() -> None:
    """In u the relevant document is second; v is ranked as well as can be."""
    expected = [("u", "map", 1 / 2), ("u", "ndcg", 1 / LOG3), ("v", "map", 1.0), ("v", "ndcg", 1.0)]
    assert answers() == expected
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(answers) == expected
    assert answers() == expected


def test_what_a_worker_takes_and_gives_back_is_pickled() -> None:
    evaluation = Evaluation(
        {b"q": {b"m": 1}}, "x", parse(["map"], options_of(1, False, None, 0, "9.0"))
    )
    run = {b"q": [b"n", b"m"]}
    scored = evaluation.score(run, "mine")
    assert scored.rows == [[0.5]]
    again = pickle.loads(pickle.dumps(evaluation))
    assert pickle.loads(pickle.dumps(again.score(run, "mine"))) == scored


ERRORS = [
    te.ReadError("x.run", 3, "score 'nan'", "a decimal number", "Drop the line."),
    te.ReadError("x.run", None, "no run line", "6 fields", "Check what wrote the file."),
    te.InputError("run: saw nothing"),
    te.UsageError("x.run: cannot be read"),
    te.MeasureError("measure 'P_0'"),
    te.ScorerError("pytrec_eval counted"),
    te.OutputError("out.csv: cannot be written"),
]


@pytest.mark.parametrize("error", ERRORS, ids=[type(error).__name__ for error in ERRORS])
def test_an_error_comes_back_from_a_worker_as_it_was(error: te.TrecEvalError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.exit_status) == (
        type(error),
        str(error),
        error.exit_status,
    )
