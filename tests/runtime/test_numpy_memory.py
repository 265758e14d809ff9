"""Entries of views, and NumPy arrays in the memory of tensors."""

import torch
from torch import nn

import explorer
from tests.traces import trace_of


def of_name(trace, name):
    """The values of the nodes of one kind, in order."""
    nodes = [node for node, word in enumerate(trace.nodes.name) if trace.strings[word] == name]
    return [trace.value(trace.nodes.values[node][0]) for node in nodes if trace.nodes.values[node]]


def test_transposed_and_sliced_values_are_in_row_major_order():
    w = torch.arange(6.0).reshape(2, 3).requires_grad_()
    for _ in range(3):  # the first reading learns how they lie in memory
        with explorer.record() as trace:
            turned, part = w.t(), w[:, 1:]
            (turned.sum() + part.sum()).backward()
        assert trace["turned"].data == (0, 3, 1, 4, 2, 5)
        assert trace["part"].data == (1, 2, 4, 5)


def test_overwritten_inner_values_are_omitted():
    class Written(nn.Module):
        def forward(self, x):
            return (x * 2).mul_(3).add_(x)

    x = torch.tensor([1.0], requires_grad=True)
    with explorer.record() as trace:
        Written()(x).sum().backward()
    assert [one.data for one in of_name(trace, "AddBackward0")] == [(7,)]


def storage(trace, name: str) -> int:
    return trace.tensors.storage[trace.bound(name)]


def test_numpy_views_share_the_tensors_storage():
    trace = trace_of("x = torch.arange(4.)\nA = x.numpy()\nB = A[2:]\nC = A.copy()").check()
    found = {array.name: (array.storage, array.offset) for array in trace.arrays}
    assert found == {"A": (storage(trace, "x"), 0), "B": (storage(trace, "x"), 8)}


def test_from_numpy_shares_parts_and_repeatedly():
    trace = trace_of(
        "import numpy as np\na = np.arange(6.)\nx = torch.from_numpy(a)\ny = torch.from_numpy(a[2:])\na += 1"
    ).check()
    assert [array.name for array in trace.arrays] == ["a"]
    assert storage(trace, "x") == storage(trace, "y") == trace.arrays[0].storage
    assert [trace.tensors.offset[trace.bound(name)] for name in "xy"] == [0, 2]
    assert trace["y"].data == (3, 4, 5, 6)


def test_from_numpy_of_a_tensors_own_memory_is_that_tensors_storage():
    trace = trace_of("x = torch.zeros(3)\ny = torch.from_numpy(x.numpy())\nx.add_(1)")
    assert storage(trace, "x") == storage(trace, "y")
    assert trace["y"].data == (1, 1, 1)


def test_a_rebound_array_name_ends():
    trace = trace_of("x = torch.zeros(3)\nA = x.numpy()\nA = A * 2\nx + 1").check()
    assert [(array.name, array.until) for array in trace.arrays] == [("A", 1)]


def test_own_arrays_and_copies_share_no_storage():
    trace = trace_of("import numpy as np\nA = np.ones(3)\nx = torch.tensor(A)\nB = x.numpy().copy()")
    assert trace.status == "ok" and not trace.arrays


def test_the_terms_of_a_loss_are_those_before_a_later_write():
    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    with explorer.record() as recorded:
        torch.nn.functional.mse_loss(x, torch.zeros(3))
        with torch.no_grad():
            x.zero_()
    assert recorded.trace.losses.term == [16.0, 4.0, 1.0]
