"""Lost numbers: truncated to integers, compared exactly, or smaller than the spacing of floats."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts, numbers
from explorer.analysis.faults.finding import Finding

_EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
_NEAR = 4  # in units of the last place
_DIVIDES = ("div", "true_divide", "__truediv__")


def truncated(facts: Facts) -> Iterator[Finding]:
    """A fraction was written into a tensor of signed integers; pixels, which are unsigned, are truncated on purpose."""
    for operation in range(facts.count):
        read = facts.operations.inputs[operation]
        if facts.names[operation] != "__setitem__" or not read or not facts.dtype(read[0]).startswith("int"):
            continue
        given, lost = facts.trace.arguments(operation).positional, ""
        if given and isinstance(given[-1], float) and np.isfinite(given[-1]) and given[-1] != int(given[-1]):
            lost = numbers(np.array([given[-1]]))
        elif len(read) > 1 and facts.dtype(read[-1]) in _EPS:
            entries = facts.before(read[-1], operation)
            if entries is not None and np.isfinite(entries).all() and np.any(entries != np.trunc(entries)):
                lost = numbers(entries)
        if lost and facts.place(operation):
            values = {"code": facts.text(operation), "lost": lost, "dtype": facts.dtype(read[0])}
            yield Finding("truncated", facts.place(operation), values, read[0])
            return


def float_equality(facts: Facts) -> Iterator[Finding]:
    """Two floats compared with == that differ in their last places only."""
    for operation in range(facts.count):
        pair = facts.operations.inputs[operation]
        if facts.names[operation] not in ("eq", "__eq__") or len(pair) != 2 or not facts.place(operation):
            continue
        sizes = [_EPS.get(facts.dtype(tensor)) for tensor in pair]
        entries = [facts.before(tensor, operation) for tensor in pair]
        if None in sizes or any(entry is None for entry in entries):
            continue
        try:
            first, second = np.broadcast_arrays(*(_shaped(facts, *both) for both in zip(pair, entries, strict=True)))
        except ValueError:
            continue
        with np.errstate(invalid="ignore"):
            apart = np.abs(first - second)
            near = (apart > 0) & (apart <= _NEAR * max(sizes) * np.maximum(np.abs(first), np.abs(second)))
        if near.any():
            values = {"code": facts.text(operation), "first": numbers(first[near]), "second": numbers(second[near])}
            values["apart"] = f"{apart[near][0]:.1e}"
            yield Finding("float_equality", facts.place(operation), values)
            return


def _shaped(facts: Facts, tensor: int, entries: np.ndarray) -> np.ndarray:
    shape = facts.shape(tensor)
    flat = entries.astype(np.float64)
    return flat.reshape(shape) if flat.size == np.prod(shape, dtype=int) else flat


def quotient_lost(facts: Facts) -> Iterator[Finding]:
    """x + h equals x, and the difference, 0, is divided by h."""
    added: dict[float, list[int]] = {}
    for operation in range(facts.count):
        given = [
            number for number in facts.trace.arguments(operation).positional if isinstance(number, float) and number
        ]
        if facts.names[operation] in ("add", "sub") and given and facts.operations.inputs[operation]:
            added.setdefault(abs(given[0]), []).append(operation)
        if facts.names[operation] not in _DIVIDES or not given or not facts.made_zero(operation):
            continue
        for earlier in added.get(abs(given[0]), ())[-20:]:
            added_to, made = facts.operations.inputs[earlier][0], facts.operations.outputs[earlier]
            before = facts.trace.value(facts.value_before(added_to, earlier))
            after = facts.trace.value(facts.value_before(made[0], earlier + 1)) if made else None
            if before is not None and before.entries and before == after and facts.place(operation):
                values = {"code": facts.text(operation), "h": f"{given[0]:g}", "sum": facts.text(earlier)}
                tried = {str(facts.trace.arguments(at).positional) for at in _at_the_same_place(facts, operation)}
                yield Finding("quotient_lost", facts.place(operation), values, certain=len(tried) == 1)
                return


def _at_the_same_place(facts: Facts, operation: int) -> list[int]:
    span, name = facts.operations.span[operation], facts.names[operation]
    return [at for at in range(facts.count) if facts.operations.span[at] == span and facts.names[at] == name]


RULES = (truncated, float_equality, quotient_lost)
