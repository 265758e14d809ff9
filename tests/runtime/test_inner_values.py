"""Values inside a composite, which no call returns, and NumPy arrays in the memory of tensors."""

import pytest
import torch
from torch import nn
from torch.overrides import handle_torch_function, has_torch_function

import explorer
from tests.traces import trace_of


def told(call):
    """Return the trace of a call with a backward, and how many of its nodes have a value."""
    torch.manual_seed(0)
    with explorer.record() as trace:
        call().square().mean().backward()
    trace.trace.check()
    values = [max(trace.nodes.values[node], default=-1) for node in range(len(trace.nodes))]
    return trace, sum(value >= 0 for value in values), len(values)


def of_name(trace, name):
    """Return the values of the nodes of one kind, in order."""
    nodes = [node for node, word in enumerate(trace.nodes.name) if trace.strings[word] == name]
    return [trace.value(trace.nodes.values[node][0]) for node in nodes if trace.nodes.values[node]]


def encoder():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)(torch.randn(2, 3, 8))


def packed_lstm():
    net = nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)
    packed = nn.utils.rnn.pack_padded_sequence(torch.randn(3, 4, 3), [4, 2, 1], batch_first=True)
    return nn.utils.rnn.pad_packed_sequence(net(packed)[0], batch_first=True)[0]


@pytest.mark.parametrize(("call", "least"), [(encoder, 1.0), (packed_lstm, 0.9)])
def test_most_nodes_of_a_composite_have_a_value(call, least):
    _, known, all_nodes = told(call)
    assert known >= least * all_nodes


def test_inner_values_equal_the_layers_own_parts():
    x, layer = torch.randn(3, 2, dtype=torch.float64, requires_grad=True), nn.LSTM(2, 2).double()
    with explorer.record() as whole:
        layer(x)[0].sum().backward()
    gates = x[0] @ layer.weight_ih_l0.T + layer.bias_ih_l0 + layer.bias_hh_l0  # the first step, whose state is 0
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
    rounds: dict[str, list[bool]] = {}  # node name → whether it has a value, per round
    for node, name in enumerate(trace.nodes.name):
        rounds.setdefault(trace.strings[name], []).append(max(trace.nodes.values[node], default=-1) >= 0)
    del rounds["AccumulateGrad"]
    for name, known in rounds.items():
        each = len(known) // 3
        assert known[:each] == known[each : 2 * each] == known[2 * each :], name


def parts(a, b, c):
    """Return sums of many results; a mode sees one call."""
    if has_torch_function((a, b, c)):
        return handle_torch_function(parts, (a, b, c), a, b, c)
    product = a @ b
    made = [
        *(product, product * 0.3, product + c, torch.sub(product, c, alpha=3), torch.addmm(c, a, b, alpha=0.5)),
        *(product.t().unsqueeze(0), product[1], product[:, 1:], product[::2], product.reshape(2, 3).clone()),
        *(c.expand(3, 2) * product, torch.cat([product, product]), a.view(2, 6).permute(1, 0)),
        torch.bmm(a[None], b[None]).squeeze(0),
    ]
    inside.append([(one.grad_fn.name(), one.detach()) for one in made])
    return torch.stack([one.sum() for one in made])


inside: list = []


def test_recomputed_inner_results_equal_torchs():
    a, b, c = (torch.randn(size, requires_grad=True) for size in ((3, 4), (4, 2), (2,)))
    with explorer.record() as trace:
        parts(a, b, c).sum().backward()
    for name, one in inside[-1]:
        found = [value.data for value in of_name(trace, name) if value is not None and value.data is not None]
        assert tuple(one.flatten().tolist()) in found, name


def test_transposed_and_sliced_values_are_in_row_major_order():
    w = torch.arange(6.0).reshape(2, 3).requires_grad_()
    for _ in range(3):  # the first reading learns the memory layout
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


def test_the_terms_of_a_loss_of_two_inputs_are_recorded():
    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    with explorer.record() as recorded:
        torch.nn.functional.margin_ranking_loss(x, torch.zeros(3), torch.tensor([-1.0, 1.0, -1.0]))
    assert recorded.trace.losses.term == [4.0, 1.0, 0.0]
