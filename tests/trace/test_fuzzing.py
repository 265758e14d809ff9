"""Traces that are changed until a view raises or takes too long."""

import random
import time
from functools import cache
from itertools import islice

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.autograd.inspection import inspection
from explorer.drawing.graph.inspector import inspector_html
from explorer.hosting.processor_budget import BUDGET
from explorer.trace import Trace
from tests.measured import ATTEMPTS, unit
from tests.trace.mutating import SMALL, Changeable, small
from tests.trace.test_views import PROGRAMS, WINDOWS
from tests.trace.views import views
from tests.traces import trace_of

FAST = 0.01  # seconds per unit on the kind of machine that the app's budget assumes
MANY = 3  # Traces per program; `python -m tests.trace.mutating` tries as many as you like


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SMALL)
def test_checked_traces_never_break_or_slow_a_view(name):
    found = small(name)
    changed = ((seed, found.changed(random.Random(f"{name} {seed}"))) for seed in range(40 * MANY))
    passed = list(islice(((seed, trace) for seed, trace in changed if trace is not None), MANY))
    for seed, trace in passed:
        assert any(_drawn(trace, seed) < BUDGET * unit() / FAST for _ in range(ATTEMPTS)), seed
    assert len(passed) == MANY


def _drawn(trace: Trace, seed: int) -> float:
    """Draw every view. Returns the seconds of the slowest."""
    slowest = 0.0
    for what, view in views(trace):
        began = time.thread_time()
        try:
            view()
        except Exception as problem:
            raise AssertionError(f"{what}, seed {seed}") from problem
        slowest = max(slowest, time.thread_time() - began)
    return slowest


@cache
def recorded(name: str) -> Changeable:
    """Return the Trace of a larger program."""
    return Changeable(trace_of(PROGRAMS[name], tables=WINDOWS.get(name, ()), statements=True))


# ---- past findings --------------------------------------------------------------------------------------------------

SEEDS = {
    "a gradient without entries": ("training", [("shapes", 1, 1)], 0),
    "a name with an end of line in it": ("training", [("bindings", 1, 0)], "a\nb"),
    "a `.grad` of a shape that its leaf has not": ("module", [("backwards", 0, "before", 1)], 7),
    "a weight of all labels that has several entries": ("module", [("saved", "value", 14)], 0),
    "a training in a file with a name": ("training", [("cells", 0, "name")], "train.py"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_past_findings_no_longer_raise(seed):
    name, paths, entry = SEEDS[seed]
    trace = recorded(name).with_entries([(path, entry) for path in paths])
    assert trace is not None
    for _, view in views(trace):
        view()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("constant", ["9" * 199, f"({'9' * 60}, 2)", "(2, 3)", "1e308", "nan", "abc", "()"])
@pytest.mark.parametrize("node", ["PowBackward0", "FlipBackward0", "AdaptiveMaxPool3DBackward0", "DivBackward2"])
def test_impossible_saved_constants_do_not_raise(node, constant):
    """Gives every node this constant and this kind."""
    plain = recorded("gradients").plain
    saved, strings = plain["saved"], [*plain["strings"], node, "exponent", "dims", "rank", constant]
    at, name = len(plain["strings"]), len(plain["strings"]) + 1
    rows = len(saved["node"])
    named: dict = {
        "strings": strings,
        "nodes": {**plain["nodes"], "name": [at] * len(plain["nodes"]["name"])},
        "saved": {
            **{column: saved[column] for column in ("node", "storage", "size")},
            "name": [name + row % 3 for row in range(rows)],
            "constant": [len(strings) - 1] * rows,
            **{column: [-1] * rows for column in ("tensor", "version", "value")},
        },
    }
    trace = recorded("gradients").with_entries([((part,), entry) for part, entry in named.items()])
    assert trace is not None
    view = graph_view(trace)
    for card in view.cards:
        inspector_html(inspection(trace, view, card.id, "en"), view, "en")
