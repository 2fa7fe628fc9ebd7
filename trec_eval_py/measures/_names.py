"""From the spelling of a measure to what is asked, and back to its label.

Two spellings work everywhere: trec_eval's (``ndcg_cut.10``, ``P_5,10``) and ir_measures'
(``nDCG@10``, ``P(rel=2)@5``). Names of other tools (``hit@5``, ``ndcg_at_10``) are read and
written in ir_measures' form. The whole name is matched before pytrec_eval sees it: there, ``P_0``
aborts the process and ``P_5x`` passes for P_5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trec_eval_py.errors import MeasureError
from trec_eval_py.measures._registry import NICKNAMES, REGISTRY, TEXT_MEASURES, Measure


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


class _Family(NamedTuple):
    """An ir_measures name: what it is in trec_eval, without and with a cutoff, and its settings."""

    name: str | None
    with_cutoff: str | None = None
    settings: tuple[str, ...] = ("rel", "judged_only")


_FAMILIES = {
    "P": _Family(None, "P"),
    "R": _Family(None, "recall"),
    "AP": _Family("map", "map_cut"),
    "RR": _Family("recip_rank", "recip_rank"),
    "nDCG": _Family("ndcg", "ndcg_cut", ("dcg", "judged_only")),
    "Success": _Family(None, "success"),
    "IPrec": _Family(None, "iprec_at_recall"),
    "Rprec": _Family("Rprec"),
    "Bpref": _Family("bpref"),
    "infAP": _Family("infAP"),
    "NumQ": _Family("num_q", settings=()),
    "NumRel": _Family("num_rel", settings=("rel",)),
    "NumRet": _Family("num_ret"),
    "SetP": _Family("set_P", settings=("rel", "relative", "judged_only")),
    "SetR": _Family("set_recall"),
    "SetF": _Family("set_F", settings=("rel", "beta", "judged_only")),
    "SetAP": _Family("set_map"),
}
# ir_measures' aliases, then names of ranx, MTEB, BEIR, LangChain and the like (in lower case, and
# only before a cutoff, so that trec_eval's own map and recall stay what they are).
_ALIASES = {
    **{"MAP": "AP", "MRR": "RR", "NDCG": "nDCG", "Precision": "P", "Recall": "R"},
    **{"RPrec": "Rprec", "BPref": "Bpref"},
}
_FIXED = {
    "NumRelRet": ("NumRet", "rel=1"),
    "SetRelP": ("SetP", "relative=True"),
}
_OTHERS = {
    **dict.fromkeys(("hit", "hits", "hit_rate", "hitrate", "success"), "Success"),
    **dict.fromkeys(("p", "precision"), "P"),
    **dict.fromkeys(("r", "recall"), "R"),
    **dict.fromkeys(("rr", "mrr", "recip_rank", "reciprocal_rank"), "RR"),
    **dict.fromkeys(("ap", "map", "average_precision"), "AP"),
    "ndcg": "nDCG",
}
_OTHERS_FIXED = {"ndcg_burges": ("nDCG", "dcg='exp-log2'"), "ndcg_exp": ("nDCG", "dcg='exp-log2'")}

_SHAPE = r"(?P<name>[^()@]*)(?:\((?P<settings>[^()]*)\))?(?:@(?P<at>[^()@]*))?"
_AT = r"(?P<name>[A-Za-z_]+)_at_(?P<at>[0-9]+)"
_WHOLE = r"[0-9]{1,18}"
_DECIMAL = r"[0-9]+(\.[0-9]*)?|\.[0-9]+"
_SIGNED = rf"[+-]?({_DECIMAL})"
HIGHEST_CUTOFF = 10**9
# trec_eval's names from long to short, so that ndcg_cut_10 is not ndcg with a parameter.
_BASES = sorted(REGISTRY.keys() - {"ndcg_exp"}, key=len, reverse=True)


def parse(names: Iterable[str] | None, options: Options) -> list[Asked]:
    """Read measure names and nicknames.

    Parameters
    ----------
    names : iterable of str, or None
        Any spelling; None or none at all asks for every numeric measure of ``all_trec``.
    options : Options
        What holds where a spelling does not say otherwise.

    Returns
    -------
    list of Asked
        As asked, nicknames in trec_eval's order; an equal label is kept once.

    Raises
    ------
    MeasureError
        On a name, parameter or setting that means nothing; it names the nearest right one.
    """
    if isinstance(names, str):
        names = [names]
    asked: dict[str, Asked] = {}
    if names is not None and not isinstance(names, Iterable):
        raise MeasureError(f"measures: saw {names!r}, expected a list such as ['nDCG@10', 'AP'].")
    for name in list(names or ()) or ["all_trec"]:
        if not isinstance(name, str):
            raise MeasureError(f"measures: saw {name!r}, expected text such as 'nDCG@10'.")
        for one in _read(name.strip(), options):
            asked.setdefault(one.label, one)
    return list(asked.values())


def find(label: str, labels: Iterable[str]) -> str | None:
    """Find the label that is meant: an equal one, else one of equal meaning, else None."""
    known = list(labels)
    if label in known:
        return label
    wanted = _meaning(label)
    return next((x for x in known if wanted is not None and _meaning(x) == wanted), None)


def averaging(label: str) -> str:
    """Say how a label's values average; a label that means nothing here averages plainly."""
    try:
        return parse([label], Options())[0].measure.averaging
    except MeasureError:
        return "mean"


