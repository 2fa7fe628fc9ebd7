"""Runs and judgments that are in memory: dicts, ranked lists, sets and DataFrames."""

from __future__ import annotations

import copy
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trec_eval_py as te

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"x": 1}}
RUN = {"q1": {"a": 1.0, "b": 2.0, "c": 3.0}, "q2": {"x": 1.0, "y": 2.0}}
EMPTY_RUNS: list[dict[str, dict[str, float]]] = [{}, {"q": {}}]


def run_rows(run: object) -> list[tuple[str, str, float]]:
    read = te.read_run(run)
    return list(zip(read["query_id"], read["docno"], read["score"], strict=True))


def qrels_rows(qrels: object) -> list[tuple[str, str, int]]:
    read = te.read_qrels(qrels)
    return list(zip(read["query_id"], read["docno"], read["relevance"], strict=True))


def values(scores: pd.DataFrame) -> dict[str, list[float]]:
    return {str(q): rows["value"].tolist() for q, rows in scores.groupby("query_id")}


# Scores

SCORES = {
    "int": (3, 3.0),
    "float": (2.5, 2.5),
    "numpy.float16": (np.float16(0.5), 0.5),
    "numpy.float32": (np.float32(0.1), 0.10000000149011612),
    "numpy.float64": (np.float64(0.1), 0.1),
    "numpy.int8": (np.int8(-3), -3.0),
    "numpy.int64": (np.int64(7), 7.0),
    "numpy.uint64": (np.uint64(2**63), 2.0**63),
    "Fraction": (Fraction(1, 2), 0.5),
    "infinity": (float("inf"), float("inf")),
    "minus infinity": (float("-inf"), float("-inf")),
}


@pytest.mark.parametrize(("score", "read"), SCORES.values(), ids=SCORES)
def test_a_number_is_a_score(score: object, read: float) -> None:
    assert run_rows({"q": {"d": score}}) == [("q", "d", read)]


BAD_SCORES = {
    "None": (None, "saw score None (NoneType), expected a number that is not NaN."),
    "text": ("1.5", "saw score '1.5' (str), expected a number that is not NaN."),
    "bytes": (b"1", "saw score b'1' (bytes), expected a number that is not NaN."),
    "bool": (True, "saw score True (bool), expected a number that is not NaN."),
    "numpy bool": (np.True_, f"saw score {np.True_!r} (bool"),
    "NaN": (float("nan"), "saw score nan (float), expected a number that is not NaN."),
    "numpy NaN": (np.float32("nan"), "saw score np.float32(nan) (float32), expected a number"),
    "pandas NA": (pd.NA, "saw score <NA> (NAType), expected a number that is not NaN."),
    "complex": (1 + 0j, "saw score (1+0j) (complex), expected a number that is not NaN."),
    "list": ([1.0], "saw score [1.0] (list), expected a number that is not NaN."),
    "array": (np.array([1.0]), "saw score array([1.]) (ndarray), expected a number"),
    "10**400": (
        10**400,
        "saw a score beyond the range of a double (int), expected a number within",
    ),
    "-10**400": (-(10**400), "saw a score beyond the range of a double (int), expected a number"),
    "10**5000": (10**5000, "saw a score beyond the range of a double (int), expected a number"),
    "a fraction beyond": (Fraction(10**400), "saw a score beyond the range of a double"),
}


@pytest.mark.parametrize(("score", "said"), BAD_SCORES.values(), ids=BAD_SCORES)
def test_what_is_no_score_is_refused_with_query_document_and_type(score: object, said: str) -> None:
    with pytest.raises(te.InputError) as refused:
        te.read_run({"q1": {"good": 1.0, "d7": score}})
    assert str(refused.value).startswith(f"run: query 'q1', document 'd7' (str): {said}")


def test_a_score_is_refused_under_the_name_of_its_run() -> None:
    with pytest.raises(te.InputError, match=r"^mine: query 'q1', document 'a' \(str\): saw score"):
        te.score(QRELS, {"good": RUN, "mine": {"q1": {"a": None}}}, ["P_1"])


# Grades

GRADES = {
    "int": (2, 2),
    "zero": (0, 0),
    "negative": (-1, -1),
    "integral float": (2.0, 2),
    "numpy.int32": (np.int32(3), 3),
    "numpy.int64": (np.int64(3), 3),
    "numpy.uint8": (np.uint8(3), 3),
    "integral numpy.float32": (np.float32(2.0), 2),
    "integral Fraction": (Fraction(4, 2), 2),
    "highest": (2**63 - 1, 2**63 - 1),
    "lowest": (-(2**63), -(2**63)),
}


