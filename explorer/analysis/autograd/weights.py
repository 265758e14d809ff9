"""A softmax as rows of weights: how much each row takes of each column, with the gradient and the program's tokens."""

import math

from msgspec import Struct

from explorer.analysis.autograd.view import Card
from explorer.safe_regex import linear, plain
from explorer.trace import Trace, Value, index_at, real

MAPS, SIDE = 4, 24  # matrices that are shown, and rows and columns of one
NEAR = 1e-3  # by which a row's sum may differ from 1: of half precision too
_NAMES = ("tokens", "words")
_TOKENS = linear(rf"^({'|'.join(_NAMES)})[ \t]*=[ \t]*\[([^\[\]#]*)\][ \t]*$")
_ASSIGNED = linear(rf"^[ \t]*(?:{'|'.join(_NAMES)})\b[^=\n]*=")
_STRING = plain(r""""([^"\\\n]*+)"|'([^'\\\n]*+)'""")
_BETWEEN = plain(r"[\s,]*+")


class WeightMap(Struct, frozen=True):
    """One matrix. Attributes: index: of the leading axes; rows: its weights; gradients: of each, or () if unknown."""

    index: tuple[int, ...]
    rows: tuple[tuple[float, ...], ...]
    gradients: tuple[tuple[float, ...], ...]


class Weights(Struct, frozen=True):
    """The rows of a softmax.

    Attributes:
        maps: the first matrices; more: how many others there are.
        tokens: the program's words for the columns, and for the rows if these are as many; () if unknown.
    """

    maps: tuple[WeightMap, ...]
    more: int
    tokens: tuple[str, ...]


def weights(trace: Trace, card: Card) -> Weights | None:
    """The rows of a card that a softmax made, if all of its entries are known and each row sums to 1."""
    value = card.value
    if "Softmax" not in card.torch or "LogSoftmax" in card.torch or value is None or value.data is None:
        return None
    if len(value.shape) < 2 or card.fold or card.module:
        return None
    height, width = value.shape[-2:]
    if not (0 < height <= SIDE and 1 < width <= SIDE):
        return None
    entries = _entries(value)
    rows = [entries[at : at + width] for at in range(0, len(entries), width)]
    if not rows or any(min(row) < 0 or abs(math.fsum(row) - 1) > NEAR for row in rows):
        return None
    gradients = _entries(card.gradient) if card.gradient is not None and card.gradient.shape == value.shape else ()
    sums = [gradients[at : at + width] for at in range(0, len(gradients), width)]
    count = len(rows) // height
    maps = tuple(
        WeightMap(
            tuple(index_at(at * height * width, value.shape)[:-2]),
            tuple(rows[at * height : (at + 1) * height]),
            tuple(sums[at * height : (at + 1) * height]),
        )
        for at in range(min(count, MAPS))
    )
    found = tokens(trace)
    return Weights(maps, count - len(maps), found if len(found) == width else ())


def tokens(trace: Trace) -> tuple[str, ...]:
    """The strings of the one list that the program calls tokens or words; () if it is written in another way."""
    lines = [line for cell in trace.own_cells for line in cell.source.splitlines()]
    found = [list_ for list_ in map(_TOKENS.match, lines) if list_]
    if len(found) != 1 or sum(bool(_ASSIGNED.match(line)) for line in lines) != 1:
        return ()
    inside = found[0][2]
    if not _BETWEEN.fullmatch(_STRING.sub("", inside)):
        return ()
    return tuple(each[1] if each[1] is not None else each[2] for each in _STRING.finditer(inside))


def _entries(value: Value) -> tuple[float, ...]:
    """All entries as real numbers; () if they are not known, or some are not finite."""
    if value.data is None or any(isinstance(entry, complex) for entry in value.data):
        return ()
    numbers = tuple(real(entry) for entry in value.data)
    return numbers if all(map(math.isfinite, numbers)) else ()
