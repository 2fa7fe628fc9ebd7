"""The command line: arguments to calls, errors to exit status."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from trec_eval_py._version import __version__
from trec_eval_py.errors import (
    InputError,
    NoCommonQueryError,
    TrecEvalError,
    TrecEvalWarning,
    UsageError,
)

if TYPE_CHECKING:
    import pandas as pd

    from trec_eval_py.reading import Source

Command = Callable[..., None]

DONE, NO, WRONG_USE, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130
# The C program's: wrong use or measure, a file missing or refused, no query in both files.
TWIN_USAGE, TWIN_REFUSED, TWIN_NO_QUERY = 1, 2, 7


class _Commands(click.Group):
    """Commands whose errors are told in a line, and end with the status that they stand for."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; whoever leaves it out, as with trec_eval, is told which to write."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            if _is_file(args[0]):
                ctx.fail(f"{args[0]} is a file. Write: trec_eval_py score QRELS RUN...")
            raise

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", TrecEvalWarning)
            warnings.showwarning = _tell
            try:
                return super().invoke(ctx)
            except (click.ClickException, click.exceptions.Exit):
                raise
            except TrecEvalError as error:
                if ctx.meta.get(_DEBUG):
                    raise
                _say(f"error: {error}")
                ctx.exit(error.exit_status)
            except BrokenPipeError:
                # Whoever read has seen enough.
                _silence()
                ctx.exit(DONE)
            except KeyboardInterrupt:
                _say("error: interrupted; no half-written file is left.")
                ctx.exit(INTERRUPTED)
            except OSError as error:
                if ctx.meta.get(_DEBUG):
                    raise
                name = f"{error.filename}: " if error.filename else "output: "
                _say(f"error: {name}{error.strerror or error}.")
                if not error.filename:  # what is left in the buffer cannot be written either
                    _silence()
                ctx.exit(REFUSED)
            except Exception as error:
                if ctx.meta.get(_DEBUG):
                    raise
                _say(
                    f"error: {type(error).__name__}: {error}. This is a fault of trec_eval_py: "
                    "please report it with what --debug prints."
                )
                ctx.exit(REFUSED)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # no name that a file can have
        return False


_DEBUG = "trec_eval_py.debug"
# Opened by these names, what standard output leads to would be cut to nothing first.
_STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def _silence() -> None:
    """Keep the interpreter from flushing what is left into an output that is closed or full."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    with suppress(OSError):  # nobody is left to be told
        click.echo(text, err=True)


def _tell(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning in a line; those of other packages too, without their source line."""
    _say(f"warning: {message}")


def _debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta[_DEBUG] = True


def _common(command: Command) -> Command:
    return click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=_debug,
        help="Show the traceback of an error.",
    )(command)


MEASURES = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="In trec_eval's or ir_measures' spelling; may be repeated. `measures` lists them.",
)
OUTPUT = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to: .csv, .tsv, .jsonl (also .gz, .zst) or .parquet.",
)
PROFILE = click.option(
    "--profile",
    type=click.Choice(("9.0", "10.0")),
    default="9.0",
    show_default=True,
    help="Version of trec_eval whose numbers these are.",
)
QRELS_FORMAT = click.option(
    "--qrels-format",
    default="auto",
    show_default=True,
    metavar="FORMAT",
    help="What QRELS are: qrels, beir, json, jsonl, parquet, letor, which their content tells; or, "
    "only by name, qrels_jg (by judgment group, second column), subtopics, prefs, qrels_prefs.",
)
RUN_FORMAT = click.option(
    "--run-format",
    default="auto",
    show_default=True,
    metavar="FORMAT",
    help="What RUN is: trec, msmarco, json, rank_llm, mteb (mteb:SUBSET/SPLIT: a part), parquet.",
)
VERBOSE = click.option("-v", "--verbose", is_flag=True, help="Say what each file was read as.")
FORMAT = click.option(
    "--format",
    "style",
    type=click.Choice(("table", "csv", "json", "markdown")),
    default="table",
    show_default=True,
    help="How to print.",
)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trec_eval_py", message="%(prog)s %(version)s")
def main() -> None:
    """Score TREC runs against qrels: every measure of trec_eval, per query, as one tidy CSV."""


