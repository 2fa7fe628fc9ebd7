"""What is judged of each query, in the forms that trec_eval reads, and where a ranking has it.

Whatever the form, documents are looked up in a pool: query_id to docno to a number. For qrels the
number is the grade; for the others it is the document's place in the pool, from which the form
makes its own view of a ranking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from trec_eval_py.errors import InputError, UsageError
from trec_eval_py.ranking._order import JudgedRanking, held

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float64]

# The preferences of so many documents of a query fill matrices of 100 MB.
MOST_PREFERRED = 10_000
Pool = Mapping[bytes, Mapping[bytes, int]]


class GroupedRanking(NamedTuple):
    """One ranking, judged by several groups (users), each with grades of its own."""

    groups: Sequence[JudgedRanking]
    """One a group, in the byte order of their names."""

    def cut(self, max_docs: int | None, judged_only: bool) -> GroupedRanking:
        """Keep the first ``max_docs`` documents, then of these each group's judged ones."""
        return GroupedRanking([group.cut(max_docs, judged_only) for group in self.groups])


# Over all preferences; over those of which at least one document, or both, were retrieved.
Over = Literal["all", "implied", "retrieved"]


class Areas(NamedTuple):
    """How many preferences a ranking fulfils and fails, by what was retrieved of each pair."""

    fulfilled: int
    """Both retrieved, the preferred one first."""
    failed: int
    """Both retrieved, the other way round."""
    implied: int
    """Of the two, the preferred one retrieved."""
    implied_failed: int
    """Of the two, the other one retrieved."""
    unseen: int
    """Neither retrieved."""

    def of(self, over: Over) -> tuple[int, int]:
        """Give how many are fulfilled, and how many are possible."""
        found, best = self.fulfilled, self.fulfilled + self.failed
        if over != "retrieved":
            found, best = found + self.implied, best + self.implied + self.implied_failed
        return found, best + (self.unseen if over == "all" else 0)


def areas_of(preferred: Matrix, end: int) -> Areas:
    """Count in a matrix whose first ``end`` rows and columns are retrieved, by rank."""
    import numpy as np

    both = preferred[:end, :end]
    fulfilled = int(np.triu(both, 1).sum())
    return Areas(
        fulfilled,
        int(both.sum()) - fulfilled,
        int(preferred[:end, end:].sum()),
        int(preferred[end:, :end].sum()),
        int(preferred[end:, end:].sum()),
    )


@dataclass(frozen=True)
class PreferenceGroup:
    """The preferences of one judgment group, whose documents are in the order of a ranking."""

    levels: Floats
    """What the group gives each document of the pool, NaN where nothing; shape (documents,)."""
    preferred: Matrix
    """Whether the document of the row is preferred to that of the column; shape (documents,) * 2.
    Those retrieved come first, by rank, then the others."""
    retrieved: int
    """How many documents of the pool were retrieved."""
    partial: bool
    """Whether the group has subgroups, so that it orders some pairs only."""

    @cached_property
    def areas(self) -> Areas:
        """How many preferences are fulfilled and failed; most measures read nothing else."""
        return areas_of(self.preferred, self.retrieved)


class PreferredRanking:
    """One ranking with the preferences that were judged for its query.

    Parameters
    ----------
    ranks, places : sequence of int
        Ranks, rising, of the pool's documents in the ranking, and their places in the pool.
    retrieved : int
        Documents in the ranking, in the pool or not.
    judged : sequence of PreferenceGroup
        In the order of the pool.
    """

    def __init__(
        self,
        ranks: Sequence[int],
        places: Sequence[int],
        retrieved: int,
        judged: Sequence[PreferenceGroup],
    ) -> None:
        self._ranks, self._places, self.retrieved, self._judged = ranks, places, retrieved, judged

    def cut(self, max_docs: int | None, judged_only: bool) -> PreferredRanking:
        """Keep the first ``max_docs`` documents; that others are unjudged changes nothing."""
        if max_docs is None or max_docs >= self.retrieved:
            return self
        kept = sum(rank <= max_docs for rank in self._ranks)
        return PreferredRanking(self._ranks[:kept], self._places[:kept], max_docs, self._judged)

    @cached_property
    def groups(self) -> list[PreferenceGroup]:
        """The preferences of each group, in the order of the ranking."""
        import numpy as np

        documents = len(self._judged[0].levels)
        others = np.setdiff1d(np.arange(documents), self._places)
        order = np.concatenate([np.array(self._places, int), others])
        return [
            PreferenceGroup(
                group.levels[order],
                group.preferred[np.ix_(order, order)],
                len(self._places),
                group.partial,
            )
            for group in self._judged
        ]

    @cached_property
    def pairs(self) -> tuple[Floats, Floats, int]:
        """For each pair, the share of its preferences, over all groups, that is fulfilled.

        Returns
        -------
        retrieved, implied : array of float
            Of pairs of which both, or one, were retrieved; by the rank of the first, then of the
            second; shape (pairs,).
        unseen : int
            How many pairs there are of which neither was.
        """
        import numpy as np

        end = self.groups[0].retrieved
        counts = np.sum([group.preferred for group in self.groups], axis=0, dtype=np.int32)
        first, last = np.triu(counts, 1), np.tril(counts, -1).T
        judged = first + last > 0

        def shares(columns: slice) -> Floats:
            block = judged[:end, columns]
            found = first[:end, columns][block]
            share: Floats = found / (found + last[:end, columns][block])
            return share

        unseen = int(judged[end:, end:].sum())
        return shares(slice(0, end)), shares(slice(end, None)), unseen


