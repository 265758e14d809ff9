"""Misused loss functions: they compute something else than the program means."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts, numbers
from explorer.analysis.faults.finding import Finding

_DIFFERENCES = ("sub", "rsub", "__rsub__", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_AXIS_INSERTED = ("unsqueeze", "__getitem__", "view", "reshape", "mean", "sum")
_RESHAPES = ("view", "reshape", "squeeze", "unsqueeze", "flatten", "__getitem__", "float", "to")
_ADDS = ("add", "__radd__", "add_", "__iadd__", "stack", "sum", "mean", "cat")
_OFF = 1e-3  # by which the probabilities of a row may differ from 1
_MANY = 3  # finished graphs from which on keeping them is reported
_PICKS = 200  # shuffles that are compared with targets


_AVERAGED = frozenset("square pow __pow__ abs __abs__ mean sum mul __mul__ div __truediv__ sqrt".split())
_LONGEST_LOSS = 20  # tensors between a difference and the loss


def loss_broadcast(facts: Facts) -> Iterator[Finding]:
    """The difference of (n, 1) and (n,) is (n, n): every prediction is compared with every target."""
    wants = facts.trace.tensors.requires_grad
    for operation in range(facts.count):
        if facts.names[operation] not in _DIFFERENCES or not facts.leads_to_root[operation]:
            continue
        pair = facts.operations.inputs[operation][:2]
        if len(pair) < 2 or all(wants[tensor] for tensor in pair) or not facts.place(operation):
            continue
        first, second = (facts.shape(tensor) for tensor in pair)
        if not (_column_and_row(first, second) or _column_and_row(second, first)):
            continue
        if any(_axis_inserted_here(facts, tensor, operation) for tensor in pair):
            continue
        if any(_is_leaf(facts, tensor) for tensor in pair) and not _is_averaged(facts, operation):
            continue  # the centres of a kernel, which meet all data
        if facts.names[operation].endswith("_loss") or not _pairs_with_itself(facts):
            values = {"code": facts.text(operation), "first": str(first), "second": str(second)}
            values["made"] = str(np.broadcast_shapes(first, second))
            meant = _axis_inserted(facts, pair[0] if len(first) > len(second) else pair[1])
            yield Finding("loss_broadcast", facts.place(operation), values, certain=not meant)
            return


def _is_leaf(facts: Facts, tensor: int) -> bool:
    """Whether a tensor is a leaf that gets a gradient."""
    return facts.trace.tensors.is_leaf[tensor] and facts.trace.tensors.requires_grad[tensor]


def _is_averaged(facts: Facts, operation: int) -> bool:
    """Whether a difference is squared or made positive and then averaged, and nothing else, as in a loss."""
    todo = list(facts.operations.outputs[operation])
    for tensor in todo:
        for user in facts.users.get(tensor, ()):
            if facts.names[user] not in _AVERAGED or len(todo) > _LONGEST_LOSS:
                return False
            todo += facts.operations.outputs[user]
    return True


def _axis_inserted(facts: Facts, tensor: int) -> bool:
    """Whether an earlier line inserted the column's axis by `unsqueeze` or `[:, None]`."""
    maker = facts.makers.get(tensor)
    return maker is not None and facts.names[maker] in ("unsqueeze", "__getitem__")


def _pairs_with_itself(facts: Facts) -> bool:
    """Whether the program also compares a tensor with itself in all pairs, as distances between distributions do."""
    for operation in range(facts.count):
        pair = facts.operations.inputs[operation][:2]
        if facts.names[operation] not in _DIFFERENCES or len(pair) < 2:
            continue
        first, second = (facts.shape(tensor) for tensor in pair)
        if _column_and_row(first, second) or _column_and_row(second, first):
            origins = {_behind_views(facts, tensor) for tensor in pair}
            if len(origins) == 1:
                return True
    return False


def _behind_views(facts: Facts, tensor: int) -> int:
    """The tensor that a tensor is a reshaped view of."""
    for _ in range(4):
        maker = facts.makers.get(tensor)
        if maker is None or facts.names[maker] not in (*_RESHAPES, "T", "t", "transpose", "detach"):
            break
        tensor = facts.operations.inputs[maker][0] if facts.operations.inputs[maker] else tensor
    return tensor


def _column_and_row(column: tuple[int, ...], row: tuple[int, ...]) -> bool:
    return bool(row) and len(column) == len(row) + 1 and column[-1] == 1 and column[:-1] == row and row[-1] > 1


