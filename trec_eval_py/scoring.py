"""From a ranking and its judgments to values, with pytrec_eval.

pytrec_eval's C layer sees scores n, n-1 … 1 (exact as C floats up to 2**24), so that ties never
reach it, and docnos of our own making or decoded byte by byte. What it must not be given is kept
away: measure names that were not matched whole (it aborts), a query judged only negative or a
level above every grade (it reads memory that is not its own), grades above 1,000 (it takes time
with their square). It reports a fault on stderr and goes on with 0.0, so each answer is checked by
a witness, num_ret, which must be what was handed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from trec_eval_py.errors import InputError, ScorerError
from trec_eval_py.measures import HIGHEST_GRADE_ASKED, Asked, two_decimals
from trec_eval_py.ranking import JudgedRanking, RankedQuery, Ranking

# A C float holds every whole number up to here, so that no two ranks tie.
DEEPEST = 1 << 24
# Equal inputs are looked up, not computed again, where they name as few documents as this.
_FEW = 12
_MOST_KNOWN = 100_000


Row = list[float] | list[float | None] | list[None]


class ScoredRun(NamedTuple):
    """One run's values: a row a judged query by byte order, a column a measure; None is missing."""

    qrels: str
    run: str
    protocol: str
    labels: list[str]
    query_ids: list[str]
    rows: list[Row]
    answered: Sequence[bool] = ()
    """Whether the run has each query."""
    texts: Sequence[Sequence[str]] = ()
    """A row a query like ``rows``, of the text measures that were asked for."""
    tag: bytes = b""
    """The tag on the last line of the run."""
    format: str = ""
    """What a file was read as."""


class _Input(NamedTuple):
    """What pytrec_eval is handed for one query, and how many documents it must then count."""

    run: dict[str, int]
    qrels: dict[str, int]
    num_ret: int


