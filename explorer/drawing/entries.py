"""What several pictures say of an entry."""

from explorer.trace import Number


def size_of(entry: Number) -> float:
    """An entry as a number to colour by: of a complex one its absolute value, of any other itself.

    >>> size_of(3 + 4j), size_of(-2), size_of(True)
    (5.0, -2.0, 1.0)
    """
    return abs(entry) if isinstance(entry, complex) else float(entry)
