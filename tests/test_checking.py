"""What check finds in files: every code, every place, and no error that reading does not see."""

from __future__ import annotations

import ast
import bz2
import gzip
import io
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from generators import files
from hostile import hostile_file
from hypothesis import example, given, settings
from pyarrow import parquet

import trec_eval_py as te
from trec_eval_py import reading, reporting
from trec_eval_py.checking import CODES, Checks, Finding, check_files
from trec_eval_py.checking._files import _holds
from trec_eval_py.checking._findings import MOST_LISTED
from trec_eval_py.cli import main

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs" / "check.md"

Content = str | bytes | dict[str, list[object]]
"""Text, bytes, or the columns of a Parquet file."""
Brief = tuple[str, str, str, int | None]
"""Severity, code, file and line."""


@dataclass(frozen=True)
class Case:
    """Files, of which some are checked, and the whole of what is found."""

    files: Mapping[str, Content]
    found: Sequence[str]
    """``severity code file:line``, in order."""
    said: Mapping[str, str] = field(default_factory=dict)
    """By code, what the first such finding says, and how to mend it."""
    checks: Mapping[str, str | int] = field(default_factory=dict)
    """What files are held against, or read as; the first file is the one that is checked."""


def run(*lines: str) -> str:
    """Give lines of a run of query, docno, rank, score, without Q0 and a tag."""
    rows = [line.split() for line in lines]
    return "".join(f"{q} Q0 {d} {rank} {score} mine\n" for q, d, rank, score in rows)


def qrels(*lines: str) -> str:
    """Give lines of judgments of query, docno and grade."""
    return "".join("{} 0 {} {}\n".format(*line.split()) for line in lines)


RUN = run("u above 1 7.5", "u below 2 6.5", "v one 1 0.25")
QRELS = qrels("u above 0", "u below 2", "v one 1")
DEPTH = "note run-depth x.run"
GRADES = "note grades x.qrels"
JUDGED = "note judged x.run"
AGREED = "note judgments-agreement x.qrels"
AGAINST = {"against": "old.qrels"}
SCORES = "qrels,run,query_id,measure,value,protocol\n"
GOOD_ROW = "x,a,u,P_5,0.5,h/9.0\n"

NAN = (
    "score 'nan', expected a decimal number. NaN has no place in an order: mend what wrote it, or "
    "drop the line."
)
UTF_16 = "UTF-16 text, expected text. Convert it: iconv -f UTF-16 -t UTF-8."
CUT = gzip.compress(RUN.encode(), mtime=0)[:-9]

READING: dict[str, Case] = {
    "nothing is wrong": Case(
        {"x.run": RUN},
        [DEPTH],
        {"run-depth": "3 documents in 2 queries: 1 to 2 a query, median 1.5."},
    ),
    "nothing at all": Case({"x.run": ""}, ["error file-empty x.run"]),
    "comments only": Case({"x.run": "# a\n\n"}, ["error file-empty x.run"]),
    "UTF-16": Case({"x.run": RUN.encode("utf-16")}, ["error not-text x.run"], {"not-text": UTF_16}),
    "cut off": Case({"x.run": CUT}, ["error compressed-damaged x.run:1"]),
    "Parquet cut off": Case({"x.parquet": b"PAR1nothingPAR1"}, ["error parquet-damaged x.parquet"]),
    "Parquet without docnos": Case(
        {"x.parquet": {"query_id": ["u"], "score": [0.5]}}, ["error columns x.parquet"]
    ),
    "a lone surrogate": Case(
        {"x.jsonl": '{"query_id": "u", "relevant": ["a"]}\n{"text": "é\\ud800"}\n'},
        ["error json x.jsonl:2", "note grades x.jsonl", "note no-non-relevant x.jsonl"],
        {
            "json": '{"text": "é\\ud800"}, expected a line {"query_id": ..., "relevant": [...]}. '
            "Name the query, and its relevant documents as a list or by grade."
        },
    ),
    "no JSON": Case({"x.run": '{"u": {"a": 1.5}\n'}, ["error json x.run:2"]),
    "parts of MTEB": Case(
        {"x.json": json.dumps({"mteb_model_meta": {}, "a": {"s": {}, "t": {}}})},
        ["error mteb-parts x.json"],
        {"mteb-parts": "2 parts (a/s, a/t), expected one. Choose one: --run-format mteb:a/s"},
    ),
    "fields": Case({"x.run": f"{RUN}u Q0\n"}, ["error fields x.run:4", DEPTH]),
    "the rest comes after lines, in the order of lines": Case(
        {"x.run": f"u Q0 a 1 2.5 o/d\nu Q0 b 2 1.5 t\nu Q0\n{run('u c 3 0.5')}"},
        [
            "note tag-odd x.run:1",
            "warning tags-several x.run:2",
            "error fields x.run:3",
            DEPTH,
        ],
    ),
    "a blank in a docno": Case(
        {"x.run": f"{RUN}u Q0 a b 3 1.5 mine\n"}, ["error fields x.run:4", DEPTH]
    ),
    "no line end": Case({"x.run": "x" * (40 << 20)}, ["error line-endless x.run:1"]),
    "NUL": Case({"x.run": f"{RUN}u Q0 a\0b 3 1.5 mine\n"}, ["error nul-byte x.run:4", DEPTH]),
    "an id that is no text": Case(
        {"x.json": '{"u": {"": 1.5, "a": 0.5}}'},
        ["error id-not-text x.json:1", "note run-depth x.json"],
    ),
    "NaN": Case(
        {"x.run": RUN.replace("7.5", "nan")},
        ["error score-not-a-number x.run:1", "note rank-start x.run", DEPTH],
        {"score-not-a-number": NAN},
    ),
    "a fraction for a grade": Case(
        {"x.qrels": QRELS.replace("2\n", "1.5\n")},
        ["error grade-not-an-integer x.qrels:2", GRADES, "warning no-relevant x.qrels"],
    ),
    "no level": Case(
        {"x.qrels": "u g s a inf\n"},
        ["error level x.qrels:1"],
        checks={"qrels_format": "prefs"},
    ),
    "LETOR without docnos": Case(
        {"x.qrels": "1 qid:u 1:0.5 # docno = a\n0 qid:u 1:0.5\n"},
        ["error letor-docno x.qrels:2", GRADES, "note no-non-relevant x.qrels"],
    ),
    "ranks that do not rise": Case(
        {"x.run": "u a 1\nu b 1\nu c 2\n"},
        ["error rank-not-rising x.run:2", "note fields-3 x.run", DEPTH],
    ),
    "a document twice": Case(
        {"x.run": RUN + run("u above 3 1.5")},
        ["error document-twice x.run:4", DEPTH],
        {
            "document-twice": "document 'above' again for query 'u' (first on line 1), expected a "
            "document once per query. Keep the line with its best score, or choose --duplicates "
            "best or first."
        },
    ),
    "a pair judged twice": Case(
        {"x.qrels": f"{QRELS}u 0 above 1\n"}, ["error document-twice x.qrels:4", GRADES]
    ),
    "a query twice": Case(
        {"x.json": '{"u": {"a": 1.5},\n"u": {"b": 0.5}}'},
        ["error query-twice x.json:2", "note run-depth x.json"],
    ),
    "ids alike": Case(
        {"x.run": b"q\xff Q0 a 1 1.5 t\nq\\xff Q0 a 1 1.5 t\n"},
        ["error ids-alike x.run", DEPTH],
        {
            "ids-alike": "query ids b'q\\xff' and b'q\\\\xff', which are alike as text, expected "
            "ids that differ. Rename one."
        },
    ),
    "judgments with ids alike": Case(
        {"x.qrels": b"q\xff 0 a 0\nq\\xff 0 a 1\n"},
        ["error ids-alike x.qrels", GRADES, "warning no-relevant x.qrels"],
    ),
    "a query without a usable judgment": Case(
        {"x.parquet": {"query_id": ["u", "v"], "docno": ["a", "b"], "relevance": [1.5, 0.0]}},
        [
            "error grade-not-an-integer x.parquet:1",
            "note grades x.parquet",
            "warning no-relevant x.parquet",
        ],
    ),
    "no line that can be used": Case(
        {"x.jsonl": '{"query_id": "u"}\n{"query_id": "v"}\n'},
        ["error json x.jsonl:1", "error json x.jsonl:2"],
    ),
}

