"""Backward through one call: factors times incoming gradients equal torch's contributions."""

import numpy as np
import pytest
import torch

from explorer.analysis.explain.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.explain.entries.entry_arithmetic import back_words
from explorer.analysis.explain.entries.entry_sentences import back_sentence
from explorer.analysis.explain.entries.operation_view import call_to_show, operation_view, operations
from explorer.analysis.run.operations.call import sent
from explorer.text import say
from tests.traces import trace_of

HEAD = """
import torch
import torch.nn.functional as F
a = torch.tensor([[3., -1., 2., 0.5], [0.5, 4., -2., 1.], [-3., 1.5, 6., -0.5]], requires_grad=True)
b = torch.tensor([[1., 2.], [0.5, -1.], [3., 1.], [-2., 0.5]], requires_grad=True)
v = torch.tensor([1., -2., 0.5, 3.], requires_grad=True)
i, j = torch.tensor([[0, 2, 1, 1]]), torch.tensor([2, 0, 2])
"""


def seen(line: str):
    """Return the view of the call in `y = line`, from the program's backward."""
    trace = trace_of(f"{HEAD}y = {line}\n(y * torch.arange(1., 1. + y.numel()).reshape(y.shape)).sum().backward()")
    assert trace.status == "ok", line
    backward = selected_backward(trace)
    last = [one for one in operations(trace) if one.text == line][-1]
    return operation_view(trace, last.operation, node_gradients(trace, backward), contributions(trace, backward))


