"""Numbers, equations and program text in readable form: for pictures, tables and sentences.

The numbers of one equation are written together, with enough digits for it to hold when recomputed.
"""

import cmath
import math
import struct
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from explorer.safe_regex import plain

Number = int | float | complex | bool

MINUS = "−"
DIGITS = 3  # digits of a rounded number
FULL = 7  # digits of a full number: the precision of float32
KEPT = 8192  # cached texts of numbers; one run writes them several times
EXACT = 6  # up to this many digits, a number is written exactly
PLAIN, LARGE = 1e6, 1e5  # from here on, exact and rounded numbers have a power of ten
_NOISE = 3e-7  # relative rounding of a sum in single precision
_SINGLE = struct.Struct("f")
_INNER_MODULE = plain(r"(?<=[(, ])(torch|nn\.functional|functional|F)\.(?=[a-z_]+\()")  # module prefix of a nested call
_BETWEEN = "+-*/%@<>=&|^,.: "  # operands and steps
_BEFORE, _AFTER = ("", *" ([{."), ("", *" ,)]}.")  # neighbours of whole operands and steps
_PATH = plain(r"\b[^\W\d]\w*+(?:\.[\w*]++){2,}+|^[^\W\d]\w*+\.[\w*]++$")
_BEGINNING = 3  # letters that identify a name


def number(value: Number, signed: bool = False, digits: int = DIGITS, exact: bool = True) -> str:
    """Write a number exactly if six digits suffice, otherwise rounded.

    In single precision the limit is five digits, because others have six by chance. A rounded number keeps its zeros
    and never looks whole. A number within single-precision rounding of a short number is written as that number.
    `written_equation` writes the numbers of an equation.

    Args:
        signed: plus sign for positive numbers, as for gradients.
        exact: whether longer numbers are exact if six digits suffice. Otherwise only whole numbers are. `numbers`
            writes a tensor's entries alike.

    >>> number(-0.123456789), number(6.0, signed=True), number(float("inf")), number(True), number(2e-5)
    ('−0.123', '+6', '∞', 'T', '2e−5')
    >>> number(1.0014), number(0.99951234), number(0.1 + 0.2), number(825 / 7), number(1234567.0)
    ('1.0014', '1.00', '0.3', '117.9', '1.23e6')
    """
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, complex):
        imaginary = number(value.imag, True, digits, exact)
        plus = "" if imaginary[0] in "+−" else "+"
        return f"{number(value.real, signed, digits, exact)}{plus}{imaginary}j"
    if math.isnan(value):
        return "NaN"
    sign = MINUS if value < 0 else "+" if signed and value > 0 else ""
    size = abs(value)
    if math.isinf(size):
        return f"{sign}∞"
    text = _exact(size)
    if not text or (not exact and size != int(size) and len(_significant(text)) > digits):
        text = _round(size, digits)
    mantissa, _, exponent = text.partition("e")
    return sign + (f"{mantissa}e{str(int(exponent)).replace('-', MINUS)}" if exponent else mantissa)


def rounded(value: Number, signed: bool = False, digits: int = DIGITS) -> str:
    """Write a number like its rounded neighbours in a sum, with all digits. Whole numbers and complex ones as `number`.

    >>> rounded(1.2), rounded(-0.5, digits=4), rounded(3.0)
    ('1.20', '−0.5000', '3')
    """
    text = number(value, signed, digits, exact=False)
    if isinstance(value, bool | complex) or not math.isfinite(value) or value == int(value):
        return text
    full = _round(abs(value), digits)
    return text if "e" in full else (text[0] if text[0] in f"+{MINUS}" else "") + full


def in_full(value: Number, signed: bool = False) -> str:
    """Write a number with FULL digits (all of float32) without trailing zeros.

    >>> in_full(1 / 3, signed=True), in_full(-2.5e-7), in_full(0.1 + 0.2)
    ('+0.3333333', '−2.5e−7', '0.3')
    """
    if isinstance(value, bool | complex) or not math.isfinite(value):
        return number(value, signed, FULL)
    text = f"{value:.{FULL}g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}e{int(exponent)}"
    return ("+" if signed and value > 0 else "") + text.replace("-", MINUS)


def _significant(text: str) -> str:
    """Return a written number's digits from the first nonzero one."""
    return text.partition("e")[0].replace(".", "").lstrip("0")


