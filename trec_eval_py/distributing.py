"""Scoring of runs against one set of judgments: serially, in this process, one after the other."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from trec_eval_py import reading
from trec_eval_py.errors import InputError, NoCommonQueryError, UsageError, warn
from trec_eval_py.measures import Asked, Options, check_form, parse
from trec_eval_py.provenance import Protocol, judgments_hash, short_hash
from trec_eval_py.ranking import (
    PROFILES,
    Batch,
    Columns,
    Documents,
    Judgments,
    Qrels,
    QrelsIndex,
    ideal,
    judge,
    judge_run,
)
from trec_eval_py.reading import Duplicates, Source
from trec_eval_py.schemas import CEILING, SCORES, frame
from trec_eval_py.scoring import Row, ScoredRun, Scorer

if TYPE_CHECKING:
    import pandas as pd

Reader = Literal["auto", "plain", "columnar"]


class Intake(NamedTuple):
    """How runs are read: what holds for all of a call, and enters the protocol."""

    run_format: str = "auto"
    """What files are read as; by default their content tells."""
    duplicates: Duplicates = "refuse"
    """What becomes of a document that stands twice in a query."""
    documents: Documents = Documents()
    """Which document each docno stands for."""
    collapse: str = ""
    """Digits of the hash of the expression that names documents."""
    docno_map: str = ""
    """Digits of the hash of the file that names documents."""


def intake_of(
    run_format: str = "auto",
    duplicates: str = "refuse",
    collapse: str | None = None,
    docno_map: object = None,
    drop_same_id: bool = False,
) -> Intake:
    """Check how runs are to be read.

    Parameters
    ----------
    run_format, duplicates : str
        As ``score`` takes them.
    collapse : str, optional
        A regular expression with a group, which is the document.
    docno_map : path, Source or mapping, optional
        docno to document: a file of two columns, or in memory.
    drop_same_id : bool
        Whether documents are dropped whose name equals the query_id.

    Raises
    ------
    UsageError
        On options that mean nothing, or exclude each other.
    InputError
        On a map that cannot be used.
    """
    reading.check_run_format(run_format)
    if duplicates not in reading.DUPLICATES:
        raise UsageError(f"duplicates: saw {duplicates!r}, expected refuse, first or best.")
    if collapse is not None and docno_map is not None:
        raise UsageError("collapse: saw docno_map beside, expected one of the two. Drop one.")
    pattern, table, digest = None, None, ""
    if collapse is not None:
        pattern, digest = _pattern(collapse), _hash_of(collapse)
    if docno_map is not None:
        table, digest = _docno_map(docno_map)
    return Intake(
        run_format,
        duplicates,
        Documents(pattern, table, drop_same_id),
        digest if pattern is not None else "",
        digest if table is not None else "",
    )


def _pattern(collapse: str) -> re.Pattern[str]:
    if not isinstance(collapse, str):
        raise UsageError(f"collapse: saw {collapse!r}, expected text. Pass the expression's text.")
    try:
        pattern = re.compile(collapse)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(
            f"collapse: saw {collapse!r}, which is no regular expression ({error}). Mend it."
        ) from None
    if not pattern.groups:
        raise UsageError(
            f"collapse: saw {collapse!r}, expected a group, which is the document, such as "
            r"'^(.*)#\d+$'. Put it in parentheses."
        )
    return pattern


def _hash_of(collapse: object) -> str:
    # Bytes of an argument that are no UTF-8 are surrogates in it.
    return short_hash(str(collapse).encode("utf-8", "surrogatepass"))


def _docno_map(given: object) -> tuple[Mapping[bytes, bytes], str]:
    """Read which document each docno stands for, and hash it."""
    if isinstance(given, Mapping):
        table = {
            reading.encoded(docno, "docno_map"): reading.encoded(document, "docno_map")
            for docno, document in given.items()
        }
        if len(table) < len(given):
            raise InputError(
                "docno_map: saw a docno twice (as text and number), expected once. Keep one."
            )
        lines = b"".join(sorted(b"%b\t%b\n" % pair for pair in table.items()))
        return table, short_hash(lines)
    source = given if isinstance(given, Source) else Source(given)  # type: ignore[arg-type]
    table = reading.load_docno_map(source)
    with source.open() as file:
        return table, short_hash(file.read())


class Evaluation:
    """Judgments and measures, against which runs are scored.

    Parameters
    ----------
    judgments : Judgments, or mapping
        As read; or query_id to docno to grade.
    name : str
        Of the qrels, in the output.
    asked : list of Asked
        The measures.
    profile : {"9.0", "10.0"}
        trec_eval's version.
    complete : bool
        Whether missing queries get what trec_eval's -c counts.
    answerable_only : bool
        Whether queries without a relevant document, at the lowest level asked for, are left out.
    trim : bool
        Whether pytrec_eval may be handed less than a whole ranking.
    reader : {"auto", "plain", "columnar"}
        Which reader takes files; by their size, unless tests say otherwise.
    intake : Intake
        How runs are read.
    texts : list of Asked
        Text measures to compute beside.
    drop_in : bool
        Whether warnings are for users of trec_eval, who know its ties.

    Raises
    ------
    InputError
        Where ``answerable_only`` leaves no query.
    MeasureError
        Where a measure reads another form of judgments.
    """

    def __init__(
        self,
        judgments: Judgments | Mapping[bytes, Mapping[bytes, int]],
        name: str,
        asked: list[Asked],
        profile: str = "9.0",
        *,
        complete: bool = False,
        answerable_only: bool = False,
        trim: bool = True,
        reader: Reader = "auto",
        intake: Intake = Intake(),  # noqa: B008 - it cannot change
        texts: Sequence[Asked] = (),
        drop_in: bool = False,
    ) -> None:
        self.name, self.asked, self.profile, self.complete = name, asked, profile, complete
        self.reader, self.intake, self.texts = reader, intake, texts
        self.drop_in = drop_in
        if not isinstance(judgments, Judgments):
            judgments = Qrels(judgments)
        self.judgments, qrels = judgments, judgments.pool
        check_form([*asked, *texts], judgments.form)
        judged = judgments_hash(judgments.records())
        self.protocol = Protocol(
            judged,
            profile,
            answerable_only,
            intake.duplicates,
            intake.documents.drop_same_id,
            intake.collapse,
            intake.docno_map,
        )
        levels = [one.level for one in asked if "rel" in one.measure.reads]
        least = min(levels or [one.level for one in asked], default=1)
        self._left_out = {
            query_id
            for query_id in qrels
            if answerable_only and judgments.highest(query_id) < least
        }
        self.queries = {q: qrels[q] for q in sorted(qrels) if q not in self._left_out}
        if not self.queries:
            raise InputError(
                f"{name}: saw no query with a document of grade {least} or more, expected one "
                "(--answerable-only). Lower the relevance level, or score all queries."
            )
        self._shown = reading.texts(self.queries, name)
        self._scorer = Scorer(asked, profile, trim)
        self._index: QrelsIndex | None = None

    def score(self, run: object, name: str) -> ScoredRun:
        """Read and score one run.

        Parameters
        ----------
        run : Source, mapping or DataFrame
            What ``reading`` takes.
        name : str
            Of the run, in the output and in warnings.

        Raises
        ------
        InputError
            Where the run cannot be used, or shares no query with the qrels (not with ``complete``).
        """
        if isinstance(run, Source) and self._in_columns(run):
            try:
                try:
                    notes = self._notes()
                    return self._collect(run, name, self._stream(run, name, notes), notes)
                except reading.Interleaved:
                    notes = self._notes()
                    batches = self._stream(run, name, notes, whole=True)
                    return self._collect(run, name, batches, notes)
            except reading.Odd:
                pass  # the plain reader says what is wrong, or takes it as it is
        notes = self._notes()
        held = reading.load_run(run, name, notes, self.intake.run_format)
        return self._collect(run, name, self._judged(held), notes)

    def score_tags(self, source: Source, name: str, prefix: str = "") -> Iterator[ScoredRun]:
        """Read a file of several runs, and score what each tag stands for as a run.

        Parameters
        ----------
        source : Source
            Of a TREC run.
        name : str
            Of the file, in warnings, and of what has no tag.
        prefix : str
            What stands before each tag in the name of its run.

        Raises
        ------
        InputError
            As ``score``.
        """
        notes = self._notes()
        for tag, held in reading.load_tagged_run(
            source, name, notes, self.intake.run_format
        ).items():
            run_name = f"{prefix}{tag}" if tag else name
            notes.last_tag = tag.encode()
            yield self._collect(source, run_name, self._judged(held), notes)

    def ceiling(self) -> ScoredRun:
        """Score the best ranking that the judgments allow; None where no ranking alone is best.

        Raises
        ------
        UsageError
            Where the judgments are not of one mind: of preferences or groups of users.
        """
        if self.judgments.form != "qrels":
            raise UsageError(
                f"ceiling: saw judgments read as {self.judgments.form}, expected qrels. One "
                "ranking need not be best for every judgment group: score without --ceiling."
            )
        best = {
            query_id: {docno: -float(i) for i, docno in enumerate(ideal(judged))}
            for query_id, judged in self.queries.items()
        }
        values: dict[bytes, Row] = {}
        for batch in self._judged(best):
            values |= self._values(batch)
        ranked = [one.ranked for one in self.asked]
        return self._scored(
            CEILING,
            {
                query_id: [v if best else None for v, best in zip(row, ranked, strict=True)]
                for query_id, row in values.items()
            },
        )

    def _stream(
        self, source: Source, name: str, notes: reading.Notes, whole: bool = False
    ) -> Iterator[Batch]:
        """Read, rank and judge a large run by columns."""
        if self._index is None:
            self._index = QrelsIndex(self.queries, self.judgments.ties_rise)
        index, documents = self._index, self.intake.documents

        def work(columns: Columns) -> Batch:
            if not documents:
                return index.judge(columns, self.profile)
            columns, unnamed = documents.of_columns(columns)
            return index.judge(columns, self.profile)._replace(unnamed=unnamed)

        return reading.stream_run(source, name, notes, work, whole, self.intake.run_format)

    def _judged(self, run: Mapping[bytes, Mapping[bytes, float]]) -> Iterator[Batch]:
        """Rank and judge a run that is held."""
        unnamed = 0
        if self.intake.documents:
            run, unnamed = self.intake.documents.of_run(run)
        for batch in judge_run(run, self.queries, self.profile, self.judgments.ties_rise):
            yield batch._replace(unnamed=unnamed)
            unnamed = 0

    def _notes(self) -> reading.Notes:
        return reading.Notes(self.intake.duplicates)

    def _in_columns(self, source: Source) -> bool:
        large = self.reader == "columnar" or (self.reader == "auto" and source.is_large())
        return large and reading.is_text_run(source, self.intake.run_format)

    def _collect(
        self, run: object, name: str, batches: Iterable[Batch], notes: reading.Notes
    ) -> ScoredRun:
        """Score batches of a run, and warn of its queries and ties."""
        values: dict[bytes, Row] = {}
        texts: dict[bytes, list[str]] = {}
        others: list[bytes] = []
        tied = tied_queries = unnamed = 0
        for batch in batches:
            values |= self._values(batch)
            texts |= self._texts(batch)
            others += batch.others
            tied, tied_queries = tied + batch.tied, tied_queries + batch.tied_queries
            unnamed += batch.unnamed
        if others and not values and not self.complete:
            self._refuse_foreign(run.name if isinstance(run, Source) else name, others)
        others = [query_id for query_id in others if query_id not in self._left_out]
        if others:
            warn(f"{name}: {_queries(len(others))} not in {self.name}; left out")
        missing = len(self.queries) - len(values)
        if missing:
            became = "left out of the summary (-c counts them)" if self.drop_in else "left empty"
            became = "counted as trec_eval -c does" if self.complete else became
            warn(f"{name}: {_queries(missing)} of {self.name} missing; {became}")
        if unnamed:
            which = "in the docno map" if self.intake.docno_map else "matched by --collapse"
            left = "left as it is" if unnamed == 1 else "left as they are"
            warn(f"{name}: {unnamed} {_plural(unnamed, 'docno')} not {which}; {left}")
        if tied and not self.drop_in:
            warn(
                f"{name}: {tied} documents tie in {_queries(tied_queries)}; among equal scores the "
                f"docno that sorts {'first' if self.judgments.ties_rise else 'last'} comes first"
            )
        return self._scored(name, values)._replace(
            texts=[texts.get(query_id, [""] * len(self.texts)) for query_id in self.queries],
            tag=notes.last_tag,
            format=notes.format,
        )

    def _refuse_foreign(self, place: str, others: list[bytes]) -> None:
        """Refuse a run that answers no query that is scored, with an id of each side to compare."""
        foreign = [query_id for query_id in others if query_id not in self._left_out]
        if not foreign:
            raise NoCommonQueryError(
                f"{place}: saw only queries of {self.name} that are left out (--answerable-only), "
                "expected others too. Score without, or lower the relevance level."
            )
        raise NoCommonQueryError(
            f"{place}: saw no query of {self.name} but others, such as "
            f"{reading.shown(foreign[0])}, expected such as "
            f"{reading.shown(next(iter(self.queries)))}. Check that both name queries alike, or "
            "score with --complete (trec_eval -c)."
        )

    def _values(self, batch: Batch) -> dict[bytes, Row]:
        view = self.judgments.view
        answered = {q: one for q, one in batch.queries.items() if one.ranking.retrieved}
        values: dict[bytes, Row]
        if self.judgments.form == "qrels":
            scored = self._scorer.score(list(answered.values()))
            values = dict(zip(answered, scored, strict=True))
        else:
            values = {q: self._scorer.define(view(q, one.ranking)) for q, one in answered.items()}
        for query_id, one in batch.queries.items():
            if query_id not in answered:
                values[query_id] = self._scorer.unanswered(view(query_id, one.ranking))
        return values

    def _texts(self, batch: Batch) -> dict[bytes, list[str]]:
        """Give the values of text measures."""
        if not self.texts:
            return {}
        return {
            query_id: [one.text(self.judgments.view(query_id, query.ranking)) for one in self.texts]
            for query_id, query in batch.queries.items()
        }

    def _scored(self, name: str, values: Mapping[bytes, Row]) -> ScoredRun:
        rows: list[Row] = []
        nothing: Row = [None] * len(self.asked)
        for query_id, judged in self.queries.items():
            row = values.get(query_id)
            if row is None and self.complete:
                row = self._scorer.unanswered(self.judgments.view(query_id, judge([], judged)))
            rows.append(nothing if row is None else row)
        labels = [one.label for one in self.asked]
        shown = list(self._shown.values())
        answered = [query_id in values for query_id in self.queries]
        return ScoredRun(self.name, name, str(self.protocol), labels, shown, rows, answered)


def _queries(count: int) -> str:
    return f"{count} {'query' if count == 1 else 'queries'}"


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def score(
    qrels: object,
    runs: object,
    measures: Iterable[str] | None = None,
    *,
    relevance_level: int = 1,
    complete: bool = False,
    judged_only: bool = False,
    max_docs: int | None = None,
    num_docs: int | None = None,
    profile: str = "9.0",
    answerable_only: bool = False,
    qrels_name: str | None = None,
    qrels_format: str = "auto",
    run_format: str = "auto",
    duplicates: Duplicates = "refuse",
    collapse: str | None = None,
    docno_map: str | os.PathLike[str] | Mapping[str, str] | None = None,
    drop_same_id: bool = False,
    split_tags: bool = False,
) -> pd.DataFrame:
    """Score runs against qrels: a row for each run, judged query and measure.

    Documents are ordered by score, descending, then by docno, descending by bytes, as in trec_eval;
    a ranked list keeps its order. There is one ranking for all measures.

    Parameters
    ----------
    qrels : path, mapping or DataFrame
        query_id to docno to grade, or to the relevant docnos; what ``read_qrels`` takes.
    runs : path, list of paths, mapping of name to run, or DataFrame
        Each run is what ``read_run`` takes: a path, query_id to docno to score, query_id to a
        ranked list, or a frame. A single path or frame is a run, named after its file, else
        ``run``. In a run, ``{}`` lacks every query, and ``{"q": {}}`` answered q with nothing.
    measures : iterable of str, optional
        In trec_eval's or ir_measures' spelling; by default every numeric measure of the profile's
        ``all_trec`` (of ``all_prefs`` or ``qrels_jg``, by the format of the qrels).
    relevance_level : int
        The lowest grade that counts as relevant, from 1.
    complete : bool
        Whether judged queries that a run lacks count as 0, as with trec_eval -c; else their values
        are NaN.
    judged_only : bool
        Whether unjudged documents are left out of rankings (trec_eval -J).
    max_docs : int, optional
        How many documents of each ranking count (trec_eval -M).
    num_docs : int, optional
        Documents in the collection, for ``utility`` (trec_eval -N); 0 by default, as there.
    profile : {"9.0", "10.0"}
        The version of trec_eval whose numbers these are: in 9.0, scores compare as C floats.
    answerable_only : bool
        Whether queries without a relevant document are left out.
    qrels_name : str, optional
        Name of the qrels in the output; by default that of the file, else ``qrels``.
    qrels_format, run_format : str
        What files are read as; by default their content tells. Of qrels: qrels (4 fields), beir,
        json, jsonl, parquet, letor; never told by content are qrels_jg (grades by judgment group,
        in the second column), subtopics (the same, by subtopic), prefs (preferences of 5 fields:
        query_id group subgroup docno level) and qrels_prefs (qrels read as such). Of runs: trec,
        msmarco, json, rank_llm, mteb (mteb:SUBSET/SPLIT for one part), parquet.
    duplicates : {"refuse", "first", "best"}
        What becomes of a document that stands twice in a query of a run, or a pair that is judged
        twice: it is refused, or the first one is kept, or the one with the highest score or grade.
    collapse : str, optional
        A regular expression; the first group of its match in a docno of a run is the document,
        whose score is the best of its chunks. Docnos that it does not match stay.
    docno_map : path or mapping, optional
        The same by a table: docno to document; a file has two columns.
    drop_same_id : bool
        Whether documents whose docno (or document, by the two above) equals the query_id are
        dropped before ranking, as BEIR does.
    split_tags : bool
        Whether each tag in a file of a run is a run of its own, named by its tag (where ``runs``
        is a mapping, NAME/TAG).

    Returns
    -------
    DataFrame
        Columns qrels, run, query_id, measure, value, protocol; runs in the order given, queries by
        byte order, measures as asked.

    Raises
    ------
    UsageError
        On options out of range and names that clash; MeasureError on a measure that means nothing.
    InputError
        On data that cannot be used, in memory or (ReadError, with file and line) in a file.

    Warns
    -----
    TrecEvalWarning
        On queries that only one side has, ties, and what was read in a way that may surprise.

    References
    ----------
    trec_eval 9.0.8 and 10.0; Van Gysel & de Rijke 2018, Pytrec_eval, SIGIR.

    Examples
    --------
    >>> import trec_eval_py as te
    >>> scores = te.score({"q": {"d3": 1}}, {"mine": {"q": ["d1", "d3"]}}, ["RR@10"])
    >>> scores["value"].tolist()
    [0.5]
    """
    documents = 0 if num_docs is None else num_docs
    options = options_of(relevance_level, judged_only, max_docs, documents, profile)
    reading.check_qrels_format(qrels_format)
    intake = intake_of(run_format, duplicates, collapse, docno_map, drop_same_id)
    asked = parse(measures, options, form_of(qrels_format))
    named = _named(runs)
    source, name = _opened(qrels, qrels_name, "qrels")
    notes = reading.Notes(intake.duplicates)
    evaluation = Evaluation(
        reading.load_judgments(source, name, qrels_format, profile, notes),
        name,
        asked,
        profile,
        complete=complete,
        answerable_only=answerable_only,
        intake=intake,
    )
    scored: list[ScoredRun] = []
    for run_name, run in named.items():
        if split_tags and isinstance(run, Source):
            prefix = f"{run_name}/" if isinstance(runs, Mapping) else ""
            scored += evaluation.score_tags(run, run_name, prefix)
        else:
            scored.append(evaluation.score(run, run_name))
    refuse_alike([one.run for one in scored])
    return scores_frame(scored)


def score_ranking(
    ranking: Iterable[str],
    judged: Mapping[str, int] | Iterable[str],
    measures: Iterable[str] | None = None,
) -> dict[str, float]:
    """Score one ranking.

    Parameters
    ----------
    ranking : list of str
        docnos, the first at rank 1; may be empty.
    judged : mapping of docno to grade, or set or list of relevant docnos
        The judgments.
    measures : iterable of str, optional
        In trec_eval's or ir_measures' spelling; by default every measure that pytrec_eval
        computes.

    Returns
    -------
    dict
        label to value.

    Raises
    ------
    InputError, MeasureError
        As ``score`` does.

    Examples
    --------
    >>> import trec_eval_py as te
    >>> te.score_ranking(["a", "x", "b", "y"], {"a", "b", "c"}, ["P@2", "RR"])
    {'P@2': 0.5, 'RR': 1.0}
    """
    asked = parse(measures, Options())
    evaluation = Evaluation(reading.load_judgments({"q": judged}, "judged"), "judged", asked)
    documents = ranking if isinstance(ranking, list | tuple | Mapping) else None
    if documents is None:
        raise InputError(
            f"ranking: saw {type(ranking).__name__}, expected a list of docnos, the best first."
        )
    scored = evaluation.score({"q": documents}, "ranking")
    return {
        label: value
        for label, value in zip(scored.labels, scored.rows[0], strict=True)
        if value is not None
    }


def form_of(qrels_format: str) -> str:
    """Say what form of judgments a format makes: qrels may be read as preferences."""
    if qrels_format in reading.FLAT_FORMATS:
        return "qrels"
    return "prefs" if qrels_format == "qrels_prefs" else qrels_format


def refuse_alike(names: Sequence[str]) -> None:
    """Refuse tags that name two runs alike, or a run as the ceiling is named."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise UsageError(
            f"runs: saw tag {twice!r} in two files, expected names that differ. Write NAME=FILE "
            "(in Python, a dict of name to path)."
        )
    if CEILING in names:
        raise UsageError(f"runs: saw tag {CEILING!r}, which is reserved. Write NAME=FILE.")


