"""Where two runs differ: lines of their programs, and cards of their pictures."""

from dataclasses import dataclass
from typing import Literal

from explorer.analysis.autograd import GraphView
from explorer.analysis.autograd.inspection import card_of_node
from explorer.analysis.comparison.comparison import Comparison
from explorer.analysis.comparison.differences import Difference
from explorer.trace import Trace


def line_of(trace: Trace, difference: Difference, side: int) -> tuple[int, int] | None:
    """The cell (from 0) and the line of a difference in the first (0) or second (1) program.

    For a leaf or a given tensor the line that first names it, or None.
    """
    operation, tensor = difference.operations[side], difference.tensors[side]
    span = trace.operations.span[operation] if operation >= 0 else -1
    if span < 0 and tensor >= 0:
        named = trace.index.bindings.get(tensor, [])
        span = next((name.span for name in named if name.span >= 0), -1)
    return (trace.spans[span].cell, trace.spans[span].line) if span >= 0 else None


@dataclass(frozen=True)
class UnequalCards:
    """The cards in a picture of one run that the other run does not have in the same way.

    Attributes:
        kinds: by card id: its value differs, only its gradient differs, or the other run has no such card.
        first: the card of the first difference of the runs, which may have none: at an earlier step of a training.
    """

    kinds: dict[str, Literal["value", "gradient", "alone"]]
    first: str | None

    @property
    def begin(self) -> str | None:
        """The card at which the picture opens: that of the first difference that has one."""
        return self.first or next(iter(self.kinds), None)


def unequal_cards(trace: Trace, view: GraphView, comparison: Comparison, side: int) -> UnequalCards:
    """The differing cards in a picture of the first (0) or second (1) run."""
    by_node, by_tensor = card_of_node(view), {t: card.id for card in reversed(view.cards) for t in card.tensors}
    modules = [(card.module, card.id) for card in view.cards if card.module is not None]
    closed = {path: id for module, id in modules for path in (*module.members, module.path)}

    def card(operation: int, tensor: int = -1) -> str | None:
        if operation < 0:
            return by_tensor.get(tensor)
        nodes = (by_node[node] for node in trace.index.made.get(operation, ()) if node in by_node)
        outputs = (by_tensor[made] for made in trace.operations.outputs[operation] if made in by_tensor)
        path = trace.string(trace.operations.module[operation]) or ""
        around = (closed[ancestor] for ancestor in _ancestors(path) if ancestor in closed) if closed else iter(())
        return next(nodes, None) or next(outputs, None) or next(around, None)

    def card_of(difference: Difference) -> str | None:
        return card(difference.operations[side], difference.tensors[side])

    kinds: dict[str, Literal["value", "gradient", "alone"]] = {}
    for difference in (*comparison.values, *comparison.gradients):
        if (at := card_of(difference)) is not None:
            kinds.setdefault(at, "gradient" if difference.kind == "gradient" else "value")
    for operation in comparison.unpaired[side]:
        if (at := card(operation)) is not None:
            kinds.setdefault(at, "alone")
    return UnequalCards(kinds, None if comparison.first is None else card_of(comparison.first))


def _ancestors(path: str) -> list[str]:
    """A module's path and those around it, the innermost first."""
    parts = path.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)] if path else []