RUNS: dict[str, Case] = {
    "scores that rise with the rank": Case(
        {"x.run": run("u a 1 1", "u b 2 2", "v a 1 1", "v b 2 2", "w a 1 9", "w b 2 8.5")},
        ["warning scores-rise x.run", DEPTH],
        {
            "scores-rise": "scores that rise with the rank in 2 of 3 queries: the document ranked "
            "first counts as the last. Where ranks or distances were written as scores, write them "
            "negative."
        },
    ),
    "scores that rise in half of the queries": Case(
        {"x.run": run("u a 1 1.5", "u b 2 2.5", "v a 1 9", "v b 2 8")},
        ["warning rank-order x.run", DEPTH],
        {
            "rank-order": "ranks that contradict the scores in 1 of 2 queries, such as 'u'. Scores "
            "count, ranks are ignored: see that the scores are those meant."
        },
    ),
    "equal ranks and equal scores contradict nothing": Case(
        {"x.run": run("u a 1 1.5", "u b 1 2.5", "u c 2 1.5")},
        [DEPTH, "warning ties x.run"],
        {
            "ties": "2 documents that tie, in 1 query. Among equal scores the docno that sorts "
            "last comes first: write more digits."
        },
    ),
    "ranks from 0": Case(
        {"x.run": run("u a 0 1.5", "u b 1 0.5", "v a 1 2.5")},
        ["note rank-start x.run", DEPTH],
        {"rank-start": "ranks that do not start at 1 in 1 of 2 queries (at 0 in 1)."},
    ),
    "ranks that are none": Case(
        {"x.run": run("u a - 1.5", "u b 2 0.5", "u c second 0.25")},
        ["note rank-not-a-number x.run:1", "note rank-start x.run", DEPTH],
        {
            "rank-not-a-number": "2 no integers for a rank, such as '-'. trec_eval ignores ranks; "
            "other tools do not."
        },
    ),
    "another second column": Case(
        {"x.run": RUN.replace("v Q0", "v 0")}, ["note second-column x.run", DEPTH]
    ),
    "several tags, of which one is odd": Case(
        {"x.run": RUN.replace("0.25 mine", "0.25 of/mine")},
        ["warning tags-several x.run:3", "note tag-odd x.run:3", DEPTH],
        {
            "tags-several": "2 tags ('mine', 'of/mine'), scored as one run. Give each run a file, "
            "or score them apart with --split-tags.",
            "tag-odd": "tag 'of/mine', which is not of letters, digits, . _ + - and at most 30 "
            "long. Other tools may refuse or cut it.",
        },
    ),
    "a tag of two words": Case(
        {"x.run": RUN.replace("mine", "my run")}, ["note tag-odd x.run:1", DEPTH]
    ),
    "a tag of 31 letters": Case(
        {"x.run": RUN.replace("mine", "m" * 31)}, ["note tag-odd x.run:1", DEPTH]
    ),
    "a query seen again": Case(
        {"x.run": RUN + run("u c 3 1.5")}, ["note queries-interleaved x.run", DEPTH]
    ),
    "comments like data": Case(
        {"x.run": f"#{RUN}"},
        ["warning comment-like-data x.run", "note rank-start x.run", DEPTH],
    ),
    "grades for scores": Case(
        {"x.run": run("u a 1 2", "u b 2 1", "u c 3 0")},
        [DEPTH, "warning scores-like-grades x.run"],
    ),
    "scores beyond a double": Case(
        {"x.run": run("u a 1 1e400", "u b 2 1e-400")},
        ["warning score-out-of-range x.run", DEPTH],
    ),
    "ties as doubles": Case(
        {"x.run": run("u a 1 0.7", "u b 2 0.7")},
        [DEPTH, "warning ties x.run"],
        checks={"profile": "10.0"},
    ),
    "ties as floats only": Case(
        {"x.run": run("u a 1 0.70000001", "u b 2 0.7")},
        [DEPTH, "warning ties x.run", "warning ties-as-floats x.run"],
    ),
    "no ties as doubles": Case(
        {"x.run": run("u a 1 0.70000001", "u b 2 0.7")}, [DEPTH], checks={"profile": "10.0"}
    ),
    "a docno like its query": Case(
        {"x.run": run("u u 1 0.5")}, [DEPTH, "note docno-is-query x.run"]
    ),
    "five fields": Case({"x.run": RUN.replace(" mine", "")}, ["note fields-5 x.run", DEPTH]),
    "three fields": Case({"x.run": "u\ta\t1\nu\tb\t2\n"}, ["note fields-3 x.run", DEPTH]),
    "three fields from 0": Case(
        {"x.run": "u\ta\t0\nu\tb\t1\n"}, ["note fields-3 x.run", "note rank-start x.run", DEPTH]
    ),
    "ir_metadata": Case(
        {"x.run": f"# ir_metadata.start\n# tag: me\n# ir_metadata.end\n{RUN}"},
        ["note ir-metadata x.run", DEPTH],
    ),
    "more documents than allowed": Case(
        {"x.run": RUN},
        [DEPTH, "error too-many-documents x.run"],
        {"too-many-documents": "more than 1 documents in 1 query ('u'). Keep the first 1 of each."},
        {"max_docs": 1},
    ),
    "as many documents as allowed": Case({"x.run": RUN}, [DEPTH], checks={"max_docs": 2}),
    "JSON": Case({"x.json": '{"u": {"a": 1.5, "b": 0.5}}'}, ["note run-depth x.json"]),
    "a ranked list": Case({"x.json": '{"u": ["a", "b"]}'}, ["note run-depth x.json"]),
    "integers, read as a run": Case(
        {"x.json": '{"u": {"a": 7, "b": 9}}'},
        ["note run-depth x.json"],
        checks={"run_format": "json"},
    ),
}

JUDGMENTS: dict[str, Case] = {
    "grades": Case(
        {"x.qrels": QRELS},
        [GRADES],
        {"grades": "3 judgments of 2 queries (1 to 2, median 1.5); grades 0: 1, 1: 1, 2: 1."},
    ),
    "a grade as a float": Case(
        {"x.qrels": QRELS.replace("2\n", "2.0\n")}, ["note grade-as-float x.qrels", GRADES]
    ),
    "a high grade": Case(
        {"x.qrels": QRELS.replace("2\n", "1001\n")}, [GRADES, "warning grade-high x.qrels"]
    ),
    "the highest grade that is not high": Case(
        {"x.qrels": QRELS.replace("2\n", "1000\n")}, [GRADES]
    ),
    "no relevant document": Case(
        {"x.qrels": QRELS.replace("one 1", "one 0")},
        [GRADES, "warning no-relevant x.qrels"],
        {
            "no-relevant": "1 query without a document of grade 1 or more ('v'). They count 0 in "
            "every mean: leave them out with --answerable-only."
        },
    ),
    "no relevant document at a higher level": Case(
        {"x.qrels": QRELS}, [GRADES, "warning no-relevant x.qrels"], checks={"relevance_level": 2}
    ),
    "negative grades only": Case(
        {"x.qrels": QRELS.replace("one 1", "one -1")},
        [GRADES, "warning only-negative x.qrels"],
        {
            "only-negative": "1 query with negative grades only ('v'). They count 0 in every mean: "
            "leave them out with --answerable-only."
        },
    ),
    "all relevant": Case({"x.qrels": qrels("u a 1")}, [GRADES, "note no-non-relevant x.qrels"]),
    "a question without an answer": Case(
        {
            "x.jsonl": '{"query_id": "u", "relevant": {"a": 1, "b": 0}}\n{"query_id": "v", '
            '"relevant": []}\n'
        },
        ["warning query-unlabelled x.jsonl", "note grades x.jsonl"],
    ),
    "comments like judgments": Case(
        {"x.qrels": f"{QRELS}#v 0 two 1\n"}, ["warning comment-like-data x.qrels", GRADES]
    ),
    "the first grade is at fault": Case(
        {"x.qrels": qrels("u a 0.5", "u b 1", "v a 0")},
        ["error grade-not-an-integer x.qrels:1", GRADES, "warning no-relevant x.qrels"],
    ),
    "by group": Case(
        {"x.qrels": "u g a 1\nu g a 0\nu h a 1\n"},
        ["error document-twice x.qrels:2"],
        checks={"qrels_format": "qrels_jg"},
    ),
}

