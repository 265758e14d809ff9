"""Small functions about entries that several pictures share."""

from explorer.trace import Number


def size_of(entry: Number) -> float:
    """An entry as a number to colour by: the absolute value of a complex one.

    >>> size_of(3 + 4j), size_of(-2), size_of(True)
    (5.0, -2.0, 1.0)
    """
    return abs(entry) if isinstance(entry, complex) else float(entry)
