"""What makes two numbers comparable: the judgments, the profile and what was left out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple


class Protocol(NamedTuple):
    """The last column of tidy scores: numbers under two protocols are never put side by side."""

    judgments: str
    """First 12 hexadecimal digits of the SHA-256 over the judgments."""
    profile: str
    answerable_only: bool = False

    def __str__(self) -> str:
        options = ["answerable-only"] if self.answerable_only else []
        return ";".join([f"{self.judgments}/{self.profile}", *options])


def judgments_hash(qrels: Mapping[bytes, Mapping[bytes, int]]) -> str:
    """Hash judgments so that order and compression do not matter, and any grade does.

    The hash is over lines ``query TAB docno TAB grade``, sorted by bytes, each ended by LF.
    """
    lines = sorted(
        b"%b\t%b\t%d\n" % (query_id, docno, grade)
        for query_id, documents in qrels.items()
        for docno, grade in documents.items()
    )
    return hashlib.sha256(b"".join(lines)).hexdigest()[:12]
