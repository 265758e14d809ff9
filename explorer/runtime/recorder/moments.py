"""Mean and norm of many float32 numbers: rows are summed in single precision, their sums in double precision.

Asking torch for double precision widens every entry first, which takes seven times as long.
"""

import math

import torch

_ROW = 1024  # entries summed before widening: so few that single precision loses nothing visible
_SMALLEST, _LARGEST = 1e-9, 1e15  # between these the squares of significant entries stay in range
_FARTHEST = 100  # powers of two by which numbers can be scaled into that range


def in_memory_order(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor's entries as one axis: without a copy if they fill their memory.

    Their order is not kept: statistics do not depend on it, and rows of a transposed matrix lie far apart.
    """
    order = sorted(range(tensor.dim()), key=tensor.stride, reverse=True)
    return tensor.permute(order).reshape(-1)


def mean_and_norm(numbers: torch.Tensor, largest: float) -> tuple[float, float]:
    """Mean and norm of finite numbers, at least one; `largest` is their largest magnitude."""
    if not largest:
        return 0.0, 0.0
    power = math.frexp(largest)[1]
    if numbers.dtype is not torch.float32 or numbers.dim() != 1 or abs(power) > _FARTHEST:
        norm = float(torch.linalg.vector_norm(numbers, dtype=torch.float64))
        return float(numbers.mean(dtype=torch.float64)), norm
    if not _SMALLEST < largest < _LARGEST:  # as second moments of Adam often are
        mean, norm = mean_and_norm(numbers * 2.0**-power, 1.0)
        return math.ldexp(mean, power), math.ldexp(norm, power)
    rows, rest = _rows(numbers)
    norm = float(torch.linalg.vector_norm(torch.linalg.vector_norm(rows, dim=1), dtype=torch.float64))
    if len(rest):
        norm = math.hypot(norm, float(torch.linalg.vector_norm(rest, dtype=torch.float64)))
    return _total(numbers) / len(numbers), norm


def without_nonfinite(numbers: torch.Tensor, low: float, high: float) -> tuple[torch.Tensor, float, float, int, int]:
    """Numbers with 0 for non-finite ones; least and largest of the others; how many are not finite, how many NaN.

    Least and largest of all are given: NaN where one is.
    In arithmetic alone: to compare takes torch five times as long.
    """
    kept = numbers.nan_to_num(0.0, 0.0, 0.0)
    bad = numbers - kept  # 0, or the non-finite number
    nonfinite = round(_total(bad.nan_to_num(1.0, 1.0, 1.0)))
    nans = 0
    if math.isnan(low):
        nans = round(_total(bad.nan_to_num(1.0, 0.0, 0.0)))
    if not math.isfinite(low):
        low = float(numbers.nan_to_num(math.inf, math.inf, math.inf).amin())
    if not math.isfinite(high):
        high = float(numbers.nan_to_num(-math.inf, -math.inf, -math.inf).amax())
    return kept, low, high, nonfinite, nans


def _rows(numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    whole = len(numbers) // _ROW * _ROW
    return numbers[:whole].view(-1, _ROW), numbers[whole:]


def _total(numbers: torch.Tensor) -> float:
    """The sum, exact for whole numbers up to 1."""
    if numbers.dtype is not torch.float32 or numbers.dim() != 1:
        return float(numbers.sum(dtype=torch.float64))
    rows, rest = _rows(numbers)
    total = float(rows.sum(1).sum(dtype=torch.float64))
    return total + float(rest.sum(dtype=torch.float64)) if len(rest) else total
