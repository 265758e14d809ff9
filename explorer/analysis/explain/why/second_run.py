"""Ask a second run for data of large tensors."""

import math
from collections import deque
from collections.abc import Iterator

from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradients import node_gradients
from explorer.analysis.explain.why.arrivals import edge_gradients_in
from explorer.analysis.explain.why.derivation import Derivation
from explorer.analysis.explain.why.derivation_steps import Arrived, PassedOn, Stored, Subject, ValueOf
from explorer.analysis.explain.why.derivation_text import Why, heads
from explorer.analysis.explain.why.leaf_history import tapes
from explorer.text import say
from explorer.trace import FULL, MOST_ASKED, MOST_WHOLE, WHOLE, WHOLE_BYTES, EntryAsked, InvalidTrace, Options, Trace

_FAR = 400  # most operations examined behind a value
_EMPTIED = ("cleared", "zeroed", "assigned")  # changes of `.grad` that make everything before them irrelevant
# Notes of steps that end because part of them was not recorded.
_NOT_RECORDED = {"unknown", "unknown-parts", "not-kept", "no-factors"}
_NOT_KEPT = {"no-value", "operands-large"}


def second_run_options(trace: Trace, tree: Derivation) -> Options | None:
    """Return options of a useful second run, or None."""
    notes, subject = set(_notes(tree)), tree.step.subject
    if isinstance(subject, ValueOf):
        whole = _behind(trace, subject.row) if notes & _NOT_KEPT else ()
        return replace(trace.options, whole=whole) if whole else None
    asked = [_addressed(trace, gradient) for gradient in _gradients(trace, tree)] if notes & _NOT_RECORDED else []
    entries = tuple(entry for entry in asked if entry is not None)[-MOST_ASKED:]
    return replace(trace.options, asked=entries) if entries else None


def second_run_advice(trace: Trace, why: Why, recorded: bool, lang: str) -> str:
    """Describe how to get missing data, or return ""."""
    if second_run_options(trace, why.derivation) is None:
        return ""
    question = heads(why.derivation.step, lang)[0]
    if recorded and (question in trace.options.full or why.derivation.step.kind == "value"):
        return ""
    return say(lang, "why-again-recorded", question=question) if recorded else say(lang, "why-again-saved")


def answered(trace: Trace, again: Trace) -> Trace | None:
    """Add a second run's explanations to the first Trace, None if the runs differ."""
    asked, calls = again.asked, {entry.call for entry in again.options.asked}
    if not all(_same(trace, again, i) for i, call in enumerate(trace.backwards) if call.number in calls):
        return None
    alike = {value for value in {*asked.value} if _recorded(trace, value) == _recorded(again, value)}
    rows = [row for row in zip(asked.value, asked.place, asked.entry, strict=True) if row[0] in alike]
    values, places, entries = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    if not all(_recorded(trace, value) == _recorded(again, value) for value in asked.whole):
        return None
    try:
        return replace(trace, asked=replace(asked, value=values, place=places, entry=entries)).check()
    except InvalidTrace:
        return None


def _same(trace: Trace, again: Trace, backward: int) -> bool:
    """Return whether two runs had the same gradients in a backward."""
    if backward >= len(trace.backwards) or trace.backwards[backward] != again.backwards[backward]:
        return False
    arrived = [value for value in trace.backwards[backward].arrived.items if value >= 0]
    return all(_recorded(trace, value) == _recorded(again, value) for value in arrived)


def _recorded(trace: Trace, value: int) -> tuple | None:
    """Return a value's shape and recorded entries, or None."""
    entries = trace.entries(value) if value < len(trace.values.shape) else None
    return None if entries is None else (trace.shapes[trace.values.shape[value]], entries.tobytes())


def _notes(tree: Derivation) -> Iterator[str]:
    yield tree.step.noted
    for below in tree.below:
        yield from _notes(below) if below is not None else ()


def _behind(trace: Trace, row: int) -> tuple[int, ...]:
    """Return the large values behind a value, nearest first, itself included."""
    if any(limit.kind == "operations" for limit in trace.limits):  # values have other ids while the program runs
        return ()
    waiting, seen, room = deque([row]), {row}, WHOLE_BYTES
    values: list[int] = []
    for _ in range(_FAR):
        if not waiting or len(values) >= MOST_WHOLE:
            break
        at = waiting.popleft()
        value, operation = trace.value_at(at), trace.versions.operation[at]
        size = math.prod(value.shape) * 8 if value is not None and value.data is None else 0
        if value is not None and FULL * 8 < size <= min(room, WHOLE * 8):
            values.append(trace.versions.value[at])
            room -= size
        for tensor in trace.operations.inputs[operation] if operation >= 0 else ():
            before = trace.index.before(tensor, operation)
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)
    return tuple(values)


def _gradients(trace: Trace, tree: Derivation) -> list[Arrived | PassedOn]:
    """Return the gradients that a question is about.

    For a `.grad` cleared since, for example at the end of a step, those of the answer's next steps.
    """
    found = _asked_gradients(trace, tree.step.subject)
    below = [] if found or not isinstance(tree.step.subject, Stored) else [one for one in tree.below if one is not None]
    return found or [gradient for one in below for gradient in _asked_gradients(trace, one.step.subject)]


def _asked_gradients(trace: Trace, subject: Subject) -> list[Arrived | PassedOn]:
    match subject:
        case Arrived() | PassedOn():
            return [subject]
        case Stored(tensor=leaf, place=place, time=time) if place >= 0:
            node = tapes(trace).collector.get(leaf, -1)
            events = [event for _, event in tapes(trace).stored(leaf, None if time < 0 else time)]
            since = max((i for i, event in enumerate(events) if event.kind in _EMPTIED), default=-1)
            calls = [event.backward for event in events[since + 1 :] if event.kind == "backward"]
            return [Arrived(call, node, 0, place) for call in calls] if node >= 0 else []
    return []


def _addressed(trace: Trace, subject: Arrived | PassedOn) -> EntryAsked | None:
    """Return the address at which a second run finds a gradient."""
    call = trace.backwards[subject.backward]
    if not call.number or subject.node not in call.order:
        return None
    step = call.order.index(subject.node)
    if isinstance(subject, Arrived):
        gradients = node_gradients(trace, subject.backward)[subject.node]
        value = trace.value(gradients[subject.output]) if subject.output < len(gradients) else None
        output, edge = subject.output, -1
    else:
        value = trace.value(edge_gradients_in(trace, subject.backward).passed.get((subject.node, subject.edge), -1))
        output, edge = 0, subject.edge
    if value is None or subject.place < 0:
        return None
    return EntryAsked(call.number, step, output, value.shape, subject.place, edge)
