"""Every moment's values equal those of a debugger in plain Python, without recording."""

import sys
from pathlib import Path

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.views.timeline import Change, GradState, Timeline, timeline
from explorer.trace import Printed, Trace, Value
from tests.timeline.states import state

sys.path.insert(0, str(Path(__file__).parent))
from debugger import Snapshot, followed
from wild_programs import WILD

from tests.timeline.programs import PROGRAMS
from tests.traces import trace_of


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*PROGRAMS, *WILD])
def test_the_values_of_every_moment_match_a_debuggers(name):
    source = (PROGRAMS | WILD)[name]
    trace = trace_of(source, statements=True).check()
    view = graph_view(trace, len(trace.backwards) - 1 if trace.backwards else None)
    line = timeline(trace, view)
    assert line.watched and not line.left_out
    ours, theirs = told(trace, line), followed(source)
    assert ours.keys() == theirs.keys()
    for call, found in theirs.items():
        compare(ours[call], found)


def told(trace: Trace, line: Timeline) -> dict[int, list[tuple[tuple[int, int], Snapshot]]]:
    """Return each moment's marked lines and the call's names after it, by call."""
    found: dict[int, list[tuple[tuple[int, int], Snapshot]]] = {0: []}
    names: dict[int, dict[str, Change]] = {}
    versions: dict[int, int] = {}
    gradients: dict[int, GradState] = {}
    for position, moment in enumerate(line.moments, 1):
        versions |= {trace.index.tensor_of(row): row for row in moment.versions}
        gradients |= {stored.leaf: stored for stored in moment.gradients}
        for change in moment.names:
            held = names.setdefault(change.call, {})
            if change.gone or change.name == "return":
                held.pop(change.name, None)
            else:
                held[change.name] = change
        if position % 50 == 0:
            then = state(trace, line, position)
            assert (then.versions, then.gradients) == (versions, gradients) and then.names[0] == names.get(0, {})
        if moment.span >= 0:
            place = trace.spans[moment.span]
            lines = (place.line, place.end_line) if moment.kind != "enter" else (0, place.line + 1_000)
            held = snapshot(trace, names.get(moment.call, {}), versions, gradients)
            found.setdefault(moment.call, []).append((lines, {"(printed)": printed(trace, moment.shown), **held}))
    return found


def snapshot(trace: Trace, names: dict[str, Change], versions: dict, gradients: dict) -> Snapshot:
    held: Snapshot = {}
    for name, change in names.items():
        if change.tensor < 0:
            held[name] = change.text
            continue
        row, stored = versions[change.tensor], gradients.get(change.tensor)
        gradient = None if stored is None or stored.value < 0 else entries(trace.value(stored.value))
        held[name] = entries(trace.value_at(row)), trace.versions.version[row], gradient
    return held


def entries(value: Value) -> tuple:
    if value.data is not None:
        return value.shape, value.data
    count = 1
    for side in value.shape:
        count *= side
    return value.shape, (count, value.minimum, value.maximum)


def printed(trace: Trace, shown: tuple[int, int, int]) -> str:
    outputs, characters = shown[1:]
    texts = [one.text if isinstance(one, Printed) else "" for one in trace.cells[0].outputs]
    return "".join(texts[:outputs]) + "".join(texts[outputs:])[:characters]


def compare(ours: list, theirs: list) -> None:
    """Assert that every debugger state occurs in order; extra states lie within one line."""
    at, before = 0, {"(printed)": ""}
    for line, expected in theirs:
        if same(before, expected):
            continue
        while not (ours[at][0][0] <= line <= ours[at][0][1] and same(ours[at][1], expected)):
            (first, last), then = ours[at]
            assert at + 1 < len(ours), f"line {line} is not told: {difference(then, expected)}"
            inside = ours[at + 1][0][0] <= last and first <= ours[at + 1][0][0]
            assert inside or same(then, before), f"line {first}, then {line}: {difference(then, expected)}"
            at += 1
        before = expected
    assert all(same(then, before) for _, then in ours[at:])


def same(ours: Snapshot, theirs: Snapshot) -> bool:
    return not difference(ours, theirs)


def difference(ours: Snapshot, theirs: Snapshot) -> dict:
    names = sorted(ours.keys() | theirs.keys())
    return {name: (ours.get(name), theirs.get(name)) for name in names if not alike(ours.get(name), theirs.get(name))}


def alike(one, other) -> bool:
    if isinstance(one, str) and one.startswith("<Tensor"):
        return isinstance(other, tuple)  # the entries of a tuple are not shown
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= 1e-6 * max(abs(one), abs(other)) or (one != one and other != other)
    return one == other