HELD: dict[str, Case] = {
    "against qrels": Case(
        {"x.run": RUN, "x.qrels": QRELS},
        [GRADES, DEPTH, JUDGED],
        {
            "judged": "judged@10 1.0000 (mean share of the first 10 retrieved), Hole@10 0.00 "
            "unjudged a query."
        },
        {"qrels": "x.qrels"},
    ),
    "queries missing and extra": Case(
        {"x.run": RUN.replace("v Q0", "w Q0"), "x.qrels": QRELS},
        [GRADES, DEPTH, "warning qrels-missing x.run", "warning qrels-extra x.run", JUDGED],
        {
            "qrels-missing": "1 query of x.qrels missing ('v'). They count as nothing, or as 0 "
            "with --complete: see that the system answered them.",
            "qrels-extra": "1 query not in x.qrels ('w'). They are left out.",
        },
        {"qrels": "x.qrels"},
    ),
    "no query in common": Case(
        {"x.run": run("U above 1 1.5"), "x.qrels": QRELS},
        [GRADES, DEPTH, "error qrels-none-in-common x.run"],
        {
            "qrels-none-in-common": "no query of x.qrels: 'U' here, 'u' there. See that both name "
            "queries alike."
        },
        {"qrels": "x.qrels"},
    ),
    "another collection": Case(
        {"x.run": run("u a 1 1.5", "v b 1 1.5"), "x.qrels": QRELS},
        [GRADES, DEPTH, "warning docnos-unknown x.run"],
        {
            "docnos-unknown": "no docno that x.qrels judges for any query, such as 'above', but "
            "'a'. See that both are of one collection, and write docnos alike."
        },
        {"qrels": "x.qrels"},
    ),
    "few are judged": Case(
        # of u's two documents one is judged, of v's one none: (1/2 + 0) / 2, and (1 + 1) / 2 holes;
        # a negative grade is none
        {
            "x.run": run("u a 1 2.5", "u b 2 1.5", "v c 1 1.5"),
            "x.qrels": qrels("u a 0", "u d 1", "v c -1", "v e 1"),
        },
        [GRADES, DEPTH, "warning judged-low x.run"],
        {
            "judged-low": "judged@10 0.2500 (mean share of the first 10 retrieved), Hole@10 1.00 "
            "unjudged a query. Differences may be those of judging: compare with care."
        },
        {"qrels": "x.qrels"},
    ),
    "ties, and what they could move": Case(
        # b, a tie: b, which sorts last, comes first, and the relevant a second; it could be first
        {"x.run": run("u a 1 1.5", "u b 2 1.5"), "x.qrels": qrels("u a 1", "u b 0")},
        [GRADES, DEPTH, "warning ties x.run", JUDGED],
        {
            "ties": "2 documents that tie, in 1 query: recip_rank is 0.5000, and could be 0.5000 "
            "to 1.0000; map is 0.5000, and could be 0.5000 to 1.0000; ndcg_cut_10 is 0.6309, and "
            "could be 0.6309 to 1.0000. Among equal scores the docno that sorts last comes first: "
            "write more digits."
        },
        {"qrels": "x.qrels"},
    ),
    "swapped arguments": Case(
        {"x.qrels": QRELS, "x.run": RUN},
        ["error swapped x.run"],
        {
            "swapped": "a run where qrels are wanted, and judgments in x.qrels where a run is. "
            "Write: check x.run --qrels x.qrels"
        },
        {"qrels": "x.run"},
    ),
    "two runs": Case(
        {"x.run": RUN, "y.run": RUN},
        ["error swapped y.run", DEPTH],
        {
            "swapped": "a run where judgments are wanted. Qrels are given by --qrels, and runs as "
            "FILE: see which is which."
        },
        {"qrels": "y.run"},
    ),
    "two qrels": Case(
        {"y.qrels": QRELS, "x.qrels": QRELS},
        [GRADES, "error run-like-qrels y.qrels"],
        checks={"qrels": "x.qrels"},
    ),
    "a run of integers in JSON": Case(
        {"x.json": '{"u": {"above": 9, "below": 7}, "v": {"one": 8}}', "x.qrels": QRELS},
        [GRADES, "note run-depth x.json", "note judged x.json"],
        checks={"qrels": "x.qrels"},
    ),
    "qrels at fault": Case(
        {"x.run": RUN, "x.qrels": QRELS.replace("one 1", "one x") + "u 0 above 1\n"},
        [
            "error grade-not-an-integer x.qrels:3",
            "error document-twice x.qrels:4",
            GRADES,
            DEPTH,
            "warning qrels-extra x.run",
            JUDGED,
        ],
        checks={"qrels": "x.qrels"},
    ),
    "qrels cut off": Case(
        {"x.run": RUN, "x.qrels": gzip.compress(QRELS.encode(), mtime=0)[:-9]},
        ["error compressed-damaged x.qrels:1", DEPTH],
        checks={"qrels": "x.qrels"},
    ),
    "both at fault": Case(
        {"x.run": RUN.replace("7.5", "x"), "x.qrels": QRELS.replace("one 1", "one x")},
        [
            "error grade-not-an-integer x.qrels:3",
            GRADES,
            "error score-not-a-number x.run:1",
            "note rank-start x.run",
            DEPTH,
            "warning qrels-extra x.run",
            JUDGED,
        ],
        checks={"qrels": "x.qrels"},
    ),
    "grades at both ends of 64 bits": Case(
        {
            "x.run": run("u above 1 1.5", "u below 2 1.5", "v one 1 1"),
            "x.qrels": qrels(f"u above {2**63 - 1}", f"u below {-(2**63)}", "v one 1"),
        },
        [
            GRADES,
            "warning grade-high x.qrels",
            DEPTH,
            "warning ties x.run",
            "warning judged-low x.run",
        ],
        checks={"qrels": "x.qrels"},
    ),
    "topics": Case(
        {"x.run": RUN, "t.tsv": "u\tone\nv\ttwo\n"}, [DEPTH], checks={"topics": "t.tsv"}
    ),
    "topics missing and extra": Case(
        {"x.run": RUN, "t.tsv": "u\tone\nw\ttwo\n"},
        [DEPTH, "warning topics-missing x.run", "warning topics-extra x.run"],
        {
            "topics-missing": "1 query of the topics missing ('w'). They count as nothing, or "
            "as 0 with --complete: see that the system answered them."
        },
        {"topics": "t.tsv"},
    ),
    "topics missing and extra in qrels": Case(
        {"x.qrels": QRELS, "t.tsv": "u\tone\nw\ttwo\n"},
        [GRADES, "warning topics-missing x.qrels", "warning topics-extra x.qrels"],
        checks={"topics": "t.tsv"},
    ),
    "no topic in common": Case(
        {"x.run": RUN, "t.tsv": "w\n"},
        [DEPTH, "error topics-none-in-common x.run"],
        checks={"topics": "t.tsv"},
    ),
    "topics at fault": Case(
        {"x.run": RUN, "t.tsv": "u\tone\nu\tagain\n\tnone\nv w\n"},
        [
            "error topic-twice t.tsv:2",
            "error topics t.tsv:3",
            "error topics t.tsv:4",
            DEPTH,
            "warning topics-extra x.run",
        ],
        {
            "topic-twice": "query 'u' again (first on line 1), expected each query once. "
            "Drop one of them."
        },
        {"topics": "t.tsv"},
    ),
    "topics and qrels": Case(
        {"x.run": RUN, "x.qrels": QRELS, "t.tsv": "u\nw\n"},
        [GRADES, DEPTH, JUDGED, "warning topics-missing x.run", "warning topics-extra x.run"],
        checks={"topics": "t.tsv", "qrels": "x.qrels"},
    ),
    "no topic": Case(
        {"x.run": RUN, "t.tsv": "query_id\n"},
        ["error file-empty t.tsv", DEPTH],
        checks={"topics": "t.tsv"},
    ),
    "the same judgments": Case(
        {"x.qrels": QRELS, "old.qrels": QRELS},
        [GRADES, "note judgments-same x.qrels"],
        checks=AGAINST,
    ),
    "other judgments": Case(
        {
            "x.qrels": qrels("u a 1", "u b 0", "u c 0", "v d 0", "w e 0"),
            "old.qrels": qrels("u a 1", "u b 1", "u z 0", "v d 1", "t f 1"),
        },
        [
            GRADES,
            "warning no-relevant x.qrels",
            "warning judgments-query-added x.qrels",
            "warning judgments-query-dropped x.qrels",
            "note judgments-document-added x.qrels",
            "warning judgments-document-dropped x.qrels",
            "warning judgments-grade-changed x.qrels",
            "note judgments-relevant-changed x.qrels",
            "warning judgments-relevant-lost x.qrels",
            AGREED,
        ],
        checks=AGAINST,
    ),
    "old judgments at fault": Case(
        {"x.qrels": QRELS, "old.qrels": f"{QRELS}v 0 two x\n"},
        ["error grade-not-an-integer old.qrels:4", GRADES, "note judgments-same x.qrels"],
        checks=AGAINST,
    ),
    "new judgments at fault": Case(
        {"x.qrels": f"{QRELS}v 0 two x\n", "old.qrels": QRELS},
        ["error grade-not-an-integer x.qrels:4", GRADES, "note judgments-same x.qrels"],
        checks=AGAINST,
    ),
    "old judgments that are empty": Case(
        {"x.qrels": QRELS, "old.qrels": ""}, ["error file-empty old.qrels", GRADES], checks=AGAINST
    ),
    "a run against old judgments": Case(
        {"x.run": RUN, "old.qrels": QRELS}, ["error swapped x.run"], checks=AGAINST
    ),
}

