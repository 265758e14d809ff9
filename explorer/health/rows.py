"""The gradient of every parameter, or that there is none and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.autograd.gradients import numbered_backward, selected_backward, tensor_gradients
from explorer.autograd.reasons import cut_of, reason_text
from explorer.autograd.titles import titles_of
from explorer.autograd.view import Cut
from explorer.trace import Trace, Value

State = Literal["flows", "zero", "nonfinite", "none", "frozen", "unread"]


@dataclass(frozen=True)
class GradientRow:
    """A tensor and its gradient.

    Attributes:
        name: as the program calls it, or the path of the parameter.
        tensor: its id in the Trace.
        leaf: whether it is a leaf, as parameters are.
        value: its last value.
        gradient: what arrived at it, None for nothing.
        backward: the number of the backward that brought it, from 1, None for none.
        held: what `.grad` held before that backward added to it; None: nothing, or it is no leaf.
        state: flows; zero: every entry is 0; nonfinite: some entry is NaN or infinite; none: nothing arrived; frozen: a
            parameter that asks for no gradient; unread: it arrived, its entries could not be read.
        reason: why nothing arrived, "" where something did; cut: where it was lost, as far as that is known.
    """

    name: str
    tensor: int
    leaf: bool
    value: Value | None
    gradient: Value | None
    backward: int | None
    held: Value | None
    state: State
    reason: str = ""
    cut: Cut | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return () if self.value is None else self.value.shape

    @property
    def largest(self) -> float | None:
        """The largest size |g| of a finite entry of the gradient; None where there is none."""
        found = self.gradient
        if found is None or found.minimum is None or found.maximum is None:
            return None
        return max(abs(found.minimum), abs(found.maximum))

    def why(self, lang: str = "en") -> str:
        """Why nothing arrived, in a few words; "" where something did."""
        return reason_text(self.reason, self.cut, lang) if self.reason else ""


def parameter_rows(trace: Trace, backward: int | None = None) -> tuple[GradientRow, ...]:
    """Every parameter, frozen ones too, and every other leaf that asks for a gradient, once.

    Args:
        backward: whose gradients, from 1; None: of each the last that brought it one.

    Raises:
        IndexError: the program has no such backward.
    """
    columns = trace.tensors
    leaves = (i for i in range(len(columns)) if columns.is_leaf[i])
    return _rows(trace, [i for i in leaves if columns.requires_grad[i] or columns.is_parameter[i]], backward)


def named_rows(trace: Trace, backward: int | None = None) -> tuple[GradientRow, ...]:
    """Every tensor with a name that asks for a gradient, results too; the rest as in `parameter_rows`."""
    columns = trace.tensors
    named = sorted(set(trace.index.bound.values()))
    return _rows(trace, [i for i in named if columns.requires_grad[i]], backward)


def _rows(trace: Trace, tensors: Sequence[int], number: int | None) -> tuple[GradientRow, ...]:
    asked = numbered_backward(trace, number)
    shown = selected_backward(trace) if asked is None else asked
    explained = tensor_gradients(trace, shown)
    arrived = _arrived_last(trace) if asked is None else {}
    held = _held(trace)
    rows = []
    for tensor in tensors:
        value, reason = explained[tensor]
        by = shown
        if value < 0 and tensor in arrived:
            by, value = arrived[tensor]
        gradient = trace.value(value)
        none = gradient is None
        state = _state(trace, tensor, gradient)
        before = -1 if none or by is None else held.get((by, tensor), -1)
        rows.append(
            GradientRow(
                titles_of(trace).name(tensor),
                tensor,
                trace.tensors.is_leaf[tensor],
                trace.latest(tensor),
                gradient,
                None if none or by is None else by + 1,
                trace.value(before),
                state,
                (reason or "not_taken") if none else "",
                cut_of(trace, tensor, shown) if none else None,
            )
        )
    return tuple(rows)


def _state(trace: Trace, tensor: int, gradient: Value | None) -> State:
    if gradient is None:
        columns = trace.tensors
        return "frozen" if columns.is_parameter[tensor] and not columns.requires_grad[tensor] else "none"
    if gradient.nonfinite:
        return "nonfinite"
    if gradient.norm is None:  # no entries, or none that could be read
        return "flows" if 0 in gradient.shape else "unread"
    return "flows" if gradient.norm or gradient.maximum or gradient.minimum else "zero"


def _arrived_last(trace: Trace) -> dict[int, tuple[int, int]]:
    """By leaf the last backward that ended well and brought it a gradient, and that gradient (a value id)."""
    found: dict[int, tuple[int, int]] = {}
    variable = trace.nodes.variable
    for number in reversed(range(len(trace.backwards))):
        call = trace.backwards[number]
        if call.status != "ok":
            continue
        for step, node in enumerate(call.order):
            arrived = max(call.arrived[step], default=-1) if variable[node] >= 0 else -1
            if arrived >= 0:
                found.setdefault(variable[node], (number, arrived))
    return found


def _held(trace: Trace) -> dict[tuple[int, int], int]:
    """By backward and leaf what `.grad` held before it, where that was something (value ids)."""
    return {
        (number, leaf): before
        for number, call in enumerate(trace.backwards)
        for leaf, before in zip(call.accumulated, call.before, strict=True)
        if before >= 0
    }
