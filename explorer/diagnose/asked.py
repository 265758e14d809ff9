"""Losses that ask another question than the program means."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from explorer.diagnose.facts import Facts, numbers
from explorer.diagnose.finding import Finding
from explorer.patterns import plain
from explorer.trace import Backward, Span

_DIFFERENCES = ("sub", "rsub", "__rsub__", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_AXIS_INSERTED = ("unsqueeze", "__getitem__", "view", "reshape", "mean", "sum")
_RESHAPES = ("view", "reshape", "squeeze", "unsqueeze", "flatten", "__getitem__", "float", "to")
_TRAINS = plain(r"\.(?:train|eval)\(")
_LOSS = plain(r"loss|cost|err|mse|nll")
_MODES = ("dropout", "batch_norm", "feature_dropout", "dropout2d")
_ADDS = ("add", "__radd__", "add_", "__iadd__", "stack", "sum", "mean", "cat")
_OFF = 1e-3  # by which the probabilities of a row may miss 1
_MANY = 3  # finished graphs from which on keeping them is told


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
        if not any(_axis_inserted_here(facts, tensor, operation) for tensor in pair):
            values = {"code": facts.text(operation), "first": str(first), "second": str(second)}
            values["made"] = str(np.broadcast_shapes(first, second))
            yield Finding("loss_broadcast", facts.place(operation), values)
            return


def _column_and_row(column: tuple[int, ...], row: tuple[int, ...]) -> bool:
    return bool(row) and len(column) == len(row) + 1 and column[-1] == 1 and column[:-1] == row and row[-1] > 1


def _axis_inserted_here(facts: Facts, tensor: int, operation: int) -> bool:
    """Whether the very expression made the axis: then it is meant."""
    maker = facts.makers.get(tensor)
    if maker is None or facts.names[maker] not in _AXIS_INSERTED:
        return False
    inner, outer = facts.place(maker), facts.place(operation)
    if inner is None or outer is None:
        return False
    begins = (outer.cell, outer.line, outer.column) <= (inner.cell, inner.line, inner.column)
    return begins and (inner.cell, inner.end_line, inner.end_column) <= (outer.cell, outer.end_line, outer.end_column)


def probabilities_as_scores(facts: Facts) -> Iterator[Finding]:
    """softmax or sigmoid into a loss that applies it once more; log probabilities that are none."""
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
        elif name == "nll_loss":
            entries, shape = facts.before(read[0], operation), facts.shape(read[0])
            if entries is None or entries.size != math.prod(shape) or len(shape) < 2:
                continue
            with np.errstate(over="ignore"):
                sums = np.exp(entries.reshape(shape).astype(np.float64)).sum(1)
            if np.isfinite(sums).all() and np.abs(sums - 1).max() > _OFF:
                values = {"code": facts.text(operation), "sums": numbers(sums)}
                yield Finding("not_log_probabilities", facts.place(operation), values)
                return


def _maker_behind_views(facts: Facts, tensor: int) -> int | None:
    maker = facts.makers.get(tensor)
    for _ in range(4):
        if maker is None or facts.names[maker] not in _RESHAPES or not facts.operations.inputs[maker]:
            break
        maker = facts.makers.get(facts.operations.inputs[maker][0])
    return maker


def shuffled_apart(facts: Facts) -> Iterator[Finding]:
    """Two tensors of one length, shuffled by two permutations, in one root: rows no longer belong together."""
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
            yield Finding("shuffled_apart", facts.place(second), values)
            return


def wrong_mode(facts: Facts) -> Iterator[Finding]:
    """After a step, dropout or batch norm trains where no gradients are recorded, or learns in eval mode."""
    trained: set[int] = set()
    for operation in range(facts.count):
        if facts.names[operation] not in _MODES or not facts.place(operation):
            continue
        training, module = facts.given(operation)[1].get("training"), facts.operations.module[operation]
        before = [step for step in facts.steps if step.end < operation]
        values = {"code": facts.text(operation), "module": facts.trace.string(module) or ""}
        records, mode = facts.operations.grad_enabled[operation], ""
        if training is True and not records and before and not _mode_set_since(facts, before[-1].place, operation):
            mode = "training"
        elif training is False and records and before and module in trained and facts.leads_to_root[operation]:
            mode = "eval"
        if mode:
            yield Finding("wrong_mode", facts.place(operation), values | {"mode": mode})
            return
        if training is True:
            trained.add(module)


def _mode_set_since(facts: Facts, begin: Span | None, operation: int) -> bool:
    """Whether a line between a step and an operation sets the mode."""
    place = facts.place(operation)
    if begin is None or place is None:
        return True
    for cell in range(begin.cell, place.cell + 1):
        lines = facts.trace.cells[cell].lines
        low = begin.line - 1 if cell == begin.cell else 0
        high = place.line if cell == place.cell else len(lines)
        if any(_TRAINS.search(line) for line in lines[low:high]):
            return True
    return False


def loss_grows(facts: Facts) -> Iterator[Finding]:
    """Four or more rounds, each loss larger than the one before, in all doubled."""
    rounds: dict[int, list[tuple[float, Backward]]] = {}
    for _, call in facts.calls:
        if len(call.root_tensors) == 1 and call.root_tensors[0] >= 0:
            entries = facts.before(call.root_tensors[0], call.operations)
            if entries is not None and entries.size == 1 and entries.dtype.kind in "fiu":
                rounds.setdefault(call.span, []).append((float(entries[0]), call))
    for told in rounds.values():
        losses = [loss for loss, _ in told]
        grows = all(later > earlier for earlier, later in itertools.pairwise(losses))
        if len(losses) < 4 or losses[0] <= 0 or not grows or losses[-1] < 2 * losses[0]:
            continue
        (_, first), (_, second) = told[:2]
        for leaf in first.accumulated:
            writes = [at for at in facts.writes(leaf) if first.operations <= at < second.operations]
            if not writes or not facts.place(writes[-1]):
                continue
            uphill = _climbs(facts, writes[-1])
            if uphill and not _LOSS.search(facts.name(first.root_tensors[0])):
                return  # what is maximised on purpose has another name
            values = {"code": facts.text(writes[-1]), "losses": numbers(np.array(losses)), "uphill": str(uphill)}
            yield Finding("loss_grows", facts.place(writes[-1]), values, leaf)
            return


def _climbs(facts: Facts, write: int) -> bool:
    name, scale = facts.names[write], facts.given(write)[1].get("alpha")
    negative = isinstance(scale, int | float) and scale < 0
    if name in ("add_", "__iadd__", "iadd"):
        return not negative
    return name in ("sub_", "__isub__", "isub") and negative


def graph_kept(facts: Facts) -> Iterator[Finding]:
    """A sum of three or more finished roots that is itself no root: it keeps all their graphs in memory."""
    trace = facts.trace
    rooted = {node for _, call in facts.calls for node in call.roots if node >= 0}
    if len(rooted) < _MANY:
        return
    kept: dict[int, frozenset[int]] = {}
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
            if len(held) >= _MANY and finished >= 2 and facts.place(operation):
                values: dict[str, str | int] = {"code": facts.text(operation), "graphs": len(held)}
                yield Finding("graph_kept", facts.place(operation), values, made)
                return


RULES = (
    loss_broadcast,
    probabilities_as_scores,
    shuffled_apart,
    wrong_mode,
    graph_kept,
    loss_grows,
)
