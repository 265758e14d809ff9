"""The state of a run at a position of its timeline, assembled from the earlier moments."""

from msgspec import Struct

from explorer.analysis.views.timeline import Change, GradState, Timeline
from explorer.trace import Trace


class State(Struct, frozen=True):
    """The state of a run at a position.

    Attributes:
        span: the last executed span; -1 at the beginning.
        operations, backwards: how many have run.
        steps: the number of executed steps of the view's backward.
        shown: the cell, its number of outputs, characters of the last (-1: all); earlier cells show all outputs.
        names: the values of names, by running call, outermost first.
        versions: for each existing tensor its current row of Trace.versions.
        gradients: for each leaf whose `.grad` has changed its current value.
    """

    span: int
    operations: int
    backwards: int
    steps: int
    shown: tuple[int, int, int]
    names: dict[int, dict[str, Change]]
    versions: dict[int, int]
    gradients: dict[int, GradState]


def state(trace: Trace, line: Timeline, position: int) -> State:
    """Return everything after the first `position` moments."""
    names: dict[int, dict[str, Change]] = {0: {}}
    running, places = [0], {0: 0}
    versions: dict[int, int] = {}
    gradients: dict[int, GradState] = {}
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
