"""Parse a user's answers about gradients without evaluating them."""

import math
import unicodedata
from itertools import pairwise

from explorer.safe_regex import plain

LONGEST = 60  # longest answer, in characters
CLOSE = 5e-3  # relative distance at which a number counts as the answer
SMALL = 1e-6  # a zero with float32 rounding
DIGITS = (2, 3, 4)  # significant digits to which an answer may be rounded
MOST_POWER = 1000  # largest exponent
_WRITTEN = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "∙": "*", "÷": "/", "⁄": "/", "。": ".", "[": "(", "]": ")"}
)
_RAISED = plain(r"[⁺⁻]?[⁰¹²³⁴-⁹]+")
_NUMBER = plain(r"(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+")
_DECIMAL_COMMA = plain(r"[+-]?+\d++,\d++$")
_THOUSANDS = plain(r"[+-]?+\d{1,3}+(?:[ ,_]\d{3})++(?:\.\d*+)?+$")
_SIGNS = frozenset("+-*/()^") | {"**"}
_SIZE = plain(r"\d++")
_SHAPE = plain(r"(?:torch\.Size)?+[\d(\[ ,x*\])]++$")


def read_numbers(text: str) -> tuple[float, ...]:
    """Return the numbers that a text may mean, () if none.

    Accepts forms such as 0.5, 0,5, 2e-3, 1/3, 2**-3, 5·10⁻¹ and (1 + 2)/4.

    >>> read_numbers("1/3"), read_numbers("x = −０，5"), read_numbers("5·10⁻¹"), read_numbers("abc")
    ((0.3333333333333333,), (-0.5,), (0.5,), ())
    >>> read_numbers("1,000")  # a half of the world means one, the other a thousand
    (1.0, 1000.0)
    """
    text = _plain(text).rpartition("=")[2].strip()
    percent = text.endswith("%")
    text = text[:-1] if percent else text
    if not text or len(text) > LONGEST:
        return ()
    written = [text.replace(",", ".")] if _DECIMAL_COMMA.match(text) else []
    written += [text.replace(",", "").replace(" ", "").replace("_", "")] if _THOUSANDS.match(text) else []
    numbers = [_read(one) for one in written or [text]]
    return tuple(number / 100 if percent else number for number in numbers if number is not None)


def _read(text: str) -> float | None:
    try:
        number = _GuessReader(text).read()
    except (ValueError, ZeroDivisionError, OverflowError, RecursionError):
        return None
    return number if math.isfinite(number) else None


def read_shape(text: str) -> tuple[int, ...] | None:
    """Parse a shape such as (2, 3) or 2 x 3, or return None.

    >>> read_shape("(4,)"), read_shape("2×3"), read_shape("()"), read_shape("four")
    ((4,), (2, 3), (), None)
    """
    text = _plain(text).replace("X", "x")
    if not text or len(text) > LONGEST or not _SHAPE.match(text):
        return None
    return tuple(int(size) for size in _SIZE.findall(text))


def is_number(guess: float, answer: float) -> bool:
    """Return whether a guess matches in two digits or within half a percent.

    >>> is_number(0.33, 1 / 3), is_number(0.66, 2 / 3), is_number(4.0, 2.0)
    (True, True, False)
    >>> is_number(4.0, math.nan)  # NaN cannot be typed
    False
    """
    if not math.isfinite(answer):
        return False
    if abs(answer) <= SMALL:
        return abs(guess) <= SMALL
    if abs(guess - answer) <= CLOSE * abs(answer):
        return True
    rounded = [float(f"{answer:.{digits - 1}e}") for digits in DIGITS]
    step = 10.0 ** (math.floor(math.log10(abs(answer))) - 1)
    cut = math.trunc(answer / step) * step  # the answer may be truncated instead of rounded
    return any(math.isclose(guess, rounding, rel_tol=1e-9) for rounding in (*rounded, cut))


def _plain(text: str) -> str:
    """Return ASCII text: full-width characters, ½ and typographic signs are replaced."""
    text = _RAISED.sub(lambda power: f"**({power[0]})", text[: 4 * LONGEST])
    text = "".join(
        f"({unicodedata.normalize('NFKC', character)})"
        if unicodedata.decomposition(character).startswith("<fraction>")
        else character
        for character in text
    )
    return unicodedata.normalize("NFKC", text).translate(_WRITTEN).strip()


class _GuessReader:
    """Reads sums of products of numbers and brackets, from left to right."""

    def __init__(self, text: str) -> None:
        self.parts = _parts(text)
        self.at = 0

    def read(self) -> float:
        total = self._sum()
        if self.at < len(self.parts):
            raise ValueError
        return total

    def _next(self, *wanted: str) -> str:
        """Consume and return the next sign if it is one of these, otherwise ""."""
        here = self.parts[self.at] if self.at < len(self.parts) else ""
        self.at += here in wanted
        return here if here in wanted else ""

    def _sum(self) -> float:
        total = self._product()
        while sign := self._next("+", "-"):
            total = total + self._product() if sign == "+" else total - self._product()
        return total

    def _product(self) -> float:
        product = self._factor()
        while sign := self._next("*", "/"):
            product = product * self._factor() if sign == "*" else product / self._factor()
        return product

    def _factor(self) -> float:
        if sign := self._next("+", "-"):
            return -self._factor() if sign == "-" else self._factor()
        base = self._base()
        if not self._next("**", "^"):
            return base
        power = self._factor()
        if abs(power) > MOST_POWER or isinstance(raised := base**power, complex):
            raise ValueError
        return float(raised)

    def _base(self) -> float:
        if self._next("("):
            total = self._sum()
            if not self._next(")"):
                raise ValueError
            return total
        if self.at == len(self.parts):
            raise ValueError
        self.at += 1
        return float(self.parts[self.at - 1])


def _parts(text: str) -> list[str]:
    """Split into numbers and signs. Raises ValueError for anything else or adjacent numbers."""
    parts, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] in "+-*/()^":
            sign = "**" if text.startswith("**", at) else text[at]
            parts.append(sign)
            at += len(sign)
        elif number := _NUMBER.match(text, at):
            parts.append(number[0])
            at = number.end()
        else:
            raise ValueError
    if any(token not in _SIGNS and other not in _SIGNS for token, other in pairwise(parts)):
        raise ValueError
    return parts
