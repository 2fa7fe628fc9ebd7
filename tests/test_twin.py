"""The drop-in for the C program: its arguments, its lines, its exit status."""

from __future__ import annotations

import gzip
import math
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import oracles
import pytest
from click.testing import CliRunner, Result
from generators import GRADES, SCORES, Qrels, Run, collections
from hypothesis import given, settings
from hypothesis import strategies as st

from trec_eval_py import twin
from trec_eval_py.cli import main
from trec_eval_py.errors import MeasureError, NoCommonQueryError, TrecEvalWarning, UsageError
from trec_eval_py.measures import NICKNAMES, REGISTRY, Options, averaging

V = TypeVar("V", int, float)
pytestmark = pytest.mark.filterwarnings("ignore::trec_eval_py.TrecEvalWarning")

# q1: b (2), x (not judged), a (1); c (0) is not retrieved. q2: y (not judged), a (1).
# q3 is missing, and q4 is not judged.
QRELS = "q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq2 0 a 1\nq3 0 z 1\nq3 0 w 2\n"
RUN = """\
q1 Q0 b 1 2.0 first
q1 Q0 x 2 1.5 first
q1 Q0 a 3 1.0 first
q4 Q0 n 1 1.0 first
q2 Q0 y 1 1.0 first
q2 Q0 a 2 0.5 last
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["trec_eval", *arguments], input=stdin)


def printed(*arguments: str) -> list[str]:
    """What a call prints; it must end well."""
    result = program(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def lines(text: str) -> list[str]:
    """Lines as the C program pads them, from words."""
    rows = (row.split(maxsplit=2) for row in text.strip().splitlines())
    return [f"{name:<22}\t{query_id}\t{value}" for name, query_id, value in rows]


class TestLines:
    # map: q1 (1/1 + 2/3) / 2, q2 1/2; mean (5/6 + 1/2) / 2 = 2/3. P_2: 1/2 and 1/2.
    def test_queries_by_byte_order_then_the_summary(self, files: Path) -> None:
        got = printed("-q", "-m", "map", "-m", "P.2", "-m", "num_ret", "q", "r")
        assert got == lines(
            """
            num_ret q1 3
            map q1 0.8333
            P_2 q1 0.5000
            num_ret q2 2
            map q2 0.5000
            P_2 q2 0.5000
            num_ret all 5
            map all 0.6667
            P_2 all 0.5000
            """
        )

    def test_names_are_padded_to_22_and_longer_ones_stand_whole(self, files: Path) -> None:
        (line,) = printed("-m", "utility.2.0,-1,0.25,-0.0", "q", "r")
        # q1: 2 * 2 - 1 = 3; q2: 2 * 1 - 1 = 1.
        assert line == "utility_2.0,-1,0.25,-0.0\tall\t2.0000"
        (line,) = printed("-m", "map", "q", "r")
        assert line == "map                   \tall\t0.6667"

    def test_no_summary(self, files: Path) -> None:
        assert printed("-n", "-m", "map", "q", "r") == []
        assert printed("-nq", "-m", "map", "q", "r") == lines("map q1 0.8333\nmap q2 0.5000")

    def test_what_has_no_line_of_a_query(self, files: Path) -> None:
        got = printed("-q", *("-mrunid", "-mnum_q", "-mgm_map", "-mgm_bpref"), "q", "r")
        # gm_map: exp((ln 5/6 + ln 1/2) / 2) = sqrt(5/12). Nothing judged 0 is above: bpref is 1.
        assert got == lines("runid all last\nnum_q all 2\ngm_map all 0.6455\ngm_bpref all 1.0000")

    def test_what_has_no_line_of_the_summary(self, files: Path) -> None:
        assert printed("-q", "-m", "relstring", "q", "r") == lines(
            "relstring q1 '2-1'\nrelstring q2 '-1'"
        )

    def test_official_is_the_default(self, files: Path) -> None:
        names = [line.split()[0] for line in printed("q", "r")]
        assert names == [
            *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec"),
            *("bpref", "recip_rank"),
            *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
            *(f"P_{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
        ]

    def test_the_order_is_the_programs_not_the_callers(self, files: Path) -> None:
        got = printed(*("-mndcg", "-mrelstring", "-mmap", "-mrunid", "-mP.1"), "-q", "q", "r")
        assert [line.split()[0] for line in got] == [
            *(["map", "P_1", "relstring", "ndcg"] * 2),
            *("runid", "map", "P_1", "ndcg"),
        ]

    def test_ids_stand_as_their_bytes(self, tmp_path: Path) -> None:
        (tmp_path / "q").write_bytes(b"q\xff 0 d 1\nq\xc3\xa9 0 d 1\n")
        (tmp_path / "r").write_bytes(b"q\xff Q0 d 1 1 t\xfe\nq\xc3\xa9 Q0 d 1 1 t\xfe\n")
        words = ["-q", "-mmap", "-mrunid", str(tmp_path / "q"), str(tmp_path / "r")]
        command = [sys.executable, "-m", "trec_eval_py", "trec_eval", *words]
        done = subprocess.run(command, capture_output=True, check=True)
        assert done.stdout.splitlines() == [
            b"map                   \tq\xc3\xa9\t1.0000",
            b"map                   \tq\xff\t1.0000",
            b"runid                 \tall\tt\xfe",
            b"map                   \tall\t1.0000",
        ]

    def test_the_tag_is_that_of_the_last_line_in_either_reader(
        self, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (files / "blocks.run").write_text(
            "".join(f"q1 Q0 d{i} 1 {9 - i / 1e6} tag{i // 90000}\n" for i in range(200_000))
            + "# q1 Q0 comment 1 1 other\n"
        )
        assert printed("-mrunid", "q", "blocks.run") == lines("runid all tag2")
        monkeypatch.setattr("trec_eval_py.reading._sources.LARGE", 1 << 40)
        assert printed("-mrunid", "q", "blocks.run") == lines("runid all tag2")

    def test_a_run_without_tags_is_named_after_its_file(self, files: Path) -> None:
        (files / "five.run").write_text("q1 Q0 a 1 1.0\n")
        assert printed("-mrunid", "q", "five.run") == lines("runid all five")


class TestMissing:
    def test_left_out_without_c_and_told(self, files: Path) -> None:
        result = program("-mnum_q", "-mmap", "q", "r", "--profile", "10.0")
        assert result.stdout.splitlines() == lines("num_q all 2\nmap all 0.6667")
        assert (
            "warning: r: 1 query of q missing; left out of the summary (-c counts them)\n"
            in result.stderr
        )

    # q3 counts 0: (5/6 + 1/2) / 3 = 4/9; gm_map: exp((ln 5/6 + ln 1/2 + ln 1e-5) / 3) = 0.01609.
    # yaap: q1 ln((1 + 5/3) / (3 - 5/3)) = ln 2, q2 ln(1.5 / 1.5) = 0; q3 has two relevant: ln(1/3)
    # in 10.0, and 0 in 9.0.
    def test_in_9_0_they_are_counted_and_not_shown(self, files: Path) -> None:
        asked = ("-mnum_q", "-mmap", "-mgm_map", "-myaap", "-mnum_rel", "-mrelstring")
        assert printed("-qc", *asked, "q", "r") == lines(
            """
            num_rel q1 2
            map q1 0.8333
            relstring q1 '2-1'
            yaap q1 0.6931
            num_rel q2 1
            map q2 0.5000
            relstring q2 '-1'
            yaap q2 0.0000
            num_q all 3
            num_rel all 5
            map all 0.4444
            gm_map all 0.0161
            yaap all 0.2310
            """
        )

    def test_in_10_0_they_have_lines(self, files: Path) -> None:
        asked = ("-mnum_q", "-mmap", "-mgm_map", "-myaap", "-mnum_rel", "-mrelstring")
        got = printed("--profile", "10.0", "-qc", *asked, "q", "r")
        assert got[8:] == lines(
            """
            num_rel q3 2
            map q3 0.0000
            relstring q3 ''
            yaap q3 -1.0986
            num_q all 3
            num_rel all 5
            map all 0.4444
            gm_map all 0.0161
            yaap all -0.1352
            """
        )

    def test_all_relevant_are_counted_whatever_the_level(self, files: Path) -> None:
        assert printed("-l2", "-mnum_rel", "q", "r") == lines("num_rel all 1")
        assert printed("-l2", "-c", "-mnum_rel", "q", "r") == lines("num_rel all 5")
        got = printed("-l2", "-cq", "-mnum_rel", "q", "r", "--profile=10.0")
        assert got == lines("num_rel q1 1\nnum_rel q2 0\nnum_rel q3 1\nnum_rel all 5")

    @pytest.mark.parametrize("profile", ["9.0", "10.0"])
    def test_parameters_make_no_difference(self, files: Path, profile: str) -> None:
        asked = ("-mutility.2,-1,-0.5,0", "-mrbp_resid.p=0.8", "-mrelstring.5", "-munj.1")
        got = printed("-cq", "--profile", profile, *asked, "q", "r")
        shown = [line for line in got if "\tq3\t" in line]
        assert shown == (
            lines(
                """
                relstring_5 q3 ''
                utility_2,-1,-0.5,0 q3 0.0000
                rbp_resid_p=0.8 q3 0.0000
                unj_1 q3 0.0000
                """
            )
            if profile == "10.0"
            else []
        )

    @pytest.mark.parametrize("profile", ["9.0", "10.0"])
    def test_no_common_query(self, files: Path, profile: str) -> None:
        (files / "other.run").write_text("q4 Q0 a 1 1.0 t\n")
        result = program("--profile", profile, "-mmap", "q", "other.run")
        assert (result.exit_code, result.stdout) == (7, "")
        assert result.stderr.startswith("error: other.run: saw no query of q but others")
        got = printed("--profile", profile, "-c", "-mnum_q", "-mmap", "-mnum_rel", "q", "other.run")
        assert got == lines("num_q all 3\nnum_rel all 5\nmap all 0.0000")


class TestOneQuery:
    def test_only_that_is_scored(self, files: Path) -> None:
        got = printed("-D", "1.q2", "-q", "-mnum_q", "-mmap", "q", "r")
        assert got == lines("map q2 0.5000\nnum_q all 1\nmap all 0.5000")

    def test_with_c_it_is_averaged_over_all(self, files: Path) -> None:
        # 1/2 over three queries; exp((ln 1/2 + 2 ln 1e-5) / 3).
        got = printed("-D0.q2", "-c", "-mnum_q", "-mmap", "-mgm_map", "q", "r")
        geometric = math.exp((math.log(0.5) + 2 * math.log(1e-5)) / 3)
        assert got == lines(f"num_q all 3\nmap all 0.1667\ngm_map all {geometric:.4f}")

    def test_one_that_is_not_there(self, files: Path) -> None:
        result = program("-D0.q9", "-c", "q", "r")
        assert (result.exit_code, result.stdout) == (7, "")
        assert "error: -D: saw query 'q9', expected one that is in both q and r." in result.stderr

    @pytest.mark.parametrize("debug", ["1.", "0.", "."])
    def test_a_dot_alone_names_the_query_without_a_name(self, files: Path, debug: str) -> None:
        result = program("-D", debug, "q", "r")
        assert (result.exit_code, result.stdout) == (7, "")
        assert "error: -D: saw query '', expected one that is in both q and r." in result.stderr

    def test_an_id_may_hold_dots(self, files: Path) -> None:
        (files / "q").write_text("1.2.3 0 a 1\n1.2 0 a 1\n")
        (files / "r").write_text("1.2.3 Q0 a 1 1 t\n1.2 Q0 b 1 1 t\n")
        assert printed("-D1.1.2.3", "-q", "-mmap", "q", "r") == lines(
            "map 1.2.3 1.0000\nmap all 1.0000"
        )
        assert printed("-D.1.2", "-mmap", "q", "r") == lines("map all 0.0000")

    def test_a_level_alone_changes_nothing(self, files: Path) -> None:
        assert printed("-D", "3", "q", "r") == printed("q", "r")


SAME = {
    "bundled": "-qcJn -l2 -M3 -mmap q r",
    "apart": "-q -c -J -n -l 2 -M 3 -m map q r",
    "bundled with a value at the end": "-qcJnl2 -M3 -mmap q r",
    "long names": (
        "--query_eval_wanted --complete_rel_info_wanted --Judged_docs_only --nosummary "
        "--level_for_rel 2 --Max_retrieved_per_topic 3 --measure map q r"
    ),
    "long names with =": (
        "--query_eval_wanted --complete_rel_info_wanted --Judged_docs_only --nosummary "
        "--level_for_rel=2 --Max_retrieved_per_topic=3 --measure=map q r"
    ),
    "long names cut short": "--query --comp --Judged --nosum --lev=2 --Max 3 --meas map q r",
    "files first": "q r -q -c -J -n -l 2 -M 3 -m map",
    "files between": "-q q -cJn -l 2 r -M 3 -m map",
    "after --": "-qcJn -l2 -M3 -mmap -- q r",
    "the last of two": "-qcJn -l1 -l2 -M9 -M3 -mmap q r",
    "-o, which is obsolete": "-o -qcJn -l2 -M3 -mmap q r",
    "formats": "-R qrels -T trec_results -qcJn -l2 -M3 -mmap q r",
    "profile": "--profile 9.0 -qcJn -l2 -M3 -mmap q r",
}


@pytest.mark.parametrize("words", SAME.values(), ids=SAME)
def test_one_call_in_many_spellings(words: str) -> None:
    call = twin.read_arguments(words.split())
    assert call == twin.read_arguments(SAME["apart"].split())
    assert (call.qrels, call.run, call.complete, call.queries, call.summary) == (
        *("q", "r", True, True, False),
    )
    assert call.options == Options(2, True, 3, 0, "9.0")


def names(*measures: str, profile: str = "9.0") -> list[str]:
    return [one.label for one in twin.read_measures(measures, Options(profile=profile))]


class TestMeasures:
    def test_parameters_of_several_add_up(self) -> None:
        assert names("P.10", "P.5,7") == ["P_5", "P_7", "P_10"]
        assert names("set_F.0.5", "set_F.2") == ["set_F_0.5", "set_F_2"]

    def test_parameters_replace_what_a_nickname_brings(self) -> None:
        assert [x for x in names("all_trec", "P.7", "relstring.3") if x[:2] in ("P_", "re")] == [
            *("recip_rank", "P_7", "relstring_3"),
            *(f"recall_{cutoff}" for cutoff in oracles.CUTOFFS),
            *(f"relative_P_{cutoff}" for cutoff in oracles.CUTOFFS),
        ]

    def test_a_line_bears_its_parameters_as_given(self) -> None:
        assert names("set_F.1", "utility.1.0,-1,0,0", "11pt_avg..25,.5", "ndcg.2=9,1=3.50") == [
            *("utility_1.0,-1,0,0", "11pt_avg_.25,.5", "ndcg_2=9,1=3.50", "set_F_1")
        ]
        assert names("iprec_at_recall..10,0.5", "Rprec_mult.1") == [
            *("iprec_at_recall_0.10", "iprec_at_recall_0.50", "Rprec_mult_1.00")
        ]

    def test_a_level_is_named_by_two_decimals_as_there(self, files: Path) -> None:
        assert names("Rprec_mult.0.333", "iprec_at_recall.0.125") == [
            *("iprec_at_recall_0.12", "Rprec_mult_0.33")
        ]
        with pytest.warns(TrecEvalWarning, match=r"^-m: more than one line is named iprec_at_rec"):
            assert names("iprec_at_recall.0.101,0.104") == ["iprec_at_recall_0.10"] * 2
        # q1: 0.334 * 2 and + 0.9 is 1 document, of precision 1; 0.56 * 2 + 0.9 is 2, of 2/3.
        got = printed("-miprec_at_recall.0.334,0.56", "-D0.q1", "q", "r")
        assert got == lines("iprec_at_recall_0.33 all 1.0000\niprec_at_recall_0.56 all 0.6667")

    def test_a_length_has_its_name_as_written(self, files: Path) -> None:
        assert names("relstring.10") == ["relstring_10"]
        assert printed("-nq", "-mrelstring.2", "-mrelstring.0", "-D0.q1", "q", "r") == lines(
            "relstring_2 q1 '2-'\nrelstring_0 q1 ''"
        )

    @pytest.mark.parametrize(
        ("measure", "line", "hint"),
        [
            ("map.10", "map", "; -m map_cut_10 cuts there"),
            ("recip_rank.10", "recip_rank", "; -m recip_rank_10 cuts there"),
            ("bpref.3", "bpref", ""),
            ("num_q.3", "num_q", ""),
        ],
    )
    def test_a_parameter_that_means_nothing_is_ignored_and_told(
        self, measure: str, line: str, hint: str
    ) -> None:
        base, _, given = measure.partition(".")
        text = f"-m {measure}: {base} takes no parameter, and '{given}' is ignored, as in trec_eval"
        with pytest.warns(TrecEvalWarning) as caught:
            assert names(measure) == [line]
        assert [str(one.message) for one in caught] == [text + hint]

    # What holds for all measures is in no name. Of q1 and q2 the first three: b, x, a and y, a; at
    # level 2, b alone: P_5 is 1/5 and 0, or 1/5 over q1 to q3; with -J, b, a and a.
    @pytest.mark.parametrize(
        ("words", "wanted"),
        [
            ("-l 2 -M 3 -m P@5", "P@5 all 0.1000"),
            ("-l 2 -M 3 -m P.5", "P_5 all 0.1000"),
            ("-l 2 -M 3 -m P_5 -c", "P_5 all 0.0667"),
            ("-J -M 3 -m nDCG(judged_only=True)@1", "nDCG(judged_only=True)@1 all 1.0000"),
            ("-J -l 2 -m RR", "RR all 0.5000"),
            ("-J -M 2 -m RR@10", "RR@10 all 1.0000"),
            ("-l 2 -m P(rel=1)@1", "P(rel=1)@1 all 0.5000"),
            ("-l 2 -m P_5,1(rel=1)", "P_1(rel=1) all 0.5000\nP_5(rel=1) all 0.3000"),
            ("-l 2 -m P.5 -m P_5(rel=1)", "P_5 all 0.1000\nP_5(rel=1) all 0.3000"),
            ("-l 2 -m P@5 -m P(rel=1)@5", "P@5 all 0.1000\nP(rel=1)@5 all 0.3000"),
            ("-l 1 -m P(rel=1)@1", "P@1 all 0.5000"),
            ("-J -m P(judged_only=False)@2", "P(judged_only=False)@2 all 0.5000"),
            ("-N 9 -m utility_0,0,0,1(docs=0)", "utility_0,0,0,1(docs=0) all -2.5000"),
            ("-M 1 -m P(rel=2)@1", "P(rel=2)@1 all 0.5000"),
            ("-N 9 -m utility.0,0,0,1", "utility_0,0,0,1 all 6.5000"),
            ("-N 9 -M 1 -m utility_0,0,0,1(max=2)", "utility_0,0,0,1(max=2) all 6.5000"),
            ("-l 2 -m dcg(max=1) -M 3", "dcg(max=1) all 1.0000"),
        ],
    )
    def test_a_line_is_named_as_asked_whatever_the_options(
        self, files: Path, words: str, wanted: str
    ) -> None:
        assert printed(*words.split(), "q", "r") == lines(wanted)

    def test_other_spellings_stand_as_spelled(self) -> None:
        assert names("nDCG@10", "P(rel=2)@5", "P.5", "mrr@10", "P_7") == [
            *("RR@10", "P_5", "P(rel=2)@5", "P_7", "nDCG@10")
        ]

    def test_one_line_for_what_is_asked_twice(self) -> None:
        assert names("map", "map", "official")[:8].count("map") == 1
        assert names("P.5", "P_5", "P.5,5") == ["P_5"]

    @pytest.mark.parametrize(
        "measure",
        [
            *("ndcg_p", "nosuch", "P.", "P.0", "P.5x", "P.-1", "ndcg_cut.23.4", "map_cut.x", ""),
            *("utility.1,2,3", "utility.x", "ndcg.10", "ndcg.1", "rbp.p=2", "rbp.0.8", "set_F.-1"),
            *(
                "iprec_at_recall.1.5",
                "relstring.3,5",
                "relstring.x",
                "unj.0",
                "ndcg_exp",
                "dcg.p=0.5",
            ),
        ],
    )
    def test_what_means_nothing_is_refused(self, measure: str, files: Path) -> None:
        with pytest.raises(MeasureError):
            names(measure)
        result = program("-m", measure, "q", "r")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith("error: ")

    # trec_eval 9.0.8 and 10.0, measures.c.
    @pytest.mark.parametrize("profile", ["9.0", "10.0"])
    def test_all_trec_is_the_versions(self, profile: str) -> None:
        got = names("all_trec", profile=profile)
        assert got[:1] == ["runid"]
        assert got[got.index("P_1000") + 1] == "relstring"
        later = ["rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"]
        last = "num_nonrel_judged_ret"
        assert got[got.index(last) :] == [last, *(later if profile == "10.0" else [])]
        assert len(got) == 95 + (5 if profile == "10.0" else 0)

    @pytest.mark.parametrize("profile", ["9.0", "10.0"])
    def test_nicknames_stand_in_the_order_of_the_lines(self, profile: str) -> None:
        order = list(REGISTRY)
        for members in NICKNAMES[profile].values():
            assert sorted(members, key=order.index) == list(members)

    def test_any_measure_by_name_in_either_version(self) -> None:
        for profile in ("9.0", "10.0"):
            assert names("rbp", "dcg", "yaap", profile=profile) == ["dcg", "yaap", "rbp"]


WRONG = {
    "no argument": ("", "trec_eval: saw 0 files, expected qrels and run."),
    "one file": ("q", "trec_eval: saw 1 file, expected qrels and run."),
    "three files": ("q r r", "trec_eval: saw 3 files, expected qrels and run."),
    "both from standard input": (
        *("- -", "-: standard input can be read once; give the other as a file.\n"),
    ),
    "qrels and z-scores from there": (
        *("- r -Z -", "-: standard input can be read once; give the other as a file.\n"),
    ),
    "a run and z-scores from there": (
        *("q - -Z-", "-: standard input can be read once; give the other as a file.\n"),
    ),
    "all from standard input": (
        *("- - -Z -", "-: standard input can be read once; give the others as files.\n"),
    ),
    "an unknown flag": ("-x q r", "trec_eval: option -x not recognized.\nUsage: trec_eval"),
    "an unknown long flag": ("--nope q r", "trec_eval: option --nope not recognized."),
    "a long flag that fits two": ("--R q r", "trec_eval: option --R not a unique prefix."),
    "a value that is lacking": ("q r -m", "trec_eval: option -m requires argument."),
    "level no number": ("-lx q r", "-l: saw 'x', expected a whole number of 64 bits from 1."),
    "level 0": ("-l0 q r", "-l: saw '0', expected a whole number of 64 bits from 1"),
    "level below 0": ("-l -1 q r", "-l: saw '-1', expected a whole number of 64 bits from 1"),
    "level a fraction": ("-l1.5 q r", "-l: saw '1.5', expected a whole number of 64 bits from 1"),
    "depth 0": ("-M0 q r", "-M: saw '0', expected a whole number of 64 bits from 1."),
    "documents below 0": ("-N -5 q r", "-N: saw '-5', expected a whole number of 64 bits from 0"),
    "debug level": ("-Dq1 q r", "-D: saw 'q1', expected a whole number of 64 bits from 0"),
    "format": ("-R nope q r", "-R: saw 'nope', expected qrels or qrels_jg or prefs or qrels_prefs"),
    "run format": ("-T nope q r", "-T: saw 'nope', expected trec_results."),
    "profile": ("--profile 8 q r", "--profile: saw '8', expected 9.0 or 10.0."),
    "duplicates": ("--duplicates=last q r", "--duplicates: saw 'last', expected refuse or first"),
    "preferences of qrels": (
        "-m prefs q r",
        "measure 'prefs_num_prefs_poss': saw judgments read as qrels, expected prefs.",
    ),
    "qrels of preferences": (
        "-R prefs q r",
        "measure 'num_ret': saw judgments read as prefs, expected qrels.",
    ),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG)
def test_wrong_use_ends_with_1(files: Path, words: str, said: str) -> None:
    result = program(*words.split())
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: {said}")


REFUSED = {
    "no such qrels": ("nope r", "error: nope: cannot be read: No such file or directory."),
    "no such run": ("q nope", "error: nope: cannot be read: No such file or directory."),
    "a folder": (". r", "error: .: cannot be read: Is a directory."),
    "a score that is none": ("q nan.run", "error: nan.run:1: saw score 'nan', expected a decimal"),
    "a grade that is none": ("half.qrels r", "error: half.qrels:1: saw relevance '1.5', expected"),
    "an empty run": ("q empty", "error: empty: saw no run line, expected 6 fields"),
    "empty qrels": ("empty r", "error: empty: saw no judgment, expected 4 fields"),
    "a document twice": ("q twice.run", "error: twice.run:2: saw document 'a' again for query"),
    "no z-scores": ("-Z nope q r", "error: nope: cannot be read: No such file or directory."),
    "z-scores of nothing": ("-Z empty q r", "error: empty: saw no line, expected 4 fields"),
    "z-scores of three fields": ("-Z half.z q r", "error: half.z:1: saw 3 fields, expected 4"),
    "z-scores of words": (
        "-Z word.z q r",
        "error: word.z:2: saw mean 'x', expected a finite decimal number. Mend or drop the line.",
    ),
    "a deviation beyond all numbers": (
        "-Z infinite.z q r",
        "error: infinite.z:1: saw standard deviation '1e999', expected a finite decimal number.",
    ),
    "a deviation below 0": (
        "-Z below.z q r",
        "error: below.z:2: saw standard deviation '-0.25', expected a number of at least 0. Mend "
        "or drop the line.",
    ),
    "z-scores of a pair twice": (
        "-Z pair.z q r",
        "error: pair.z:4: saw measure 'map' again for query 'q1' (first on line 2), expected a "
        "measure once per query. Keep one of them.",
    ),
    "z-scores of a pair twice, alike": ("-Z alike.z q r", "error: alike.z:2: saw measure 'map' ag"),
}


@pytest.mark.parametrize(("words", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_missing_or_refused_ends_with_2(files: Path, words: str, said: str) -> None:
    (files / "nan.run").write_text("q1 Q0 a 1 nan t\n")
    (files / "half.qrels").write_text("q1 0 a 1.5\n")
    (files / "empty").write_text("")
    (files / "twice.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 3 t\n")
    (files / "half.z").write_text("q1 map 0.5\n")
    (files / "word.z").write_text("q1 map 0.5 0.1\nq2 map x 0.1\n")
    (files / "infinite.z").write_text("q1 map 0.5 1e999\n")
    (files / "below.z").write_text("q1 map 0.5 0.25\nq2 map 0.5 -0.25\n")
    # Comments and other lines count as lines; q2 and P_5 are other pairs.
    (files / "pair.z").write_text("# z\nq1 map 1 1\nq1 P_5 1 1\nq1 map 1 2\nq2 map 1 1\n")
    (files / "alike.z").write_text("q1 map 1 1\nq1 map 1 1\n")
    result = program(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].startswith(said)


class TestInputs:
    def test_compressed_and_from_standard_input(self, files: Path) -> None:
        (files / "r.gz").write_bytes(gzip.compress(RUN.encode()))
        (files / "q.gz").write_bytes(gzip.compress(QRELS.encode()))
        asked = ("-q", "-m", "all_trec")
        want = printed(*asked, "q", "r")
        assert printed(*asked, "q.gz", "r.gz") == want
        for words, stdin in ((("q", "-"), "r.gz"), (("-", "r"), "q.gz"), (("-", "r"), "q")):
            result = program(*asked, *words, stdin=(files / stdin).read_bytes())
            assert result.stdout.splitlines() == want

    def test_comments_and_blank_lines(self, files: Path) -> None:
        (files / "q2").write_text(f"# one\n# two\n\n{QRELS}\n# last")
        assert printed("-q", "q2", "r") == printed("-q", "q", "r")

    @pytest.mark.parametrize(
        ("way", "rank"), [("first", "0.5000"), ("best", "1.0000"), ("refuse", None)]
    )
    def test_documents_that_stand_twice(self, files: Path, way: str, rank: str | None) -> None:
        # a scores 1, then 3; x scores 2.
        (files / "twice.run").write_text("q1 Q0 a 1 1 t\nq1 Q0 x 2 2 t\nq1 Q0 a 3 3 t\n")
        result = program("--duplicates", way, "-m", "recip_rank", "q", "twice.run")
        if rank is None:
            assert result.exit_code == 2
            return
        assert result.stdout.splitlines() == lines(f"recip_rank all {rank}")
        assert f"1 line repeats a document of the same query; the {way} of each was kept" in (
            result.stderr
        )

    @pytest.mark.parametrize(("way", "rank"), [("first", "1.0000"), ("best", "1.0000")])
    def test_a_worse_line_that_follows_changes_nothing(
        self, files: Path, way: str, rank: str
    ) -> None:
        (files / "twice.run").write_text("q1 Q0 a 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 a 3 1 t\n")
        got = printed("--duplicates", way, "-m", "recip_rank", "q", "twice.run")
        assert got == lines(f"recip_rank all {rank}")

    def test_they_are_kept_alike_in_a_large_run(self, files: Path) -> None:
        body = "".join(f"q1 Q0 d{i} 1 {9 - i / 1e6} t\n" for i in range(200_000))
        (files / "large.run").write_text(f"q1 Q0 a 1 -1 t\n{body}q1 Q0 a 1 99 t\n")
        asked = ("-m", "recip_rank", "q", "large.run")
        assert program(*asked).exit_code == 2
        assert printed("--duplicates", "best", *asked) == lines("recip_rank all 1.0000")
        assert printed("--duplicates", "first", *asked) == lines("recip_rank all 0.0000")


class TestProfiles:
    # As C floats the two scores are equal, and b comes first.
    NEAR = "q1 Q0 a 1 .9222621453752586 t\nq1 Q0 b 2 .9222621453752585 t\n"

    @pytest.mark.parametrize(("profile", "value"), [("9.0", "0.5000"), ("10.0", "1.0000")])
    def test_scores_are_floats_or_doubles(self, files: Path, profile: str, value: str) -> None:
        (files / "one").write_text("q1 0 a 1\n")
        (files / "near").write_text(self.NEAR)
        got = printed("--profile", profile, "-mrecip_rank", "one", "near")
        assert got == lines(f"recip_rank all {value}")

    @pytest.mark.parametrize(
        ("words", "said"), [("-v", "9.0.8"), ("--version --profile 10.0", "10.0")]
    )
    def test_the_version_is_said(self, words: str, said: str) -> None:
        result = program(*words.split())
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.startswith(f"trec_eval version {said} (trec_eval_py ")


class TestZScores:
    def test_deviations_from_the_mean(self, files: Path) -> None:
        # map: q1 (5/6 - 0.5) / 0.25 = 4/3, q2 (1/2 - 0.5) / 0 = 0; num_ret: (3 - 1) / 4 and
        # (2 - 1) / 4.
        # gm_map adds up ln 5/6 - 0 and ln 1/2 - 0, so that its mean is what it was.
        (files / "z").write_text(
            "q1 map 0.5 0.25\nq2 map 0.5 0\nq1 num_ret 1 4\nq2\tnum_ret 1 4\n"
            "q1 gm_map 0 1\nq2 gm_map 0 1\nq1 num_q 0 2\nq2 num_q 0 2\n"
        )
        asked = ("-mmap", "-mnum_ret", "-mgm_map", "-mnum_q", "-mrunid", "-mrelstring")
        assert printed("-q", "-Z", "z", *asked, "q", "r") == [
            "Znum_ret               \tq1\t0.5000",
            "Zmap                   \tq1\t1.3333",
            "relstring             \tq1\t'2-1'",
            "Znum_ret               \tq2\t0.2500",
            "Zmap                   \tq2\t0.0000",
            "relstring             \tq2\t'-1'",
            "runid                 \tall\tlast",
            "Znum_q                 \tall\t2.0000",
            "Znum_ret               \tall\t0.7500",
            "Zmap                   \tall\t0.6667",
            "Zgm_map                \tall\t0.6455",
        ]

    def test_what_the_file_lacks(self, files: Path) -> None:
        (files / "z").write_text("q1 map 0.5 0.25\nq2 map 0.4 0\n")
        result = program("-q", "-Zz", "-mmap", "-mP.1", "q", "r")
        assert result.exit_code == 0
        assert [line.split()[1:] for line in result.stdout.splitlines()] == [
            *(["q1", "1.3333"], ["q1", "-1000000.0000"]),
            *(["q2", "-1000000.0000"], ["q2", "-1000000.0000"]),
            *(["all", "-499999.3333"], ["all", "-1000000.0000"]),
        ]
        assert (
            "warning: z: 3 values lack a mean and a standard deviation to divide by"
            in result.stderr
        )

    def test_the_number_of_queries_needs_no_line(self, files: Path) -> None:
        (files / "z").write_text("q1 map 0.5 0.25\nq2 map 0.5 0.25\n")
        result = program("-Zz", "-mmap", "-mnum_q", "q", "r")
        assert "lack" not in result.stderr.replace("missing", "")
        assert result.stdout.splitlines()[0] == "Znum_q                 \tall\t2.0000"

    # Where nothing deviates: q1 is 5/6 and q2 is 1/2. -0 is 0.
    @pytest.mark.parametrize("zero", ["0", "0.0", "-0", "0e5"])
    def test_a_deviation_of_0(self, files: Path, zero: str) -> None:
        (files / "z").write_text(f"q1 map 0.5 {zero}\nq2 map 0.5 {zero}\n")
        result = program("-q", "-Zz", "-mmap", "q", "r")
        assert [line.split()[1:] for line in result.stdout.splitlines()] == [
            *(["q1", "-1000000.0000"], ["q2", "0.0000"], ["all", "-500000.0000"])
        ]
        assert "warning: z: 1 value lacks a mean and a standard deviation to" in result.stderr

    def test_they_may_come_from_standard_input(self, files: Path) -> None:
        result = program("-Z", "-", "-mmap", "q", "r", stdin=b"q1 map 0 1\nq2 map 0.5 0.25\n")
        assert result.stdout == "Zmap                   \tall\t0.4167\n"  # (5/6 + 0) / 2

    def test_what_would_be_infinite(self, files: Path) -> None:
        (files / "z").write_text("q1 map 1e308 1e-308\nq2 map -1e308 1e-308\n")
        got = printed("-q", "-Zz", "-mmap", "q", "r")
        assert [line.split()[2] for line in got] == ["-1000000.0000"] * 3


class TestHelp:
    def test_flags_formats_and_measures(self) -> None:
        text = "\n".join(printed("-h"))
        assert all(name.rstrip("=") in text for name in (*twin.LONG, *twin.OURS))
        assert "Format of QRELS, qrels:" in text
        assert "-h -m MEASURE explains one" in text

    def test_a_measure_and_a_format(self) -> None:
        text = "\n".join(printed("-h", "-mprefs_simp", "-m", "P.5,10", "-R", "prefs"))
        assert "Format of QRELS, prefs:" in text
        assert "query_id  group  subgroup  docno  level" in text
        assert "Preferences fulfilled, over those possible." in text
        assert text.count("Relevant documents above the cutoff, over the cutoff.") == 1

    def test_no_line_is_wider_than_a_terminal_of_100(self) -> None:
        assert max(map(len, printed("-h"))) <= 100


# Two users: for u1 d1 > d2 > d3 and d1 > d3; for u2 d2 > d1. The run has d2 and d1 tied, so that d1
# is first: among equal scores of preferences, docnos rise. d3 is not retrieved.
PREFERENCES = "q u1 s d1 3\nq u1 s d2 2\nq u1 s d3 1\nq u2 s d2 1\nq u2 s d1 0\n"
TIED = "q Q0 d2 1 5 t\nq Q0 d1 2 5 t\nq Q0 x 3 6 t\n"


class TestOtherJudgments:
    def test_preferences(self, files: Path) -> None:
        (files / "p").write_text(PREFERENCES)
        (files / "tied").write_text(TIED)
        # u1: d1 > d2 fulfilled, two implied; u2 not fulfilled. By pair: d1-d2 1/2, others 1.
        assert printed("-R", "prefs", "-m", "prefs", "p", "tied") == lines(
            """
            runid all t
            num_q all 1
            prefs_num_prefs_poss all 4
            prefs_num_prefs_ful all 3
            prefs_num_prefs_ful_ret all 1
            prefs_simp all 0.7500
            prefs_pair all 0.8333
            prefs_avgjg all 0.5000
            """
        )

    def test_qrels_as_preferences(self, files: Path) -> None:
        (files / "p").write_text("q u1 d1 3\nq u1 d2 2\nq u1 d3 1\nq u2 d2 1\nq u2 d1 0\n")
        (files / "tied").write_text(TIED)
        got = printed("-R", "qrels_prefs", "-m", "prefs_simp", "p", "tied")
        assert got == lines("prefs_simp all 0.7500")

    def test_groups_of_users(self, files: Path) -> None:
        (files / "jg").write_text("q u1 d1 1\nq u1 d2 0\nq u2 d2 1\nq u2 d1 1\n")
        (files / "tied").write_text(TIED)
        # x, d2, d1: AP 1/3 for u1, (1/2 + 2/3) / 2 = 7/12 for u2; P_2 0 and 1/2.
        got = printed("-R", "qrels_jg", "-mmap_avgjg", "-mP_avgjg.2", "jg", "tied")
        assert got == lines("map_avgjg all 0.4583\nP_avgjg_2 all 0.2500")

    @pytest.mark.parametrize("profile", ["9.0", "10.0"])
    def test_a_missing_query_has_its_preferences_in_10_0(self, files: Path, profile: str) -> None:
        (files / "p").write_text(PREFERENCES + "r u s a 2\nr u s b 1\n")
        (files / "tied").write_text(TIED)
        flags = ("-c", "-R", "prefs", "--profile", profile)
        got = printed(*flags, "-mprefs_num_prefs_poss", "-mprefs_simp", "p", "tied")
        poss = 5 if profile == "10.0" else 4
        assert got == lines(f"prefs_num_prefs_poss all {poss}\nprefs_simp all 0.3750")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("q u s a 1\nq u s b x\n", "p:2: saw level 'x', expected a finite decimal number."),
            (
                "q u s a 1\nq u s a 1\n",
                "p:2: saw document 'a' again for query 'q', group 'u', subgroup 's' (first on line",
            ),
            (
                "q u s a\n",
                "p:1: saw 4 fields, expected 5 fields (query_id group subgroup docno lev",
            ),
            (
                "q u s a 2\nq u s b 1\nq u t b 2\nq u t a 1\n",
                "p: query 'q', group 'u': saw 'a' preferred to 'b' and 'b' to 'a', expected one",
            ),
            (
                "q u s a 2\nq u s b 1\nq u t b 2\nq u t c 1\nq u v c 2\nq u v a 1\n",
                "p: query 'q', group 'u': saw 'a' preferred to 'b' and 'b' to 'a', expected one",
            ),
            (
                "q u s a 2\nq u s b 1\nq u t a 0\nq u t c 1\n",
                "p: query 'q', group 'u': saw document 'a' with level 0 and with one above 0",
            ),
        ],
    )
    def test_what_contradicts_itself_is_refused(self, files: Path, text: str, said: str) -> None:
        (files / "p").write_text(text)
        (files / "tied").write_text(TIED)
        result = program("-R", "prefs", "-m", "prefs", "p", "tied")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: {said}")


def test_read_arguments_refuses_with_the_packages_errors() -> None:
    with pytest.raises(UsageError):
        twin.read_arguments(["-x"])


Values = dict[str, float]


class Flags(NamedTuple):
    """What a call asks for."""

    level: int
    judged_only: bool
    max_docs: int | None
    num_docs: int | None
    complete: bool
    queries: bool
    summary: bool
    profile: str
    form: str
    debug: str
    """What -D says, with %s for a query; nothing where it is not given."""
    place: int
    """Which query that is."""
    chosen: frozenset[str]
    """Measures with parameters, of CHOICES, beside those of all_trec."""
    long: bool
    """Whether long names are used."""


def cut_at(
    function: Callable[[oracles.Ranking, Sequence[int], int, int], float], cutoff: int
) -> oracles.Measure:
    return lambda ranking, judged, level, profile, docs: function(ranking, judged, level, cutoff)


# What -m says, and the lines that stand in the place of the measure's default ones.
CHOICES: dict[str, dict[str, oracles.Measure]] = {
    "P.3,1": {"P_1": cut_at(oracles.P, 1), "P_3": cut_at(oracles.P, 3)},
    "ndcg_cut.2": {"ndcg_cut_2": cut_at(oracles.ndcg_cut, 2)},
    "iprec_at_recall.0.25": {
        "iprec_at_recall_0.25": lambda ranking, judged, level, profile, docs: (
            oracles.iprec_at_recall(ranking, judged, level, 0.25, profile)
        ),
    },
    "Rprec_mult.0.333": {
        "Rprec_mult_0.33": lambda ranking, judged, level, profile, docs: oracles.Rprec_mult(
            ranking, judged, level, 0.333
        ),
    },
    "utility.2,-1,0.5,0.25": {
        "utility_2,-1,0.5,0.25": lambda ranking, judged, level, profile, docs: oracles.utility(
            ranking, judged, level, 2, -1, 0.5, 0.25, docs
        ),
    },
    "11pt_avg.0.1,0.25": {
        "11pt_avg_0.1,0.25": lambda ranking, judged, level, profile, docs: oracles.eleven_pt_avg(
            ranking, judged, level, profile, (0.1, 0.25)
        ),
    },
    "ndcg.1=3,2=0.5": {
        "ndcg_1=3,2=0.5": lambda ranking, judged, level, profile, docs: oracles.given_ndcg(
            ranking, judged, {1: 3, 2: 0.5}
        ),
    },
    "set_F.0.5": {
        "set_F_0.5": lambda ranking, judged, level, profile, docs: oracles.set_F(
            ranking, judged, level, 0.5
        ),
    },
    "rbp.p=0.5": {
        "rbp_p=0.5": lambda ranking, judged, level, profile, docs: oracles.rbp(ranking, judged, 0.5)
    },
    "unj.2": {"unj_2": cut_at(oracles.unj, 2)},
}
FLAGS = st.builds(
    Flags,
    level=st.integers(1, 3),
    judged_only=st.booleans(),
    max_docs=st.none() | st.integers(1, 12),
    num_docs=st.none() | st.integers(0, 40),
    complete=st.booleans(),
    queries=st.booleans(),
    summary=st.booleans(),
    profile=st.sampled_from(["9.0", "10.0"]),
    form=st.sampled_from(["", "qrels", "qrels_jg", "prefs", "qrels_prefs"]),
    debug=st.sampled_from(["", "", "3", "0.%s", "1.%s", ".%s"]),
    place=st.integers(0, 5),
    chosen=st.frozensets(st.sampled_from(sorted(CHOICES)), max_size=4),
    long=st.booleans(),
)


@given(collection=collections(SCORES, GRADES), flags=FLAGS)
@settings(max_examples=300)
def test_lines_equal_those_of_the_definitions(
    tmp_path_factory: pytest.TempPathFactory, collection: tuple[Run, Qrels], flags: Flags
) -> None:
    run, judged = without_blanks(collection[0]), without_blanks(collection[1])
    run = {query_id: documents for query_id, documents in run.items() if documents}
    run = run or {next(iter(judged)): {b"9": 1.0, b"10": 1.0}}
    if run.keys().isdisjoint(judged):
        run[next(iter(judged))] = {b"9": 1.0, b"10": 1.0}
    known = sorted(run.keys() | judged.keys())
    only = known[flags.place % len(known)] if "%s" in flags.debug else None
    folder = tmp_path_factory.mktemp("twin")
    group = b"u s" if flags.form == "prefs" else b"0"
    (folder / "q").write_bytes(
        b"".join(
            b"%b %b %b %d\n" % (q, group, d, g) for q, one in judged.items() for d, g in one.items()
        )
    )
    (folder / "r").write_bytes(
        b"".join(
            b"%b Q0 %b 0 %b t\n" % (q, d, repr(s).encode())
            for q, one in run.items()
            for d, s in one.items()
        )
    )
    words = [*words_of(flags, only), str(folder / "q"), str(folder / "r")]
    wanted = expected_lines(run, judged, flags, only)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrecEvalWarning)
        if wanted is None:
            with pytest.raises(NoCommonQueryError, match=r"^-D: saw query "):
                twin.evaluate(twin.read_arguments(words))
        else:
            assert twin.evaluate(twin.read_arguments(words)).splitlines() == wanted


def words_of(flags: Flags, only: bytes | None) -> list[str]:
    """Spell the flags of a call."""
    query_id = (only or b"").decode("utf-8", "surrogateescape")
    debug = flags.debug.replace("%s", query_id)
    values = {
        ("-l", "--level_for_rel="): flags.level,
        ("-M", "--Max_retrieved_per_topic="): flags.max_docs,
        ("-N", "--Number_docs_in_coll="): flags.num_docs,
        ("-R", "--Rel_info_format="): flags.form or None,
        ("-D", "--Debug_level="): debug or None,
    }
    switches = {
        ("-J", "--Judged_docs_only"): flags.judged_only,
        ("-c", "--complete_rel_info_wanted"): flags.complete,
        ("-q", "--query_eval_wanted"): flags.queries,
        ("-n", "--nosummary"): not flags.summary,
    }
    asked = {"qrels_jg": ["qrels_jg"], "prefs": ["all_prefs"], "qrels_prefs": ["all_prefs"]}
    measures = asked.get(flags.form, ["all_trec", *flags.chosen])
    return [
        *(f"{name[flags.long]}{value}" for name, value in values.items() if value is not None),
        *(name[flags.long] for name, on in switches.items() if on),
        *(word for measure in measures for word in ("-m", measure)),
        *("--profile", flags.profile),
    ]


def without_blanks(collection: dict[bytes, dict[bytes, V]]) -> dict[bytes, dict[bytes, V]]:
    """Give ids that can stand in a file."""
    return {
        query_id.replace(b" ", b"_"): {d.replace(b" ", b"_"): v for d, v in documents.items()}
        for query_id, documents in collection.items()
    }


def expected_lines(run: Run, judged: Qrels, flags: Flags, only: bytes | None) -> list[bytes] | None:
    """What trec_eval prints, from the slow definitions; None where the one query is not there."""
    of_one_user = flags.form not in ("", "qrels")
    found: dict[bytes, Values] = {}
    strings: dict[bytes, str] = {}
    for query_id in sorted(judged):
        there = query_id in run
        if not (there or (flags.complete and flags.profile == "10.0")):
            continue
        if only not in (None, query_id):
            continue
        documents, grades = run.get(query_id, {}), judged[query_id]
        if of_one_user:
            values = {"num_q": 1.0} | values_by_user(documents, grades, flags)
        else:
            ranking = oracles.relevances(
                documents,
                grades,
                flags.profile,
                max_docs=flags.max_docs,
                judged_only=flags.judged_only,
            )
            strings[query_id] = oracles.relstring(ranking)
            values = {
                name: measure(
                    ranking, list(grades.values()), flags.level, flags.profile, flags.num_docs or 0
                )
                for name, measure in listed(flags.profile, flags.chosen).items()
            }
        kept = ("num_q", "num_rel", "prefs_num_prefs_poss")
        found[query_id] = {n: v if there or n in kept else 0.0 for n, v in values.items()}
    if only is not None and not found:
        return None
    printed = []
    for query_id, values in found.items() if flags.queries else ():
        for name, value in values.items():
            if name == "recall_5":  # relstring stands before
                text = f"'{strings[query_id]}'"
                printed.append(b"%-22b\t%b\t%b" % (b"relstring", query_id, text.encode()))
            if name not in ("num_q", "gm_map", "gm_bpref"):
                printed.append(line(name, query_id, value))
    if not flags.summary:
        return printed
    total = len(judged) if flags.complete else len(found)
    printed.append(b"runid                 \tall\tt")
    for name in next(iter(found.values())):
        column = [values[name] for values in found.values()]
        column += [0.0] * (total - len(column))
        value = oracles.mean(name.removeprefix("prefs_"), column)
        if name == "num_q":
            value = float(total)
        if name == "num_rel" and flags.complete:
            value = float(sum(grade > 0 for one in judged.values() for grade in one.values()))
        printed.append(line(name, b"all", value))
    return printed


def listed(profile: str, chosen: Collection[str]) -> dict[str, oracles.Measure]:
    """What -m all_trec prints, with lines of some measures in the place of their default ones."""
    measures = dict(oracles.LISTED[profile])
    for text in chosen:
        base = text.partition(".")[0]
        measures = {
            name: measure
            for name, measure in measures.items()
            if not re.fullmatch(rf"{base}(_[0-9.]+)?", name)
        }
        measures |= CHOICES[text]

    def place(name: str) -> int:
        bases = (base for base in REGISTRY if re.fullmatch(rf"{base}(_[-0-9.,=p]+)?", name))
        return list(REGISTRY).index(next(bases))

    return dict(sorted(measures.items(), key=lambda pair: place(pair[0])))


def values_by_user(documents: dict[bytes, float], grades: dict[bytes, int], flags: Flags) -> Values:
    """Values of one query whose only group is one user."""
    # The oracles compare scores as C floats: doubles go in by their rank among each other.
    ranks = {score: float(rank) for rank, score in enumerate(sorted({*documents.values()}))}
    run = {
        docno.decode("latin-1"): score if flags.profile == "9.0" else ranks[score]
        for docno, score in documents.items()
    }
    judged = {docno.decode("latin-1"): grade for docno, grade in grades.items()}
    if flags.form != "qrels_jg":
        values = oracles.prefer(run, {"u": {"s": judged}}, flags.max_docs)
        return {name: values[name] for name in REGISTRY if name in values}
    base = r"^(map|P|Rprec_mult)(?=$|_[0-9])"
    names = {
        re.sub(base, r"\1_avgjg", name): measure
        for name, measure in oracles.MEASURES.items()
        if re.match(base, name)
    }
    return {
        name: oracles.over_groups(
            run,
            {"u": judged},
            lambda ranking, judged, one=measure: one(  # type: ignore[misc]
                ranking, judged, flags.level, flags.profile, 0
            ),
            flags.max_docs,
            flags.judged_only,
        )
        for name, measure in names.items()
    }


def line(name: str, query_id: bytes, value: float) -> bytes:
    text = f"{value:.0f}" if averaging(name) == "sum" else f"{value:6.4f}"
    return b"%b\t%b\t%b" % (f"{name:<22}".encode(), query_id, text.encode())
