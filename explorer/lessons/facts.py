"""Facts for lessons: find them in a Trace, compare, and describe failures.

Each subject of a fact is one row of `SUBJECTS`.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.analysis.explain.autograd import contributions, selected_backward, tensor_gradient
from explorer.analysis.explain.autograd.gradients import tensor_places
from explorer.lessons.asks import Fact
from explorer.program.scanner import code_of, words_of
from explorer.text import Message, Values
from explorer.text.numbers import number, shape_text, shorten
from explorer.trace import Echo, Failure, Figure, Printed, Result, Trace, Value, ends_cell

RELATIVE, ABSOLUTE = 1e-4, 1e-6  # default tolerances for numbers
NONE = "none"  # no error, no diagnosis, no exception
ANY = "any"  # any error
CODE = 40  # cells of an expression
TEXT = 120  # characters of printed text
MOST_PARTS = 4  # listed contributions

Answer = bool | int | float | complex | str | list | None


@dataclass(frozen=True)
class LessonRun:
    """A program that ran.

    Attributes:
        trace: its Trace.
        error_kinds: returns the kinds of its errors in order, as `explain` names them.
        diagnosis_kinds: returns the kinds of silent bugs, as `diagnose` names them.
    """

    trace: Trace
    error_kinds: Callable[[], Sequence[str]]
    diagnosis_kinds: Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Reply:
    """The judgement of an answer.

    Attributes:
        right: whether it is right, None if unreadable.
        known: name of the reply to a known mistake, or "".
    """

    right: bool | None
    known: str = ""


Find = Callable[[Fact, LessonRun], Answer]
Messages = list[Message]


@dataclass(frozen=True)
class FactKind:
    """A kind of facts.

    Attributes:
        find: returns the value in a run, or None.
        describe: describes a run in which the fact fails, given its value.
        holds: returns whether a value, which is not None, satisfies a fact.
        named: whether it belongs to a named tensor.
        stops: whether the description includes where the program stopped.
    """

    find: Find
    describe: Callable[[Fact, LessonRun, Any], Messages]
    holds: Callable[[Fact, Any], bool]
    named: bool = False
    stops: bool = True


def found(fact: Fact, ran: LessonRun) -> Answer:
    """Return the value of a fact's subject in a run, or None."""
    return SUBJECTS[fact.subject].find(fact, ran) if fact.subject else None


def holds(fact: Fact, ran: LessonRun) -> bool:
    """Return whether a fact holds. Without a requirement, whether its subject exists."""
    is_ = found(fact, ran)
    return is_ is not None and SUBJECTS[fact.subject].holds(fact, is_)


def describe_failed_check(fact: Fact, ran: LessonRun) -> Messages:
    """Describe a run in which this fact does not hold."""
    subject, is_ = SUBJECTS[fact.subject], found(fact, ran)
    stop = _describe_stop(ran.trace) if subject.stops else []
    name = getattr(fact, fact.subject)
    if subject.named and ran.trace.bound(name) is None:
        return stop or [_did("unbound", {"name": name})]
    if subject.named and is_ is None and fact.subject != "gradient":
        return stop or [_did("no-entry", {"name": name})]
    return stop + subject.describe(fact, ran, is_)


def _satisfies(fact: Fact, is_: Answer) -> bool:
    if fact.equals is not None and not equal(is_, fact.equals, fact.near):
        return False
    if fact.contains is not None and fact.contains not in str(is_):
        return False
    for bound, within in ((fact.least, lambda n, b: n >= b), (fact.most, lambda n, b: n <= b)):
        if bound is not None and not all(isinstance(n, int | float) and within(n, bound) for n in flat(is_)):
            return False
    return True


