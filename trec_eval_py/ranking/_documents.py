"""From what a run lists to what is judged: chunks to documents, and the query's own document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from trec_eval_py.ranking._columns import Columns

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Documents:
    """Which document each docno of a run stands for; of several, the best score is the document's.

    Documents are named first, and those of the query's own name dropped after that.

    Parameters
    ----------
    pattern : re.Pattern, optional
        The first group of its first match in a docno is the document.
    table : mapping, optional
        docno to document.
    drop_same_id : bool
        Whether documents whose name equals the query_id are dropped, as BEIR does.
    """

    def __init__(
        self,
        pattern: re.Pattern[str] | None = None,
        table: Mapping[bytes, bytes] | None = None,
        drop_same_id: bool = False,
    ) -> None:
        self._pattern, self._table, self.drop_same_id = pattern, table, drop_same_id

    def __bool__(self) -> bool:
        return self._pattern is not None or self._table is not None or self.drop_same_id

    def name(self, docno: bytes) -> bytes | None:
        """Name the document that a docno stands for; None where nothing is said of it."""
        if self._table is not None:
            return self._table.get(docno)
        if self._pattern is None:
            return docno
        # Decoded, so that a character of several bytes counts as one.
        found = self._pattern.search(docno.decode("utf-8", "surrogateescape"))
        return (found[1] or "").encode("utf-8", "surrogateescape") or None if found else None

    def of_run(
        self, queries: Mapping[bytes, Mapping[bytes, float]]
    ) -> tuple[dict[bytes, dict[bytes, float]], int]:
        """Give a run by documents, and say how many of its lines keep their docno for a name."""
        named: dict[bytes, dict[bytes, float]] = {}
        unnamed = 0
        for query_id, scores in queries.items():
            documents = named.setdefault(query_id, {})
            for docno, score in scores.items():
                name = self.name(docno)
                unnamed += name is None
                name = docno if name is None else name
                if self.drop_same_id and name == query_id:
                    continue
                if name not in documents or score > documents[name]:
                    documents[name] = score
        return named, unnamed

    def of_columns(self, columns: Columns) -> tuple[Columns, int]:
        """Give the same for columns."""
        import numpy as np
        import pyarrow as pa

        encoded = columns.docnos.dictionary_encode()
        codes = encoded.indices.to_numpy()
        docnos = encoded.dictionary.to_pylist()
        names = [self.name(docno) for docno in docnos]
        without = np.array([name is None for name in names], bool)
        numbers: dict[bytes, int] = {}
        of_docno = np.array(
            [
                numbers.setdefault(docno if name is None else name, len(numbers))
                for docno, name in zip(docnos, names, strict=True)
            ],
            np.int64,
        )
        documents: npt.NDArray[np.int64] = of_docno[codes]
        sizes = np.diff(columns.ends, prepend=0)
        queries = np.repeat(np.arange(len(sizes)), sizes)
        rows = np.arange(len(documents))
        if self.drop_same_id:
            own = np.array([numbers.get(query_id, -1) for query_id in columns.query_ids])
            rows = np.flatnonzero(documents != own[queries])
        # The best line of each document first; lines stay in order, as most files are sorted.
        order = rows[np.lexsort((-columns.scores[rows], documents[rows], queries[rows]))]
        same = (np.diff(queries[order]) == 0) & (np.diff(documents[order]) == 0)
        kept = np.sort(order[np.concatenate([[True], ~same])] if len(order) else order)
        ends = np.cumsum(np.bincount(queries[kept], minlength=len(sizes)))
        named = pa.array(list(numbers), pa.binary()).take(pa.array(documents[kept]))
        unnamed = int(without[codes].sum()) if without.any() else 0
        return Columns(columns.query_ids, ends, named, columns.scores[kept]), unnamed
