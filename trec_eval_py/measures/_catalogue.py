"""The catalogue: how each measure is spelled, and what it is."""

from __future__ import annotations

from trec_eval_py.measures._asked import Options, asked_of
from trec_eval_py.measures._names import FAMILIES, expand
from trec_eval_py.measures._parameters import defaults_of
from trec_eval_py.measures._registry import NICKNAMES, REGISTRY, Measure

# What may follow the name of a measure that bears it as it is.
_EXAMPLES = {
    "points": "{0}_0.2,0.5,0.8 (recall levels)",
    "weight": "{0}_0.5",
    "weights": "{0}_2,-1,0,0",
    "gains": "{0}_1=3.5,2=9 (gains of grades)",
    "persistence": "{0}_p=0.8; {0}_p=0.8,1=0.3,2=1 (gains of grades, too)",
}


def spellings(measure: Measure) -> tuple[str, str]:
    """Give a measure's name in trec_eval and in ir_measures, with k for a cutoff, r for a level."""
    mark = {"cutoffs": "k", "levels": "r", "multiples": "x"}.get(measure.kind, "")
    if measure.own:
        return "", "nDCG(dcg='exp-log2')@k"
    plain = f"{measure.name}_{mark}" if mark else measure.name
    if measure.optional_cutoff:
        plain = f"{measure.name}, {plain}"
    special = {"num_rel_ret": "NumRet(rel=1)", "set_relative_P": "SetP(relative=True)"}
    also = [special[measure.name]] if measure.name in special else []
    for name, family in FAMILIES.items():
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
    if name in NICKNAMES["10.0"]:
        lists = {
            profile: ", ".join(n for n in names[name] if not REGISTRY[n].text)
            for profile, names in NICKNAMES.items()
        }
        if lists["9.0"] == lists["10.0"]:
            return f"{name}: {lists['9.0']}"
        return "\n".join(f"{name} in {profile}: {names}" for profile, names in lists.items())
    measure = REGISTRY.get(name) or expand(name, Options())[0].measure
    defaults = [
        asked_of(measure, one, {}, Options(), None).label
        for one in defaults_of(measure)
        if not measure.own
    ]
    averages = {
        "mean": "arithmetic mean",
        "sum": "sum",
        "geometric": "geometric mean, each value at least 0.00001",
    }[measure.averaging]
    reads = {"rel": "-l", "judged_only": "-J", "max": "-M", "docs": "-N"}
    by_gains = measure.kind == "gains" and not measure.computed_here
    lines = [
        measure.title,
        f"  {measure.meaning}",
        f"  Spelled: {', '.join(filter(None, spellings(measure)))}",
        f"  By default: {', '.join(defaults)}" if len(defaults) > 1 else "",
        f"  With parameters: {_EXAMPLES[measure.kind].format(measure.name)}"
        if measure.kind in _EXAMPLES
        else "",
        f"  Over queries: {averages}; better: {measure.better or 'neither'}",
        f"  Reads: {', '.join(v for k, v in reads.items() if k in measure.reads) or 'no option'}",
        f"  Judgments: {measure.form}" if measure.form not in ("qrels", "any") else "",
        f"  Computed by: {'trec_eval_py' if measure.computed_here else 'pytrec_eval'}"
        f"{', in profile 10.0 by trec_eval_py' if measure.only else ''}"
        f"{', with gains given by trec_eval_py' if by_gains else ''}",
        f"  Source: {measure.source}",
    ]
    return "\n".join(filter(None, lines))
