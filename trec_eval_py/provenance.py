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
    drop_same_id: bool = False
    collapse: str = ""
    """First 8 hexadecimal digits of the SHA-256 of the expression."""
    docno_map: str = ""
    """First 8 hexadecimal digits of the SHA-256 of the file."""

    def __str__(self) -> str:
        options = {
            "answerable-only": self.answerable_only,
            "drop-same-id": self.drop_same_id,
            f"collapse={self.collapse}": self.collapse,
            f"docno-map={self.docno_map}": self.docno_map,
            f"duplicates={self.duplicates}": self.duplicates != "refuse",
        }
        asked = [option for option, given in options.items() if given]
        return ";".join([f"{self.judgments}/{self.profile}", *asked])


def short_hash(content: bytes) -> str:
    """Give the first 8 hexadecimal digits of the SHA-256."""
    return hashlib.sha256(content).hexdigest()[:8]


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
