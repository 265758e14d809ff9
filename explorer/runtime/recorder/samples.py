"""Summaries at detail "light": of a large tensor the least, largest and mean entry are those of a sample."""

import math
from functools import lru_cache

import numpy as np
import torch

from explorer.runtime.recorder.summary_cache import Summary

ABOVE = 1 << 14  # entries above which a tensor is sampled
_RUN, _RUNS = 16, 128  # neighbouring entries read together, as many as a line of the cache holds; how many times
_PIECE = 1 << 17  # entries whose squares are added in single precision, which loses less than a part in 10 000
_SMALLEST = 1e-24  # mean square below which single precision loses digits


def small_summary(entries: np.ndarray) -> Summary | None:
    """As `light_summary`, of few entries: all are read, in single precision. None where that says too little."""
    square = float(np.einsum("i,i->", entries, entries))
    if not _SMALLEST * len(entries) < square < math.inf:
        return None
    low, high = float(np.minimum.reduce(entries)), float(np.maximum.reduce(entries))
    return low, high, float(np.add.reduce(entries)) / len(entries), math.sqrt(square), 0, 0, 0


def light_summary(numbers: torch.Tensor) -> Summary | None:
    """As `summary_of`, of a large flat tensor of floats: one pass, for the norm and whether all are finite.

    None where this says too little: the entries of the sample are equal, or single precision does not hold the squares.
    """
    count = numbers.numel()  # len() of a tensor is a function in Python
    pieces = (numbers,) if count <= _PIECE else numbers.split(_PIECE)
    square, nonfinite, nans = sum([float(torch.dot(piece, piece)) for piece in pieces]), 0, 0
    if not math.isfinite(square):
        found = [_finite_squares(piece) for piece in pieces]
        square, nonfinite, nans = (sum(column) for column in zip(*found, strict=True))
    if not _SMALLEST * count < square < math.inf:
        return None
    sample = picked(numbers)
    if nonfinite:
        sample = sample[np.isfinite(sample)]
    low, high = (float(np.minimum.reduce(sample)), float(np.maximum.reduce(sample))) if len(sample) else (0.0, 0.0)
    if low == high:
        return None
    return low, high, float(np.add.reduce(sample)) / len(sample), math.sqrt(square), nonfinite, nans, len(sample)


def picked(numbers: torch.Tensor) -> np.ndarray:
    """The sample of a large flat tensor: runs at equal distances."""
    return numbers.as_strided(*_runs(numbers.numel())).to("cpu", torch.float64).numpy().ravel()


def sample_size(count: int) -> int:
    """How many entries are in the sample of so many, 0 where all are taken."""
    return math.prod(_runs(count)[0]) if count > ABOVE else 0


@lru_cache(maxsize=10_000)
def _runs(count: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The shape and the strides of the sample. The distance has no divisor in common with any axis: runs begin in all
    columns.
    """
    step = -(-count // _RUNS)
    while math.gcd(step, count) > 1:
        step += 1
    return ((count - _RUN) // step + 1, _RUN), (step, 1)


def _finite_squares(numbers: torch.Tensor) -> tuple[float, int, int]:
    """The sum of the squares of the finite entries, how many are not finite, how many NaN.

    In arithmetic alone: to compare takes torch five times as long.
    """
    kept = numbers.nan_to_num(0.0, 0.0, 0.0)
    nonfinite = round(float((numbers - numbers).nan_to_num_(1.0).sum()))
    nans = round(float((numbers - kept).nan_to_num_(1.0, 0.0, 0.0).sum())) if nonfinite else 0
    return float(torch.dot(kept, kept)), nonfinite, nans
