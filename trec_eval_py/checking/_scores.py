"""Faults of a file of tidy scores: all of them, where ``read_scores`` refuses at the first."""

from __future__ import annotations

import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from trec_eval_py.checking._findings import Finding, Findings
from trec_eval_py.errors import ReadError
from trec_eval_py.measures import Options, expand_known, ranked
from trec_eval_py.reading import Source, any_length, json_object, number, shown
from trec_eval_py.schemas import CEILING, SCORES

_NAMED = 5
_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
_MEND = "Mend or drop the row."

# Measures whose values lie between 0 and 1, by trec_eval's name.
_SHARES = {
    *("P", "recall", "map", "map_cut", "gm_map", "recip_rank", "ndcg", "ndcg_cut", "ndcg_exp"),
    *("Rprec", "success", "bpref", "iprec_at_recall", "11pt_avg"),
    *("set_P", "set_recall", "set_map", "set_F"),
}
_ROUNDING = 1e-9


class _Kind(NamedTuple):
    """Ids that are mangled where types are guessed."""

    code: str
    pattern: re.Pattern[str]
    what: str
    becomes: str
    json: bool = False
    """Whether pandas guesses so for JSON lines, too."""


_MONTH = (
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?"
    "|nov(ember)?|dec(ember)?"
)
# What pandas 3.0 takes for missing by default: read_csv, na_values.
_MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
_KINDS = (
    _Kind(
        "id-leading-zero",
        re.compile(r"[+-]?0[0-9]+(\.[0-9]*)?"),
        "with a leading zero",
        "where types are guessed, '001' is 1",
        json=True,
    ),
    _Kind(
        "id-decimal",
        re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+)"),
        "like a decimal number",
        "where types are guessed, '1.1' and '1.10' are one",
        json=True,
    ),
    _Kind(
        "id-exponent",
        re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"),
        "like a number with an exponent",
        "where types are guessed, '1e5' is 100000",
        json=True,
    ),
    _Kind(
        "id-long-integer",
        re.compile(r"[+-]?[0-9]{16,}"),
        "that is an integer of 16 digits or more",
        "spreadsheets keep 15 digits, and floats hardly more",
    ),
    _Kind(
        "id-na-like",
        re.compile("|".join(map(re.escape, _MISSING))),
        "that stands for a missing value elsewhere",
        "where types are guessed, it is dropped",
    ),
    _Kind(
        "id-date-like",
        re.compile(
            r"[0-9]{4}[-/][0-9]{1,2}([-/][0-9]{1,2})?|[0-9]{1,2}[-/][0-9]{1,2}([-/][0-9]{1,4})?"
            rf"|({_MONTH})[- /]?[0-9]{{1,4}}|[0-9]{{1,2}}[- /]?({_MONTH})([- /]?[0-9]{{2,4}})?",
            re.IGNORECASE | re.ASCII,
        ),
        "like a date",
        "spreadsheets make a date of '1-2' and 'MAR1'",
    ),
    _Kind(
        "id-boolean",
        re.compile("true|false", re.IGNORECASE | re.ASCII),
        "that is true or false",
        "where types are guessed, it is no text",
    ),
)


class _Row(NamedTuple):
    """One row whose key is text."""

    place: int
    key: tuple[str, ...]
    """Its qrels, run, query_id and measure."""
    value: float | None
    """NaN where it is missing, None where it is no number."""
    protocol: str | None


def check_scores(given: str | Source) -> list[Finding]:
    """Find the faults of a file of tidy scores, and what misleads in it.

    ``read_scores`` takes a file exactly if no error is found here, other than two protocols for one
    name of qrels, which ``summary`` refuses. Where rows cannot be read, runs are not compared by
    their queries and measures. Of each code, 1,000 findings are listed; one more counts the rest.

    Parameters
    ----------
    given : str or Source
        CSV, TSV, JSON lines or Parquet by suffix (CSV otherwise), plain or compressed; ``-`` is
        standard input. A stream can be opened once: its Source is to be handed on.

    Returns
    -------
    list of Finding
        By line, counted from 1; those of the whole file last. Parquet has rows instead of lines:
        ``saw`` names them. Ids that are mangled where types are guessed make one finding a kind,
        with the first; Parquet stores types, so that it has none.

    Raises
    ------
    UsageError
        Where there is no such file.
    """
    source = given if isinstance(given, Source) else Source(given)
    faults = Findings(source.name, _kind_of(source.name))
    names: list[str] = []
    read = _parquet if faults.kind == "parquet" else _text
    try:
        cells = list(read(source, names, faults))
    except ReadError as error:
        _, line, saw, expected, fix, _ = error.args
        faults.add("scores-unreadable", line, f"{saw}, expected {expected}", fix)
        return faults.all()
    whole = _check_columns(names, faults)
    if not cells and whole and not faults.lost_rows:
        faults.add("scores-empty", None, "no row of scores", "Score a run first.")
    if faults.kind != "parquet":
        _check_ids(names, cells, faults)
    rows = list(_rows(names, cells, faults))
    for row in rows:
        _check_range(row, faults)
    if whole:
        _check_keys(rows, faults)
        _check_protocols(rows, faults)
        _check_missing(rows, faults)
        if not faults.lost_rows:
            _check_runs(rows, faults)
    return faults.all()


