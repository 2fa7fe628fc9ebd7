"""The grammar of lines and numbers, as design.md section 4 has it, for every reader."""

from __future__ import annotations

import re

from trec_eval_py.errors import ReadError

BOM = b"\xef\xbb\xbf"
# Patterns are texts, which re compiles when one is first needed: most files need none.
_SCORE = rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_INFINITY = rb"[+-]?(?i:inf(inity)?)"
_INTEGER = rb"[+-]?[0-9]+"
_GRADE = rb"([+-]?[0-9]+)(\.0*)?"
_NOT_ZERO = rb"[+-]?[0.]*[1-9]"
# The characters of the grammar of finite scores: Python's float() reads the same texts over these.
SCORE_CHARACTERS = b"0123456789+-.eE"

# A line of so many bytes is split into so many fields: those of more are refused, or are a tag.
LONG_LINE, MANY_FIELDS = 1 << 20, 1000

# What JSON says of a query, in so many characters, would take a gigabyte as Python objects.
LONGEST_ANSWER = 32 << 20

RUN_LINE = "6 fields (query_id Q0 docno rank score tag)"
QRELS_LINE = "4 fields (query_id 0 docno relevance)"


def split(line: bytes) -> list[bytes]:
    """Split a line at ASCII white space; of a very long one, only the first thousand fields."""
    return line.split() if len(line) < LONG_LINE else line.split(None, MANY_FIELDS)


def quoted(field: bytes, limit: int = 60) -> str:
    """Show a field as it stood, cut where it is very long."""
    text = field.decode("utf-8", "backslashreplace")
    shown = text if len(text) <= limit else f"{text[:limit]}…"
    # As it stands in the output; with escapes only where a terminal would not show it.
    return f"'{shown}'" if shown.isprintable() else repr(shown)


def score(field: bytes) -> float | None:
    """Read a score, or say None where it is none (NaN, hexadecimal, a comma, an underscore)."""
    if re.fullmatch(_SCORE, field) or re.fullmatch(_INFINITY, field):
        return float(field)
    return None


def is_integer(field: bytes) -> bool:
    """Whether a field is a decimal integer."""
    return re.fullmatch(_INTEGER, field) is not None


def out_of_range(field: bytes, value: float) -> bool:
    """Whether a score that reads as infinite or 0 stood for another number."""
    if value in (float("inf"), float("-inf")):
        return re.fullmatch(_INFINITY, field) is None
    return value == 0.0 and re.match(_NOT_ZERO, field) is not None


def grade(field: bytes) -> int | None:
    """Read a grade: an integer of 64 bits, which may be written 1.0; None where it is none."""
    if len(field) < 18 and field.isdigit():
        return int(field)
    found = re.fullmatch(_GRADE, field)
    if found is None or len(found[1].lstrip(b"+-0")) > 19:
        return None
    value = int(found[1])
    return value if -(2**63) <= value < 2**63 else None


def field_count(fields: list[bytes]) -> str:
    """Say how many fields a line has."""
    if len(fields) > MANY_FIELDS:
        return f"more than {MANY_FIELDS:,} fields"
    return f"{len(fields)} field{'s' * (len(fields) != 1)}"


def mend(fields: list[bytes], otherwise: str = "Mend or drop the line.") -> str:
    """Say how to mend a line that has not the form of its file, by what it looks like."""
    if fields[0][:1] in (b"{", b"["):
        return "This looks like JSON, but is none: check what wrote it."
    if len(fields) == 1 and fields[0].count(b",") > 1:
        return "Separate fields by blanks or tabs, not commas."
    return otherwise


class Layout:
    """The fields of a run's lines: the first data line decides, and the others must agree.

    Attributes
    ----------
    width : int
        6 (TREC), 5 (TREC without a tag) or 3 (MS MARCO: query_id docno rank).
    """

    def __init__(self, source: str, line: int, fields: list[bytes], format: str = "auto") -> None:
        self.width = min(len(fields), 6)
        if self.width not in {"msmarco": (3,), "trec": (5, 6)}.get(format, (3, 5, 6)):
            self.width = 3 if format == "msmarco" else 6
            raise self._fault(source, line, fields, "")

    def check(self, source: str, line: int, fields: list[bytes]) -> None:
        """Refuse a line whose fields do not fit."""
        count = len(fields)
        if self.width == 6 and count > 6 and not is_integer(fields[3]):
            raise ReadError(
                source,
                line,
                f"{count} fields with {quoted(fields[3])} for a rank",
                RUN_LINE,
                mend(fields, "A docno must not hold blanks; only a tag may. Mend the line."),
                "fields",
            )
        if self.width != min(count, 6) or (self.width < 6 and count != self.width):
            raise self._fault(source, line, fields)
        if self.width == 5 and not is_integer(fields[3]):
            raise ReadError(
                source,
                line,
                f"5 fields with {quoted(fields[3])} for a rank",
                "query_id Q0 docno rank score",
                mend(fields, "Where Q0 is missing, put it back."),
                "fields",
            )

    def _fault(
        self, source: str, line: int, fields: list[bytes], above: str = " as on the lines above"
    ) -> ReadError:
        expected = {
            5: f"5 fields{above} (query_id Q0 docno rank score)",
            3: f"3 fields{above} (query_id docno rank)",
        }.get(self.width, RUN_LINE)
        fix = "Mend or drop the line."
        if len(fields) == 4:
            fix = "Four fields are qrels'; where the tag and Q0 are missing, put them back."
        saw = field_count(fields)
        return ReadError(source, line, saw, expected, mend(fields, fix), "fields")
