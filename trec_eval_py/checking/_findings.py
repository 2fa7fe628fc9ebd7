"""What can be found in a file, as data: a stable list of codes, each of one severity."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from trec_eval_py.errors import InputError, ReadError
from trec_eval_py.reading import Notes, shown

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Code(NamedTuple):
    """One kind of finding."""

    severity: Severity
    """An error is refused by ``score``; a warning makes numbers that mislead; a note informs."""
    meaning: str
    """In a line, for the documentation."""


class Finding(NamedTuple):
    """One thing found in a file."""

    severity: Severity
    code: str
    file: str
    """As the user named it."""
    line: int | None
    """Counted from 1; None where it is the whole file's."""
    saw: str
    """What was seen, and what was expected where that helps; without a full stop."""
    fix: str
    """How to mend it, as a sentence; empty where nothing needs mending."""


# Codes are part of the interface: scripts filter by them, so none changes its meaning or goes.
CODES: dict[str, Code] = {
    "unreadable": Code("error", "A file that cannot be read to its end."),
    "file-empty": Code("error", "A file without a line of data."),
    "not-text": Code("error", "An archive, UTF-16 or another format that is no text."),
    "compressed-damaged": Code("error", "A compressed stream that is cut off or damaged."),
    "parquet-damaged": Code("error", "A Parquet file that is cut off or damaged."),
    "columns": Code("error", "A table without the columns that are needed, or with one twice."),
    "json": Code("error", "What is no JSON, or JSON of another form than is read."),
    "mteb-parts": Code("error", "MTEB's predictions of several parts, of which none is chosen."),
    "fields": Code("error", "A line of another number of fields, or with them in other places."),
    "line-endless": Code("error", "A line of more than 16 MB."),
    "nul-byte": Code("error", "A NUL byte."),
    "id-not-text": Code("error", "An id that is empty, no text, or no valid Unicode."),
    "score-not-a-number": Code("error", "A score that is no decimal number, or NaN."),
    "grade-not-an-integer": Code("error", "A grade that is no integer of 64 bits."),
    "level": Code("error", "A level of preference that is no finite number."),
    "letor-docno": Code("error", "A judged feature vector without a docno in its comment."),
    "rank-not-rising": Code("error", "Ranks that do not rise, in a run without scores."),
    "document-twice": Code("error", "A document that stands, or is judged, twice in a query."),
    "query-twice": Code("error", "A query that stands twice, where each has one answer."),
    "ids-alike": Code("error", "Query ids that are alike as text, of which one is no UTF-8."),
    "topics": Code("error", "A topic without an id."),
    "topic-twice": Code("error", "A topic that stands twice."),
    "docno-map": Code("error", "A line of a docno map that is none, or contradicts another."),
    "swapped": Code("error", "A run where judgments are wanted, or judgments for a run."),
    "run-like-qrels": Code("error", "Judgments where a run is wanted."),
    "too-many-documents": Code("error", "More documents in a query than --max-docs allows."),
    "qrels-none-in-common": Code("error", "A run that answers no query of the qrels."),
    "topics-none-in-common": Code("error", "A run that answers no query of the topics."),
    "docnos-unknown": Code("warning", "No docno that is judged for any query: another collection?"),
    "qrels-missing": Code("warning", "Queries of the qrels that the run lacks."),
    "qrels-extra": Code("warning", "Queries of the run that the qrels lack."),
    "topics-missing": Code("warning", "Queries of the topics that the file lacks."),
    "topics-extra": Code("warning", "Queries of the file that the topics lack."),
    "scores-rise": Code("warning", "Scores that rise with the rank: the rank, written as score."),
    "rank-order": Code("warning", "Ranks that contradict the scores, which count."),
    "rank-start": Code("note", "Ranks that do not start at 1."),
    "second-column": Code("note", "A second column of a run that is not the same on each line."),
    "rank-not-a-number": Code("note", "Ranks that are no integers."),
    "scores-like-grades": Code("warning", "Scores that look like grades."),
    "score-out-of-range": Code("warning", "Scores beyond the range of a double."),
    "ties": Code("warning", "Documents that tie, and how far RR, AP and nDCG@10 could move."),
    "ties-as-floats": Code("warning", "Documents that tie in trec_eval 9.0 but not in 10.0."),
    "tags-several": Code("warning", "Several tags in one file."),
    "tag-odd": Code("note", "A tag with characters that other tools may refuse."),
    "queries-interleaved": Code("note", "Queries that are seen again after another one."),
    "comment-like-data": Code("warning", "Comments of as many fields as lines of data."),
    "judged-low": Code("warning", "Fewer than 0.9 of the first ten documents are judged."),
    "judged": Code("note", "How many of the first ten documents are judged."),
    "docno-is-query": Code("note", "Documents of the id of their query."),
    "run-depth": Code("note", "Documents and queries of a run."),
    "fields-3": Code("note", "A run of 3 fields, as MS MARCO's."),
    "fields-5": Code("note", "A run of 5 fields, without a tag."),
    "ir-metadata": Code("note", "An ir_metadata header."),
    "grades": Code("note", "Judgments, queries and grades."),
    "grade-as-float": Code("note", "Grades written as 1.0 is."),
    "grade-high": Code("warning", "Grades above 1,000."),
    "no-relevant": Code("warning", "Queries without a relevant document."),
    "only-negative": Code("warning", "Queries with negative grades only."),
    "no-non-relevant": Code("note", "No document that is judged and not relevant."),
    "query-unlabelled": Code("warning", "Questions that name no relevant document."),
    "scores-unreadable": Code("error", "A file of scores that cannot be read to its end."),
    "scores-not-utf-8": Code("error", "A line that is no text in UTF-8."),
    "scores-columns": Code("error", "Columns that are missing, or stand twice."),
    "scores-empty": Code("error", "No row of scores."),
    "scores-cells": Code("error", "A row that has not the form of the file."),
    "scores-not-text": Code("error", "An id that is no text, but a number, say."),
    "scores-no-number": Code("error", "A value that is no finite number."),
    "scores-key-repeated": Code("error", "A second value for one qrels, run, query and measure."),
    "scores-two-protocols": Code("error", "One name of qrels with two protocols."),
    "scores-no-protocol": Code("warning", "No column that says what compares."),
    "scores-out-of-range": Code("warning", "A value that its measure cannot take."),
    "scores-queries-differ": Code("warning", "A run that lacks queries that others have."),
    "scores-measures-differ": Code("warning", "A run that lacks measures that others have."),
    "scores-rows-lacking": Code("warning", "A run without a row for some query and measure."),
    "scores-value-missing": Code("note", "Queries without a value, which the run did not answer."),
    "id-leading-zero": Code("warning", "Ids that lose their zeros where types are guessed."),
    "id-decimal": Code("warning", "Ids that are one where types are guessed: 1.1 and 1.10."),
    "id-exponent": Code("warning", "Ids that are numbers where types are guessed: 1e5."),
    "id-long-integer": Code("warning", "Ids of more digits than spreadsheets and floats keep."),
    "id-na-like": Code("warning", "Ids that are missing where types are guessed: NA, null."),
    "id-date-like": Code("warning", "Ids that are dates in spreadsheets: 1-2, MAR1."),
    "id-boolean": Code("warning", "Ids that are truth values where types are guessed: TRUE."),
    "judgments-same": Code("note", "The two versions hold the same judgments."),
    "judgments-query-added": Code("warning", "Queries that the old version lacks."),
    "judgments-query-dropped": Code("warning", "Queries that the new version lacks."),
    "judgments-document-added": Code("note", "Documents that only the new version judges."),
    "judgments-document-dropped": Code("warning", "Documents that only the old version judges."),
    "judgments-grade-changed": Code("warning", "Documents whose grade is another than before."),
    "judgments-relevant-changed": Code("note", "Queries with more or fewer relevant documents."),
    "judgments-relevant-lost": Code("warning", "Queries without relevant documents any longer."),
    "judgments-agreement": Code("note", "Agreement of two versions: kappa and overlap."),
}


