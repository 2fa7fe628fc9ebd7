"""Cells of tables in text, such as files of scores: CSV and lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def any_length() -> Iterator[None]:
    """Let cells be longer than the csv module allows, while a file is read."""
    import csv

    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def json_object(text: str) -> object:
    """Read a line of JSON, an object whose keys differ; the caller sees that it is one.

    Raises
    ------
    ValueError
        On what is no JSON (NaN is none), and on a key that stands twice.
    RecursionError
        On what is nested too deep.
    """
    import json

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON; a missing value is null")

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        record = dict(pairs)
        if len(record) < len(pairs):
            names = [name for name, _ in pairs]
            raise ValueError(f"key {next(n for n in names if names.count(n) > 1)!r} twice")
        return record

    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)