def ranked(label: str) -> bool:
    """Say whether a ranking alone can maximise a measure; so of one that means nothing here."""
    try:
        return parse([label], Options())[0].measure.ranked
    except MeasureError:
        return True


def spellings(measure: Measure) -> tuple[str, str]:
    """Give a measure's name in trec_eval and in ir_measures, with k for a cutoff, r for a level."""
    mark = {"cutoffs": "k", "levels": "r", "multiples": "x", "weight": "x"}.get(measure.kind, "")
    if measure.name == "ndcg_exp":
        return "", "nDCG(dcg='exp-log2')@k"
    plain = f"{measure.name}_{mark}" if mark and measure.kind != "weight" else measure.name
    if measure.optional_cutoff:
        plain = f"{measure.name}, {plain}"
    special = {"num_rel_ret": "NumRet(rel=1)", "set_relative_P": "SetP(relative=True)"}
    also = [special[measure.name]] if measure.name in special else []
    for name, family in _FAMILIES.items():
        if family.name == measure.name:
            also.append(name)
        if family.with_cutoff == measure.name:
            also.append(f"{name}@{mark}")
    return plain, ", ".join(also)


def explain(name: str) -> str:
    """Say what a measure is, how to ask for it, and where it comes from.

    Raises
    ------
    MeasureError
        On a name that means nothing.
    """
    if name in NICKNAMES:
        return f"{name}: {', '.join(NICKNAMES[name])}"
    measure = REGISTRY.get(name) or parse([name], Options())[0].measure
    defaults = (
        [one.label for one in parse([measure.name], Options())]
        if measure.name != "ndcg_exp"
        else []
    )
    averages = {
        "mean": "arithmetic mean",
        "sum": "sum",
        "geometric": "geometric mean, each value at least 0.00001",
    }[measure.averaging]
    reads = {"rel": "-l", "judged_only": "-J", "max": "-M", "docs": "-N"}
    lines = [
        measure.title,
        f"  {measure.meaning}",
        f"  Spelled: {', '.join(filter(None, spellings(measure)))}",
        f"  By default: {', '.join(defaults)}" if len(defaults) > 1 else "",
        f"  Over queries: {averages}; better: {measure.better or 'neither'}",
        f"  Reads: {', '.join(v for k, v in reads.items() if k in measure.reads) or 'no option'}",
        f"  Computed by: {'trec_eval_py' if measure.asked is None else 'pytrec_eval'}"
        f"{', in profile 10.0 by trec_eval_py' if measure.only else ''}",
        f"  Source: {measure.source}",
    ]
    return "\n".join(filter(None, lines))


def _meaning(label: str) -> tuple[object, ...] | None:
    try:
        asked = parse([label], Options())
    except MeasureError:
        return None
    return asked[0].meaning if len(asked) == 1 else None


