"""The gradient of a layer's input, entry by entry, where no short expression gives it: norms, windows, look-ups,
attention.

Every function takes the arriving gradient G and torch's saved values, by torch's names, and returns the gradient of
one input. `shape` is that input's. All are linear in G. The tables name them (`table`), `computing` calls them.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Array = Any  # numpy's overloads have no None and no mixed index
Numbers = Array | float | None


def _axes_but(rank: int, *kept: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(rank) if axis not in kept)


def _channels(values: Numbers, rank: int) -> Numbers:
    """One number for each channel, broadcast along axis 1."""
    return None if values is None else np.reshape(values, (1, -1) + (1,) * (rank - 2))


def _through_norm(G: Array, normal: Array, rstd: Array, weight: Numbers, axes: tuple[int, ...]) -> Array:
    """(g − mean(g) − x̂ · mean(g · x̂)) / σ, with g = G · weight."""
    g = G if weight is None else G * weight
    means = np.mean(g, axes, keepdims=True), np.mean(g * normal, axes, keepdims=True)
    return rstd * (g - means[0] - normal * means[1])


def _layer(input: Array, mean: Array, rstd: Array, normalized: Array) -> tuple[Array, tuple[int, ...]]:
    width = np.size(normalized)
    return (input - mean) * rstd, tuple(range(input.ndim - width, input.ndim))


def norm_terms(stem: str, given: Mapping[str, Array]) -> tuple[Array, Array, Array, tuple[int, ...]]:
    """Terms of a norm: gradient · weight, the normalised input, 1 / σ, and the axes of the means."""
    G, input, weight = given["G"], given["input"], given.get("weight")
    if stem == "NativeLayerNorm":
        normal, axes = _layer(input, given["result1"], given["result2"], given["normalized_shape"])
        return (G if weight is None else G * weight), normal, given["result2"], axes
    g = G if weight is None else G * _channels(weight, G.ndim)
    if stem == "NativeBatchNorm":
        rstd = _channels(given["result2"], G.ndim)
        return g, (input - _channels(given["result1"], G.ndim)) * rstd, rstd, _axes_but(G.ndim, 1)
    rstd = np.reshape(given["result2"], (len(input), -1, 1))
    normal = (_groups(input, given["group"]) - np.reshape(given["result1"], (len(input), -1, 1))) * rstd
    return _groups(g, given["group"]), normal, rstd, (2,)


def layer_norm_input(G: Array, input: Array, mean: Array, rstd: Array, normalized: Array, weight: Numbers) -> Array:
    """layer_norm by its input."""
    normal, axes = _layer(input, mean, rstd, normalized)
    return _through_norm(G, normal, rstd, weight, axes)


def layer_norm_weight(G: Array, input: Array, mean: Array, rstd: Array, normalized: Array) -> Array:
    """layer_norm by its weight."""
    normal, axes = _layer(input, mean, rstd, normalized)
    return np.sum(G * normal, _axes_but(input.ndim, *axes))


def layer_norm_bias(G: Array, normalized: Array) -> Array:
    """layer_norm by its bias."""
    return np.sum(G, tuple(range(G.ndim - np.size(normalized))))


def batch_norm_input(G: Array, input: Array, mean: Array, rstd: Array, weight: Numbers) -> Array:
    """batch_norm in training by its input."""
    rank = input.ndim
    mean, rstd, weight = _channels(mean, rank), _channels(rstd, rank), _channels(weight, rank)
    return _through_norm(G, (input - mean) * rstd, rstd, weight, _axes_but(rank, 1))


def batch_norm_weight(G: Array, input: Array, mean: Array, rstd: Array) -> Array:
    """batch_norm by its weight."""
    normal = (input - _channels(mean, input.ndim)) * _channels(rstd, input.ndim)
    return np.sum(G * normal, _axes_but(input.ndim, 1))


def batch_norm_eval(G: Array, variance: Array, eps: Array, weight: Numbers) -> Array:
    """batch_norm in eval mode by its input: the running variance is a constant."""
    scale = _channels(1 / np.sqrt(variance + eps), G.ndim)
    return G * scale if weight is None else G * scale * _channels(weight, G.ndim)


def channel_sum(G: Array) -> Array:
    """The sum of each channel's entries."""
    return np.sum(G, _axes_but(G.ndim, 1))


