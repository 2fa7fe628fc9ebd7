"""What is asked of a measure, and the label that says so."""

from __future__ import annotations

from typing import NamedTuple

from trec_eval_py.measures._registry import Measure
from trec_eval_py.ranking import Ranking

Said = dict[str, int | float | bool | str]


class Options(NamedTuple):
    """What holds for every measure of a call whose spelling does not say otherwise."""

    relevance_level: int = 1
    judged_only: bool = False
    max_docs: int | None = None
    num_docs: int = 0
    profile: str = "9.0"


class Asked(NamedTuple):
    """One measure with all that was asked of it, and the label that says so."""

    measure: Measure
    parameters: tuple[float, ...]
    level: int
    judged_only: bool
    max_docs: int | None
    num_docs: int
    label: str

    @property
    def meaning(self) -> tuple[object, ...]:
        """What two spellings share when they ask for the same number."""
        reads = self.measure.reads
        return (
            self.measure.name,
            self.parameters,
            self.level if "rel" in reads else None,
            self.judged_only if "judged_only" in reads else None,
            self.max_docs if "max" in reads else None,
            self.num_docs if "docs" in reads else None,
        )

    @property
    def ranked(self) -> bool:
        """Whether a ranking by grade maximises it; with gains of its own, another order may."""
        given = self.measure.kind in ("gains", "persistence") and len(self.parameters) > 1
        return self.measure.ranked and not given

    def text(self, ranking: Ranking) -> str:
        """Compute a text measure."""
        if self.measure.definition is None:
            return ""
        cut = ranking.cut(self.max_docs, self.judged_only)
        return str(self.measure.definition(cut, self.parameters, self.level, ""))


def asked_of(
    measure: Measure,
    parameters: tuple[float, ...],
    said: Said,
    options: Options,
    family: str | None,
) -> Asked:
    """Put what the spelling says before what the options say, and write the label."""
    level = int(said.get("rel", options.relevance_level))
    judged_only = bool(said.get("judged_only", options.judged_only))
    max_docs = int(said["max"]) if "max" in said else options.max_docs
    num_docs = int(said.get("docs", options.num_docs))
    asked = Asked(measure, parameters, level, judged_only, max_docs, num_docs, "")
    if family is None:
        return asked._replace(label=_trec_eval_label(asked))
    explicit = family == "NumRet" and measure.name == "num_rel_ret"
    return asked._replace(label=_ir_measures_label(asked, family, rel_always=explicit))


def _trec_eval_label(asked: Asked) -> str:
    """Write a measure as trec_eval prints it, then the settings that are not default."""
    reads = asked.measure.reads
    settings = [
        f"rel={asked.level}" if "rel" in reads and asked.level != 1 else "",
        "judged_only" if "judged_only" in reads and asked.judged_only else "",
        f"max={asked.max_docs}" if "max" in reads and asked.max_docs is not None else "",
        f"docs={asked.num_docs}" if "docs" in reads and asked.num_docs else "",
    ]
    return line_name(asked) + _bracketed(settings)


def line_name(asked: Asked) -> str:
    """Give the name of the line that trec_eval prints for a measure with these parameters."""
    measure, parameters = asked.measure, asked.parameters
    if measure.kind == "none" or not parameters or parameters == measure.defaults:
        return measure.name
    if measure.kind in ("levels", "multiples"):
        return f"{measure.name}_{two_decimals(parameters[0]) or _decimal(parameters[0])}"
    if measure.kind in ("gains", "persistence"):
        count = len(measure.defaults)
        p = [f"p={_short(x)}" for x in parameters[:count] if (x,) != measure.defaults]
        pairs = zip(parameters[count::2], parameters[count + 1 :: 2], strict=True)
        return f"{measure.name}_{','.join([*p, *(f'{int(g)}={_short(x)}' for g, x in pairs)])}"
    return f"{measure.name}_{','.join(map(_short, parameters))}"


def two_decimals(value: float) -> str | None:
    """Write a number with two decimals, or say None where that would lose something."""
    text = f"{value:.2f}"
    return text if float(text) == value else None


def _short(value: float) -> str:
    return str(int(value)) if value == int(value) else _decimal(value)


def _decimal(value: float) -> str:
    """Write a number with all its digits and without an exponent, which names do not have."""
    text = repr(value)
    if "e" in text:
        from decimal import Decimal

        text = f"{Decimal(text):f}"
    return text


def _ir_measures_label(asked: Asked, family: str, rel_always: bool) -> str:
    """Write a measure as ir_measures prints it; max comes last."""
    measure = asked.measure
    reads = measure.reads
    settings = [
        f"rel={asked.level}" if "rel" in reads and (asked.level != 1 or rel_always) else "",
        "dcg='exp-log2'" if measure.name == "ndcg_exp" else "",
        "relative=True" if measure.name == "set_relative_P" else "",
    ]
    if family == "SetF" and asked.parameters != (1.0,):
        settings.append(f"beta={_decimal(asked.parameters[0] ** 0.5)}")
    settings.append("judged_only=True" if "judged_only" in reads and asked.judged_only else "")
    settings.append(f"max={asked.max_docs}" if "max" in reads and asked.max_docs else "")
    at = ""
    if family != "SetF" and asked.parameters:
        value = asked.parameters[0]
        at = f"@{_decimal(value) if measure.kind == 'levels' else int(value)}"
    return f"{family}{_bracketed(settings)}{at}"


def _bracketed(settings: list[str]) -> str:
    said = ",".join(x for x in settings if x)
    return f"({said})" if said else ""
