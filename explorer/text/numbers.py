"""Numbers, equations and program text in readable form: for pictures, tables and sentences.

The numbers of one equation are written together, with as many digits as make it hold when it is computed again.
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
DIGITS = 3  # of a number that is rounded
FULL = 7  # of a number in full: what single precision holds
KEPT = 8192  # numbers whose text is kept: those of one run are written several times
EXACT = 6  # digits up to which a number is written as it is
PLAIN, LARGE = 1e6, 1e5  # from here on exact and rounded numbers are written with a power of ten
_NOISE = 3e-7  # relative rounding of a sum in single precision
_SINGLE = struct.Struct("f")
_INNER_MODULE = plain(r"(?<=[(, ])(torch|nn\.functional|functional|F)\.(?=[a-z_]+\()")  # of a call in a call
_BETWEEN = "+-*/%@<>=&|^,.: "  # operands and steps
_BEFORE, _AFTER = ("", *" ([{."), ("", *" ,)]}.")  # what stands around whole operands and steps
_PATH = plain(r"\b[^\W\d]\w*+(?:\.[\w*]++){2,}+|^[^\W\d]\w*+\.[\w*]++$")
_BEGINNING = 3  # letters by which a name is recognised


def number(value: Number, signed: bool = False, digits: int = DIGITS, exact: bool = True) -> str:
    """A number: exactly where six digits suffice (five in single precision, where others have six by chance), otherwise
    rounded to so many digits.

    A rounded number keeps its zeros and never looks like a whole one. What differs from a short number by no more than
    rounding in single precision is that number. The numbers of an equation are written by `equations.written_equation`.

    Args:
        signed: a plus before positive ones, as gradients have it.
        exact: whether a number of more digits is written exactly where six suffice; otherwise only a whole one is. The
            entries of one tensor are written alike, by `numbers`.

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


def in_full(value: Number, signed: bool = False) -> str:
    """A number with FULL digits, without zeros at its end: of single precision all that it holds.

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
    """The digits of a number as it is written, from the first that is not 0."""
    return text.partition("e")[0].replace(".", "").lstrip("0")


def are_exact(entries: Iterable[Number]) -> bool:
    """Whether each of these numbers is written as it is; of one tensor none is then rounded.

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
    """The entries of one tensor, each as exact as the others: all as they are, or all rounded.

    >>> numbers([2.25, 0.015625]), numbers([2.25, 0.015625, 1 / 3])
    (['2.25', '0.015625'], ['2.25', '0.0156', '0.333'])
    """
    exact = are_exact(entries)
    return [number(entry, signed, digits, exact) for entry in entries]


def json_number(value: Number | None) -> int | float | bool | str | None:
    """A number for JSON: non-finite ones become "nan", "inf", "-inf", complex ones "1+2j".

    >>> [json_number(1.5), json_number(math.inf), json_number(1 + 2j)]
    [1.5, 'inf', '1+2j']
    """
    if isinstance(value, complex):
        return str(value).strip("()")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@lru_cache(KEPT)
def _exact(size: float) -> str:
    """A number of at most EXACT digits as it is, "" for any other; of single precision, its shortest text counts."""
    if size < PLAIN and size == int(size):
        return str(int(size))
    text = f"{size:.{DIGITS + 1}g}"
    if abs(float(text) - size) > _NOISE * size:
        text = f"{size:.{EXACT}g}"
        if float(text) != size and not _is_single(text := f"{size:.{EXACT - 1}g}", size):
            return ""
    return f"{float(text):.0f}" if "e" in text and 1 <= size < PLAIN else text


def _is_single(text: str, size: float) -> bool:
    """Whether a number in single precision is the one nearest to a short number."""
    try:
        return bool(_SINGLE.unpack(_SINGLE.pack(float(text)))[0] == size)
    except OverflowError:
        return False


def _round(size: float, digits: int) -> str:
    whole = len(str(int(size))) if size < LARGE else 0
    text = f"{size:#.{max(digits, whole + 1 if whole > 1 else 1)}g}" if size < LARGE else f"{size:.{digits - 1}e}"
    return text.replace(".e", "e") if text[-1] != "." else f"{size:.1f}"


