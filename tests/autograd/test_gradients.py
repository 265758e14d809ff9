"""Which gradient belongs to a node or a tensor, and why there is none."""

import pytest
from msgspec.structs import replace

from explorer.analysis.autograd import (
    contributions,
    node_gradients,
    numbered_backward,
    selected_backward,
    tensor_gradient,
)
from explorer.analysis.autograd.gradients import tensor_gradients
from explorer.trace import Bound, Lists
from tests.traces import trace_of


def gradient(trace, name, backward=None):
    """The gradient of what a name was bound to last as a list, or the reason there is none."""
    shown = selected_backward(trace) if backward is None else backward
    value, reason = tensor_gradient(trace, trace.bound(name), shown)
    return reason if value < 0 else list(trace.value(value).entries)


def test_every_node_has_what_arrived():
    trace = trace_of("""
        import torch
        a = torch.tensor(2.0, requires_grad=True)
        b = a * 3
        y = b * b
        y.backward()
    """)
    found = {
        trace.strings[name]: [trace.value(value).entries[0] for value in values]
        for name, values in zip(trace.nodes.name, node_gradients(trace, 0), strict=True)
        if trace.strings[name] == "AccumulateGrad"
    }
    assert found == {"AccumulateGrad": [36.0]}
    assert [gradient(trace, name) for name in "aby"] == [[36.0], [12.0], [1.0]]


def test_edges_say_what_they_add_where_a_tensor_is_used_twice():
    trace = trace_of("""
        import torch
        w = torch.tensor(1., requires_grad=True)
        y = (w + 2) * (w + 1)
        y.backward()
    """)
    leaf = trace.nodes.variable.index(trace.bound("w"))
    added = [
        trace.value(value).entries[0]
        for (node, edge), value in contributions(trace, 0).items()
        if trace.nodes.edges[node][edge] == leaf
    ]
    assert sorted(added) == [2.0, 3.0]
    assert gradient(trace, "w") == [5.0]


def test_the_last_backward_that_succeeded_is_selected_and_any_can_be_asked_for():
    trace = trace_of("""
        import torch
        w = torch.tensor(3., requires_grad=True)
        (w * 2).backward()
        (w * 5).backward()
    """)
    assert gradient(trace, "w") == [5.0]
    assert gradient(trace, "w", backward=0) == [2.0]


def test_people_count_backwards_from_one():
    trace = trace_of("import torch\nw = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\n(w * 5).backward()")
    assert [numbered_backward(trace, number) for number in (None, 1, 2)] == [None, 0, 1]
    for number in (-1, 0, 3):
        with pytest.raises(IndexError):
            numbered_backward(trace, number)


def test_gradients_are_looked_up_once_for_all_who_ask():
    trace = trace_of("import torch\nw = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\n(w * 5).backward()")
    for find in (node_gradients, contributions, tensor_gradients):
        assert find(trace, 0) is find(trace, 0) is not find(trace, 1)
        assert find(trace, 0) != find(trace, 1) != find(trace, None)


def test_a_gradient_belongs_to_the_version_the_root_depends_on_last():
    trace = trace_of("""
        import torch
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        y *= 3
        y.sum().backward()
        y = y + 1
    """)
    first = next(binding.tensor for binding in trace.bindings if binding.name == "y")
    value, _ = tensor_gradient(trace, first, 0)
    assert list(trace.value(value).entries) == [1.0, 1.0]


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
def test_why_there_is_none(program, name, reason):
    start = "import torch\nw = torch.ones(2, requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
    assert gradient(trace_of(start + program), name) == reason


@pytest.mark.parametrize(
    "kind, reason",
    [(None, "cut"), ("lost", "cut"), ("threads", "cut"), ("full", "cut")]
    + [(kind, "capped") for kind in ("operations", "nodes", "backwards", "values")],
)
def test_only_what_drops_operations_leaves_a_recording_full(kind, reason):
    trace = trace_of("a = torch.ones(2, requires_grad=True)\ny = (a * 2).sum()\ny.backward()")
    call = replace(trace.backwards[0], order=[], arrived=Lists([0], []))  # the gradient of a was not written down
    trace = replace(trace, backwards=[call], limits=[Bound(kind, 1)] if kind else [])
    assert gradient(trace, "a") == reason


def test_a_hook_changes_what_is_shown():
    trace = trace_of("""
        import torch
        a = torch.tensor(2.0, requires_grad=True)
        b = a * 3
        b.register_hook(lambda gradient: gradient * 10)
        (b * 1).backward()
    """)
    assert gradient(trace, "a") == [30.0]


def test_edges_between_nodes_that_a_backward_made_say_what_they_add():
    trace = trace_of("""
        import torch
        x = torch.tensor(2.0, requires_grad=True)
        y = x ** 3
        g, = torch.autograd.grad(y, x, create_graph=True)
        z = g * x
        z.backward()
    """)
    call = trace.backwards[1]
    found = contributions(trace, 1)
    edges = [(node, k) for node in call.order for k, target in enumerate(trace.nodes.edges[node]) if target >= 0]
    assert set(found) == set(edges)