def are_exact(entries: Iterable[Number]) -> bool:
    """Return whether all these numbers can be written exactly.

    >>> are_exact([1.5, 0.15625]), are_exact([1.5, 1 / 3])
    (True, False)
    """
    return all(
        _exact(abs(part))
        for entry in entries
        for part in ((entry.real, entry.imag) if isinstance(entry, complex) else (entry,))
        if isinstance(part, float) and math.isfinite(part)
    )


def numbers(entries: Sequence[Number], signed: bool = False, digits: int = DIGITS) -> list[str]:
    """Write a tensor's entries alike: all exact or all rounded.

    >>> numbers([2.25, 0.015625]), numbers([2.25, 0.015625, 1 / 3])
    (['2.25', '0.015625'], ['2.25', '0.0156', '0.333'])
    """
    exact = are_exact(entries)
    return [number(entry, signed, digits, exact) for entry in entries]


def json_number(value: Number | None) -> int | float | bool | str | None:
    """Return a number for JSON. NaN, infinity and complex numbers become strings.

    >>> [json_number(1.5), json_number(math.inf), json_number(1 + 2j)]
    [1.5, 'inf', '1+2j']
    """
    if isinstance(value, complex):
        return str(value).strip("()")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@lru_cache(KEPT)
def _exact(size: float) -> str:
    """Write a number of at most EXACT digits exactly, otherwise ""."""
    if size < PLAIN and size == int(size):
        return str(int(size))
    text = f"{size:.{DIGITS + 1}g}"
    if abs(float(text) - size) > _NOISE * size:
        text = f"{size:.{EXACT}g}"
        if float(text) != size and not _is_single(text := f"{size:.{EXACT - 1}g}", size):
            return ""
    return f"{float(text):.0f}" if "e" in text and 1 <= size < PLAIN else text


def _is_single(text: str, size: float) -> bool:
    """Return whether a float32 number is the nearest to a short number."""
    try:
        return bool(_SINGLE.unpack(_SINGLE.pack(float(text)))[0] == size)
    except OverflowError:
        return False


def _round(size: float, digits: int) -> str:
    whole = len(str(int(size))) if size < LARGE else 0
    text = f"{size:#.{max(digits, whole + 1 if whole > 1 else 1)}g}" if size < LARGE else f"{size:.{digits - 1}e}"
    return text.replace(".e", "e") if text[-1] != "." else f"{size:.1f}"


def fitted(value: Number, cells: int, signed: bool = False, exact: bool = True) -> str:
    """Write a number with as many digits as fit, … if none does.

    >>> fitted(0.01129, 6), fitted(0.01129, 5), fitted(12345, 4)
    ('0.0113', '0.011', '…')
    """
    texts = (number(value, signed, exact=exact), *(_coarse(value, signed, digits) for digits in range(DIGITS, 0, -1)))
    return next((text for text in texts if len(text) <= cells), "…")


def _coarse(value: Number, signed: bool, digits: int) -> str:
    """Round a number for a small cell."""
    size = abs(value)
    if isinstance(value, complex) or not math.isfinite(size):
        return number(value, signed, digits)
    whole = len(str(int(size))) if size < PLAIN else 0
    rounded = float(f"{size:.{max(digits, whole)}g}")
    return number(math.copysign(size if math.isinf(rounded) else rounded, value), signed)


def without_number(entries: Iterable[float | complex], nans: int) -> str:
    """Return the text for a value without finite entries: NaN or infinities.

    >>> without_number((-math.inf, -math.inf), 0)
    '−∞'
    """
    if nans:
        return "NaN"
    signs = {number(entry) for entry in entries}
    return signs.pop() if len(signs) == 1 else "±∞"


def bytes_text(count: int) -> str:
    """Write a number of bytes with a decimal unit.

    >>> bytes_text(640), bytes_text(1_240), bytes_text(48_000_000)
    ('640 B', '1.24 kB', '48 MB')
    """
    units, size, at = ("B", "kB", "MB", "GB"), float(count), 0
    while size >= 999.5 and at + 1 < len(units):
        size, at = size / 1000, at + 1
    return f"{number(float(f'{size:.{DIGITS}g}'))} {units[at]}"


