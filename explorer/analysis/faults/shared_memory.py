"""Memory that is wrongly shared or wrongly copied: kept weights, tied weights, data."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.training_lookups import optimizers, share, tensors_of

_COPIES_BACK = ("copy_", "lerp_", "add_", "__iadd__", "iadd", "data=")
_VIEWS = ("data", "detach")
_CLONES = ("clone", "detach", "t", "transpose", "T", "__deepcopy__", "tensor", "new_tensor", "contiguous")
_SCALES = ("mul_", "div_", "__imul__", "__itruediv__", "pow_", "imul", "itruediv", "true_divide_")
_ROUNDS = 3  # rounds of a loop from which on a change of data is reported
_FACTOR = 100.0  # factor by which data shrink or grow until then


def kept_weights_shared(facts: Facts) -> Iterator[Finding]:
    """Weights are restored from a tensor in their own memory, which followed every step since."""
    tensors = facts.trace.tensors
    steps = facts.steps
    for operation in range(facts.count):
        if facts.names[operation] not in _COPIES_BACK:
            continue
        read = facts.operations.inputs[operation]
        if (
            len(read) < 2
            or read[0] == read[1]
            or (facts.operations.grad_enabled[operation] and tensors.requires_grad[read[0]])
        ):
            continue
        first, second = read[:2]
        if not _same_memory(facts, first, second):
            continue
        trained = tensors.is_parameter[first] or tensors.requires_grad[first]
        alias, weight = (second, first) if trained else (first, second)
        made = facts.makers.get(alias)
        if not tensors.requires_grad[weight] and made is not None:  # both are views of the weight, as in state_dict()
            weight = next(
                (operand for operand in facts.operations.inputs[made] if _same_memory(facts, operand, alias)), weight
            )
        place = facts.places.get(alias)
        if not (tensors.is_parameter[weight] or tensors.requires_grad[weight]) or place is None or made is None:
            continue
        if facts.names[made] not in ("detach", "data", "detach_") or weight not in facts.operations.inputs[made]:
            continue
        stepped = [step for step in steps if made < step.begin < operation]
        back = facts.place(operation)
        if not steps or (not stepped and not _is_loaded(facts, operation)):
            continue
        values: dict[str, str | int] = {
            "name": facts.name(weight),
            "code": facts.text(made) or facts.name(alias),
            "steps": len(stepped),
            "how": "itself" if not stepped else "added" if "add" in facts.names[operation] else "written",
            "line": back.line if back is not None else 0,
            "back": facts.text(operation),
        }
        where = place if stepped or back is None else back
        yield Finding("kept_weights_shared", where, values, weight, certain=bool(stepped))
        return


def _is_loaded(facts: Facts, operation: int) -> bool:
    """Whether a write is part of load_state_dict."""
    return "load_state_dict" in facts.text(operation)


def _same_memory(facts: Facts, first: int, second: int) -> bool:
    """Whether two tensors are the same entries of the same memory."""
    columns = facts.trace.tensors
    same = columns.storage[first] == columns.storage[second] >= 0 and columns.offset[first] == columns.offset[second]
    return same and columns.shape[first] == columns.shape[second] and columns.stride[first] == columns.stride[second]


def weights_untied(facts: Facts) -> Iterator[Finding]:
    """A parameter begins as a copy of another one, and an optimizer trains both separately.

    Reported for an embedding and its output layer, and for a layer and its transpose.
    """
    tensors = facts.trace.tensors
    trained = [tensor for _, row, _ in optimizers(facts) for tensor in tensors_of(row) if tensor in facts.received]
    begin = facts.calls[0][1].operations if facts.calls else 0
    for copy in trained:
        if not tensors.is_parameter[copy] or len(facts.shape(copy)) != 2 or math.prod(facts.shape(copy)) < 4:
            continue
        for source in trained:
            if source == copy or not _is_tied_pair(facts, copy, source):
                continue
            cloned = _clone_of(facts, copy, source, begin)
            place = facts.place(cloned) if cloned is not None else None
            if cloned is None or place is None:
                continue
            values: dict[str, str | int] = {
                "name": facts.name(copy),
                "source": facts.name(source),
                "code": facts.text(cloned),
                "apart": share(_apart(facts, copy, source)),
            }
            yield Finding("weights_untied", place, values, copy)
            return


def _is_tied_pair(facts: Facts, copy: int, source: int) -> bool:
    """Whether two weights are an embedding and an output layer, or a layer and its transpose."""
    uses = [{facts.names[user] for user in facts.users.get(tensor, ())} for tensor in (copy, source)]
    layers = {"linear", "matmul", "__matmul__", "mm"}
    if any("embedding" in first and layers & second for first, second in (uses, uses[::-1])):
        return facts.shape(copy) in (facts.shape(source), facts.shape(source)[::-1])
    turned = facts.shape(copy) == facts.shape(source)[::-1] and facts.shape(copy)[0] != facts.shape(copy)[1]
    return turned and all(layers & used for used in uses)


def _clone_of(facts: Facts, copy: int, source: int, begin: int) -> int | None:
    """The operation that cloned one weight into the first entries of another, or None."""
    entries = facts.before(copy, begin)
    if entries is None or np.unique(entries).size < 2:
        return None
    views = [
        made for at in facts.users.get(source, ()) if facts.names[at] in _VIEWS for made in facts.operations.outputs[at]
    ]
    for user in sorted(at for tensor in (source, *views) for at in facts.users.get(tensor, ())):
        if user >= begin or facts.names[user] not in (*_CLONES, "copy_"):
            continue
        for made in facts.operations.outputs[user] or [copy]:
            there = facts.before(made, user + 1)
            if there is None or there.size != entries.size:
                continue
            shape = facts.shape(made)
            turned = there.reshape(shape).T.ravel() if len(shape) == 2 and there.size == math.prod(shape) else there
            if np.array_equal(there, entries) or np.array_equal(turned, entries):
                return user
    return None


def _apart(facts: Facts, copy: int, source: int) -> float:
    """The largest difference between two weights at the end."""
    last = [facts.before(tensor, facts.count) for tensor in (copy, source)]
    if last[0] is None or last[1] is None or last[0].size != last[1].size:
        return float("nan")
    if facts.shape(copy) != facts.shape(source) and last[1].size == math.prod(facts.shape(source)):
        last[1] = last[1].reshape(facts.shape(source)).T.ravel()
    return float(np.abs(last[0] - last[1]).max())


def data_rescaled(facts: Facts) -> Iterator[Finding]:
    """Data are multiplied in place in every round of a training, and shrink or grow a hundredfold."""
    wants = facts.trace.tensors.requires_grad
    if not facts.steps:
        return
    for tensor, users in facts.users.items():
        if wants[tensor] or math.prod(facts.shape(tensor)) < 2 or len(users) < 2 * _ROUNDS:
            continue
        writes = [at for at in facts.writes(tensor) if at not in facts.inside]
        scaling = [at for at in writes if facts.names[at] in _SCALES and _by_a_number(facts, at)]
        if len(scaling) < _ROUNDS or len({facts.operations.span[at] for at in scaling}) != 1:
            continue
        place = facts.place(scaling[-1])
        if place is None or not _read_between(facts, tensor, scaling):
            continue
        sizes = [size for at in scaling if (size := _size(facts, tensor, at)) is not None]
        if len(sizes) < _ROUNDS or not all(np.isfinite(sizes)) or min(sizes) < 0 or not sizes[0] > 0:
            continue
        falls = all(later < earlier for earlier, later in itertools.pairwise(sizes))
        climbs = all(later > earlier for earlier, later in itertools.pairwise(sizes))
        ratio = sizes[-1] / sizes[0]
        if not (falls and ratio < 1 / _FACTOR) and not (climbs and ratio > _FACTOR):
            continue
        values: dict[str, str | int] = {
            "name": facts.name(tensor),
            "code": facts.trace.text(facts.operations.span[scaling[-1]]),
            "first": share(sizes[0]),
            "last": share(sizes[-1]),
            "rounds": len(scaling),
        }
        yield Finding("data_rescaled", place, values, tensor)
        return


def _by_a_number(facts: Facts, operation: int) -> bool:
    """Whether a tensor is multiplied by a number, not by another tensor."""
    return len(set(facts.operations.inputs[operation])) == 1


def _read_between(facts: Facts, tensor: int, writes: list[int]) -> bool:
    """Whether the result of each write went into a root."""
    reads = facts.reads_that_matter(tensor)
    ends = [*writes[1:], facts.count]
    fed = [any(begin < at < end and at not in writes for at in reads) for begin, end in zip(writes, ends, strict=True)]
    return sum(fed) >= _ROUNDS and sum(fed) >= len(fed) - 1


def _size(facts: Facts, tensor: int, operation: int) -> float | None:
    """The norm of a tensor before an operation wrote to it."""
    entries = facts.before(tensor, operation)
    return None if entries is None or entries.dtype.kind not in "fiu" else float(np.linalg.norm(entries))


RULES = (kept_weights_shared, weights_untied, data_rescaled)
