"""The measures: one entry each, in the order in which trec_eval prints them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from trec_eval_py.measures import _definitions as define
from trec_eval_py.ranking import JudgedRanking

Averaging = Literal["mean", "sum", "geometric"]
Better = Literal["higher", "lower", None]
# What follows a measure's name: nothing; cutoffs (whole numbers from 1), recall levels (0 to 1) or
# multiples of R, each of which makes a measure of its own; recall points, one weight or weights,
# which make one measure together.
Kind = Literal["none", "cutoffs", "levels", "multiples", "points", "weight", "weights"]
# How far down a ranking its value can depend on: the judged documents; those above the cutoff;
# judged ones and the end of a ranking just past those with gain (Rndcg); or on counts alone.
Depth = Literal["judged", "cutoff", "gain", "count"]

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
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

    def defined(
        self, ranking: JudgedRanking, parameters: tuple[float, ...], level: int, profile: str
    ) -> float:
        """Compute our own definition for one query."""
        if self.definition is None:
            raise NotImplementedError(f"{self.name} is computed by pytrec_eval alone")
        return self.definition(ranking, parameters, level, profile)

    def depth_of(self, parameters: tuple[float, ...]) -> Depth:
        """Say how far down the value can depend on a ranking, with these parameters."""
        return "cutoff" if self.optional_cutoff and parameters else self.depth

    @property
    def ranked(self) -> bool:
        """Whether a ranking alone can maximise it: not so for sets, utility and counts."""
        return not self.name.startswith(("set_", "num_", "utility"))

    @property
    def graded(self) -> bool:
        """Whether its value depends on grades beyond relevant or not."""
        return self.name in GRADED


JARVELIN = "Järvelin & Kekäläinen 2002, TOIS 20(4):422-446"
BUCKLEY = "Buckley & Voorhees 2005, in TREC: Experiment and Evaluation, ch. 3"
GAIN = frozenset({"judged_only", "max"})
GRADED = frozenset({"ndcg", "ndcg_cut", "ndcg_exp", "ndcg_rel", "Rndcg", "G"})

MEASURES = (
    Measure(
        name="num_q",
        title="Queries",
        meaning="1 for each query scored; the sum counts queries.",
        source="trec_eval 9.0.8, m_num_q.c",
        averaging="sum",
        better=None,
        depth="count",
        reads=frozenset(),
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
    ),
    Measure(
        name="num_rel_ret",
        title="Relevant documents retrieved",
        meaning="How many of the documents retrieved are relevant.",
        source="trec_eval 9.0.8, m_num_rel_ret.c",
        averaging="sum",
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
    ),
    Measure(
        name="Rprec_mult",
        title="Precision at a multiple of R",
        meaning="Precision at rank R times the parameter.",
        source="trec_eval 9.0.8, m_Rprec_mult.c",
        kind="multiples",
        defaults=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
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
    ),
    Measure(
        name="ndcg",
        title="nDCG",
        meaning="Gain (the grade) discounted by log2(rank + 1), over the best possible.",
        source=f"{JARVELIN}; trec_eval 9.0.8, m_ndcg.c",
        reads=GAIN,
        definition=define.ndcg,
    ),
    Measure(
        name="ndcg_rel",
        title="nDCG averaged over relevant documents",
        meaning="nDCG at each document with gain, averaged.",
        source="trec_eval 9.0.8, m_ndcg_rel.c",
        reads=GAIN,
        definition=define.ndcg_rel,
    ),
    Measure(
        name="Rndcg",
        title="nDCG averaged over R levels",
        meaning="nDCG at each rank where the ideal gain changes, averaged; 0 where nothing is "
        "relevant at the level.",
        source="trec_eval 9.0.8, m_Rndcg.c",
        depth="gain",
        definition=define.rndcg,
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
        definition=define.ndcg,
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
    ),
    Measure(
        name="set_relative_P",
        title="Relative set precision",
        meaning="Relevant documents retrieved, over the most that could be.",
        source="trec_eval 9.0.8, m_set_rel_P.c",
        depth="count",
        asked=None,
        definition=define.set_relative_p,
    ),
    Measure(
        name="set_recall",
        title="Set recall",
        meaning="Relevant documents retrieved, over all relevant documents.",
        source="trec_eval 9.0.8, m_set_recall.c",
    ),
    Measure(
        name="set_map",
        title="Set average precision",
        meaning="Set precision times set recall.",
        source="trec_eval 9.0.8, m_set_map.c",
        depth="count",
        asked=None,
        definition=define.set_map,
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
    ),
    Measure(
        name="num_nonrel_judged_ret",
        title="Judged non-relevant documents retrieved",
        meaning="How many of the documents retrieved are judged, and not relevant.",
        source="trec_eval 9.0.8, m_num_nonrel_judged_ret.c",
        averaging="sum",
        better="lower",
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
    ),
)

REGISTRY = {measure.name: measure for measure in MEASURES}

# trec_eval 9.0.8 and 10.0, measures.c; text measures (runid, relstring) are the twin's. What only
# 10.0 has in all_trec (unj, rbp, rbp_resid) is not here yet.
NICKNAMES = {
    "official": (
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
        *("recip_rank", "iprec_at_recall", "P"),
    ),
    "set": (
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P"),
        *("set_recall", "set_map", "set_F"),
    ),
    "all_trec": tuple(name for name in REGISTRY if name != "ndcg_exp"),
}

TEXT_MEASURES = ("runid", "relstring")