TOLD = """a[1] | a[:, 1:] | a[j] | a[a > 1] | a.gather(0, i) | a.index_select(1, j) | a.T | a.reshape(2, 6) | a.flip(0)
a[:, :1].expand(3, 4) | torch.cat([a, -a]) | torch.stack([a, a]) | a.triu() | a.diag() | a.repeat(2, 1)
a.sum() | a.sum(0) | a.mean(1, keepdim=True) | a.max() | a.amax(1) | a.prod(1) | a.norm() | a.norm(1) | a.cumsum(1)
a + v | a - v | a * v | a / v | a ** 2 | -a | 2 * a | torch.add(a, v, alpha=3) | torch.maximum(a, v) | 1 / a
a.exp() | a.relu() | a.sigmoid() | a.tanh() | a.clamp(-1, 2) | a.abs() | a.square() | F.leaky_relu(a) | a * a
a.expm1() | a.tan() | F.silu(a) | F.softplus(a) | a.floor() | v ** v.abs() | a % 2
a @ b | a.mv(v) | v.dot(v) | torch.outer(v, b[:, 0]) | torch.einsum('ij,jk->ik', a, b) | F.linear(a, b.T) | a[None] @ b
torch.cross(a[:, :3], b[:3, :1].expand(3, 3), dim=1) | torch.where(a > 0, a, v) | a.masked_fill(a > 1, 0.)
a.scatter_add(0, i, a[:1]) | a.sort(1).values[0]"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("line", [line for row in TOLD.split("\n") for line in row.split(" | ")])
def test_contributions_to_operands_are_explained(line):
    view = seen(line)
    assert view.back is not None
    told = 0
    for k, (value, factor) in enumerate(zip(view.back.operands, view.back.factors, strict=True)):
        if value is None:
            continue
        assert factor is not None, f"operand {k}"
        arrived = np.array(view.back.result.data)
        promised = sent(view.outcomes[0].reading.reads[k], factor, arrived, view.operands[k].size)
        np.testing.assert_allclose(promised, value.data, 1e-4, 1e-6)
        told += 1
    assert told


def test_only_the_maximum_gets_the_gradient():
    view = seen("a.amax(1)")
    assert view.back.operands[0].data == (1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0)
    assert back_words(view, 0, 5) == "∂/∂a[1, 1] = ∂/∂y[1] = +2"


def test_an_entry_gathered_twice_gets_the_sum():
    """Gallery: gather with a repeated index, gradients add up at that entry."""
    trace = trace_of("""
        import torch
        a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
        out = a.gather(1, torch.tensor([[0, 0], [1, 0]]))
        out.sum().backward()
    """)
    listed = operations(trace)
    assert listed[call_to_show(trace, listed)].name == "gather"
    backward = selected_backward(trace)
    view = operation_view(
        trace,
        listed[call_to_show(trace, listed)].operation,
        node_gradients(trace, backward),
        contributions(trace, backward),
    )
    assert view.back.operands[0].data == (2, 0, 1, 1)
    assert back_words(view, 0, 0) == "∂/∂a[0, 0] = +1 + (+1) = +2"
    assert "scatter-add" in back_sentence(view, "en")


def test_a_padding_row_gets_no_gradient_and_no_contradicting_rule():
    rows = "import torch\na = torch.ones(3, 2, requires_grad=True)\ni = torch.tensor([0, 1, 1])\n"
    for padding, found, told in (("", (1, 1, 2, 2, 0, 0), True), (", padding_idx=0", (0, 0, 2, 2, 0, 0), False)):
        trace = trace_of(f"{rows}y = torch.nn.functional.embedding(i, a{padding})\ny.sum().backward()")
        picked = next(one for one in operations(trace) if one.name == "embedding")
        view = operation_view(trace, picked.operation, node_gradients(trace, 0), contributions(trace, 0))
        assert view.back.operands[1].data == found and ("scatter-add" in back_sentence(view, "en")) is told


def test_a_product_passes_on_the_other_factor():
    view = seen("a @ b")
    assert back_words(view, 0, 0) == "∂/∂a[0, 0] = +1 + (+2)·2 = +5"
    assert back_sentence(view, "en") == "With G the gradient of the result: a gets G·bᵀ, b gets aᵀ·G."


def test_an_operation_shows_only_its_own_contribution():
    trace = trace_of(f"{HEAD}y = a.sum(0)\nz = a * 2\n(y.sum() + z.sum()).backward()")
    backward = selected_backward(trace)
    first = next(one for one in operations(trace) if one.text == "a.sum(0)")
    view = operation_view(trace, first.operation, node_gradients(trace, backward), contributions(trace, backward))
    assert set(view.back.operands[0].data) == {1.0} and view.back.shared == (False,)


WAYS = """F.cosine_similarity(a, v[None]) | F.kl_div(a.log_softmax(1), a.softmax(1)) | F.softsign(a) | torch.cov(a)
torch.diff(a) | torch.trapezoid(a) | F.normalize(a) | F.rms_norm(a, (4,)) | F.poisson_nll_loss(a, a.detach())"""


@pytest.mark.parametrize("line", [line for row in WAYS.split("\n") for line in row.split(" | ")])
def test_gradients_over_all_paths_inside_a_call_are_added(line):
    view = seen(line)
    for k, value in enumerate(view.back.operands):
        if value is not None and view.back.factors[k] is not None:
            arrived, reads = np.array(view.back.result.data), view.outcomes[0].reading.reads[k]
            np.testing.assert_allclose(sent(reads, view.back.factors[k], arrived, value.array().size), value.data, 1e-4)
    whole = np.zeros(view.operands[0].size)
    for part, value in zip(view.operands, view.back.operands, strict=True):
        whole += value.data if part.word == "a" else 0
    (grad,) = torch.autograd.grad(*graph_of(line))
    if "softmax" not in line:  # its operands have their own steps
        np.testing.assert_allclose(whole, grad.reshape(-1), 1e-3, 1e-6)


def graph_of(line: str):
    """Return the sum that `seen` differentiates, and a."""
    space: dict = {}
    exec(f"{HEAD}y = {line}", space)
    y = space["y"]
    return (y * torch.arange(1.0, 1.0 + y.numel()).reshape(y.shape)).sum(), space["a"]


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("y = torch.zeros(2).index_put((torch.tensor([0, 0]),), x)", "plain"),  # only one of two gradients is read
        ("y = x[:1].scatter_reduce(0, torch.tensor([0, 0]), x, 'amax')", "plain"),  # likewise
        ("y = (x * torch.nan).amax()", "plain"),
        ("y = torch.maximum(x, x.detach() * torch.nan)", "plain"),
        ("y = x.amax(0)", "winner-shared"),
        ("y = x.max(0).values", "winner"),
        ("y = torch.cat(x.chunk(2))", "moved"),
        ("y = x.exp()\ny.grad_fn.register_prehook(lambda g: (g[0] * 10,))", "plain"),
    ],
)
def test_rules_contradicted_by_gradients_are_not_shown(program, kind):
    trace = trace_of(f"import torch\nx = torch.tensor([2., 2.], requires_grad=True)\n{program}\ny.sum().backward()")
    names = ("index_put", "scatter_reduce", "amax", "maximum", "max", "chunk", "exp")
    listed = next(one for one in operations(trace) if one.name in names)
    view = operation_view(trace, listed.operation, node_gradients(trace, 0), contributions(trace, 0))
    told = say("en", "rule-moved") + "." if kind == "moved" else say("en", f"operations-back.{kind}")
    assert back_sentence(view, "en") == told


def test_overwritten_rows_are_not_described_as_copies():
    lookup = "torch.nn.functional.embedding(torch.tensor([0]), w, max_norm=1.)"
    trace = trace_of(f"import torch\nw = torch.ones(2, 2, requires_grad=True)\n{lookup}.sum().backward()")
    picked = next(one for one in operations(trace) if one.name == "embedding")
    view = operation_view(trace, picked.operation, node_gradients(trace, 0), contributions(trace, 0))
    assert back_sentence(view, "en")


def test_a_gradient_before_an_in_place_write_is_not_a_multiple_of_itself():
    trace = trace_of("import torch\na = torch.ones(1, requires_grad=True) * 1\na.mul_(3)\na.sum().backward()")
    wrote = next(one for one in operations(trace) if one.text == "a.mul_(3)")
    view = operation_view(trace, wrote.operation, node_gradients(trace, 0), contributions(trace, 0))
    assert back_words(view, 0, 0) == "∂/∂a[0] = (+1)·3 = +3"


def test_a_call_inside_a_function_has_no_gradient():
    trace = trace_of("""
        import torch
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2
            @staticmethod
            def backward(ctx, g):
                return g * 100
        x = torch.ones(1, requires_grad=True)
        Product.apply(x).backward()
    """)
    inside = next(one for one in operations(trace) if one.text == "x * 2")
    assert operation_view(trace, inside.operation, node_gradients(trace, 0), contributions(trace, 0)).back is None


def test_without_backward_there_are_no_gradients():
    trace = trace_of("import torch\na = torch.ones(3)\nb = a.sum()")
    assert operation_view(trace, operations(trace)[-1].operation).back is None