def options_of(
    relevance_level: int, judged_only: bool, max_docs: int | None, num_docs: int, profile: str
) -> Options:
    """Check the options that hold for all measures of a call."""
    numbers = {"relevance_level": relevance_level, "num_docs": num_docs}
    if max_docs is not None:
        numbers["max_docs"] = max_docs
    for name, value in numbers.items():
        least = 0 if name == "num_docs" else 1
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not whole or not least <= value < 2**31:
            raise UsageError(
                f"{name}: saw {value!r}, expected a whole number from {least} to {2**31 - 1}."
            )
    if profile not in PROFILES:
        raise UsageError(f"profile: saw {profile!r}, expected one of {', '.join(PROFILES)}.")
    most = None if max_docs is None else int(max_docs)
    return Options(int(relevance_level), bool(judged_only), most, int(num_docs), profile)


def scores_frame(scored: Iterable[ScoredRun]) -> pd.DataFrame:
    """Put scored runs into one tidy frame; missing values are NaN."""
    columns: dict[str, list[Any]] = {name: [] for name in SCORES.columns}
    for qrels, run, protocol, labels, query_ids, rows, *_ in scored:
        size = len(labels) * len(query_ids)
        columns["qrels"] += [qrels] * size
        columns["run"] += [run] * size
        columns["query_id"] += [query_id for query_id in query_ids for _ in labels]
        columns["measure"] += labels * len(query_ids)
        columns["value"] += [value for row in rows for value in row]
        columns["protocol"] += [protocol] * size
    return frame(SCORES, columns)