SCORE_FILES: dict[str, Case] = {
    "scores": Case({"s.csv": SCORES + GOOD_ROW}, []),
    "scores in TSV": Case({"s.tsv": (SCORES + GOOD_ROW).replace(",", "\t")}, []),
    "scores beside qrels": Case(
        {"s.csv": SCORES + GOOD_ROW, "x.qrels": QRELS}, [GRADES], checks={"qrels": "x.qrels"}
    ),
    "scores by another name": Case(
        {"s.parquet": SCORES + GOOD_ROW}, ["error scores-unreadable s.parquet"]
    ),
    "scores in Latin-1": Case(
        {"s.csv": f"{SCORES}x,a,café,P_5,0.5,h\n".encode("latin-1")},
        ["error scores-not-utf-8 s.csv:2"],
    ),
    "wide scores": Case(
        {"s.csv": "qrels,run,query_id,protocol,map\nx,a,u,h,0.5\n"},
        ["error scores-columns s.csv:1"],
    ),
    "no scores": Case({"s.csv": SCORES}, ["error scores-empty s.csv"]),
    "cells": Case({"s.csv": f"{SCORES}{GOOD_ROW}x\n"}, ["error scores-cells s.csv:3"]),
    "an id of scores that is no text": Case(
        {"s.jsonl": '{"qrels":"x","run":"a","query_id":1,"measure":"P_5","value":0.5,'
         '"protocol":"h"}\n'},
        ["error scores-not-text s.jsonl:1"],
    ),
    "no value": Case({"s.csv": f"{SCORES}x,a,u,P_5,half,h\n"}, ["error scores-no-number s.csv:2"]),
    "a key again": Case(
        {"s.csv": SCORES + GOOD_ROW * 2}, ["error scores-key-repeated s.csv:3"]
    ),
    "protocols": Case(
        {"s.csv": f"{SCORES}{GOOD_ROW}x,b,u,P_5,0.5,i\n"}, ["error scores-two-protocols s.csv:3"]
    ),
    "no protocol": Case(
        {"s.csv": "qrels,run,query_id,measure,value\nx,a,u,P_5,0.5\n"},
        ["warning scores-no-protocol s.csv"],
    ),
    "out of range": Case(
        {"s.csv": f"{SCORES}x,a,u,P_5,50,h\n"}, ["warning scores-out-of-range s.csv:2"]
    ),
    "runs that differ": Case(
        {"s.csv": f"{SCORES}{GOOD_ROW}x,a,v,map,,h/9.0\nx,b,u,P_5,0.5,h/9.0\n"},
        [
            "note scores-value-missing s.csv",
            "warning scores-queries-differ s.csv",
            "warning scores-measures-differ s.csv",
            "warning scores-rows-lacking s.csv",
        ],
    ),
    "ids that are mangled": Case(
        {"s.csv": SCORES + "".join(
            f"x,a,{one},P_5,0.5,h\n"
            for one in ("01", "1.1", "1e5", "1234567890123456", "NA", "1-2", "true")
        )},
        [
            "warning id-leading-zero s.csv:2",
            "warning id-decimal s.csv:3",
            "warning id-exponent s.csv:4",
            "warning id-long-integer s.csv:5",
            "warning id-na-like s.csv:6",
            "warning id-date-like s.csv:7",
            "warning id-boolean s.csv:8",
        ],
    ),
}  # fmt: skip

CASES = {**READING, **RUNS, **JUDGMENTS, **HELD, **SCORE_FILES}


def write(folder: Path, contents: Mapping[str, Content]) -> None:
    for name, content in contents.items():
        if isinstance(content, dict):
            parquet.write_table(pa.table(content), folder / name)
        else:
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def brief(found: Sequence[Finding]) -> list[str]:
    return [
        f"{one.severity} {one.code} {one.file}{'' if one.line is None else f':{one.line}'}"
        for one in found
    ]


def sentence(one: Finding) -> str:
    return f"{one.saw}. {one.fix}".strip()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_that_is_found(here: Path, case: Case) -> None:
    write(here, case.files)
    found = check_files([next(iter(case.files))], Checks(**case.checks))  # type: ignore[arg-type]
    assert brief(found) == list(case.found)
    first = {one.code: sentence(one) for one in reversed(found)}
    assert {code: first[code] for code in case.said} == case.said
    assert all(one.severity == CODES[one.code].severity for one in found)


# What brings these about is no file that check is given.
ELSEWHERE = {
    "unreadable": "test_a_file_that_the_system_does_not_give",
    "docno-map": "test_a_docno_map_at_fault",
}


def test_each_code_occurs() -> None:
    seen = {line.split()[1] for case in CASES.values() for line in case.found}
    assert seen | ELSEWHERE.keys() == CODES.keys()
    assert all(name in globals() for name in ELSEWHERE.values())


def test_the_list_of_codes_is_documented() -> None:
    rows = re.findall(r"^\| `(\S+)` \| (\w+) \| (.+) \|$", DOCS.read_text(encoding="utf-8"), re.M)
    assert rows == [(code, one.severity, one.meaning) for code, one in CODES.items()]


