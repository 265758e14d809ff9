"""Bounds for a gradient from which nothing can be learned, for reports and for watching a training."""

MOST = 0.5  # share of an optimizer's weights: if more get nothing, the optimizer hardly trains
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
UNNOTICED = ROUNDING["float32"]  # also for half precision, which is updated in float32
ARRIVED = 1e-5  # from this sensitivity, a gradient inside the graph counts as large
CANCELLED = 1e-4  # share of a large gradient; an operation that passes on less sums terms that cancel


def sensitivity(gradient: float, weight: float, loss: float) -> float:
    """Return the relative change of the loss if a weight changes by its own size.

    >>> sensitivity(1e-9, 4.0, 2.0)
    2e-09
    """
    return gradient * max(weight, 1.0) / abs(loss)


def is_unnoticed(gradient: float, weight: float, loss: float, dtype: str) -> bool:
    """Return whether the loss does not notice, beyond rounding, a change of a weight by its own size."""
    return sensitivity(gradient, weight, loss) < min(ROUNDING.get(dtype, 0.0), UNNOTICED)