def _axis_inserted_here(facts: Facts, tensor: int, operation: int) -> bool:
    """Whether the expression itself inserted the axis: then it is intended."""
    maker = facts.makers.get(tensor)
    if maker is None or facts.names[maker] not in _AXIS_INSERTED:
        return False
    inner, outer = facts.place(maker), facts.place(operation)
    if inner is None or outer is None:
        return False
    begins = (outer.cell, outer.line, outer.column) <= (inner.cell, inner.line, inner.column)
    return begins and (inner.cell, inner.end_line, inner.end_column) <= (outer.cell, outer.end_line, outer.end_column)


def probabilities_as_scores(facts: Facts) -> Iterator[Finding]:
    """softmax or sigmoid before a loss that applies it itself, or probabilities where log probabilities are
    expected.
    """
    for operation in range(facts.count):
        name, read = facts.names[operation], facts.operations.inputs[operation]
        if not read or not facts.place(operation):
            continue
        if name in ("cross_entropy", "binary_cross_entropy_with_logits"):
            maker = _maker_behind_views(facts, read[0])
            if maker is not None and facts.names[maker] == ("softmax" if name == "cross_entropy" else "sigmoid"):
                values = {"code": facts.text(operation), "made": facts.text(maker), "loss": name}
                yield Finding("probabilities_as_scores", facts.place(operation), values)
                return
        elif name in ("nll_loss", "kl_div"):
            entries, shape = facts.before(read[0], operation), facts.shape(read[0])
            if entries is None or entries.size != math.prod(shape) or len(shape) < 2:
                continue
            rows = entries.reshape(shape).astype(np.float64)
            if name == "kl_div" and not _are_probabilities(rows):
                continue
            with np.errstate(over="ignore"):
                sums = np.exp(rows).sum(1 if name == "nll_loss" else -1)
            if np.isfinite(sums).all() and np.abs(sums - 1).max() > _OFF:
                values = {"code": facts.text(operation), "sums": numbers(sums), "loss": name}
                maker = _maker_behind_views(facts, read[0])
                known = maker is not None and facts.names[maker] in ("softmax", "log_softmax", "linear", "addmm")
                yield Finding("not_log_probabilities", facts.place(operation), values, certain=known)
                return


def _are_probabilities(rows: np.ndarray) -> bool:
    """Whether every row of the last axis is a distribution: no entry is negative, and the entries sum to 1."""
    return bool((rows >= 0).all() and np.abs(rows.sum(-1) - 1).max() < _OFF)


def _maker_behind_views(facts: Facts, tensor: int) -> int | None:
    maker = facts.makers.get(tensor)
    for _ in range(4):
        if maker is None or facts.names[maker] not in _RESHAPES or not facts.operations.inputs[maker]:
            break
        maker = facts.makers.get(facts.operations.inputs[maker][0])
    return maker


def shuffled_apart(facts: Facts) -> Iterator[Finding]:
    """Two tensors of one length, shuffled by two permutations, in one root: their rows no longer belong together."""
    picks: list[tuple[int, int]] = []
    for operation in range(facts.count):
        read = facts.operations.inputs[operation]
        if facts.names[operation] in ("__getitem__", "index_select") and len(read) >= 2:
            maker = facts.makers.get(read[1])
            if maker is not None and facts.names[maker] == "randperm" and facts.leads_to_root[operation]:
                picks.append((read[1], operation))
    for (order, first), (other, second) in itertools.pairwise(picks):
        if order == other or facts.operations.iteration[first] != facts.operations.iteration[second]:
            continue
        sources = [facts.operations.inputs[operation][0] for operation in (first, second)]
        lengths = [facts.shape(source)[:1] for source in sources]
        reused = [at for source in sources for at in facts.users.get(source, ()) if at > second]
        if lengths[0] == lengths[1] and not reused and facts.place(second):
            values: dict[str, str | int] = {
                "first": facts.text(first),
                "second": facts.text(second),
                "rows": lengths[0][0],
            }
            certain = _against(facts, first, second) or _against(facts, second, first)
            yield Finding("shuffled_apart", facts.place(second), values, certain=certain)
            return


