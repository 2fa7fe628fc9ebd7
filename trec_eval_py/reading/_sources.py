"""Where bytes come from: files, standard input and pipes, compressed or not.

Compression is told by content. A source can be opened again and again, since what the fast reader
refuses is read once more, line by line: what is no regular file is spooled to a temporary one.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from trec_eval_py.errors import ReadError, UsageError

# Below these sizes, importing pyarrow costs more than it saves.
LARGE, LARGE_COMPRESSED = 4 << 20, 700_000

_UNPACK = "Unpack it, and give the file inside."
_CONVERT = "Convert it: iconv -f UTF-16 -t UTF-8."
_FRAME = "Read it with pandas, and pass the frame to trec_eval_py.score."


class Odd(Exception):
    """A file is not for the columnar reader: the plain one must look at it."""


class Interleaved(Odd):
    """A query is seen again after another one: the file must be held whole."""


class Source:
    """A file by the name that the user gave it; ``-`` is standard input.

    Raises
    ------
    UsageError
        Where there is no such file, or it is a directory or cannot be read.
    """

    def __init__(self, given: str | os.PathLike[str]) -> None:
        try:
            self.name = os.fspath(given)
        except TypeError:
            raise UsageError(f"saw {given!r}, expected a path. Check the arguments.") from None
        if self.name == "-":
            if sys.stdin is None:
                raise UsageError("-: cannot be read: standard input is closed. Name a file.")
            self.path = self._spooled(sys.stdin.buffer)
            return
        if not self.name:
            raise UsageError("saw an empty file name, expected a path. Check the arguments.")
        self.path = self.name
        try:
            mode = Path(self.name).stat().st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(0, "Is a directory")
            with Path(self.name).open("rb") as file:
                if not stat.S_ISREG(mode):
                    self.path = self._spooled(file)
        except ReadError:
            raise
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"{self.name}: cannot be read: {said}. Check the path.") from None

    def is_large(self) -> bool:
        """Whether it is so large that reading it by columns pays."""
        size = Path(self.path).stat().st_size
        if not LARGE_COMPRESSED <= size < LARGE:
            return size >= LARGE
        with Path(self.path).open("rb") as file:
            return _compression(file.read(10)) != "none"

    def _spooled(self, file: IO[bytes]) -> str:
        """Copy a stream to a temporary file that goes when this source does."""
        import shutil
        import tempfile
        import weakref

        number, path = tempfile.mkstemp(prefix="trec_eval_py-")
        weakref.finalize(self, _remove, path)
        try:
            with open(number, "wb") as spool:  # noqa: PTH123 - a file that is open already
                shutil.copyfileobj(file, spool)
        except OSError as error:
            raise self._unreadable(error, f"room for it in {tempfile.gettempdir()}") from None
        return path

    def _unreadable(self, error: OSError, expected: str) -> ReadError:
        said = error.strerror or str(error)
        return ReadError(self.name, None, said, expected, "Copy it to another place.")

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open for reading, decompressed.

        Raises
        ------
        ReadError
            Here or in reading, where the content is no text or a compressed stream is damaged.
        """
        with Path(self.path).open("rb", buffering=0) as raw:
            try:
                head = raw.read(10)
            except OSError as error:
                raise self._unreadable(error, "a file that can be read") from None
            self._refuse(raw, head)
            raw.seek(0)
            kind = _compression(head)
            if kind == "none":
                try:
                    yield raw
                except OSError as error:
                    raise self._unreadable(error, "a file that can be read") from None
            else:
                stream = _Stream(_decompressed(raw, kind), self.name, kind)
                with io.BufferedReader(stream, 1 << 16) as file:
                    yield file

    def _refuse(self, raw: IO[bytes], head: bytes) -> None:
        """Refuse what is no text, by name."""
        saw = fix = ""
        if head.startswith(b"PK\x03\x04"):
            saw, fix = "a zip archive", _UNPACK
        elif head.startswith((b"\xff\xfe", b"\xfe\xff")):
            saw, fix = "UTF-16 text", _CONVERT
        elif head.startswith(b"PAR1") and self._ends_with(raw, b"PAR1"):
            saw, fix = "a Parquet file", _FRAME
        if saw:
            raise ReadError(self.name, None, saw, "text", fix)

    @staticmethod
    def _ends_with(raw: IO[bytes], ending: bytes) -> bool:
        raw.seek(-len(ending), os.SEEK_END)
        return raw.read() == ending


def _remove(path: str) -> None:
    with suppress(OSError):
        Path(path).unlink()


def _compression(head: bytes) -> str:
    """Tell the compression by the first bytes; text may well begin with the first three."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head[:3] == b"BZh" and head[4:] in (b"1AY&SY", b"\x17rE8P\x90"):
        return "bzip2"
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    return "zstd" if head.startswith(b"\x28\xb5\x2f\xfd") else "none"


def _decompressed(raw: BinaryIO, kind: str) -> BinaryIO:
    """Wrap a file so that reading it gives plain bytes, of all members and frames."""
    if kind == "gzip":
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=raw, mode="rb"))
    if kind == "bzip2":
        import bz2

        return cast(BinaryIO, _Members(raw, bz2.BZ2Decompressor))
    if kind == "xz":
        import lzma

        return cast(BinaryIO, _Members(raw, lzma.LZMADecompressor))
    import pyarrow

    return cast(BinaryIO, pyarrow.CompressedInputStream(pyarrow.PythonFile(raw), "zstd"))


class _Members(io.RawIOBase):
    """All members of a bzip2 or xz file, of which the standard library drops damaged later ones."""

    def __init__(self, raw: BinaryIO, new: Any) -> None:  # noqa: ANN401 - of bz2 or lzma
        self._raw, self._new, self._member = raw, new, new()

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as in io
        """Fill a buffer as far as there is something; 0 is the end."""
        while True:
            data = b""
            if self._member.eof:
                # xz pads its members with NUL bytes.
                data = self._member.unused_data.lstrip(b"\0") or self._raw.read(1 << 16)
                if not data.strip(b"\0"):
                    return 0
                self._member = self._new()
            elif self._member.needs_input:
                data = self._raw.read(1 << 16)
                if not data:
                    raise EOFError("it ends early")
            found: bytes = self._member.decompress(data, len(buffer))
            if found:
                buffer[: len(found)] = found
                return len(found)


class _Stream(io.RawIOBase):
    """A decompressed stream whose faults are told of the file."""

    def __init__(self, file: BinaryIO, name: str, kind: str) -> None:
        self._file, self._name, self._kind = file, name, kind

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as in io
        """Fill a buffer as far as there is something; 0 is the end."""
        try:
            count: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        except Exception as error:  # zlib, lzma and pyarrow have classes of their own
            raise ReadError(
                self._name,
                None,
                f"a {self._kind} stream that is cut off or damaged ({error})",
                "a whole one",
                "Fetch or write the file again.",
            ) from None
        return count
