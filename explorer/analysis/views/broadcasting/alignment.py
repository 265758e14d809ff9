"""torch's broadcasting rule axis by axis, and fixes for clashing shapes.

Source of the rule: PyTorch's page "Broadcasting semantics". From the last axis to the first, two sizes fit when they
are equal, when one of them is 1, or when one of them is missing.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from explorer.analysis.run.operations import names_where
from explorer.analysis.run.operations.signatures import methods_with
from explorer.safe_regex import plain

MAX_RANK = 6  # largest rank whose shapes the page aligns

Shape = tuple[int, ...]


@dataclass(frozen=True)
class AxisColumn:
    """One axis of all operands.

    Attributes:
        dim: axis number from the right, −1 for the last.
        sizes: size in each operand, None if its shape lacks the axis, which counts as 1.
        size: size in the result, None if the sizes clash.
    """

    dim: int
    sizes: tuple[int | None, ...]
    size: int | None

    def stretched(self, operand: int) -> bool:
        """Return whether an operand's single entry is stretched along this axis."""
        return self.size is not None and self.sizes[operand] in (None, 1) and self.size != 1


@dataclass(frozen=True)
class Alignment:
    """Aligned shapes, with their columns from first to last axis."""

    shapes: tuple[Shape, ...]
    columns: tuple[AxisColumn, ...]

    @property
    def result(self) -> Shape | None:
        """Common stretched shape, None if they clash."""
        sizes = tuple(column.size for column in self.columns)
        return None if None in sizes else sizes

    @property
    def clashes(self) -> tuple[int, ...]:
        """Axes (dim, from the right) whose sizes clash, first axis first."""
        return tuple(column.dim for column in self.columns if column.size is None)

    @property
    def entries(self) -> int:
        """Number of entries in the result, 0 if the shapes clash."""
        return 0 if self.result is None else math.prod(self.result)

    def stretches(self, operand: int) -> tuple[AxisColumn, ...]:
        """Return the axes along which an operand is stretched."""
        return tuple(column for column in self.columns if column.stretched(operand))

    @property
    def grown(self) -> bool:
        """Return whether the result exceeds every operand, stretched along different axes."""
        return self.result is not None and self.entries > max(map(math.prod, self.shapes), default=0)


def align(shapes: Sequence[Shape]) -> Alignment:
    """Align shapes from the right.

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
        columns.append(AxisColumn(dim, sizes, None if len(large) > 1 else large.pop() if large else 1))
    return Alignment(tuple(map(tuple, shapes)), tuple(columns))


def sources(index: Sequence[int], shape: Shape) -> Shape:
    """Return the operand entry that the result's entry `index` reads.

    >>> sources((1, 2), (3, 1)), sources((1, 2), (3,)), sources((1, 2), ())
    ((1, 0), (2,), ())
    """
    last = index[len(index) - len(shape) :]
    return tuple(0 if size == 1 else i for i, size in zip(last, shape, strict=True))


def readers(entry: Shape, shape: Shape, result: Shape) -> Iterator[Shape]:
    """Yield the result entries that read an operand's entry, in order.

    >>> list(readers((1, 0), (3, 1), (3, 2)))
    [(1, 0), (1, 1)]
    """
    own = (None,) * (len(result) - len(shape)) + tuple(
        None if size == 1 else at for at, size in zip(entry, shape, strict=True)
    )
    return product(*(range(size) if at is None else (at,) for at, size in zip(own, result, strict=True)))


def reads(alignment: Alignment, operand: int) -> int:
    """Return how often each entry of an operand is read."""
    return math.prod(column.size for column in alignment.stretches(operand))


MOST = 5

# A reduction at the end of an expression, over one axis and without keepdim.
_REDUCES = methods_with("keepdim") & names_where(
    lambda one: one.sentence == "reduced" and one.kind != "norm" and not one.chooses
)
_REDUCTION = plain(rf"\.(?:{'|'.join(sorted(_REDUCES))})\((?:dim=|axis=)?(-?\d{{1,2}})(?P<end>\))$")

MendKind = Literal["keepdim", "unsqueeze", "squeeze", "transpose", "reshape"]


@dataclass(frozen=True)
class Fix:
    """One fix.

    Attributes:
        operand: index of the changed operand.
        kind: kind of call.
        code: code with {} for the operand.
        shape: shape of the changed operand. result: shape of the changed operation.
    """

    operand: int
    kind: MendKind
    code: str
    shape: Shape
    result: Shape


def fixes(shapes: Sequence[Shape], texts: Sequence[str] = ()) -> tuple[Fix, ...]:
    """List fixes for clashing shapes or a grown result, likeliest first.

    A reduction without keepdim whose result aligns with the wrong axis gets keepdim, although it fits.

    Args:
        texts: operands' expressions, in which a final reduction gets keepdim.

    >>> [(fix.code, fix.result) for fix in fixes([(2, 3), (2,)])][0]
    ('{}.unsqueeze(1)', (2, 3))
    >>> fixes([(3, 1), (1, 2)])
    ()
    """
    before = align(shapes)
    counts = [math.prod(shape) for shape in shapes]
    spread = before.grown and len(set(counts)) < len(counts)
    fits: dict[tuple[int, Shape], Fix] = {}
    for operand, shape in enumerate(shapes):
        text = texts[operand] if operand < len(texts) else ""
        for kind, code, new in _changes(shape, [*shapes[:operand], *shapes[operand + 1 :]], text):
            after = align([*shapes[:operand], new, *shapes[operand + 1 :]])
            if after.result is None or (before.result is not None and after.grown):
                continue
            if before.result is not None and not spread and (kind != "keepdim" or (1, *shape) == new):
                continue  # it already fits, unless a reduction removed its axis and it now aligns with another
            fits.setdefault((operand, new), Fix(operand, kind, code, new, after.result))
    order = ("keepdim", "squeeze", "unsqueeze", "transpose", "reshape")
    # A small result is more likely to be intended than a large table.
    return tuple(
        sorted(fits.values(), key=lambda fix: (math.prod(fix.result) > max(counts), order.index(fix.kind)))[:MOST]
    )


def _changes(shape: Shape, others: Sequence[Shape], text: str) -> Iterator[tuple[MendKind, str, Shape]]:
    """Yield a shape's changes by one call: kind, code, new shape."""
    rank = len(shape)
    if (match := _REDUCTION.search(text)) and rank < MAX_RANK:
        at = int(match[1]) % (rank + 1) if -rank - 1 <= int(match[1]) <= rank else 0
        call = text[: match.start("end")].replace("{", "{{").replace("}", "}}")
        yield "keepdim", f"{call}, keepdim=True)", (*shape[:at], 1, *shape[at:])
    for at, size in enumerate(shape):
        if size == 1:
            yield "squeeze", f"{{}}.squeeze({at})", shape[:at] + shape[at + 1 :]
    if rank < MAX_RANK:
        for at in range(rank, -1, -1):
            yield "unsqueeze", f"{{}}.unsqueeze({at})", (*shape[:at], 1, *shape[at:])
    if rank >= 2:
        code = "{}.T" if rank == 2 else "{}.transpose(-2, -1)"
        yield "transpose", code, (*shape[:-2], shape[-1], shape[-2])
    for other in others:
        if other != shape and math.prod(other) == math.prod(shape):
            yield "reshape", f"{{}}.reshape({', '.join(map(str, other)) or '()'})", other