def _read(text: str, options: Options) -> list[Asked]:
    """Read one spelling, which may stand for several measures."""
    if text in NICKNAMES:
        return [one for name in NICKNAMES[text] for one in _trec_eval(text, name, "", options)]
    if text in TEXT_MEASURES:
        raise MeasureError(
            f"measure {text!r}: saw a text measure, expected one with a number. The place of text "
            "is the drop-in command `trec_eval_py trec_eval`, which this version lacks."
        )
    shape = re.fullmatch(_SHAPE, text)
    if shape is None:
        raise _unknown(text)
    name, settings, at = shape["name"], shape["settings"] or "", shape["at"]
    if at is None and not settings and (found := re.fullmatch(_AT, name)):
        family = _family(found["name"], other=True)
        if family is not None:
            return [_ir_measures(text, *family, found["at"], options)]
    family = _family(name, other=at is not None)
    # A name that both have (Rprec, infAP, P) is trec_eval's unless its settings are written in
    # ir_measures' way, or a cutoff follows an @.
    if family is not None and (
        at is not None or name not in REGISTRY or "=True" in settings or "cutoff=" in settings
    ):
        # What the user says of an alias comes before what the alias fixes.
        fixed = "" if family[1].partition("=")[0] in settings else family[1]
        return [_ir_measures(text, family[0], _joined(settings, fixed), at, options)]
    if at is not None:
        raise _unknown(text)
    return _trec_eval(text, name, settings, options)


def _family(name: str, other: bool) -> tuple[str, str] | None:
    """Give the ir_measures name behind an alias, with the settings that the alias fixes."""
    if name in _FIXED:
        return _FIXED[name]
    name = _ALIASES.get(name, name)
    if name in _FAMILIES:
        return name, ""
    if other and name.lower() in _OTHERS_FIXED:
        return _OTHERS_FIXED[name.lower()]
    if other and name.lower() in _OTHERS:
        return _OTHERS[name.lower()], ""
    return None


def _joined(*settings: str) -> str:
    return ",".join(x for x in settings if x)


def _trec_eval(text: str, name: str, settings: str, options: Options) -> list[Asked]:
    """Read trec_eval's spelling: a name, then parameters after a dot or an underscore."""
    base = next((b for b in _BASES if name == b or name.startswith((f"{b}.", f"{b}_"))), None)
    if base is None:
        raise _unknown(text)
    given = name[len(base) + 1 :]
    if base == "map" and given:  # average precision at a cutoff has a name of its own
        base = "map_cut"
    measure = REGISTRY[base]
    if name == base:
        parameters = _defaults(measure)
    elif not given or measure.kind == "none":
        raise _unknown(text)
    else:
        parameters = _parameters(text, measure, given)
    said = _settings(text, settings, ("rel", "judged_only", "max", "docs"), measure)
    return [_asked(measure, one, said, options, None) for one in parameters]


def _ir_measures(text: str, name: str, settings: str, at: str | None, options: Options) -> Asked:
    """Read ir_measures' spelling: a name, settings in brackets, a cutoff after an @."""
    family = _FAMILIES[name]
    reads = REGISTRY[family.name or family.with_cutoff or ""].reads
    known = [*family.settings, *(x for x in ("judged_only", "max") if x in reads)]
    known += ["cutoff"] if family.with_cutoff else []
    said = _settings(text, settings, known, None)
    cutoff = said.pop("cutoff", None)
    if cutoff is not None and at is not None:
        raise MeasureError(f"measure {text!r}: saw two cutoffs, expected one. Write {name}@{at}.")
    at = at if cutoff is None else str(cutoff)
    if at is None and family.name is None:
        raise MeasureError(
            f"measure {text!r}: saw no cutoff, expected one. Write {name}@"
            f"{'0.1' if name == 'IPrec' else '10'}, for example."
        )
    if at is not None and family.with_cutoff is None:
        raise MeasureError(f"measure {text!r}: saw a cutoff, expected none. Write {name}.")
    base = (family.name if at is None else family.with_cutoff) or ""
    parameters: tuple[float, ...] = ()
    if said.get("dcg") == "exp-log2":
        base = "ndcg_exp"
    elif said.get("dcg", "log2") != "log2":
        raise MeasureError(
            f"measure {text!r}: saw dcg={said['dcg']!r}, expected 'log2' or 'exp-log2'."
        )
    if said.get("relative"):
        base = "set_relative_P"
    if name == "NumRet" and "rel" in said:
        base = "num_rel_ret"
    if name == "SetF":
        # F_beta weighs recall beta times as much as precision; trec_eval's x is its square.
        parameters = (float(str(said.get("beta", 1.0))) ** 2,)
    measure = REGISTRY[base]
    if at is not None:
        ((*parameters_at,),) = _parameters(text, measure, at, one=True)
        parameters = tuple(parameters_at)
    return _asked(measure, parameters, said, options, name)