def fitted(value: Number, cells: int, signed: bool = False, exact: bool = True) -> str:
    """The number with as many digits as fit into so many characters; … if none fits.

    >>> fitted(0.01129, 6), fitted(0.01129, 5), fitted(12345, 4)
    ('0.0113', '0.011', '…')
    """
    texts = (number(value, signed, exact=exact), *(_coarse(value, signed, digits) for digits in range(DIGITS, 0, -1)))
    return next((text for text in texts if len(text) <= cells), "…")


def _coarse(value: Number, signed: bool, digits: int) -> str:
    """A number rounded for a square that has no room for more."""
    size = abs(value)
    if isinstance(value, complex) or not math.isfinite(size):
        return number(value, signed, digits)
    whole = len(str(int(size))) if size < PLAIN else 0
    return number(math.copysign(float(f"{size:.{max(digits, whole)}g}"), value), signed)


def without_number(entries: Iterable[float | complex], nans: int) -> str:
    """The text for a value without finite entries: NaN, or which infinities.

    >>> without_number((-math.inf, -math.inf), 0)
    '−∞'
    """
    if nans:
        return "NaN"
    signs = {number(entry) for entry in entries}
    return signs.pop() if len(signs) == 1 else "±∞"


def bytes_text(count: int) -> str:
    """A number of bytes with its unit, in powers of ten.

    >>> bytes_text(640), bytes_text(1_240), bytes_text(48_000_000)
    ('640 B', '1.24 kB', '48 MB')
    """
    units, size, at = ("B", "kB", "MB", "GB"), float(count), 0
    while size >= 999.5 and at + 1 < len(units):
        size, at = size / 1000, at + 1
    return f"{number(float(f'{size:.{DIGITS}g}'))} {units[at]}"


def sizes(shape: Sequence[int]) -> str:
    """A shape as a program writes it.

    >>> sizes(()), sizes((3,)), sizes((2, 3))
    ('()', '(3,)', '(2, 3)')
    """
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def shape_text(shape: Sequence[int]) -> str:
    """A shape in a sentence: (4, 5), (3,), and "" for a scalar."""
    return sizes(shape) if shape else ""


def axes_text(axes: Sequence[int]) -> str:
    """Axes in a sentence: 0, or (0, 1).

    >>> axes_text((1,)), axes_text((0, 1))
    ('1', '(0, 1)')
    """
    return str(axes[0]) if len(axes) == 1 else shape_text(tuple(axes))


def visible(text: str) -> str:
    """The text with invisible characters, and those that XML forbids, replaced.

    Control characters become symbols, marks of reading direction their code, lone surrogates U+FFFD.

    >>> visible("a\\x00b")
    'a␀b'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def preformatted(text: str) -> str:
    """A text as HTML, as a notebook shows it: with its lines and columns."""
    return f'<pre style="white-space:pre-wrap">{escape(chr(10).join(map(visible, text.split(chr(10)))))}</pre>'


def shorten(text: str, cells: int) -> str:
    """Shorten to at most so many cells: drop modules of inner calls, then arguments, then whole steps of the longest
    path, then one piece in which every bracket is closed.

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
    """One of two texts without one piece in which every bracket is closed: whole operands or steps, where at least half
    of the cells stay.
    """
    both = dict.fromkeys((whole, text))
    whole_operands = [(one, at) for one in both for at in _closed_pieces(one, cells, whole=True)]
    pieces = [piece for piece in whole_operands if _ends_are_whole(*piece) and 2 * _kept(*piece) >= cells]
    pieces = pieces or [(one, at) for one in both for at in _closed_pieces(one, cells)]
    if not pieces:
        return _beginning(text, cells)
    one, (start, end) = max(pieces, key=_worth)
    return f"{one[:start]}…{one[end:]}"


def _closed_pieces(text: str, cells: int, whole: bool = False) -> Iterator[tuple[int, int]]:
    """Places of the pieces that close their own brackets, and without which the text fits.

    Args:
        whole: whether only those that may be whole operands, of which a text has few.
    """
    widths, depths = list(accumulate(map(cells_of, text), initial=0)), list(accumulate(map(_opens, text), initial=0))
    for start in range(min(bisect_left(widths, cells), len(text))):
        if whole and (text[start] in _BETWEEN or text[start - 1 : start] not in _BEFORE):
            continue
        first = max(start + 1, bisect_left(widths, widths[start] + 1 + widths[-1] - cells))  # end of the shortest
        if min(depths[start:first]) < depths[start] or text[start - 1 : start] == "…":
            continue
        for end in range(first, len(text) + 1):
            if depths[end] < depths[start]:
                break
            after = text[end : end + 1]
            if depths[end] == depths[start] and after != "…" and (not whole or after in _AFTER):
                yield start, end


