"""How many digits to write so that a sum or a product adds up as written."""

import math
from collections.abc import Callable, Sequence

from explorer.text.numbers import DIGITS, number, rounded_to
from explorer.trace import Number

MOST = 8  # digits; single precision has seven


def digits_of_sum(parts: Sequence[Number], total: Number) -> int:
    """The number of digits at which the written parts add up to the total written with three.

    >>> digits_of_sum([-1.6522, 0.65218], -1.0)  # −1.65 + 0.652 would give −0.998
    4
    """
    return digits_of(sum, parts, total)


def digits_of(
    combine: Callable[[list[Number]], Number], parts: Sequence[Number], total: Number, of_total: int = DIGITS
) -> int:
    """The number of digits of the parts at which they add up to the total written with so many."""
    if not parts or isinstance(total, complex) or not math.isfinite(total):
        return DIGITS
    for digits in range(DIGITS, MOST + 1):
        found = combine([_written(part, digits) for part in parts])
        if number(found, digits=of_total) == number(total, digits=of_total):
            return digits
    return DIGITS


def digits_of_product(factors: Sequence[Number], product: Number, digits: int) -> int:
    """The number of digits of factors at which they give a product written with so many."""
    return digits_of(lambda found: math.prod(map(_real, found)), factors, product, digits)


def _written(value: Number, digits: int) -> Number:
    return value if isinstance(value, bool | complex) else rounded_to(float(value), digits)


def _real(value: Number) -> float:
    return value.real if isinstance(value, complex) else float(value)