def sizes(shape: Sequence[int]) -> str:
    """Write a shape as Python does.

    >>> sizes(()), sizes((3,)), sizes((2, 3))
    ('()', '(3,)', '(2, 3)')
    """
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def shape_text(shape: Sequence[int]) -> str:
    """Write a shape for a sentence: (4, 5), (3,), and "" for a scalar."""
    return sizes(shape) if shape else ""


def axes_text(axes: Sequence[int]) -> str:
    """Write axes for a sentence: 0, or (0, 1).

    >>> axes_text((1,)), axes_text((0, 1))
    ('1', '(0, 1)')
    """
    return str(axes[0]) if len(axes) == 1 else shape_text(tuple(axes))


def visible(text: str) -> str:
    r"""Replace invisible characters and those that XML forbids.

    Control characters become symbols, direction marks their code, lone surrogates U+FFFD.

    >>> visible("a\x00b")
    'a␀b'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def preformatted(text: str) -> str:
    """Return text as HTML that keeps lines and columns.

    It names its font, because pages made by nbconvert have a proportional one for it.
    """
    lines = "\n".join(map(visible, text.split("\n")))
    return f'<pre style="font-family:monospace;white-space:pre-wrap">{escape(lines)}</pre>'


def shorten(text: str, cells: int) -> str:
    """Shorten a text to at most so many cells.

    First drop modules of inner calls, then arguments, steps of the longest path, and pieces with balanced brackets.

    >>> shorten("row.exp().clamp(max=5).sum()", 18)
    'row.exp().….sum()'
    >>> shorten("loss = F.cross_entropy(model(images), labels)", 30)
    'loss = cross_entropy(…)'
    >>> shorten("net.encoder.layers.11.attention.weight", 30)
    'net.….11.attention.weight'
    >>> shorten("discriminator.net.0.weight", 24), shorten("discriminator.net.0.weight", 16)
    ('discriminator.….0.weight', 'discri….0.weight')
    >>> shorten("model.final_classification_head.weight", 30)
    'model.final_classifica….weight'
    """
    most = 8 * cells  # cut a text that is far too long first, which bounds the search for brackets
    return _shorten(visible(text if len(text) <= 2 * most else f"{text[:most]}…{text[-most:]}"), cells)


@lru_cache(4096)  # a picture shortens each of its texts several times, and the next picture most of them again
def _shorten(text: str, cells: int) -> str:
    if cells_of(text) > cells:
        text = _INNER_MODULE.sub("", text)
    whole = text
    while cells_of(text) > cells:
        inner = [pair for pair in _arguments(text) if pair[1] - pair[0] > 1]
        if not inner:
            break
        missing = cells_of(text) - cells + 1
        enough = [pair for pair in inner if pair[1] - pair[0] >= missing]
        start, end = min(enough, key=lambda p: p[1] - p[0]) if enough else max(inner, key=lambda p: p[1] - p[0])
        text = f"{text[:start]}…{text[end:]}".replace("((…))", "(…)")
    text = _without_steps(text, cells)
    return text if cells_of(text) <= cells else _cut(whole, text, cells)


def _cut(whole: str, text: str, cells: int) -> str:
    """Drop one balanced piece from either text, if at least half the cells stay."""
    both = dict.fromkeys((whole, text))
    whole_operands = [(one, at) for one in both for at in _closed_pieces(one, cells, whole=True)]
    pieces = [piece for piece in whole_operands if _ends_are_whole(*piece) and 2 * _kept(*piece) >= cells]
    pieces = pieces or [(one, at) for one in both for at in _closed_pieces(one, cells)]
    if not pieces:
        return _beginning(text, cells)
    one, (start, end) = max(pieces, key=_worth)
    return f"{one[:start]}…{one[end:]}"


def _closed_pieces(text: str, cells: int, whole: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the balanced pieces whose removal makes the text fit."""
    widths, depths = list(accumulate(map(cells_of, text), initial=0)), list(accumulate(map(_opens, text), initial=0))
    for start in range(min(bisect_left(widths, cells), len(text))):
        if whole and (text[start] in _BETWEEN or text[start - 1 : start] not in _BEFORE):
            continue
        first = max(start + 1, bisect_left(widths, widths[start] + 1 + widths[-1] - cells))  # the shortest end
        if min(depths[start:first]) < depths[start] or text[start - 1 : start] == "…":
            continue
        for end in range(first, len(text) + 1):
            if depths[end] < depths[start]:
                break
            after = text[end : end + 1]
            if depths[end] == depths[start] and after != "…" and (not whole or after in _AFTER):
                yield start, end