# Reading. A row is its place and its cells; what is in the way of reading it is a fault.
_Cells = tuple[int, list[object]]


def _kind_of(path: str) -> str:
    """Give the kind of file that a name speaks of; CSV where it does not."""
    name = path.lower()
    bare = next((name.removesuffix(end) for end in _COMPRESSIONS if name.endswith(end)), name)
    kind = Path(bare).suffix.removeprefix(".")
    return kind if kind in ("tsv", "jsonl", "parquet") else "csv"


def _parquet(source: Source, names: list[str], faults: Findings) -> Iterator[_Cells]:
    from pyarrow import parquet

    try:
        with Path(source.path).open("rb") as file:
            table = parquet.read_table(file)
        names.extend(table.column_names)
        columns = [column.to_pylist() for column in table.columns]
    except Exception as error:  # pyarrow raises classes of its own, and those of what it decodes
        said = (str(error).splitlines() or [type(error).__name__])[0]
        fix = "Write it again, or name it .csv."
        raise ReadError(source.name, None, said, "a Parquet file", fix) from None
    for place, cells in enumerate(zip(*columns, strict=True), 1):
        yield place, list(cells)


def _text(source: Source, names: list[str], faults: Findings) -> Iterator[_Cells]:
    with (
        source.open() as raw,
        io.TextIOWrapper(raw, "utf-8-sig", "surrogateescape", newline="") as file,
    ):
        lines = _decoded(file, faults)
        read = _json_lines if faults.kind == "jsonl" else _csv
        yield from read(lines, names, faults)


def _decoded(file: Iterable[str], faults: Findings) -> Iterator[str]:
    """Yield lines as they are, and find those that are no UTF-8."""
    for place, line in enumerate(file, 1):
        if not line.isascii() and (odd := re.search("[\udc80-\udcff]", line)):
            saw = f"byte 0x{ord(odd[0]) - 0xDC00:02x}, expected text in UTF-8"
            faults.add("scores-not-utf-8", place, saw, "Write the file again as UTF-8.")
        yield line


def _csv(lines: Iterator[str], names: list[str], faults: Findings) -> Iterator[_Cells]:
    import csv

    with any_length():
        delimiter = "," if faults.kind == "csv" else "\t"
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        while True:
            place = reader.line_num + 1  # a cell may hold line ends
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:  # the reader goes on with the next line
                faults.lose("scores-cells", place, f"{error}, expected {faults.kind}")
                continue
            if not names:
                names.extend(row)
            elif len(row) != len(names):
                saw = f"{_counted(len(row), 'cell')}, expected {len(names)}, as in the header"
                faults.lose("scores-cells", place, saw)
            else:
                yield place, list(row)


def _json_lines(lines: Iterator[str], names: list[str], faults: Findings) -> Iterator[_Cells]:
    first = True
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _object(line)
        except (ValueError, RecursionError) as error:
            faults.lose("scores-cells", place, f"{error}, expected a JSON object")
            continue
        if first:
            names.extend(record)
            first = False
        if set(record) != set(names):
            differ = ", ".join(map(_shown, sorted(set(names) ^ set(record))))
            faults.lose("scores-cells", place, f"other keys ({differ}) than on the first line")
        else:
            yield place, [record[name] for name in names]


def _object(line: str) -> dict[str, object]:
    """Read a JSON object whose keys differ."""
    record = json_object(line)
    if not isinstance(record, dict):
        raise ValueError(_shown(line.strip()))
    return record


# Cells.


