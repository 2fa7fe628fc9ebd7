"""The measures: one entry each, in the order in which trec_eval prints them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from trec_eval_py.measures import _definitions as define
from trec_eval_py.measures import _preferences as prefer
from trec_eval_py.ranking import Ranking

Averaging = Literal["mean", "sum", "geometric"]
Better = Literal["higher", "lower", None]
# What follows a measure's name: nothing; cutoffs (whole numbers from 1), recall levels (0 to 1) or
# multiples of R, each of which makes a measure of its own; recall points, one weight, weights,
# gains of grades (1=3.5,2=9), a persistence (p=0.8, and gains) or a length, which make one measure.
Kind = Literal[
    "none",
    "cutoffs",
    "levels",
    "multiples",
    "points",
    "weight",
    "weights",
    "gains",
    "persistence",
    "length",
]
# How far down a ranking its value can depend on: the judged documents; those above the cutoff;
# judged ones and the end of a ranking just past those with gain (Rndcg); or on counts alone.
Depth = Literal["judged", "cutoff", "gain", "count"]
# The judgments that it reads: one grade a document; grades by judgment group; preferences.
Form = Literal["qrels", "qrels_jg", "prefs", "any"]

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
UNJUDGED_CUTOFFS = (5, 10, 20)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
SETTINGS = frozenset({"rel", "judged_only", "max"})


class Measure(NamedTuple):
    """One measure, under trec_eval's name.

    Attributes
    ----------
    name, title, meaning, source : str
        trec_eval's name (our own where it has none), a reader's name, one sentence, where from.
    kind, defaults :
        What parameters follow the name, and which are meant where none does.
    optional_cutoff : bool
        Whether a cutoff may be left out (recip_rank, ndcg_exp); then there is no default list.
    averaging, better :
        How queries make one number, and which direction is better (None: neither).
    depth :
        How far down the ranking the value can depend on.
    reads : frozenset
        Of relevance level, judged_only, max_docs and num_docs, those that can change the value.
    asked : str or None
        What pytrec_eval is asked for; None where the measure is defined here only.
    definition : callable or None
        Our own definition; None where pytrec_eval alone computes it.
    only : str or None
        The profile to which ``asked`` applies; in the other, the definition does.
    form : str
        The judgments that it reads.
    missing : {"0", "defined", "defined in 10.0"}
        What trec_eval's -c counts for a query without documents: 0, what the definition gives, or
        that in 10.0 and 0 in 9.0.
    ranked, graded : bool
        Whether a ranking alone can maximise it; whether it reads grades beyond relevant or not.
    lines : {"both", "summary", "queries"}
        Which lines trec_eval prints for it.
    summary : {"averaged", "queries", "judgments"}
        What trec_eval's summary says: the values, averaged; how many queries it is over; or, with
        -c, how many judgments are above 0, whatever -l says.
    text : bool
        Whether its value is text: a line of trec_eval's, and no score.
    own : bool
        Whether trec_eval lacks it, so that it is spelled in ir_measures' way only.
    """

    name: str
    title: str
    meaning: str
    source: str
    kind: Kind = "none"
    defaults: tuple[float, ...] = ()
    optional_cutoff: bool = False
    averaging: Averaging = "mean"
    better: Better = "higher"
    depth: Depth = "judged"
    reads: frozenset[str] = SETTINGS
    asked: str | None = ""
    definition: define.Definition | None = None
    only: str | None = None
    form: Form = "qrels"
    missing: Literal["0", "defined", "defined in 10.0"] = "0"
    ranked: bool = True
    graded: bool = False
    lines: Literal["both", "summary", "queries"] = "both"
    summary: Literal["averaged", "queries", "judgments"] = "averaged"
    text: bool = False
    own: bool = False

    def defined(
        self, ranking: Ranking, parameters: tuple[float, ...], level: int, profile: str
    ) -> float:
        """Compute our own definition for one query."""
        if self.definition is None:
            raise NotImplementedError(f"{self.name} is computed by pytrec_eval alone")
        return float(self.definition(ranking, parameters, level, profile))

    def depth_of(self, parameters: tuple[float, ...]) -> Depth:
        """Say how far down the value can depend on a ranking, with these parameters."""
        return "cutoff" if self.optional_cutoff and parameters else self.depth

    @property
    def computed_here(self) -> bool:
        """Whether pytrec_eval is never asked."""
        return self.asked is None


JARVELIN = "Järvelin & Kekäläinen 2002, TOIS 20(4):422-446"
BUCKLEY = "Buckley & Voorhees 2005, in TREC: Experiment and Evaluation, ch. 3"
MOFFAT = "Moffat & Zobel 2008, TOIS 27(1):2"
CARTERETTE = "Carterette, Bennett, Chickering & Dumais 2008, ECIR, 16-27"
GAIN = frozenset({"judged_only", "max"})


def _preference(
    name: str,
    title: str,
    meaning: str,
    definition: define.Definition,
    averaging: Averaging = "mean",
    missing: Literal["0", "defined in 10.0"] = "0",
    better: Better = "higher",
) -> Measure:
    """Make the entry of a measure of preferences: they differ in little."""
    return Measure(
        name=f"prefs_{name}",
        title=title,
        meaning=meaning,
        source=f"{CARTERETTE}; trec_eval 9.0.8, m_prefs_{name}.c",
        averaging=averaging,
        better=better,
        reads=frozenset({"max"}),
        asked=None,
        definition=definition,
        form="prefs",
        missing=missing,
        ranked=averaging != "sum",
    )


# A preference is fulfilled by a ranking that has the preferred document first. It is implied where
# only one of the two is retrieved.
PREFERENCES = (
    _preference(
        "num_prefs_poss",
        "Preferences possible",
        "How many preferences were judged, whatever was retrieved.",
        prefer.possible,
        "sum",
        "defined in 10.0",
        None,
    ),
    _preference(
        "num_prefs_ful",
        "Preferences fulfilled",
        "How many preferences the ranking fulfils, implied ones too.",
        prefer.fulfilled,
        "sum",
    ),
    _preference(
        "num_prefs_ful_ret",
        "Preferences fulfilled among retrieved documents",
        "How many preferences between retrieved documents the ranking fulfils.",
        prefer.fulfilled_retrieved,
        "sum",
    ),
    _preference(
        "simp",
        "Preferences fulfilled, simple ratio",
        "Preferences fulfilled, over those possible.",
        prefer.simple("all"),
    ),
    _preference(
        "pair",
        "Preferences fulfilled, averaged over pairs",
        "For each pair of documents the share of its preferences that is fulfilled, averaged.",
        prefer.by_pair("all"),
    ),
    _preference(
        "avgjg",
        "Preferences fulfilled, averaged over judgment groups",
        "The simple ratio for each judgment group (user), averaged.",
        prefer.by_group("all"),
    ),
    _preference(
        "avgjg_Rnonrel",
        "Preferences fulfilled over judgment groups, R non-relevant documents",
        "As prefs_avgjg, where each group has as many non-relevant documents as relevant ones: the "
        "first R of them, or more that count as ranked last.",
        prefer.balanced(retrieved_only=False),
    ),
    _preference(
        "simp_ret",
        "Preferences fulfilled among retrieved documents, simple ratio",
        "As prefs_simp, over preferences between retrieved documents.",
        prefer.simple("retrieved"),
    ),
    _preference(
        "pair_ret",
        "Preferences fulfilled among retrieved documents, averaged over pairs",
        "As prefs_pair, over pairs of retrieved documents.",
        prefer.by_pair("retrieved"),
    ),
    _preference(
        "avgjg_ret",
        "Preferences fulfilled among retrieved documents, averaged over judgment groups",
        "As prefs_avgjg, over preferences between retrieved documents.",
        prefer.by_group("retrieved"),
    ),
    _preference(
        "avgjg_Rnonrel_ret",
        "Preferences fulfilled among retrieved documents, R non-relevant documents",
        "As prefs_avgjg_Rnonrel, over preferences between retrieved documents.",
        prefer.balanced(retrieved_only=True),
    ),
    _preference(
        "simp_imp",
        "Preferences fulfilled with implied ones, simple ratio",
        "As prefs_simp, less preferences between documents that were not retrieved.",
        prefer.simple("implied"),
    ),
    _preference(
        "pair_imp",
        "Preferences fulfilled with implied ones, averaged over pairs",
        "As prefs_pair, less pairs of documents that were not retrieved.",
        prefer.by_pair("implied"),
    ),
    _preference(
        "avgjg_imp",
        "Preferences fulfilled with implied ones, averaged over judgment groups",
        "As prefs_avgjg, less preferences between documents that were not retrieved.",
        prefer.by_group("implied"),
    ),
)

MEASURES = (
    Measure(
        name="runid",
        title="Run tag",
        meaning="The tag on the last line of the run.",
        source="trec_eval 9.0.8, m_runid.c",
        better=None,
        depth="count",
        reads=frozenset(),
        asked=None,
        form="any",
        ranked=False,
        lines="summary",
        text=True,
    ),
    Measure(
        name="num_q",
        title="Queries",
        meaning="1 for each query scored; the sum counts queries.",
        source="trec_eval 9.0.8, m_num_q.c",
        averaging="sum",
        better=None,
        depth="count",
        reads=frozenset(),
        asked=None,
        definition=define.one,
        form="any",
        missing="defined",
        ranked=False,
        lines="summary",
        summary="queries",
    ),
    Measure(
        name="num_ret",
        title="Documents retrieved",
        meaning="How many documents the ranking holds.",
        source="trec_eval 9.0.8, m_num_ret.c",
        averaging="sum",
        better=None,
        depth="count",
        reads=frozenset({"judged_only", "max"}),
        asked=None,
        definition=define.count,
        ranked=False,
    ),
    Measure(
        name="num_rel",
        title="Relevant documents",
        meaning="How many documents are judged relevant, retrieved or not.",
        source="trec_eval 9.0.8, m_num_rel.c",
        averaging="sum",
        better=None,
        depth="count",
        reads=frozenset({"rel"}),
        asked=None,
        definition=define.relevant,
        missing="defined",
        ranked=False,
        summary="judgments",
    ),
    Measure(
        name="num_rel_ret",
        title="Relevant documents retrieved",
        meaning="How many of the documents retrieved are relevant.",
        source="trec_eval 9.0.8, m_num_rel_ret.c",
        averaging="sum",
        ranked=False,
    ),
    Measure(
        name="map",
        title="Average precision",
        meaning="Mean over the relevant documents of the precision where each is found, else 0.",
        source=f"{BUCKLEY}; trec_eval 9.0.8, m_map.c",
    ),
    Measure(
        name="gm_map",
        title="Average precision, geometric mean",
        meaning="Average precision; over queries the geometric mean, each at least 0.00001.",
        source="Robertson 2006, CIKM, 78-83; trec_eval 9.0.8, m_gm_map.c",
        averaging="geometric",
        asked="map",
        lines="summary",
    ),
    Measure(
        name="Rprec",
        title="R-precision",
        meaning="Precision at rank R, where R is the number of relevant documents.",
        source=f"{BUCKLEY}; trec_eval 9.0.8, m_Rprec.c",
    ),
    Measure(
        name="bpref",
        title="Binary preference",
        meaning="How often relevant documents rank above judged non-relevant ones; unjudged ones "
        "are skipped.",
        source="Buckley & Voorhees 2004, SIGIR, 25-32; trec_eval 9.0.8, m_bpref.c",
    ),
    Measure(
        name="recip_rank",
        title="Reciprocal rank",
        meaning="1 over the rank of the first relevant document; 0 where none stands above the "
        "cutoff.",
        source="Kantor & Voorhees 2000, Information Retrieval 2:165-176; trec_eval 9.0.8, "
        "m_recip_rank.c",
        kind="cutoffs",
        optional_cutoff=True,
    ),
    Measure(
        name="iprec_at_recall",
        title="Interpolated precision at recall",
        meaning="Best precision at this recall level or any higher one.",
        source=f"{BUCKLEY}; trec_eval 9.0.8 and 10.0, m_iprec_at_recall.c",
        kind="levels",
        defaults=LEVELS,
        definition=define.iprec_at_recall,
        only="9.0",
    ),
    Measure(
        name="P",
        title="Precision",
        meaning="Relevant documents above the cutoff, over the cutoff.",
        source=f"{BUCKLEY}; trec_eval 9.0.8, m_P.c",
        kind="cutoffs",
        defaults=CUTOFFS,
        depth="cutoff",
    ),
    Measure(
        name="relstring",
        title="Relevance string",
        meaning="A character for each of the first documents (10 by default): its grade, > above "
        "9, - where the qrels lack it, . where its grade is negative.",
        source="trec_eval 9.0.8, m_relstring.c",
        kind="length",
        defaults=(10,),
        better=None,
        depth="cutoff",
        reads=GAIN,
        asked=None,
        definition=define.relstring,
        ranked=False,
        lines="queries",
        text=True,
    ),
    Measure(
        name="recall",
        title="Recall",
        meaning="Relevant documents above the cutoff, over all relevant documents.",
        source=f"{BUCKLEY}; trec_eval 9.0.8, m_recall.c",
        kind="cutoffs",
        defaults=CUTOFFS,
        depth="cutoff",
    ),
    Measure(
        name="infAP",
        title="Inferred average precision",
        meaning="Estimate of average precision where only a sample of the pool is judged "
        "(a negative grade: in the pool, unjudged).",
        source="Yilmaz & Aslam 2006, CIKM, 102-111; trec_eval 9.0.8, m_infap.c",
    ),
    Measure(
        name="gm_bpref",
        title="Binary preference, geometric mean",
        meaning="Binary preference; over queries the geometric mean, each at least 0.00001.",
        source="trec_eval 9.0.8, m_gm_bpref.c",
        averaging="geometric",
        asked="bpref",
        lines="summary",
    ),
    Measure(
        name="Rprec_mult",
        title="Precision at a multiple of R",
        meaning="Precision at rank R times the parameter.",
        source="trec_eval 9.0.8, m_Rprec_mult.c",
        kind="multiples",
        defaults=MULTIPLES,
        definition=define.rprec_mult,
    ),
    Measure(
        name="utility",
        title="Set utility",
        meaning="Weighted sum of: relevant retrieved, others retrieved, relevant missed, others "
        "not retrieved.",
        source="trec_eval 9.0.8, m_utility.c",
        kind="weights",
        defaults=(1.0, -1.0, 0.0, 0.0),
        depth="count",
        reads=SETTINGS | {"docs"},
        asked=None,
        definition=define.utility,
        ranked=False,
    ),
    Measure(
        name="11pt_avg",
        title="Eleven-point average precision",
        meaning="Mean of the interpolated precision at recall 0.0, 0.1 … 1.0.",
        source=f"{BUCKLEY}; trec_eval 9.0.8 and 10.0, m_11pt_avg.c",
        kind="points",
        defaults=LEVELS,
        definition=define.eleven_point_average,
        only="9.0",
    ),
    Measure(
        name="binG",
        title="Binary G",
        meaning="Mean over relevant documents of 1 / log2(2 + non-relevant ones above).",
        source="trec_eval 9.0.8, m_binG.c",
    ),
    Measure(
        name="G",
        title="G",
        meaning="Gain discounted by the log of the cost so far, over the sum of gains; gain is the "
        "grade.",
        source="trec_eval 9.0.8, m_G.c",
        reads=GAIN,
        definition=define.g,
        graded=True,
    ),
    Measure(
        name="dcg",
        title="DCG",
        meaning="Gain (the grade, or what is given for it) discounted by log2(rank + 1), summed.",
        source=f"{JARVELIN}; trec_eval 10.0, m_dcg.c",
        kind="gains",
        reads=GAIN,
        asked=None,
        definition=define.dcg,
        graded=True,
    ),
    Measure(
        name="ideal_dcg",
        title="Ideal DCG",
        meaning="The highest DCG that any ranking of the judged documents has.",
        source=f"{JARVELIN}; trec_eval 10.0, m_ideal_dcg.c",
        kind="gains",
        better=None,
        reads=frozenset(),
        asked=None,
        definition=define.ideal_dcg,
        missing="defined in 10.0",
        ranked=False,
        graded=True,
    ),
    Measure(
        name="ndcg",
        title="nDCG",
        meaning="Gain (the grade, or what is given for it) discounted by log2(rank + 1), over the "
        "best possible.",
        source=f"{JARVELIN}; trec_eval 9.0.8, m_ndcg.c",
        kind="gains",
        reads=GAIN,
        definition=define.ndcg,
        graded=True,
    ),
    Measure(
        name="ndcg_rel",
        title="nDCG averaged over relevant documents",
        meaning="nDCG at each document with gain, averaged.",
        source="trec_eval 9.0.8, m_ndcg_rel.c",
        reads=GAIN,
        definition=define.ndcg_rel,
        graded=True,
    ),
    Measure(
        name="Rndcg",
        title="nDCG averaged over R levels",
        meaning="nDCG at each rank where the ideal gain changes, averaged; 0 where nothing is "
        "relevant at the level.",
        source="trec_eval 9.0.8, m_Rndcg.c",
        depth="gain",
        definition=define.rndcg,
        graded=True,
    ),
    Measure(
        name="ndcg_cut",
        title="nDCG at a cutoff",
        meaning="Gain (the grade) above the cutoff, discounted by log2(rank + 1), over the best "
        "possible.",
        source=f"{JARVELIN}; trec_eval 9.0.8, m_ndcg_cut.c",
        kind="cutoffs",
        defaults=CUTOFFS,
        depth="cutoff",
        reads=GAIN,
        definition=define.ndcg_cut,
        graded=True,
    ),
    Measure(
        name="map_cut",
        title="Average precision at a cutoff",
        meaning="Average precision that counts the documents above the cutoff, over all relevant "
        "ones.",
        source="trec_eval 9.0.8, m_map_cut.c",
        kind="cutoffs",
        defaults=CUTOFFS,
        depth="cutoff",
    ),
    Measure(
        name="relative_P",
        title="Relative precision",
        meaning="Precision at the cutoff over the best possible there.",
        source="trec_eval 9.0.8, m_rel_P.c",
        kind="cutoffs",
        defaults=CUTOFFS,
        depth="cutoff",
    ),
    Measure(
        name="success",
        title="Success",
        meaning="1 where a relevant document stands above the cutoff, else 0.",
        source="trec_eval 9.0.8, m_success.c",
        kind="cutoffs",
        defaults=(1, 5, 10),
        depth="cutoff",
    ),
    Measure(
        name="set_P",
        title="Set precision",
        meaning="Relevant documents retrieved, over documents retrieved.",
        source="trec_eval 9.0.8, m_set_P.c",
        depth="count",
        asked=None,
        definition=define.set_p,
        ranked=False,
    ),
    Measure(
        name="set_relative_P",
        title="Relative set precision",
        meaning="Relevant documents retrieved, over the most that could be.",
        source="trec_eval 9.0.8, m_set_rel_P.c",
        depth="count",
        asked=None,
        definition=define.set_relative_p,
        ranked=False,
    ),
    Measure(
        name="set_recall",
        title="Set recall",
        meaning="Relevant documents retrieved, over all relevant documents.",
        source="trec_eval 9.0.8, m_set_recall.c",
        ranked=False,
    ),
    Measure(
        name="set_map",
        title="Set average precision",
        meaning="Set precision times set recall.",
        source="trec_eval 9.0.8, m_set_map.c",
        depth="count",
        asked=None,
        definition=define.set_map,
        ranked=False,
    ),
    Measure(
        name="set_F",
        title="Set F",
        meaning="(x + 1) P R / (x P + R) of the set; x is the square of beta.",
        source="van Rijsbergen 1979, Information Retrieval, ch. 7; trec_eval 9.0.8, m_set_F.c",
        kind="weight",
        defaults=(1.0,),
        depth="count",
        asked=None,
        definition=define.set_f,
        ranked=False,
    ),
    Measure(
        name="num_nonrel_judged_ret",
        title="Judged non-relevant documents retrieved",
        meaning="How many of the documents retrieved are judged, and not relevant.",
        source="trec_eval 9.0.8, m_num_nonrel_judged_ret.c",
        averaging="sum",
        better="lower",
        ranked=False,
    ),
    *PREFERENCES,
    Measure(
        name="map_avgjg",
        title="Average precision, averaged over judgment groups",
        meaning="Average precision for each judgment group (user), averaged over the groups.",
        source="trec_eval 9.0.8, m_map_avgjg.c",
        asked=None,
        definition=define.over_groups(define.average_precision),
        form="qrels_jg",
    ),
    Measure(
        name="P_avgjg",
        title="Precision, averaged over judgment groups",
        meaning="Precision at the cutoff for each judgment group (user), averaged over the groups.",
        source="trec_eval 9.0.8, m_P_avgjg.c",
        kind="cutoffs",
        defaults=CUTOFFS,
        depth="cutoff",
        asked=None,
        definition=define.over_groups(define.precision),
        form="qrels_jg",
    ),
    Measure(
        name="Rprec_mult_avgjg",
        title="Precision at a multiple of R, averaged over judgment groups",
        meaning="Precision at rank R times the parameter for each judgment group (user), averaged "
        "over the groups.",
        source="trec_eval 9.0.8, m_Rprec_mult_avgjg.c",
        kind="multiples",
        defaults=MULTIPLES,
        asked=None,
        definition=define.over_groups(define.rprec_mult),
        form="qrels_jg",
    ),
    Measure(
        name="yaap",
        title="Yet another average precision",
        meaning="Log odds of average precision, smoothed: ln((1 + s) / (1 + R - s)), s the sum of "
        "precisions where relevant documents are found. May be negative.",
        source="Robertson 2012, ECIR, 158-169; trec_eval 9.0.8, m_yaap.c",
        asked=None,
        definition=define.yaap,
        missing="defined in 10.0",
    ),
    Measure(
        name="rbp",
        title="Rank-biased precision",
        meaning="(1 - p) times the sum of gain * p**(rank - 1), p = 0.9. The gain is the grade "
        "over the highest grade judged for the query, or what is given for it.",
        source=f"{MOFFAT}; trec_eval 10.0, m_rbp.c",
        kind="persistence",
        defaults=(0.9,),
        reads=GAIN,
        asked=None,
        definition=define.rbp,
        graded=True,
    ),
    Measure(
        name="rbp_resid",
        title="Residual of rank-biased precision",
        meaning="By how much rank-biased precision could rise if every unjudged document, and all "
        "below the ranking, had gain 1; 0 where none is unjudged.",
        source=f"{MOFFAT}; trec_eval 10.0, m_rbp_resid.c",
        kind="persistence",
        defaults=(0.9,),
        better="lower",
        reads=GAIN,
        asked=None,
        definition=define.rbp_resid,
    ),
    Measure(
        name="unj",
        title="Unjudged at a cutoff",
        meaning="Unjudged documents above the cutoff, over the cutoff.",
        source="trec_eval 10.0, m_unjudged.c",
        kind="cutoffs",
        defaults=UNJUDGED_CUTOFFS,
        better="lower",
        depth="cutoff",
        reads=GAIN,
        asked=None,
        definition=define.unjudged,
    ),
    Measure(
        name="ndcg_exp",
        title="nDCG with exponential gain",
        meaning="nDCG with gain 2**grade - 1; above the cutoff where one is given.",
        source="Burges et al. 2005, ICML, 89-96",
        kind="cutoffs",
        optional_cutoff=True,
        reads=GAIN,
        asked=None,
        definition=define.ndcg_exp,
        graded=True,
        own=True,
    ),
)

REGISTRY = {measure.name: measure for measure in MEASURES}

# What a nickname stands for in each profile's version, in the order in which it prints: trec_eval
# 9.0.8 and 10.0, measures.c. Of them, text measures are printed by the drop-in command only.
_OFFICIAL = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P"),
)
_ALL_TREC = (
    *_OFFICIAL,
    *("relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P"),
    *("set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)
_BOTH = {
    "official": _OFFICIAL,
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P"),
        *("set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_prefs": ("runid", "num_q", *(measure.name for measure in PREFERENCES)),
    "prefs": (
        *("runid", "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful"),
        *("prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg"),
    ),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
NICKNAMES = {
    "9.0": {"all_trec": _ALL_TREC, **_BOTH},
    "10.0": {"all_trec": (*_ALL_TREC, "rbp", "rbp_resid", "unj"), **_BOTH},
}
# What is meant where no measure is named, by the form of the judgments.
DEFAULTS = {"qrels": "all_trec", "prefs": "all_prefs", "qrels_jg": "qrels_jg"}
