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
from trec_eval_py.measures._asked import Asked, Options, asked_of, line_name
from trec_eval_py.measures._parameters import SPLIT, WHOLE, defaults_of, parameters_of, settings_of
from trec_eval_py.measures._registry import DEFAULTS, MEASURES, NICKNAMES, REGISTRY, Measure


class _Family(NamedTuple):
    """An ir_measures name: what it is in trec_eval, without and with a cutoff, and its settings."""

    name: str | None
    with_cutoff: str | None = None
    settings: tuple[str, ...] = ("rel", "judged_only")


FAMILIES = {
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
# trec_eval's names from long to short, so that ndcg_cut_10 is not ndcg with a parameter.
_BASES = sorted((m.name for m in MEASURES if not m.own), key=len, reverse=True)


def parse(names: Iterable[str] | None, options: Options, form: str = "qrels") -> list[Asked]:
    """Read measure names and nicknames.

    Parameters
    ----------
    names : iterable of str, or None
        Any spelling; None or none at all asks for every numeric measure of ``all_trec``, or of its
        like for other forms of judgments.
    options : Options
        What holds where a spelling does not say otherwise.
    form : {"qrels", "qrels_jg", "prefs"}
        The form of the judgments.

    Returns
    -------
    list of Asked
        As asked, nicknames in trec_eval's order; an equal label is kept once.

    Raises
    ------
    MeasureError
        On a name, parameter or setting that means nothing; it names the nearest right one. On a
        measure that reads another form of judgments.
    """
    if isinstance(names, str):
        names = [names]
    asked: dict[str, Asked] = {}
    if names is not None and not isinstance(names, Iterable):
        raise MeasureError(f"measures: saw {names!r}, expected a list such as ['nDCG@10', 'AP'].")
    if not (names := list(names or ())):
        if form not in DEFAULTS:
            raise MeasureError(f"measures: saw none, expected those that read {form}. Name them.")
        names = [DEFAULTS[form]]
    for name in names:
        if not isinstance(name, str):
            raise MeasureError(f"measures: saw {name!r}, expected text such as 'nDCG@10'.")
        for one in expand(name, options):
            asked.setdefault(one.label, one)
    check_form(asked.values(), form)
    return list(asked.values())


def expand(name: str, options: Options) -> list[Asked]:
    """Read one spelling, whatever judgments its measures read; families and nicknames make several.

    Raises
    ------
    MeasureError
        On what means nothing.
    """
    return _read(name.strip(), options)


def check_form(asked: Iterable[Asked], form: str) -> None:
    """Refuse a measure that reads another form of judgments."""
    for one in asked:
        wanted = one.measure.form
        if wanted not in (form, "any"):
            default = DEFAULTS.get(form)
            also = f", or ask for what reads {form}: -m {default}" if default else ""
            raise MeasureError(
                f"measure {one.label!r}: saw judgments read as {form}, expected {wanted}. Read "
                f"them so with --qrels-format {wanted} (trec_eval -R {wanted}){also}."
            )


def in_trec_eval(measure: Measure, given: Sequence[str], options: Options) -> list[Asked]:
    """Read what follows a measure's name in trec_eval's ``-m``, and name each by its line.

    Parameters
    ----------
    measure : Measure
        One that trec_eval has.
    given : sequence of str
        What stood after the dot, in each ``-m`` that named it; none for the defaults.
    options : Options
        What holds for all measures.

    Returns
    -------
    list of Asked
        In the order in which trec_eval prints them.

    Raises
    ------
    MeasureError
        On parameters that mean nothing.
    """
    if not given or measure.kind == "none" or measure.optional_cutoff:
        plain = [asked_of(measure, one, {}, options, None) for one in defaults_of(measure)]
        return [one._replace(label=line_name(one)) for one in plain]
    found: dict[tuple[float, ...], Asked] = {}
    for text in given:
        for one in parameters_of(f"{measure.name}.{text}", measure, text):
            # The C program names a level by two decimals, and others by what was written.
            said = f"{one[0]:.2f}" if measure.kind in ("levels", "multiples") else text
            said = f"{one[0]:.0f}" if measure.kind == "cutoffs" else said
            asked = asked_of(measure, one, {}, options, None)
            found.setdefault(one, asked._replace(label=f"{measure.name}_{said}"))
    several = list(found.values())
    return sorted(several, key=lambda x: x.parameters) if measure.kind in SPLIT else several


def expand_known(name: str, options: Options) -> list[Asked]:
    """Read one spelling; a name that means nothing here stands for no measure."""
    try:
        return expand(name, options)
    except MeasureError:
        return []


def find(label: str, labels: Iterable[str]) -> str | None:
    """Find the label that is meant: an equal one, else one of equal meaning, else None."""
    known = list(labels)
    if label in known:
        return label
    wanted = _meaning(label)
    return next((x for x in known if wanted is not None and _meaning(x) == wanted), None)


def measure_of(label: str) -> Measure | None:
    """Give the measure that a label stands for; None where it means nothing here, or several."""
    found = expand_known(label, Options())
    return found[0].measure if len({one.measure.name for one in found}) == 1 else None


def averaging(label: str) -> str:
    """Say how a label's values average; a label that means nothing here averages plainly."""
    measure = measure_of(label)
    return "mean" if measure is None else measure.averaging


def ranked(label: str) -> bool:
    """Say whether a ranking alone can maximise a measure; so of one that means nothing here."""
    return all(one.ranked for one in expand_known(label, Options()))


def _meaning(label: str) -> tuple[object, ...] | None:
    asked = expand_known(label, Options())
    return asked[0].meaning if len(asked) == 1 else None


def _read(text: str, options: Options) -> list[Asked]:
    """Read one spelling, which may stand for several measures."""
    if text in NICKNAMES[options.profile]:
        names = [n for n in NICKNAMES[options.profile][text] if not REGISTRY[n].text]
        return [one for name in names for one in _trec_eval(text, name, "", options)]
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
    if name in FAMILIES:
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
    if measure.text:
        raise MeasureError(
            f"measure {text!r}: saw a text measure, expected one with a number. Text is printed by "
            f"the drop-in command: trec_eval_py trec_eval -m {base} QRELS RUN."
        )
    if name == base:
        parameters = defaults_of(measure)
    elif not given or measure.kind == "none" or re.fullmatch(rf"ndcg[._](cut)?{WHOLE}", name):
        raise _unknown(text)
    else:
        parameters = parameters_of(text, measure, given)
    said = settings_of(text, settings, ("rel", "judged_only", "max", "docs"), measure)
    return [asked_of(measure, one, said, options, None) for one in parameters]


def _ir_measures(text: str, name: str, settings: str, at: str | None, options: Options) -> Asked:
    """Read ir_measures' spelling: a name, settings in brackets, a cutoff after an @."""
    family = FAMILIES[name]
    reads = REGISTRY[family.name or family.with_cutoff or ""].reads
    known = [*family.settings, *(x for x in ("judged_only", "max") if x in reads)]
    known += ["cutoff"] if family.with_cutoff else []
    said = settings_of(text, settings, known, None)
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
        ((*parameters_at,),) = parameters_of(text, measure, at, one=True)
        parameters = tuple(parameters_at)
    return asked_of(measure, parameters, said, options, name)


def _unknown(text: str) -> MeasureError:
    """Refuse a name, with the nearest right ones."""
    from difflib import get_close_matches

    if "," in text and "(" not in text and not any(c.isdigit() for c in text.split(",")[-1][:1]):
        each = " ".join(f"-m {part}" for part in text.split(","))
        return MeasureError(f"measure {text!r}: expected one measure. Ask for each: {each}.")
    near: list[str] = []
    shape = re.fullmatch(r"(?P<name>.*?[^._@\d])[._@]?(?P<cutoff>[1-9]\d*)", text)
    name, cutoff = (shape["name"], shape["cutoff"]) if shape else (text, "")
    family = _family(name, other=True)
    if name in ("ndcg", "map") and cutoff:
        near = [f"{name}_cut_{cutoff}"]
    elif family is not None and FAMILIES[family[0]].with_cutoff:
        bare = family[0] if FAMILIES[family[0]].name and not cutoff else ""
        near = [bare or f"{family[0]}@{cutoff or 10}"]
    elif text.lower() in _BASES:
        near = [text.lower()]
    elif cutoff:
        near = [f"{base}_{cutoff}" for base in get_close_matches(name, _WITH_CUTOFF, 1, 0.5)]
    names = {*_BASES, *FAMILIES, *_ALIASES, *NICKNAMES["10.0"]}
    near = near or get_close_matches(text, sorted(names), 2, 0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return MeasureError(
        f"measure {text!r}: expected a measure.{hint} `trec_eval_py measures` lists them."
    )


_WITH_CUTOFF = [m.name for m in MEASURES if m.kind == "cutoffs" and not (m.own or m.text)]