def _opens(character: str) -> int:
    """By how much deeper in brackets one is behind a character."""
    return (character in "([{") - (character in ")]}")


def _ends_are_whole(text: str, piece: tuple[int, int]) -> bool:
    """Whether a piece is whole operands or whole steps of one path, and leaves the name of a result."""
    start, end = piece
    gone, before, after = text[start:end], text[start - 1 : start], text[end : end + 1]
    if gone[-1] in _BETWEEN or " = " in gone or (before == "." and text[start - 2].isdigit()):
        return False
    return "." not in (before, after) or _is_one_path(gone)


def _is_one_path(text: str) -> bool:
    """Whether spaces stand in brackets alone."""
    if " " not in text:
        return True
    return all(depth or character != " " for depth, character in zip(accumulate(map(_opens, text)), text, strict=True))


def _kept(text: str, piece: tuple[int, int]) -> int:
    """How many characters of the program stay without a piece."""
    start, end = piece
    return len(text) - (end - start) - text.count("…", 0, start) - text.count("…", end)


def _worth(piece: tuple[str, tuple[int, int]]) -> tuple[int, int, int]:
    """Which piece is left out: the one without which most stays, then the middle one, then the later one."""
    text, (start, end) = piece
    return _kept(text, (start, end)), -abs(start + end - len(text)), start


def _beginning(text: str, cells: int) -> str:
    """As much of the beginning as fits."""
    widths = accumulate(map(cells_of, text))
    return f"{text[: sum(width < cells for width in widths)]}…"


def _without_steps(text: str, cells: int) -> str:
    """The text with as many steps of its longest path as fit: the first and the last stay, and numbers, by which layers
    are told apart. Where the first, or a single one that is left out, is too long, its beginning stays.
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
    """A path in which … stands for the steps that are left out."""
    out: list[str] = []
    for at, step in enumerate(steps):
        if at in kept:
            out.append(step)
        elif out[-1:] != ["…"]:
            out.append("…")
    return ".".join(out)


def cells_of(text: str) -> int:
    """The width in cells of the code font: full-width characters count two."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _arguments(text: str) -> list[tuple[int, int]]:
    """Places of the texts between matching round brackets, except those that are …"""
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


_FINEST = (EXACT, 9, 17)  # digits of the operands of an equation that only nearly holds; more only where numbers cancel
_NEAR = 0.02  # relative difference up to which ≈ stands
_SMALLEST = 2.0**-126  # of single precision with all its digits
_WHOLE = 1e-7  # relative difference up to which a computed number is a whole one
_ROUNDED_OFF = 1e-7  # share of the largest operand that rounding in single precision may leave

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
    compute: Compute, operands: Sequence[Number], result: Number, *, signed: bool = False, digits: int = DIGITS
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
    finer, sign = digits_of(compute, operands, result, digits)
    texts = tuple(number(operand, digits=finer) for operand in operands)
    return Equation(texts, sign, number(result, signed, digits), finer)


def written_product(factors: Sequence[Number], product: Number, signed: bool = False, digits: int = DIGITS) -> Equation:
    """The texts of a product. One that is 0 though no factor is was too small for its dtype: it holds only nearly.

    >>> written_product((1e-30, 1e-30), 0.0).sign
    '≈'
    """
    equation = written_equation(math.prod, factors, product, signed=signed, digits=digits)
    return replace(equation, sign="≈") if product == 0 and all(factors) else equation


def digits_of(compute: Compute, operands: Sequence[Number], result: Number, digits: int = DIGITS) -> tuple[int, str]:
    """With how many digits the operands give the result that is printed with so many, and = or ≈; "" if they do not."""
    return digits_of_all([(compute, operands, result)], digits)


