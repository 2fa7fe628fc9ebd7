"""What can go wrong, as exceptions that a caller may catch and a person can act on."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

_PACKAGE = f"{Path(__file__).parent}{os.sep}"


class TrecEvalError(Exception):
    """Base of every error that this package raises on purpose.

    Attributes
    ----------
    exit_status : int
        What the command line ends with: 2 for wrong use, 3 for a refused input or output.
    """

    exit_status = 2


class UsageError(TrecEvalError, ValueError):
    """Arguments that make no sense together, or names that clash."""


class MeasureError(UsageError):
    """A measure's name that means nothing, or nothing that can be computed here."""


class InputError(TrecEvalError, ValueError):
    """Data that cannot be used, in memory or in a file."""

    exit_status = 3


class NoCommonQueryError(InputError):
    """A run and judgments that share no query."""


class ReadError(InputError):
    """A line of an input file that cannot be used.

    Parameters
    ----------
    source : str
        The file as the user named it.
    line : int or None
        Counted from 1; None where the fault is the whole file's.
    saw, expected, fix : str
        What stood there (quoted as it stood), what should have, and how to mend it.
    code : str
        What kind of fault it is, for programs: one of those that ``check`` lists, or
        ``not-in-target`` of what ``convert`` cannot write.
    """

    def __init__(
        self,
        source: str,
        line: int | None,
        saw: str,
        expected: str,
        fix: str,
        code: str = "unreadable",
    ) -> None:
        # All go to args: an exception pickles by them, on its way back from a worker process.
        super().__init__(source, line, saw, expected, fix, code)

    @property
    def line(self) -> int | None:
        """The line of the fault, from 1."""
        line: int | None = self.args[1]
        return line

    @property
    def code(self) -> str:
        """The kind of fault, as ``check`` names it."""
        code: str = self.args[5]
        return code

    def __str__(self) -> str:
        source, line, saw, expected, fix, _ = self.args
        place = source if line is None else f"{source}:{line}"
        return f"{place}: saw {saw}, expected {expected}. {fix}"


class OutputError(TrecEvalError, OSError):
    """A file that cannot be written, with the system's words."""

    exit_status = 3


class ScorerError(TrecEvalError, RuntimeError):
    """pytrec_eval returned what cannot be: its numbers are not to be used."""

    exit_status = 3


class TrecEvalWarning(UserWarning):
    """Something was read or scored in a way that the caller may not expect."""


def warn(text: str) -> None:
    """Give a TrecEvalWarning that points to the first line outside this package."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, TrecEvalWarning, stacklevel=level)
