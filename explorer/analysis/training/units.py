"""The axis of a weight that counts the units of its layer, judged by the operations that used the weight."""

from collections.abc import Mapping

from explorer.analysis.operations import operation_of
from explorer.trace import Trace


def unit_axis(trace: Trace, tensor: int) -> int | None:
    """The axis of a weight (its row in Trace.tensors) with an index for each unit of its layer.

    0 for linear or a convolution, 1 for a matrix on the right of a product, as in `x @ w`. None if it is used in
    neither way, or in both.
    """
    return trace.index.memoize(("unit axes",), lambda: _axes(trace)).get(tensor)


def _axes(trace: Trace) -> Mapping[int, int | None]:
    found: dict[int, int | None] = {}
    operations = trace.operations
    for row, name in enumerate(operations.name):
        place, axis = operation_of(trace.strings[name]).units or (-1, -1)
        given = operations.inputs[row] if place >= 0 else []
        if len(given) <= place or place < 0:
            continue
        weight = given[place]
        two = len(trace.shapes[trace.tensors.shape[weight]]) == 2
        if given.count(weight) > 1 or (axis == 1 and not two):
            continue
        found[weight] = axis if found.get(weight, axis) == axis else None
    return found
