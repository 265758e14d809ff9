"""Chapters of a run: forward, backward, update, and forward again."""

from collections import Counter

from explorer.analysis.timeline.drafts import Draft
from explorer.analysis.timeline.records import Chapter, ChapterKind
from explorer.trace import Trace


def chapters(trace: Trace, drafts: list[Draft]) -> tuple[tuple[Chapter, ...], list[int]]:
    """The chapters, and the chapter of each moment.

    Updates after a backward belong to it until an operation is recorded for the next one, or a loop starts a new
    round. Moments after the last backward that update nothing are a chapter of their own.
    """
    kinds = _kinds(drafts)
    numbers = _rounds(trace)
    order = [draft.backward for draft in drafts if draft.backward >= 0]
    ahead = list(dict.fromkeys(order))  # in the order of the run
    found: list[Chapter] = []
    chapter_of = []
    passed = 0  # completed backward calls
    last: tuple[ChapterKind, int] | None = None
    for at, (draft, kind) in enumerate(zip(drafts, kinds, strict=True)):
        if kind == "backward":
            passed = ahead.index(draft.backward, max(0, passed - 1)) + 1
            backward = draft.backward
        elif kind == "forward" and passed < len(ahead):
            backward = ahead[passed]
        else:
            backward = ahead[passed - 1] if passed else -1
        if last != (kind, backward):
            found.append(Chapter(kind, at, at, backward, numbers.get(backward, -1)))
            last = kind, backward
        found[-1] = Chapter(kind, found[-1].start, at + 1, backward, found[-1].round)
        chapter_of.append(len(found) - 1)
    return tuple(found), chapter_of


def _kinds(drafts: list[Draft]) -> list[ChapterKind]:
    """The chapter that each moment belongs to."""
    kinds: list[ChapterKind] = ["forward"] * len(drafts)
    calls: list[int] = []  # the last moment of each
    for i, draft in enumerate(drafts):
        if draft.backward >= 0:
            kinds[i] = "backward"
            if calls and drafts[calls[-1]].backward == draft.backward:
                calls.pop()
            calls.append(i)
    for number, begin in enumerate(calls):
        end = calls[number + 1] if number + 1 < len(calls) else len(drafts)
        trains, loops = begin, drafts[begin].loops
        for i in range(begin + 1, end):
            if drafts[i].records or (drafts[i].kind == "round" and drafts[i].truth):
                break
            if loops and drafts[i].loops and drafts[i].loops[: len(loops)] != loops:
                break
            if drafts[i].trains:
                trains = i
        for i in range(begin + 1, trains + 1):
            kinds[i] = "update"
        if number + 1 == len(calls):
            for i in range(trains + 1, end):
                kinds[i] = "after"
    return kinds


def _rounds(trace: Trace) -> dict[int, int]:
    """For each backward the number of its call, from 0, if its place calls several."""
    steps = trace.steps
    known = {backward: number for backward, number in zip(steps.backward, steps.number, strict=True) if backward >= 0}
    several = Counter(call.span for call in trace.backwards if call.inside < 0)
    seen: Counter = Counter()
    for number, call in enumerate(trace.backwards):
        if call.inside < 0 and several[call.span] > 1:
            known.setdefault(number, seen[call.span])
            seen[call.span] += 1
    return known