@pytest.mark.parametrize(("grade", "read"), GRADES.values(), ids=GRADES)
def test_an_integer_is_a_grade(grade: object, read: int) -> None:
    assert qrels_rows({"q": {"d": grade}}) == [("q", "d", read)]


BAD_GRADES = {
    "fraction": (1.5, "saw grade 1.5 (float)"),
    "numpy fraction": (np.float32(0.5), "saw grade np.float32(0.5) (float32)"),
    "NaN": (float("nan"), "saw grade nan (float)"),
    "infinite": (float("inf"), "saw grade inf (float)"),
    "None": (None, "saw grade None (NoneType)"),
    "text": ("1", "saw grade '1' (str)"),
    "bool": (True, "saw grade True (bool)"),
    "numpy bool": (np.False_, f"saw grade {np.False_!r} (bool"),
    "pandas NA": (pd.NA, "saw grade <NA> (NAType)"),
    "too high": (2**63, "saw grade 9223372036854775808 (int)"),
    "too low": (-(2**63) - 1, "saw grade -9223372036854775809 (int)"),
    "a float too high": (2.0**63, "saw grade 9.223372036854776e+18 (float)"),
    "of 5,001 digits": (10**5000, "saw grade "),
    "a huge Fraction": (Fraction(10**400), "saw grade Fraction("),
}


@pytest.mark.parametrize(("grade", "said"), BAD_GRADES.values(), ids=BAD_GRADES)
def test_what_is_no_grade_is_refused_with_query_document_and_type(grade: object, said: str) -> None:
    with pytest.raises(te.InputError) as refused:
        te.read_qrels({"q1": {"good": 1, "d7": grade}})
    message = str(refused.value)
    assert message.startswith(f"qrels: query 'q1', document 'd7' (str): {said}")
    assert message.endswith(
        "expected an integer of at most 64 bits. A fraction is never rounded here."
    )


# Ids

IDS = {
    "text": ("d1", "d1"),
    "leading zeros": ("001", "001"),
    "NA": ("NA", "NA"),
    "null": ("null", "null"),
    "nan": ("nan", "nan"),
    "exponent": ("1e5", "1e5"),
    "number sign": ("#1", "#1"),
    "blank within": ("a b", "a b"),
    "not ASCII": ("größe", "größe"),
    "all": ("all", "all"),
    "no query": ("no query", "no query"),
    "no_query": ("no_query", "no_query"),
    "int": (7, "7"),
    "negative int": (-7, "-7"),
    "numpy.int64": (np.int64(7), "7"),
    "numpy.str_": (np.str_("d1"), "d1"),
    "bytes": (b"d1", "d1"),
    "bytes that are not UTF-8": (b"\xff1", "\\xff1"),
}


@pytest.mark.parametrize(("given_id", "text"), IDS.values(), ids=IDS)
def test_ids_are_text_bytes_or_integers(given_id: object, text: str) -> None:
    assert run_rows({given_id: {given_id: 1.0}}) == [(text, text, 1.0)]
    assert run_rows({given_id: [given_id]}) == [(text, text, 1.0)]
    assert qrels_rows({given_id: {given_id: 1}}) == [(text, text, 1)]


@pytest.mark.parametrize(("given_id", "text"), IDS.values(), ids=IDS)
def test_any_id_is_scored_as_any_other(given_id: object, text: str) -> None:
    run = {given_id: [given_id]}
    scores = te.score({given_id: {given_id: 1}}, {"mine": run}, ["P_1", "num_rel"])
    assert scores["query_id"].tolist() == [text, text]
    assert scores["value"].tolist() == [1.0, 1.0]


BAD_IDS = {
    "None": (None, "saw id None (NoneType), expected text. Convert it with str()."),
    "float": (1.0, "saw id 1.0 (float), expected text. Convert it with str()."),
    "NaN": (float("nan"), "saw id nan (float), expected text. Convert it with str()."),
    "bool": (True, "saw id True (bool), expected text. Convert it with str()."),
    "tuple": (("a", 1), "saw id ('a', 1) (tuple), expected text. Convert it with str()."),
    "empty": ("", "saw an empty id, expected text. Name it, or drop it."),
    "empty bytes": (b"", "saw an empty id, expected text. Name it, or drop it."),
    "NUL": ("a\0b", "saw id b'a\\x00b' with a NUL, expected text. Name it, or drop it."),
    "lone surrogate": (
        "a\ud800",
        "saw id 'a\\ud800', which is no valid Unicode (a lone surrogate), expected text.",
    ),
    "of 5,001 digits": (10**5000, "saw id "),
}


