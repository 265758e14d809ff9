"""What a second run of the program is asked, where the first one kept too little of large tensors, and its answer."""

from msgspec.structs import replace

from explorer.analysis.autograd.gradients import node_gradients
from explorer.analysis.why.arrivals import passing_in
from explorer.analysis.why.derivation import Derivation
from explorer.analysis.why.derivation_steps import Arrived, DerivationStep, PassedOn, Stored
from explorer.analysis.why.derivation_text import Why, heads
from explorer.analysis.why.tape import tapes
from explorer.text import say
from explorer.trace import MOST_ASKED, EntryAsked, InvalidTrace, Trace

# Notes of steps that end because something of them was not recorded.
_EMPTIED = ("cleared", "zeroed", "assigned")  # changes of `.grad` to which nothing before them counts
_NOT_RECORDED = ("unknown", "unknown-parts", "not-kept", "not-kept-end", "no-factors", "no-factors-end")


def asked_again(trace: Trace, found: Derivation) -> tuple[EntryAsked, ...]:
    """What a second run has to explain for an answer; () where the answer lacks nothing, or it could not."""
    if not _lacks(found):
        return ()
    asked = [_addressed(trace, subject) for subject in _gradients(trace, found.step)]
    return tuple(entry for entry in asked if entry is not None)[-MOST_ASKED:]


def asking_again(trace: Trace, found: Why, recorded: bool, lang: str) -> str:
    """For an answer that lacks something, in a run that is not repeated here: how to get it; "" if it lacks nothing."""
    if not asked_again(trace, found.derivation):
        return ""
    question = heads(found.derivation.step, lang)[0]
    if recorded and question in trace.options.full:
        return ""
    return say(lang, "why-again-recorded", question=question) if recorded else say(lang, "why-again-saved")


def answered(trace: Trace, again: Trace) -> Trace | None:
    """The first Trace with what the second run explained; None if that run was another one."""
    asked, calls = again.asked, {entry.call for entry in again.options.asked}
    if not all(_same(trace, again, i) for i, call in enumerate(trace.backwards) if call.number in calls):
        return None
    alike = {value for value in {*asked.value} if _recorded(trace, value) == _recorded(again, value)}
    rows = [row for row in zip(asked.value, asked.place, asked.entry, strict=True) if row[0] in alike]
    values, places, entries = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    try:
        return replace(trace, asked=replace(asked, value=values, place=places, entry=entries)).check()
    except InvalidTrace:
        return None


def _same(trace: Trace, again: Trace, backward: int) -> bool:
    """Whether two runs had the same gradients in a backward."""
    if backward >= len(trace.backwards) or trace.backwards[backward] != again.backwards[backward]:
        return False
    arrived = [value for value in trace.backwards[backward].arrived.items if value >= 0]
    return all(_recorded(trace, value) == _recorded(again, value) for value in arrived)


def _recorded(trace: Trace, value: int) -> tuple | None:
    """Shape and recorded entries of a value as bytes, None for one that does not exist."""
    found = trace.entries(value) if value < len(trace.values.shape) else None
    return None if found is None else (trace.shapes[trace.values.shape[value]], found.tobytes())


def _lacks(found: Derivation) -> bool:
    """Whether a step of an answer ends where something was not recorded."""
    return found.step.note in _NOT_RECORDED or any(_lacks(below) for below in found.below if below is not None)


def _gradients(trace: Trace, step: DerivationStep) -> list[Arrived | PassedOn]:
    """The gradients that a step is about: of a stored one those that backward calls added to it."""
    match step.subject:
        case Arrived() | PassedOn() as subject:
            return [subject]
        case Stored(tensor=leaf, place=place, time=time) if place >= 0:
            node = tapes(trace).collector.get(leaf, -1)
            events = [event for _, event in tapes(trace).stored(leaf, None if time < 0 else time)]
            since = max((i for i, event in enumerate(events) if event.kind in _EMPTIED), default=-1)
            calls = [event.backward for event in events[since + 1 :] if event.kind == "backward"]
            return [Arrived(call, node, 0, place) for call in calls] if node >= 0 else []
    return []


def _addressed(trace: Trace, subject: Arrived | PassedOn) -> EntryAsked | None:
    """Where a second run finds a gradient."""
    call = trace.backwards[subject.backward]
    if not call.number or subject.node not in call.order:
        return None
    step = call.order.index(subject.node)
    if isinstance(subject, Arrived):
        gradients = node_gradients(trace, subject.backward)[subject.node]
        value = trace.value(gradients[subject.output]) if subject.output < len(gradients) else None
        output, edge = subject.output, -1
    else:
        value = trace.value(passing_in(trace, subject.backward).passed.get((subject.node, subject.edge), -1))
        output, edge = 0, subject.edge
    if value is None or subject.place < 0:
        return None
    return EntryAsked(call.number, step, output, value.shape, subject.place, edge)