def _named(runs: object) -> dict[str, object]:
    """Give each run a name: the key in a mapping, else the file's, else ``run``."""
    if isinstance(runs, str | os.PathLike):
        runs = [runs]
    if isinstance(runs, list | tuple) and all(isinstance(x, str | os.PathLike) for x in runs):
        opened = [_opened(path, None, "run") for path in runs]
        named = {name: source for source, name in opened}
        if len(named) < len(opened):
            raise UsageError(
                f"runs: saw files of one name among {', '.join(map(os.fspath, runs))}, expected "
                "names that differ. Pass a dict of name to path."
            )
    elif isinstance(runs, Mapping):
        named = {}
        for name, run in runs.items():
            if _is_ranking(run):
                raise UsageError(
                    f"runs: saw documents under {name!r}, expected a run. A dict of runs maps "
                    "names to runs: write {'mine': run}."
                )
            if not isinstance(name, str) or not name or name == CEILING:
                raise UsageError(f"runs: saw name {name!r}, expected text other than {CEILING!r}.")
            named[name] = _opened(run, name, name)[0]
    else:
        return {"run": runs}
    if not named:
        raise UsageError("runs: saw none, expected at least one. Pass {'mine': run}.")
    return named


def _is_ranking(run: object) -> bool:
    """Whether this is one query's answer, where a run is wanted: the outer dict was left out."""
    if isinstance(run, Mapping):
        return bool(run) and all(isinstance(score, Real) for score in run.values())
    return isinstance(run, list | tuple | set | frozenset)


def _opened(data: object, name: str | None, otherwise: str) -> tuple[object, str]:
    """Open what is a path, and name what is given: by name, by file, or as otherwise called."""
    if isinstance(data, str | os.PathLike):
        return Source(data), name or reading.name_of(os.fspath(data))
    return data, name or otherwise