Ranking = JudgedRanking | GroupedRanking | PreferredRanking


class Judgments(ABC):
    """Judgments of any form.

    Attributes
    ----------
    form : str
        What measures must be made for: qrels, qrels_jg or prefs.
    ties_rise : bool
        Whether, among equal scores, the docno that sorts first by bytes comes first: trec_eval
        does so for preferences (form_prefs_counts.c), and the other way round for all else.
    pool : mapping
        query_id to docno to a number; with at least one document for each query.
    """

    form = "qrels"
    ties_rise = False
    pool: Pool

    @abstractmethod
    def view(self, query_id: bytes, ranking: JudgedRanking) -> Ranking:
        """Turn where the pool's documents stand in a ranking into what measures read."""

    @abstractmethod
    def records(self) -> Iterator[bytes]:
        """Yield a line for each judgment, such that equal judgments give equal lines."""

    @abstractmethod
    def highest(self, query_id: bytes) -> int:
        """Give the highest grade of a query.

        Raises
        ------
        UsageError
            Where there are no grades.
        """


class Qrels(Judgments):
    """One grade for each document.

    Parameters
    ----------
    qrels : mapping
        query_id to docno to grade.
    """

    def __init__(self, qrels: Pool) -> None:
        self.pool = qrels

    def view(self, query_id: bytes, ranking: JudgedRanking) -> Ranking:
        """Give the ranking itself: its numbers are grades."""
        return ranking

    def records(self) -> Iterator[bytes]:
        """Yield ``query TAB docno TAB grade``."""
        for query_id, documents in self.pool.items():
            for docno, grade in documents.items():
                yield b"%b\t%b\t%d" % (query_id, docno, grade)

    def highest(self, query_id: bytes) -> int:
        """Give the highest grade of a query."""
        return max(self.pool[query_id].values())


class GroupedQrels(Judgments):
    """Grades by judgment group: by user (trec_eval's qrels_jg), or by subtopic (ndeval's).

    Parameters
    ----------
    qrels : mapping
        query_id to group to docno to grade.
    form : {"qrels_jg", "subtopics"}
        What the groups are.
    """

    def __init__(
        self,
        qrels: Mapping[bytes, Mapping[bytes, Mapping[bytes, int]]],
        form: str = "qrels_jg",
    ) -> None:
        self._qrels, self.form = qrels, form
        self.pool = {
            query_id: _places(docno for documents in groups.values() for docno in documents)
            for query_id, groups in qrels.items()
        }

    def view(self, query_id: bytes, ranking: JudgedRanking) -> Ranking:
        """Give the ranking as each group judges it."""
        groups, docnos = self._qrels[query_id], list(self.pool[query_id])
        found = [
            (rank, docnos[place]) for rank, place in zip(ranking.ranks, ranking.grades, strict=True)
        ]
        views = []
        for name in sorted(groups):
            grades = groups[name]
            own = [(rank, grades[docno]) for rank, docno in found if docno in grades]
            views.append(
                JudgedRanking(
                    ranking.retrieved,
                    [rank for rank, _ in own],
                    [grade for _, grade in own],
                    Counter(grades.values()),
                )
            )
        return GroupedRanking(views)

    def records(self) -> Iterator[bytes]:
        """Yield ``query TAB docno TAB group TAB grade``."""
        for query_id, groups in self._qrels.items():
            for name, documents in groups.items():
                for docno, grade in documents.items():
                    yield b"%b\t%b\t%b\t%d" % (query_id, docno, name, grade)

    def highest(self, query_id: bytes) -> int:
        """Give the highest grade that any group gives for a query."""
        return max(max(documents.values()) for documents in self._qrels[query_id].values())


