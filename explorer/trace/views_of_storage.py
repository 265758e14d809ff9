"""Views: facts from the recorded strides of calls that returned parts of their operand's memory."""

import math
from collections.abc import Sequence

import numpy as np

from explorer.trace.records import Records

MOST_VIEWED = 250_000  # entries of a tensor


def returns_views(trace: Records, operation: int) -> bool:
    """Return whether all results are views of the first operand, whose entries don't overlap."""
    rows, tensors = trace.operations, trace.tensors
    inputs, outputs = rows.inputs[operation], rows.outputs[operation]
    if not inputs or not outputs or inputs[0] in outputs or tensors.storage[inputs[0]] < 0:
        return False
    kinds = {(tensors.storage[t], tensors.dtype[t]) for t in (inputs[0], *outputs)}
    return (
        len(kinds) == 1 and all(tensors.stride[t] >= 0 for t in (inputs[0], *outputs)) and _is_apart(trace, inputs[0])
    )


def _is_apart(trace: Records, tensor: int) -> bool:
    """Return whether no two entries of a tensor share an address."""
    reach = 0
    for step, size in sorted(zip(_steps(trace, tensor), _shape(trace, tensor), strict=True)):
        if size > 1 and step <= reach:
            return False
        reach += step * (size - 1) if size > 1 else 0
    return True


def _shape(trace: Records, tensor: int) -> Sequence[int]:
    return trace.shapes[trace.tensors.shape[tensor]]


def _steps(trace: Records, tensor: int) -> Sequence[int]:
    return trace.shapes[trace.tensors.stride[tensor]]


def places_viewed(trace: Records, operation: int) -> list[np.ndarray]:
    """Return the places in the first operand of each view result's entries, flat.

    Raises ValueError if an entry is outside the operand, as a file may claim.
    """
    first, *made = (
        _addresses(trace, t) for t in (trace.operations.inputs[operation][0], *trace.operations.outputs[operation])
    )
    order = np.argsort(first, kind="stable")
    at = [np.minimum(np.searchsorted(first[order], result), max(0, len(first) - 1)) for result in made]
    if any(
        result.size and (not first.size or (first[order[k]] != result).any())
        for k, result in zip(at, made, strict=True)
    ):
        raise ValueError("strides")
    return [order[k] if len(first) else k for k in at]


def axes_viewed(trace: Records, operation: int) -> list[list[int]]:
    """Return for each axis of a view the operand axes with the same size and stride."""
    pair = trace.operations.inputs[operation][0], trace.operations.outputs[operation][0]
    if any(trace.tensors.stride[tensor] < 0 for tensor in pair):
        return []
    before, after = ([*zip(_shape(trace, one), _steps(trace, one), strict=False)] for one in pair)
    return [[k for k, other in enumerate(before) if other == axis] for axis in after]


def _addresses(trace: Records, tensor: int) -> np.ndarray:
    """Return the memory addresses of a tensor's entries, flat and row-major."""
    shape, steps = _shape(trace, tensor), _steps(trace, tensor)
    if len(shape) != len(steps) or math.prod(shape) > MOST_VIEWED:
        raise ValueError("strides")
    found = np.full(math.prod(shape), trace.tensors.offset[tensor]).reshape(shape)
    for axis, (size, step) in enumerate(zip(shape, steps, strict=True)):
        found = found + (np.arange(size) * step).reshape((size, *[1] * (len(shape) - axis - 1)))
    return found.reshape(-1)
