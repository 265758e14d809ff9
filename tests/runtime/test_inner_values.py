"""Values inside a composite, which no call returns, and NumPy arrays in the memory of tensors."""

import pytest
import torch
from torch import nn

import explorer
from tests.traces import trace_of


def of_name(trace, name):
    """The values of the nodes of one kind, in order."""
    nodes = [node for node, word in enumerate(trace.nodes.name) if trace.strings[word] == name]
    return [trace.value(trace.nodes.values[node][0]) for node in nodes if trace.nodes.values[node]]


def test_the_transposed_weight_of_a_layer_has_the_value_that_the_call_read():
    layer = nn.Linear(3, 2)
    read = []
    with explorer.record() as trace:
        for _ in range(2):
            read.append(tuple(layer.weight.detach().t().flatten().tolist()))
            layer(torch.ones(1, 3)).sum().backward()
            with torch.no_grad():
                layer.weight -= layer.weight.grad
    assert [one.data for one in of_name(trace, "TBackward0")] == read


def test_the_weights_of_an_ensemble_under_vmap_are_not_transposed():
    weights, x = torch.randn(3, 2, 2, requires_grad=True), torch.randn(3, 2)
    with explorer.record() as trace:
        torch.vmap(nn.functional.linear)(x, weights).sum().backward()
    assert all(one is None or one.shape != (2, 3, 2) for one in of_name(trace, "TBackward0"))


def test_results_that_torch_saves_inside_a_composite_have_a_value():
    attention, x = nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(1, 3, 4)
    with explorer.record() as trace:
        _, weights = attention(x, x, x, average_attn_weights=False)
        weights.sum().backward()
    [found] = of_name(trace, "SoftmaxBackward0")
    assert torch.allclose(torch.tensor(found.data), weights.flatten())


def test_inner_values_equal_the_layers_own_parts():
    x, layer = torch.randn(3, 2, dtype=torch.float64, requires_grad=True), nn.LSTM(2, 2).double()
    with explorer.record() as whole:
        layer(x)[0].sum().backward()
    gates = x[0] @ layer.weight_ih_l0.T + layer.bias_ih_l0 + layer.bias_hh_l0  # of the first step, whose state is 0
    expected = [torch.sigmoid(gates[0:2]), torch.sigmoid(gates[2:4]), torch.sigmoid(gates[6:8])]
    found = [torch.tensor(one.data, dtype=torch.float64) for one in of_name(whole, "SigmoidBackward0")]
    assert all(any(torch.allclose(one, other) for other in found) for one in expected)


@pytest.mark.parametrize("cell", [nn.LSTMCell(3, 4), nn.GRUCell(3, 4), nn.Linear(3, 4)])
def test_inner_values_are_known_in_every_training_round(cell):
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
    with explorer.record() as trace:
        for _ in range(3):
            made = cell(torch.randn(2, 3))
            (made[0] if isinstance(made, tuple) else made).sum().backward()
            optimizer.step()
    rounds: dict[str, list[bool]] = {}  # by a node's name whether it has a value, in order
    for node, name in enumerate(trace.nodes.name):
        rounds.setdefault(trace.strings[name], []).append(max(trace.nodes.values[node], default=-1) >= 0)
    del rounds["AccumulateGrad"]
    for name, known in rounds.items():
        each = len(known) // 3
        assert known[:each] == known[each : 2 * each] == known[2 * each :], name


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
