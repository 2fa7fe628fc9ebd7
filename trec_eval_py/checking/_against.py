"""What changed between two versions of judgments, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trec_eval_py.checking._findings import Finding, counted, found, listed
from trec_eval_py.reading import shown

Qrels = Mapping[bytes, Mapping[bytes, int]]
# Changes of grades, and queries, that a finding names; it counts the rest.
_NAMED_CHANGES, _NAMED_QUERIES = 12, 5


class Agreement(NamedTuple):
    """How far two sets of judgments agree on the pairs that both judge.

    A pair is a query and a document; one with a negative grade is in the pool, but unjudged.
    """

    pairs: int
    """Pairs that both judge."""
    same: int
    """Of these, those of one grade."""
    raw: float | None
    """Share of ``same``; None where there is no pair."""
    kappa: float | None
    """Cohen's kappa over grades, unweighted; None where chance alone would always agree."""
    kappa_relevant: float | None
    """Cohen's kappa over relevant or not; None where chance alone would always agree."""
    both_relevant: int
    """Pairs relevant in both."""
    either_relevant: int
    """Pairs relevant in one at least."""
    overlap: float | None
    """``both_relevant`` over ``either_relevant``, all queries together; None where neither has a
    relevant document."""
    mean_overlap: float | None
    """The same a query, averaged over the queries where it is defined: what Voorhees tabulates."""


def agreement(new: Qrels, old: Qrels, relevance_level: int = 1) -> Agreement:
    """Measure how far two sets of judgments agree on the pairs that both judge.

    Which of the two is new makes no difference.

    Parameters
    ----------
    new, old : mapping
        query_id to docno to grade.
    relevance_level : int
        The lowest grade that counts as relevant, from 1.

    Returns
    -------
    Agreement
        Kappa is (p_o - p_e) / (1 - p_e): p_o is the share of pairs that agree, p_e what two judges
        with these shares of grades would agree on by chance. Where p_e is 1 (one grade everywhere),
        or there is no pair, it is undefined: None.

    References
    ----------
    Cohen 1960, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20(1):37-46. Voorhees 2000, "Variations in relevance judgments and the measurement
    of retrieval effectiveness", Information Processing & Management 36(5):697-716 (overlap).
    """
    grades: Counter[tuple[int, int]] = Counter()
    overlaps = []
    for query_id, _, before, after in _pairs_in_both(new, old):
        if min(before, after) >= 0:
            grades[before, after] += 1
            overlaps.append((query_id, before >= relevance_level, after >= relevance_level))
    relevant: Counter[tuple[int, int]] = Counter()
    for (before, after), count in grades.items():
        relevant[int(before >= relevance_level), int(after >= relevance_level)] += count
    pairs, same = grades.total(), _same(grades)
    both = Counter(query_id for query_id, was, is_now in overlaps if was and is_now)
    either = Counter(query_id for query_id, was, is_now in overlaps if was or is_now)
    shares = [both[query_id] / count for query_id, count in sorted(either.items())]
    return Agreement(
        pairs,
        same,
        same / pairs if pairs else None,
        _kappa(grades),
        _kappa(relevant),
        both.total(),
        either.total(),
        both.total() / either.total() if shares else None,
        sum(shares) / len(shares) if shares else None,
    )


def compare_judgments(
    new: Qrels, old: Qrels, new_name: str, old_name: str, relevance_level: int = 1
) -> list[Finding]:
    """List what changed from one version of the judgments to the next.

    Parameters
    ----------
    new, old : mapping
        query_id to docno to grade.
    new_name, old_name : str
        Their files, as the user named them; findings are of the new one.
    relevance_level : int
        The lowest grade that counts as relevant, from 1.

    Returns
    -------
    list of Finding
        Queries and documents added and dropped, grades changed, queries whose number of relevant
        documents changed, then the numbers of ``agreement``; one a kind, with an example. Of
        versions that hold the same, one that says so.

    References
    ----------
    As for ``agreement``.
    """
    if new == old:
        saw = f"the same judgments as {old_name}: no query, document or grade differs"
        return [found("judgments-same", new_name, None, saw)]
    findings = [
        *_queries_changed(new, old, new_name, old_name),
        *_pairs_changed(new, old, new_name, old_name),
        *_grades_changed(new, old, new_name, old_name),
        *_relevant_changed(new, old, new_name, old_name, relevance_level),
    ]
    saw = _in_words(agreement(new, old, relevance_level), old_name, relevance_level)
    return [*findings, found("judgments-agreement", new_name, None, saw)]


def _pairs_in_both(new: Qrels, old: Qrels) -> Iterator[tuple[bytes, bytes, int, int]]:
    """Yield query_id, docno, the old grade and the new one."""
    for query_id, judged in new.items():
        before = old.get(query_id, {})
        for docno, grade in judged.items():
            if docno in before:
                yield query_id, docno, before[docno], grade


def _same(table: Counter[tuple[int, int]]) -> int:
    return sum(count for (before, after), count in table.items() if before == after)


def _kappa(table: Counter[tuple[int, int]]) -> float | None:
    """Give Cohen's kappa of counts by category before and after; whole numbers, so 1 is exact."""
    befores: Counter[int] = Counter()
    afters: Counter[int] = Counter()
    for (before, after), count in table.items():
        befores[before] += count
        afters[after] += count
    pairs = table.total()
    by_chance = sum(count * afters[grade] for grade, count in befores.items())
    if by_chance == pairs * pairs:
        return None
    return (pairs * _same(table) - by_chance) / (pairs * pairs - by_chance)


