"""Where two runs differ: lines of their programs, and cards of their pictures."""

from dataclasses import dataclass
from typing import Literal

from explorer.autograd import GraphView
from explorer.autograd.inspection import card_of_node
from explorer.comparing.differences import Compared, Difference
from explorer.trace import Trace


def first_differences(found: Compared) -> tuple[Difference, ...]:
    """The first difference of a value and the first of a gradient, as far as there are such."""
    return tuple(several[0] for several in (found.values, found.gradients) if several)


def line_of(trace: Trace, one: Difference, side: int) -> tuple[int, int] | None:
    """The cell (from 0) and the line where a difference stands in the first (0) or second (1) program.

    Of a leaf and a tensor that was given it is the line that first gives it a name; None where no line does.
    """
    operation, tensor = one.operations[side], one.tensors[side]
    span = trace.operations.span[operation] if operation >= 0 else -1
    if span < 0 and tensor >= 0:
        named = trace.index.bindings.get(tensor, [])
        span = next((name.span for name in named if name.span >= 0), -1)
    return (trace.spans[span].cell, trace.spans[span].line) if span >= 0 else None


@dataclass(frozen=True)
class UnequalCards:
    """What a picture of one of two runs shows that the other run does not.

    Attributes:
        kinds: by the card's id whether its value differs, its gradient alone, or the other run has nothing like it.
        first: the card where the runs part: where a value first differs, otherwise a gradient; None where none is it.
    """

    kinds: dict[str, Literal["value", "gradient", "alone"]]
    first: str | None


def unequal_cards(trace: Trace, view: GraphView, found: Compared, side: int) -> UnequalCards:
    """Which cards of a picture of the first (0) or second (1) run differ."""
    by_node, by_tensor = card_of_node(view), {t: card.id for card in reversed(view.cards) for t in card.tensors}
    modules = [(card.module, card.id) for card in view.cards if card.module is not None]
    closed = {path: id for module, id in modules for path in (*module.members, module.path)}

    def card(operation: int, tensor: int = -1) -> str | None:
        if operation < 0:
            return by_tensor.get(tensor)
        nodes = (by_node[node] for node in trace.index.made.get(operation, ()) if node in by_node)
        outputs = (by_tensor[made] for made in trace.operations.outputs[operation] if made in by_tensor)
        path = trace.string(trace.operations.module[operation]) or ""
        around = (closed[one] for one in _ancestors(path) if one in closed) if closed else iter(())
        return next(nodes, None) or next(outputs, None) or next(around, None)

    def card_of(one: Difference) -> str | None:
        return card(one.operations[side], one.tensors[side])

    kinds: dict[str, Literal["value", "gradient", "alone"]] = {}
    for one in (*found.values, *found.gradients):
        if (at := card_of(one)) is not None:
            kinds.setdefault(at, "gradient" if one.kind == "gradient" else "value")
    for operation in found.unpaired[side]:
        if (at := card(operation)) is not None:
            kinds.setdefault(at, "alone")
    first = next((at for one in first_differences(found) if (at := card_of(one)) is not None), None)
    return UnequalCards(kinds, first)


def _ancestors(path: str) -> list[str]:
    """A module's path and those around it, the innermost first."""
    parts = path.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)] if path else []
