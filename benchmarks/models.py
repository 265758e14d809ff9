"""Measured programs: loops of small operations, and training steps of real models."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

D = 4  # rows and columns of the loops' tensors, small so that the cost per operation is visible


class Made(NamedTuple):
    """A model, its input, and the target classes; without them the sum is the loss and nothing learns."""

    model: nn.Module
    x: torch.Tensor
    y: torch.Tensor | None


class Chain(nn.Module):
    """A chain of operations, like a recurrent network or a manually written optimisation."""

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self.nodes = nodes
        self.a, self.b = nn.Parameter(torch.full((D, D), 0.999)), nn.Parameter(torch.full((D, D), 0.001))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """About as many nodes as were asked for."""
        a, b = self.a, self.b
        for _ in range(self.nodes // 2):
            x = x * a + b
        return x


class Wide(nn.Module):
    """Two layers of many attention heads side by side."""

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self.nodes = nodes
        self.w = nn.ParameterList([nn.Parameter(torch.randn(D, D)) for _ in range(6)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """About as many nodes as were asked for."""
        w = list(self.w)
        for _ in range(2):
            heads = []
            for head in range(self.nodes // 14):
                q, k, v = x @ w[head % 2], x @ w[2 + head % 2], x @ w[4 + head % 2]
                heads.append(torch.softmax(q @ k.t(), -1) @ v)
            x = torch.tanh(torch.stack(heads).mean(0) + x)
        return x


class Block(nn.Module):
    """Two convolutions with a shortcut, as in He et al. (2015), figure 2."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.around = nn.Identity()
        if stride != 1 or before != after:
            self.around = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The block of the paper."""
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return F.relu(self.bn2(self.conv2(y)) + self.around(x), inplace=True)


class ResNet18(nn.Module):
    """ResNet18 with the layers of torchvision's: 11.7 million parameters."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        )
        widths = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        self.stages = nn.Sequential(*[nn.Sequential(Block(b, a, s), Block(a, a, 1)) for b, a, s in widths])
        self.head = nn.Linear(512, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits of a batch of images."""
        return self.head(self.stages(self.stem(x)).mean((2, 3)))


class Attention(nn.Module):
    """Causal attention of several heads, written out."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.ones(length, length).tril().bool())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Attend to earlier positions."""
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(width, dim=2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~self.mask[:length, :length], -math.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    """A layer of GPT-2: norms before attention and MLP."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, heads, length)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add the shortcut."""
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Six layers of width 256 over 512 words."""

    def __init__(self, words: int = 512, layers: int = 6, width: int = 256, length: int = 128) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.layers = nn.Sequential(*[Layer(width, 8, length) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Logits of the next word, at each place."""
        x = self.tokens(words) + self.places(torch.arange(words.shape[1]))
        return self.head(self.norm(self.layers(x))).flatten(0, 1)


def resnet() -> Made:
    """ResNet-18 on 8 images of 64 × 64."""
    return Made(ResNet18(), torch.randn(8, 3, 64, 64), torch.randint(1000, (8,)))


def gpt() -> Made:
    """GPT 6 × 256 on 8 texts of 128 words."""
    return Made(GPT(), torch.randint(512, (8, 128)), torch.randint(512, (8 * 128,)))


def mlp() -> Made:
    """Three layers on 256 images of 28 × 28."""
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    return Made(net, torch.randn(256, 784), torch.randint(10, (256,)))


def loop(kind: Callable[[int], nn.Module], nodes: int) -> Callable[[], Made]:
    """Return a loop of so many nodes."""
    return lambda: Made(kind(nodes), torch.ones(D, D, requires_grad=True), None)


PROGRAMS: dict[str, Callable[[], Made]] = {
    **{f"chain {nodes}": loop(Chain, nodes) for nodes in (1_000, 10_000, 100_000)},
    **{f"wide {nodes}": loop(Wide, nodes) for nodes in (1_000, 10_000, 100_000)},
    "mlp": mlp,
    "gpt": gpt,
    "resnet": resnet,
}
