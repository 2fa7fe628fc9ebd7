"""What can be found in a file, as data: a stable list of codes, each of one severity."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
    return Finding(CODES[code].severity, code, file, line, saw, fix)