def _opens(character: str) -> int:
    """Return the change of bracket depth at a character."""
    return (character in "([{") - (character in ")]}")


def _ends_are_whole(text: str, piece: tuple[int, int]) -> bool:
    """Return whether a piece is whole operands or path steps."""
    start, end = piece
    gone, before, after = text[start:end], text[start - 1 : start], text[end : end + 1]
    if gone[-1] in _BETWEEN or " = " in gone or (before == "." and text[start - 2].isdigit()):
        return False
    return "." not in (before, after) or _is_one_path(gone)


def _is_one_path(text: str) -> bool:
    """Return whether spaces occur only inside brackets."""
    if " " not in text:
        return True
    return all(depth or character != " " for depth, character in zip(accumulate(map(_opens, text)), text, strict=True))


def _kept(text: str, piece: tuple[int, int]) -> int:
    """Return how many program characters remain without a piece."""
    start, end = piece
    return len(text) - (end - start) - text.count("…", 0, start) - text.count("…", end)


def _worth(piece: tuple[str, tuple[int, int]]) -> tuple[int, int, int]:
    """Rank pieces to drop: most text kept, then nearest the middle, then later."""
    text, (start, end) = piece
    return _kept(text, (start, end)), -abs(start + end - len(text)), start


def _beginning(text: str, cells: int) -> str:
    """Return as much of the beginning as fits."""
    widths = accumulate(map(cells_of, text))
    return f"{text[: sum(width < cells for width in widths)]}…"


def _without_steps(text: str, cells: int) -> str:
    """Drop steps of the longest path until it fits.

    A first or only dropped step that is too long keeps its beginning.
    """
    path = max(_PATH.findall(text), key=len, default="") if cells_of(text) > cells else ""
    if not path:
        return text
    steps, room = path.split("."), cells - cells_of(text) + cells_of(path)
    last, layers = len(steps) - 1, {step for step in range(1, len(steps)) if steps[step].isdigit()}
    kept = {0, last}
    for step in sorted(range(1, last), key=lambda step: (step not in layers, -step)):
        kept |= {step} if cells_of(_steps_kept(steps, kept | {step})) <= room else set()
    shorter = [_steps_kept(steps, kept)] if layers <= kept else []
    alone = next((step for step in range(last - 1, 0, -1) if step not in kept and {step - 1, step + 1} <= kept), 0)
    letters = room - cells_of(_steps_kept(steps, kept))
    if shorter and alone and letters >= _BEGINNING:
        begun = [*steps[:alone], f"{steps[alone][:letters]}…", *steps[alone + 1 :]]
        shorter.insert(0, _steps_kept(begun, kept | {alone}))
    for tail in (layers | {last}, {last}):
        end = _steps_kept(["", *steps[1:]], {0, *tail}).lstrip(".…")
        letters = min(room - cells_of(end) - 2, len(steps[0]) - 1)
        if letters >= _BEGINNING and steps[0] != "torch":
            shorter.append(f"{steps[0][:letters]}….{end}")
        shorter.append(_steps_kept(steps, kept))
    shorter.append(f"….{steps[-1]}")
    return next((new for one in shorter if cells_of(new := text.replace(path, one, 1)) <= cells), text)


def _steps_kept(steps: Sequence[str], kept: Collection[int]) -> str:
    """Return a path with … for the dropped steps."""
    out: list[str] = []
    for at, step in enumerate(steps):
        if at in kept:
            out.append(step)
        elif out[-1:] != ["…"]:
            out.append("…")
    return ".".join(out)


