"""Derivation step of a loss: the mean or sum of its terms, largest first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.analysis.explain.why.derivation_steps import REST, DerivationStep, LossTerm, Term, ValueOf, entry_at, note
from explorer.analysis.run.operations.call import OperationCall, calls_of
from explorer.text import Message
from explorer.text.numbers import in_brackets, number, written_sum
from explorer.trace import Number, Trace, index_at, memoized

_PLAIN = ("mean", "sum")  # losses whose terms are the operand's own entries


@dataclass(frozen=True)
class Loss:
    """A call's reduction to one number.

    Attributes:
        shape: shape of its terms. total, divisor: their sum and its divisor.
        terms: largest terms as (position, number, label), with label -1 for none.
    """

    shape: tuple[int, ...]
    total: float
    divisor: float
    terms: tuple[tuple[int, float, int], ...]


@memoized
def losses_of(trace: Trace) -> dict[int, Loss]:
    """Return the recorded losses by their call."""
    columns, at, losses = trace.losses, 0, {}
    for row, operation in enumerate(columns.operation):
        until = at + columns.listed[row]
        terms = tuple(zip(columns.place[at:until], columns.term[at:until], columns.label[at:until], strict=True))
        shape = tuple(trace.shapes[columns.shape[row]])
        losses[operation] = Loss(shape, columns.total[row], columns.divisor[row], terms)
        at = until
    return losses


def loss_step(trace: Trace, step: DerivationStep, operation: int) -> DerivationStep | None:
    """Derive a loss from its terms, None for a single term."""
    loss, call = losses_of(trace)[operation], calls_of(trace, operation)[0]
    if math.prod(loss.shape) == 1 == loss.divisor and call.name not in _PLAIN:
        return None
    assert isinstance(step.subject, ValueOf) and step.amount is not None
    amounts = [amount for _, amount, _ in loss.terms]
    count = math.prod(loss.shape)
    left = max(0, count - len(amounts))
    rest = loss.total - sum(amounts) if left else 0.0

    def reduced(parts: Sequence[Number]) -> Number:
        return sum(parts) / loss.divisor

    made = written_sum([*amounts, *([rest] if left else [])], step.amount, compute=reduced)
    texts = in_brackets(made.operands[: len(amounts)])
    total = " + ".join([*texts, *([REST] if left else [])])
    if loss.divisor != 1:
        total = f"({total}) / {number(loss.divisor)}" if count > 1 else f"{total} / {number(loss.divisor)}"
    step = replace(
        step,
        equation=(made.about + total,) if made.sign else (),
        note=_note(call, loss, left, rest),
        hidden=left,
        hidden_sum=made.operands[-1] if left else "",
    )
    terms = tuple(_term(step, operation, call, loss, place, amount) for place, amount, _ in loss.terms)
    return replace(step, terms=terms, adds=False)


def _note(call: OperationCall, loss: Loss, left: int, rest: float) -> Message:
    """Describe a loss's terms, and the average size of the others."""
    labelled = of_classes(call) and any(label >= 0 for *_, label in loss.terms)
    kind = call.name.replace("_", "-") if labelled and is_plain(call) else "entries" if call.name in _PLAIN else "terms"
    ignored = "yes" if any(label == ignored_label(call) for *_, label in loss.terms) else "no"
    mean = number(rest / left) if left else ""
    return note(f"{kind}-of", function=call.name, count=left, mean=mean, ignored=ignored)


def _term(step: DerivationStep, operation: int, call: OperationCall, loss: Loss, place: int, amount: float) -> Term:
    """Return a loss term as a part."""
    index = index_of_term(loss, place)
    if call.name in _PLAIN and tuple(call.operands[0].shape) == loss.shape:
        part = call.operands[0]
        below = ValueOf(part.version, place) if entry_at(part.value, place) is not None else None
        return Term("read", amount, replace(step.mention, word=part.word, line=0), index, (), below)
    return Term("read", amount, step.mention, index, (), LossTerm(operation, place))


def ignored_label(call: OperationCall) -> object:
    """Return the label whose rows a loss over classes leaves out."""
    return call.arguments.get(4, "ignore_index", default=-100)


def of_classes(call: OperationCall) -> bool:
    """Return whether terms are minus the values at their labels."""
    return call.name in ("cross_entropy", "nll_loss")


def is_plain(call: OperationCall) -> bool:
    """Return whether a class loss has neither weights nor smoothing."""
    return len(call.operands) == 2 and not call.arguments.get(7, "label_smoothing", default=0.0)


def index_of_term(loss: Loss, place: int) -> str:
    """Write the index of a term."""
    return index_text(index_at(place, loss.shape)) if loss.shape else ""