def equal(is_: Answer, wanted: Any, near: float | None = None) -> bool:
    """Return whether an answer equals the wanted value.

    Numbers may differ by a tolerance, texts in blanks. A single wanted number applies to all entries.

    >>> equal([1.0, 2.0], [1, 2]), equal([[3.0, 3.0]], 3), equal("tensor([1.,  2.])", "tensor([1., 2.])")
    (True, True, True)
    """
    if isinstance(wanted, str) and isinstance(is_, str):
        return " ".join(is_.split()) == " ".join(wanted.split())
    if isinstance(is_, list) and isinstance(wanted, list):
        return len(is_) == len(wanted) and all(equal(a, b, near) for a, b in zip(is_, wanted, strict=True))
    if isinstance(is_, list) and is_:
        return all(equal(entry, wanted, near) for entry in is_)
    if isinstance(is_, bool) or isinstance(wanted, bool):
        return isinstance(is_, bool) and isinstance(wanted, bool) and is_ == wanted
    if isinstance(is_, int | float) and isinstance(wanted, int | float):
        if math.isnan(wanted) or math.isinf(wanted):
            return (math.isnan(wanted) and math.isnan(is_)) or is_ == wanted
        return abs(is_ - wanted) <= (RELATIVE * abs(wanted) + ABSOLUTE if near is None else near)
    return False


def flat(answer: Answer) -> list:
    """Return all numbers of an answer."""
    if not isinstance(answer, list):
        return [answer]
    return [number for entry in answer for number in flat(entry)]


def printed(trace: Trace, cell: int) -> str | None:
    """Return a cell's output (-1: the last), None if there is none."""
    if not -len(trace.cells) <= cell < len(trace.cells):
        return None
    parts = []
    for output in trace.cells[cell].outputs:
        match output:
            case Printed(stream="stdout", text=text):
                parts.append(text)
            case Echo(text=text) | Result(text=text):
                parts.append(text + "\n")
    return "".join(parts).rstrip("\n")


def gradient_of(trace: Trace, tensor: int) -> int:
    """Return the final `.grad` value of a tensor, otherwise its last gradient, or -1.

    An implicit backward does not count.
    """
    if trace.tensors.is_leaf[tensor] or trace.tensors.grad[tensor] >= 0:
        return trace.tensors.grad[tensor]
    backward = selected_backward(trace)
    if backward is None or trace.backwards[backward].kind == "implicit":
        return -1
    return tensor_gradient(trace, tensor, backward)[0]


def _numbers(fact: Fact, value: Value | None) -> Answer:
    """Return all entries of a value nested by shape, or the requested entry."""
    array = None if value is None else value.array()
    if array is None:
        return None
    if not array.size:  # even if it has many empty rows
        return None if fact.entry is not None else []
    if fact.entry is not None:
        if len(fact.entry) != array.ndim or any(not -n <= i < n for i, n in zip(fact.entry, array.shape, strict=True)):
            return None
        array = array[tuple(fact.entry)]
    elif array.size == 1:
        array = array.reshape(())
    return np.asarray(array).tolist()


def _of_tensor(read: Callable[[Trace, int], Answer]) -> Find:
    """Adapt a reader to the tensor named in a fact. Returns None if unknown."""

    def find(fact: Fact, ran: LessonRun) -> Answer:
        tensor = ran.trace.bound(getattr(fact, fact.subject))
        return None if tensor is None else read(ran.trace, tensor)

    return find


def _value(fact: Fact, ran: LessonRun) -> Answer:
    trace = ran.trace
    if fact.first:
        began = next((binding.tensor for binding in trace.bindings if binding.name == fact.value), None)
        row = None if began is None else trace.versions_of(began)[0]
        return None if row is None else _numbers(fact, trace.value(trace.versions.value[row]))
    tensor = trace.bound(fact.value or "")
    return None if tensor is None else _numbers(fact, trace.latest(tensor))


def _gradient(fact: Fact, ran: LessonRun) -> Answer:
    tensor = ran.trace.bound(fact.gradient or "")
    return None if tensor is None else _numbers(fact, ran.trace.value(gradient_of(ran.trace, tensor)))


