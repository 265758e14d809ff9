"""The numbers of one equation, written together: what is printed holds when it is computed again from what is printed.

Nothing formats a number alone that stands in an equation.
"""

import cmath
import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from explorer.text.numbers import DIGITS, EXACT, MINUS, Number, number

_FINEST = (EXACT, 9, 17)  # digits of the operands of an equation that only nearly holds; more only where numbers cancel
_NEAR = 0.02  # relative difference up to which ≈ stands
_WHOLE = 1e-7  # relative difference up to which a computed number is a whole one
_SINGLE = 1e-7  # share of the largest operand that rounding in single precision may leave

Compute = Callable[[list[Number]], Number]
Case = tuple[Compute, Sequence[Number], Number]  # operands and result of one equation


class Equation(Struct, frozen=True):
    """An equation as texts.

    Attributes:
        operands, result: the numbers; sign: = or ≈, "" if they do not give it; digits: of rounded operands.
    """

    operands: tuple[str, ...]
    sign: str
    result: str
    digits: int

    @property
    def about(self) -> str:
        """What stands before the operands where there is no sign: "≈ " or ""."""
        return approx(self.sign)


def written_equation(
    compute: Compute,
    operands: Sequence[Number],
    result: Number,
    *,
    signed: bool = False,
    digits: int = DIGITS,
) -> Equation:
    """The texts of an equation's numbers, with as many digits of the operands as make it hold, at most six.

    Args:
        compute: the result, from the operands.
        signed: a plus before a positive result.
        digits: of the result where it is rounded, and the fewest of operands.

    >>> written_equation(sum, [1.001, 0.0004], 1.0014)
    Equation(operands=('1.001', '0.0004'), sign='=', result='1.0014', digits=3)
    >>> written_equation(lambda x: x[0] ** 2, [2.596123456], 2.596123456**2).operands
    ('2.596',)
    """
    found, sign = digits_of(compute, operands, result, digits)
    texts = tuple(number(operand, digits=found) for operand in operands)
    return Equation(texts, sign, number(result, signed, digits), found)


def written_product(factors: Sequence[Number], product: Number, signed: bool = False, digits: int = DIGITS) -> Equation:
    """The texts of a product."""
    return written_equation(math.prod, factors, product, signed=signed, digits=digits)


def digits_of(compute: Compute, operands: Sequence[Number], result: Number, digits: int = DIGITS) -> tuple[int, str]:
    """With how many digits the operands give the result that is printed with so many, and = or ≈; "" if they do not."""
    return digits_of_all([(compute, operands, result)], digits)


def digits_of_all(cases: Iterable[Case], digits: int = DIGITS) -> tuple[int, str]:
    """The same for several equations that are written as one, such as those of lists, entry by entry."""
    cases = list(cases)
    for finer in range(digits, EXACT + 1):
        if all(holds(_again(*case[:2], finer), case[2], digits, case[1]) for case in cases):
            return finer, "="
    for finer in (digits, *_FINEST):
        if all(_is_near(_again(*case[:2], finer), *case[:0:-1]) for case in cases):
            return finer, "≈"
    return digits, ""


def approx(sign: str) -> str:
    """What stands before a number where there is no sign: "≈ " if the equation holds only nearly."""
    return "" if sign == "=" else "≈ "


def chain(sides: Iterable[str]) -> str:
    """The sides of an equation joined; before a side that begins with ≈ stands no =.

    >>> chain(["y", "2.6", "≈ log(13.5)"])
    'y = 2.6 ≈ log(13.5)'
    """
    return " = ".join(sides).replace(" = ≈ ", " ≈ ")


def holds(found: Number, result: Number, digits: int = DIGITS, operands: Sequence[Number] = ()) -> bool:
    """Whether a computed number is the one that is printed for a result; a whole number is meant as one."""
    if isinstance(found, complex) or isinstance(result, complex):
        ends = [(complex(each).real, complex(each).imag) for each in (found, result)]
        return all(holds(one, other, digits, operands) for one, other in zip(*ends, strict=True))
    if not (math.isfinite(found) and math.isfinite(result)):
        return found == result or (found != found and result != result)
    text = number(result, digits=digits)
    told = read(text)
    mantissa, _, power = text.lstrip(MINUS).partition("e")
    if "." not in mantissa and not power:
        scale = abs(told) or max((abs(operand) for operand in operands), default=0)
        return bool(abs(found - told) <= _WHOLE * scale)
    places = len(mantissa.partition(".")[2]) - int(power.replace(MINUS, "-") or 0)
    least = DIGITS - 1 - math.floor(math.log10(abs(told)))  # 0.3 says 0.300
    return bool(abs(found - told) <= 0.5 * 10.0 ** -max(places, least))


def read(text: str) -> float:
    """A finite real number as it was written by `number`.

    >>> read("−1.2e−5")
    -1.2e-05
    """
    return float(text.replace(MINUS, "-")) if text not in ("T", "F") else float(text == "T")


def _again(compute: Compute, operands: Sequence[Number], digits: int) -> Number:
    """What is computed from operands as they are printed; NaN where that cannot be computed."""
    try:
        return compute([_printed(operand, digits) for operand in operands])
    except (ValueError, ArithmeticError):
        return math.nan


@lru_cache(4096, typed=True)  # what an equation tries with one digit more it tries for all of its entries
def _printed(value: Number, digits: int) -> Number:
    if isinstance(value, complex):
        return complex(_printed(value.real, digits), _printed(value.imag, digits))
    return read(number(value, digits=digits)) if math.isfinite(value) else value


def _is_near(found: Number, result: Number, operands: Sequence[Number]) -> bool:
    """Whether a computed number differs from the result by a little, or by what single precision rounds off."""
    if isinstance(found, float) and isinstance(result, float) and not math.isfinite(result):
        return found == result or (found != found and result != result)
    if not (cmath.isfinite(found) and cmath.isfinite(result)):
        return False
    scale = max((abs(operand) for operand in operands if cmath.isfinite(operand)), default=0)
    return bool(abs(found - result) <= max(_NEAR * abs(result), _SINGLE * scale))
