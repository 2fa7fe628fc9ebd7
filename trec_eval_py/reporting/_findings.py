"""Findings as a table, as JSON, or as annotations of a build on GitHub."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import IO

from trec_eval_py.checking import SEVERITIES, Finding
from trec_eval_py.reporting._tables import show_rows

# On a terminal the last column wraps; where it would be narrower than this, it stands below.
_NARROWEST = 36
_HEADER = ["", "code", "where", "what was seen"]
# What GitHub calls notes.
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


def show_findings(
    findings: Sequence[Finding], style: str = "table", file: IO[str] | None = None
) -> None:
    """Print findings.

    Parameters
    ----------
    findings : sequence of Finding
        In the order to print them.
    style : {"table", "json", "github"}
        A line each and a count, wrapped on a terminal; a list of objects; or a workflow command
        each.
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
    if rows and file.isatty():
        _rich(rows, file)
    elif rows:
        show_rows(_HEADER, rows, "table", file)
        file.write("\n")
    counts = Counter(one.severity for one in findings)
    said = [f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in SEVERITIES]
    file.write(f"{', '.join(said)}.\n")


def _place(one: Finding) -> str:
    """Say where it is, on one line whatever the file is called."""
    name = one.file if one.file.isprintable() else repr(one.file)
    return name if one.line is None else f"{name}:{one.line}"


def _rich(rows: Sequence[Sequence[str]], file: IO[str]) -> None:
    """Draw a table whose last column wraps; where there is no room, write each text below."""
    from rich import box
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(file=file)
    styles = [_STYLES[row[0]] for row in rows]
    cells = [[Text(cell) for cell in row] for row in rows]
    for row, style in zip(cells, styles, strict=True):
        row[0].stylize(style)
    # rich puts a blank on either side of a column and one between columns, and ends with one.
    taken = 4 + sum(max(row[i].cell_len for row in cells) + 3 for i in range(len(_HEADER) - 1))
    if console.width - taken >= _NARROWEST:
        table = Table(box=box.SIMPLE_HEAD)
        for name in _HEADER[:-1]:
            table.add_column(name, no_wrap=True)
        table.add_column(_HEADER[-1], overflow="fold")
        for row in cells:
            table.add_row(*row)
        console.print(table)
        return
    for *head, text in cells:
        console.print(Text("  ").join(head), overflow="fold")
        console.print(Padding(text, (0, 0, 1, 4)), overflow="fold")


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
