"""Parse a user's questions: a name with `.grad`, `.requires_grad` or an index, and codes."""

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from msgspec.structs import astuple, replace

from explorer.analysis.explain.autograd.entry_texts import index_of, place_of
from explorer.analysis.explain.autograd.gradient_cuts import GradientCut, cut_behind, switched_off
from explorer.analysis.explain.autograd.gradients import arrivals_of, selected_backward
from explorer.analysis.explain.autograd.operands import Mention
from explorer.analysis.explain.autograd.reasons import placed, reason_message
from explorer.analysis.explain.autograd.view_records import Card, Cut, GraphView
from explorer.analysis.explain.gradient_rows import parameter_rows
from explorer.analysis.explain.why.arrivals import arrived
from explorer.analysis.explain.why.derivation_steps import (
    Arrived,
    DerivationStep,
    LossTerm,
    PassedOn,
    Stored,
    Subject,
    ValueOf,
    most_informative_entry,
    note,
)
from explorer.analysis.explain.why.derived_values import loss_term_step, mention_of_row, value_step
from explorer.analysis.explain.why.grad_steps import stored_step, without_gradient
from explorer.analysis.explain.why.leaf_history import account
from explorer.analysis.explain.why.loss_sums import losses_of
from explorer.analysis.run.model import one_line, run_of
from explorer.safe_regex import plain
from explorer.text import SayableError
from explorer.text.numbers import shorten, sizes
from explorer.trace import Trace, Value

LONGEST = 200  # longest question
_INDEX = plain(r"\[\s*+(-?\d{1,9}+(?:\s*+,\s*+-?\d{1,9}+)*+)\s*+\]")
_NUMBER = plain(r"-?\d++")
_ENDS = ("detach", "no_grad", "derivative", "other")  # cuts described by the result they created
_SUGGESTED = 2_000  # most names considered for a suggestion
_PARTS: tuple[Literal["grad", "requires_grad"], ...] = ("grad", "requires_grad")


@dataclass(frozen=True)
class NumberAsked:
    """A parsed question. Attributes: name, part ("" for the value), index: as parsed. place: entry, None: any."""

    name: str
    part: Literal["", "grad", "requires_grad"] = ""
    index: tuple[int, ...] | None = None


class UnknownName(SayableError, LookupError):
    """Raised if a question names something unknown (kinds: empty, name, index)."""

    prefix = "why-unknown-"


def read(trace: Trace, text: str) -> NumberAsked:
    """Parse a question. Raises UnknownName if the name is not bound to a tensor.

    Accepted are `w`, `w.grad`, `w.grad[0, 1]`, `w[0, 1].grad` and `y.requires_grad`.
    """
    question = " ".join(text[:LONGEST].split())
    if not question:
        raise UnknownName("empty")
    if _known(trace, question) is not None:
        return NumberAsked(question)
    index: tuple[int, ...] | None = None
    part: Literal["", "grad", "requires_grad"] = ""
    name = question
    for _ in range(3):  # an index may precede or follow .grad
        if _known(trace, name) is not None:
            break
        suffix = next((ending for ending in _PARTS if name.endswith(f".{ending}")), None)
        at = name.rfind("[")
        match = _INDEX.fullmatch(name[at:]) if at > 0 else None
        if suffix is not None and not part:
            part, name = suffix, name[: -len(suffix) - 1]
        elif match is not None and index is None:
            index, name = tuple(int(word) for word in _NUMBER.findall(match[1])), name[:at].rstrip()
        else:
            break
    name = trace.full_name(name)
    if _known(trace, name) is None:
        asked_for = f"{name[:80]}.{part}" if part == "grad" else name[:80]
        suggestion = next(iter(get_close_matches(asked_for, suggestions(trace), 1, 0.6)), "")
        raise UnknownName("name", name=name, near=suggestion, has="yes" if suggestion else "no")
    return NumberAsked(name, part, index)


def _known(trace: Trace, name: str) -> int | None:
    """Return the tensor with a name, also of an unnamed leaf in the table of gradients."""
    bound = trace.bound(name)
    unnamed = (row.tensor for row in parameter_rows(trace) if row.name == name) if "(" in name else ()
    return next(iter(unnamed), None) if bound is None else bound


def asked_of(trace: Trace, question: NumberAsked, backward: int | None = None) -> DerivationStep:
    """Return the first step of a question's answer.

    Args:
        backward: index of the backward, from 0. None: `.grad` at the end.

    Raises:
        UnknownName: no such tensor or entry.
    """
    tensor = _known(trace, question.name)
    if tensor is None:
        raise UnknownName("name", name=question.name, near="", has="no")
    if trace.bound(question.name) is None:  # named by the text that made it
        step = _asked_of(trace, tensor, question, backward)
        return replace(step, mention=replace(step.mention, word=question.name))
    return _asked_of(trace, tensor, question, backward)