@pytest.mark.parametrize(("given_id", "said"), BAD_IDS.values(), ids=BAD_IDS)
@pytest.mark.parametrize("read", [te.read_run, te.read_qrels])
def test_what_is_no_query_id_is_refused(
    read: Callable[[object], object], given_id: object, said: str
) -> None:
    with pytest.raises(te.InputError) as refused:
        read({given_id: {"d": 1}})
    message = str(refused.value)
    assert message.startswith(("run: query ", "qrels: query "))
    assert said in message


@pytest.mark.parametrize(("given_id", "said"), BAD_IDS.values(), ids=BAD_IDS)
@pytest.mark.parametrize("read", [te.read_run, te.read_qrels])
def test_what_is_no_docno_is_refused_under_its_query(
    read: Callable[[object], object], given_id: object, said: str
) -> None:
    for documents in ({given_id: 1}, [given_id]):
        with pytest.raises(te.InputError) as refused:
            read({"q1": documents})
        message = str(refused.value)
        assert message.startswith(("run: query 'q1', document ", "qrels: query 'q1', document "))
        assert said in message


def test_an_id_of_a_megabyte_is_whole() -> None:
    long = "x" * 1_000_000
    run = {"q": [long + "2", long + "1"]}
    scores = te.score({"q": {long + "1": 1}}, {"mine": run}, ["RR"])
    assert scores["value"].tolist() == [0.5]


def test_a_long_id_is_cut_in_a_message() -> None:
    with pytest.raises(te.InputError, match=r"x{59}… \(str\): saw score None") as refused:
        te.read_run({"q": {"x" * 1_000_000: None}})
    assert len(str(refused.value)) < 300


def test_a_query_as_text_and_as_number_is_refused() -> None:
    with pytest.raises(
        te.InputError,
        match=r"^run: saw query '1' twice \(as text and number\), expected once\.",
    ):
        te.read_run({1: {"d": 1.0}, "1": {"d": 1.0}})


TWICE = {
    "in a ranked list": ["d", "e", "d"],
    "as text and bytes": {"d": 1, b"d": 2},
    "as text and number": {"1": 1, 1: 2},
}


@pytest.mark.parametrize("documents", TWICE.values(), ids=TWICE)
@pytest.mark.parametrize("read", [te.read_run, te.read_qrels])
def test_a_document_twice_is_refused(read: Callable[[object], object], documents: object) -> None:
    with pytest.raises(
        te.InputError,
        match=r": query 'q': saw document .* \(\w+\) twice, expected once\. Keep the best one, or",
    ):
        read({"q": documents})


# Shapes

NO_RUNS = {
    "None": (None, "None (NoneType)"),
    "number": (7, "7 (int)"),
    "list": (["d1"], "['d1'] (list)"),
    "set": ({"d1"}, "{'d1'} (set)"),
    "iterator": (iter([("q", "d", 1.0)]), "<list_iterator object at "),
    "generator": ((row for row in [("q", "d", 1.0)]), "<generator object "),
}


@pytest.mark.parametrize(("data", "shown"), NO_RUNS.values(), ids=NO_RUNS)
@pytest.mark.parametrize("read", [te.read_run, te.read_qrels])
def test_what_is_not_by_query_is_refused(
    read: Callable[[object], object], data: object, shown: str
) -> None:
    with pytest.raises(te.InputError) as refused:
        read(data)
    message = str(refused.value)
    assert f": saw {shown}" in message
    assert "expected a path, a dict by query_id, or a DataFrame." in message


def test_an_open_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q Q0 d 1 1.0 t\n")
    with path.open() as file, pytest.raises(te.InputError, match="An iterator or an open file is"):
        te.score(QRELS, {"mine": file})
    with path.open("rb") as file, pytest.raises(te.InputError, match=r"^qrels: saw <_io\.Buffered"):
        te.score(file, {"mine": RUN})


