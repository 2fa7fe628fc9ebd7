"""Which format a file is read as, and which it becomes, by options, suffix and content."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from trec_eval_py import reading, reporting
from trec_eval_py.errors import ReadError, UsageError
from trec_eval_py.reading import Source

RUNS, FLAT = reading.RUN_FORMATS[1:], reading.FLAT_FORMATS[1:]
GROUPED = reading.GROUPED_FORMATS
FORMATS = tuple(dict.fromkeys((*RUNS, *FLAT, *GROUPED)))

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst", ".lz4")
_OF_SUFFIX = {
    "run": {
        **{".run": "trec", ".trec": "trec", ".txt": "trec", ".res": "trec", ".results": "trec"},
        **{".tsv": "msmarco", ".json": "json", ".jsonl": "rank_llm", ".parquet": "parquet"},
    },
    "qrels": {
        **{".qrels": "qrels", ".txt": "qrels", ".tsv": "beir"},
        **{".json": "json", ".jsonl": "jsonl", ".parquet": "parquet"},
    },
}
# What else a suffix says: which kind, where the content leaves it open.
_KIND_OF_SUFFIX = {
    **dict.fromkeys((".run", ".trec", ".res", ".results"), "run"),
    ".qrels": "qrels",
}
NOUNS = {"run": "a run", "qrels": "judgments", "groups": "judgments by group"}


class Choice(NamedTuple):
    """What is read, and what is written."""

    kind: str
    """run, qrels or groups."""
    source: str
    """A format to read, or auto."""
    target: str
    part: str = ""
    """Of MTEB's predictions, as SUBSET/SPLIT."""


def choose(source: Source, path: str, to: str | None, from_format: str) -> Choice:
    """Choose formats.

    Raises
    ------
    UsageError
        Where a format is unknown, the target is open, or the two are not of one kind.
    ReadError
        Where a file holds neither a run nor judgments.
    """
    if not path:
        raise UsageError("OUT: saw an empty file name, expected a path. Check the arguments.")
    name = _checked(from_format, "from", ("auto", *FORMATS))
    target, part = "", ""
    if to is not None:
        target, part = _checked(to, "to", FORMATS), to.partition(":")[2]
    suffix = _suffix(path)
    if "groups" in (_kind(name), _kind(target)):
        return _by_group(name, target)
    kind = _kind(name) or _kind(target)
    if _kind(name) and _kind(target) not in ("", kind):
        raise UsageError(
            f"--to {target}: is of {NOUNS[_kind(target)]}, and --from {name} of {NOUNS[kind]}, "
            "expected two formats of one kind. Change one of them."
        )
    if not _kind(name):
        kind = _told(source, kind, "" if target else suffix, name, target)
    if not target:
        target = _target_of(path, suffix, kind)
    if target == "json" and suffix == ".jsonl":
        raise UsageError(
            f"{path}: saw --to json, which is one object, expected a suffix other than .jsonl. "
            "Call it .json."
        )
    if target == "parquet" and _bare(path) != path:
        raise UsageError(f"{path}: Parquet is compressed inside. Write {_bare(path)}.")
    return Choice(kind, from_format, target, part)


def _checked(given: str, option: str, known: tuple[str, ...]) -> str:
    name, _, part = given.partition(":")
    if name not in known or (part.count("/") != 1 if name == "mteb" and ":" in given else part):
        raise UsageError(
            f"--{option}: saw {given!r}, expected one of {', '.join(known)} (mteb takes a part: "
            "mteb:default/test). Name one of them."
        )
    return name


def _kind(format: str) -> str:
    """Give the kind that a format is of; nothing where it is of both, or open."""
    if format in GROUPED:
        return "groups"
    if (format in RUNS) == (format in FLAT):
        return ""
    return "run" if format in RUNS else "qrels"


def _by_group(name: str, target: str) -> Choice:
    if _kind(name) == _kind(target):
        return Choice("groups", name, target)
    listed = ", ".join(GROUPED)
    if _kind(name) != "groups":
        raise UsageError(
            f"--to {target}: saw --from {name}, expected one of {listed}: what the second column "
            f"of a file names, only --from says. Add --from {target}, if its lines are such."
        )
    if not target:
        raise UsageError(
            f"--to: is missing, expected one of {listed}: no suffix names them. Add it."
        )
    reason = "a document may stand there once for each group, and here once for a query"
    if _kind(target) == "run":
        reason = "they are judgments, and this is a run"
    raise UsageError(
        f"--to {target}: saw --from {name}, expected --to {' or '.join(GROUPED)}: {reason}. "
        "Choose one of these, or read the file as what it is."
    )


def _told(source: Source, kind: str, suffix: str, name: str, target: str) -> str:
    """Tell the kind by the content too, and refuse what goes against it."""
    told = reading.holds(source)
    if told == "scores":
        raise ReadError(
            source.name, 1, "scores", "a run or judgments", "They are a CSV: give it as it is."
        )
    if not told:
        fix = "Check what wrote the file."
        raise ReadError(source.name, None, "no line", "a run or judgments", fix, "file-empty")
    format_of = reading.run_format_of if told == "run" else reading.qrels_format_of
    # By values or types of columns alone, which are a usage, not a rule.
    open_ = name in ("json", "parquet") or format_of(source) in ("json", "parquet")
    if open_:
        return kind or _KIND_OF_SUFFIX.get(suffix, told)
    if kind and kind != told:
        raise UsageError(
            f"--to {target}: is of {NOUNS[kind]}, and {source.name} holds {NOUNS[told]}, expected "
            "two of one kind. Choose another target, or say with --from what the file is."
        )
    return told


def _target_of(path: str, suffix: str, kind: str) -> str:
    known = _OF_SUFFIX[kind]
    if suffix not in known:
        choices = "; ".join(
            f"{' '.join(one for one in known if known[one] == format)} {format}"
            for format in dict.fromkeys(known.values())
        )
        saw = f"suffix {suffix}" if suffix else "no suffix"
        formats = ", ".join(RUNS if kind == "run" else FLAT)
        raise UsageError(
            f"{path}: saw {saw}, expected one that names a format of {NOUNS[kind]} ({choices}). "
            f"{'Rename it, or say' if suffix else 'Say'} --to ({formats})."
        )
    return known[suffix]


def _bare(path: str) -> str:
    """Take a suffix of compression away."""
    end = next((end for end in COMPRESSIONS if path.lower().endswith(end)), "")
    return path[: len(path) - len(end)]


def _suffix(path: str) -> str:
    plain = path != "-" and reporting.is_plain(path)
    return Path(_bare(path)).suffix.lower() if plain else ""
