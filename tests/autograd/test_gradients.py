"""Which gradient belongs to a node or a tensor, and why there is none."""

import pytest
from msgspec.structs import replace

from explorer.analysis.explain.autograd import (
    contributions,
    node_gradients,
    numbered_backward,
    selected_backward,
    tensor_gradient,
)
from explorer.trace import Bound, Lists
from tests.corpus import facts_beside
from tests.traces import trace_of


def gradient(trace, name, backward=None):
    """Return the gradient of a name's last tensor as a list, or the reason there is none."""
    shown = selected_backward(trace) if backward is None else backward
    value, reason = tensor_gradient(trace, trace.bound(name), shown)
    return reason if value < 0 else list(trace.value(value).entries)


def test_backward_calls_are_counted_from_one():
    trace = trace_of("import torch\nw = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\n(w * 5).backward()")
    assert [numbered_backward(trace, number) for number in (None, 1, 2)] == [None, 0, 1]
    for number in (-1, 0, 3):
        with pytest.raises(IndexError):
            numbered_backward(trace, number)


def test_gradients_are_looked_up_once():
    trace = trace_of("import torch\nw = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\n(w * 5).backward()")
    for find in (node_gradients, contributions):
        assert find(trace, 0) is find(trace, 0) is not find(trace, 1)
        assert find(trace, 0) != find(trace, 1) != find(trace, None)


@pytest.mark.parametrize(
    ("program", "name", "reason"),
    [
        ("z = w * 2\nw.sum().backward()", "z", "not_on_path"),
        ("x = torch.ones(2)\n(x * w).sum().backward()", "x", "no_grad"),
        ("with torch.no_grad():\n    k = v * 2\n(k * w).sum().backward()", "v", "no_grad"),
        ("k = v.detach()\n(k * w).sum().backward()", "v", "cut"),
        ("torch.autograd.grad((w * v).sum(), w)", "v", "pruned_by_inputs"),
    ],
)
def test_a_missing_gradient_has_its_reason(program, name, reason):
    start = "import torch\nw = torch.ones(2, requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
    assert gradient(trace_of(start + program), name) == reason


@pytest.mark.parametrize(
    "kind, reason",
    [(None, "cut"), ("lost", "cut"), ("threads", "cut"), ("full", "cut")]
    + [(kind, "capped") for kind in ("operations", "nodes", "backwards")],
)
def test_only_dropped_operations_explain_a_missing_gradient_by_a_full_recording(kind, reason):
    trace = trace_of("a = torch.ones(2, requires_grad=True)\ny = (a * 2).sum()\ny.backward()")
    call = replace(trace.backwards[0], order=[], arrived=Lists([0], []))  # the gradient of a was not recorded
    trace = replace(trace, backwards=[call], limits=[Bound(kind, 1)] if kind else [])
    assert gradient(trace, "a") == reason


test_facts = facts_beside(__file__, globals())
