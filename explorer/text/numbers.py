"""Numbers and the program's text as people read them: in pictures, tables and sentences."""

import math
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from explorer.patterns import plain

Number = int | float | complex | bool

MINUS = "−"
DIGITS = 3  # of a number in a picture, a table or a sentence; its full digits stand in its title or in the inspector
PLAIN = 1e6  # from here on a number is written with a power of ten
_INNER_MODULE = plain(r"(?<=[(, ])(torch|nn\.functional|functional|F)\.(?=[a-z_]+\()")  # of a call in a call


def number(value: Number, signed: bool = False, digits: int = DIGITS) -> str:
    """A number with so many significant digits, the ones before its point always in full.

    Args:
        signed: a plus before positive ones, as gradients have it.

    >>> number(-0.123456), number(6.0, signed=True), number(float("inf")), number(True), number(54321.6), number(2e-5)
    ('−0.123', '+6', '∞', 'T', '54322', '2e−5')
    """
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, complex):
        imaginary = number(value.imag, True, digits)
        plus = "" if imaginary[0] in "+−" else "+"
        return f"{number(value.real, signed, digits)}{plus}{imaginary}j"
    if math.isnan(value):
        return "NaN"
    sign = MINUS if value < 0 else "+" if signed and value > 0 else ""
    size = abs(value)
    if math.isinf(size):
        return f"{sign}∞"
    if 1 <= size < PLAIN:
        places = max(0, digits - len(str(int(size))))
        text = f"{size:.{places}f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa, _, exponent = f"{size:.{digits}g}".partition("e")
    return sign + (f"{mantissa}e{str(int(exponent)).replace('-', MINUS)}" if exponent else mantissa)


def fitted(value: Number, cells: int, signed: bool = False) -> str:
    """The number with as many digits as have room in so many characters; … where not one has.

    >>> fitted(0.01129, 6), fitted(0.01129, 5), fitted(12345, 4)
    ('0.0113', '0.011', '…')
    """
    texts = (number(value, signed, digits) for digits in range(DIGITS, 0, -1))
    return next((text for text in texts if len(text) <= cells), "…")


def without_number(entries: Iterable[float | complex], nans: int) -> str:
    """What to say of a value that has no finite entry: NaN, or which infinities.

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
    size, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{number(size)} {unit}"


def shape_text(shape: tuple[int, ...]) -> str:
    """(4, 5), (3,), and nothing for a scalar."""
    return "" if not shape else f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def visible(text: str) -> str:
    """The text with nothing in it that a reader could not see, or that no XML may hold.

    Control characters become their pictures, marks that turn the reading direction their code, lone surrogates U+FFFD.

    >>> visible("a\\x00b")
    'a␀b'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def shorten(text: str, cells: int) -> str:
    """At most so many cells: first inner calls lose their module, then arguments become …, then the middle of the text.

    >>> shorten("loss = F.cross_entropy(model(images), labels)", 30)
    'loss = cross_entropy(…)'
    """
    most = 8 * cells  # a text far too long is cut first: brackets are looked for in what is left
    return _shortened(visible(text if len(text) <= 2 * most else f"{text[:most]}…{text[-most:]}"), cells)


@lru_cache(4096)  # a picture shortens each of its texts several times, and the next one most of the same
def _shortened(text: str, cells: int) -> str:
    if cells_of(text) > cells:
        text = _INNER_MODULE.sub("", text)
    while cells_of(text) > cells:
        inner = [pair for pair in _arguments(text) if pair[1] - pair[0] > 1]
        if not inner:
            break
        missing = cells_of(text) - cells + 1
        enough = [pair for pair in inner if pair[1] - pair[0] >= missing]
        start, end = min(enough, key=lambda p: p[1] - p[0]) if enough else max(inner, key=lambda p: p[1] - p[0])
        text = f"{text[:start]}…{text[end:]}".replace("((…))", "(…)")
    if cells_of(text) <= cells:
        return text
    head, tail = "", ""
    for front, back in zip(text, reversed(text), strict=True):
        if cells_of(head + front + tail) >= cells:
            break
        head += front
        if cells_of(head + back + tail) >= cells:
            break
        tail = back + tail
    return f"{head}…{tail}"


def cells_of(text: str) -> int:
    """Width in cells of the code font: full-width characters count two."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _arguments(text: str) -> list[tuple[int, int]]:
    """Places of the texts between matching round brackets, … left out."""
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