def _defaults(measure: Measure) -> list[tuple[float, ...]]:
    """Give the parameters that a bare name stands for, one tuple a measure."""
    if measure.optional_cutoff:
        return [()]
    return _split(measure, measure.defaults)


def _split(measure: Measure, values: Sequence[float]) -> list[tuple[float, ...]]:
    if measure.kind in ("cutoffs", "levels", "multiples"):
        return [(value,) for value in sorted(set(values))]
    return [tuple(values)]


def _parameters(
    text: str, measure: Measure, given: str, one: bool = False
) -> list[tuple[float, ...]]:
    """Read what follows a name: one tuple for each measure that it makes."""
    kind = measure.kind
    pattern, wanted = {
        "cutoffs": (_WHOLE, "a cutoff that is a whole number of at least 1"),
        "levels": (_DECIMAL, "a recall level from 0 to 1"),
        "points": (_DECIMAL, "recall levels from 0 to 1"),
        "multiples": (_DECIMAL, "a multiple of R above 0"),
        "weight": (_DECIMAL, "one number of at least 0"),
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
        "weights": (-1e12, 1e12),
    }[kind]
    numbers = {"weight": 1, "weights": 4}.get(kind, len(values))
    if len(values) != numbers or not all(low <= value <= high for value in values):
        raise fault
    if kind == "points":
        values = sorted(set(values))
    return _split(measure, values)


def _hint(measure: Measure) -> str:
    if measure.kind == "cutoffs":
        example = "nDCG(dcg='exp-log2')@10" if measure.name == "ndcg_exp" else f"{measure.name}_10"
        return f" Write {example}, for example."
    return ""


def _settings(
    text: str, settings: str, known: Sequence[str], measure: Measure | None
) -> dict[str, int | float | bool | str]:
    """Read what stands in brackets; trec_eval's form writes ``judged_only`` without a value."""
    said: dict[str, int | float | bool | str] = {}
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
        elif name in ("rel", "max", "cutoff", "docs") and re.fullmatch(_WHOLE, value):
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


def _asked(
    measure: Measure,
    parameters: tuple[float, ...],
    said: dict[str, int | float | bool | str],
    options: Options,
    family: str | None,
) -> Asked:
    """Put what the spelling says before what the options say, and write the label."""
    level = int(said.get("rel", options.relevance_level))
    judged_only = bool(said.get("judged_only", options.judged_only))
    max_docs = int(said["max"]) if "max" in said else options.max_docs
    num_docs = int(said.get("docs", options.num_docs))
    asked = Asked(measure, parameters, level, judged_only, max_docs, num_docs, "")
    explicit = family == "NumRet" and measure.name == "num_rel_ret"
    label = (
        _trec_eval_label(asked)
        if family is None
        else _ir_measures_label(asked, family, rel_always=explicit)
    )
    return asked._replace(label=label)


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


def _unknown(text: str) -> MeasureError:
    """Refuse a name, with the nearest right ones."""
    from difflib import get_close_matches

    near: list[str] = []
    shape = re.fullmatch(r"(?P<name>.*?)[._@](?P<cutoff>[1-9]\d*)", text)
    name, cutoff = (shape["name"], shape["cutoff"]) if shape else (text, "")
    family = _family(name, other=True)
    if name in ("ndcg", "map") and cutoff:
        near = [f"{name}_cut_{cutoff}"]
    elif family is not None and _FAMILIES[family[0]].with_cutoff:
        bare = family[0] if _FAMILIES[family[0]].name and not cutoff else ""
        near = [bare or f"{family[0]}@{cutoff or 10}"]
    elif cutoff:
        near = [f"{base}_{cutoff}" for base in get_close_matches(name, _WITH_CUTOFF, 1, 0.5)]
    names = {*_BASES, *_FAMILIES, *_ALIASES, *NICKNAMES}
    near = near or get_close_matches(text, sorted(names), 2, 0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return MeasureError(
        f"measure {text!r}: expected a measure.{hint} `trec_eval_py measures` lists them."
    )


_WITH_CUTOFF = [m.name for m in REGISTRY.values() if m.kind == "cutoffs" and m.name != "ndcg_exp"]
