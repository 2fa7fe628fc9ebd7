"""trec_eval's arguments, and its help."""

from __future__ import annotations

import getopt
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from trec_eval_py._version import __version__
from trec_eval_py.distributing import form_of
from trec_eval_py.errors import MeasureError, UsageError, warn
from trec_eval_py.measures import (
    MEASURES,
    NICKNAMES,
    REGISTRY,
    Asked,
    Measure,
    Options,
    check_form,
    expand,
    explain,
    in_trec_eval,
)
from trec_eval_py.ranking import PROFILES
from trec_eval_py.reading import DUPLICATES, FORMS, Duplicates

_SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "--help": "-h",
    "--version": "-v",
    "--query_eval_wanted": "-q",
    "--measure=": "-m",
    "--complete_rel_info_wanted": "-c",
    "--level_for_rel=": "-l",
    "--nosummary": "-n",
    "--Debug_level=": "-D",
    "--Judged_docs_only": "-J",
    "--Number_docs_in_coll=": "-N",
    "--Max_retrieved_per_topic=": "-M",
    "--Rel_info_format=": "-R",
    "--Results_format=": "-T",
    "--Output_old_results_format=": "-o",
    "--Zscore=": "-Z",
}
OURS = ("--profile=", "--duplicates=", "--debug")
# What -v says, by profile: the version whose numbers these are.
VERSIONS = {"9.0": "9.0.8", "10.0": "10.0"}

USAGE = "Usage: trec_eval [FLAGS] QRELS RUN; trec_eval -h explains them all."

_HELP = """\
Usage: trec_eval [-h] [-v] [-q] [-n] [-c] [-J] [-l NUM] [-M NUM] [-N NUM] [-D NUM[.QUERY]]
                 [-m MEASURE[.PARAMETERS]]... [-R FORMAT] [-T FORMAT] [-Z FILE]
                 [--profile 9.0|10.0] [--duplicates refuse|first|best] QRELS RUN

Score the ranked documents of RUN against the judgments of QRELS, and print a line a measure: its
name, the query (all for the summary) and the value. QRELS and RUN may be compressed (gzip, bzip2,
xz, zstd); either may be - for standard input.

-h, --help                        Print this; with -m, explain measures; with -R, the format.
-v, --version                     Print the version (on standard error).
-q, --query_eval_wanted           Print each query's values before the summary.
-n, --nosummary                   Print no summary.
-m, --measure MEASURE             Print this measure; may be repeated. Parameters follow a dot, with
                                  commas between: P.5,10 or ndcg.1=3,2=9. Nicknames: official (the
                                  default), all_trec, set, prefs, all_prefs, qrels_jg.
-c, --complete_rel_info_wanted    Average over all queries of QRELS: those that RUN lacks count 0.
-l, --level_for_rel NUM           Lowest grade that counts as relevant (1).
-J, --Judged_docs_only            Leave unjudged documents out of rankings.
-M, --Max_retrieved_per_topic NUM Only the first NUM documents of each ranking count.
-N, --Number_docs_in_coll NUM     Documents in the collection (for utility).
-D, --Debug_level NUM.QUERY       Score this query only. Nothing else is printed for it.
-R, --Rel_info_format FORMAT      Format of QRELS: qrels, qrels_jg, prefs or qrels_prefs.
-T, --Results_format FORMAT       Format of RUN: trec_results.
-Z, --Zscore FILE                 Print z-scores. FILE has lines of query, measure, mean and
                                  standard deviation; without a pair the value is -1000000.
-o                                Accepted, and without effect; so is --Output_old_results_format X.

--profile 9.0|10.0                Be trec_eval 9.0.8 (the default), which holds scores as C floats,
                                  or 10.0, which holds doubles.
--duplicates refuse|first|best    What becomes of a document that stands twice in a query.
--debug                           Show the traceback of an error.

Documents are ordered by score, descending, then by docno, descending by bytes; the rank that RUN
states is ignored. Queries that only one side has are ignored without -c; a warning counts those
that RUN lacks."""

