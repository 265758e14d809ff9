"""Floating-point operations: those of torch's own counter, by line and module."""

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

import explorer

A, B = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True)


class First(nn.Module):
    """The first result of a module that returns several."""

    def __init__(self, inner, inputs=1):
        super().__init__()
        self.inner, self.inputs = inner, inputs

    def forward(self, x):
        return self.inner(*[x] * self.inputs)[0]


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, gradient):
        x, w = ctx.saved_tensors
        return gradient @ w.t(), x.t() @ gradient


def trained(net, *sides):
    x = torch.randn(sides)
    return lambda: net(x).sum().backward()


def frozen(net):
    net[0].requires_grad_(False)
    return net


def twice():
    (slope,) = torch.autograd.grad((A @ B).tanh().sum(), A, create_graph=True)
    torch.autograd.grad((slope @ B).sum(), [A, B])


PROGRAMS = {
    "linear": trained(nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)), 2, 4, 3),
    "frozen": trained(frozen(nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 2))), 4, 3),
    "convolutions": trained(
        nn.Sequential(nn.Conv2d(4, 8, 3, stride=2), nn.Conv2d(8, 8, 2, groups=4), nn.ConvTranspose2d(8, 4, 2)),
        2,
        4,
        9,
        9,
    ),
    "groups, transposed": trained(nn.Sequential(nn.Conv2d(4, 8, 1), nn.ConvTranspose2d(8, 4, 2, groups=2)), 2, 4, 9, 9),
    "unbatched": trained(nn.Sequential(nn.Conv1d(3, 8, 3), nn.ConvTranspose1d(8, 2, 3)), 3, 9),
    "attention": trained(First(nn.MultiheadAttention(16, 2, batch_first=True), 3), 2, 5, 16),
    "encoder": trained(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, 5, 16),
    "gru": trained(First(nn.GRU(4, 8)), 5, 2, 4),
    "broadcast": lambda: (torch.randn(2, 1, 3, 4) @ torch.randn(5, 4, 2).requires_grad_()).sum().backward(),
    "einsum": lambda: torch.einsum("ij,jk->ik", A, B).sum().backward(),
    "inputs": lambda: (A @ B).sum().backward(inputs=[A]),
    "grad": lambda: torch.autograd.grad(((A @ B).tanh() @ torch.randn(5, 2).requires_grad_()).sum(), [A]),
    "without gradients": lambda: nn.Sequential(nn.Linear(4, 8), nn.Conv1d(3, 2, 3))(A.detach()),
    "second derivative": twice,
    "own function": lambda: Product.apply(A, B).sum().backward(),
    "checkpoint": lambda: checkpoint(nn.Sequential(nn.Linear(4, 8), nn.Tanh()), A, use_reentrant=True).sum().backward(),
}


def counted(function, detail="complete"):
    with explorer.record(detail=detail) as trace:
        function()
    return trace.flops()


def by_torch(function):
    with FlopCounterMode(display=False) as counter:
        function()
    return counter.get_total_flops()


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_those_of_torchs_counter(name):
    found = counted(PROGRAMS[name])
    assert found.total == by_torch(PROGRAMS[name]) > 0
    assert not found.uncounted


@pytest.mark.thorough
@pytest.mark.parametrize("detail", ["complete", "light"])
def test_those_of_a_real_model_are_torchs_in_each_module_too(detail):
    torchvision = pytest.importorskip("torchvision")
    net, x = torchvision.models.resnet18(), torch.randn(2, 3, 64, 64)
    found = counted(lambda: net(x).sum().backward(), detail)
    with FlopCounterMode(display=False) as counter:
        net(x).sum().backward()
    assert found.total == counter.get_total_flops()
    with FlopCounterMode(display=False) as counter:
        net(x)
    by_module = {name.removeprefix("ResNet"): sum(each.values()) for name, each in counter.get_flop_counts().items()}
    ours = {name.removeprefix("net"): forward for name, (forward, _) in found.modules.items() if name}
    assert ours == {name: by_module[name] for name in ours}
    assert set(ours) == {name for name, total in by_module.items() if total and name != "Global"}


def test_fused_attention_is_what_its_products_are():
    q, k, v = (torch.randn(2, 2, length, 8, requires_grad=True) for length in (4, 6, 6))
    attend = torch.nn.functional.scaled_dot_product_attention
    fused = counted(lambda: attend(q, k, v).sum().backward())
    apart = by_torch(lambda: attend(q, k, v, attn_mask=torch.zeros(4, 6, requires_grad=True)).sum().backward())
    assert fused.forward == apart // 3  # each of its two products has two more in backward
    assert fused.backward == apart // 3 * 5 // 2  # the scores are computed again
    assert counted(lambda: attend(q.detach(), k.detach(), v.detach())).forward == fused.forward


def test_places_say_what_a_line_and_a_module_take_forward_and_backward():
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
    found = counted(lambda: net(torch.ones(10, 3)).sum().backward())
    assert [(row.module, row.forward, row.backward) for row in found.rows] == [
        ("net.0", 2 * 10 * 3 * 8, 2 * 10 * 3 * 8),  # its input needs no gradient
        ("net.2", 2 * 10 * 8, 2 * 2 * 10 * 8),
    ]
    assert found.modules["net"] == (found.forward, found.backward) == (640, 800)
    assert found.to_pandas().forward.sum() == 640
    assert "1.44 kFLOP" in str(found) and "<table" in found._repr_html_()


def test_what_has_no_formula_is_named_instead_of_0():
    lstm = counted(trained(First(nn.LSTM(4, 8)), 5, 2, 4))
    assert lstm.total == 0 and lstm.uncounted["lstm"] == 1 and "0 FLOP" not in str(lstm)
    product = counted(lambda: (A @ torch.ones(4)).sum().backward())
    assert product.total == 0 and product.uncounted == {"matmul": 1, "MvBackward0": 1}
    hooked = counted(lambda: checkpoint(nn.Tanh(), A @ B, use_reentrant=False).sum().backward())
    assert hooked.hooked == 1 and "hook" in str(hooked)
    assert counted(lambda: A.exp().sum().backward()).uncounted == {}


def test_the_report_has_them_as_data():
    with explorer.record() as trace:
        (A @ B).sum().backward()
    told = trace.report()
    assert told.to_json()["flops"]["backward"] == 2 * told.to_json()["flops"]["forward"] == 240
    assert "FLOP" not in str(told) and "FLOP" not in told._repr_html_()  # `flops()` prints them