def _check_columns(names: list[str], faults: Findings) -> bool:
    """Find columns that are missing or stand twice; say whether the key, and the value, are there.

    A file of others may lack the protocol: its numbers are comparable to nothing, for all we know.
    """
    missing = [name for name in SCORES.columns if name not in names and name != "protocol"]
    twice = [name for name, count in Counter(names).items() if count > 1]
    saw = f"columns {', '.join(map(_shown, names[:20])) or 'none'}, expected "
    saw += ",".join(SCORES.columns)
    fixes = []
    if twice:
        fixes.append(f"Name each column once: {', '.join(map(_shown, twice))}.")
    if missing:
        add = ", ".join(missing)
        fixes.append(f"Add {add}: a row for each value, as score writes without --wide.")
    if fixes:
        faults.add("scores-columns", 1, saw, " ".join(fixes))
    if not missing and "protocol" not in names:
        fix = "Compare its numbers with none of another file; score writes the column."
        faults.add("scores-no-protocol", None, "no column protocol", fix)
    return not missing


def _check_ids(names: list[str], cells: list[_Cells], faults: Findings) -> None:
    """Find ids that are mangled where types are guessed: one finding a kind."""
    first: dict[tuple[str, str], int] = {}
    for name in SCORES.key:
        if name in names:
            at = names.index(name)
            for place, row in cells:
                if isinstance(cell := row[at], str):
                    first.setdefault((name, cell), place)
    recipe = "pandas.read_csv(path, dtype=str, keep_default_na=False)"
    if faults.kind == "tsv":
        recipe = "pandas.read_csv(path, sep='\\t', dtype=str, keep_default_na=False)"
    if faults.kind == "jsonl":
        recipe = "pandas.read_json(path, lines=True, dtype=False)"
    fix = f"Read the file with te.read_scores(path), or {recipe}"
    fix += "." if faults.kind == "jsonl" else "; in a spreadsheet, import ids as text."
    for kind in _KINDS:
        if faults.kind == "jsonl" and not kind.json:
            continue
        hits = [(place, *one) for one, place in first.items() if kind.pattern.fullmatch(one[1])]
        if hits:
            place, name, one = min(hits)
            more = f" (and {len(hits) - 1} more such ids)" if len(hits) > 1 else ""
            saw = f"{name} {_shown(one)} {kind.what}{more}: {kind.becomes}"
            faults.add(kind.code, place, saw, fix)


def _rows(names: list[str], cells: list[_Cells], faults: Findings) -> Iterator[_Row]:
    """Yield the rows whose ids are text, and find cells that are not what their column holds."""
    at = {name: names.index(name) for name in SCORES.columns if name in names}
    same: dict[str, str] = {}  # each id is held once
    for place, row in cells:
        texts = {}
        for name, index in at.items():
            cell = row[index]
            if name == "value":
                continue
            if isinstance(cell, str):
                texts[name] = same.setdefault(cell, cell)
            else:
                saw = f"{name} {_short(cell)}, expected text"
                faults.lose("scores-not-text", place, saw, "Write it as text, in quotes.")
        value: float | None = None
        if "value" in at:
            value = _number(row[at["value"]])
            if value is None:
                saw = f"value {_short(row[at['value']])}, expected a number"
                fix = "Mend or drop the row; where the query is missing, leave the value empty."
                faults.add("scores-no-number", place, saw, fix)
        if all(name in texts for name in at if name != "value"):
            key = tuple(texts.get(name, "") for name in SCORES.key)
            yield _Row(place, key, value, texts.get("protocol"))


def _number(cell: object) -> float | None:
    """Read a value: NaN where it is missing, None where it is no finite number."""
    if cell is None or cell == "":
        return math.nan
    value: float | None = None
    if isinstance(cell, str):
        value = number(cell)
    elif isinstance(cell, int | float) and not isinstance(cell, bool):
        try:
            value = float(cell)
        except OverflowError:
            return None
    return None if value is None or math.isinf(value) else value


def _check_range(row: _Row, faults: Findings) -> None:
    label = row.key[3]
    if row.value is None or math.isnan(row.value) or not _is_share(label):
        return
    if not -_ROUNDING <= row.value <= 1 + _ROUNDING:
        saw = f"value {row.value!r} of {_shown(label)}, expected 0 to 1"
        percent = 1 < row.value <= 100
        fix = "Divide percentages by 100." if percent else "Look where it comes from."
        faults.add("scores-out-of-range", row.place, saw, fix)


@cache
def _is_share(label: str) -> bool:
    """Whether a label is of a measure between 0 and 1; gains of one's own may be negative."""
    asked = expand_known(label, Options())
    return len(asked) == 1 and all(
        one.measure.name in _SHARES and not (one.measure.kind == "gains" and one.parameters)
        for one in asked
    )


# The whole file.


