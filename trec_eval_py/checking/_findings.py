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