_FORMATS = {
    "trec_results": """\
Format of RUN, trec_results: a document a line, with 6 fields.
   query_id  Q0  docno  rank  score  tag
Also read: 5 fields (no tag), and 3 (MS MARCO: query_id docno rank).""",
    "qrels": """\
Format of QRELS, qrels: a judgment a line, with 4 fields.
   query_id  0  docno  grade
A grade is an integer; a negative one means pooled, but not judged. Also read: BEIR's 3 fields under
the header query-id corpus-id score.""",
    "qrels_jg": """\
Format of QRELS, qrels_jg: as qrels, where the second field names a judgment group, such as a user.
   query_id  group  docno  grade""",
    "prefs": """\
Format of QRELS, prefs: what a user prefers, a document a line, with 5 fields.
   query_id  group  subgroup  docno  level
Within a subgroup, documents of a higher level are preferred to those of a lower; level 0 says that
a document is not relevant. A group is one user at one time, and must not contradict itself; its
subgroups, which may leave pairs open, are joined with all that follows from them.""",
    "qrels_prefs": """\
Format of QRELS, qrels_prefs: qrels read as preferences; the second field names a judgment group.
   query_id  group  docno  level""",
}


class Call(NamedTuple):
    """What was asked of the program."""

    qrels: str
    run: str
    asked: Sequence[Asked]
    """Measures, in the order of their lines; the label is the line's name."""
    options: Options
    complete: bool
    queries: bool
    """Whether each query's values are printed."""
    summary: bool
    only: bytes | None
    """The one query to score, if not all."""
    format: str
    z_scores: str | None
    duplicates: Duplicates
    say: str = ""
    """What to print instead: help."""
    version: str = ""


def read_arguments(arguments: Sequence[str]) -> Call:
    """Read the arguments of trec_eval, in any order, short ones bundled or with values attached.

    Raises
    ------
    UsageError
        On a flag, value or measure that means nothing, and on too few or too many files.
    """
    given, files = _split(arguments)
    values = dict(given)  # where a flag stands twice, the last one counts
    options = _options(values)
    form = _one_of("-R", values.get("-R", "qrels"), FORMS)
    _one_of("-T", values.get("-T", "trec_results"), ("trec_results",))
    duplicates = _one_of("--duplicates", values.get("--duplicates", "refuse"), DUPLICATES)
    only = _only(values.get("-D", "0"))
    named = [value for name, value in given if name == "-m"]
    asked = read_measures(named or ["official"], options)
    say = version = ""
    if "-v" in values:
        said = VERSIONS[options.profile]
        version = f"trec_eval version {said} (trec_eval_py {__version__})"
    elif "-h" in values:
        say = _help(form, asked if named else [])
    else:
        check_form(asked, form_of(form))
        _check_files(files, values.get("-Z"))
    qrels, run = files if len(files) == 2 else ("", "")
    return Call(
        qrels=qrels,
        run=run,
        asked=asked,
        options=options,
        complete="-c" in values,
        queries="-q" in values,
        summary="-n" not in values,
        only=only,
        format=form,
        z_scores=values.get("-Z"),
        duplicates=cast("Duplicates", duplicates),
        say=say,
        version=version,
    )


