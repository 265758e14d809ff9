"""The size of the gradient in each layer of a model: where it vanishes or explodes on its way through the depth."""

import math

from msgspec import Struct

from explorer.analysis.health.module_table import path_of_owner
from explorer.analysis.health.rows import GradientRow, parameter_rows
from explorer.trace import Trace, memoized


class Layer(Struct, frozen=True):
    """A module with parameters of its own.

    Attributes:
        path: from the variable that holds the model.
        size: the root mean square of the gradients of its parameters; NaN where an entry is NaN or infinite, None
            without a gradient.
    """

    path: str
    size: float | None


@memoized
def layers(trace: Trace, backward: int) -> tuple[Layer, ...]:
    """The layers in the order of the model, with the gradients of a backward, counted from 1."""
    held: dict[str, list[GradientRow]] = {}
    for row in parameter_rows(trace, backward):
        if row.trained and (path := path_of_owner(trace, row)):
            held.setdefault(path, []).append(row)
    return tuple(Layer(path, _size(rows)) for path, rows in held.items())


def decades(sizes: tuple[Layer, ...]) -> tuple[int, int] | None:
    """The powers of ten between which the sizes lie that are no 0, at least three apart; None without any."""
    logs = [math.log10(layer.size) for layer in sizes if layer.size and math.isfinite(layer.size)]
    if not logs:
        return None
    high = math.ceil(max(logs))
    return min(math.floor(min(logs)), high - 3), high


def _size(rows: list[GradientRow]) -> float | None:
    known = [row for row in rows if row.gradient is not None]
    if not known:
        return None
    norms = [row.gradient.norm for row in known if row.gradient is not None and row.gradient.norm is not None]
    if len(norms) < len(known) or any(row.state == "nonfinite" for row in known):
        return math.nan
    return math.hypot(*norms) / math.sqrt(max(sum(math.prod(row.shape) for row in known), 1))