def _check_keys(rows: list[_Row], faults: Findings) -> None:
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        place = first.setdefault(row.key, row.place)
        if place != row.place:
            named = ", ".join(
                f"{name} {_shown(one)}" for name, one in zip(SCORES.key, row.key, strict=True)
            )
            where = "row" if faults.kind == "parquet" else "line"
            fix = "Drop one of the rows; where two runs share a name, name one otherwise."
            faults.add("scores-key-repeated", row.place, f"{named} as on {where} {place}", fix)


def _check_protocols(rows: list[_Row], faults: Findings) -> None:
    """Find names of qrels with a second protocol, once for each further one."""
    first: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row.protocol is not None:
            first[row.key[0]].setdefault(row.protocol, row.place)
    for qrels, protocols in first.items():
        one, *others = protocols
        for other in others:
            saw = f"protocol {_shown(other)} for qrels {_shown(qrels)}, expected {_shown(one)} as "
            saw += "above"
            fix = "Numbers under two protocols are not comparable: keep them in files apart."
            faults.add("scores-two-protocols", protocols[other], saw, fix)


def _check_missing(rows: list[_Row], faults: Findings) -> None:
    """Count, for each run, the queries with an empty value.

    The ceiling has none where no ranking alone is best, and that is no missing query.
    """
    queries: dict[tuple[str, ...], set[str]] = defaultdict(set)
    missing: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    can_be_ranked = cache(ranked)
    for row in rows:
        queries[row.key[:2]].add(row.key[2])
        empty = row.value is not None and math.isnan(row.value)
        if empty and (row.key[1] != CEILING or can_be_ranked(row.key[3])):
            missing[row.key[:2]].setdefault(row.key[2])
    for run, lacking in missing.items():
        count = _counted(len(queries[run]), "query", "queries")
        saw = f"no value for {len(lacking)} of {count} of {_run(run)}: {_listed(lacking)}"
        fix = "Means skip them; count them as 0 with --missing zero, or score with --complete."
        faults.add("scores-value-missing", None, saw, fix)


def _check_runs(rows: list[_Row], faults: Findings) -> None:
    """Find runs that lack queries, measures or single rows that others of the same qrels have."""
    queries, measures = _of_runs(rows, 2), _of_runs(rows, 3)
    held: Counter[tuple[str, ...]] = Counter(run for run, _, _ in {_cell(row) for row in rows})
    for code, one, several, of_runs, fix in (
        ("scores-queries-differ", "query", "queries", queries, "Score every run on all queries."),
        ("scores-measures-differ", "measure", "measures", measures, "Score all runs alike."),
    ):
        every: dict[str, dict[str, None]] = defaultdict(dict)
        for run, own in of_runs.items():
            every[run[0]].update(own)
        for run, own in of_runs.items():
            lacking = [x for x in every[run[0]] if x not in own]
            if lacking:
                count = _counted(len(every[run[0]]), one, several)
                saw = f"{len(own)} of {count} for {_run(run)}, which lacks {_listed(lacking)}"
                faults.add(code, None, saw, fix)
    for run, rows_of_run in held.items():
        expected = len(queries[run]) * len(measures[run])
        if rows_of_run < expected:
            saw = (
                f"{_counted(rows_of_run, 'row')} for {_run(run)}, expected {expected}: "
                f"{_counted(len(queries[run]), 'query', 'queries')} by "
                f"{_counted(len(measures[run]), 'measure')}"
            )
            fix = "A query that is missing keeps its rows, with an empty value."
            faults.add("scores-rows-lacking", None, saw, fix)


def _of_runs(rows: list[_Row], at: int) -> dict[tuple[str, ...], dict[str, None]]:
    """List the queries (2) or measures (3) of each run, as they come."""
    of_runs: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for row in rows:
        of_runs[row.key[:2]].setdefault(row.key[at])
    return of_runs


def _cell(row: _Row) -> tuple[tuple[str, ...], str, str]:
    return row.key[:2], row.key[2], row.key[3]


# Words.


def _run(run: tuple[str, ...]) -> str:
    return f"run {_shown(run[1])} on qrels {_shown(run[0])}"


def _shown(text: str) -> str:
    return shown(text.encode("utf-8", "backslashreplace"))


def _short(cell: object) -> str:
    """Show a cell of whatever type, cut where it is very long."""
    if isinstance(cell, str):
        return _shown(cell)
    try:
        text = repr(cell)
    except (ValueError, RecursionError):  # integers of thousands of digits; deep lists
        text = f"a very large {type(cell).__name__}"
    return f"{text if len(text) <= 60 else text[:60] + '…'} ({type(cell).__name__})"


def _counted(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or one + 's'}"


def _listed(ids: Iterable[str]) -> str:
    named = [_shown(one) for one in ids]
    rest = len(named) - _NAMED
    return ", ".join(named[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
