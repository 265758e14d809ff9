"""The recorded autograd graph: every node, its edges, saved tensors, owner and value."""

import pytest
import torch

import explorer
from explorer.runtime.recorder.size_limit import keep_ends
from explorer.runtime.recorder.training_call import leaves_of
from explorer.trace import Trace
from tests.corpus import facts_beside
from tests.programs import (
    bound,
    entries,
    gradient,
    graph_difference,
    near,
    node_names,
    node_of,
    plain,
    printed,
    reached,
    texts,
    traced,
    unattributed,
    value,
)


def saved(trace: Trace, node: int) -> dict[str, tuple[int, int] | str]:
    """Return a node's saved values: (tensor, version) by torch's name, or a constant's text."""
    s = trace.saved
    return {
        trace.strings[s.name[i]]: trace.strings[s.constant[i]] if s.constant[i] >= 0 else (s.tensor[i], s.version[i])
        for i in range(len(s.node))
        if s.node[i] == node
    }


CONSTRUCTS = {
    "transformer": """
layer = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1, batch_first=True)
y = layer(torch.randn(1, 3, 4)).sum()
""",
    "attention": """
m = torch.nn.MultiheadAttention(4, 2)
x = torch.randn(3, 1, 4, requires_grad=True)
out, weights = m(x, x, x)
y = out.sum() + weights.sum()
""",
    "lstm": """
m = torch.nn.LSTM(2, 3, 2)
out, (h, c) = m(torch.randn(4, 1, 2))
y = out.sum() + h.sum()
""",
    "gru": "m = torch.nn.GRU(2, 3)\ny = m(torch.randn(4, 1, 2))[0].sum()\n",
    "cross entropy": """
z = torch.randn(3, 2, requires_grad=True)
y = torch.nn.functional.cross_entropy(z, torch.tensor([0, 1, 1]))
""",
    "einsum and unbind": """
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 4, requires_grad=True)
p, q = torch.einsum("ij,jk->ik", a, b).unbind(0)
y = (p * q).sum()
""",
    "batch norm and convolution": """
net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.MaxPool2d(2), torch.nn.Flatten())
y = net(torch.randn(2, 1, 6, 6)).sum()
""",
    "in place on views": """
a = torch.randn(3, 3, requires_grad=True)
x = a * 1
v = x[0]
v.mul_(3)
x.t_()
x[x > 0] *= 2
y = x.sum() + v.sum()
""",
    "broadcasting": """
a = torch.randn(3, 1, requires_grad=True)
b = torch.randn(1, 2, requires_grad=True)
y = ((a + b) * a - b / 2).mean()
""",
    "complex": "z = torch.tensor([1 + 2j], requires_grad=True)\ny = (z * z.conj()).real.sum()\n",
    "linear algebra": """
A = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
y = torch.linalg.solve(A, torch.ones(3, dtype=torch.float64)).norm() + torch.linalg.svdvals(A).sum()
""",
}
constructs = pytest.mark.parametrize("source", CONSTRUCTS.values(), ids=CONSTRUCTS)


@constructs
def test_every_node_belongs_to_a_call_of_the_program(source):
    trace = traced(source)
    assert unattributed(trace) == []
    owners = {trace.nodes.operation[node] for node in range(len(trace.nodes)) if trace.nodes.variable[node] < 0}
    assert all(trace.operations.span[operation] >= 0 for operation in owners)


@constructs
def test_edges_match_next_functions(source):
    trace = traced(source)
    difference, count = graph_difference(trace, node_of(trace, "y"), plain(source)["y"].grad_fn)
    assert difference == "" and count == len(reached(trace, node_of(trace, "y")))


@constructs
def test_every_tensor_that_an_operation_returns_is_the_value_of_its_node(source):
    trace = traced(source)
    t, v = trace.tensors, trace.versions
    for tensor in {
        output for operation in range(len(trace.operations)) for output in trace.operations.outputs[operation]
    }:
        if t.requires_grad[tensor] and not t.is_leaf[tensor]:
            for version in trace.versions_of(tensor):
                assert trace.nodes.values[v.node[version]][v.output[version]] >= 0


@pytest.mark.parametrize("detail", ["complete", "light"])
def test_values_and_gradients_are_those_that_retain_grad_shows(detail):
    source = """
x = torch.tensor([[0.5, -1.0], [2.0, 0.1]], requires_grad=True)
h = torch.tanh(x @ x.T)
k = torch.softmax(h, dim=1)
m = k * h[0]
y = (m.exp() / k).sum()
"""
    scope = plain(source)
    for name in "hkm":
        scope[name].retain_grad()
    scope["y"].backward()
    trace = traced(source + "y.backward()", detail=detail)
    for name in "xhkm":
        assert near(value(trace, name), scope[name].detach().numpy())
        assert near(gradient(trace, name), scope[name].grad.numpy())
    for name in "hkmy":
        [kept] = trace.nodes.values[node_of(trace, name)]
        assert near(entries(trace, kept), scope[name].detach().numpy())