def cells_of(text: str) -> int:
    """Return the width in cells of the code font. Full-width characters count as two."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, cells: int) -> str:
    """Fill a text with spaces up to a number of cells."""
    return text + " " * (cells - cells_of(text))


def _arguments(text: str) -> list[tuple[int, int]]:
    """Return the places of non-trivial text between matching round brackets."""
    opened, pairs = [], []
    for i, character in enumerate(text):
        if character == "(":
            opened.append(i + 1)
        elif character == ")" and opened:
            pairs.append((opened.pop(), i))
    return [(start, end) for start, end in pairs if text[start:end] != "…"]


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    category = unicodedata.category(character)
    if category == "Cs" or code & 0xFFFE == 0xFFFE:
        return "�"
    if category in ("Cc", "Cf", "Zl", "Zp"):
        return f"⟨{code:04X}⟩"
    return character


_FINEST = (EXACT, 9, 17)  # digits for operands of approximate equations; more only if numbers cancel
_NEAR = 0.02  # relative difference up to which ≈ is shown
_SMALLEST = 2.0**-126  # smallest normal float32
_WHOLE = 1e-7  # relative difference up to which a computed number counts as an integer
_ROUNDED_OFF = 1e-7  # share of the largest operand that float32 rounding may leave

Compute = Callable[[list[Number]], Number]
Case = tuple[Compute, Sequence[Number], Number]  # operands and result of one equation
Write = Callable[[Number, bool, int], str]  # `number` or `rounded`: value, whether it has a plus sign, digits


class Equation(Struct, frozen=True):
    """An equation as texts.

    Attributes:
        operands, result: the numbers. sign: = or ≈, "" if they don't agree. digits: of rounded operands.
    """

    operands: tuple[str, ...]
    sign: str
    result: str
    digits: int

    @property
    def about(self) -> str:
        """Prefix of the operands if there is no sign: "≈ " or ""."""
        return approx(self.sign)


def written_equation(
    compute: Compute, operands: Sequence[Number], result: Number, *, signed: bool = False, digits: int = DIGITS
) -> Equation:
    """Write an equation with enough operand digits for it to hold, at most six.

    Args:
        compute: computes the result from the operands.
        signed: plus sign before a positive result.
        digits: digits of a rounded result, and the minimum for operands.

    >>> written_equation(sum, [1.001, 0.0004], 1.0014)
    Equation(operands=('1.001', '0.0004'), sign='=', result='1.0014', digits=3)
    >>> written_equation(lambda x: x[0] ** 2, [2.596123456], 2.596123456**2).operands
    ('2.596',)
    """
    finer, sign = digits_of(compute, operands, result, digits)
    texts = tuple(number(operand, digits=finer) for operand in operands)
    return Equation(texts, sign, number(result, signed, digits), finer)


def written_sum(
    parts: Sequence[Number], total: Number, *, signed: bool = False, compute: Compute = sum, digits: int = DIGITS
) -> Equation:
    """Write a sum with one precision: all its numbers exactly, or all rounded.

    Args:
        compute: computes the total from the parts, for a mean.

    >>> written_sum([0.7, 0.5], 1.2)
    Equation(operands=('0.7', '0.5'), sign='=', result='1.2', digits=3)
    >>> written_sum([0.7, 0.5, -1 / 300], 1.2 - 1 / 300)
    Equation(operands=('0.700', '0.500', '−0.00333'), sign='=', result='1.20', digits=3)
    """
    finer, sign, write = precision([(compute, parts, total)], digits)
    return Equation(tuple(write(part, False, finer) for part in parts), sign, write(total, signed, digits), finer)


def precision(cases: Iterable[Case], digits: int = DIGITS) -> tuple[int, str, Write]:
    """Find one precision for equations written as one: digits, sign, and `number` or `rounded`."""
    cases = list(cases)
    if are_exact(one for _, operands, result in cases for one in (*operands, result)):
        return *digits_of_all(cases, digits), number
    return *digits_of_all(cases, digits, [False] * (1 + len(cases[0][1]))), rounded


def written_product(factors: Sequence[Number], product: Number, signed: bool = False, digits: int = DIGITS) -> Equation:
    """Write a product. A product that underflowed to 0 holds only nearly.

    >>> written_product((1e-30, 1e-30), 0.0).sign
    '≈'
    """
    equation = written_equation(math.prod, factors, product, signed=signed, digits=digits)
    return replace(equation, sign="≈") if product == 0 and all(factors) else equation


def in_brackets(operands: Iterable[str]) -> list[str]:
    """Put complex operands in brackets, and negative ones after the first."""
    return [f"({one})" if one.endswith("j") or (i and one.startswith("−")) else one for i, one in enumerate(operands)]


def digits_of(compute: Compute, operands: Sequence[Number], result: Number, digits: int = DIGITS) -> tuple[int, str]:
    """Find the digits and sign with which an equation holds."""
    return digits_of_all([(compute, operands, result)], digits)


def digits_of_all(cases: Iterable[Case], digits: int = DIGITS, exact: Sequence[bool] = ()) -> tuple[int, str]:
    """Find shared digits and sign for equations written as one.

    Args:
        exact: of each operand, and optionally of the result, whether it is written exactly if six digits suffice.
    """
    cases = list(cases)
    for finer in range(digits, EXACT + 1):
        if all(
            holds(_again(*case[:2], finer, exact), case[2], digits, case[1], all(exact[len(case[1]) :]))
            for case in cases
        ):
            return finer, "="
    for finer in (digits, *_FINEST):
        if all(_is_near(_again(*case[:2], finer, exact), *case[:0:-1]) for case in cases):
            return finer, "≈"
    return digits, ""


def vanishes(operands: Sequence[Number], result: Number) -> bool:
    """Return whether finite nonzero numbers underflow to 0, as 1e-8 does in float16."""
    return result == 0 and all(one != 0 and cmath.isfinite(one) for one in operands)


def approx(sign: str) -> str:
    """Return "≈ " for an approximate equation, otherwise ""."""
    return "" if sign == "=" else "≈ "


def chain(sides: Iterable[str]) -> str:
    """Join the sides of an equation, without = before ≈.

    >>> chain(["y", "2.6", "≈ log(13.5)"])
    'y = 2.6 ≈ log(13.5)'
    """
    return " = ".join(sides).replace(" = ≈ ", " ≈ ")


def holds(
    computed: Number, result: Number, digits: int = DIGITS, operands: Sequence[Number] = (), exact: bool = True
) -> bool:
    """Return whether a computed number rounds to the printed result. Whole numbers must match."""
    if isinstance(computed, complex) or isinstance(result, complex):
        ends = [(complex(each).real, complex(each).imag) for each in (computed, result)]
        return all(holds(one, other, digits, operands, exact) for one, other in zip(*ends, strict=True))
    if not (math.isfinite(computed) and math.isfinite(result)):
        return computed == result or (computed != computed and result != result)
    text = number(result, digits=digits, exact=exact)
    printed = read(text)
    mantissa, _, power = text.lstrip(MINUS).partition("e")
    if not printed and 0 < abs(computed) < _SMALLEST:  # float32 underflow, not cancellation
        return False
    if "." not in mantissa and not power:
        scale = abs(printed) or max((abs(operand) for operand in operands), default=0)
        return bool(abs(computed - printed) <= _WHOLE * scale)
    places = len(mantissa.partition(".")[2]) - int(power.replace(MINUS, "-") or 0)
    least = DIGITS - 1 - math.floor(math.log10(abs(printed)))  # 0.3 means 0.300
    return bool(abs(computed - printed) <= 0.5 * 10.0 ** -max(places, least))


def read(text: str) -> float:
    """Parse a finite real number written by `number`.

    >>> read("−1.2e−5")
    -1.2e-05
    """
    return float(text.replace(MINUS, "-")) if text not in ("T", "F") else float(text == "T")


def _again(compute: Compute, operands: Sequence[Number], digits: int, exact: Sequence[bool] = ()) -> Number:
    """Recompute a result from printed operands, NaN if that fails."""
    try:
        whole = exact or (True,) * len(operands)
        return compute([_read_printed(operand, digits, as_is) for operand, as_is in zip(operands, whole, strict=False)])
    except (ValueError, ArithmeticError):
        return math.nan


@lru_cache(4096, typed=True)  # an equation retries all its entries with one digit more
def _read_printed(value: Number, digits: int, exact: bool) -> Number:
    if isinstance(value, complex):
        return complex(_read_printed(value.real, digits, exact), _read_printed(value.imag, digits, exact))
    return read(number(value, digits=digits, exact=exact)) if math.isfinite(value) else value


def _is_near(computed: Number, result: Number, operands: Sequence[Number]) -> bool:
    """Return whether a computed number nearly equals the result, up to float32 rounding."""
    if isinstance(computed, float) and isinstance(result, float) and not math.isfinite(result):
        return computed == result or (computed != computed and result != result)
    if not (cmath.isfinite(computed) and cmath.isfinite(result)):
        return False
    scale = max((abs(operand) for operand in operands if cmath.isfinite(operand)), default=0)
    return bool(abs(computed - result) <= max(_NEAR * abs(result), _ROUNDED_OFF * scale))