def digits_of_all(cases: Iterable[Case], digits: int = DIGITS, exact: Sequence[bool] = ()) -> tuple[int, str]:
    """The same for several equations that are written as one, such as those of lists, entry by entry.

    Args:
        exact: for each operand whether it is written exactly where that is short, as by `numbers`; (): all are.
    """
    cases = list(cases)
    for finer in range(digits, EXACT + 1):
        if all(holds(_again(*case[:2], finer, exact), case[2], digits, case[1]) for case in cases):
            return finer, "="
    for finer in (digits, *_FINEST):
        if all(_is_near(_again(*case[:2], finer, exact), *case[:0:-1]) for case in cases):
            return finer, "≈"
    return digits, ""


def vanishes(operands: Sequence[Number], result: Number) -> bool:
    """Whether numbers that are finite and not 0 have a result of 0, as 1e-8 is in float16."""
    return result == 0 and all(one != 0 and cmath.isfinite(one) for one in operands)


def approx(sign: str) -> str:
    """What stands before a number where there is no sign: "≈ " if the equation holds only nearly."""
    return "" if sign == "=" else "≈ "


def chain(sides: Iterable[str]) -> str:
    """The sides of an equation joined; before a side that begins with ≈ stands no =.

    >>> chain(["y", "2.6", "≈ log(13.5)"])
    'y = 2.6 ≈ log(13.5)'
    """
    return " = ".join(sides).replace(" = ≈ ", " ≈ ")


def holds(computed: Number, result: Number, digits: int = DIGITS, operands: Sequence[Number] = ()) -> bool:
    """Whether a computed number is the one that is printed for a result; a whole number is meant as one."""
    if isinstance(computed, complex) or isinstance(result, complex):
        ends = [(complex(each).real, complex(each).imag) for each in (computed, result)]
        return all(holds(one, other, digits, operands) for one, other in zip(*ends, strict=True))
    if not (math.isfinite(computed) and math.isfinite(result)):
        return computed == result or (computed != computed and result != result)
    text = number(result, digits=digits)
    printed = read(text)
    mantissa, _, power = text.lstrip(MINUS).partition("e")
    if not printed and 0 < abs(computed) < _SMALLEST:  # it was too small for single precision; nothing cancelled
        return False
    if "." not in mantissa and not power:
        scale = abs(printed) or max((abs(operand) for operand in operands), default=0)
        return bool(abs(computed - printed) <= _WHOLE * scale)
    places = len(mantissa.partition(".")[2]) - int(power.replace(MINUS, "-") or 0)
    least = DIGITS - 1 - math.floor(math.log10(abs(printed)))  # 0.3 says 0.300
    return bool(abs(computed - printed) <= 0.5 * 10.0 ** -max(places, least))


def read(text: str) -> float:
    """A finite real number as it was written by `number`.

    >>> read("−1.2e−5")
    -1.2e-05
    """
    return float(text.replace(MINUS, "-")) if text not in ("T", "F") else float(text == "T")


def _again(compute: Compute, operands: Sequence[Number], digits: int, exact: Sequence[bool] = ()) -> Number:
    """What is computed from operands as they are printed; NaN where that cannot be computed."""
    try:
        whole = exact or (True,) * len(operands)
        return compute([_read_printed(operand, digits, as_is) for operand, as_is in zip(operands, whole, strict=True)])
    except (ValueError, ArithmeticError):
        return math.nan


@lru_cache(4096, typed=True)  # what an equation tries with one digit more it tries for all of its entries
def _read_printed(value: Number, digits: int, exact: bool) -> Number:
    if isinstance(value, complex):
        return complex(_read_printed(value.real, digits, exact), _read_printed(value.imag, digits, exact))
    return read(number(value, digits=digits, exact=exact)) if math.isfinite(value) else value


def _is_near(computed: Number, result: Number, operands: Sequence[Number]) -> bool:
    """Whether a computed number differs from the result by a little, or by what single precision rounds off."""
    if isinstance(computed, float) and isinstance(result, float) and not math.isfinite(result):
        return computed == result or (computed != computed and result != result)
    if not (cmath.isfinite(computed) and cmath.isfinite(result)):
        return False
    scale = max((abs(operand) for operand in operands if cmath.isfinite(operand)), default=0)
    return bool(abs(computed - result) <= max(_NEAR * abs(result), _ROUNDED_OFF * scale))
