"""Queries to lines of text: runs, judgments, and judgments by group."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from trec_eval_py.converting._work import AnyQuery, Work
from trec_eval_py.reading import GroupLine, QrelsLine, Query, RunLine, shown

ONE_WORD = "an id without blanks"


def trec(query: Query[RunLine], work: Work) -> bytes:
    """Write lines of six fields."""
    lines, tag = query.lines, work.tag
    check_ids(query, work)
    _check_words(query, work, "second field", (line.iteration for line in lines))
    for line in lines:
        if line.tag and (b" ".join(line.tag.split()) != line.tag or b"\0" in line.tag):
            _refuse_word(
                query, work, line, f"tag {shown(line.tag)}", "words with one blank between"
            )
        if b" " in line.tag and line.rank and not line.rank.lstrip(b"+-").isdigit():
            expected = "an integer where a tag has several words"
            _refuse_word(query, work, line, f"rank {shown(line.rank)}", expected)
    ranks = work.stated_ranks(lines)
    _check_words(query, work, "rank", ranks)
    return b"".join(
        b"%b %b %b %b %b %b\n"
        % (
            line.query_id,
            line.iteration,
            line.docno,
            rank,
            repr(line.score).encode(),
            line.tag or tag,
        )
        for line, rank in zip(lines, ranks, strict=True)
    )


def msmarco(query: Query[RunLine], work: Work) -> bytes:
    """Write lines of three fields, in the order of ranks from 1."""
    check_ids(query, work)
    ranks = work.ranks(query.lines)
    lose_of_run(query, work, ranks)
    ordered = sorted(zip(map(int, ranks), query.lines, strict=True))
    if any(line.score != -rank for rank, line in ordered):  # else they were made of ranks
        work.lose("scores", repr(query.lines[0].score), len(query.lines))
    return b"".join(b"%b\t%b\t%d\n" % (query.query_id, line.docno, rank) for rank, line in ordered)


def lose_of_run(query: Query[RunLine], work: Work, ranks: Iterable[bytes]) -> None:
    """Note what only TREC's lines and tables hold of a run."""
    work.lose_all("tags", (line.tag for line in query.lines))
    work.lose_all("iteration", (line.iteration for line in query.lines), b"Q0")
    pairs = zip(query.lines, ranks, strict=True)
    work.lose_all("ranks", (line.rank for line, rank in pairs if line.rank not in (b"", rank)))


def qrels(query: Query[QrelsLine], work: Work) -> bytes:
    """Write lines of four fields."""
    check_ids(query, work)
    _check_words(query, work, "second field", (line.iteration for line in query.lines))
    return b"".join(
        b"%b %b %b %d\n" % (line.query_id, line.iteration, line.docno, line.relevance)
        for line in query.lines
    )


def beir(query: Query[QrelsLine], work: Work) -> bytes:
    """Write lines of three fields, for below BEIR's header."""
    check_ids(query, work)
    lose_of_qrels(query, work)
    return b"".join(
        b"%b\t%b\t%d\n" % (_cell(line.query_id), _cell(line.docno), line.relevance)
        for line in query.lines
    )


def _cell(one: bytes) -> bytes:
    """Quote an id as BEIR's reader, Python's csv module, wants it."""
    return b'"%b"' % one.replace(b'"', b'""') if b'"' in one else one


def letor(query: Query[QrelsLine], work: Work) -> bytes:
    """Write judged vectors without a feature; the docno is in the comment."""
    check_ids(query, work)
    if b"#" in query.query_id:
        work.refuse_id(query, None, "an id without #, which begins a comment")
    lose_of_qrels(query, work)
    return b"".join(
        b"%d qid:%b # docno = %b\n" % (line.relevance, line.query_id, line.docno)
        for line in query.lines
    )


def lose_of_qrels(query: Query[QrelsLine], work: Work) -> None:
    """Note what only TREC's lines and tables hold of judgments."""
    work.lose_all("iteration", (line.iteration for line in query.lines), b"0")


def groups(query: Query[GroupLine], work: Work) -> bytes:
    """Write judgments by group."""
    check_ids(query, work)
    _check_words(query, work, "group", (line.group for line in query.lines))
    target, graded = work.target, work.target in ("qrels_jg", "subtopics")
    if target != "prefs" and work.choice.source == "prefs":
        _drop_subgroups(query, work)
    written = []
    for line in query.lines:
        level = _grade(query, work, line) if graded else _level(query, work, line)
        fields = [line.query_id, line.group, line.docno, level]
        if target == "prefs":
            fields.insert(2, line.subgroup or b"0")
        written.append(b" ".join(fields) + b"\n")
    return b"".join(written)


def _drop_subgroups(query: Query[GroupLine], work: Work) -> None:
    """Note names of subgroups, and refuse a group of several, which would become one."""
    work.must_hold = True
    first: dict[bytes, bytes] = {}
    for line in query.lines:
        above = first.setdefault(line.group, line.subgroup)
        if above != line.subgroup:
            _refuse_word(
                query,
                work,
                line,
                f"subgroups {shown(above)} and {shown(line.subgroup)} of group {shown(line.group)}",
                f"one in each group: {work.target} has none, and levels of two do not compare",
            )
    work.lose_all("subgroups", first.values(), b"0")


def _grade(query: Query[GroupLine], work: Work, line: GroupLine) -> bytes:
    whole = isinstance(line.level, int) or line.level.is_integer()
    if not whole or not -(2**63) <= line.level < 2**63:
        expected = f"an integer of 64 bits, which {work.target} grades by"
        _refuse_word(query, work, line, f"level {line.level!r}", expected)
    return b"%d" % int(line.level)


def _level(query: Query[GroupLine], work: Work, line: GroupLine) -> bytes:
    level = float(line.level)
    if level != line.level:
        expected = "a level that a double holds exactly"
        _refuse_word(query, work, line, f"grade {line.level}", expected)
    return repr(level).encode()


def check_ids(query: AnyQuery, work: Work) -> None:
    """Refuse ids that are no single word, and a query_id that begins a comment."""
    query_id = query.query_id
    if query_id.split() != [query_id]:
        work.refuse_id(query, None, ONE_WORD)
    if query_id[:1] == b"#" and work.target != "letor":
        work.refuse_id(query, None, "an id that does not begin with #, as comments do")
    docnos = [line.docno for line in query.lines]
    if b" ".join(docnos).split() != docnos:
        odd = next(docno for docno in docnos if docno.split() != [docno])
        work.refuse_id(query, odd, ONE_WORD)


def _check_words(query: AnyQuery, work: Work, what: str, values: Iterable[bytes]) -> None:
    held = list(values)
    if b" ".join(held).split() == held and not any(b"\0" in one for one in set(held)):
        return
    for line, one in zip(query.lines, held, strict=True):
        if one.split() != [one] or b"\0" in one:
            _refuse_word(query, work, cast(RunLine, line), f"{what} {shown(one)}", "one word")


def _refuse_word(
    query: AnyQuery, work: Work, line: RunLine | GroupLine, saw: str, expected: str
) -> None:
    saw += f" (query {shown(query.query_id)}, document {shown(line.docno)})"
    work.refuse(line.line, saw, expected, "Mend it, or choose another target.")