class Preferences(Judgments):
    """Preferences between documents: trec_eval's prefs, and qrels read as such.

    Within a subgroup, a document of a higher level is preferred to one of a lower. The preferences
    of a group's subgroups are joined, and what follows from them holds too.

    Parameters
    ----------
    levels : mapping
        query_id to group to subgroup to docno to level.
    name : str
        What errors call the judgments.
    profile : {"9.0", "10.0"}
        Whether levels compare as C floats or as doubles, as scores do.

    Raises
    ------
    InputError
        Where a group contradicts itself, or more than 10,000 documents are judged for a query.
    """

    form = "prefs"
    ties_rise = True

    def __init__(
        self,
        levels: Mapping[bytes, Mapping[bytes, Mapping[bytes, Mapping[bytes, float]]]],
        name: str,
        profile: str = "9.0",
    ) -> None:
        self._levels, self._profile = levels, profile
        self.pool = {
            query_id: _places(
                docno
                for subgroups in groups.values()
                for documents in subgroups.values()
                for docno in documents
            )
            for query_id, groups in levels.items()
        }
        self._name = name
        for query_id, groups in levels.items():
            if len(self.pool[query_id]) > MOST_PREFERRED:
                raise InputError(
                    f"{name}: query {_shown(query_id)}: saw {len(self.pool[query_id])} documents, "
                    f"expected at most {MOST_PREFERRED}, since each is compared with each. Judge "
                    "fewer."
                )
            for group, subgroups in groups.items():
                if len(subgroups) > 1:  # only then it can contradict itself
                    self._group(query_id, group, subgroups)

    def view(self, query_id: bytes, ranking: JudgedRanking) -> Ranking:
        """Give the ranking with the preferences of its query."""
        # Made anew for each ranking: all at once, they would fill the memory.
        groups = [
            self._group(query_id, group, subgroups)
            for group, subgroups in sorted(self._levels[query_id].items())
        ]
        return PreferredRanking(ranking.ranks, ranking.grades, ranking.retrieved, groups)

    def records(self) -> Iterator[bytes]:
        """Yield ``query TAB docno TAB group TAB subgroup TAB level``."""
        for query_id, groups in self._levels.items():
            for group, subgroups in groups.items():
                for subgroup, documents in subgroups.items():
                    for docno, level in documents.items():
                        place = b"\t".join((query_id, docno, group, subgroup))
                        yield b"%b\t%b" % (place, repr(level).encode())

    def highest(self, query_id: bytes) -> int:
        """Refuse: levels of preferences are no grades."""
        raise UsageError(
            "answerable_only: saw preferences, expected judgments with grades. Score without "
            "--answerable-only."
        )

    def _group(
        self, query_id: bytes, group: bytes, subgroups: Mapping[bytes, Mapping[bytes, float]]
    ) -> PreferenceGroup:
        """Put the preferences of one group together."""
        import numpy as np

        place = f"{self._name}: query {_shown(query_id)}, group {_shown(group)}"
        pool = self.pool[query_id]
        levels = np.full(len(pool), np.nan)
        preferred = np.zeros((len(pool), len(pool)), bool)
        for _, documents in sorted(subgroups.items()):  # of several levels, the last one stays
            places = np.array([pool[docno] for docno in documents])
            given = np.array(held(list(documents.values()), self._profile))
            before = levels[places]
            both = ((before == 0) & (given > 0)) | ((before > 0) & (given == 0))
            if both.any():
                docno = _shown(list(documents)[int(np.flatnonzero(both)[0])])
                raise InputError(
                    f"{place}: saw document {docno} with level 0 and with one above 0, expected "
                    "one or the other: 0 says that it is not relevant. Mend one of the lines."
                )
            levels[places] = given
            preferred[np.ix_(places, places)] |= given[:, None] > given[None, :]
        partial = len(subgroups) > 1
        if partial:
            preferred = _closed(preferred)
            # Whatever contradicts itself is preferred to itself too, which tells no pair.
            against = np.argwhere(preferred & preferred.T & ~np.eye(len(pool), dtype=bool))
            if len(against):
                docnos = list(pool)
                first, second = (_shown(docnos[i]) for i in against[0])
                raise InputError(
                    f"{place}: saw {first} preferred to {second} and {second} to {first}, expected "
                    "one order within a group. Give them groups of their own, or drop one."
                )
        return PreferenceGroup(levels, preferred, 0, partial)


def _closed(preferred: Matrix) -> Matrix:
    """Add what follows: whoever is preferred to a document is to all it is preferred to."""
    import numpy as np

    while True:
        # As floats, which are multiplied faster than bools; all counts are exact.
        numbers = preferred.astype(np.float32)
        more = preferred | (numbers @ numbers > 0)
        if (more == preferred).all():
            return preferred
        preferred = more


def _places(docnos: Iterator[bytes]) -> dict[bytes, int]:
    """Give each document a number, in the byte order of their docnos."""
    return {docno: place for place, docno in enumerate(sorted(set(docnos)))}


def _shown(one: bytes) -> str:
    return repr(one.decode("utf-8", "backslashreplace"))