def _stride(trace: Trace, tensor: int) -> Answer:
    return list(trace.shapes[trace.tensors.stride[tensor]]) if trace.tensors.stride[tensor] >= 0 else None


def _grad_fn(trace: Trace, tensor: int) -> Answer:
    node = trace.versions.node[trace.versions_of(tensor)[-1]]
    return NONE if node < 0 or trace.tensors.is_leaf[tensor] else trace.string(trace.nodes.name[node])


def _shares(fact: Fact, ran: LessonRun) -> Answer:
    places = []
    for name in fact.shares or ():
        if (tensor := ran.trace.bound(name)) is not None:
            places.append(ran.trace.tensors.storage[tensor])
        else:
            places += [array.storage for array in ran.trace.arrays if array.name == name][-1:]
    return places[0] >= 0 and places[0] == places[1] if len(places) == 2 else None


def _error(fact: Fact, ran: LessonRun) -> Answer:
    wrong = [output for cell in ran.trace.cells for output in cell.outputs if ends_cell(output)]
    asks_kind = wrong and fact.error not in (ANY, NONE)
    return [*ran.error_kinds()] if asks_kind else [type(output).__name__ for output in wrong]


def _names(trace: Trace) -> list[str]:
    """Return torch's names of the nodes made by the program's own operations."""
    nodes = trace.nodes
    return [trace.strings[name] if made < 0 else "" for name, made in zip(nodes.name, nodes.made_by, strict=True)]


def _edge(fact: Fact, ran: LessonRun) -> Answer:
    names, edges = _names(ran.trace), ran.trace.nodes.edges
    ends = ((name, names[target]) for node, name in enumerate(names) for target in edges[node] if target >= 0)
    return sum(pair == fact.edge for pair in ends)


def _words(ran: LessonRun) -> tuple[frozenset[str], str]:
    text = "\n".join(cell.source for cell in ran.trace.cells)
    return words_of(text), code_of(text)


def used(name: str, words: frozenset[str], code: str) -> bool:
    """Return whether a program uses a name, a dotted name or a sign."""
    parts = name.split(".")
    return all(part in words for part in parts) if all(part.isidentifier() for part in parts) else name in code


def _find_absent(fact: Fact, ran: LessonRun) -> Answer:
    words, code = _words(ran)
    return [name for name in fact.absent or () if used(name, words, code)]


def answer_text(answer: Answer, sizes: bool = False) -> str:
    """Write an answer. `sizes`: a list is a shape."""
    if isinstance(answer, list):
        if sizes:
            return shape_text(tuple(answer)) or "()"
        return "[" + ", ".join(answer_text(entry) for entry in answer[:8]) + (", …" if len(answer) > 8 else "") + "]"
    if isinstance(answer, bool) or answer is None:
        return str(answer)
    return number(answer) if isinstance(answer, int | float | complex) else shorten(answer, TEXT)


def _did(id: str, values: Values | None = None) -> Message:
    return Message(f"lesson-did-{id}", values or {})


def _yes(answer: Answer) -> str:
    return "yes" if answer else "no"


def _entry(name: str, fact: Fact) -> str:
    return f"{name}[{', '.join(map(str, fact.entry))}]" if fact.entry else name


def _describe_named(fact: Fact, ran: LessonRun, is_: Answer) -> Messages:
    name, id = getattr(fact, fact.subject), fact.subject.replace("_", "-")
    if isinstance(is_, bool) and fact.subject != "value":
        return [_did(id, {"name": name, "is": _yes(is_)})]
    if is_ == NONE:
        return [_did(f"{id}-none", {"name": name})]
    text = answer_text(is_, fact.subject in ("shape", "stride"))
    values = {"name": _entry(name, fact), "found": text}
    if fact.subject in ("shape", "dtype", "grad_fn"):
        return [_did("property", values | {"what": fact.subject})]
    return [_did("first" if fact.first else id, values)]