def _groups(values: Array, count: Array) -> Array:
    return values.reshape(values.shape[0], int(count), -1)


def group_norm_input(G: Array, input: Array, mean: Array, rstd: Array, group: Array, weight: Numbers) -> Array:
    """group_norm by its input."""
    g = G if weight is None else G * _channels(weight, G.ndim)
    rstd = np.reshape(rstd, (len(input), -1, 1))
    normal = (_groups(input, group) - np.reshape(mean, (len(input), -1, 1))) * rstd
    return _through_norm(_groups(g, group), normal, rstd, None, (2,)).reshape(input.shape)


def group_norm_weight(G: Array, input: Array, mean: Array, rstd: Array, group: Array) -> Array:
    """group_norm by its weight."""
    normal = _groups(input, group) - np.reshape(mean, (len(input), -1, 1))
    normal = (normal * np.reshape(rstd, (len(input), -1, 1))).reshape(input.shape)
    return np.sum(G * normal, _axes_but(G.ndim, 1))


# ---- convolution ---------------------------------------------------------------------------------------------------


_MOST = 1 << 22  # entries of a padded input; of a larger one nothing is recorded that it could be compared with


def _bounded(shape: Sequence[int]) -> Sequence[int]:
    if math.prod(shape) > _MOST:
        raise ValueError(f"{math.prod(shape)} entries")
    return shape


class _Slide:
    """How a kernel slides: the positions of the padded input that each position of the kernel reads."""

    def __init__(self, stride: Array, padding: Array, dilation: Array) -> None:
        given = (np.atleast_1d(option).astype(int) for option in (stride, padding, dilation))
        self.stride, self.padding, self.dilation = given

    def taps(self, kernel: Sequence[int], reads: Sequence[int]):
        """Per position of the kernel: itself, and the slices of the padded input for all positions of the result."""
        for place in itertools.product(*map(range, _bounded(kernel))):
            slices = tuple(
                slice(k * d, k * d + (size - 1) * s + 1, s)
                for k, d, s, size in zip(place, self.dilation, self.stride, reads, strict=True)
            )
            yield place, (slice(None), slice(None), *slices)

    def padded(self, input: Array) -> Array:
        _bounded([n + 2 * int(p) for n, p in zip(input.shape[2:], self.padding, strict=True)])
        return np.pad(input, [(0, 0), (0, 0), *((p, p) for p in self.padding)])

    def cropped(self, padded: Array, sizes: Sequence[int]) -> Array:
        places = tuple(slice(p, p + size) for p, size in zip(self.padding, sizes, strict=True))
        return padded[(slice(None), slice(None), *places)]


def _by_groups(function: Callable[..., Array], axis: int, groups: int, *pairs: tuple[Array, int]) -> Array:
    """Each group of channels separately, joined along an axis."""
    if groups > max(array.shape[at] for array, at in pairs):
        raise ValueError(f"{groups} groups")
    parts = zip(*(np.split(array, groups, at) for array, at in pairs), strict=True)
    return np.concatenate([function(*part) for part in parts], axis)


