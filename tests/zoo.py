"""Small typical models: each function returns the model and its arguments."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Made = tuple[nn.Module, tuple]
ZOO: dict[str, Callable[[], Made]] = {}


def model(function: Callable[[], Made]) -> Callable[[], Made]:
    """Return the model with this function name."""
    ZOO[function.__name__] = function
    return function


class RMSNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def rotated(x: Tensor) -> Tensor:
    """Rotary positions: pairs of entries turned by an angle that grows with the place."""
    half = x.shape[-1] // 2
    angles = torch.outer(torch.arange(x.shape[-2]), 10000.0 ** (-torch.arange(half) / half))
    a, b = x.chunk(2, -1)
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


class GroupedAttention(nn.Module):
    """Causal attention with two heads sharing keys and values, as in LLaMA 2."""

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.each = heads, width // heads
        self.wq, self.wo = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.wk, self.wv = (nn.Linear(width, width // 2, bias=False) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        split = lambda y: y.unflatten(-1, (-1, self.each)).transpose(1, 2)  # noqa: E731
        q, k, v = rotated(split(self.wq(x))), rotated(split(self.wk(x))), split(self.wv(x))
        k, v = (part.repeat_interleave(2, 1) for part in (k, v))
        return self.wo(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class SwiGLU(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.w1, self.w3 = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.w2 = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class LlamaBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention, self.feed_forward = GroupedAttention(width), SwiGLU(width, 2 * width)
        self.attention_norm, self.ffn_norm = RMSNorm(width), RMSNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


class Llama(nn.Module):
    def __init__(self, words: int = 20, width: int = 16, layers: int = 4) -> None:
        super().__init__()
        self.tok_embeddings = nn.Embedding(words, width)
        self.layers = nn.ModuleList(LlamaBlock(width) for _ in range(layers))
        self.norm, self.output = RMSNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, words: Tensor) -> Tensor:
        x = self.tok_embeddings(words)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


@model
def llama() -> Made:
    return Llama(), (torch.randint(20, (2, 7)),)


class Bert(nn.Module):
    def __init__(self, words: int = 20, width: int = 16, layers: int = 4) -> None:
        super().__init__()
        self.word, self.position, self.kind = (
            nn.Embedding(words, width),
            nn.Embedding(12, width),
            nn.Embedding(2, width),
        )
        layer = nn.TransformerEncoderLayer(width, 4, 32, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm, self.pooler = nn.LayerNorm(width), nn.Linear(width, width)
        self.decoder = nn.Linear(width, words)
        self.decoder.weight = self.word.weight

    def forward(self, words: Tensor, kinds: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        x = self.word(words) + self.position(torch.arange(words.shape[1])) + self.kind(kinds)
        x = self.encoder(self.norm(x), src_key_padding_mask=padding)
        return self.decoder(x), torch.tanh(self.pooler(x[:, 0]))


@model
def bert() -> Made:
    padding = torch.arange(8).expand(2, 8) >= torch.tensor([[8], [5]])
    return Bert(), (torch.randint(20, (2, 8)), torch.zeros(2, 8, dtype=torch.long), padding)


@model
def encoder_decoder() -> Made:
    net = nn.Transformer(16, 4, 3, 3, 32, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    return net, (torch.randn(2, 7, 16), torch.randn(2, 5, 16), None, mask)


class ViT(nn.Module):
    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.conv_proj = nn.Conv2d(3, width, 8, 8)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embedding = nn.Parameter(torch.randn(1, 17, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 32, batch_first=True, norm_first=True)
        self.layers = nn.Sequential(*[nn.TransformerEncoderLayer(width, 4, 32, batch_first=True) for _ in range(4)])
        self.last, self.head = layer, nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], 1) + self.pos_embedding
        return self.head(self.last(self.layers(x))[:, 0])


@model
def vit() -> Made:
    return ViT(), (torch.randn(2, 3, 32, 32),)


class InvertedResidual(nn.Module):
    """MobileNetV3's block: widen, filter by channel, weigh the channels, narrow."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        conv = lambda a, b, size, groups=1: nn.Sequential(  # noqa: E731
            nn.Conv2d(a, b, size, 1, size // 2, groups=groups, bias=False), nn.BatchNorm2d(b), nn.Hardswish()
        )
        self.expand, self.depthwise, self.project = (
            conv(width, inner, 1),
            conv(inner, inner, 3, inner),
            conv(inner, width, 1),
        )
        self.fc1, self.fc2 = nn.Conv2d(inner, inner // 4, 1), nn.Conv2d(inner // 4, inner, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.depthwise(self.expand(x))
        scale = F.hardsigmoid(self.fc2(F.relu(self.fc1(F.adaptive_avg_pool2d(y, 1)))))
        return x + self.project(scale * y)


@model
def mobilenet() -> Made:
    blocks = [InvertedResidual(8, 16) for _ in range(5)]
    net = nn.Sequential(nn.Conv2d(3, 8, 3, 2), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))
    return net, (torch.randn(2, 3, 20, 20),)


