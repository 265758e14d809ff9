"""Where a program stopped, for its picture: the operation, the backward and the cards."""

from collections.abc import Iterator

from explorer.analysis.autograd.gradients import below_roots
from explorer.analysis.autograd.view import Card, GraphView
from explorer.trace import Backward, Failure, Limit, Trace
from explorer.trace.index import names_in

_OF_PYTHON = ("NameError", "UnboundLocalError", "SyntaxError", "IndentationError", "TabError", "KeyboardInterrupt")


def stopped_operation(trace: Trace, cell: int) -> int:
    """The operation whose exception ended a cell, or whose result cannot be differentiated; -1 for none."""
    operations, places = trace.operations, list(_places(trace, cell))
    refused = _refused(trace, cell)
    if refused is not None:
        made = refused.root_tensors[0] if len(trace.nodes) and refused.roots and max(refused.roots) < 0 else -1
        return trace.versions.operation[trace.versions_of(made)[-1]] if made >= 0 else -1
    for i in reversed(range(len(operations))):
        span = operations.span[i] if operations.error[i] >= 0 else -1
        if span >= 0 and any(_meet(trace, span, place) for place in places):
            return i
    return -1


def stopped_backward(trace: Trace, cell: int, good: int | None) -> int | None:
    """The backward that ended a cell, if its graph differs from that of `good`; otherwise `good`."""
    failed = _failed(trace, cell)
    if not failed:
        return good
    roots = {root for root in trace.backwards[failed[-1]].roots if root >= 0}
    known = set() if good is None else below_roots(trace, trace.backwards[good])
    return failed[-1] if roots - known or good is None else good


def stopped_cards(view: GraphView, trace: Trace, cell: int) -> tuple[str, ...]:
    """Ids of the cards that a cell stopped at: those of its backward or operation, or of names in the failing line.

    Unknown names and syntax errors mark no card; a limit marks those of its line.
    """
    marked = [card.id for card in view.cards if card.failed]
    if marked:
        return tuple(marked)
    outputs = [
        output for output in trace.cells[cell].outputs if isinstance(output, Failure | Limit) and output.span >= 0
    ]
    if not outputs:
        return ()
    last = outputs[-1]
    if isinstance(last, Limit):
        place = trace.spans[last.span]
        on_line = (card.id for card in view.cards if card.place and _line(card) == (place.cell, place.line))
        return tuple(on_line) if not last.folds else ()
    refused = _refused(trace, cell)
    if refused is not None:
        asked = set(refused.root_tensors)
        return tuple(card.id for card in view.cards if not asked.isdisjoint(card.tensors))
    if last.type in _OF_PYTHON:
        return ()
    said = names_in(trace.text(last.span))
    now = {tensor for name, tensor in trace.index.bound.items() if name in said}
    named = tuple(card.id for card in view.cards if not now.isdisjoint(card.tensors))
    return named or tuple(card.id for card in view.cards if card.name in said)


def _failed(trace: Trace, cell: int) -> list[int]:
    """The backward calls that ended a cell."""
    places = set(_places(trace, cell))
    return [i for i, call in enumerate(trace.backwards) if call.status == "failed" and call.span in places]


def _refused(trace: Trace, cell: int) -> Backward | None:
    """The backward that ended a cell before it began."""
    failed = _failed(trace, cell)
    last = trace.backwards[failed[-1]] if failed else None
    return last if last is not None and last.failed_node < 0 and not last.order else None


def _line(card: Card) -> tuple[int, int]:
    return card.place.cell, card.place.line


def _places(trace: Trace, cell: int) -> Iterator[int]:
    """Spans at which a cell ended, including the calls that led there."""
    for output in trace.cells[cell].outputs:
        if isinstance(output, Failure):
            yield from (span for span in (output.span, *output.frames) if span >= 0)
        elif isinstance(output, Limit) and not output.folds and output.span >= 0:
            yield output.span


def _meet(trace: Trace, span: int, other: int) -> bool:
    """Whether two spans have a line in common."""
    a, b = trace.spans[span], trace.spans[other]
    return a.cell == b.cell and a.line <= b.end_line and b.line <= a.end_line