def _asked_of(trace: Trace, tensor: int, question: NumberAsked, backward: int | None) -> DerivationStep:
    if question.part == "requires_grad":
        return replace(_requires(trace, tensor), mention=Mention(question.name, ("tensor", tensor)))
    if question.part == "grad":
        return replace(_gradient(trace, tensor, question, backward), tensor=tensor)
    row = trace.versions_of(tensor)[-1]
    loss = losses_of(trace).get(trace.versions.operation[row])
    if loss is not None and question.index and not run_of(trace).shape(tensor):  # `loss[17]`: a term of it
        place = _place_of_index(question, loss.shape)
        return loss_term_step(trace, LossTerm(trace.versions.operation[row], place))
    return value_step(trace, ValueOf(row, _place(question, trace.value_at(row), run_of(trace).shape(tensor))))


def _gradient(trace: Trace, tensor: int, question: NumberAsked, backward: int | None) -> DerivationStep:
    """Explain a leaf's final `.grad`, or a tensor's gradient in one backward."""
    columns = trace.tensors
    if backward is None and columns.is_leaf[tensor]:
        value = trace.value(account(trace, tensor).value)
        return stored_step(trace, Stored(tensor, _place(question, value, run_of(trace).shape(tensor))))
    shown = selected_backward(trace) if backward is None else backward
    mention = mention_of_row(trace, trace.versions_of(tensor)[-1])
    none = DerivationStep(Stored(tensor, -1), "grad", None, replace(mention, word=question.name), tensor=tensor)
    if shown is None:
        return without_gradient(trace, none, tensor, None)
    for number in (shown,) if backward is not None else (shown, *reversed(range(shown))):
        step = _arrived(trace, tensor, question, number)
        if step is not None:
            holds_grad = columns.grad[tensor] >= 0 or columns.is_leaf[tensor]
            own = step.note or backward is not None or holds_grad
            if trace.backwards[number].kind == "implicit":
                return step if step.note else replace(step, note=note("implicit"))
            return step if own else replace(step, note=note("not-leaf", **_lines_of_both(trace, tensor, question.name)))
    return without_gradient(trace, none, tensor, shown)


def _lines_of_both(trace: Trace, tensor: int, name: str) -> dict[str, str | int]:
    """Return the lines of a same-named result and leaf, or 0."""

    def line(of: int) -> int:
        maker = trace.maker(of)
        spans = [binding.span for binding in trace.index.bindings.get(of, ()) if binding.span >= 0]
        return trace.line(trace.operations.span[maker] if maker >= 0 else spans[0] if spans else -1)

    named = {binding.tensor for binding in trace.bindings if binding.name == name} - {tensor}
    leaves = [of for of in sorted(named) if trace.tensors.is_leaf[of] and trace.tensors.requires_grad[of]]
    return {"name": name, "made": line(tensor), "other": line(leaves[-1]) if leaves else 0}


def _arrived(trace: Trace, tensor: int, question: NumberAsked, backward: int) -> DerivationStep | None:
    """Explain a tensor's gradient in one backward, None if it has none."""
    for node, output, value in arrivals_of(trace, tensor, backward):
        return arrived(trace, Arrived(backward, node, output, _place(question, value, run_of(trace).shape(tensor))))
    return None


def _requires(trace: Trace, tensor: int) -> DerivationStep:
    """Explain whether a tensor requires grad, and since when it does not."""
    columns, operations = trace.tensors, trace.operations
    row = trace.versions_of(tensor)[-1]
    step = DerivationStep(ValueOf(row, -1), "value", None, mention_of_row(trace, row), tensor=tensor)
    maker = trace.maker(tensor)
    line = trace.line(operations.span[maker]) if maker >= 0 else 0
    text = shorten(one_line(run_of(trace).text(maker)), 40)
    values: dict[str, str | int] = {"line": line, "text": text}
    step = replace(step, kind="asks", literal=str(columns.requires_grad[tensor]))
    if columns.requires_grad[tensor]:
        made = columns.is_leaf[tensor]
        return replace(step, note=note("asks-leaf" if made else "asks-result", **values), line=line)
    if (cut := _cut_behind(trace, tensor)) is not None and cut.line:
        why = reason_message("cut", cut)
        return replace(step, note=why, line=cut.line)
    return replace(step, note=note("asks-not-made" if line else "asks-not", **values), line=line)


def _cut_behind(trace: Trace, tensor: int) -> Cut | None:
    """Return what ended a tensor's history, if something before it had one."""
    since = switched_off(trace, tensor)
    if since >= 0:
        return placed(trace, GradientCut(since, "switched_off"))
    cut = cut_behind(trace, tensor, trace.maker(tensor) + 1)
    return placed(trace, cut) if cut is not None and cut.by in _ENDS else None


def _place(question: NumberAsked, value: Value | None, shape: tuple[int, ...]) -> int:
    """Return the requested entry, else the most informative. Raises UnknownName if out of bounds."""
    if question.index is None:
        return most_informative_entry(value) if value is not None else -1
    return _place_of_index(question, shape)


