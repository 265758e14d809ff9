"""Twenty-four small programs about one aspect of autograd each, and two networks, for `python -m benchmarks peers`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from benchmarks.models import Block

Body = Callable[[Any, torch.Tensor], Any]


class Program(NamedTuple):
    """A model, its input, and a pattern for the name of the program's special operation."""

    made: Callable[[], tuple[nn.Module, torch.Tensor]]
    names: str


class Small(nn.Module):
    """A function as a module, with a weight and the layers that it uses."""

    def __init__(self, body: Body, layers: dict[str, nn.Module]) -> None:
        super().__init__()
        self.body = body
        self.w = nn.Parameter(torch.tensor([0.613, -1.271, 0.837]))
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x: torch.Tensor) -> Any:
        """The function."""
        return self.body(self, x)


class Doubled(torch.autograd.Function):
    """Twice a tensor."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Twice x."""
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        """Twice the gradient."""
        return gradient * 2


def no_layers() -> dict[str, nn.Module]:
    """Return the modules of a program that has only the weight."""
    return {}


def small(names: str, body: Body, layers: Callable[[], dict[str, nn.Module]] = no_layers) -> Program:
    """Return a program with an input of 2 rows and 3 columns."""

    def made() -> tuple[nn.Module, torch.Tensor]:
        return Small(body, layers()), torch.randn(2, 3, requires_grad=True)

    return Program(made, names)


def network(names: str, model: Callable[[], nn.Module], *shape: int) -> Program:
    """Return a network in training mode."""
    return Program(lambda: (model(), torch.randn(*shape, requires_grad=True)), names)


def without_memory(m: Any, x: torch.Tensor) -> torch.Tensor:
    """Return a factor from a block without gradients."""
    with torch.no_grad():
        scale = x.sinh().sum()
    return x * m.w * scale


def in_place(m: Any, x: torch.Tensor) -> torch.Tensor:
    """Return a result that is multiplied in place."""
    y = x * m.w
    return y.mul_(3)


def through_a_view(m: Any, x: torch.Tensor) -> torch.Tensor:
    """Return a row of a result that is overwritten."""
    y = x * m.w
    y[0] = x[1] * 3
    return y


def leading_nowhere(m: Any, x: torch.Tensor) -> torch.Tensor:
    """Return a result that nothing uses."""
    x.cosh()
    return x * m.w


def hooked(m: Any, x: torch.Tensor) -> torch.Tensor:
    """Return a gradient that a hook scales."""
    y = x * m.w
    if y.requires_grad:
        y.register_hook(lambda gradient: gradient * 0.5)
    return y * y


def penalty(m: Any, x: torch.Tensor) -> torch.Tensor:
    """Return the gradient of the output at the input, part of the output."""
    y = (x * m.w).tanh()
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y + slope * slope


def tied() -> dict[str, nn.Module]:
    """Two layers with one weight."""
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight = first.weight
    return {"first": first, "second": second}


def looped(m: Any, x: torch.Tensor) -> torch.Tensor:
    """Three steps of a cell."""
    state = x * m.w
    for _ in range(3):
        state = m.cell(x, state)
    return state


def resnet() -> nn.Module:
    """Two blocks of ResNet over eight channels."""
    stem = nn.Sequential(nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
    return nn.Sequential(stem, Block(8, 8, 1), Block(8, 16, 2), head)


def encoder() -> nn.Module:
    """nn.TransformerEncoder of two layers."""
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2)


BARE = small(".", lambda m, x: -x)  # for the text that a tool prints in every picture
PROGRAMS: dict[str, Program] = {
    "product": small("mul", lambda m, x: x * x[0]),
    "broadcasting": small("add", lambda m, x: x + m.w),
    "used twice": small("add", lambda m, x: x.tanh() * x + x),
    "leads nowhere": small("cosh", leading_nowhere),
    "detach": small("detach", lambda m, x: x * m.w + x.detach()),
    "no_grad inside": small("sinh", without_memory),
    "in place": small("mul_", in_place),
    "write through a view": small("setitem|copyslices|copy", through_a_view),
    "repeated indices": small("index|getitem", lambda m, x: x[[0, 0, 1]] * m.w),
    "max at a tie": small("max", lambda m, x: torch.stack([x, x]).amax(0)),
    "where, NaN not taken": small("where", lambda m, x: torch.where(x > 0, x.sqrt(), x * m.w)),
    "autograd.Function": small("Doubled", lambda m, x: Doubled.apply(x * m.w)),
    "hook that scales": small("hook", hooked),
    "checkpoint": small("cosh", lambda m, x: checkpoint(lambda x: (x * m.w).cosh(), x, use_reentrant=False)),
    "tied weights": small("linear|addmm", lambda m, x: m.second(m.first(x).tanh()), tied),
    "RNN cell in a loop": small("RNNCell|rnn_?tanh|tanh", looped, lambda: {"cell": nn.RNNCell(3, 3)}),
    "branch on data": small("sinh", lambda m, x: x.cosh() if x.sum() > 1e3 else x.sinh()),
    "LSTM": small("LSTM", lambda m, x: m.lstm(x)[0], lambda: {"lstm": nn.LSTM(3, 3)}),
    "batch norm": small("batch_?norm", lambda m, x: m.norm(x), lambda: {"norm": nn.BatchNorm1d(3)}),
    "dropout": small("dropout", lambda m, x: m.drop(x * m.w), lambda: {"drop": nn.Dropout(0.5)}),
    "complex abs": small("abs", lambda m, x: torch.complex(x, x * m.w).abs()),
    "two outputs": small("tanh", lambda m, x: (x * m.w, x.tanh())),
    "vmap inside": small("vmap", lambda m, x: torch.func.vmap(lambda row: row * m.w.sin())(x)),
    "gradient penalty": small("tanh_?backward", penalty),
}
NETWORKS: dict[str, Program] = {
    "ResNet": network("conv", resnet, 2, 3, 16, 16),
    "encoder": network("attention|attn|encoder", encoder, 2, 5, 16),
}