@main.command()
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@MEASURES
@click.option(
    "-l",
    "--relevance-level",
    type=click.IntRange(1, 2**31 - 1),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
@click.option(
    "-c", "--complete", is_flag=True, help="Count judged queries that a run lacks, as trec_eval -c."
)
@click.option("-J", "--judged-only", is_flag=True, help="Leave unjudged documents out of rankings.")
@click.option(
    "-M",
    "--max-docs",
    type=click.IntRange(1, 2**31 - 1),
    help="Only the first so many documents of each ranking count.",
)
@click.option(
    "-N",
    "--num-docs",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    help="Documents in the collection (for utility).",
)
@PROFILE
@click.option(
    "--answerable-only", is_flag=True, help="Leave out queries without a relevant document."
)
@click.option("--ceiling", is_flag=True, help="Add the run `ideal`: the best ranking there is.")
@QRELS_FORMAT
@RUN_FORMAT
@click.option(
    "--duplicates",
    type=click.Choice(("refuse", "first", "best")),
    default="refuse",
    show_default=True,
    help="What becomes of a document that stands twice in a query, in RUN or QRELS.",
)
@click.option(
    "--collapse",
    metavar="REGEX",
    help="Score documents by their best chunk: the first group of the match in a docno of a RUN "
    "is the document.",
)
@click.option(
    "--docno-map",
    metavar="FILE",
    help="The same by a file of two columns: docno, document.",
)
@click.option(
    "--drop-same-id",
    is_flag=True,
    help="Drop documents whose docno is the query_id, before ranking, as BEIR does.",
)
@click.option(
    "--split-tags", is_flag=True, help="Score each tag in a RUN as a run, named by its tag."
)
@click.option("--wide", is_flag=True, help="A column for each measure.")
@click.option(
    "--run-names",
    type=click.Choice(("file", "path", "tag")),
    default="file",
    show_default=True,
    help="What runs are named after where NAME=FILE does not say.",
)
@OUTPUT
@VERBOSE
@click.option("--no-trim", is_flag=True, hidden=True, help="Hand pytrec_eval whole rankings.")
@_common
@click.pass_context
def score(
    ctx: click.Context,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    relevance_level: int,
    complete: bool,
    judged_only: bool,
    max_docs: int | None,
    num_docs: int,
    profile: str,
    answerable_only: bool,
    ceiling: bool,
    qrels_format: str,
    run_format: str,
    duplicates: str,
    collapse: str | None,
    docno_map: str | None,
    drop_same_id: bool,
    split_tags: bool,
    wide: bool,
    run_names: str,
    output: str | None,
    verbose: bool,
    no_trim: bool,
) -> None:
    """Score each RUN against QRELS: a CSV row per run, query and measure.

    QRELS and RUN are files, plain or compressed, or - for standard input; NAME=FILE names them.
    What they are is told by their content: TREC, MS MARCO, BEIR, JSON, Parquet and others.
    With -o the CSV goes to that file and a table of means to standard output. Without, the CSV
    goes to standard output, except on a terminal, which gets the table.

    \b
    trec_eval_py score qrels/demo.qrels runs/demo/*.run -m nDCG@10 -m AP -o scores.csv
    """
    from trec_eval_py import reading, reporting
    from trec_eval_py.distributing import (
        Evaluation,
        form_of,
        intake_of,
        options_of,
        refuse_alike,
    )
    from trec_eval_py.measures import parse

    options = options_of(relevance_level, judged_only, max_docs, num_docs, profile)
    asked = parse(measures, options, form_of(reading.check_qrels_format(qrels_format)))
    intake = intake_of(run_format, duplicates, collapse, docno_map, drop_same_id)
    output = "-" if output in _STANDARD_OUTPUT else output
    kind = "csv" if output is None else reporting.kind_of(output)
    qrels_name, qrels_source, _ = _open([qrels], "file", [docno_map])[0]
    opened = _open(runs, run_names, [docno_map, qrels_source.name])
    notes = reading.Notes(intake.duplicates)
    evaluation = Evaluation(
        reading.load_judgments(qrels_source, qrels_name, qrels_format, profile, notes),
        qrels_name,
        asked,
        profile,
        complete=complete,
        answerable_only=answerable_only,
        trim=not no_trim,
        intake=intake,
    )
    if verbose:
        _say_what_it_is(qrels_name, qrels_source, notes.format)
    labels = reporting.headline([one.label for one in asked], bool(measures))
    as_table = output is None and sys.stdout is not None and sys.stdout.isatty()
    names: list[str] = []
    means, failed = [], False
    with ExitStack() as opened_last:
        writer = None
        if not as_table:
            file = opened_last.enter_context(reporting.output(output))
            writer = opened_last.enter_context(reporting.ScoresWriter(file, kind, wide))
        for name, source, prefix in opened:
            try:
                if split_tags:
                    runs_of = list(evaluation.score_tags(source, name, prefix))
                else:
                    runs_of = [evaluation.score(source, name)]
            except InputError as error:
                if ctx.meta.get(_DEBUG):
                    raise
                _say(f"error: {error}")
                failed = True
                continue
            if verbose:
                _say_what_it_is(name, source, runs_of[0].format)
            names += [scored.run for scored in runs_of]
            refuse_alike(names)
            for scored in runs_of:
                means.append(reporting.means_of(scored, labels))
                if writer is not None:
                    writer.add(scored)
        if not means:
            ctx.exit(REFUSED)
        if ceiling:
            scored = evaluation.ceiling()
            means.append(reporting.means_of(scored, labels))
            if writer is not None:
                writer.add(scored)
    if output not in (None, "-") or as_table:
        reporting.show(means)
        _say_what_more(as_table, len(labels), len(asked), None if wide else output)
    if failed:
        ctx.exit(REFUSED)


def _say_what_it_is(name: str, source: Source, format: str) -> None:
    """Say what a file was read as."""
    packed = "" if source.compression == "none" else f", {source.compression}"
    _say(f"{name}: read as {format}{packed}")


def _say_what_more(as_table: bool, shown: int, asked: int, output: str | None) -> None:
    """Say what the table leaves out, and how to see it."""
    if as_table:
        click.echo("\nThese are means; -o FILE writes every query's values.")
    elif shown < asked:
        how = f"; `trec_eval_py summary {shlex.quote(output)}` shows all" if output else ""
        click.echo(f"\n{shown} of {asked} measures{how}.")


class _Opened(NamedTuple):
    """A file that was named on the command line."""

    name: str
    source: Source
    prefix: str
    """What stands before the tags of its runs, where those are told apart."""


def _open(given: Sequence[str], run_names: str, taken: Sequence[str | None] = ()) -> list[_Opened]:
    """Open files by FILE or NAME=FILE, and see that no two are named alike.

    ``taken`` are other files of the call, of which one may be standard input.
    """
    from trec_eval_py import reading
    from trec_eval_py.schemas import CEILING

    named: dict[str, str] = {}
    opened = []
    inputs = [path for path in taken if path == "-"]
    for argument in given:
        name, equals, path = argument.partition("=")
        if not equals or not name or argument == "-" or os.path.lexists(argument):
            name, path = "", argument
        inputs += [path] * (path == "-")
        if len(inputs) > 1:
            raise UsageError("-: standard input can be read once; give the other as a file.")
        source = reading.Source(path)
        prefix = f"{name or path}/" if name or run_names == "path" else ""
        if not name:
            name = path if run_names == "path" else reading.name_of(path)
            name = reading.tag_of(source) if run_names == "tag" else name
        name = reading.legible(name)
        if name == CEILING:
            raise UsageError(f"{argument}: the name {CEILING!r} is reserved. Write NAME={path}.")
        if name in named:
            raise UsageError(
                f"{argument}: saw a second run named {name!r} (the first is {named[name]}), "
                "expected names that differ. Write NAME=FILE, or --run-names path or tag."
            )
        named[name] = argument
        opened.append(_Opened(name, source, reading.legible(prefix)))
    return opened


@main.command()
@click.argument("files", metavar="SCORES...", nargs=-1, required=True)
@MEASURES
@click.option(
    "--missing",
    type=click.Choice(("skip", "zero", "refuse")),
    default="skip",
    show_default=True,
    help="What a query counts that a run lacks: nothing (as in trec_eval), 0, or it is refused.",
)
@FORMAT
@OUTPUT
@_common
def summary(
    files: tuple[str, ...], measures: tuple[str, ...], missing: str, style: str, output: str | None
) -> None:
    """Average the SCORES that `score` wrote: a mean per run and measure.

    A run that lacks queries is marked, with the mean that counts them as 0 beside.
    """
    import pandas as pd

    from trec_eval_py import reporting
    from trec_eval_py.aggregating import summary as summarise

    kind = "" if output is None else reporting.kind_of(output)
    if files.count("-") > 1:
        raise UsageError("-: standard input can be read once; give the others as files.")
    frames = [reporting.read_scores(file) for file in files]
    _refuse_twice(files, frames)
    scores = pd.concat(frames, ignore_index=True)
    table = summarise(scores, measures or None, missing=missing)  # type: ignore[arg-type]
    if output is not None:
        with reporting.output(output) as file:
            reporting.write_rows(table, file, kind)
        return
    if style in ("csv", "json"):
        with reporting.output(None) as file:
            reporting.write_rows(table, file, style)
        return
    reporting.show(reporting.means_in(table), style=style, zeros=missing == "zero")


def _refuse_twice(files: Sequence[str], frames: Sequence[pd.DataFrame]) -> None:
    """Refuse a run that two files of scores hold, naming both."""
    homes: dict[tuple[str, str, str], str] = {}
    for file, table in zip(files, frames, strict=True):
        columns = (table[name].tolist() for name in ("qrels", "run", "measure"))
        for key in dict.fromkeys(zip(*columns, strict=True)):
            if key in homes:
                qrels, run, measure = key
                raise UsageError(
                    f"{file}: holds {measure} of run {run!r} on {qrels!r}, and so does "
                    f"{homes[key]}, expected each once. Score one of them as NAME=FILE."
                )
            homes[key] = file


@main.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--to", metavar="FORMAT", help="What OUT becomes; by default, its suffix tells.")
@click.option(
    "--from",
    "from_format",
    default="auto",
    show_default=True,
    metavar="FORMAT",
    help="What IN is; auto: its content tells, save for judgments by group.",
)
@VERBOSE
@_common
def convert(source: str, target: str, to: str | None, from_format: str, verbose: bool) -> None:
    """Convert a run or judgments to another format.

    Runs: trec, msmarco, json, rank_llm, mteb, parquet. Judgments: qrels, beir, json, jsonl,
    parquet, letor. Judgments by group: qrels_jg, prefs, qrels_prefs, subtopics. The suffix of OUT
    chooses (.run .txt .tsv .json .jsonl .parquet .qrels), and packs (.gz .bz2 .xz .zst .lz4); - is
    standard input and output. What OUT cannot hold is said where it is dropped; what it would
    mangle is refused.

    \b
    trec_eval_py convert runs/demo/bm25.run bm25.json.gz
    """
    from trec_eval_py.converting import convert as converted

    done = converted(
        source, "-" if target in _STANDARD_OUTPUT else target, to=to, from_format=from_format
    )
    if verbose:
        _say(f"{source}: read as {done.read_as}")
        _say(f"{target}: written as {done.written_as}, {done.queries} queries, {done.lines} lines")


@main.command()
@click.argument("name", required=False)
@FORMAT
@_common
def measures(name: str | None, style: str) -> None:
    """List the measures that can be asked for; with NAME, explain one."""
    from trec_eval_py import reporting
    from trec_eval_py.measures import MEASURES as KNOWN
    from trec_eval_py.measures import NICKNAMES, explain, spellings

    if name is not None:
        click.echo(explain(name))
        return
    header = ["measure", "also", "title", "better"]
    rows = [[*spellings(one), one.title, one.better or "neither"] for one in KNOWN if not one.text]
    texts = [measure.name for measure in KNOWN if measure.text]
    reporting.show_rows(header, rows, style)
    if style == "table":
        names = ", ".join(NICKNAMES["10.0"])
        click.echo(
            f"\nNicknames: {names}. k is a cutoff, r a recall level, x a number.\n"
            f"Text, which `trec_eval_py trec_eval` prints: {', '.join(texts)}."
        )


@main.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--qrels", metavar="QRELS", help="Hold runs against these judgments.")
@click.option("--topics", metavar="FILE", help="Which queries there are: TSV, CSV or JSON lines.")
@click.option("--against", metavar="OLD_QRELS", help="Hold judgments against an older version.")
@click.option(
    "--max-docs", type=click.IntRange(1, 2**31 - 1), help="Documents a query may have at most."
)
@click.option(
    "-l",
    "--relevance-level",
    type=click.IntRange(1, 2**31 - 1),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
@PROFILE
@QRELS_FORMAT
@RUN_FORMAT
@click.option(
    "--format",
    "style",
    type=click.Choice(("table", "json", "github")),
    default="table",
    show_default=True,
    help="How to print; github: as annotations of a build.",
)
@_common
@click.pass_context
def check(
    ctx: click.Context,
    files: tuple[str, ...],
    qrels: str | None,
    topics: str | None,
    against: str | None,
    max_docs: int | None,
    relevance_level: int,
    profile: str,
    qrels_format: str,
    run_format: str,
    style: str,
) -> None:
    """Find everything that is wrong or odd in each FILE: a run, judgments or scores.

    Errors are what `score` refuses, warnings make numbers that mislead, notes inform. The status is
    1 where there is an error.

    \b
    trec_eval_py check runs/demo/bm25.run --qrels qrels/demo.qrels
    """
    from trec_eval_py import reading, reporting
    from trec_eval_py.checking import Checks, check_files

    reading.check_qrels_format(qrels_format)
    reading.check_run_format(run_format)
    checks = Checks(
        qrels, topics, against, max_docs, relevance_level, profile, run_format, qrels_format
    )
    findings = check_files(files, checks)
    reporting.show_findings(findings, style)
    if any(one.severity == "error" for one in findings):
        ctx.exit(NO)


class _Untouched(click.Command):
    """A command that reads its arguments itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hand the arguments on as they are, with those that click would take for its own."""
        ctx.params["arguments"] = list(args)
        return []


@main.command(
    "trec_eval",
    cls=_Untouched,
    short_help="Be the C program trec_eval: same flags, same lines.",
)
@click.pass_context
def trec_eval(ctx: click.Context, arguments: list[str]) -> None:
    """Be the C program trec_eval, for scripts that call it; -h explains its flags."""
    from trec_eval_py import reporting, twin

    debug = ctx.find_root().meta[_DEBUG] = "--debug" in arguments
    status = TWIN_USAGE
    try:
        call = twin.read_arguments(arguments)
        status = TWIN_REFUSED
        if call.version:
            _say(call.version)
            return
        lines = call.say.encode() + b"\n" if call.say else twin.evaluate(call)
        with reporting.output(None) as file:
            file.write(lines)
    except TrecEvalError as error:
        if debug:
            raise
        _say(f"error: {error}")
        ctx.exit(TWIN_NO_QUERY if isinstance(error, NoCommonQueryError) else status)
    except BrokenPipeError:
        raise
    except OSError as error:
        if debug:
            raise
        _say(f"error: output: {error.strerror or error}.")
        _silence()
        ctx.exit(TWIN_REFUSED)


def run() -> None:
    """Be the program, to the last byte of its output."""
    # As an exception, so that a half-written file goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        try:
            main(prog_name="trec_eval_py")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # in what click writes itself, or in what was left to be written
        _silence()
        if isinstance(error, BrokenPipeError):
            sys.exit(DONE)
        _say(f"error: output: {error.strerror or error}.")
        sys.exit(REFUSED)
