"""What makes two numbers comparable: the judgments, the profile and what was left out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple


class Protocol(NamedTuple):
    """The last column of tidy scores: numbers under two protocols are never put side by side."""

    judgments: str
    """First 12 hexadecimal digits of the SHA-256 over the judgments."""
    profile: str
    answerable_only: bool = False
    duplicates: str = "refuse"

    def __str__(self) -> str:
        options = ["answerable-only"] if self.answerable_only else []
        options += [f"duplicates={self.duplicates}"] if self.duplicates != "refuse" else []
        return ";".join([f"{self.judgments}/{self.profile}", *options])


def judgments_hash(records: Iterable[bytes]) -> str:
    """Hash judgments so that order and compression do not matter, and any grade does.

    Parameters
    ----------
    records : iterable of bytes
        A line for each judgment, each once, without its end: ``query TAB docno TAB grade`` for
        qrels.

    Returns
    -------
    str
        12 hexadecimal digits of the SHA-256 over the lines, sorted by bytes, each ended by LF.
    """
    lines = [b"%b\n" % record for record in sorted(records)]
    return hashlib.sha256(b"".join(lines)).hexdigest()[:12]