def test_a_used_up_iterator_is_never_an_empty_run() -> None:
    used = iter([("q1", "a", 1.0)])
    assert list(used)
    with pytest.raises(te.InputError, match=r"^run: saw <list_iterator object .* \(list_iterator"):
        te.score(QRELS, used)


DOCUMENTS = {
    "None": (None, "None (NoneType)"),
    "text": ("d1", "'d1' (str)"),
    "bytes": (b"d1", "b'd1' (bytes)"),
    "number": (1.5, "1.5 (float)"),
    "iterator": (iter(["d1"]), "<list_iterator object at "),
    "generator": ((docno for docno in ["d1"]), "<generator object "),
}


@pytest.mark.parametrize(("documents", "shown"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents_that_are_neither_scored_nor_ranked_are_refused(
    documents: object, shown: str
) -> None:
    with pytest.raises(te.InputError) as refused:
        te.read_run({"q1": documents})
    message = str(refused.value)
    assert message.startswith(f"run: query 'q1': saw {shown}")
    assert message.endswith("expected docno to score, or a ranked list. Pass a dict or a list.")


@pytest.mark.parametrize("documents", [{"a"}, frozenset("a")], ids=repr)
def test_a_set_is_no_ranking(documents: object) -> None:
    run = {"q1": documents}
    calls: list[Callable[[], object]] = [
        lambda: te.read_run(run),
        lambda: te.score(QRELS, {"run": run}),
    ]
    for call in calls:
        with pytest.raises(te.InputError) as refused:
            call()
        assert str(refused.value) == (
            f"run: query 'q1': saw {documents!r} ({type(documents).__name__}), expected docno to "
            "score, or a ranked list (a set has no order). Pass a dict or a list."
        )


@pytest.mark.parametrize(("documents", "shown"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents_that_are_not_judged_are_refused(documents: object, shown: str) -> None:
    with pytest.raises(te.InputError) as refused:
        te.read_qrels({"q1": documents})
    message = str(refused.value)
    assert message.startswith(f"qrels: query 'q1': saw {shown}")
    assert message.endswith(
        "expected docno to grade, or the relevant documents. Pass a dict, a set or a list."
    )


BARE_RUNS: dict[str, dict[str, object]] = {
    "scores": {"q": {"d": 1.0}},
    "numpy scores": {"q": {"d": np.float32(1)}},
    "a list": {"q": ["d"]},
    "a set": {"q": {"d"}},
}


@pytest.mark.parametrize("run", BARE_RUNS.values(), ids=BARE_RUNS)
def test_a_run_in_place_of_a_dict_of_runs_is_refused(run: dict[str, object]) -> None:
    with pytest.raises(te.UsageError) as refused:
        te.score({"q": {"d": 1}}, run)
    assert str(refused.value) == (
        "runs: saw documents under 'q', expected a run. A dict of runs maps names to runs: write "
        "{'mine': run}."
    )


@pytest.mark.parametrize("runs", [{}, [], ()], ids=repr)
def test_no_run_is_refused(runs: object) -> None:
    with pytest.raises(te.UsageError) as refused:
        te.score(QRELS, runs)
    assert str(refused.value) == "runs: saw none, expected at least one. Pass {'mine': run}."


def test_runs_may_be_a_list_of_paths(tmp_path: Path) -> None:
    paths: list[str | Path] = [tmp_path / "b.run", str(tmp_path / "a.run")]
    for path in paths:
        Path(path).write_text("q1 Q0 a 1 1 t\nq2 Q0 x 1 1 t\n")
    scores = te.score(QRELS, paths, ["P_1"])
    assert list(dict.fromkeys(scores["run"])) == ["b", "a"]
    by_name = te.score(QRELS, {"b": paths[0], "a": paths[1]}, ["P_1"])
    pd.testing.assert_frame_equal(scores, by_name)
    pd.testing.assert_frame_equal(te.score(QRELS, tuple(paths), ["P_1"]), scores)


def test_paths_that_name_runs_alike_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "x" / "a.run", tmp_path / "y" / "a.run"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("q1 Q0 a 1 1 t\n")
    with pytest.raises(te.UsageError) as refused:
        te.score(QRELS, paths)
    assert str(refused.value) == (
        f"runs: saw files of one name among {paths[0]}, {paths[1]}, expected names that differ. "
        "Pass a dict of name to path."
    )


def test_an_iterator_is_no_ranking_of_score_ranking() -> None:
    with pytest.raises(te.InputError, match=r"^ranking: saw list_iterator, expected a list of doc"):
        te.score_ranking(iter(["a"]), {"a"}, ["P@1"])
    with pytest.raises(te.InputError, match=r"^judged: query 'q': saw <set_iterator .*, expected"):
        te.score_ranking(["a"], iter({"a"}), ["P@1"])


RANKED: dict[str, Callable[[list[str]], object]] = {
    "list": list,
    "tuple": tuple,
    "deque": deque,
    "UserList": UserList,
}


@pytest.mark.parametrize("make", RANKED.values(), ids=RANKED)
def test_a_ranked_list_keeps_its_order(make: Callable[[list[str]], object]) -> None:
    # A tie would put "b" before "a".
    assert run_rows({"q": make(["a", "b", "c"])}) == [("q", "a", 3), ("q", "b", 2), ("q", "c", 1)]


RELEVANT: dict[str, Callable[[list[str]], object]] = {
    "set": set,
    "frozenset": frozenset,
    "list": list,
    "tuple": tuple,
    "keys of a dict": lambda docnos: dict.fromkeys(docnos).keys(),
}


@pytest.mark.parametrize("make", RELEVANT.values(), ids=RELEVANT)
def test_relevant_documents_have_grade_1(make: Callable[[list[str]], object]) -> None:
    assert sorted(qrels_rows({"q": make(["a", "b"])})) == [("q", "a", 1), ("q", "b", 1)]


class Sealed(Mapping[Any, Any]):
    """A mapping that is no dict."""

    def __init__(self, data: dict[Any, Any]) -> None:
        self._data = data

    def __getitem__(self, key: object) -> Any:  # noqa: ANN401
        return self._data[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)


MAPPINGS: dict[str, Callable[[dict[Any, Any]], Mapping[Any, Any]]] = {
    "MappingProxyType": MappingProxyType,
    "OrderedDict": OrderedDict,
    "UserDict": UserDict,
    "ChainMap": ChainMap,
    "defaultdict": lambda data: defaultdict(dict, data),
    "a class of one's own": Sealed,
}


@pytest.mark.parametrize("make", MAPPINGS.values(), ids=MAPPINGS)
def test_any_mapping_will_do(make: Callable[[dict[Any, Any]], Mapping[Any, Any]]) -> None:
    qrels = make({q: make(judged) for q, judged in QRELS.items()})
    run = make({q: make(documents) for q, documents in RUN.items()})
    expected = te.score(QRELS, {"mine": RUN})
    pd.testing.assert_frame_equal(te.score(qrels, make({"mine": run})), expected)
    assert te.score_ranking(["a"], make({"a": 1}), ["P@1"]) == {"P@1": 1.0}
    assert set(run) == set(RUN)


# What is missing, and what is answered with nothing


def test_an_empty_run_lacks_every_query() -> None:
    with pytest.warns(te.TrecEvalWarning) as warned:
        scores = te.score(QRELS, {"mine": {}}, ["P_1", "num_q"])
    assert scores["value"].isna().tolist() == [True] * 4
    assert [str(one.message) for one in warned] == ["mine: 2 queries of qrels missing; left empty"]
    assert [one.filename for one in warned] == [__file__]


@pytest.mark.parametrize("documents", [{}, [], ()], ids=["dict", "list", "tuple"])
def test_a_query_answered_with_nothing_counts_zero(documents: object) -> None:
    scores = te.score({"q": {"a": 1, "b": 0, "c": 2}}, {"mine": {"q": documents}})
    by_measure = dict(zip(scores["measure"], scores["value"], strict=True))
    # By default every measure of trec_eval; only what the query has by itself is not 0.
    assert {m: v for m, v in by_measure.items() if v} == {"num_q": 1.0, "num_rel": 2.0}
    assert len(by_measure) > 70


def test_nothing_and_missing_stand_side_by_side() -> None:
    with pytest.warns(te.TrecEvalWarning, match="^mine: 1 query of qrels missing"):
        scores = te.score(QRELS, {"mine": {"q2": {}}}, ["P_1"])
    assert scores["value"].isna().tolist() == [True, False]
    assert scores["value"].tolist()[1] == 0.0


def test_an_empty_ranking_is_scored() -> None:
    assert te.score_ranking([], {"a"}, ["P@1", "num_rel"]) == {"P@1": 0.0, "num_rel": 1.0}


def test_an_empty_run_is_an_empty_frame() -> None:
    for run in EMPTY_RUNS:
        read = te.read_run(run)
        assert list(read.columns) == ["query_id", "docno", "rank", "score", "tag"]
        assert len(read) == 0


@pytest.mark.parametrize("qrels", [{}, {"q": {}}, {"q": []}, {"q": set()}], ids=repr)
def test_qrels_without_a_judgment_are_refused(qrels: object) -> None:
    with pytest.raises(te.InputError, match=r"^qrels: saw no judgment, expected at least one\."):
        te.score(qrels, {"mine": RUN})


def test_a_query_without_a_judgment_is_left_out() -> None:
    assert qrels_rows({"q1": {}, "q2": {"a": 1}}) == [("q2", "a", 1)]


def test_a_single_run_is_named_run() -> None:
    frame = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["a", "x"], "score": [1.0, 1.0]})
    assert set(te.score(QRELS, frame, ["P_1"])["run"]) == {"run"}


# Frames

RUN_FRAMES = {
    "PyTerrier": ["qid", "docno", "score"],
    "ir_datasets": ["query_id", "doc_id", "score"],
    "ranx": ["q_id", "doc_id", "score"],
    "ours": ["query_id", "docno", "score"],
}
QRELS_FRAMES = {
    "PyTerrier": ["qid", "docno", "label"],
    "ir_datasets": ["query_id", "doc_id", "relevance"],
    "ours": ["query_id", "docno", "relevance"],
}


def framed(data: Mapping[str, Mapping[str, float]], columns: list[str]) -> pd.DataFrame:
    rows = [
        (q, docno, value) for q, documents in data.items() for docno, value in documents.items()
    ]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize("columns", RUN_FRAMES.values(), ids=RUN_FRAMES)
def test_the_columns_of_a_run(columns: list[str]) -> None:
    # Other columns stand there too, and do not matter; nor do the index and the order of rows.
    run = framed(RUN, columns).assign(rank=99, query="what?", tag="t")
    run = run.sample(frac=1, random_state=0).set_index(np.arange(len(run)) * 7)
    assert run_rows(run) == run_rows(RUN)


@pytest.mark.parametrize("columns", QRELS_FRAMES.values(), ids=QRELS_FRAMES)
def test_the_columns_of_qrels(columns: list[str]) -> None:
    qrels = framed(QRELS, columns).assign(iteration="0", query="what?")
    assert qrels_rows(qrels) == qrels_rows(QRELS)


def test_frames_that_were_read_are_read_again() -> None:
    run, qrels = te.read_run(RUN), te.read_qrels(QRELS)
    pd.testing.assert_frame_equal(te.read_run(run), run)
    pd.testing.assert_frame_equal(te.read_qrels(qrels), qrels)


DTYPES: dict[str, dict[str, Any]] = {
    "float32 scores": {"score": "float32"},
    "integer scores": {"score": "int64"},
    "nullable scores": {"score": "Float64"},
    "categories": {"qid": "category", "docno": "category"},
    "objects": {"qid": "object", "docno": "object", "score": "object"},
    "Arrow": {"qid": "string[pyarrow]", "docno": "string[pyarrow]", "score": "double[pyarrow]"},
}


@pytest.mark.parametrize("dtypes", DTYPES.values(), ids=DTYPES)
def test_dtypes_do_not_matter(dtypes: dict[str, Any]) -> None:
    run = framed(RUN, ["qid", "docno", "score"]).astype(dtypes)
    assert run_rows(run) == run_rows(RUN)


def test_integer_ids_become_digits() -> None:
    run = pd.DataFrame({"qid": [10, 9], "docno": [7, 8], "score": [1, 2]})
    assert run_rows(run) == [("10", "7", 1.0), ("9", "8", 2.0)]


def test_a_class_made_of_dataframe_is_a_frame() -> None:
    class Table(pd.DataFrame):
        pass

    assert run_rows(Table({"qid": ["q"], "docno": ["d"], "score": [1.0]})) == [("q", "d", 1.0)]


BAD_FRAMES = {
    "no docno": (
        {"qid": ["q"], "title": ["d"], "score": [1.0]},
        "run: saw columns qid, title, score, expected docno or doc_id or docid or corpus-id or "
        "corpus_id or pid among them. Rename yours.",
    ),
    "no score": (
        {"qid": ["q"], "docno": ["d"], "sim": [1]},
        "run: saw columns qid, docno, sim, expected score among them. Rename yours.",
    ),
    "NaN for a score": (
        {"qid": ["q", "q"], "docno": ["d", "e"], "score": [1.0, float("nan")]},
        "run: row 1, query 'q' (str), document 'e' (str): saw score nan (float), expected",
    ),
    "text for a score": (
        {"qid": ["q"], "docno": ["d"], "score": ["1.0"]},
        "run: row 0, query 'q' (str), document 'd' (str): saw score '1.0' (str), expected",
    ),
    "bool for a score": (
        {"qid": ["q"], "docno": ["d"], "score": [True]},
        "run: row 0, query 'q' (str), document 'd' (str): saw score True (bool), expected",
    ),
    "float for a query": (
        {"qid": [1.5], "docno": ["d"], "score": [1.0]},
        "run: row 0, query: saw id 1.5 (float), expected text.",
    ),
    "NaN for a docno": (
        {"qid": ["q"], "docno": [float("nan")], "score": [1.0]},
        "run: row 0, query 'q' (str), document nan (float): saw id nan (float), expected text.",
    ),
    "a document twice": (
        {"qid": ["q", "r", "q"], "docno": ["d", "d", "d"], "score": [1.0, 1.0, 2.0]},
        "run: row 2, query 'q' (str): saw document 'd' (str) twice, expected once.",
    ),
}


@pytest.mark.parametrize(("columns", "said"), BAD_FRAMES.values(), ids=BAD_FRAMES)
def test_a_frame_that_is_no_run_is_refused(columns: dict[str, list[object]], said: str) -> None:
    with pytest.raises(te.InputError) as refused:
        te.read_run(pd.DataFrame(columns))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("column", ["run", "system"])
def test_a_frame_of_several_systems_is_refused(column: str) -> None:
    run = framed(RUN, ["qid", "docno", "score"]).assign(**{column: ["s", "s", "s", "t", "t"]})
    said = (
        f"saw several systems in column {column}, expected one run. Pass "
        f"dict(list(frame.groupby({column!r}))) as runs."
    )
    calls: list[tuple[str, Callable[[], object]]] = [
        ("run", lambda: te.read_run(run)),
        ("run", lambda: te.score(QRELS, run)),
        ("mine", lambda: te.score(QRELS, {"mine": run})),
    ]
    for name, call in calls:
        with pytest.raises(te.InputError) as refused:
            call()
        assert str(refused.value) == f"{name}: {said}"


@pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")
def test_a_frame_of_several_systems_is_scored_as_its_refusal_says() -> None:
    run = framed(RUN, ["qid", "docno", "score"])
    both = pd.concat([run.assign(run="s"), run.iloc[:2].assign(run="t")])
    scores = te.score(QRELS, dict(list(both.groupby("run"))), ["P_1"])
    pd.testing.assert_frame_equal(scores, te.score(QRELS, {"s": run, "t": run.iloc[:2]}, ["P_1"]))


def test_a_frame_of_one_system_is_a_run() -> None:
    run = framed(RUN, ["qid", "docno", "score"]).assign(run="s", system="s", name="s")
    assert run_rows(run) == run_rows(RUN)


def test_a_column_twice_is_refused() -> None:
    run = pd.DataFrame([["q", "d", 1.0, 2.0]], columns=["qid", "docno", "score", "score"])
    with pytest.raises(te.InputError, match="score"):
        te.read_run(run)


BAD_QRELS_FRAMES = {
    "no grade": (
        {"qid": ["q"], "docno": ["d"]},
        "qrels: saw columns qid, docno, expected relevance or label or rel or grade or score among "
        "them. Rename yours.",
    ),
    "a fraction": (
        {"qid": ["q"], "docno": ["d"], "label": [0.5]},
        "qrels: row 0, query 'q' (str), document 'd' (str): saw grade 0.5 (float), expected",
    ),
    "bools": (
        {"qid": ["q"], "docno": ["d"], "label": [True]},
        "qrels: row 0, query 'q' (str), document 'd' (str): saw grade True (bool), expected",
    ),
    "judged twice": (
        {"qid": ["q", "q"], "docno": ["d", "d"], "label": [1, 1]},
        "qrels: row 1, query 'q' (str): saw document 'd' (str) twice, expected once.",
    ),
    "no row": (
        {"qid": [], "docno": [], "label": []},
        "qrels: saw no judgment, expected at least one.",
    ),
}


@pytest.mark.parametrize(("columns", "said"), BAD_QRELS_FRAMES.values(), ids=BAD_QRELS_FRAMES)
def test_a_frame_that_is_no_qrels_is_refused(columns: dict[str, list[object]], said: str) -> None:
    with pytest.raises(te.InputError) as refused:
        te.read_qrels(pd.DataFrame(columns))
    assert str(refused.value).startswith(said)


def test_a_frame_without_a_row_lacks_every_query() -> None:
    empty = pd.DataFrame({"qid": [], "docno": [], "score": []})
    with pytest.warns(te.TrecEvalWarning, match="^mine: 2 queries of qrels missing"):
        scores = te.score(QRELS, {"mine": empty}, ["P_1"])
    assert scores["value"].isna().all()


# Whatever way they come in, the values are the same

DOCNOS = st.text(st.characters(codec="utf-8", exclude_characters="\0 \t\n\r\v\f"), min_size=1)
RUNS = st.dictionaries(
    DOCNOS.filter(lambda query_id: query_id[0] not in "#\ufeff"),
    st.dictionaries(DOCNOS, st.integers(-3, 3).map(float), min_size=1, max_size=6),
    min_size=1,
    max_size=4,
)


@given(run=RUNS)
@settings(max_examples=100)
def test_a_frame_says_what_a_dict_says(run: dict[str, dict[str, float]]) -> None:
    frame = framed(run, ["query_id", "docno", "score"])
    pd.testing.assert_frame_equal(te.read_run(frame), te.read_run(run))


@given(run=RUNS)
@settings(max_examples=100)
def test_a_ranked_list_says_what_its_scores_say(run: dict[str, dict[str, float]]) -> None:
    ranked: dict[str, list[str]] = {}
    for row in te.read_run(run).itertuples():
        ranked.setdefault(str(row.query_id), []).append(str(row.docno))
    columns = ["query_id", "docno", "rank"]
    pd.testing.assert_frame_equal(te.read_run(ranked)[columns], te.read_run(run)[columns])


@given(run=RUNS)
@settings(max_examples=100)
def test_a_file_says_what_a_dict_says(
    run: dict[str, dict[str, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "said.run"
    lines = [f"{q} Q0 {d} 1 {s} t\n" for q, documents in run.items() for d, s in documents.items()]
    path.write_bytes("".join(lines).encode())
    columns = ["query_id", "docno", "rank", "score"]
    pd.testing.assert_frame_equal(te.read_run(path)[columns], te.read_run(run)[columns])


def test_scoring_twice_gives_the_same_twice() -> None:
    first = te.score(QRELS, {"mine": RUN})
    pd.testing.assert_frame_equal(te.score(QRELS, {"mine": RUN}), first)


def test_nothing_that_is_passed_in_is_changed() -> None:
    qrels, runs = copy.deepcopy(QRELS), {"a": copy.deepcopy(RUN), "b": {"q1": ["c"], "q2": ["x"]}}
    before = copy.deepcopy((qrels, runs))
    te.score(qrels, runs, answerable_only=True, judged_only=True)
    te.read_run(runs["a"])
    te.read_qrels(qrels)
    assert (qrels, runs) == before
    assert list(qrels["q1"]) == list(before[0]["q1"])


def test_no_frame_that_is_passed_in_is_changed() -> None:
    run = framed(RUN, ["qid", "docno", "score"]).sample(frac=1, random_state=1)
    qrels = framed(QRELS, ["qid", "docno", "label"]).sample(frac=1, random_state=1)
    before = run.copy(), qrels.copy()
    te.score(qrels, {"mine": run})
    pd.testing.assert_frame_equal(run, before[0])
    pd.testing.assert_frame_equal(qrels, before[1])


def test_one_measure_by_every_way_in(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 3 t\nq2 Q0 x 1 1 t\nq2 Q0 y 2 2 t\n")
    # q1 is c b a: relevant at 1 and 3; q2 is y x.
    expected = {"q1": [(1 / 1 + 2 / 3) / 2], "q2": [1 / 2]}
    ranked = {"q1": ["c", "b", "a"], "q2": ["y", "x"]}
    for run in (RUN, path, str(path), ranked, framed(RUN, ["qid", "docno", "score"])):
        assert values(te.score(QRELS, {"mine": run}, ["AP"])) == expected