def _describe_shares(fact: Fact, ran: LessonRun, is_: Answer) -> Messages:
    first, other = fact.shares or ("", "")
    if is_ is None:
        lacking = next((each for each in (first, other) if ran.trace.bound(each) is None), first)
        return [_did("unbound", {"name": lacking})]
    return [_did("shares", {"name": first, "other": other, "is": _yes(is_)})]


def _describe_error(fact: Fact, ran: LessonRun, is_: Answer) -> Messages:
    return [] if _describe_stop(ran.trace) else [_did("no-error")]


def _describe_count(fact: Fact, ran: LessonRun, is_: Answer) -> Messages:
    names = {"node": [fact.node], "edge": [*(fact.edge or ())]}.get(fact.subject, [])
    values = {"name": " → ".join(map(str, names))} if names else {}
    return [_did("node" if names else fact.subject, values | {"count": int(str(is_))})]


def _describe_stop(trace: Trace) -> list[Message]:
    """Describe that and where a program stopped."""
    for cell in trace.cells:
        for output in cell.outputs:
            if ends_cell(output):
                span = getattr(output, "span", -1)
                line = trace.line(span) + (trace.cells[trace.spans[span].cell].first_line - 1 if span >= 0 else 0)
                words = output.type if isinstance(output, Failure) else ""
                if not line:
                    return [_did("stopped-nowhere")]
                return [_did("stopped" if words else "ended", {"line": line} | ({"type": words} if words else {}))]
    return []


def _describe_gradient(fact: Fact, ran: LessonRun, is_: Answer) -> Messages:
    """Describe `.grad` and the gradients added to it, or the reason for none."""
    trace, name = ran.trace, fact.gradient or ""
    tensor = trace.bound(name)
    assert tensor is not None, "asked before"
    if gradient_of(trace, tensor) < 0:
        reason = tensor_gradient(trace, tensor, selected_backward(trace))[1]
        called = any(backward.kind != "implicit" for backward in trace.backwards)
        reached = any(tensor in backward.accumulated for backward in trace.backwards)
        why = reason.replace("_", "-") if reason and called else "cleared" if reached else "none"
        return [_did("no-gradient", {"name": name, "why": why})]
    if is_ is None:
        return [_did("no-entry", {"name": f"{name}.grad"})]
    own = [_did("value", {"name": _entry(f"{name}.grad", fact), "found": answer_text(is_)})]
    if not isinstance(is_, int | float) or fact.entry:
        return own
    return own + _before(trace, tensor) + _parts(trace, tensor)


def _before(trace: Trace, tensor: int) -> list[Message]:
    """Describe a nonempty `.grad` before the last backward."""
    shown = selected_backward(trace)
    call = trace.backwards[shown] if shown is not None else None
    if call is None or tensor not in call.accumulated:
        return []
    before = trace.value(call.before[call.accumulated.index(tensor)])
    if before is None or before.data is None or len(before.data) != 1 or before.data[0] == 0:
        return []
    return [_did("before", {"found": number(before.data[0])})]


def _parts(trace: Trace, tensor: int) -> list[Message]:
    """Describe each operation's contribution to a leaf's gradient, if there are several."""
    shown = selected_backward(trace)
    if shown is None or not trace.tensors.is_leaf[tensor]:
        return []
    places = {node for node, _ in tensor_places(trace)[tensor]}
    amounts: dict[str, float] = {}
    for (node, position), value in contributions(trace, shown).items():
        amount = trace.value(value)
        if trace.nodes.edges[node][position] not in places:
            continue
        if (
            amount is None
            or amount.data is None
            or len(amount.data) != 1
            or not isinstance(amount.data[0], int | float)
        ):
            return []
        operation = trace.nodes.operation[node]
        code = trace.text(trace.operations.span[operation]) if operation >= 0 else ""
        code = code or trace.strings[trace.nodes.name[node]]
        amounts[code] = amounts.get(code, 0.0) + amount.data[0]
    parts = [_did("part", {"found": number(amount), "code": shorten(code, CODE)}) for code, amount in amounts.items()]
    return parts if 2 <= len(parts) <= MOST_PARTS else []


