"""Confused axes: reshaped instead of transposed, or the batch axis in place of the classes."""

import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding

_RESHAPES = ("reshape", "view")
_CASTS = ("log", "clamp", "clamp_min", "add", "__radd__", "neg", "mul", "float", "double")
_LAYERS = ("linear", "matmul", "__matmul__", "mm", "addmm", "bilinear", "einsum")
_SPREADS = ("expand", "expand_as", "repeat", "broadcast_to", "tile", "repeat_interleave")
_COMPARED = (
    *("sub", "rsub", "__rsub__", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
    *("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"),
)
_KEEPS = ("unsqueeze", "squeeze", "view", "reshape", "sigmoid", "softmax", "log_softmax")  # each row of its own
_FAR = 12  # operations that are followed


def axes_mixed(facts: Facts) -> Iterator[Finding]:
    """A reshape to the sizes that a transposition would give: entries stay in order, so the axes are mixed.

    Either the same sizes in another order; or (B, T, H·D) as (B, H, T, D), or (B, H, T, D) as (B, T, H·D). Reported
    for tensors computed from data that lead to a root of a training, and for named examples, such as images.
    """
    if not facts.steps:
        return
    wants = facts.trace.tensors.requires_grad
    for operation in range(facts.count):
        read, made = facts.operations.inputs[operation], facts.operations.outputs[operation]
        if facts.names[operation] not in _RESHAPES or not read or not made or not facts.leads_to_root[operation]:
            continue
        place = facts.place(operation)
        before, after = facts.shape(read[0]), facts.shape(made[0])
        swapped = _swapped(before, after)
        if place is None or not swapped:
            continue
        if wants[read[0]]:
            if facts.trace.tensors.is_leaf[read[0]] or not _comes_from_data(facts, read[0]):
                continue
        elif not _are_named_examples(facts, read[0], before, after):
            continue
        values: dict[str, str | int] = {
            "code": facts.text(operation),
            "before": str(before),
            "after": str(after),
            "first": swapped[0],
            "second": swapped[1],
        }
        yield Finding("axes_mixed", place, values, read[0])
        return


def _are_named_examples(facts: Facts, tensor: int, before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether data have a name of their own, and a reshape keeps the batch axis and reorders the other sizes."""
    reordered = len(before) == len(after) > 2 and before[0] == after[0] and sorted(before) == sorted(after)
    return reordered and tensor in facts.trace.index.bindings


def _swapped(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, int] | None:
    """The sizes of two exchanged axes, None if there are none.

    >>> _swapped((8, 5, 8), (5, 8, 8)), _swapped((2, 6, 12), (2, 4, 6, 3)), _swapped((8, 5), (40,))
    ((8, 5), (6, 4), None)
    """
    old, new = tuple(n for n in before if n != 1), tuple(n for n in after if n != 1)
    if old == new or len(before) != len(old) + before.count(1):
        return None
    if sorted(old) == sorted(new) and len(old) > 1:
        at = next(i for i in range(len(old)) if old[i] != new[i])
        return old[at], new[at]
    for short, long in ((old, new), (new, old)):
        if len(short) == 3 and len(long) == 4 and short[0] == long[0]:
            rows, width = short[1:]
            if long[2] == rows and long[1] != rows and long[1] * long[3] == width:
                return rows, long[1]
    return None


def _comes_from_data(facts: Facts, tensor: int) -> bool:
    """Whether entries of a tensor were computed from tensors that require no gradient."""
    wants = facts.trace.tensors.requires_grad
    return any(not wants[source] and math.prod(facts.shape(source)) > 1 for source in facts.below([tensor], 500))


def softmax_over_batch(facts: Facts) -> Iterator[Finding]:
    """softmax over axis 0 of (examples, classes), although the loss then picks one class for each example."""
    for operation in range(facts.count):
        if facts.names[operation] not in ("softmax", "log_softmax") or not facts.leads_to_root[operation]:
            continue
        read, made = facts.operations.inputs[operation], facts.operations.outputs[operation]
        place = facts.place(operation)
        shape = facts.shape(read[0]) if read else ()
        if place is None or len(shape) != 2 or shape[0] < 2 or shape[1] < 2 or not made:
            continue
        if _softmax_axis(facts, operation) not in (0, -2):
            continue
        sums = _row_sums(facts, operation, shape)
        if sums is None or not _picks_of_rows(facts, made[0], shape):
            continue
        values: dict[str, str | int] = {
            "code": facts.text(operation),
            "shape": str(shape),
            "low": f"{sums.min():.3g}",
            "high": f"{sums.max():.3g}",
        }
        yield Finding("softmax_over_batch", place, values, made[0])
        return


_PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm")
_WEIGHS = ("dropout", "float", "to", "type_as", "contiguous", "masked_fill")  # between the weights and the product
_SCORES = (
    *_WEIGHS,
    "div",
    "__truediv__",
    "mul",
    "__rmul__",
    "add",
    "__radd__",
    "where",
    "mul_",
    "div_",
    "masked_fill_",
)


def softmax_over_queries(facts: Facts) -> Iterator[Finding]:
    """Weights of attention whose softmax runs along the queries: the product with the values sums over the keys."""
    for operation in range(facts.count):
        if facts.names[operation] != "softmax" or not facts.leads_to_root[operation]:
            continue
        read, made, place = (
            facts.operations.inputs[operation],
            facts.operations.outputs[operation],
            facts.place(operation),
        )
        axes = len(facts.shape(read[0])) if read else 0
        axis = _softmax_axis(facts, operation)
        if place is None or not made or axes < 2 or axis not in (-2, axes - 2) or min(facts.shape(read[0])[-2:]) < 2:
            continue
        product = _reader(facts, made[0])
        if product is None or not _are_scores(facts, read[0]):
            continue
        values: dict[str, str | int] = {
            "code": facts.text(operation),
            "shape": str(facts.shape(read[0])),
            "product": facts.text(product),
        }
        yield Finding("softmax_over_queries", place, values, made[0])
        return


def _reader(facts: Facts, weights: int) -> int | None:
    """The only operation that uses weights, a product in which they come first, as they are."""
    for _ in range(4):
        users = [user for user in facts.users.get(weights, ()) if facts.operations.outputs[user]]
        if len(users) != 1:
            return None
        if facts.names[users[0]] in _PRODUCTS:
            first = facts.operations.inputs[users[0]][0]
            return users[0] if first == weights and len(facts.operations.inputs[users[0]]) == 2 else None
        if facts.names[users[0]] not in _WEIGHS or facts.operations.inputs[users[0]][0] != weights:
            return None
        weights = facts.operations.outputs[users[0]][0]
    return None


def _are_scores(facts: Facts, tensor: int) -> bool:
    """Whether entries are products of two results of layers, scaled or masked: queries and keys."""
    wants, leaf = facts.trace.tensors.requires_grad, facts.trace.tensors.is_leaf
    for _ in range(6):
        maker = facts.makers.get(tensor)
        read = facts.operations.inputs[maker] if maker is not None else ()
        if maker is None or not read:
            return False
        if facts.names[maker] in _PRODUCTS:
            return len(read) == 2 and all(wants[factor] and not leaf[factor] for factor in read)
        if facts.names[maker] not in _SCORES:
            return False
        tensor = next((factor for factor in read if wants[factor]), read[0])
    return False


def _softmax_axis(facts: Facts, operation: int) -> int | None:
    given = facts.trace.arguments(operation).get(1, "dim", default=None)
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _row_sums(facts: Facts, operation: int, shape: tuple[int, ...]) -> np.ndarray | None:
    """The sums of the rows of probabilities, None if unknown or if each is 1."""
    entries = facts.made(operation)
    if entries is None or entries.size != math.prod(shape):
        return None
    entries = np.exp(entries) if facts.names[operation] == "log_softmax" else entries
    sums = entries.reshape(shape).sum(1)
    return None if np.abs(sums - 1).max() < 1e-3 else sums


def _picks_of_rows(facts: Facts, tensor: int, shape: tuple[int, ...]) -> bool:
    """Whether a loss takes one entry of each row: by its label, with repeated labels, or by one-hot rows."""
    todo, seen = [tensor], {tensor}
    while todo and len(seen) < _FAR:
        at = todo.pop()
        for user in facts.users.get(at, ()):
            if not facts.leads_to_root[user]:
                continue
            read, name = facts.operations.inputs[user], facts.names[user]
            others = [operand for operand in read if operand != at]
            if any(_labels(facts, user, name, other, shape) for other in others) or any(
                name in ("mul", "sub", "mse_loss", "binary_cross_entropy", "kl_div", "cross_entropy")
                and _is_one_hot(facts, user, other, shape)
                for other in others
            ):
                return True
            if name in _CASTS:
                fresh = [output for output in facts.operations.outputs[user] if output not in seen]
                seen.update(fresh)
                todo += fresh
    return False


def _labels(facts: Facts, user: int, name: str, tensor: int, shape: tuple[int, ...]) -> bool:
    """Whether a tensor holds the class of each row, and the operation picks by it."""
    if name not in ("__getitem__", "gather", "nll_loss", "cross_entropy", "take_along_dim"):
        return False
    if facts.shape(tensor) not in ((shape[0],), (shape[0], 1)) or not facts.dtype(tensor).startswith("int"):
        return False
    entries = facts.before(tensor, user)
    if entries is None or entries.size != shape[0] or not 0 <= entries.min() <= entries.max() < shape[1]:
        return False
    return len(np.unique(entries)) < shape[0]


def _is_one_hot(facts: Facts, user: int, tensor: int, shape: tuple[int, ...]) -> bool:
    entries = facts.before(tensor, user)
    if facts.shape(tensor) != shape or entries is None or entries.size != math.prod(shape):
        return False
    rows = entries.reshape(shape)
    columns = rows.sum(0)
    return bool(np.isin(rows, (0, 1)).all() and (rows.sum(1) == 1).all() and columns.max() > 1)


def mean_over_batch(facts: Facts) -> Iterator[Finding]:
    """A mean over the examples is compared with the targets of all of them: every example gets the same prediction."""
    wants = facts.trace.tensors.requires_grad
    for operation in range(facts.count):
        if facts.names[operation] not in _COMPARED or not facts.leads_to_root[operation]:
            continue
        pair = facts.operations.inputs[operation][:2]
        if len(pair) < 2 or wants[pair[0]] == wants[pair[1]]:
            continue
        made, target = pair if wants[pair[0]] else pair[::-1]
        rows = facts.shape(target)[0] if facts.shape(target) else 0
        reduced = _mean_behind(facts, made, rows)
        place = facts.place(reduced) if reduced is not None else None
        if reduced is None or place is None or rows < 2 or _is_constant(facts, operation, target, rows):
            continue
        source = facts.operations.inputs[reduced][0]
        values: dict[str, str | int] = {
            "code": facts.text(reduced),
            "shape": str(facts.shape(source)),
            "rows": rows,
            "method": facts.names[reduced],
        }
        yield Finding("mean_over_batch", place, values, source)
        return


def _mean_behind(facts: Facts, tensor: int, rows: int) -> int | None:
    """The mean over `rows` examples on axis 0 that a tensor consists of, stretched or not; otherwise None."""
    shape = facts.shape(tensor)
    maker = facts.makers.get(tensor)
    for _ in range(_FAR):
        if maker is None or not facts.operations.inputs[maker]:
            return None
        source = facts.operations.inputs[maker][0]
        name = facts.names[maker]
        if name in ("mean", "sum"):
            before, after = facts.shape(source), facts.shape(facts.operations.outputs[maker][0])
            over = facts.trace.arguments(maker).get(1, "dim", "axis", default=None) in (0, [0], (0,))
            kept = after in (before[1:], (1, *before[1:]))
            own = len(before) > 1 and before[0] == rows and over and kept
            spread = len(shape) == 0 or shape[0] in (1, rows) or shape == before[1:]
            return maker if own and spread else None
        if name not in (*_SPREADS, *_LAYERS, *_KEEPS):
            return None
        if name in _LAYERS and facts.shape(source)[:1] not in ((1,), ()) and len(facts.shape(source)) > 1:
            return None
        maker = facts.makers.get(source)
    return None


def _is_constant(facts: Facts, operation: int, target: int, rows: int) -> bool:
    """Whether all rows of a target are equal: then one prediction may serve them all."""
    entries = facts.before(target, operation)
    if entries is None or entries.size != math.prod(facts.shape(target)):
        return True
    of_rows = entries.reshape(rows, -1)
    return bool((of_rows == of_rows[0]).all())


RULES = (softmax_over_batch, softmax_over_queries, axes_mixed, mean_over_batch)