# ---- saved tensors --------------------------------------------------------------------------------------------------


def test_light_detail_keeps_no_saved_tensors():
    trace = traced("x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()", detail="light")
    assert trace.saved.node == [] and node_names(trace) == ["AccumulateGrad", "MulBackward0", "SumBackward0"]


# ---- code of the program in the graph -------------------------------------------------------------------------------

SQUARE = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print("forward")
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, upstream):
        x, = ctx.saved_tensors
        print("backward")
        return upstream * 2 * x
x = torch.tensor(3., requires_grad=True)
"""


def test_a_custom_function_is_one_operation_with_one_node():
    trace = traced(SQUARE + "h = Square.apply(x)\ny = h * 2\ny.backward()")
    node = node_of(trace, "h")
    assert node_names(trace, [node]) == ["SquareBackward"] and trace.nodes.user_code[node]
    assert texts(trace)[trace.nodes.operation[node]] == "Square.apply(x)"
    assert saved(trace, node) == {"saved_tensors": (bound(trace, "x"), 0)}
    assert (value(trace, "y"), gradient(trace, "h"), gradient(trace, "x")) == (18, 2, 12)


def test_a_custom_function_runs_exactly_once():
    assert printed(traced(SQUARE + "Square.apply(x).backward()")) == "forward\nbackward\n"
    assert printed(traced(SQUARE + "y = Square.apply(x)")) == "forward\n"


def test_operations_in_a_custom_backward_belong_to_it():
    trace = traced(SQUARE + "Square.apply(x).backward()")
    inside = [text for text, call in zip(texts(trace), trace.operations.in_backward, strict=True) if call == 0]
    assert inside == ["upstream * 2", "upstream * 2 * x"]


@pytest.mark.parametrize("reentrant, calls", [(False, 2), (True, 2)])
def test_a_checkpoint_runs_as_often_as_plain(reentrant, calls):
    source = f"""
from torch.utils.checkpoint import checkpoint
def block(t):
    print("block")
    return t.sin().exp()
x = torch.tensor([1., 2.], requires_grad=True)
y = checkpoint(block, x, use_reentrant={reentrant}).sum()
"""
    trace = traced(source + "y.backward()")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.sin().exp().sum().backward()
    assert printed(trace) == "block\n" * calls and near(gradient(trace, "x", 1), x.grad.numpy())
    assert printed(traced(source)) == "block\n"


# ---- nodes that a backward made -------------------------------------------------------------------------------------


def test_a_large_leaf_is_recorded_like_any_other():
    source = "w = torch.ones(1100, 1000, requires_grad=True)\nfor i in range(2):\n    (w * 2).sum().backward()"
    trace = traced(source)
    assert node_names(trace).count("AccumulateGrad") == 1
    after = [trace.value(backward.after[0]).maximum for backward in trace.backwards]
    assert after == [2.0, 4.0]


def test_the_leaves_below_a_root_match_torchs():
    w, b, x = torch.ones(3, 3, requires_grad=True), torch.ones(3, requires_grad=True), torch.ones(3)
    with explorer.record() as recording:
        nodes = recording._recorder.nodes
        hidden = torch.tanh(x @ w + b)
        roots = [(hidden * b).sum() + hidden.unbind()[1], w.exp().sum(), w]
        ids = [nodes.of(root) or nodes.leaf(root) for root in roots]
        for chosen in ([0], [1, 0], [2, 0], [0, 2, 1]):
            told = leaves_of([roots[i] for i in chosen], ())
            assert list(map(id, nodes.leaves_below([ids[i] for i in chosen]))) == list(map(id, told))


def test_torch_finds_the_leaves_of_an_unrecorded_graph():
    w = torch.ones(3, requires_grad=True)
    with explorer.record() as recording:
        y = (w * 2).sum()
        recorder = recording._recorder
        root = recorder.nodes.of(y)
        assert [id(leaf) for leaf in recorder.nodes.leaves_below([root])] == [id(w)]
        for _ in range(20):
            y = (y * 2).sin()
        keep_ends(recorder, 4, 4)
        assert recorder.nodes.leaves_below([recorder.nodes.of(y)]) is None


test_facts = facts_beside(__file__, globals())


SCRIPTED = """
import torch
@torch.jit.script
def f(x):
    return x.sqrt()
a = torch.tensor([0.0, 1.0], requires_grad=True)
b = f(a * 2)
ok = torch.isfinite(b).all()
c = f(b)
for _ in range(2):
    d = f(c) * 2
loss = d.sum()
loss.backward()
"""


def test_nodes_of_a_scripted_function_belong_to_no_recorded_operation():
    trace = traced(SCRIPTED)
    rows = zip(trace.nodes.name, trace.nodes.operation, strict=True)
    made = [(trace.strings[name], operation) for name, operation in rows]
    assert [operation for name, operation in made if name == "SqrtBackward0"] == [-1] * 4
    owners = {name: trace.strings[trace.operations.name[one]] for name, one in made if one >= 0}
    assert owners == {"MulBackward0": "mul", "SumBackward0": "sum"}
