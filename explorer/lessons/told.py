"""What a learner's program did where a check does not hold: sentences as ids of messages and their values."""

from collections.abc import Mapping
from dataclasses import dataclass

from explorer.autograd import contributions, selected_backward, tensor_gradient
from explorer.autograd.gradients import tensor_places
from explorer.lessons.asks import Fact
from explorer.lessons.facts import NONE, Answer, Ran, found, gradient_of
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten
from explorer.trace import Failure, Trace, goes_wrong

CODE = 40  # cells of an expression
TEXT = 120  # cells of what a program printed
MOST_PARTS = 4  # contributions that are told one by one
_NAMED = ("value", "gradient", "shape", "dtype", "stride", "version", "grad_fn", "requires_grad", "leaf", "reason")
_SIZES = ("shape", "stride")


@dataclass(frozen=True)
class Saying:
    """A sentence. Attributes: id: of its message, without `lesson-did-`; values: of its variables."""

    id: str
    values: Mapping[str, str | int | float]


def sentence(lang: str, saying: Saying) -> str:
    """The sentence in a language."""
    return say(lang, f"lesson-did-{saying.id}", **saying.values)


def told(fact: Fact, ran: Ran) -> list[Saying]:
    """What a program did of which this fact does not hold."""
    subject, trace = fact.subject, ran.trace
    stop = _stopped(trace) if subject not in ("error", "raises", "absent", "uses", "diagnosis") else []
    name = getattr(fact, subject)
    if subject in _NAMED and trace.bound(name) is None:
        return stop or [Saying("unbound", {"name": name})]
    is_ = found(fact, ran)
    if subject == "gradient":
        return stop + _gradient(fact, ran, is_)
    if subject in _NAMED:
        if is_ is None:
            return stop or [Saying("no-entry", {"name": name})]
        if subject in ("requires_grad", "leaf"):
            return [*stop, Saying(f"{subject.replace('_', '-')}-{'yes' if is_ else 'no'}", {"name": name})]
        if is_ == NONE:
            return [*stop, Saying(f"{subject.replace('_', '-')}-none", {"name": name})]
        return [*stop, Saying(subject.replace("_", "-"), {"name": _entry(name, fact), "found": said(is_, subject in _SIZES)})]
    match subject:
        case "shares":
            one, other = fact.shares or ("", "")
            words = "unbound" if is_ is None else "shares-yes" if is_ else "shares-no"
            lacking = next((each for each in (one, other) if trace.bound(each) is None), one)
            values = {"name": lacking} if is_ is None else {"name": one, "other": other}
            return [*stop, Saying(words, dict(values))]
        case "prints":
            return [*stop, Saying("prints", {"found": shorten(" ".join(str(is_ or "–").split()), TEXT)})]
        case "error" | "raises":
            return _stopped(trace) or [Saying("no-error", {})]
        case "node" | "edge":
            names = [fact.node] if subject == "node" else [*(fact.edge or ())]
            return [*stop, Saying(subject, {"name": " → ".join(map(str, names)), "count": int(str(is_))})]
        case "plots" | "cells" | "backwards":
            return [*stop, Saying(subject, {"count": int(str(is_))})]
        case "uses":
            return [Saying("uses-yes" if is_ else "uses-no", {"name": fact.uses or ""})]
        case "absent":
            return [Saying("uses-yes", {"name": str(one)}) for one in (is_ if isinstance(is_, list) else [])]
        case "diagnosis":
            return [Saying("diagnosis-none" if not is_ else "diagnosis", {})]
    return stop


def said(answer: Answer, sizes: bool = False) -> str:
    """An answer in words; `sizes`: a list is a shape or the like."""
    if isinstance(answer, list):
        if sizes:
            return shape_text(tuple(answer)) or "()"
        return "[" + ", ".join(said(one) for one in answer[:8]) + (", …" if len(answer) > 8 else "") + "]"
    if isinstance(answer, bool) or answer is None:
        return str(answer)
    return number(answer) if isinstance(answer, int | float | complex) else shorten(answer, TEXT)


def _entry(name: str, fact: Fact) -> str:
    return f"{name}[{', '.join(map(str, fact.entry))}]" if fact.entry else name


def _stopped(trace: Trace) -> list[Saying]:
    """That a program stopped, and where."""
    for cell in trace.cells:
        for output in cell.outputs:
            if goes_wrong(output):
                span = getattr(output, "span", -1)
                line = trace.line(span) + (trace.cells[trace.spans[span].cell].first_line - 1 if span >= 0 else 0)
                words = output.type if isinstance(output, Failure) else ""
                if not line:
                    return [Saying("stopped-nowhere", {})]
                return [Saying("stopped" if words else "ended", {"line": line} | ({"type": words} if words else {}))]
    return []


def _gradient(fact: Fact, ran: Ran, is_: Answer) -> list[Saying]:
    """What `.grad` is, and what it came from; or why there is none."""
    trace, name = ran.trace, fact.gradient or ""
    tensor = trace.bound(name)
    assert tensor is not None, "asked before"
    if gradient_of(trace, tensor) < 0:
        reason = tensor_gradient(trace, tensor, selected_backward(trace))[1]
        called = any(one.kind != "implicit" for one in trace.backwards)
        why = f"gradient-{reason.replace('_', '-')}" if reason and called else "gradient-none"
        return [Saying(why, {"name": name})]
    if is_ is None:
        return [Saying("no-entry", {"name": f"{name}.grad"})]
    own = [Saying("gradient", {"name": _entry(f"{name}.grad", fact), "found": said(is_)})]
    if not isinstance(is_, int | float) or fact.entry:
        return own
    return own + _before(trace, tensor) + _parts(trace, tensor)


def _before(trace: Trace, tensor: int) -> list[Saying]:
    """What the gradient held before the last backward, where that was not nothing."""
    shown = selected_backward(trace)
    call = trace.backwards[shown] if shown is not None else None
    if call is None or tensor not in call.accumulated:
        return []
    before = trace.value(call.before[call.accumulated.index(tensor)])
    if before is None or before.data is None or len(before.data) != 1 or before.data[0] == 0:
        return []
    return [Saying("before", {"found": number(before.data[0])})]


def _parts(trace: Trace, tensor: int) -> list[Saying]:
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
    parts = [Saying("part", {"found": number(amount), "code": shorten(code, CODE)}) for code, amount in amounts.items()]
    return parts if 2 <= len(parts) <= MOST_PARTS else []
