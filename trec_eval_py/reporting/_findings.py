"""Findings as a table, as JSON, or as annotations of a build on GitHub."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import IO

from trec_eval_py.checking import SEVERITIES, Finding
from trec_eval_py.reporting._tables import show_rows

# What GitHub calls notes.
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def show_findings(
    findings: Sequence[Finding], style: str = "table", file: IO[str] | None = None
) -> None:
    """Print findings.

    Parameters
    ----------
    findings : sequence of Finding
        In the order to print them.
    style : {"table", "json", "github"}
        A line each and a count; a list of objects; or a workflow command each.
    file : text file, optional
        Standard output by default.
    """
    file = file or sys.stdout
    if file is None:  # standard output is closed
        return
    if style == "json":
        objects = [one._asdict() for one in findings]
        file.write(json.dumps(objects, ensure_ascii=False, indent=1) + "\n")
        return
    if style == "github":
        file.writelines(f"{_annotation(one)}\n" for one in findings)
        return
    rows = [[one.severity, one.code, _place(one), _sentence(one)] for one in findings]
    if rows:
        show_rows(["", "code", "where", "what was seen"], rows, "table", file)
        file.write("\n")
    counts = Counter(one.severity for one in findings)
    said = [f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in SEVERITIES]
    file.write(f"{', '.join(said)}.\n")


def _place(one: Finding) -> str:
    return one.file if one.line is None else f"{one.file}:{one.line}"


def _sentence(one: Finding) -> str:
    return f"{one.saw}. {one.fix}".strip()


def _annotation(one: Finding) -> str:
    """Write a workflow command, in which some characters stand for themselves only escaped."""
    properties = {"file": one.file, "line": one.line, "title": one.code}
    shown = ",".join(
        f"{key}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
        if value is not None
    )
    return f"::{_COMMANDS[one.severity]} {shown}::{_escaped(_sentence(one))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