def _is_among(fact: Fact, is_: list) -> bool:
    """Return whether a kind of error was found. NONE: no error. ANY: some error."""
    wanted = getattr(fact, fact.subject)
    return bool(is_) if wanted == ANY and fact.subject == "error" else not is_ if wanted == NONE else wanted in is_


def _is_counted(fact: Fact, is_: int) -> bool:
    return is_ == fact.count if fact.count is not None else bool(is_)


def _is_as_many(fact: Fact, is_: int) -> bool:
    return is_ == getattr(fact, fact.subject)


def _by_name(find: Find, describe: Callable[[Fact, LessonRun, Any], Messages] = _describe_named) -> FactKind:
    return FactKind(find, describe, _satisfies, named=True)


SUBJECTS: dict[str, FactKind] = {
    "value": _by_name(_value),
    "gradient": _by_name(_gradient, _describe_gradient),
    "shape": _by_name(_of_tensor(lambda trace, tensor: list(trace.shapes[trace.tensors.shape[tensor]]))),
    "dtype": _by_name(_of_tensor(lambda trace, tensor: trace.string(trace.tensors.dtype[tensor]))),
    "stride": _by_name(_of_tensor(_stride)),
    "version": _by_name(_of_tensor(lambda trace, tensor: trace.versions.version[trace.versions_of(tensor)[-1]])),
    # Also past torch's counter (`.data`, NumPy):
    "writes": _by_name(_of_tensor(lambda trace, tensor: len(trace.versions_of(tensor)) - 1)),
    "grad_fn": _by_name(_of_tensor(_grad_fn)),
    "requires_grad": _by_name(_of_tensor(lambda trace, tensor: trace.tensors.requires_grad[tensor])),
    "leaf": _by_name(_of_tensor(lambda trace, tensor: trace.tensors.is_leaf[tensor])),
    "shares": FactKind(_shares, _describe_shares, _satisfies),
    "prints": FactKind(
        lambda fact, ran: printed(ran.trace, -1 if fact.prints is None else fact.prints),
        lambda fact, ran, is_: [_did("prints", {"found": shorten(" ".join(str(is_ or "–").split()), TEXT)})],
        _satisfies,
    ),
    "plots": FactKind(
        lambda _, ran: sum(isinstance(output, Figure) for cell in ran.trace.cells for output in cell.outputs),
        _describe_count,
        _is_as_many,
    ),
    "error": FactKind(_error, _describe_error, _is_among),
    "raises": FactKind(lambda _, ran: [one.type for *_, one in ran.trace.shown(Failure)], _describe_error, _is_among),
    "node": FactKind(lambda fact, ran: Counter(_names(ran.trace))[fact.node or ""], _describe_count, _is_counted),
    "edge": FactKind(_edge, _describe_count, _is_counted),
    "backwards": FactKind(
        lambda _, ran: sum(one.kind != "implicit" for one in ran.trace.backwards), _describe_count, _is_as_many
    ),
    "uses": FactKind(
        lambda fact, ran: used(fact.uses or "", *_words(ran)),
        lambda fact, _, is_: [_did("uses", {"name": fact.uses or "", "is": _yes(is_)})],
        lambda fact, is_: bool(is_) == (fact.equals is not False),
        stops=False,
    ),
    "absent": FactKind(
        _find_absent,
        lambda _, ran, is_: [_did("uses", {"name": str(use), "is": "yes"}) for use in is_],
        lambda _, is_: not is_,
        stops=False,
    ),
    "diagnosis": FactKind(
        lambda _, ran: [*ran.diagnosis_kinds()],
        lambda _, ran, is_: [_did("diagnosis-none" if not is_ else "diagnosis", {})],
        _is_among,
        stops=False,
    ),
    "number": FactKind(lambda fact, _: fact.number, lambda *_: [], _satisfies),
}
