"""One step of a value: the operation that made it, in words and in numbers, and the entries that it read."""

import dataclasses
import math

from msgspec.structs import replace

from explorer.autograd.amounts import index_text
from explorer.autograd.apart import Mention
from explorer.autograd.gradients import node_gradients, tensor_places
from explorer.autograd.titles import one_line, titles_of
from explorer.reasoning.arrivals import view_of
from explorer.reasoning.entries import entry_at, telling_place
from explorer.reasoning.steps import MOST, Arrived, DerivationStep, Stored, Subject, Term, ValueOf, size_of
from explorer.reasoning.tape import tapes
from explorer.tensors.operations.call import CallPart
from explorer.tensors.operations.view import OperationView
from explorer.tensors.operations.words import made_words
from explorer.text.numbers import shorten
from explorer.trace import Trace, index_at

CELLS = 40  # of an expression
_DRAWN = ("rand", "randn", "randint", "normal", "rand_like", "randn_like", "bernoulli", "multinomial", "randperm")


_FILLED = ("uniform_", "normal_", "random_", "bernoulli_", "exponential_")


def value_step(trace: Trace, subject: ValueOf) -> DerivationStep:
    """How an entry of a tensor came to be, at one of its versions."""
    tensor, versions = trace.index.tensor_of(subject.row), trace.versions
    value, operation = trace.value_at(subject.row), versions.operation[subject.row]
    line = trace.line(trace.operations.span[operation]) if operation >= 0 else 0
    step = DerivationStep(
        subject, "value", entry_at(value, subject.place), mention_of_row(trace, subject.row),
        _index(() if value is None else value.shape, subject.place), "", () if value is None else value.shape,
        line=line, node=versions.node[subject.row], tensor=tensor,
    )  # fmt: skip
    if step.amount is None:
        return replace(step, note="empty" if 0 in step.shape else "no-value")
    leaf = tapes(trace).gradient_of.get(tensor)
    named_grad = operation >= 0 and trace.strings[trace.operations.name[operation]] == "grad"
    if leaf is not None and (operation < 0 or named_grad):
        return replace(step, note="is-grad", values={"grad": _grad_of(trace, leaf)})
    if named_grad:  # torch.autograd.grad: its backward tells the rest
        return _of_grad_call(trace, step, operation)
    if operation < 0:
        first = subject.row == trace.versions_of(tensor)[0]
        return replace(step, note="given" if first else "unseen")
    text = shorten(one_line(trace.text(trace.operations.span[operation])), CELLS)
    if not trace.operations.inputs[operation]:
        drawn = trace.strings[trace.operations.name[operation]] in _DRAWN
        return replace(step, note="drawn" if drawn else "made", values={"text": text})
    if trace.strings[trace.operations.name[operation]].endswith(_FILLED):
        return replace(step, note="drawn", values={"text": text})
    return _of_operation(trace, replace(step, values={"text": text}), _view(trace, operation))


def _of_grad_call(trace: Trace, step: DerivationStep, operation: int) -> DerivationStep:
    """What `torch.autograd.grad` gave: the gradient that arrived in its backward."""
    assert isinstance(step.subject, ValueOf)
    outputs = trace.operations.outputs[operation]
    span, position = trace.operations.span[operation], outputs.index(step.tensor) if step.tensor in outputs else -1
    call = next((i for i, one in enumerate(trace.backwards) if one.kind == "grad" and one.span == span >= 0), -1)
    several = sum(one.kind == "grad" and one.span == span for one in trace.backwards) > 1
    step = replace(step, note="by", values={"text": shorten(one_line(trace.text(span)), CELLS)})
    inputs = trace.backwards[call].inputs if call >= 0 else []
    if several or not 0 <= position < len(inputs):
        return step
    gradients = node_gradients(trace, call)
    for node, output in reversed(tensor_places(trace)[inputs[position]]):
        value = trace.value(gradients[node][output]) if output < len(gradients[node]) else None
        if value is not None and entry_at(value, step.subject.place) == step.amount:
            below = Arrived(call, node, output, step.subject.place)
            mention = mention_of_row(trace, trace.versions_of(inputs[position])[-1])
            term = Term("from", step.amount, mention, step.index, (), below)
            return replace(step, terms=(term,), adds=False)
    return step