def _split(arguments: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Split arguments into flags, by their short names where they have one, and files."""
    long_names = [name.removeprefix("--") for name in (*LONG, *OURS)]
    try:
        given, files = getopt.gnu_getopt(list(arguments), _SHORT, long_names)
    except getopt.GetoptError as error:
        raise UsageError(f"trec_eval: {error}.\n{USAGE}") from None
    short = {name.removesuffix("="): letter for name, letter in LONG.items()}
    return [(short.get(name, name), value) for name, value in given], files


def _options(values: Mapping[str, str]) -> Options:
    """Read what holds for all measures."""
    return Options(
        relevance_level=_number("-l", values.get("-l", "1"), 1),
        judged_only="-J" in values,
        max_docs=_number("-M", values["-M"], 1) if "-M" in values else None,
        num_docs=_number("-N", values.get("-N", "0"), 0),
        profile=_one_of("--profile", values.get("--profile", "9.0"), PROFILES),
    )


def _only(debug: str) -> bytes | None:
    """Read the query of ``-D NUM.QUERY``, which may hold dots; None where there is no dot."""
    level, dot, query_id = debug.partition(".")
    _number("-D", level or "0", 0)
    return query_id.encode("utf-8", "surrogateescape") if dot else None


def _check_files(files: Sequence[str], z_scores: str | None) -> None:
    """Refuse another number of files than two, and standard input for several."""
    if len(files) != 2:
        saw = f"{len(files)} file{'s' * (len(files) != 1)}"
        raise UsageError(f"trec_eval: saw {saw}, expected qrels and run.\n{USAGE}")
    others = [*files, z_scores].count("-") - 1
    if others > 0:
        give = "the other as a file" if others == 1 else "the others as files"
        raise UsageError(f"-: standard input can be read once; give {give}.")


def read_measures(named: Iterable[str], options: Options) -> list[Asked]:
    """Read ``-m`` as trec_eval does, and put measures in the order of its lines.

    Parameters named in several ``-m`` add up. Where there are any, a measure's default ones go, as
    in trec_eval. Names that trec_eval lacks are read in any spelling, such as ``nDCG@10``.

    Raises
    ------
    MeasureError
        On what means nothing.
    """
    given: dict[str, list[str]] = {}
    others: dict[str, Asked] = {}
    nicknames = NICKNAMES[options.profile]
    for text in named:
        base, dot, parameters = text.partition(".")
        names: Sequence[str] = nicknames.get(base, ())
        if not names and base in REGISTRY and not REGISTRY[base].own:
            names = [base]
        if not names or (dot and not parameters):
            for one in _as_spelled(text, options):
                others.setdefault(one.label, one)
            continue
        for name in names:
            given.setdefault(name, [])
        if parameters and (base in nicknames or not _takes_parameters(REGISTRY[base])):
            warn(
                f"-m {text}: {base} takes no parameter, and {parameters!r} is ignored, as in "
                f"trec_eval{_cut(base, parameters)}"
            )
        elif parameters:
            given[base].append(parameters)
    asked = []
    for measure in MEASURES:
        if measure.name in given:
            asked += in_trec_eval(measure, given[measure.name], options)
        labels = {one.label for one in asked}
        asked += [
            one for label, one in others.items() if one.measure is measure and label not in labels
        ]
    # In trec_eval names have two decimals, whatever was asked for.
    alike = sorted(x for x, count in Counter(one.label for one in asked).items() if count > 1)
    if alike:
        warn(f"-m: more than one line is named {' or '.join(alike)}, as in trec_eval")
    return asked


def _as_spelled(text: str, options: Options) -> list[Asked]:
    """Name measures by what was spelled; what holds for all measures, the command says."""
    found = []
    plain = expand(text, Options(profile=options.profile))
    for one, labelled in zip(expand(text, options), plain, strict=True):
        label = labelled.label
        if expand(label, options)[0].meaning != one.meaning:
            # Labels leave out rel=1, as the default; said against -l 2, it must stand in the line.
            spelled = "".join(text.split())
            settings = spelled[spelled.find("(") :]
            label = spelled if len(plain) == 1 else label.partition("(")[0] + settings
        found.append(one._replace(label=label))
    return found


def _takes_parameters(measure: Measure) -> bool:
    """Whether trec_eval reads parameters of a measure; it ignores a cutoff of recip_rank."""
    return measure.kind != "none" and not measure.optional_cutoff


def _cut(base: str, parameters: str) -> str:
    """Say how to cut off, where that seems to be meant."""
    try:
        (one,) = expand(f"{base}_{parameters}", Options())
    except (MeasureError, ValueError):
        return ""
    return f"; -m {one.label} cuts there"


def _number(flag: str, text: str, least: int) -> int:
    if re.fullmatch(r"[0-9]{1,19}", text) and least <= int(text) < 2**63:
        return int(text)
    raise UsageError(f"{flag}: saw {text!r}, expected a whole number of 64 bits from {least}.")


def _one_of(flag: str, text: str, known: Sequence[str]) -> str:
    if text in known:
        return text
    raise UsageError(f"{flag}: saw {text!r}, expected {' or '.join(known)}.")


def _help(form: str, asked: Iterable[Asked]) -> str:
    """Explain flags, formats, and the measures that were asked for."""
    measures = dict.fromkeys(one.measure.name for one in asked)
    told = [explain(name) for name in measures] or [
        "No measure is named: -h -m MEASURE explains one, -h -m all_trec all."
    ]
    return "\n\n".join([_HELP, _FORMATS["trec_results"], _FORMATS[form], *told])