class DenseBlock(nn.Module):
    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(nn.BatchNorm2d(width + 4 * i), nn.ReLU(), nn.Conv2d(width + 4 * i, 4, 3, padding=1))
            for i in range(layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        found = [x]
        for layer in self.layers:
            found.append(layer(torch.cat(found, 1)))
        return torch.cat(found, 1)


@model
def densenet() -> Made:
    blocks = nn.Sequential(DenseBlock(6, 5), nn.AvgPool2d(2), nn.Conv2d(26, 6, 1), DenseBlock(6, 5))
    return nn.Sequential(nn.Conv2d(3, 6, 3), blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(26, 10)), (
        torch.randn(2, 3, 12, 12),
    )


class UNet(nn.Module):
    def __init__(self, widths: tuple[int, ...] = (4, 8, 16)) -> None:
        super().__init__()
        double = lambda a, b: nn.Sequential(  # noqa: E731
            nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU()
        )
        self.downs = nn.ModuleList(double(a, b) for a, b in zip((1, *widths), widths, strict=False))
        self.middle = double(widths[-1], 32)
        self.ups = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, 2) for a, b in zip((32, 16, 8), widths[::-1], strict=True))
        self.joins = nn.ModuleList(double(2 * b, b) for b in widths[::-1])
        self.out = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept = []
        for down in self.downs:
            x = down(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for up, join, before in zip(self.ups, self.joins, reversed(kept), strict=True):
            x = join(torch.cat([before, up(x)], 1))
        return self.out(x)


@model
def unet() -> Made:
    return UNet(), (torch.randn(1, 1, 16, 16),)


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(20, 8), nn.Linear(16, 5)
        self.lstm = nn.LSTM(8, 8, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(self.embed(words), lengths, batch_first=True)
        found, _ = self.lstm(packed)
        return self.head(nn.utils.rnn.pad_packed_sequence(found, batch_first=True)[0])


@model
def packed_lstm() -> Made:
    return Tagger(), (torch.randint(20, (3, 9)), torch.tensor([9, 6, 2]))


class Experts(nn.Module):
    """Each row is routed to the best two of four experts."""

    def __init__(self, width: int, experts: int = 4) -> None:
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(SwiGLU(width, 2 * width) for _ in range(experts))

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
        found = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            row, place = torch.where(chosen == number)
            if len(row):
                found = found.index_add(0, row, expert(x[row]) * weights[row, place, None])
        return found


@model
def mixture_of_experts() -> Made:
    return nn.Sequential(nn.Linear(6, 8), Experts(8), nn.LayerNorm(8), Experts(8), nn.Linear(8, 3)), (
        torch.randn(10, 6),
    )


class StateSpace(nn.Module):
    """A selective scan over time, as in Mamba, written as a loop."""

    def __init__(self, width: int, state: int = 4) -> None:
        super().__init__()
        self.inner, self.step = nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.to_b, self.to_c = nn.Linear(width, state), nn.Linear(width, state)
        self.log_a = nn.Parameter(torch.log(torch.arange(1.0, state + 1)).expand(width, state).clone())
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        x, gate = self.inner(x).chunk(2, -1)
        step, b, c = F.softplus(self.step(x)), self.to_b(x), self.to_c(x)
        decay = torch.exp(-step[..., None] * self.log_a.exp())
        h, found = torch.zeros(len(x), *self.log_a.shape), []
        for t in range(x.shape[1]):
            h = decay[:, t] * h + (step[:, t] * x[:, t])[..., None] * b[:, t, None]
            found.append((h * c[:, t, None]).sum(-1))
        return self.out(torch.stack(found, 1) * F.silu(gate))


@model
def state_space() -> Made:
    return nn.Sequential(nn.Embedding(20, 8), StateSpace(8), StateSpace(8), nn.Linear(8, 20)), (
        torch.randint(20, (2, 12)),
    )


class WaveNet(nn.Module):
    def __init__(self, width: int = 6) -> None:
        super().__init__()
        self.first, self.last = nn.Conv1d(1, width, 1), nn.Conv1d(width, 1, 1)
        self.filters = nn.ModuleList(nn.Conv1d(width, width, 2, dilation=2**i) for i in range(5))
        self.gates = nn.ModuleList(nn.Conv1d(width, width, 2, dilation=2**i) for i in range(5))
        self.skips = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(5))

    def forward(self, x: Tensor) -> Tensor:
        x, total = self.first(x), 0
        for i, (filters, gates, skips) in enumerate(zip(self.filters, self.gates, self.skips, strict=True)):
            padded = F.pad(x, (2**i, 0))
            y = torch.tanh(filters(padded)) * torch.sigmoid(gates(padded))
            total = total + skips(y)
            x = x + y
        return self.last(F.relu(total))


@model
def wavenet() -> Made:
    return WaveNet(), (torch.randn(2, 1, 20),)


class GraphNetwork(nn.Module):
    """Kipf and Welling's graph convolutions, the neighbours in a sparse matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in ((5, 8), (8, 8), (8, 8), (8, 3)))

    def forward(self, x: Tensor, neighbours: Tensor) -> Tensor:
        for layer in self.layers[:-1]:
            x = F.dropout(F.relu(torch.sparse.mm(neighbours, layer(x))), 0.2, self.training)
        return torch.sparse.mm(neighbours, self.layers[-1](x))


@model
def graph_network() -> Made:
    near = (torch.rand(9, 9) < 0.3).float() + torch.eye(9)
    return GraphNetwork(), (torch.randn(9, 5), (near / near.sum(1, keepdim=True)).to_sparse())


class TwoTowers(nn.Module):
    """A recommender: features looked up in bags, and how well two sides fit."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.items = nn.EmbeddingBag(30, 8), nn.EmbeddingBag(40, 8, mode="sum")
        tower = lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 8))  # noqa: E731
        self.user_tower, self.item_tower = tower(), tower()
        self.temperature = nn.Parameter(torch.tensor(1.0))

    def forward(self, users: Tensor, items: Tensor) -> Tensor:
        a = F.normalize(self.user_tower(self.users(users)), dim=-1)
        b = F.normalize(self.item_tower(self.items(items)), dim=-1)
        return a @ b.T * self.temperature.exp()