def _place_of_index(question: NumberAsked, shape: tuple[int, ...]) -> int:
    """Return a question's row-major position. Raises UnknownName if out of bounds."""
    assert question.index is not None
    fits = len(question.index) == len(shape)
    if not fits or not all(-size <= at < size for at, size in zip(question.index, shape, strict=True)):
        index = ", ".join(map(str, question.index))
        raise UnknownName("index", name=question.name, index=f"[{index}]", shape=sizes(shape))
    return place_of([at % size for at, size in zip(question.index, shape, strict=True)], shape)


def suggestions(trace: Trace) -> list[str]:
    """List possible questions: the program's names, each also with `.grad`."""
    names = [
        name for name in list(trace.index.bound)[:_SUGGESTED] if 0 < len(name) < 80 and name == " ".join(name.split())
    ]
    return [*names, *(f"{name}.grad" for name in names)]


def is_whole(question: NumberAsked, step: DerivationStep) -> bool:
    """Return whether the user did not choose an entry."""
    return question.index is None and math.prod(step.shape) > 1


_CODE = plain(r"([gpstv])(\d{1,9}+(?:\.\d{1,9}+){1,3}+)")
_QUARTERS = 4  # times are counted in quarters of an operation


def code_of(subject: Subject) -> str:
    """Encode a question, such as `g12.0.5`, "" without an entry. | g: gradient of node 12, output 0, entry 5. p: passed
    on. s: stored. t: loss term. v: value.

    >>> code_of(Arrived(0, 12, 0, 5))
    'g12.0.5'
    """
    numbers = [*astuple(subject)]
    if isinstance(subject, Stored):
        numbers[2:] = [round(subject.time * _QUARTERS)] if subject.time >= 0 else []
    elif isinstance(subject, Arrived | PassedOn):
        del numbers[0]  # the backward is the one shown
    kind = {Arrived: "g", PassedOn: "p", Stored: "s", ValueOf: "v", LossTerm: "t"}[type(subject)]
    return "" if min(numbers) < 0 else kind + ".".join(map(str, numbers))


def coded(trace: Trace, backward: int | None, code: str) -> Subject | None:
    """Decode a question, None if it does not fit the Trace."""
    fields = _CODE.fullmatch(code)
    if fields is None:
        return None
    numbers = [int(part) for part in fields[2].split(".")]
    nodes = trace.nodes
    match fields[1], numbers:
        case "g", [node, output, place] if backward is not None and node < len(nodes):
            return Arrived(backward, node, output, place)
        case "p", [node, edge, place] if backward is not None and node < len(nodes) and edge < len(nodes.edges[node]):
            return PassedOn(backward, node, edge, place) if nodes.edges[node][edge] >= 0 else None
        case "s", [tensor, place, *time] if tensor < len(trace.tensors) and len(time) < 2:
            return Stored(tensor, place, time[0] / _QUARTERS if time else -1.0)
        case "v", [row, place] if row < len(trace.versions.value):
            return ValueOf(row, place)
        case "t", [operation, place] if operation in losses_of(trace):
            return LossTerm(operation, place)
    return None


def subject_of(trace: Trace, view: GraphView, card: Card, gradient: bool) -> Subject | None:
    """Return the question about a card's gradient or value, at the followed or most telling entry."""
    followed = view.followed(card)
    if gradient:
        if card.gradient is None or view.backward is None:
            return None
        node, output = card.main or (card.nodes[-1] if card.nodes else -1, 0)
        place = most_informative_entry(card.gradient) if followed is None else _place_in(card.gradient, followed)
        return Arrived(view.backward, node, output, place) if node >= 0 and place >= 0 else None
    if card.value is None or not card.tensors:
        return None
    place = most_informative_entry(card.value)
    if followed is not None and card.gradient is not None and card.gradient.shape == card.value.shape:
        place = _place_in(card.gradient, followed)
    # The version that its node created, or for a leaf the version read.
    rows = list(trace.versions_of(card.tensors[0]))
    made = [row for row in rows if card.main is not None and trace.versions.node[row] == card.main[0]]
    same = [row for row in made or rows if trace.value_at(row) == card.value]
    return ValueOf((same or made or rows)[-1], place) if place >= 0 else None


def nothing_of(trace: Trace, view: GraphView, card: Card) -> DerivationStep | None:
    """Explain why a card has no gradient, None if it shows no tensor."""
    if not card.tensors:
        return None
    tensor = card.tensors[-1]
    mention = mention_of_row(trace, trace.versions_of(tensor)[-1])
    step = DerivationStep(
        Stored(tensor, -1), "gradient", None, mention, tensor=tensor, node=card.nodes[-1] if card.nodes else -1
    )
    return without_gradient(trace, step, tensor, view.backward)


def _place_in(value: Value, position: int) -> int:
    return place_of(index_of(value, position), value.shape)
