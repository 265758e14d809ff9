"""The drawn part of a tensor that is too large: the first rows, columns and slices."""

import math
from dataclasses import dataclass

from explorer.text import say
from explorer.trace import index_at

ROWS, COLUMNS, LINE, SLICES = 8, 10, 16, 4


@dataclass(frozen=True)
class Slice:
    """One grid. Attributes: index: of its leading axes, () for a tensor of at most two; rows: places, row by row."""

    index: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TensorWindow:
    """The drawn part of a tensor. Attributes: slices; notes: what is not drawn, as (kind, shown, all)."""

    slices: tuple[Slice, ...]
    notes: tuple[tuple[str, int, int], ...]

    def places(self) -> list[int]:
        """All places that are drawn."""
        return [place for slice_ in self.slices for row in slice_.rows for place in row]

    def words(self, lang: str) -> str:
        """A sentence per axis that is drawn only in part."""
        return " ".join(
            say(lang, f"operations-more-{kind}", shown=shown, all=whole) for kind, shown, whole in self.notes
        )


def window(shape: tuple[int, ...], collapsed: int | None = None) -> TensorWindow:
    """The part of a tensor that is drawn.

    Args:
        collapsed: the axis of a matrix whose reduction a vector is: it takes the matrix's place without that axis.

    >>> window((2, 100)).notes
    (('columns', 10, 100),)
    """
    if not shape:
        return TensorWindow((Slice((), ((0,),)),), ())
    if len(shape) == 1:
        shown = min(shape[0], LINE if collapsed is None else COLUMNS if collapsed == 0 else ROWS)
        notes = (("entries", shown, shape[0]),) if shown < shape[0] else ()
        line, each = (tuple(range(shown)),), tuple((place,) for place in range(shown))
        return TensorWindow((Slice((), each if collapsed == 1 else line),), notes)
    *leading, height, width = shape
    rows, columns, slices = min(height, ROWS), min(width, COLUMNS), math.prod(leading)
    kept = min(slices, SLICES)
    cuts = (("slices", kept, slices), ("rows", rows, height), ("columns", columns, width))
    drawn = []
    for k in range(kept):
        index = index_at(k, leading)
        start = k * height * width
        drawn.append(Slice(index, tuple(tuple(start + i * width + j for j in range(columns)) for i in range(rows))))
    return TensorWindow(tuple(drawn), tuple(cut for cut in cuts if cut[1] < cut[2]))
