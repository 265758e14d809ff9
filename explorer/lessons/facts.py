"""Look facts of a lesson up in a Trace, and compare them with what the lesson requires."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.analysis.autograd import selected_backward, tensor_gradient
from explorer.lessons.asks import Fact
from explorer.lessons.code_words import words_of
from explorer.trace import Echo, Failure, Figure, Printed, Result, Trace, Value, goes_wrong

RELATIVE, ABSOLUTE = 1e-4, 1e-6  # by how much a number may differ where a fact does not say
NONE = "none"  # no error, no diagnosis, no exception
ANY = "any"  # whichever error

Answer = bool | int | float | complex | str | list | None


@dataclass(frozen=True)
class LessonRun:
    """A program that ran.

    Attributes:
        trace: what it left behind.
        error_kinds: asks for the kinds of its errors, as `explain` names them, in order.
        diagnosis_kinds: asks for the kinds of what is wrong although nothing failed, as `diagnose` names them.
    """

    trace: Trace
    error_kinds: Callable[[], Sequence[str]]
    diagnosis_kinds: Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Reply:
    """The judgement of an answer.

    Attributes:
        right: whether it is the one; None for an answer that could not be read.
        known: the name of the reply to a wrong answer with a known reason, "" for none.
    """

    right: bool | None
    known: str = ""


def found(fact: Fact, ran: LessonRun) -> Answer:
    """The value of a fact's subject in a run; None if the run has no such name or gradient."""
    reader = _READERS.get(fact.subject)
    return None if reader is None else reader(fact, ran)


def holds(fact: Fact, ran: LessonRun) -> bool:
    """Whether a fact holds. A fact without a requirement holds if the Trace has its subject."""
    is_ = found(fact, ran)
    if is_ is None:
        return False
    match fact.subject:
        case "error":
            kinds = [str(kind) for kind in is_] if isinstance(is_, list) else []
            return bool(kinds) if fact.error == ANY else not kinds if fact.error == NONE else fact.error in kinds
        case "raises":
            types = [str(kind) for kind in is_] if isinstance(is_, list) else []
            return not types if fact.raises == NONE else fact.raises in types
        case "diagnosis":
            kinds = [str(kind) for kind in is_] if isinstance(is_, list) else []
            return not kinds if fact.diagnosis == NONE else fact.diagnosis in kinds
        case "node" | "edge":
            return is_ == fact.count if fact.count is not None else bool(is_)
        case "plots" | "cells" | "backwards":
            return is_ == getattr(fact, fact.subject)
        case "uses":
            return bool(is_) == (fact.equals is not False)
        case "absent":
            return not is_
    return _as_required(fact, is_)


def _as_required(fact: Fact, is_: Answer) -> bool:
    if fact.equals is not None and not equal(is_, fact.equals, fact.near):
        return False
    if fact.contains is not None and fact.contains not in str(is_):
        return False
    for bound, within in ((fact.least, lambda n, b: n >= b), (fact.most, lambda n, b: n <= b)):
        if bound is not None and not all(isinstance(n, int | float) and within(n, bound) for n in flat(is_)):
            return False
    return True


def equal(is_: Answer, wanted: Any, near: float | None = None) -> bool:
    """Whether an answer equals the wanted one: numbers within a tolerance, texts with blanks collapsed. A single
    wanted number stands for all entries.

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
    """All numbers of an answer."""
    if not isinstance(answer, list):
        return [answer]
    return [number for entry in answer for number in flat(entry)]


def printed(trace: Trace, cell: int) -> str | None:
    """What a cell (-1: the last) wrote and showed, as one text; None where there is no such cell."""
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
    """The value that `.grad` of a tensor has at the end; of one that keeps none what a called backward brought; or -1.

    What a program that calls no backward would bring is no gradient of its own.
    """
    if trace.tensors.is_leaf[tensor] or trace.tensors.grad[tensor] >= 0:
        return trace.tensors.grad[tensor]
    backward = selected_backward(trace)
    if backward is None or trace.backwards[backward].kind == "implicit":
        return -1
    return tensor_gradient(trace, tensor, backward)[0]


def _numbers(fact: Fact, value: Value | None) -> Answer:
    """All entries of a value, nested by its shape, or the one that is asked for."""
    array = None if value is None else value.array()
    if array is None:
        return None
    if not array.size:  # however many empty rows it has
        return None if fact.entry is not None else []
    if fact.entry is not None:
        if len(fact.entry) != array.ndim or any(not -n <= i < n for i, n in zip(fact.entry, array.shape, strict=True)):
            return None
        array = array[tuple(fact.entry)]
    elif array.size == 1:
        array = array.reshape(())
    return np.asarray(array).tolist()


def _tensor(name: str | None, ran: LessonRun) -> int | None:
    return None if name is None else ran.trace.bound(name)


def _value(fact: Fact, ran: LessonRun) -> Answer:
    trace = ran.trace
    if fact.first:
        began = next((binding.tensor for binding in trace.bindings if binding.name == fact.value), None)
        row = None if began is None else trace.versions_of(began)[0]
        return None if row is None else _numbers(fact, trace.value(trace.versions.value[row]))
    tensor = _tensor(fact.value, ran)
    return None if tensor is None else _numbers(fact, trace.latest(tensor))


def _gradient(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.gradient, ran)
    return None if tensor is None else _numbers(fact, ran.trace.value(gradient_of(ran.trace, tensor)))


def _shape(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.shape, ran)
    return None if tensor is None else list(ran.trace.shapes[ran.trace.tensors.shape[tensor]])


def _stride(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.stride, ran)
    if tensor is None or ran.trace.tensors.stride[tensor] < 0:
        return None
    return list(ran.trace.shapes[ran.trace.tensors.stride[tensor]])


def _dtype(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.dtype, ran)
    return None if tensor is None else ran.trace.string(ran.trace.tensors.dtype[tensor])


def _version(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.version, ran)
    return None if tensor is None else ran.trace.versions.version[ran.trace.versions_of(tensor)[-1]]


def _writes(fact: Fact, ran: LessonRun) -> Answer:
    """How often the memory of a tensor was written to after it was made, also past torch's counter (`.data`, NumPy)."""
    tensor = _tensor(fact.writes, ran)
    return None if tensor is None else len(ran.trace.versions_of(tensor)) - 1