def _view(trace: Trace, operation: int) -> OperationView:
    """The map of a call, in which a tensor that was `.grad` is called so."""
    view, leaves = view_of(trace, operation), tapes(trace).gradient_of
    if not any(part.tensor in leaves for part in view.operands):
        return view
    named = (
        dataclasses.replace(part, word=_grad_of(trace, leaves[part.tensor])) if part.tensor in leaves else part
        for part in view.operands
    )
    return dataclasses.replace(view, operands=tuple(named))


def _grad_of(trace: Trace, leaf: int) -> str:
    return f"{titles_of(trace).name(leaf) or '·'}.grad"


def mention_of_row(trace: Trace, row: int) -> Mention:
    """A tensor at a version as a sentence names it."""
    tensor, operation = trace.index.tensor_of(row), trace.versions.operation[row]
    titles = titles_of(trace)
    word = titles.name(tensor)
    columns = trace.operations
    if not word and operation >= 0:
        module = trace.string(columns.module[operation])
        word = f"{module}(…)" if module else titles.text(operation)
    loops = columns.iteration[operation] if operation >= 0 else []
    line = trace.line(columns.span[operation]) if operation >= 0 else 0
    return Mention(shorten(word or "·", CELLS), row, operation, line, loops[-1] + 1 if loops else 0)


def _of_operation(trace: Trace, step: DerivationStep, view: OperationView) -> DerivationStep:
    assert isinstance(step.subject, ValueOf)
    row, place = step.subject.row, step.subject.place
    number, made = next(((i, one) for i, one in enumerate(view.outcomes) if one.part.version == row), (-1, None))
    if made is None or made.reading is None:
        return replace(step, terms=tuple(_whole(trace, view)), adds=False, note="by")
    reading = made.reading
    equation = tuple(part for part in made_words(view, number, place) if part)
    read: list[Term] = []
    seen: set[tuple[int, int]] = set()
    for column in range(reading.reads[0].shape[1] if reading.reads else 0):
        for k in range(len(reading.reads)):
            at = int(reading.reads[k][place, column])
            part = view.operands[k]
            if at >= 0 and part.tensor >= 0 and (part.version, at) not in seen:
                seen.add((part.version, at))
                read.append(_read(trace, view, part, at))
    if len(read) > MOST:
        read.sort(key=lambda term: -size_of(term.amount))
    left = max(0, len(read) - MOST)
    return replace(step, equation=equation, terms=tuple(read[:MOST]), adds=False, left=left)


def _whole(trace: Trace, view: OperationView) -> list[Term]:
    """What a call read whose entries are not told one by one: of each tensor the most telling entry."""
    found: dict[int, Term] = {}
    for part in view.call.operands:
        if part.version >= 0 and part.version not in found and len(found) < MOST:
            found[part.version] = _read(trace, view, part, telling_place(part.value))
    return list(found.values())


def _read(trace: Trace, view: OperationView, part: CallPart, place: int) -> Term:
    operation = view.call.operation
    leaf = tapes(trace).gradient_of.get(part.tensor)
    below: Subject = ValueOf(part.version, place) if leaf is None else Stored(leaf, place, operation)
    mention = replace(mention_of_row(trace, part.version), word=part.word or "·")
    amount = entry_at(part.value, place)
    return Term("read", amount, mention, _index(part.shape, place), (), below, ("", 0), mention.line)


def _index(shape: tuple[int, ...], place: int) -> str:
    return "" if place < 0 or math.prod(shape) == 1 else index_text(index_at(place, shape))
