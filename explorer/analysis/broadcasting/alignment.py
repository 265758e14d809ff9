"""Align shapes from the right: torch's rule of broadcasting, axis by axis.

Source of the rule: PyTorch's page "Broadcasting semantics". From the last axis to the first, two sizes fit when they
are equal, when one of them is 1, or when one of them is missing.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

MAX_RANK = 6  # axes up to which the page lines shapes up

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Column:
    """One axis of all operands.

    Attributes:
        dim: its number from the right, −1 for the last.
        sizes: per operand; None if its shape has no such axis, which counts as 1.
        size: of the result, None if the sizes clash.
    """

    dim: int
    sizes: tuple[int | None, ...]
    size: int | None

    def stretched(self, operand: int) -> bool:
        """Whether an operand's single entry along this axis is stretched."""
        return self.size is not None and self.sizes[operand] in (None, 1) and self.size != 1


@dataclass(frozen=True)
class Alignment:
    """Aligned shapes.

    Attributes:
        shapes: of the operands, as given.
        columns: from the first axis to the last.
    """

    shapes: tuple[Shape, ...]
    columns: tuple[Column, ...]

    @property
    def result(self) -> Shape | None:
        """The common stretched shape, None if they clash."""
        sizes = tuple(column.size for column in self.columns)
        return None if None in sizes else sizes

    @property
    def clashes(self) -> tuple[int, ...]:
        """The axes (dim, from the right) whose sizes do not fit, first axis first."""
        return tuple(column.dim for column in self.columns if column.size is None)

    @property
    def entries(self) -> int:
        """The number of entries in the result; 0 if the shapes do not fit."""
        return 0 if self.result is None else math.prod(self.result)

    def stretches(self, operand: int) -> tuple[Column, ...]:
        """The axes along which an operand is stretched."""
        return tuple(column for column in self.columns if column.stretched(operand))

    @property
    def grown(self) -> bool:
        """Whether the result has more entries than every operand: several were stretched along different axes."""
        return self.result is not None and self.entries > max(map(math.prod, self.shapes), default=0)


def align(shapes: Sequence[Shape]) -> Alignment:
    """Line shapes up from the right.

    >>> align([(3, 1), (2,)]).result
    (3, 2)
    >>> align([(3,), (4,)]).clashes
    (-1,)
    """
    rank = max(map(len, shapes), default=0)
    columns = []
    for dim in range(-rank, 0):
        sizes = tuple(shape[dim] if len(shape) >= -dim else None for shape in shapes)
        large = {size for size in sizes if size not in (None, 1)}
        columns.append(Column(dim, sizes, None if len(large) > 1 else large.pop() if large else 1))
    return Alignment(tuple(map(tuple, shapes)), tuple(columns))


def sources(index: Sequence[int], shape: Shape) -> Shape:
    """The entry of an operand of this shape that the result's entry `index` reads.

    >>> sources((1, 2), (3, 1)), sources((1, 2), (3,)), sources((1, 2), ())
    ((1, 0), (2,), ())
    """
    last = index[len(index) - len(shape) :]
    return tuple(0 if size == 1 else i for i, size in zip(last, shape, strict=True))


def readers(entry: Shape, shape: Shape, result: Shape) -> Iterator[Shape]:
    """The entries of a result of this shape that read an entry of an operand, in order.

    >>> list(readers((1, 0), (3, 1), (3, 2)))
    [(1, 0), (1, 1)]
    """
    own = (None,) * (len(result) - len(shape)) + tuple(
        None if size == 1 else at for at, size in zip(entry, shape, strict=True)
    )
    return product(*(range(size) if at is None else (at,) for at, size in zip(own, result, strict=True)))


def reads(alignment: Alignment, operand: int) -> int:
    """How many times every entry of an operand is read: the product of the sizes it is stretched to."""
    return math.prod(column.size for column in alignment.stretches(operand))
