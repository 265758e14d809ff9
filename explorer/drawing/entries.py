"""What several pictures say of entries: how large one is, and from where to where they reach."""

from explorer.text.numbers import number
from explorer.trace import Number, Value


def size_of(entry: Number) -> float:
    """An entry as a number to colour by: of a complex one its absolute value, of any other itself.

    >>> size_of(3 + 4j), size_of(-2), size_of(True)
    (5.0, -2.0, 1.0)
    """
    return abs(entry) if isinstance(entry, complex) else float(entry)


def range_text(value: Value, signed: bool = False, digits: int = 3) -> str:
    """The smallest and the largest finite entry; there are some."""
    return f"{number(value.minimum, signed, digits)} … {number(value.maximum, signed, digits)}"
