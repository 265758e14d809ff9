"""The state at a position of the time line, and the position from which a card exists."""

from collections.abc import Iterable

from explorer.analysis.autograd.view import Card, GraphView
from explorer.analysis.timeline.records import Change, Life, State, Stored, Timeline
from explorer.trace import Trace


def state(trace: Trace, line: Timeline, position: int) -> State:
    """Everything after the first `position` moments."""
    names: dict[int, dict[str, Change]] = {0: {}}
    running, places = [0], {0: 0}
    versions: dict[int, int] = {}
    gradients: dict[int, Stored] = {}
    span, operations, backwards, steps, shown = -1, 0, 0, 0, (0, 0, 0)
    for moment in line.moments[: max(0, position)]:
        span, operations, backwards, shown = moment.span, moment.operations, moment.backwards, moment.shown
        steps = moment.step + 1 if moment.step >= 0 else steps
        if moment.kind == "enter":
            places[moment.call] = len(running)
            running.append(moment.call)
        for change in moment.names:
            held = names.setdefault(change.call, {})
            if change.gone:
                held.pop(change.name, None)
            else:
                held[change.name] = change
        if moment.kind == "leave" and moment.call:
            del running[places.get(moment.call, len(running)) :]
        for row in moment.versions:
            versions[trace.index.tensor_of(row)] = row
        for stored in moment.gradients:
            gradients[stored.leaf] = stored
    return State(
        span, operations, backwards, steps, shown, {call: names.get(call, {}) for call in running}, versions, gradients
    )


class Births:
    """From which position on the cards of the pictures of a run exist."""

    def __init__(self, trace: Trace, line: Timeline) -> None:
        self.trace, self.end = trace, len(line.moments)
        self.after = _first_after([moment.operations for moment in line.moments], len(trace.operations))
        self.known: dict[int, int] = {}  # the position from which a tensor exists
        owner = trace.index.tensor_of
        for at, moment in enumerate(line.moments, 1):
            for row in moment.versions:
                self.known.setdefault(owner(row), at)
            for change in moment.names:
                if change.tensor >= 0:
                    self.known.setdefault(change.tensor, at)

    def of(self, view: GraphView) -> dict[str, Life]:
        """For each card the position at which it appears, and at which its value is that of the picture."""
        return {card.id: _life(self.trace, card, view, self.after, self.known, self.end) for card in view.cards}


def _first_after(ends: list[int], count: int) -> list[int]:
    """For each operation the first position after it."""
    found, at = [], 0
    for operation in range(count):
        while at < len(ends) and ends[at] <= operation:
            at += 1
        found.append(min(at + 1, len(ends)))
    return found


def _life(trace: Trace, card: Card, view: GraphView, after: list[int], known: dict[int, int], end: int) -> Life:
    def done(nodes: Iterable[int]) -> int | None:
        """The position at which the last of some nodes was made."""
        made = [trace.nodes.operation[node] for node in nodes if trace.nodes.variable[node] < 0]
        return max((after[operation] for operation in made if operation >= 0), default=None)

    if card.kind not in ("leaf", "data"):
        executions = card.fold.executions if card.fold and card.fold.executions else (card.nodes,)
        first, last = done(executions[0]), done(executions[-1])
        if first is not None and last is not None:
            return Life(first, last)
        if view.stopped >= 0 and card.reason == "stopped":
            return Life(after[view.stopped], after[view.stopped])
    positions = [known[tensor] for tensor in card.tensors if tensor in known]
    at = min(positions, default=end)
    return Life(at, at)