def _forward(slide: _Slide, input: Array, weight: Array) -> Array:
    padded, kernel = slide.padded(input), weight.shape[2:]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, slide.dilation, strict=True)]
    sizes = [(n - r) // s + 1 for n, r, s in zip(padded.shape[2:], reach, slide.stride, strict=True)]
    out = np.zeros(_bounded((len(input), len(weight), *sizes)))
    for place, read in slide.taps(kernel, sizes):
        out += np.einsum("nc...,oc->no...", padded[read], weight[(..., *place)])
    return out


def _to_input(slide: _Slide, G: Array, weight: Array, sizes: Sequence[int]) -> Array:
    wide = [
        max(n + 2 * p, (g - 1) * s + (k - 1) * d + 1)
        for n, p, g, s, k, d in zip(
            sizes, slide.padding, G.shape[2:], slide.stride, weight.shape[2:], slide.dilation, strict=True
        )
    ]
    padded = np.zeros(_bounded((len(G), weight.shape[1], *wide)))
    for place, read in slide.taps(weight.shape[2:], G.shape[2:]):
        padded[read] += np.einsum("no...,oc->nc...", G, weight[(..., *place)])
    return slide.cropped(padded, sizes)


def _to_weight(slide: _Slide, G: Array, input: Array, kernel: Sequence[int]) -> Array:
    padded = slide.padded(input)
    out = np.zeros(_bounded((G.shape[1], input.shape[1], *kernel)))
    flat = G.reshape(*G.shape[:2], -1)
    for place, read in slide.taps(kernel, G.shape[2:]):
        seen = padded[read]
        out[(..., *place)] = np.einsum("nop,ncp->oc", flat, seen.reshape(*seen.shape[:2], -1))
    return out


def convolution_input(
    G: Array, weight: Array, stride: Array, padding: Array, dilation: Array, transposed: Array, groups: Array,
    shape: Sequence[int],
) -> Array:  # fmt: skip
    """A convolution by its input; for a transposed one with the two directions exchanged."""
    slide, count = _Slide(stride, padding, dilation), int(groups)
    if transposed:
        return _by_groups(lambda g, w: _forward(slide, g, w), 1, count, (G, 1), (weight, 0))
    return _by_groups(lambda g, w: _to_input(slide, g, w, shape[2:]), 1, count, (G, 1), (weight, 0))


def convolution_weight(
    G: Array, input: Array, stride: Array, padding: Array, dilation: Array, transposed: Array, groups: Array,
    shape: Sequence[int],
) -> Array:  # fmt: skip
    """A convolution by its kernel."""
    slide, count = _Slide(stride, padding, dilation), int(groups)
    above, below = (input, G) if transposed else (G, input)
    return _by_groups(lambda g, x: _to_weight(slide, g, x, shape[2:]), 0, count, (above, 1), (below, 1))


# ---- windows -------------------------------------------------------------------------------------------------------


def pooled_winner(G: Array, indices: Array, shape: Sequence[int], rank: int) -> Array:
    """Max pooling: each window's gradient goes to its largest entry."""
    lines = math.prod(shape[: len(shape) - int(rank)])
    out = np.zeros((lines, math.prod(shape[len(shape) - int(rank) :])))
    places = indices.reshape(lines, -1).astype(int)
    np.add.at(out, (np.arange(lines)[:, None], places), G.reshape(lines, -1))
    return out.reshape(shape)


def pooled_mean(
    G: Array, kernel: Array, stride: Array, padding: Array, include: Array, override: Numbers, shape: Sequence[int]
) -> Array:
    """Average pooling: each window's gradient, divided by its size, goes to all its entries."""
    kernel, padding = np.atleast_1d(kernel).astype(int), np.atleast_1d(padding).astype(int)
    stride = kernel if not np.size(stride) else np.atleast_1d(stride).astype(int)
    out, rank = np.zeros(shape), len(kernel)
    for at in itertools.product(*map(range, G.shape[-rank:])):
        start = [o * s - p for o, s, p in zip(at, stride, padding, strict=True)]
        sizes = shape[-rank:]
        end = [min(a + k, n + p) for a, k, n, p in zip(start, kernel, sizes, padding, strict=True)]
        inside = [(max(a, 0), min(b, n)) for a, b, n in zip(start, end, sizes, strict=True)]
        whole = math.prod(b - a for a, b in (zip(start, end, strict=True) if include else inside))
        size = whole if override is None else float(override)
        window: tuple[Any, ...] = (..., *(slice(a, b) for a, b in inside))
        out[window] += G[(..., *at)][(..., *(None,) * rank)] / size
    return out


def pooled_adaptive(G: Array, shape: Sequence[int], rank: int) -> Array:
    """Adaptive average pooling: windows of almost equal size."""
    out, rank = np.zeros(shape), int(rank)
    for at in itertools.product(*map(range, G.shape[-rank:])):
        inside = [
            (o * n // m, -(-(o + 1) * n // m)) for o, n, m in zip(at, shape[-rank:], G.shape[-rank:], strict=True)
        ]
        size = math.prod(b - a for a, b in inside)
        window: tuple[Any, ...] = (..., *(slice(a, b) for a, b in inside))
        out[window] += G[(..., *at)][(..., *(None,) * rank)] / size
    return out


# ---- entries looked up ---------------------------------------------------------------------------------------------


def embedded(G: Array, indices: Array, padding: Array, by_count: Array, shape: Sequence[int]) -> Array:
    """An embedding: every row gets the sum over the positions that looked it up; the padding row gets nothing."""
    rows, out = indices.reshape(-1).astype(int), np.zeros(shape)
    if rows.max(initial=0) >= shape[0]:
        raise IndexError("a row that does not exist")
    given = G.reshape(len(rows), -1)
    if by_count:
        given = given / np.bincount(rows, minlength=shape[0])[rows][:, None]
    kept = rows != int(padding)
    np.add.at(out, rows[kept], given[kept])
    return out


def placed(G: Array, indices: Array, dim: Array, shape: Sequence[int]) -> Array:
    """max, sort, topk, gather and the like along an axis: each gradient goes to the chosen entry."""
    if not shape:
        return np.sum(G).reshape(())
    axis, where = int(np.ravel(dim)[0]) % len(shape), indices.astype(int)
    if where.ndim < len(shape):
        where = np.expand_dims(where, axis)
    given = G if G.ndim == where.ndim else np.expand_dims(G, axis)
    grid = list(np.indices(where.shape))
    grid[axis] = where
    out = np.zeros(shape)
    np.add.at(out, tuple(grid), given)
    return out


def selected(G: Array, index: Array, dim: Array, shape: Sequence[int]) -> Array:
    """index_select: each slice of the gradient is added to the chosen one."""
    axis, out = int(np.ravel(dim)[0]) % max(len(shape), 1), np.zeros(shape)
    np.add.at(np.moveaxis(out, axis, 0), np.atleast_1d(index).astype(int), np.moveaxis(G, axis, 0))
    return out


def labelled(
    G: Array, target: Array, weight: Numbers, reduction: Array, ignored: Array, total: Array, shape: Sequence[int]
) -> Array:
    """nll_loss: −weight[label] at each label, divided by the sum of those weights for a mean."""
    axis = 1 if len(shape) > 1 else 0
    labels, out = np.asarray(target).astype(int), np.zeros(shape)
    counted = labels != int(ignored)
    safe = np.where(counted, labels, 0)
    scale = np.where(counted, 1.0 if weight is None else np.asarray(weight)[safe], 0.0)
    scale = scale / total if int(reduction) == 1 else scale
    grid: list[Array] = list(np.indices(labels.shape))
    grid.insert(axis, safe)
    np.add.at(out, tuple(grid), -scale * G)
    return out


# ---- entries moved -------------------------------------------------------------------------------------------------


def reshaped(G: Array, shape: Sequence[int]) -> Array:
    """view, squeeze and the like: the same entries in the same order."""
    return G.reshape(shape)


def transposed(G: Array, array: Array, other: Array) -> Array:
    """transpose by its input."""
    return np.swapaxes(G, int(array), int(other))


def permuted(G: Array, dims: Array) -> Array:
    """permute by its input."""
    return np.transpose(G, np.argsort([int(dim) % G.ndim for dim in dims]))


def flipped(G: Array, dims: Array) -> Array:
    """flip by its input."""
    return np.flip(G, tuple(int(dim) for dim in dims))


def cut_out(G: Array, dim: Array, start: Array, end: Array, step: Array, shape: Sequence[int]) -> Array:
    """A slice: the gradient at its positions, 0 elsewhere."""
    out, axis = np.zeros(shape), int(np.ravel(dim)[0])
    np.moveaxis(out, axis, 0)[int(start) : int(min(end, shape[axis])) : int(step)] = np.moveaxis(G, axis, 0)
    return out


def taken(G: Array, dim: Array, index: Array, shape: Sequence[int]) -> Array:
    """select: the gradient at its position, 0 elsewhere."""
    out, axis = np.zeros(shape), int(np.ravel(dim)[0])
    lines = np.moveaxis(out, axis, 0)
    lines[int(index)] = G.reshape(lines.shape[1:])
    return out


# ---- running sums and products, attention --------------------------------------------------------------------------


def after(G: Array, dim: Array) -> Array:
    """The sum of the gradients from each position on."""
    return np.flip(np.cumsum(np.flip(G, int(np.ravel(dim)[0])), int(np.ravel(dim)[0])), int(np.ravel(dim)[0]))


def running_product(G: Array, self: Array, dim: Array) -> Array:
    """cumprod: from each position on, the product of the other factors."""
    axis = int(np.ravel(dim)[0])
    lines, given, out = np.moveaxis(self, axis, -1), np.moveaxis(G, axis, -1), np.zeros(self.shape)
    turned = np.moveaxis(out, axis, -1)
    for i in range(lines.shape[-1]):
        without = lines.copy()
        without[..., i] = 1
        turned[..., i] = np.sum((given * np.cumprod(without, -1))[..., i:], -1)
    return out


def others(self: Array, dim: Numbers = None) -> Array:
    """The product of the other entries, along an axis or of all."""
    axis = None if dim is None or not self.ndim else int(np.ravel(dim)[0])
    lines = self.reshape(-1) if axis is None else np.moveaxis(self, axis, -1)
    out = np.ones(lines.shape)
    for i in range(lines.shape[-1]):
        out[..., i] = np.prod(np.delete(lines, i, -1), -1)
    return out.reshape(self.shape) if axis is None else np.moveaxis(out, -1, axis)


def _attention(query: Array, key: Array, logsumexp: Array, scale: Numbers, causal: Array, mask: Numbers):
    size = 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
    scores = query @ np.swapaxes(key, -1, -2) * size
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    return np.exp(scores - logsumexp[..., None]), size


def attended(
    which: int, G: Array, query: Array, key: Array, value: Array, logsumexp: Array, scale: Numbers, causal: Array,
    mask: Numbers,
) -> Array:  # fmt: skip
    """scaled_dot_product_attention by the query (0), the key (1) or the value (2)."""
    share, size = _attention(query, key, logsumexp, scale, causal, mask)
    if which == 2:
        return np.swapaxes(share, -1, -2) @ G
    by_share = G @ np.swapaxes(value, -1, -2)
    by_score = share * (by_share - np.sum(by_share * share, -1, keepdims=True)) * size
    return by_score @ key if which == 0 else np.swapaxes(by_score, -1, -2) @ query


FUNCTIONS: dict[str, Callable[..., Array]] = {
    function.__name__: function
    for function in (
        layer_norm_input, layer_norm_weight, layer_norm_bias, batch_norm_input, batch_norm_weight, batch_norm_eval,
        channel_sum, group_norm_input, group_norm_weight, convolution_input, convolution_weight, pooled_winner,
        pooled_mean, pooled_adaptive, embedded, placed, selected, labelled, reshaped, transposed,
        permuted, flipped, cut_out, taken, after, running_product, others, attended,
    )
}  # fmt: skip
