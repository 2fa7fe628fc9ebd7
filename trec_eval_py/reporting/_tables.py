"""Means as a table for people: plain text, or rich on a terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

from trec_eval_py.aggregating import Mean, mean
from trec_eval_py.errors import OutputError
from trec_eval_py.measures import averaging, ranked
from trec_eval_py.schemas import CEILING
from trec_eval_py.scoring import ScoredRun

if TYPE_CHECKING:
    import pandas as pd

# Each form of judgments has some of them.
_HEADLINES = (
    *("num_q", "num_rel_ret", "map", "recip_rank", "P_10", "ndcg_cut_10", "recall_1000"),
    *("prefs_num_prefs_ful", "prefs_simp", "prefs_pair", "prefs_avgjg"),
    *("map_avgjg", "P_avgjg_10", "Rprec_mult_avgjg_1.00"),
)
# A table of more columns is read by nobody.
WIDEST = 10


class Means(NamedTuple):
    """One run's means, a column a measure."""

    qrels: str
    run: str
    protocol: str
    labels: list[str]
    means: list[Mean]


def headline(labels: Sequence[str], chosen: bool) -> list[str]:
    """Choose the measures for the table after ``score``: those asked for, or the usual ones."""
    if chosen:
        return list(labels[:WIDEST])
    by_name = {label.split("(")[0]: label for label in labels}  # whatever the settings
    wanted = [by_name[name] for name in _HEADLINES if name in by_name]
    return wanted or list(labels[:WIDEST])


def means_of(scored: ScoredRun, labels: Sequence[str]) -> Means:
    """Average one run's values of some measures."""
    if scored.run == CEILING:
        labels = [label for label in labels if ranked(label)]
    columns = [scored.labels.index(label) for label in labels]
    means = [
        mean(label, [row[i] for row in scored.rows])
        for label, i in zip(labels, columns, strict=True)
    ]
    return Means(scored.qrels, scored.run, scored.protocol, list(labels), means)


def means_in(aggregates: pd.DataFrame) -> list[Means]:
    """Turn a frame of aggregates into a line of means for each run."""
    found = []
    for (qrels, run, protocol), rows in aggregates.groupby(
        ["qrels", "run", "protocol"], sort=False
    ):
        columns = (rows[name].tolist() for name in Mean._fields)
        means = [Mean(*row) for row in zip(*columns, strict=True)]
        found.append(Means(str(qrels), str(run), str(protocol), rows["measure"].tolist(), means))
    return found


def show(
    means: Sequence[Means],
    file: IO[str] | None = None,
    style: str = "table",
    zeros: bool = False,
) -> None:
    """Print means: a line a run, and a second one where queries are missing.

    Parameters
    ----------
    means : sequence of Means
        Of runs scored on the same measures; each qrels and protocol gets a table.
    file : text file, optional
        Standard output by default; on a terminal, rich draws the table.
    style : {"table", "markdown"}
        How it looks.
    zeros : bool
        Whether the means count missing queries as 0 already.
    """
    file = file or sys.stdout
    if file is None:  # standard output is closed: the scores are in their file
        return
    tables: dict[tuple[str, str], list[Means]] = {}
    for one in means:
        tables.setdefault((one.qrels, one.protocol), []).append(one)
    for number, ((qrels, protocol), runs) in enumerate(tables.items()):
        if number:
            file.write("\n")
        count = max(m.queries + m.missing * (not zeros) for run in runs for m in run.means)
        over = f"{count} {'query' if count == 1 else 'queries'}"
        title = f"{qrels}: means over {over}, trec_eval {_profile(protocol)}"
        labels = list(dict.fromkeys(label for run in runs for label in run.labels))
        turned = len(labels) > WIDEST  # too many for columns: a line a measure
        apart = turned or style == "markdown"  # rows that do not show whose second one they are
        cells = [row for run in runs for row in _cells(run, labels, zeros, apart)]
        table = [["run", *labels], *cells]
        if turned:
            table = [list(column) for column in zip(*table, strict=True)]
            table[0][0] = "measure"
        if style == "markdown" or not file.isatty():
            file.write(f"{title}\n\n")
        show_rows(table[0], table[1:], style, file, title)


def show_rows(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    style: str = "table",
    file: IO[str] | None = None,
    title: str = "",
) -> None:
    """Print rows of text as a table, Markdown, CSV or JSON."""
    file = file or sys.stdout
    if file is None:
        raise OutputError("standard output: is closed. Open it, or write to a file.")
    if style == "csv":
        import csv

        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    elif style == "json":
        import json

        records = [dict(zip(header, row, strict=True)) for row in rows]
        file.write(f"{json.dumps(records, ensure_ascii=False, indent=1)}\n")
    elif style == "markdown":
        file.write(_markdown(header, rows))
    elif file.isatty():
        _rich(title, header, rows, file)
    else:
        file.write(_plain(header, rows))


def _profile(protocol: str) -> str:
    """Say which trec_eval, and what else was asked, as the protocol has it."""
    _, slash, rest = protocol.partition("/")
    profile, *options = rest.split(";")
    if not slash:
        return "of no stated version"
    return ", ".join([f"{profile} profile", *options])


def _cells(run: Means, labels: Sequence[str], zeros: bool, apart: bool) -> list[list[str]]:
    """Give a run's row, and one that counts missing queries as 0 where the means do not."""
    missing = max((m.missing for m in run.means), default=0)
    name = f"{run.run} ({missing} missing)" if missing else run.run
    by_label = dict(zip(run.labels, run.means, strict=True))
    values = {label: one.value for label, one in by_label.items()}
    rows = [[name, *(_cell(x, values.get(x, math.nan)) for x in labels)]]
    if missing and not zeros:
        values = {label: one.value_with_zeros for label, one in by_label.items()}
        name = f"{run.run}, missing as 0" if apart else "  missing as 0"
        rows.append([name, *(_cell(x, values.get(x, math.nan)) for x in labels)])
    return rows


def _cell(label: str, value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if averaging(label) == "sum" else f"{value:.4f}"


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*table, strict=True)]


def _right(rows: Sequence[Sequence[str]]) -> list[bool]:
    """Say for each column whether it holds numbers, which stand to the right."""
    return [
        all(set(cell) <= set("+-.0123456789") for cell in column)
        for column in zip(*rows, strict=True)
    ]


def _plain(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths, right = _widths([header, *rows]), _right(rows)
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in [header, *rows]
    ]
    return "\n".join([*lines, ""])


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---:" if to_right else "---" for to_right in _right(rows)]
    return "".join(
        "| " + " | ".join(cell.strip().replace("|", "\\|") for cell in line) + " |\n"
        for line in [header, rule, *rows]
    )


def _rich(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], file: IO[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    right = _right(rows)
    console = Console(file=file)
    if title:
        console.print(Text(title), soft_wrap=True)
    for part in _parts(_widths([header, *rows]), console.width):
        table = Table(box=box.SIMPLE_HEAD)
        for i in part:
            justify: Literal["left", "right"] = "right" if right[i] else "left"
            table.add_column(Text(header[i]), justify=justify, overflow="fold")
        for row in rows:
            table.add_row(*(Text(row[i]) for i in part))
        console.print(table)


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Share columns out to tables that fit; the first column stands in each."""
    parts = [[0]]
    for i in range(1, len(widths)):
        # rich puts a blank on either side of a column and one between columns, and ends with one.
        taken = sum(widths[j] + 3 for j in [*parts[-1], i]) + 1
        if taken > room and len(parts[-1]) > 1:
            parts.append([0])
        parts[-1].append(i)
    return parts