def _queries_changed(new: Qrels, old: Qrels, new_name: str, old_name: str) -> Iterator[Finding]:
    added, dropped = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    if added:
        saw = f"{counted(len(added), 'query', 'queries')} that {old_name} lacks: {listed(added)}"
        fix = "Means over all queries are not comparable with those of the old version."
        yield found("judgments-query-added", new_name, None, saw, fix)
    if dropped:
        count = counted(len(dropped), "query", "queries")
        saw = f"nothing for {count} of {old_name}: {listed(dropped)}"
        fix = "Put them back, or score again: means are over fewer queries than before."
        yield found("judgments-query-dropped", new_name, None, saw, fix)


def _pairs_changed(new: Qrels, old: Qrels, new_name: str, old_name: str) -> Iterator[Finding]:
    """Find documents that only one version has, in queries that both have."""
    added, dropped = _only_in(new, old), _only_in(old, new)
    if added:
        saw = f"{counted(len(added), 'document')} that {old_name} lacks in queries of both"
        saw += f", as {_pair(*added[0])}"
        yield found("judgments-document-added", new_name, None, saw)
    if dropped:
        count = counted(len(dropped), "document")
        saw = f"no judgment of {count} that {old_name} has in queries of both"
        saw += f", as {_pair(*dropped[0])}"
        fix = "Put them back, unless they were meant to go: they now count as unjudged."
        yield found("judgments-document-dropped", new_name, None, saw, fix)


def _only_in(one: Qrels, other: Qrels) -> list[tuple[bytes, bytes]]:
    return [
        (query_id, docno)
        for query_id in sorted(one.keys() & other.keys())
        for docno in sorted(one[query_id].keys() - other[query_id].keys())
    ]


def _grades_changed(new: Qrels, old: Qrels, new_name: str, old_name: str) -> Iterator[Finding]:
    changed = sorted(pair for pair in _pairs_in_both(new, old) if pair[2] != pair[3])
    if not changed:
        return
    table = Counter((before, after) for _, _, before, after in changed)
    by_count = sorted(table.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{a} to {b}: {count}" for (a, b), count in by_count[:_NAMED_CHANGES]]
    parts += ["…"] * (len(by_count) > _NAMED_CHANGES)
    query_id, docno, before, after = changed[0]
    shared = sum(1 for _ in _pairs_in_both(new, old))
    saw = (
        f"{len(changed)} of {counted(shared, 'grade')} changed since {old_name} "
        f"({', '.join(parts)}), as {_pair(query_id, docno)}, from {before} to {after}"
    )
    fix = "Score every run again: numbers of the two versions do not compare."
    yield found("judgments-grade-changed", new_name, None, saw, fix)


def _relevant_changed(
    new: Qrels, old: Qrels, new_name: str, old_name: str, level: int
) -> Iterator[Finding]:
    """Find queries of both whose number of relevant documents differs."""
    counts = {q: (_relevant(old[q], level), _relevant(new[q], level)) for q in new if q in old}
    changed = sorted(q for q, (before, after) in counts.items() if before != after)
    if changed:
        before, after = counts[changed[0]]
        saw = (
            f"{counted(len(changed), 'query', 'queries')} of {len(counts)} with more or fewer "
            f"relevant documents (grade {level} or more) than in {old_name}, as query "
            f"{shown(changed[0])}: {before} before, {after} now"
        )
        yield found("judgments-relevant-changed", new_name, None, saw)
    lost = [q for q in changed if counts[q][1] == 0]
    if lost:
        saw = (
            f"no relevant document (grade {level} or more) any longer for "
            f"{counted(len(lost), 'query', 'queries')} that had one in {old_name}: {listed(lost)}"
        )
        fix = "Look at their grades: every run scores 0 there."
        yield found("judgments-relevant-lost", new_name, None, saw, fix)


def _relevant(judged: Mapping[bytes, int], level: int) -> int:
    return sum(grade >= level for grade in judged.values())


def _in_words(numbers: Agreement, old_name: str, level: int) -> str:
    """Say the numbers, and where one is undefined, why."""
    if not numbers.pairs:
        return f"no pair of query and document that {old_name} judges, too: no agreement to measure"
    at = f"relevant (grade {level} or more)"
    parts = [
        f"{numbers.same} of {counted(numbers.pairs, 'pair')} that both judge have the same grade "
        f"in {old_name} ({numbers.raw:.4f})",
        f"Cohen's kappa over grades {_or_undefined(numbers.kappa)}",
        f"over {at} or not {_or_undefined(numbers.kappa_relevant)}",
    ]
    if numbers.overlap is None:
        parts.append("overlap is undefined (neither has a relevant document)")
    else:
        parts.append(
            f"overlap of the relevant {numbers.overlap:.4f} ({numbers.both_relevant} of "
            f"{numbers.either_relevant}; mean over queries {numbers.mean_overlap:.4f})"
        )
    return "; ".join(parts)


def _or_undefined(kappa: float | None) -> str:
    return "is undefined (all are alike)" if kappa is None else f"{kappa:.4f}"


def _pair(query_id: bytes, docno: bytes) -> str:
    return f"document {shown(docno)} of query {shown(query_id)}"
