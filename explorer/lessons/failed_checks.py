"""Describe what a learner's program did instead of passing a check, as message ids and values."""

from collections.abc import Mapping
from dataclasses import dataclass

from explorer.analysis.autograd import contributions, selected_backward, tensor_gradient
from explorer.analysis.autograd.gradients import tensor_places
from explorer.lessons.asks import Fact
from explorer.lessons.facts import NONE, Answer, LessonRun, found, gradient_of
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten
from explorer.trace import Failure, Trace, goes_wrong

CODE = 40  # cells of an expression
TEXT = 120  # cells of what a program printed
MOST_PARTS = 4  # contributions listed one by one
_NAMED = ("value", "gradient", "shape", "dtype", "stride", "version", "writes", "grad_fn", "requires_grad", "leaf", "reason")
_SIZES = ("shape", "stride")


@dataclass(frozen=True)
class Sentence:
    """A sentence. Attributes: id: of its message, without `lesson-did-`; values: of its variables."""

    id: str
    values: Mapping[str, str | int | float]


def sentence(lang: str, saying: Sentence) -> str:
    """The sentence in a language."""
    return say(lang, f"lesson-did-{saying.id}", **saying.values)


def describe_failed_check(fact: Fact, ran: LessonRun) -> list[Sentence]:
    """Sentences about a run in which this fact does not hold."""
    subject, trace = fact.subject, ran.trace
    stop = _stopped(trace) if subject not in ("error", "raises", "absent", "uses", "diagnosis") else []
    name = getattr(fact, subject)
    if subject in _NAMED and trace.bound(name) is None:
        return stop or [Sentence("unbound", {"name": name})]
    is_ = found(fact, ran)
    if subject == "gradient":
        return stop + _gradient(fact, ran, is_)
    if subject in _NAMED:
        if is_ is None:
            return stop or [Sentence("no-entry", {"name": name})]
        if subject in ("requires_grad", "leaf"):
            return [*stop, Sentence(f"{subject.replace('_', '-')}-{'yes' if is_ else 'no'}", {"name": name})]
        if is_ == NONE:
            return [*stop, Sentence(f"{subject.replace('_', '-')}-none", {"name": name})]
        id = "first" if fact.first else subject.replace("_", "-")
        return [*stop, Sentence(id, {"name": _entry(name, fact), "found": said(is_, subject in _SIZES)})]
    match subject:
        case "shares":
            first, other = fact.shares or ("", "")
            words = "unbound" if is_ is None else "shares-yes" if is_ else "shares-no"
            lacking = next((each for each in (first, other) if trace.bound(each) is None), first)
            values = {"name": lacking} if is_ is None else {"name": first, "other": other}
            return [*stop, Sentence(words, dict(values))]
        case "prints":
            return [*stop, Sentence("prints", {"found": shorten(" ".join(str(is_ or "–").split()), TEXT)})]
        case "error" | "raises":
            return _stopped(trace) or [Sentence("no-error", {})]
        case "node" | "edge":
            names = [fact.node] if subject == "node" else [*(fact.edge or ())]
            return [*stop, Sentence(subject, {"name": " → ".join(map(str, names)), "count": int(str(is_))})]
        case "plots" | "cells" | "backwards":
            return [*stop, Sentence(subject, {"count": int(str(is_))})]
        case "uses":
            return [Sentence("uses-yes" if is_ else "uses-no", {"name": fact.uses or ""})]
        case "absent":
            return [Sentence("uses-yes", {"name": str(use)}) for use in (is_ if isinstance(is_, list) else [])]
        case "diagnosis":
            return [Sentence("diagnosis-none" if not is_ else "diagnosis", {})]
    return stop


def said(answer: Answer, sizes: bool = False) -> str:
    """An answer in words; `sizes`: a list is a shape or the like."""
    if isinstance(answer, list):
        if sizes:
            return shape_text(tuple(answer)) or "()"
        return "[" + ", ".join(said(entry) for entry in answer[:8]) + (", …" if len(answer) > 8 else "") + "]"
    if isinstance(answer, bool) or answer is None:
        return str(answer)
    return number(answer) if isinstance(answer, int | float | complex) else shorten(answer, TEXT)


def _entry(name: str, fact: Fact) -> str:
    return f"{name}[{', '.join(map(str, fact.entry))}]" if fact.entry else name


def _stopped(trace: Trace) -> list[Sentence]:
    """That a program stopped, and where."""
    for cell in trace.cells:
        for output in cell.outputs:
            if goes_wrong(output):
                span = getattr(output, "span", -1)
                line = trace.line(span) + (trace.cells[trace.spans[span].cell].first_line - 1 if span >= 0 else 0)
                words = output.type if isinstance(output, Failure) else ""
                if not line:
                    return [Sentence("stopped-nowhere", {})]
                return [Sentence("stopped" if words else "ended", {"line": line} | ({"type": words} if words else {}))]
    return []


def _gradient(fact: Fact, ran: LessonRun, is_: Answer) -> list[Sentence]:
    """What `.grad` is, and what it came from; or why there is none."""
    trace, name = ran.trace, fact.gradient or ""
    tensor = trace.bound(name)
    assert tensor is not None, "asked before"
    if gradient_of(trace, tensor) < 0:
        reason = tensor_gradient(trace, tensor, selected_backward(trace))[1]
        called = any(backward.kind != "implicit" for backward in trace.backwards)
        reached = any(tensor in backward.accumulated for backward in trace.backwards)
        without = "gradient-cleared" if reached else "gradient-none"
        why = f"gradient-{reason.replace('_', '-')}" if reason and called else without
        return [Sentence(why, {"name": name})]
    if is_ is None:
        return [Sentence("no-entry", {"name": f"{name}.grad"})]
    own = [Sentence("gradient", {"name": _entry(f"{name}.grad", fact), "found": said(is_)})]
    if not isinstance(is_, int | float) or fact.entry:
        return own
    return own + _before(trace, tensor) + _parts(trace, tensor)


def _before(trace: Trace, tensor: int) -> list[Sentence]:
    """What the gradient held before the last backward, where that was not nothing."""
    shown = selected_backward(trace)
    call = trace.backwards[shown] if shown is not None else None
    if call is None or tensor not in call.accumulated:
        return []
    before = trace.value(call.before[call.accumulated.index(tensor)])
    if before is None or before.data is None or len(before.data) != 1 or before.data[0] == 0:
        return []
    return [Sentence("before", {"found": number(before.data[0])})]


def _parts(trace: Trace, tensor: int) -> list[Sentence]:
    """What each operation that read a leaf added to its gradient, where several did."""
    shown = selected_backward(trace)
    if shown is None or not trace.tensors.is_leaf[tensor]:
        return []
    places = {node for node, _ in tensor_places(trace)[tensor]}
    amounts: dict[str, float] = {}
    for (node, position), value in contributions(trace, shown).items():
        amount = trace.value(value)
        if trace.nodes.edges[node][position] not in places:
            continue
        if amount is None or amount.data is None or len(amount.data) != 1 or not isinstance(amount.data[0], int | float):
            return []
        operation = trace.nodes.operation[node]
        code = trace.text(trace.operations.span[operation]) if operation >= 0 else ""
        code = code or trace.strings[trace.nodes.name[node]]
        amounts[code] = amounts.get(code, 0.0) + amount.data[0]
    parts = [Sentence("part", {"found": number(amount), "code": shorten(code, CODE)}) for code, amount in amounts.items()]
    return parts if 2 <= len(parts) <= MOST_PARTS else []