def _grad_fn(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.grad_fn, ran)
    if tensor is None:
        return None
    node = ran.trace.versions.node[ran.trace.versions_of(tensor)[-1]]
    return NONE if node < 0 or ran.trace.tensors.is_leaf[tensor] else ran.trace.string(ran.trace.nodes.name[node])


def _requires_grad(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.requires_grad, ran)
    return None if tensor is None else ran.trace.tensors.requires_grad[tensor]


def _leaf(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.leaf, ran)
    return None if tensor is None else ran.trace.tensors.is_leaf[tensor]


def _reason(fact: Fact, ran: LessonRun) -> Answer:
    tensor = _tensor(fact.reason, ran)
    return None if tensor is None else tensor_gradient(ran.trace, tensor, selected_backward(ran.trace))[1] or NONE


def _shares(fact: Fact, ran: LessonRun) -> Answer:
    places = []
    for name in fact.shares or ():
        if (tensor := _tensor(name, ran)) is not None:
            places.append(ran.trace.tensors.storage[tensor])
        else:
            places += [array.storage for array in ran.trace.arrays if array.name == name][-1:]
    return places[0] >= 0 and places[0] == places[1] if len(places) == 2 else None


def _error(fact: Fact, ran: LessonRun) -> Answer:
    wrong = [output for cell in ran.trace.cells for output in cell.outputs if goes_wrong(output)]
    return [*ran.error_kinds()] if wrong and fact.error not in (ANY, NONE) else [type(output).__name__ for output in wrong]


def _raises(fact: Fact, ran: LessonRun) -> Answer:
    return [output.type for cell in ran.trace.cells for output in cell.outputs if isinstance(output, Failure)]


def _names(trace: Trace) -> list[str]:
    """torch's names of the nodes that the program's own operations made."""
    nodes = trace.nodes
    return [trace.strings[name] if made < 0 else "" for name, made in zip(nodes.name, nodes.made_by, strict=True)]


def _node(fact: Fact, ran: LessonRun) -> Answer:
    return Counter(_names(ran.trace))[fact.node or ""]


def _edge(fact: Fact, ran: LessonRun) -> Answer:
    names, edges = _names(ran.trace), ran.trace.nodes.edges
    begin, end = fact.edge or ("", "")
    return sum(
        names[target] == end
        for node, name in enumerate(names)
        if name == begin
        for target in edges[node]
        if target >= 0
    )


def _diagnosis(fact: Fact, ran: LessonRun) -> Answer:
    return [*ran.diagnosis_kinds()]


def _words(ran: LessonRun) -> tuple[frozenset[str], str]:
    return words_of("\n".join(cell.source for cell in ran.trace.cells))


def used(name: str, words: frozenset[str], code: str) -> bool:
    """Whether a program uses a name, a dotted name, or a sign."""
    parts = name.split(".")
    return all(part in words for part in parts) if all(part.isidentifier() for part in parts) else name in code


def _uses(fact: Fact, ran: LessonRun) -> Answer:
    return used(fact.uses or "", *_words(ran))


def _absent(fact: Fact, ran: LessonRun) -> Answer:
    words, code = _words(ran)
    return [name for name in fact.absent or () if used(name, words, code)]


def _prints(fact: Fact, ran: LessonRun) -> Answer:
    return printed(ran.trace, -1 if fact.prints is None else fact.prints)


_READERS: dict[str, Callable[[Fact, LessonRun], Answer]] = {
    "value": _value,
    "gradient": _gradient,
    "shape": _shape,
    "dtype": _dtype,
    "stride": _stride,
    "version": _version,
    "writes": _writes,
    "grad_fn": _grad_fn,
    "requires_grad": _requires_grad,
    "leaf": _leaf,
    "reason": _reason,
    "shares": _shares,
    "prints": _prints,
    "plots": lambda _, ran: sum(isinstance(output, Figure) for cell in ran.trace.cells for output in cell.outputs),
    "cells": lambda _, ran: len(ran.trace.cells),
    "error": _error,
    "raises": _raises,
    "node": _node,
    "edge": _edge,
    "backwards": lambda _, ran: sum(backward.kind != "implicit" for backward in ran.trace.backwards),
    "uses": _uses,
    "absent": _absent,
    "diagnosis": _diagnosis,
    "number": lambda fact, _: fact.number,
}
