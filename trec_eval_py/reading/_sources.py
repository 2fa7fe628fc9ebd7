"""Where bytes come from: files, standard input and pipes, compressed or not.

Compression is told by content. A source can be opened again and again, since what the fast reader
refuses is read once more, line by line: what is no regular file is spooled to a temporary one.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from trec_eval_py.errors import ReadError, UsageError

# Below these sizes, importing pyarrow costs more than it saves.
LARGE, LARGE_COMPRESSED = 4 << 20, 700_000

_PARQUET = b"PAR1"
# An id may begin with a brace, or a bracket, but hardly goes on as JSON does: with a key and a
# colon, or as far as was read.
_KEY = rb'"(\\.|[^"\\])*("\s*(:|$)|\\?$)'
_JSON = rb"\s*(\{\s*(%b|\}\s*([\[{]|$)|$)|\[\s*([\"{}\[\]]|$))" % _KEY

HEAD, _MOST_BLANK = 512, 1 << 20
_UNPACK = "Unpack it, and give the file inside."
_CONVERT = "Convert it: iconv -f {0} -t UTF-8."
# What is no text: where its mark stands, the mark, its name, and how to mend it.
_FOREIGN = (
    (0, b"PK\x03\x04", "a zip archive", _UNPACK),
    (257, b"ustar", "a tar archive", _UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (0, b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (0, b"\x1f\x9d", "a file of the program compress (.Z)", "Unpack it: gzip -d FILE."),
    (0, b"\xff\xfe\x00\x00", "UTF-32 text", _CONVERT.format("UTF-32")),
    (0, b"\x00\x00\xfe\xff", "UTF-32 text", _CONVERT.format("UTF-32")),
    (0, b"\xff\xfe", "UTF-16 text", _CONVERT.format("UTF-16")),
    (0, b"\xfe\xff", "UTF-16 text", _CONVERT.format("UTF-16")),
)


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
        return self.compression != "none"

    @cached_property
    def compression(self) -> str:
        """How it is compressed, by its content: gzip, bzip2, xz, zstd, lz4 or none."""
        with self._raw() as file:
            return _compression(file.read(10))

    @cached_property
    def is_parquet(self) -> bool:
        """Whether it is a Parquet file, by its content."""
        with self._raw() as file:
            head = file.read(4)
            if head != _PARQUET or file.seek(0, os.SEEK_END) < 12:
                return False
            file.seek(-4, os.SEEK_END)
            return file.read() == _PARQUET

    @cached_property
    def is_json(self) -> bool:
        """Whether it begins as JSON does: with an object or a list."""
        with self.open() as file:
            head = file.read(HEAD).removeprefix(b"\xef\xbb\xbf")
            if not head.strip():  # blanks, of which JSON may begin with some
                head = file.read(_MOST_BLANK).lstrip()[:HEAD]
            return re.match(_JSON, head) is not None

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
        self._refuse_foreign()
        with self._raw() as raw:
            if self.compression == "none":
                try:
                    yield raw
                except OSError as error:
                    raise self._unreadable(error, "a file that can be read") from None
            else:
                with self._unpacked(raw) as file:
                    yield file

    @contextmanager
    def _raw(self) -> Iterator[BinaryIO]:
        try:
            raw = Path(self.path).open("rb", buffering=0)  # noqa: SIM115 - closed below
        except OSError as error:
            raise self._unreadable(error, "a file that can be read") from None
        with raw:
            yield raw

    def _unpacked(self, raw: BinaryIO) -> io.BufferedReader:
        kind = self.compression
        return io.BufferedReader(_Stream(_decompressed(raw, kind), self.name, kind), 1 << 16)

    def _refuse_foreign(self) -> None:
        """Refuse what is no text, by name, packed or not."""
        packed = f" inside {self.compression}" if self.compression != "none" else ""
        with self._raw() as raw:
            try:
                head = self._unpacked(raw).read(HEAD) if packed else raw.read(HEAD)
            except ReadError:  # so short a stream that it is cut off: the reader tells of it
                return
            except OSError as error:
                raise self._unreadable(error, "a file that can be read") from None
        for place, mark, saw, fix in _FOREIGN:
            if head.startswith(mark, place):
                raise ReadError(self.name, None, f"{saw}{packed}", "text", fix, "not-text")
        again = _compression(head)
        if packed and again != "none":
            saw = f"{self.compression} around {again}"
            raise ReadError(self.name, None, saw, "one compression", "Unpack it once.", "not-text")
        # What follows the mark in every Parquet file, and in no id.
        if self.is_parquet or (packed and head.startswith(_PARQUET + b"\x15")):
            fix = _UNPACK if packed else "Do not force another format on it."
            raise ReadError(self.name, None, f"a Parquet file{packed}", "text", fix, "not-text")


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
    if head.startswith(b"\x04\x22\x4d\x18"):
        return "lz4"
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

    return cast(BinaryIO, pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, "r"), kind))


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
        self._lines = self._bytes = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as in io
        """Fill a buffer as far as there is something; 0 is the end."""
        try:
            count: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        except Exception as error:  # zlib, lzma and pyarrow have classes of their own
            after = f"after {self._bytes:,} unpacked bytes" if self._bytes else "at its start"
            raise ReadError(
                self._name,
                self._lines + 1,
                f"a {self._kind} stream that is cut off or damaged {after} ({error})",
                "a whole one",
                "Fetch or write the file again.",
                "compressed-damaged",
            ) from None
        self._bytes += count
        self._lines += bytes(buffer[:count]).count(b"\n")
        return count
