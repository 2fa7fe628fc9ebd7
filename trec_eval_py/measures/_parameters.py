"""What follows a measure's name: parameters, and settings in brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trec_eval_py.errors import MeasureError
from trec_eval_py.measures._asked import Said
from trec_eval_py.measures._registry import Measure

WHOLE = r"[0-9]{1,18}"
_DECIMAL = r"[0-9]+(\.[0-9]*)?|\.[0-9]+"
_SIGNED = rf"[+-]?({_DECIMAL})"
# Grades that may be given a gain, as far as floats are exact; -1 are documents that the qrels
# lack, -2 those judged below 0.
_GRADE = r"-[12]|[0-9]{1,15}"
HIGHEST_CUTOFF = 10**9

# Of these kinds, each parameter makes a measure of its own.
SPLIT = ("cutoffs", "levels", "multiples")


def defaults_of(measure: Measure) -> list[tuple[float, ...]]:
    """Give the parameters that a bare name stands for, one tuple a measure."""
    if measure.optional_cutoff:
        return [()]
    return _split(measure, measure.defaults)


def _split(measure: Measure, values: Sequence[float]) -> list[tuple[float, ...]]:
    if measure.kind in SPLIT:
        return [(value,) for value in sorted(set(values))]
    return [tuple(values)]


def parameters_of(
    text: str, measure: Measure, given: str, one: bool = False
) -> list[tuple[float, ...]]:
    """Read what follows a name: one tuple for each measure that it makes."""
    kind = measure.kind
    if kind in ("gains", "persistence"):
        return [_pairs(text, measure, given)]
    pattern, wanted = {
        "cutoffs": (WHOLE, "a cutoff that is a whole number of at least 1"),
        "levels": (_DECIMAL, "a recall level from 0 to 1"),
        "points": (_DECIMAL, "recall levels from 0 to 1"),
        "multiples": (_DECIMAL, "a multiple of R above 0"),
        "weight": (_DECIMAL, "one number of at least 0"),
        "length": (WHOLE, "one whole number"),
        "weights": (_SIGNED, "four numbers"),
    }[kind]
    texts = given.split(",")
    if kind == "cutoffs" and any(re.fullmatch(r"0*[1-9][0-9]{9,}", x) for x in texts):
        wanted = f"a cutoff of at most {HIGHEST_CUTOFF}"
    fault = MeasureError(
        f"measure {text!r}: saw {given!r}, expected {wanted}."
        f"{_hint(measure)} `trec_eval_py measures {measure.name}` explains it."
    )
    if one and len(texts) > 1:
        raise MeasureError(
            f"measure {text!r}: saw {given!r}, expected one cutoff. Ask for each by itself."
        )
    if any(re.fullmatch(pattern, x) is None for x in texts):
        raise fault
    values: list[float] = [int(x) for x in texts] if kind == "cutoffs" else [*map(float, texts)]
    low, high = {
        "cutoffs": (1, HIGHEST_CUTOFF),
        "levels": (0.0, 1.0),
        "points": (0.0, 1.0),
        "multiples": (1e-9, 1e9),
        "weight": (0.0, 1e9),
        "length": (0, HIGHEST_CUTOFF),
        "weights": (-1e12, 1e12),
    }[kind]
    numbers = {"weight": 1, "length": 1, "weights": 4}.get(kind, len(values))
    if len(values) != numbers or not all(low <= value <= high for value in values):
        raise fault
    if kind == "points":
        values = sorted(set(values))
    return _split(measure, values)


def _pairs(text: str, measure: Measure, given: str) -> tuple[float, ...]:
    """Read ``p=0.8`` and gains of grades, ``1=3.5,2=9``: p first, then grade, gain, grade, gain."""
    said: dict[str, float] = {}
    for pair in given.split(","):
        name, _, value = pair.partition("=")
        key = name if name == "p" else str(int(name)) if re.fullmatch(_GRADE, name) else ""
        if (
            not key
            or key in said
            or not re.fullmatch(_SIGNED, value)
            or not (0 <= float(value) <= 1 if key == "p" else abs(float(value)) <= 1e12)
            or (key == "p" and measure.kind != "persistence")
        ):
            example = "p=0.8" if measure.kind == "persistence" else "1=3.5,2=9"
            wanted = "p from 0 to 1, " if measure.kind == "persistence" else ""
            raise MeasureError(
                f"measure {text!r}: saw {pair!r}, expected {wanted}grade=gain, each once. Write "
                f"{measure.name}_{example}, for example{_cut_instead(measure, given)}."
            )
        said[key] = float(value)
    p = [said.pop("p", *measure.defaults)] if measure.kind == "persistence" else []
    gains = sorted((int(grade), gain) for grade, gain in said.items())
    return (*p, *(float(x) for pair in gains for x in pair))


def _cut_instead(measure: Measure, given: str) -> str:
    """Say how to cut off, where a cutoff seems to be meant."""
    cut = measure.name == "ndcg" and re.fullmatch(WHOLE, given)
    return f"; nDCG at a cutoff is ndcg_cut_{given}" if cut else ""


def _hint(measure: Measure) -> str:
    if measure.kind == "cutoffs":
        example = "nDCG(dcg='exp-log2')@10" if measure.own else f"{measure.name}_10"
        return f" Write {example}, for example."
    return ""


def settings_of(text: str, settings: str, known: Sequence[str], measure: Measure | None) -> Said:
    """Read what stands in brackets; trec_eval's form writes ``judged_only`` without a value."""
    said: Said = {}
    for setting in filter(None, (x.strip() for x in settings.split(","))):
        name, equals, value = (x.strip() for x in setting.partition("="))
        readable = measure is None or name in measure.reads
        if name not in known or name in said or not readable:
            expected = [x for x in dict.fromkeys(known) if measure is None or x in measure.reads]
            raise MeasureError(
                f"measure {text!r}: saw setting {setting!r}, expected "
                f"{', '.join(expected) if expected else 'none'}{', each once' if expected else ''}."
            )
        if name in ("judged_only", "relative") and (value in ("True", "False") or not equals):
            said[name] = value != "False"
        elif name in ("rel", "max", "cutoff", "docs") and re.fullmatch(WHOLE, value):
            said[name] = int(value)
        elif name == "beta" and re.fullmatch(_DECIMAL, value) and float(value) <= 1e6:
            said[name] = float(value)
        elif name == "cutoff" and re.fullmatch(_DECIMAL, value):
            said[name] = value
        elif name == "dcg" and value[:1] in ("'", '"') and value[-1:] == value[:1] and value[1:]:
            said[name] = value[1:-1]
        else:
            example = {"dcg": "dcg='exp-log2'", "beta": "beta=2.0"}.get(name, f"{name}=1")
            raise MeasureError(
                f"measure {text!r}: saw {setting!r}, expected a value for {name}. Write {example}, "
                "for example."
            )
        if name in ("rel", "max") and int(said[name]) < 1:
            raise MeasureError(f"measure {text!r}: saw {setting!r}, expected {name} of at least 1.")
    return said