class _Group:
    """The measures that one call of pytrec_eval computes: one level, one judged_only, one max."""

    def __init__(self, level: int, judged_only: bool, max_docs: int | None) -> None:
        self.level, self.judged_only, self.max_docs = level, judged_only, max_docs
        self.parameters: dict[str, set[str]] = {"num_ret": set()}
        self.keys = ["num_ret"]  # the witness
        self.judged = self.gain = False
        self.cutoff = 0
        self.known: dict[object, tuple[float, ...]] = {}

    def ask(self, asked: Asked, name: str, parameter: str, key: str) -> int:
        """Add a measure, and give the place of its value in what ``evaluate`` returns."""
        self.parameters.setdefault(name, set()).update([parameter] if parameter else [])
        if key not in self.keys:
            self.keys.append(key)
        depth = asked.measure.depth_of(asked.parameters)
        self.judged |= depth in ("judged", "gain")
        self.gain |= depth == "gain"
        if depth == "cutoff":
            self.cutoff = max(self.cutoff, int(asked.parameters[0]))
        return self.keys.index(key)

    def length(self, ranking: JudgedRanking) -> int:
        """Give how many documents of a ranking the values can depend on, and a few more."""
        last = ranking.ranks[-1] if ranking.ranks else 0
        length = last if self.judged else min(last, self.cutoff)
        if self.gain:
            length = max(length, 2 + sum(n for g, n in ranking.judged.items() if g > 0))
        # Few lengths make few rankings, which queries then share.
        step = 1 << max(0, length.bit_length() - 4)
        return max(1, min(-(-length // step) * step, ranking.retrieved))

    def evaluate(
        self, inputs: Sequence[_Input], level: int, judged_only: bool
    ) -> list[tuple[float, ...]]:
        """Have pytrec_eval compute the values of ``keys`` for each query."""
        import pytrec_eval_ext

        names = {
            f"{name}.{','.join(sorted(given))}" if given else name
            for name, given in self.parameters.items()
        }
        evaluator = pytrec_eval_ext.RelevanceEvaluator(
            {str(i): one.qrels for i, one in enumerate(inputs)}, names, level, int(judged_only)
        )
        answers = evaluator.evaluate({str(i): one.run for i, one in enumerate(inputs)})
        pick = itemgetter(*self.keys, "num_ret")  # of one key alone it would give no tuple
        found = []
        for i, one in enumerate(inputs):
            values = pick(answers[str(i)])
            if values[0] != one.num_ret:
                raise ScorerError(
                    f"pytrec_eval counted {values[0]:.0f} documents of {one.num_ret}: its numbers "
                    "are not to be used. Please report this with your files."
                )
            # NaN stands where judged_only left nothing, so that there is no precision to speak of.
            if one.num_ret == 0:
                values = tuple([v if v == v else 0.0 for v in values])
            elif any(v != v for v in values):
                raise ScorerError(
                    "pytrec_eval gave NaN for a ranking that holds documents: its numbers are not "
                    "to be used. Please report this with your files."
                )
            found.append(values[:-1])
        return found


class Scorer:
    """Scores queries on the measures asked for.

    Parameters
    ----------
    asked : sequence of Asked
        The measures, in the order of the values.
    profile : {"9.0", "10.0"}
        trec_eval's version.
    trim : bool
        Whether pytrec_eval may be handed less than the whole ranking: the same values, sooner.
    """

    def __init__(self, asked: Sequence[Asked], profile: str, trim: bool = True) -> None:
        self.asked, self.profile, self.trim = asked, profile, trim
        self._keys: list[str] = []
        self._rankings: dict[int, dict[str, int]] = {}
        groups: dict[tuple[int, bool, int | None], _Group] = {}
        places: list[tuple[_Group, int] | None] = []
        for one in asked:
            request = _request(one, profile)
            if request is None:
                places.append(None)
                continue
            key = (one.level, one.judged_only, one.max_docs)
            group = groups.setdefault(key, _Group(*key))
            places.append((group, group.ask(one, *request)))
        self._groups = list(groups.values())
        offsets, end = {}, 0
        for group in self._groups:
            offsets[id(group)] = end
            end += len(group.keys)
        # Where each value stands in the answers of all groups, end to end; defined ones follow.
        self._defined = [i for i, place in enumerate(places) if place is None]
        self._order = [
            end + self._defined.index(i) if place is None else offsets[id(place[0])] + place[1]
            for i, place in enumerate(places)
        ]
        self._graded = [
            i for i, one in enumerate(asked) if one.measure.graded and places[i] is not None
        ]
        # pytrec_eval's recip_rank has no cutoff: values below 1 / cutoff are from below it.
        self._cut = [
            (i, 1.0 / one.parameters[0])
            for i, one in enumerate(asked)
            if places[i] is not None and one.measure.optional_cutoff and one.parameters
        ]
        self._known: dict[object, list[float]] = {}

    def score(self, queries: Sequence[RankedQuery]) -> list[list[float]]:
        """Score queries that the qrels judge and the run answers with one document at least.

        Returns
        -------
        list
            A list of values for each query, in the order of the measures.

        Raises
        ------
        InputError
            Where a measure depends on documents deeper than rank 2**24.
        ScorerError
            Where pytrec_eval failed.
        """
        answers = [self._answers(group, queries) for group in self._groups]
        return [
            self._row(query.ranking, [value for group in answers for value in group[i]])
            for i, query in enumerate(queries)
        ]

    def define(self, ranking: Ranking) -> list[float]:
        """Give a query's values by our own definitions, for judgments other than plain qrels."""
        return self._define_all(range(len(self.asked)), ranking)

    def unanswered(self, ranking: Ranking) -> list[float]:
        """Give the values of a query answered with nothing, as trec_eval's -c counts it."""
        counted = ("defined", f"defined in {self.profile}")
        return [
            self._define_all([i], ranking)[0] if one.measure.missing in counted else 0.0
            for i, one in enumerate(self.asked)
        ]

    def _row(self, ranking: JudgedRanking, pool: list[float]) -> list[float]:
        """Pick one query's values from the answers, and add those that are defined here."""
        if self._defined:
            pool += self._recall(ranking)
        row = [pool[i] for i in self._order]
        for i, least in self._cut:
            if row[i] < least:
                row[i] = 0.0
        for i in self._graded:
            if _binary(ranking, self.asked[i].level):
                row[i] = self._define_all([i], ranking)[0]
        return row

    def _recall(self, ranking: JudgedRanking) -> list[float]:
        """Give what is defined here; where few documents are judged, equal rankings recur."""
        if len(ranking.ranks) + sum(ranking.judged.values()) > _FEW:
            return self._define_all(self._defined, ranking)
        key = (ranking.retrieved, *_judged_key(ranking))
        found = self._known.get(key)
        if found is None:
            found = self._define_all(self._defined, ranking)
            if len(self._known) < _MOST_KNOWN:
                self._known[key] = found
        return found

    def _define_all(self, places: Iterable[int], ranking: Ranking) -> list[float]:
        """Compute some measures by our own definitions."""
        cuts: dict[tuple[int | None, bool], Ranking] = {}
        values = []
        for one in (self.asked[i] for i in places):
            how = (one.max_docs, one.judged_only)
            if how not in cuts:
                cuts[how] = ranking.cut(*how)
            parameters = one.parameters
            if "docs" in one.measure.reads:
                parameters = (*parameters, one.num_docs)
            values.append(one.measure.defined(cuts[how], parameters, one.level, self.profile))
        return values

    def _answers(self, group: _Group, queries: Sequence[RankedQuery]) -> list[tuple[float, ...]]:
        """Have one group's measures computed for each query, equal inputs once."""
        answers: dict[int, tuple[float, ...]] = {}
        waiting: dict[tuple[bool, bool], dict[object, tuple[_Input, list[int]]]] = {}
        for i, query in enumerate(queries):
            binary = _binary(query.ranking, group.level)
            key: object = i
            if query.docnos is None:
                ranking = query.ranking.cut(group.max_docs, group.judged_only)
                length = group.length(ranking) if self.trim else max(1, ranking.retrieved)
                if len(ranking.ranks) + sum(ranking.judged.values()) <= _FEW:
                    key = (length, *_judged_key(ranking))
                if key in group.known:
                    answers[i] = group.known[key]
                    continue
            same = waiting.setdefault((binary, query.docnos is not None), {})
            if key not in same:
                one = (
                    self._trimmed(group, ranking, length, binary)
                    if query.docnos is None
                    else _whole(group, query, binary)
                )
                same[key] = one, []
            same[key][1].append(i)
        for (binary, whole), same in waiting.items():
            found = group.evaluate(
                [one for one, _ in same.values()],
                1 if binary else group.level,
                group.judged_only and whole,
            )
            for (key, (_, places)), values in zip(same.items(), found, strict=True):
                if not isinstance(key, int) and len(group.known) < _MOST_KNOWN:
                    group.known[key] = values
                answers.update(dict.fromkeys(places, values))
        return [answers[i] for i in range(len(queries))]

    def _trimmed(self, group: _Group, ranking: JudgedRanking, length: int, binary: bool) -> _Input:
        """Name documents by their rank alone; those judged further down count as not retrieved."""
        run = self._ranking(length)
        qrels = {}
        left = dict(ranking.judged)
        for rank, grade in zip(ranking.ranks, ranking.grades, strict=True):
            if rank <= length:
                qrels[self._keys[rank - 1]] = _seen(grade, group.level, binary)
                left[grade] -= 1
        for grade, count in left.items():
            seen = _seen(grade, group.level, binary)
            for i in range(count):
                qrels[f"{grade}~{i}"] = seen
        return _Input(run, _never_all_negative(qrels), length)

    def _ranking(self, length: int) -> dict[str, int]:
        """Give a ranking of so many documents, named by their rank; shared by all queries."""
        if length not in self._rankings:
            _refuse_too_deep(length)
            self._keys += map(str, range(len(self._keys) + 1, length + 1))
            scores = range(length, 0, -1)
            self._rankings[length] = dict(zip(self._keys[:length], scores, strict=True))
        return self._rankings[length]


def _whole(group: _Group, query: RankedQuery, binary: bool) -> _Input:
    """Hand over every document and judgment under its own docno, decoded byte by byte."""
    docnos, judged = query.docnos or (), query.judged or {}
    docnos = docnos[: group.max_docs]
    _refuse_too_deep(len(docnos))
    run = dict(zip(_texts(docnos), range(len(docnos), 0, -1), strict=True)) if docnos else {}
    grades = [_seen(grade, group.level, binary) for grade in judged.values()]
    qrels = dict(zip(_texts(judged), grades, strict=True))
    num_ret = len(docnos)
    if group.judged_only:
        num_ret = sum(judged.get(docno, -1) >= 0 for docno in docnos)
    return _Input(run, _never_all_negative(qrels), num_ret)


def _texts(docnos: Iterable[bytes]) -> list[str]:
    """Decode docnos byte by byte, all at once: no docno holds a NUL."""
    return b"\0".join(docnos).decode("latin-1").split("\0")


def _refuse_too_deep(length: int) -> None:
    if length > DEEPEST:
        raise InputError(
            f"saw a ranking that counts down to rank {length}, expected at most {DEEPEST}, where "
            "the scorer's floats end. Cut it with max_docs."
        )


def _request(asked: Asked, profile: str) -> tuple[str, str, str] | None:
    """Give what to ask pytrec_eval for (name, parameter, key of the answer); None: not asked."""
    measure, parameters = asked.measure, asked.parameters
    if measure.asked is None or (measure.only is not None and measure.only != profile):
        return None
    name = measure.asked or measure.name
    if measure.kind in ("levels", "multiples"):
        # It names levels by two decimals, under which others would hide, and cuts long names.
        if two_decimals(parameters[0]) is None or parameters[0] >= 1000:
            return None
        return name, repr(parameters[0]), f"{name}_{parameters[0]:.2f}"
    if measure.kind in ("points", "gains"):
        return (name, "", name) if parameters == measure.defaults else None
    if measure.kind == "cutoffs" and not measure.optional_cutoff:
        return name, str(parameters[0]), f"{name}_{parameters[0]}"
    return name, "", name


def _judged_key(ranking: JudgedRanking) -> tuple[object, ...]:
    """Give what makes two rankings equal, but for how much was retrieved."""
    judged = tuple(ranking.judged.items())
    return tuple(ranking.ranks), tuple(ranking.grades), judged


def _binary(ranking: JudgedRanking, level: int) -> bool:
    """Whether pytrec_eval may see only relevant or not: grades too high for it, or all below."""
    top = max(ranking.judged)
    return top > HIGHEST_GRADE_ASKED or level > top


def _seen(grade: int, level: int, binary: bool) -> int:
    """Give the grade that pytrec_eval is handed for a grade; level is 1 where all is binary."""
    if binary and grade >= 0:
        return int(grade >= level)
    return max(grade, -1)


def _never_all_negative(qrels: dict[str, int]) -> dict[str, int]:
    """Add a document judged 0 that nobody retrieves where pytrec_eval would read foreign memory."""
    if max(qrels.values()) < 0:
        qrels[""] = 0  # no docno is empty
    return qrels