def test_a_file_that_the_system_does_not_give(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> list[bytes]:
        raise OSError(5, "Input/output error")

    write(here, {"x.run": RUN})
    monkeypatch.setattr("trec_eval_py.reading._plain.chunks", fail)
    (found,) = check_files(["x.run"], Checks())
    assert brief([found]) == ["error unreadable x.run"]
    expected = "Input/output error, expected a file that can be read. Copy it to another place."
    assert sentence(found) == expected


def test_a_docno_map_at_fault(here: Path) -> None:
    write(here, {"map.tsv": "a b\na c\n"})
    with pytest.raises(te.ReadError) as refused:
        reading.load_docno_map(reading.Source("map.tsv"))
    assert (refused.value.code, refused.value.line) == ("docno-map", 2)


# The codes of the source


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def assigned(function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    """Yield what a name is given in a function, by itself or in a tuple."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            elif isinstance(target, ast.Tuple):
                names = [one.id if isinstance(one, ast.Name) else "" for one in target.elts]
                if name in names:
                    whole = isinstance(node.value, ast.Tuple)
                    yield node.value.elts[names.index(name)] if whole else node.value  # type: ignore[attr-defined]


def literals(value: ast.expr, function: ast.FunctionDef) -> set[str]:
    """Give the texts that an expression may be; of what an error had before, none."""
    if isinstance(value, ast.Constant):
        return {str(value.value)}
    if isinstance(value, ast.IfExp):
        return literals(value.body, function) | literals(value.orelse, function)
    if isinstance(value, ast.Starred):
        value = value.value
        if isinstance(value, ast.Name):
            tuples = [one for one in assigned(function, value.id) if isinstance(one, ast.Tuple)]
            return set().union(*(literals(one.elts[-1], function) for one in tuples))
    if isinstance(value, ast.Name):
        found = list(assigned(function, value.id))
        assert found, ast.unparse(value)
        return set().union(*(literals(one, function) for one in found))
    assert ast.unparse(value) == "error.args", ast.unparse(value)
    return set()


def codes_of(path: Path) -> set[str]:
    places = {"ReadError": 5, "Unusable": 3}
    codes = set()
    for function in functions(ast.parse(path.read_text(encoding="utf-8"))):
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if (at := places.get(node.func.id)) is None:
                continue
            arguments = [*node.args, *(one.value for one in node.keywords)]
            if len(arguments) > at or any(isinstance(one, ast.Starred) for one in arguments):
                codes |= literals(arguments[-1], function)
            else:
                codes.add("unreadable")
    return codes


def test_each_code_that_reading_gives_is_listed() -> None:
    of_files = {
        path.name: codes_of(path) for path in sorted(Path(reading.__file__).parent.glob("*.py"))
    }
    assert set().union(*of_files.values()) <= CODES.keys()
    # The search is not blind.
    assert of_files["_topics.py"] == {"topics", "topic-twice", "file-empty"}
    assert of_files["_plain.py"] == {"nul-byte", "line-endless"}
    assert of_files["_values.py"] >= {"document-twice", "query-twice", "id-not-text"}
    assert of_files["_groups.py"] == {"fields", "level", "file-empty", "document-twice"}


# Five faults at once, in every format


def lines_of_json(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


FIVE: dict[str, Case] = {
    "a run of six fields": Case(
        {
            "x.run": RUN
            + "u Q0 c 3 1,5 mine\nu Q0\nu Q0 above 4 1.5 mine\nu Q0 d\0 5 1.5 mine\n"
            + "v Q0 e f 6 1.5 mine\n"
        },
        [
            "error score-not-a-number x.run:4",
            "error fields x.run:5",
            "error document-twice x.run:6",
            "error nul-byte x.run:7",
            "error fields x.run:8",
            DEPTH,
        ],
    ),
    "a run of five fields": Case(
        {"x.run": "u Q0 a 1 1.5\nu Q0 b 2 x\nu Q0 a 3 1\nu Q0\nu Q0 c d 1\nu Q0 \0 1 1\n"},
        [
            "error score-not-a-number x.run:2",
            "error document-twice x.run:3",
            "error fields x.run:4",
            "error fields x.run:5",
            "error nul-byte x.run:6",
            "note fields-5 x.run",
            DEPTH,
        ],
    ),
    "a run of three fields": Case(
        {"x.run": "u a 1\nu b\nu c 1\nu a 2\nu d x\nu \0 9\n"},
        [
            "error fields x.run:2",
            "error rank-not-rising x.run:3",
            "error document-twice x.run:4",
            "error rank-not-rising x.run:5",
            "error nul-byte x.run:6",
            "note fields-3 x.run",
            DEPTH,
        ],
    ),
    "a run in JSON": Case(
        {
            "x.json": '{"u": {"a": 1.5, "b": null, "a": 0.5, "": 2.5},\n"v": 3,\n"u": {"c": 1.5},\n'
            '"": {"d": 1.5}}'
        },
        [
            "error score-not-a-number x.json:1",
            "error document-twice x.json:1",
            "error id-not-text x.json:1",
            "error json x.json:2",
            "error query-twice x.json:3",
            "error id-not-text x.json:4",
            "note run-depth x.json",
        ],
    ),
    "rank_llm": Case(
        {
            "x.jsonl": lines_of_json(
                {"query": {"qid": 1}, "candidates": [{"docid": "a", "score": 1.5}]},
                {"query": {"qid": 1}, "candidates": []},
                {"query": {}, "candidates": []},
                {"query": {"qid": 2}, "candidates": [{"docid": "a", "score": "x"}]},
                {"query": {"qid": 3}, "candidates": [{"docid": None, "score": 1.5}]},
                {"query": {"qid": 4}, "candidates": [{"docid": "b", "score": 1}] * 2},
            )
        },
        [
            "error query-twice x.jsonl:2",
            "error json x.jsonl:3",
            "error score-not-a-number x.jsonl:4",
            "error id-not-text x.jsonl:5",
            "error document-twice x.jsonl:6",
            "note run-depth x.jsonl",
        ],
    ),
    "MTEB": Case(
        {
            "x.json": '{"mteb_model_meta": {}, "default": {"test": {\n"u": {"a": "x", "b": 1.5},\n'
            '"v": 1,\n"u": {},\n"w": {"": 1.5, "c": 1.5, "c": 2.5}}}}'
        },
        [
            "error score-not-a-number x.json:2",
            "error json x.json:3",
            "error query-twice x.json:4",
            "error id-not-text x.json:5",
            "error document-twice x.json:5",
            "note run-depth x.json",
        ],
    ),
    "a run in Parquet": Case(
        {
            "x.parquet": {
                "query_id": ["u", "u", None, "v", "v", "w"],
                "docno": ["a", "a", "b", None, "c", ""],
                "score": [1.5, 0.5, 0.5, 0.5, float("nan"), 0.5],
            }
        },
        [
            "error document-twice x.parquet:2",
            "error id-not-text x.parquet:3",
            "error id-not-text x.parquet:4",
            "error score-not-a-number x.parquet:5",
            "error id-not-text x.parquet:6",
            "note run-depth x.parquet",
        ],
    ),
    "judgments of four fields": Case(
        {"x.qrels": f"{QRELS}u 0 above 1\nu 0 c 1.5\nu 0\nu 0 \0 1\nu 0 d {2**63}\n"},
        [
            "error document-twice x.qrels:4",
            "error grade-not-an-integer x.qrels:5",
            "error fields x.qrels:6",
            "error nul-byte x.qrels:7",
            "error grade-not-an-integer x.qrels:8",
            GRADES,
        ],
    ),
    "BEIR": Case(
        {
            "x.tsv": "query-id\tcorpus-id\tscore\nu\ta\t1\nu\ta\t0\nu\tb\tx\nu\nu\t\0\t1\n"
            "u\tc\t0.5\n"
        },
        [
            "error document-twice x.tsv:3",
            "error grade-not-an-integer x.tsv:4",
            "error fields x.tsv:5",
            "error nul-byte x.tsv:6",
            "error grade-not-an-integer x.tsv:7",
            "note grades x.tsv",
            "note no-non-relevant x.tsv",
        ],
    ),
    "LETOR": Case(
        {
            "x.txt": "".join(
                f"{one}\n"
                for one in (
                    *(
                        "1 qid:u 1:0.5 # docno = a",
                        "0 qid:u 1:0.5 # docno = a",
                        "x qid:u # docno = b",
                    ),
                    *(
                        "0 qid:u 1:0.5",
                        "0 qid:u # docno = \0",
                        "0 qid: # docno = c",
                        "0 u # docno = d",
                    ),
                )
            )
        },
        [
            "error document-twice x.txt:2",
            "error grade-not-an-integer x.txt:3",
            "error letor-docno x.txt:4",
            "error nul-byte x.txt:5",
            "error letor-docno x.txt:6",
            "error letor-docno x.txt:7",
            "note grades x.txt",
            "note no-non-relevant x.txt",
        ],
    ),
    "judgments in JSON": Case(
        # the values of the first query tell what the file is
        {
            "x.json": '{"t": {"a": 1},\n"u": {"a": 1, "b": 1.5, "a": 0, "": 2},\n"v": 3,\n'
            '"u": {"c": 1}}'
        },
        [
            "error grade-not-an-integer x.json:2",
            "error document-twice x.json:2",
            "error id-not-text x.json:2",
            "error json x.json:3",
            "error query-twice x.json:4",
            "note grades x.json",
            "note no-non-relevant x.json",
        ],
    ),
    "questions": Case(
        {
            "x.jsonl": lines_of_json(
                {"query_id": "u", "relevant": {"a": 1, "b": "x"}},
                {"query_id": "u", "relevant": ["c"]},
                {"query_id": "v"},
                {"query_id": "", "relevant": ["d"]},
                {"query_id": "w", "relevant": ["e", "e"]},
            )
        },
        [
            "error grade-not-an-integer x.jsonl:1",
            "error query-twice x.jsonl:2",
            "error json x.jsonl:3",
            "error id-not-text x.jsonl:4",
            "error document-twice x.jsonl:5",
            "note grades x.jsonl",
            "note no-non-relevant x.jsonl",
        ],
    ),
    "judgments in Parquet": Case(
        {
            "x.parquet": {
                "query_id": ["u", "u", None, "v", "v"],
                "docno": ["a", "a", "b", None, "c"],
                "label": [1.0, 0.0, 0.0, 0.0, 0.5],
            }
        },
        [
            "error document-twice x.parquet:2",
            "error id-not-text x.parquet:3",
            "error id-not-text x.parquet:4",
            "error grade-not-an-integer x.parquet:5",
            "note grades x.parquet",
            "note no-non-relevant x.parquet",
        ],
    ),
    "preferences": Case(
        {"x.prefs": "u g s a 1\nu g s a 2\nu g s b x\nu g s\nu g s \0 1\nu g s c inf\n"},
        [
            "error document-twice x.prefs:2",
            "error level x.prefs:3",
            "error fields x.prefs:4",
            "error nul-byte x.prefs:5",
            "error level x.prefs:6",
        ],
        checks={"qrels_format": "prefs"},
    ),
    "subtopics": Case(
        {"x.txt": "u 1 a 1\nu 1 a 0\nu 1 b x\nu 1\nu 1 \0 1\nu 1 c 1.5\n"},
        [
            "error document-twice x.txt:2",
            "error grade-not-an-integer x.txt:3",
            "error fields x.txt:4",
            "error nul-byte x.txt:5",
            "error grade-not-an-integer x.txt:6",
        ],
        checks={"qrels_format": "subtopics"},
    ),
}


@pytest.mark.parametrize("case", FIVE.values(), ids=FIVE)
def test_five_faults_at_once(here: Path, case: Case) -> None:
    write(here, case.files)
    found = check_files([next(iter(case.files))], Checks(**case.checks))  # type: ignore[arg-type]
    assert brief(found) == list(case.found)


# What check calls an error of a file, reading refuses; and nothing else


def refusal(path: Path, kind: str) -> te.ReadError | None:
    """Read a file as what it holds; ids that become alike are refused for their frame only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", te.TrecEvalWarning)
        try:
            te.read_qrels(path) if kind == "qrels" else te.read_run(path)
        except te.ReadError as error:
            return error
        except te.InputError as error:
            assert "alike as text" in str(error)  # noqa: PT017
        return None


def disagreement(path: Path) -> str:
    """Say where check and reading differ on a file; nothing where they agree."""
    kind = _holds(reading.Source(path))
    if kind == "scores":
        return ""
    found = check_files([str(path)], Checks())
    errors = [one for one in found if one.severity == "error" and one.code != "ids-alike"]
    refused, said = refusal(path, kind), None
    if errors:
        place = errors[0].file + (f":{errors[0].line}" if errors[0].line else "")
        said = f"{place}: saw {sentence(errors[0])}"
    wanted = None if refused is None else str(refused)
    return "" if said == wanted else f"check: {said}\nread: {wanted}"


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_errors_of_hostile_files_are_what_reading_refuses(tmp_path: Path, first: int) -> None:
    path = tmp_path / "x"
    for seed in range(first, first + 100):
        path.write_bytes(hostile_file(seed))
        assert disagreement(path) == "", seed


@settings(max_examples=300)
@given(content=files())
@example(b"")
@example(b'{"u": {"a": null}}')
@example(b"u 0 a 1.5\nu 0 b 1\n")
def test_errors_are_what_reading_refuses(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(content)
        assert disagreement(path) == ""


# How it is printed


def invoke(*arguments: str | Path, stdin: str | bytes | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["check", *map(str, arguments)], input=stdin)
    return done.exit_code, done.stdout, done.stderr


ODD_NAME = "50%, a:b\nc.run"
ODD_IDS = "a%0A,b:c 0 d 1 2.5 50%,x:y\n"


def test_json_is_the_findings(here: Path) -> None:
    write(here, {ODD_NAME: ODD_IDS + "u Q0 é 1 x mine\n"})
    status, stdout, stderr = invoke(ODD_NAME, "--format", "json")
    assert (status, stderr) == (1, "")
    found = check_files([ODD_NAME], Checks())
    assert json.loads(stdout) == [one._asdict() for one in found]
    assert {one.code for one in found} == {
        *("score-not-a-number", "tag-odd", "run-depth"),
    }
    assert found[0].file == ODD_NAME


def test_json_of_nothing_is_an_empty_list(here: Path) -> None:
    write(here, {"s.csv": SCORES + GOOD_ROW})
    assert invoke("s.csv", "--format", "json") == (0, "[]\n", "")
    assert invoke("s.csv", "--format", "github") == (0, "", "")
    assert invoke("s.csv") == (0, "0 errors, 0 warnings, 0 notes.\n", "")


def unescaped(text: str) -> str:
    for sign, code in ((":", "%3A"), (",", "%2C"), ("\n", "%0A"), ("\r", "%0D"), ("%", "%25")):
        text = text.replace(code, sign)
    return text


def test_annotations_of_a_build_are_escaped(here: Path) -> None:
    """A line each, whose properties and text are what was found once they are read back."""
    write(here, {ODD_NAME: ODD_IDS + "u Q0 é 1 x mine\n"})
    status, stdout, _ = invoke(ODD_NAME, "--format", "github")
    assert status == 1
    assert next(line for line in stdout.splitlines() if line.startswith("::error")) == (
        "::error file=50%25%2C a%3Ab%0Ac.run,line=2,title=score-not-a-number::score 'x', expected "
        "a decimal number. Mend or drop the line."
    )
    found = check_files([ODD_NAME], Checks())
    lines = stdout.splitlines()
    assert len(lines) == len(found)
    names = {"error": "error", "warning": "warning", "note": "notice"}
    for line, one in zip(lines, found, strict=True):
        command, properties, text = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()  # type: ignore[union-attr]
        read = {k: unescaped(v) for k, v in (part.split("=", 1) for part in properties.split(","))}
        assert command == names[one.severity]
        assert read.pop("line", None) == (None if one.line is None else str(one.line))
        assert read == {"file": ODD_NAME, "title": one.code}
        assert unescaped(text) == sentence(one)


def test_a_table_has_a_line_each(here: Path) -> None:
    write(here, {ODD_NAME: ODD_IDS})
    status, stdout, _ = invoke(ODD_NAME)
    assert status == 0
    lines = stdout.splitlines()
    assert len(lines) == 1 + 2 + 1 + 1  # header, findings, a blank line, counts
    assert "'50%, a:b\\nc.run':1" in lines[1]
    assert lines[-1] == "0 errors, 0 warnings, 2 notes."


@pytest.mark.parametrize("style", ["table", "json", "github"])
def test_a_file_name_that_is_no_utf_8(here: Path, style: str) -> None:
    name = os.fsdecode(b"caf\xe9.run")
    write(here, {name: RUN})
    command = [sys.executable, "-m", "trec_eval_py", "check", name, "--format", style]
    done = subprocess.run(command, capture_output=True, check=True)
    text = done.stdout.decode()  # which is UTF-8
    assert "caf\\\\xe9.run" if style == "json" else "caf\\xe9.run" in text
    (one,) = check_files([name], Checks(qrels=None))
    assert one.file == "caf\\xe9.run"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


LONG = "ties, which matter: " + "words and words " * 12 + "end"
WIDTHS = {"wide": 120, "narrow": 80, "very narrow": 40}


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_a_terminal_wraps_the_last_column_only(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    found = [
        Finding("warning", "ties", "runs/mine.run", None, LONG, "Mend it."),
        Finding("error", "too-many-documents", "runs/mine.run", 1234567, "[bold]", ""),
    ]
    terminal = Terminal()
    reporting.show_findings(found, file=terminal)
    text = re.sub("\x1b\\[[0-9;]*m", "", terminal.getvalue())
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    beside = width == 120
    for one in found:
        place = f"{one.file}:{one.line}" if one.line else one.file
        (line,) = [line for line in lines if one.code in line.split()]
        assert line.split()[:3] == [one.severity, one.code, place] or width == 40
        assert any(word.startswith(one.saw.split()[0]) for word in line.split()[3:]) == beside
    assert text.count("[bold].") == 1
    assert " ".join(text.split()).count("1 error, 1 warning, 0 notes.") == 1
    # All of the words are there, in order.
    if not beside:
        assert f"{LONG}. Mend it." in " ".join(text.split())


def test_a_closed_standard_output_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    reporting.show_findings([Finding("note", "ties", "x", None, "a", "")])


# Status, streams, compression


STATUSES: dict[str, tuple[list[str], int, str]] = {
    "nothing": (["x.run"], 0, ""),
    "a warning": (["warn.run"], 0, ""),
    "an error": (["bad.run"], 1, ""),
    "an error in one of two": (["x.run", "bad.run"], 1, ""),
    "an error in the qrels": (["x.run", "--qrels", "bad.qrels"], 1, ""),
    "an error in the topics": (["x.run", "--topics", "bad.tsv"], 1, ""),
    "an error in the old judgments": (["x.qrels", "--against", "bad.qrels"], 1, ""),
    "too many documents": (["x.run", "--max-docs", "1"], 1, ""),
    "no such file": (["none.run"], 2, "none.run: cannot be read: No such file or directory."),
    "one of two is not there": (["x.run", "none.run"], 2, "none.run: cannot be read"),
    "no such qrels": (["x.run", "--qrels", "none"], 2, "none: cannot be read"),
    "no such topics": (["x.run", "--topics", "none"], 2, "none: cannot be read"),
    "no such old judgments": (["x.qrels", "--against", "none"], 2, "none: cannot be read"),
    "a folder": (["."], 2, ".: cannot be read: Is a directory."),
    "qrels and old ones": (
        ["x.run", "--qrels", "x.qrels", "--against", "x.qrels"],
        2,
        "against: saw qrels beside, expected one of the two.",
    ),
    "standard input twice": (["-", "--qrels", "-"], 2, "-: standard input can be read once"),
    "no file": ([], 2, "Missing argument 'FILE...'"),
    "no documents": (["x.run", "--max-docs", "0"], 2, "0 is not in the range 1<=x"),
    "no such format": (["x.run", "--format", "xml"], 2, "'xml' is not one of"),
    "no such format of runs": (["x.run", "--run-format", "xml"], 2, "run_format: saw 'xml'"),
    "no such format of qrels": (["x.run", "--qrels-format", "xml"], 2, "qrels_format: saw 'xml'"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "status", "said"), STATUSES.values(), ids=STATUSES)
def test_status(here: Path, words: list[str], status: int, said: str) -> None:
    contents = {
        "x.run": RUN,
        "warn.run": run("u a 1 2.5", "u b 2 2.5"),
        "bad.run": "u\n",
        "x.qrels": QRELS,
        "bad.qrels": f"{QRELS}u 0 c x\n",
        "bad.tsv": "u\nv\nv\n",
    }
    write(here, contents)
    done, stdout, stderr = invoke(*words, stdin=RUN)
    assert done == status, stdout
    assert said in stderr
    assert bool(stderr) == bool(said)


def test_an_output_that_cannot_be_written_is_status_3(here: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    write(here, {"x.run": RUN})
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "trec_eval_py", "check", "x.run"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "No space left on device" in done.stderr) == (3, True)


STREAMS: dict[str, tuple[Content, list[str], list[str]]] = {
    "a run": (RUN, [], ["note run-depth -"]),
    "judgments": (QRELS, [], ["note grades -"]),
    "scores": (f"{SCORES}{GOOD_ROW}{GOOD_ROW}", [], ["error scores-key-repeated -:3"]),
    "a packed run": (gzip.compress(RUN.encode()), [], ["note run-depth -"]),
    "qrels for a run": (QRELS, ["--qrels", "-"], [GRADES.replace("x.qrels", "-"), DEPTH, JUDGED]),
    "topics for a run": ("u\nv\nv\n", ["--topics", "-"], ["error topic-twice -:3", DEPTH]),
    "old judgments": (QRELS, ["--against", "-"], [GRADES, "note judgments-same x.qrels"]),
}


@pytest.mark.parametrize(("content", "words", "expected"), STREAMS.values(), ids=STREAMS)
def test_standard_input(
    here: Path, content: str | bytes, words: list[str], expected: list[str]
) -> None:
    write(here, {"x.run": RUN, "x.qrels": QRELS})
    file = {"--qrels": "x.run", "--topics": "x.run", "--against": "x.qrels"}.get("".join(words[:1]))
    _, stdout, _ = invoke(file or "-", *words, "--format", "json", stdin=content)
    assert brief([Finding(**one) for one in json.loads(stdout)]) == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_scores_from_a_pipe(here: Path) -> None:
    write(here, {"s.csv": SCORES + GOOD_ROW})
    command = [sys.executable, "-m", "trec_eval_py", "check", "/dev/stdin"]
    content = (here / "s.csv").read_bytes()
    done = subprocess.run(command, input=content, capture_output=True, check=True)
    assert done.stdout == b"0 errors, 0 warnings, 0 notes.\n"


PACKERS = {
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "gzip, two members": lambda content: b"".join(map(gzip.compress, [content[:9], content[9:]])),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda content: pa.compress(content, "zstd", asbytes=True),
}


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_compressed_files(here: Path, pack: Callable[[bytes], bytes]) -> None:
    contents = {
        "x.run": RUN + run("u above 3 x"),
        "x.qrels": f"{QRELS}u 0 c x\n",
        "s.csv": f"{SCORES}{GOOD_ROW}{GOOD_ROW}",
        "t.tsv": "u\nv\nv\n",
    }
    write(here, {name: pack(content.encode()) for name, content in contents.items()})
    found = check_files(["x.run", "s.csv"], Checks(qrels="x.qrels", topics="t.tsv"))
    assert brief(found) == [
        "error topic-twice t.tsv:3",
        "error grade-not-an-integer x.qrels:4",
        GRADES,
        "error score-not-a-number x.run:4",
        DEPTH,
        JUDGED,
        "error scores-key-repeated s.csv:3",
    ]


# In Python

DTYPES = {**dict.fromkeys(Finding._fields, "str"), "line": "Int64"}


@pytest.mark.parametrize("name", ["x.run", "s.csv", "bad.run"])
def test_a_frame_of_findings(here: Path, name: str) -> None:
    write(here, {"x.run": RUN, "s.csv": SCORES + GOOD_ROW, "bad.run": f"{RUN}u\n"})
    frame = te.check(here / name)
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == DTYPES
    found = check_files([str(here / name)], Checks())
    assert list(frame.itertuples(index=False, name=None)) == [
        tuple(pd.NA if cell is None else cell for cell in one) for one in found
    ]
    assert len(frame) == {"x.run": 1, "s.csv": 0, "bad.run": 2}[name]


def test_a_frame_of_several_files_and_what_they_are_held_against(here: Path) -> None:
    write(here, {"x.run": RUN, "y.run": RUN, "x.qrels": QRELS, "t.tsv": "u\nw\n"})
    given: list[str | os.PathLike[str]] = [Path("x.run"), "y.run"]
    frame = te.check(given, qrels=Path("x.qrels"), topics=Path("t.tsv"), max_docs=1)
    assert frame["file"].drop_duplicates().tolist() == ["x.qrels", "x.run", "y.run"]
    codes = frame.loc[frame["file"] == "y.run", "code"].tolist()
    assert codes == ["run-depth", "too-many-documents", "judged", "topics-missing", "topics-extra"]
    assert len(te.check("x.qrels", against=Path("x.qrels"))) == 2
    assert te.check([]).empty
    assert te.check([], qrels="x.run")["code"].tolist() == ["swapped"]


WRONG_USE: dict[str, tuple[dict[str, object], str]] = {
    "profile": ({"profile": "8"}, "profile: saw '8', expected one of 9.0, 10.0."),
    "max_docs": ({"max_docs": 0}, "max_docs: saw 0, expected an integer from 1."),
    "relevance_level": ({"relevance_level": 0}, "relevance_level: saw 0, expected an integer"),
    "run_format": ({"run_format": "xml"}, "run_format: saw 'xml'"),
    "qrels_format": ({"qrels_format": "xml"}, "qrels_format: saw 'xml'"),
}


@pytest.mark.parametrize(("named", "said"), WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use_in_python(here: Path, named: dict[str, object], said: str) -> None:
    write(here, {"x.run": RUN})
    with pytest.raises(te.UsageError, match=re.escape(said)):
        te.check("x.run", **named)  # type: ignore[arg-type]


# Large files

MANY = 200_000
LARGE: dict[str, tuple[str, str, dict[str, int]]] = {
    # one line, what comes before, and the counts of what is found
    "repeated": ("u Q0 a 1 2.5 t\n", "", {"document-twice": MOST_LISTED + 1, "run-depth": 1}),
    "no number": ("u Q0 a 1 x t\n", "", {"score-not-a-number": MOST_LISTED + 1}),
    "too short": ("u Q0\n", RUN, {"fields": MOST_LISTED + 1, "run-depth": 1}),
    "no grade": (
        "u 0 a x\n",
        qrels("u a 1", "u b 0"),
        {"grade-not-an-integer": MOST_LISTED + 1, "grades": 1},
    ),
}


@pytest.mark.parametrize(("line", "before", "expected"), LARGE.values(), ids=LARGE)
def test_many_faults_take_seconds(
    here: Path, line: str, before: str, expected: dict[str, int]
) -> None:
    write(here, {"x": before + line * MANY})
    began = time.process_time()
    found = check_files(["x"], Checks())
    assert time.process_time() - began < 40  # some 2 on an idle machine
    assert dict(Counter(one.code for one in found)) == expected
    rest = next(one for one in found if one.saw.endswith("in all"))
    total = MANY - 1 if line == LARGE["repeated"][0] else MANY
    assert rest.saw == f"{total - MOST_LISTED} more of these, {total} in all"
    assert rest.line is None


def test_many_odd_tags_are_counted(here: Path) -> None:
    write(here, {"x.run": "".join(f"q{i} Q0 a 1 2.5 t,{i}\n" for i in range(MOST_LISTED + 5))})
    found = check_files(["x.run"], Checks())
    counts = Counter(one.code for one in found)
    assert counts["tag-odd"] == MOST_LISTED + 1
    assert found[-1].saw == "5 more of these, 1005 in all"


# Topics


TOPICS: dict[str, tuple[str | bytes, list[str]]] = {
    "ids alone": ("u\nv\n", []),
    "ids under a header": ("query_id\nu\nv\n", []),
    "TSV": ("u\tone, two\nv\tthree\n", []),
    "TSV under a header": ("qid\tquery\nu\tone, two\nv\tthree\n", []),
    "a header in capitals": ("QID\tQuery\nu\tone\nv\ttwo\n", []),
    "BEIR's header": ("query-id\ttext\nu\tone\nv\ttwo\n", []),
    "CSV": ("u,one two\nv,three\n", []),
    "CSV under a header": ("query_id,text\nu,one two\nv,three\n", []),
    "CSV, quoted": ('"u","one, ""two"""\n"v","three"\n', []),
    "CSV, quoted, under a header": ('"qid","query"\n"u","one, two"\n"v","three"\n', []),
    "CSV with line ends in cells": ('qid,query\nu,"one\ntwo,\nthree"\nv,four\n', []),
    "CSV with tabs in later cells": ("qid,query\nu,one\ttwo\nv,three\n", []),
    "CRLF and a byte order mark": (b"\xef\xbb\xbfqid,query\r\nu,one\r\nv,two\r\n", []),
    "comments and blank lines": ("# all\n\nu\tone\n \nv\ttwo\n", []),
    "query_id in JSON": ('{"query_id": "u", "query": "one"}\n{"query_id": "v"}\n', []),
    "qid in JSON": ('{"qid": "u"}\n{"qid": "v"}\n', []),
    "_id in JSON": ('{"_id": "u", "text": "one"}\n{"_id": "v", "text": "two"}\n', []),
    "id in JSON": ('{"id": "u"}\n\n{"id": "v"}\n', []),
    "two names in JSON": ('{"_id": 1, "query_id": "u"}\n{"_id": 2, "query_id": "v"}\n', []),
    "a quote that never ends": (
        'u,one\n"v,two\nw,three\n',
        ["error topics t:2", DEPTH, "warning topics-extra x.run"],
    ),
    "a quote inside": ('u,one\n"v"w,two\nv,three\n', ["error topics t:2", DEPTH]),
    "a very long cell": (
        f'u,"{"x" * 200_000}"\nv,two\n',
        ["error topics t:1", DEPTH, "warning topics-extra x.run"],
    ),
    "blanks between": (
        "u one two\nv three\n",
        ["error topics t:1", "error topics t:2", DEPTH],
    ),
    "an empty id": ("u\n\tone\nv\n", ["error topics t:2", DEPTH]),
    "a NUL": ("u\nv\n\0\tx\n", ["error topics t:3", DEPTH]),
    "markup": ("<top>\n<num> Number: 1\n</top>\n", ["error topics t:1", DEPTH]),
    "JSON without ids": (
        '{"text": "one"}\n{"qid": "u"}\n[]\n{"qid": "v"}\n{"qid": ""}\n{"qid": 1.5}\n',
        [*(f"error topics t:{line}" for line in (1, 3, 5, 6)), DEPTH],
    ),
    "JSON that is none": ('{"qid": "u"}\n{"qid": \n', ["error json t:3", DEPTH]),
    "repeated": ("u\nv\nu\nv\n", ["error topic-twice t:3", "error topic-twice t:4", DEPTH]),
    "repeated in JSON": (
        '{"qid": 1}\n{"qid": "u"}\n{"qid": "1"}\n{"qid": "v"}\n',
        ["error topic-twice t:3", DEPTH, "warning topics-missing x.run"],
    ),
    "UTF-16": ("u\nv\n".encode("utf-16"), ["error not-text t", DEPTH]),
}


@pytest.mark.parametrize(("content", "expected"), TOPICS.values(), ids=TOPICS)
def test_topics(here: Path, content: str | bytes, expected: list[str]) -> None:
    write(here, {"x.run": RUN, "t": content})
    assert brief(check_files(["x.run"], Checks(topics="t"))) == (expected or [DEPTH])
    if any(" t" in line for line in expected):
        with pytest.raises(te.ReadError) as refused:
            reading.read_topics(reading.Source("t"))
        first = check_files(["x.run"], Checks(topics="t"))[0]
        assert (refused.value.line, refused.value.code) == (first.line, first.code)
    else:
        assert reading.read_topics(reading.Source("t")) == [b"u", b"v"]


def test_many_repeated_topics_take_seconds(here: Path) -> None:
    write(here, {"x.run": RUN, "t": "u\tone\n" * MANY})
    found = check_files(["x.run"], Checks(topics="t"))
    assert Counter(one.code for one in found)["topic-twice"] == MOST_LISTED + 1
