"""The same order for columns of a large run, with numpy and pyarrow.

No query is sorted for its own sake: measures read where the judged documents stand, and that is how
many documents score higher, or the same with a docno that sorts later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from trec_eval_py.ranking._order import Batch, JudgedRanking, RankedQuery

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Integers = npt.NDArray[np.int64]
    Scores = npt.NDArray[np.float32] | npt.NDArray[np.float64]


class Columns(NamedTuple):
    """Some whole queries of a run, in the order of its lines."""

    query_ids: list[bytes]
    """One for each query."""
    ends: Integers
    """The row after the last of each query; shape (queries,)."""
    docnos: pa.BinaryArray
    """pyarrow BinaryArray; shape (rows,)."""
    scores: npt.NDArray[np.float64]
    """Shape (rows,); no NaN."""


class QrelsIndex:
    """Judgments as columns, to be joined with those of runs.

    Parameters
    ----------
    qrels : mapping
        query_id to docno to grade.
    ties_rise : bool
        Whether, among equal scores, docnos rise by bytes; else they fall.
    """

    def __init__(self, qrels: Mapping[bytes, Mapping[bytes, int]], ties_rise: bool = False) -> None:
        import numpy as np
        import pyarrow as pa

        self._ties_rise = ties_rise
        self._rows = {query_id: row for row, query_id in enumerate(qrels)}
        self._judged = [Counter(documents.values()) for documents in qrels.values()]
        docnos = pa.array(chain.from_iterable(qrels.values()), pa.binary()).dictionary_encode()
        self._docnos = docnos.dictionary
        counts = [len(documents) for documents in qrels.values()]
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        # A pair is one number; sorted, so that pairs can be looked up by bisection.
        ids = docnos.indices.to_numpy().astype(np.int64)
        pairs = np.repeat(np.arange(len(counts)), counts) * len(self._docnos) + ids
        order = np.argsort(pairs)
        self._pairs: Integers = pairs[order]
        grades = np.fromiter(
            chain.from_iterable(documents.values() for documents in qrels.values()),
            np.int64,
            len(pairs),
        )
        self._grades: Integers = grades[order]

    def judge(self, columns: Columns, profile: str) -> Batch:
        """Rank and judge some queries of a run."""
        import numpy as np

        query_ids, ends, _, scores = columns
        starts = np.concatenate([[0], ends[:-1]])
        rows = [self._rows.get(query_id, -1) for query_id in query_ids]
        others = [q for q, row in zip(query_ids, rows, strict=True) if row < 0]
        with np.errstate(over="ignore"):  # to inf, as a C float
            held = scores.astype(np.float32) if profile == "9.0" else scores
        found, grades = self._find(columns, np.array(rows))
        queries = np.searchsorted(ends, found, side="right")
        order = _Order(columns, starts, held, self._ties_rise)
        ranks = order.ranks(found, queries)
        by_rank = np.lexsort((ranks, queries))
        bounds = np.searchsorted(queries[by_rank], np.arange(len(rows) + 1)).tolist()
        ranks_list, grades_list = ranks[by_rank].tolist(), grades[by_rank].tolist()
        retrieved = (ends - starts).tolist()
        ranked = {
            query_id: RankedQuery(
                JudgedRanking(
                    retrieved[i],
                    ranks_list[bounds[i] : bounds[i + 1]],
                    grades_list[bounds[i] : bounds[i + 1]],
                    self._judged[row],
                )
            )
            for i, (query_id, row) in enumerate(zip(query_ids, rows, strict=True))
            if row >= 0
        }
        tied = order.tied()[np.array(rows) >= 0]
        return Batch(ranked, others, int(tied.sum()), int((tied > 0).sum()))

    def _find(self, columns: Columns, rows: Integers) -> tuple[Integers, Integers]:
        """Give the rows whose document is judged for their query, with the grades."""
        import numpy as np
        import pyarrow.compute as pc

        judged = rows[rows >= 0]
        spans = [self._pairs[self._starts[row] : self._starts[row + 1]] for row in judged.tolist()]
        none = np.empty(0, np.int64)
        ids = np.unique(np.concatenate([none, *spans]) % len(self._docnos))
        at = pc.index_in(columns.docnos, value_set=self._docnos.take(ids))
        hits = np.flatnonzero(at.is_valid().to_numpy(zero_copy_only=False))
        if not len(hits):
            return none, none
        local = at.fill_null(0).to_numpy()[hits]
        queries = rows[np.searchsorted(columns.ends, hits, side="right")]
        pairs = queries * len(self._docnos) + ids[local]
        place = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        same = (self._pairs[place] == pairs) & (queries >= 0)
        return hits[same], self._grades[place[same]]


class _Order:
    """Ranks and ties within the queries of some columns."""

    def __init__(self, columns: Columns, starts: Integers, held: Scores, ties_rise: bool) -> None:
        import numpy as np

        self._ties_rise = ties_rise
        self._docnos, self._starts, self._ends = columns.docnos, starts, columns.ends
        self._held = held
        rises = held[1:] > held[:-1]
        same = held[1:] == held[:-1]
        # The last row of each query, but for the last of all; a query may be without one.
        lasts = starts[(starts > 0) & (starts < len(held))] - 1
        rises[lasts] = same[lasts] = False
        # Queries in which some score is higher than the one above it.
        unsorted = np.searchsorted(self._ends, np.flatnonzero(rises), side="right")
        self._unsorted = np.unique(unsorted)
        # Rows that score the same as the next row.
        self._same: Integers = np.flatnonzero(same)

    def tied(self) -> Integers:
        """Count, for each query, the documents that share their score with another."""
        import numpy as np

        counts = np.zeros(len(self._starts), np.int64)
        if len(self._same):
            tied = np.zeros(len(self._held), np.int64)
            tied[self._same] = tied[self._same + 1] = 1
            until = np.concatenate([[0], np.cumsum(tied)])
            counts = until[self._ends] - until[self._starts]
        for query in self._unsorted.tolist():
            ordered = np.sort(self._held[self._starts[query] : self._ends[query]])
            same = np.flatnonzero(ordered[1:] == ordered[:-1])
            counts[query] = len(np.union1d(same, same + 1))
        return counts

    def ranks(self, rows: Integers, queries: Integers) -> Integers:
        """Give the rank of each of some rows; ``queries`` says in which query each is."""
        import numpy as np

        ranks: Integers = rows - self._starts[queries] + 1
        for query in np.intersect1d(self._unsorted, queries).tolist():
            of_query = np.flatnonzero(queries == query)
            start, end = int(self._starts[query]), int(self._ends[query])
            by_score = np.argsort(-self._held[start:end], kind="stable")
            places = np.empty(end - start, np.int64)
            places[by_score] = np.arange(end - start)
            at = places[rows[of_query] - start]
            scores = self._held[start:end][by_score]
            same = np.flatnonzero(scores[1:] == scores[:-1])
            docnos = self._docnos.take(start + by_score)
            ranks[of_query] = at + 1 + _moved(at, same, docnos, self._ties_rise)
        ordered = np.flatnonzero(~np.isin(queries, self._unsorted))
        same = self._same[~np.isin(self._query_of(self._same), self._unsorted)]
        ranks[ordered] += _moved(rows[ordered], same, self._docnos, self._ties_rise)
        return ranks

    def _query_of(self, rows: Integers) -> Integers:
        import numpy as np

        return np.searchsorted(self._ends, rows, side="right")


def _moved(rows: Integers, same: Integers, docnos: pa.BinaryArray, ties_rise: bool) -> Integers:
    """Give how far ties move each of some rows, where docnos are in the order of scores.

    Parameters
    ----------
    rows : array of int
        Places among ``docnos``.
    same : array of int
        Places whose document scores the same as the next one; rising.
    docnos : pyarrow BinaryArray
        The documents.
    ties_rise : bool
        Whether docnos rise among equal scores; else they fall.
    """
    import numpy as np
    import pyarrow.compute as pc

    moved = np.zeros(len(rows), np.int64)
    if not len(same) or not len(rows):
        return moved
    wrong_way = pc.greater if ties_rise else pc.less
    out_of_order = wrong_way(docnos.take(same), docnos.take(same + 1))
    out_of_order = out_of_order.to_numpy(zero_copy_only=False)
    # Ties as spans of places, both ends included; only those out of order somewhere matter.
    begins = np.flatnonzero(np.diff(same, prepend=-2) > 1)
    wrong = np.add.reduceat(out_of_order.astype(np.int64), begins) > 0
    tops = same[begins][wrong]
    bottoms = same[np.append(begins[1:], len(same)) - 1][wrong] + 1
    if not len(tops):
        return moved
    span = np.searchsorted(tops, rows, side="right") - 1
    within = (span >= 0) & (rows <= bottoms[np.maximum(span, 0)])
    for one in np.unique(span[within]).tolist():
        top, bottom = int(tops[one]), int(bottoms[one])
        tied = docnos.slice(top, bottom - top + 1)
        way = "ascending" if ties_rise else "descending"
        order = pc.array_sort_indices(tied, order=way).to_numpy()
        places = np.empty(len(tied), np.int64)
        places[order] = np.arange(len(tied))
        inside = np.flatnonzero(within & (span == one))
        moved[inside] = places[rows[inside] - top] - (rows[inside] - top)
    return moved
