"""Which cards of an earlier picture stand for the place where a program stopped now."""

from explorer.autograd.view import GraphView
from explorer.trace import Failure, Trace


def stopped_cards(view: GraphView, good: Trace, failed: Trace) -> tuple[str, ...]:
    """Ids of the cards of a picture of `good` for the expression at which `failed` ended, () when there is none.

    That is the operation that raised, the node at which a backward stopped, otherwise the failing line; a line counts
    only where its text is the same in both programs.
    """
    for span in _places(failed):
        place = failed.spans[span]
        if place.cell >= len(good.cells):
            continue
        now, then = (trace.cells[place.cell].lines for trace in (failed, good))
        if place.line > len(then) or now[place.line - 1] != then[place.line - 1]:
            continue
        on_line = [c for c in view.cards if c.place and (c.place.cell, c.place.line) == (place.cell, place.line)]
        exact = [card.id for card in on_line if failed.text(span) == good.text(card.span)]
        if exact or on_line:
            return tuple(exact) or (max(on_line, key=lambda card: len(good.text(card.span))).id,)
    return ()


def _places(failed: Trace) -> list[int]:
    """Spans at which it may have stopped, the most exact first."""
    nodes, operations = failed.nodes, failed.operations
    stopped = [nodes.operation[one.failed_node] for one in failed.backwards if one.failed_node >= 0]
    found = [operations.span[operation] for operation in stopped[-1:] if operation >= 0]
    found += [operations.span[i] for i in range(len(operations)) if operations.error[i] >= 0][-1:]
    found += [output.span for cell in failed.cells for output in cell.outputs if isinstance(output, Failure)]
    return [span for span in found if span >= 0]