def shuffled_alone(facts: Facts) -> Iterator[Finding]:
    """Examples come in a random order, and the targets that a loss holds against them in the order of the data."""
    wants = facts.trace.tensors.requires_grad
    picks = [at for at in range(facts.count) if _shuffles_rows(facts, at)][:_PICKS]
    orders = {facts.operations.inputs[at][1] for at in picks}
    for loss in range(facts.count if picks else 0):
        pair = facts.operations.inputs[loss][:2]
        is_loss = facts.names[loss] in _DIFFERENCES or facts.names[loss].endswith(("_loss", "_entropy", "_logits"))
        if not is_loss or len(pair) < 2 or not wants[pair[0]] or wants[pair[1]] or not facts.leads_to_root[loss]:
            continue
        examples, target = facts.below([pair[0]]), facts.below([pair[1]])
        behind = [at for at in picks if facts.operations.outputs[at][0] in examples]
        if not behind or target & orders or not facts.makers.keys() & target:
            continue
        pick = behind[-1]
        source, rows = facts.operations.inputs[pick][0], facts.shape(facts.operations.inputs[pick][0])[0]
        whole = [tensor for tensor in target if tensor not in facts.leaves and facts.shape(tensor)[:1] == (rows,)]
        used = [at for at in facts.users.get(source, ()) if at != pick and facts.operations.outputs[at][:1]]
        mixed = any(set(facts.operations.outputs[at]) & examples for at in used)
        place = facts.place(pick)
        if not whole or source in target or mixed or place is None or not _differ(facts, whole, pick):
            continue
        values: dict[str, str | int] = {"code": facts.text(pick), "target": facts.name(min(whole)), "rows": rows}
        yield Finding("shuffled_alone", place, values, source)
        return


def _shuffles_rows(facts: Facts, operation: int) -> bool:
    """Whether an operation puts all rows of data into the order of a permutation."""
    read = facts.operations.inputs[operation]
    if facts.names[operation] not in ("__getitem__", "index_select") or len(read) != 2 or ":" in facts.text(operation):
        return False
    maker, shape = facts.makers.get(read[1]), facts.shape(read[0])
    if maker is None or facts.names[maker] != "randperm" or not facts.leads_to_root[operation]:
        return False
    return (
        shape[:1] == facts.shape(read[1]) and shape[1:2] != shape[:1] and not facts.trace.tensors.requires_grad[read[0]]
    )


def _differ(facts: Facts, targets: list[int], before: int) -> bool:
    """Whether the rows of targets differ, so that their order matters."""
    known = [entries for tensor in targets if (entries := facts.before(tensor, before)) is not None]
    return bool(known) and all(np.unique(entries).size > 1 for entries in known)


def _against(facts: Facts, target: int, other: int) -> bool:
    """Whether the rows that one operation picked are compared directly with results from another's."""
    views = set(facts.operations.outputs[target])
    todo = list(views)
    while todo:
        for user in facts.users.get(todo.pop(), ()):
            read = facts.operations.inputs[user]
            if facts.names[user] in _RESHAPES:
                fresh = set(facts.operations.outputs[user]) - views
                views |= fresh
                todo += fresh
            elif facts.names[user] in _DIFFERENCES or facts.names[user].endswith(("_loss", "_entropy", "_logits")):
                rest = [operand for operand in read if operand not in views]
                below = facts.below(rest)
                if below.intersection(facts.operations.outputs[other]) and below.intersection(facts.leaves):
                    return True
    return False


def graph_kept(facts: Facts) -> Iterator[Finding]:
    """A sum of three or more finished roots that is no root itself: it keeps all their graphs in memory."""
    trace = facts.trace
    rooted = {node for _, call in facts.calls for node in call.roots if node >= 0}
    if len(rooted) < _MANY:
        return
    kept: dict[int, frozenset[int]] = {}
    first, most, total, code = None, 0, -1, ""
    for operation in range(facts.count):
        if facts.names[operation] not in _ADDS or facts.leads_to_root[operation]:
            continue
        for made in facts.operations.outputs[operation]:
            row = trace.index.before(made, operation + 1)
            node = trace.versions.node[row] if row is not None else -1
            if made in facts.roots or node < 0:
                continue
            held = {node} & rooted
            for target in trace.nodes.edges[node]:
                held |= kept.get(target, frozenset()) or ({target} & rooted)
            kept[node] = frozenset(held)
            finished = sum(call.operations <= operation for _, call in facts.calls)
            place = facts.place(operation)
            if len(held) >= _MANY and finished >= 2 and place is not None and first in (None, place):
                first, total, most, code = place, made, max(len(held), most), facts.text(operation)
    if first is not None:
        yield Finding("graph_kept", first, {"code": code, "graphs": most}, total)


RULES = (
    loss_broadcast,
    probabilities_as_scores,
    shuffled_apart,
    shuffled_alone,
    graph_kept,
)