@model
def two_towers() -> Made:
    return TwoTowers(), (torch.randint(30, (4, 3)), torch.randint(40, (4, 5)))


class Diffusion(nn.Module):
    """Predicts the noise at a given time, whose sines shift every layer."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(8, width), nn.SiLU(), nn.Linear(width, width))
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(4))
        self.shifts = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(4))
        self.norms = nn.ModuleList(nn.GroupNorm(4, width) for _ in range(4))
        self.first, self.last = nn.Linear(2, width), nn.Linear(width, 2)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        angles = t[:, None] * torch.exp(-math.log(1000) * torch.arange(4) / 4)
        told = self.time(torch.cat([angles.sin(), angles.cos()], -1))
        x = self.first(x)
        for layer, shift, norm in zip(self.layers, self.shifts, self.norms, strict=True):
            scale, moved = shift(told).chunk(2, -1)
            x = x + F.silu(norm(layer(x)) * (1 + scale) + moved)
        return self.last(x)


@model
def diffusion() -> Made:
    return Diffusion(), (torch.randn(6, 2), torch.rand(6))


class Residual(nn.Module):
    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after)
        self.conv2, self.bn2 = nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after)
        self.relu, self.downsample = nn.ReLU(inplace=True), None
        if stride != 1 or before != after:
            self.downsample = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.downsample is None else self.downsample(x)))


@model
def resnet() -> Made:
    stages = [nn.Sequential(Residual(a, b, s), Residual(b, b, 1)) for a, b, s in ((8, 8, 1), (8, 16, 2), (16, 32, 2))]
    stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True))
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
    return nn.Sequential(stem, *stages, head), (torch.randn(2, 3, 32, 32),)


class VAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU())
        self.mean, self.log_variance = nn.Linear(16, 3), nn.Linear(16, 3)
        self.decoder = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 12), nn.Sigmoid())

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(x)
        mean, log_variance = self.mean(h), self.log_variance(h)
        z = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        return self.decoder(z), mean, log_variance


@model
def variational_autoencoder() -> Made:
    return VAE(), (torch.rand(5, 12),)


class Siamese(nn.Module):
    """One network for three inputs: its weights are used three times."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))

    def forward(self, anchor: Tensor, near: Tensor, far: Tensor) -> Tensor:
        return F.triplet_margin_loss(*(self.embedding(x) for x in (anchor, near, far)))


@model
def siamese() -> Made:
    return Siamese(), tuple(torch.randn(4, 6) for _ in range(3))


@model
def deep_convolutional_generator() -> Made:
    layers: list[nn.Module] = []
    for before, after in ((10, 32), (32, 16), (16, 8)):
        layers += [nn.ConvTranspose2d(before, after, 4, 2, 1), nn.BatchNorm2d(after), nn.ReLU(True)]
    return nn.Sequential(*layers, nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh()), (torch.randn(2, 10, 2, 2),)


@model
def recurrent_cells() -> Made:
    class Cells(nn.Module):
        """A GRU cell applied step by step, with attention over its history."""

        def __init__(self) -> None:
            super().__init__()
            self.cell, self.query, self.head = nn.GRUCell(4, 6), nn.Linear(6, 6), nn.Linear(12, 2)

        def forward(self, x: Tensor) -> Tensor:
            h, seen = torch.zeros(x.shape[1], 6), []
            for step in x:
                h = self.cell(step, h)
                seen.append(h)
            kept = torch.stack(seen, 1)
            weights = (kept @ self.query(h)[..., None]).softmax(1)
            return self.head(torch.cat([h, (weights * kept).sum(1)], -1))

    return Cells(), (torch.randn(9, 3, 4),)


def loss_of(found: object) -> Tensor:
    """Return one number computed from a model's results."""
    if isinstance(found, Tensor):
        return found.square().mean()
    parts = found.values() if isinstance(found, dict) else found
    return sum((loss_of(part) for part in parts), torch.zeros(()))  # type: ignore[attr-defined]