def found(code: str, file: str, line: int | None, saw: str, fix: str = "") -> Finding:
    """Make a finding of a registered code, with the severity of that code."""
    severity = CODES[code].severity
    return Finding(severity, code, _legible(file), line, _legible(saw), _legible(fix))


def _legible(text: str) -> str:
    r"""Write bytes of a file name that are not UTF-8 as ``\xNN``, as those of ids are.

    Other lone surrogates, which JSON may hold, stand as escapes.
    """
    if text.isascii():
        return text
    text = re.sub("[\udc80-\udcff]", lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", text)
    return text.encode("utf-8", "backslashreplace").decode()


# So many findings of one code are listed, and the rest counted.
MOST_LISTED = 1000
_NAMED = 5


class Findings:
    """What was found so far in one file.

    Parameters
    ----------
    file : str
        As the user named it.
    kind : str
        ``parquet`` where places are rows, not lines.
    """

    def __init__(self, file: str, kind: str = "text") -> None:
        self.kind, self._file = kind, file
        self._found: list[tuple[float, Finding]] = []
        self._counts: Counter[str] = Counter()
        self.lost_rows = False
        """Whether some row could not be read, so that what is lacking may stand there."""

    def add(self, code: str, place: int | None, saw: str, fix: str = "") -> None:
        """Add a finding; its place is a line, or a row where the file has no lines."""
        self._counts[code] += 1
        if self._counts[code] > MOST_LISTED:
            return
        at = math.inf if place is None else place
        if self.kind == "parquet" and place is not None:
            place, saw = None, f"row {place}: {saw}"
        self._found.append((at, found(code, self._file, place, saw, fix)))

    def lose(
        self, code: str, place: int | None, saw: str, fix: str = "Mend or drop the row."
    ) -> None:
        """Add a finding of a row that is left out of all other checks."""
        self.lost_rows = True
        self.add(code, place, saw, fix)

    def add_error(self, error: InputError) -> None:
        """Add what a reader refused."""
        if not isinstance(error, ReadError):
            self.add("unreadable", None, str(error))
            return
        _, line, saw, expected, fix, code = error.args
        if code == "file-empty" and self._counts:  # there were lines, each of them at fault
            return
        self.add(code, line, f"{saw}, expected {expected}", fix)

    def add_common(self, notes: Notes) -> None:
        """Add what any file of lines may be noted for."""
        comments = notes.comments[notes.width]
        if comments:
            self.add(
                "comment-like-data",
                None,
                f"{counted(comments, 'comment line')} of as many fields as a data line",
                "A line that begins with # is a comment, whatever follows.",
            )

    def add_alike(self, query_ids: Collection[bytes]) -> None:
        r"""Add query ids that are one once bytes that are not UTF-8 are written as ``\xNN``."""
        first: dict[str, bytes] = {}
        for one in () if all(map(bytes.isascii, query_ids)) else query_ids:
            other = first.setdefault(one.decode("utf-8", "backslashreplace"), one)
            if other != one:
                saw = f"query ids {other!r} and {one!r}, which are alike as text"
                self.add("ids-alike", None, f"{saw}, expected ids that differ", "Rename one.")

    def all(self) -> list[Finding]:
        """List what was found by line or row, that of the whole file last."""
        ordered = [one for _, one in sorted(self._found, key=lambda pair: pair[0])]
        for code, count in self._counts.items():
            if count > MOST_LISTED:
                saw = f"{count - MOST_LISTED} more of these, {count} in all"
                ordered.append(found(code, self._file, None, saw))
        return ordered


def counted(count: int, one: str, several: str = "") -> str:
    """Say how many there are of something."""
    return f"{count} {one if count == 1 else several or one + 's'}"


def listed(ids: Sequence[bytes]) -> str:
    """Name some ids, the first few."""
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(map(shown, ids[:_NAMED])) + more
