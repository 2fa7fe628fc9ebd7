"""Faults and oddities of a run."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import pairwise
from statistics import median

from trec_eval_py.checking._findings import Findings, counted, listed
from trec_eval_py.checking._ties import tie_ranges
from trec_eval_py.errors import InputError
from trec_eval_py.ranking import rank
from trec_eval_py.reading import Notes, RunLine, Source, scan_run, shown

Run = Mapping[bytes, Mapping[bytes, float]]
Qrels = Mapping[bytes, Mapping[bytes, int]]

# What TREC asks of tags, which stand in file names and tables.
_TAG = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._+-]{0,29}")
# Where fewer of the first ten documents are judged, differences may be those of judging.
_WELL_JUDGED = 0.9
_TOP = 10


class _Lines:
    """What lines say beside query, docno and score."""

    def __init__(self) -> None:
        self.ranks: dict[bytes, array[int]] = {}
        self.scores: dict[bytes, array[float]] = {}
        self.odd_ranks: Counter[bytes] = Counter()
        self.first_odd_rank = 0
        self.tags: dict[bytes, int] = {}
        self.iterations: set[bytes] = set()

    def see(self, line: RunLine) -> None:
        """Take a line."""
        self.tags.setdefault(line.tag, line.line)
        if len(self.iterations) < 2:
            self.iterations.add(line.iteration)
        if not re.fullmatch(rb"[+-]?[0-9]{1,18}", line.rank):
            self.first_odd_rank = self.first_odd_rank or line.line
            self.odd_ranks[line.rank] += 1
            return
        self.ranks.setdefault(line.query_id, array("q")).append(int(line.rank))
        self.scores.setdefault(line.query_id, array("d")).append(line.score)


def check_run(
    source: Source,
    qrels: Qrels | None = None,
    qrels_name: str = "",
    topics: Collection[bytes] | None = None,
    max_docs: int | None = None,
    profile: str = "9.0",
    run_format: str = "auto",
    relevance_level: int = 1,
) -> Findings:
    """Find all faults of a run, and what may mislead in its numbers.

    Parameters
    ----------
    source : Source
        Of any format.
    qrels : mapping, optional
        query_id to docno to grade, to hold the run against.
    qrels_name : str
        What findings call them.
    topics : collection of bytes, optional
        The query ids that are to be answered.
    max_docs : int, optional
        How many documents a query may have.
    profile : {"9.0", "10.0"}
        Whether scores tie as C floats or as doubles.
    run_format : str
        What the file is read as.
    relevance_level : int
        The lowest grade that counts as relevant.

    Returns
    -------
    Findings
        By line; those of the whole file last.
    """
    findings, lines = Findings(source.name), _Lines()
    notes = Notes(on_fault=findings.add_error)
    run: Run = {}
    try:
        run = scan_run(source, notes, run_format, lines.see)
    except InputError as error:  # whereupon reading cannot go on
        findings.add_error(error)
    _report_notes(findings, notes)
    if not run:
        return findings
    findings.add_alike(run)
    _check_tags(findings, lines)
    _check_ranks(findings, lines)
    _check_depth(findings, run, max_docs)
    if notes.width > 3:
        _check_grades(findings, run)
    _check_ties(findings, run, qrels, profile, relevance_level)
    if qrels is not None:
        _check_queries(findings, run, set(qrels), qrels_name, "qrels")
        _check_coverage(findings, run, qrels, qrels_name, profile)
    if topics is not None:
        _check_queries(findings, run, set(topics), "the topics", "topics")
    return findings


def _report_notes(findings: Findings, notes: Notes) -> None:
    if notes.out_of_range:
        findings.add(
            "score-out-of-range",
            None,
            f"{counted(notes.out_of_range, 'score')} beyond the range of a double, read as "
            "infinite or 0",
            "Scale the scores: such documents tie.",
        )
    findings.add_common(notes)
    if notes.interleaved:
        findings.add(
            "queries-interleaved",
            None,
            f"{counted(notes.interleaved, 'query', 'queries')} seen again after another one",
            "Sort the file by query: it takes less time and memory.",
        )
    if notes.width == 3 and not notes.judgments:
        findings.add("fields-3", None, "3 fields a line (query_id docno rank): order, no scores")
    if notes.width == 5:
        findings.add("fields-5", None, "5 fields a line (query_id Q0 docno rank score): no tag")
    if notes.metadata:
        findings.add("ir-metadata", None, f"an ir_metadata header of {len(notes.metadata)} lines")


def _check_tags(findings: Findings, lines: _Lines) -> None:
    tags = [tag for tag in lines.tags if tag]
    if len(tags) > 1:
        findings.add(
            "tags-several",
            lines.tags[tags[1]],
            f"{len(tags)} tags ({listed(tags)}), scored as one run",
            "Give each run a file, or score them apart with --split-tags.",
        )
    for tag in tags:
        if not _TAG.fullmatch(tag):
            findings.add(
                "tag-odd",
                lines.tags[tag],
                f"tag {shown(tag)}, which is not of letters, digits, . _ + - and at most 30 long",
                "Other tools may refuse or cut it.",
            )


def _check_ranks(findings: Findings, lines: _Lines) -> None:
    """Hold the ranks, which trec_eval ignores, against the scores."""
    if lines.odd_ranks and not (len(lines.odd_ranks) == 1 and b"" in lines.odd_ranks):
        findings.add(
            "rank-not-a-number",
            lines.first_odd_rank,
            f"{counted(lines.odd_ranks.total(), 'no integer', 'no integers')} for a rank, such as "
            f"{shown(next(iter(lines.odd_ranks)))}",
            "trec_eval ignores ranks; other tools do not.",
        )
    starts: Counter[int] = Counter()
    against, rising, several = [], 0, 0
    for query_id, ranks in lines.ranks.items():
        scores = lines.scores[query_id]
        starts[min(ranks)] += 1
        if len(set(ranks)) < 2:
            continue
        several += 1
        by_rank = [score for _, score in sorted(zip(ranks, scores, strict=True))]
        rises = all(a <= b for a, b in pairwise(by_rank)) and by_rank[0] < by_rank[-1]
        rising += rises
        groups: dict[int, list[float]] = {}
        for one, score in zip(ranks, scores, strict=True):
            groups.setdefault(one, []).append(score)
        ordered = [groups[one] for one in sorted(groups)]
        if any(max(below) > min(above) for above, below in pairwise(ordered)):
            against.append(query_id)
    if several and rising > several / 2:
        findings.add(
            "scores-rise",
            None,
            f"scores that rise with the rank in {rising} of {several} queries: the document ranked "
            "first counts as the last",
            "Where ranks or distances were written as scores, write them negative.",
        )
    elif against:
        findings.add(
            "rank-order",
            None,
            f"ranks that contradict the scores in {len(against)} of {several} queries, such as "
            f"{shown(against[0])}",
            "Scores count, ranks are ignored: see that the scores are those meant.",
        )
    if len(lines.iterations) > 1:
        findings.add(
            "second-column",
            None,
            f"a second column of more than one value ({listed(sorted(lines.iterations))}), where "
            "runs have Q0",
            "It is ignored: see that no other column stands there.",
        )
    others = {start: count for start, count in starts.items() if start != 1}
    if others:
        most = max(others, key=others.__getitem__)
        findings.add(
            "rank-start",
            None,
            f"ranks that do not start at 1 in {sum(others.values())} of {len(lines.ranks)} "
            f"queries (at {most} in {others[most]})",
        )


def _check_depth(findings: Findings, run: Run, max_docs: int | None) -> None:
    counts = [len(documents) for documents in run.values()]
    findings.add(
        "run-depth",
        None,
        f"{counted(sum(counts), 'document')} in {counted(len(counts), 'query', 'queries')}: "
        f"{min(counts)} to {max(counts)} a query, median {median(counts):g}",
    )
    if max_docs is not None:
        deep = [query_id for query_id, documents in run.items() if len(documents) > max_docs]
        if deep:
            findings.add(
                "too-many-documents",
                None,
                f"more than {max_docs} documents in {counted(len(deep), 'query', 'queries')} "
                f"({listed(deep)})",
                f"Keep the first {max_docs} of each.",
            )
    own = sum(query_id in documents for query_id, documents in run.items())
    if own:
        findings.add(
            "docno-is-query",
            None,
            f"{counted(own, 'query', 'queries')} that retrieved a document of the same id",
            "BEIR drops such documents: score with --drop-same-id to do so.",
        )


def _check_grades(findings: Findings, run: Run) -> None:
    """Tell a run whose scores look like grades: qrels that were given six columns, perhaps."""
    scores = {score for documents in run.values() for score in documents.values()}
    documents = sum(map(len, run.values()))
    if documents > 2 and scores <= {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0}:
        findings.add(
            "scores-like-grades",
            None,
            f"no other scores than {', '.join(f'{score:g}' for score in sorted(scores))}: as in "
            "judgments",
            "See that this is the run, with the scores of the system.",
        )


def _check_ties(
    findings: Findings, run: Run, qrels: Qrels | None, profile: str, relevance_level: int
) -> None:
    pool: Qrels = {query_id: {} for query_id in run} if qrels is None else qrels
    if qrels is None:
        counts = [rank(documents, profile)[1] for documents in run.values()]
        tied, queries = sum(counts), sum(count > 0 for count in counts)
        exact = sum(rank(documents, "10.0")[1] for documents in run.values())
        only, moved = (tied - exact if profile == "9.0" else 0), ""
    else:
        ties = tie_ranges(run, pool, profile, relevance_level)
        tied, queries, only = ties.documents, ties.queries, ties.only_as_floats
        moved = "; ".join(
            f"{one.measure} is {one.value:.4f}, and could be {one.lowest:.4f} to {one.highest:.4f}"
            for one in ties.ranges
        )
    if tied:
        findings.add(
            "ties",
            None,
            f"{counted(tied, 'document')} that tie, in {counted(queries, 'query', 'queries')}"
            + (f": {moved}" if moved else ""),
            "Among equal scores the docno that sorts last comes first: write more digits.",
        )
    if only:
        findings.add(
            "ties-as-floats",
            None,
            f"{counted(only, 'document')} that tie as C floats (trec_eval 9.0) but not as doubles "
            "(10.0)",
            "The two versions order them otherwise: name the profile.",
        )


def _check_queries(findings: Findings, run: Run, wanted: set[bytes], name: str, kind: str) -> None:
    """Tell of queries that only one side has."""
    missing, extra = sorted(wanted - run.keys()), sorted(run.keys() - wanted)
    if len(extra) == len(run):
        findings.add(
            f"{kind}-none-in-common",
            None,
            f"no query of {name}: {shown(extra[0])} here, {shown(min(wanted))} there",
            "See that both name queries alike.",
        )
        return
    if missing:
        findings.add(
            f"{kind}-missing",
            None,
            f"{counted(len(missing), 'query', 'queries')} of {name} missing ({listed(missing)})",
            "They count as nothing, or as 0 with --complete: see that the system answered them.",
        )
    if extra:
        findings.add(
            f"{kind}-extra",
            None,
            f"{counted(len(extra), 'query', 'queries')} not in {name} ({listed(extra)})",
            "They are left out.",
        )


def _check_coverage(findings: Findings, run: Run, qrels: Qrels, name: str, profile: str) -> None:
    """Tell how much of what was retrieved is judged."""
    known = {docno for documents in qrels.values() for docno in documents}
    found = {docno for documents in run.values() for docno in documents}
    if found and not found & known:
        findings.add(
            "docnos-unknown",
            None,
            f"no docno that {name} judges for any query, such as {shown(min(known))}, but "
            f"{shown(min(found))}",
            "See that both are of one collection, and write docnos alike.",
        )
        return
    shares, holes = [], []
    for query_id in sorted(run.keys() & qrels.keys()):
        top = rank(run[query_id], profile)[0][:_TOP]
        judged = sum(qrels[query_id].get(docno, -1) >= 0 for docno in top)
        if top:
            shares.append(judged / len(top))
            holes.append(len(top) - judged)
    if not shares:
        return
    mean = sum(shares) / len(shares)
    findings.add(
        "judged" if mean >= _WELL_JUDGED else "judged-low",
        None,
        f"judged@{_TOP} {mean:.4f} (mean share of the first {_TOP} retrieved), Hole@{_TOP} "
        f"{sum(holes) / len(holes):.2f} unjudged a query",
        "" if mean >= _WELL_JUDGED else "Differences may be those of judging: compare with care.",
    )
