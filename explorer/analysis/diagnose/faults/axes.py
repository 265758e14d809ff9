"""Confused axes: reshaped instead of transposed, or the batch axis in place of the classes."""

import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.comparisons import COMPARED, comparisons, has_targets
from explorer.analysis.diagnose.faults.finding import Finding, finds, report
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import (
    CASTS,
    ENTRYWISE,
    FORMS,
    LOSSES,
    MATRICES,
    MOVES,
    NOISES,
    PRODUCTS,
    RECURRENT,
    SPREADS,
    names_where,
    spellings,
)
from explorer.trace import sample_shape

_BETWEEN = CASTS | ENTRYWISE  # operations between a softmax and the selection of one class
_KEEPS = FORMS | ENTRYWISE | names_where(lambda one: one.sentence == "softmax")  # each row separately
_TURNS = names_where(lambda operation: operation.sentence == "transpose")
_COPIES = spellings("contiguous", "clone")
_UNSORTS = spellings("index_select")  # a recurrent layer restores the order of a packed sequence's examples
_BATCHES = CASTS | spellings("__getitem__", "index_select")
_PICKS = spellings("__getitem__", "gather", "take_along_dim", "cross_entropy", "nll_loss")
_AGAINST_ROWS = LOSSES | spellings("mul", "sub")
_OF_CLASSES = spellings("cross_entropy", "nll_loss")
_NEAR_ONE = 1e-3  # allowed difference between a sum of probabilities and 1
_CHANNELS = 4  # most channels of an image
_NORMALIZES = frozenset(("layer_norm", "rms_norm"))
_FAR = 12  # most operations followed


@finds("axes_mixed", "class scores go into a class loss, and rows of several examples share a target")
def axes_mixed(run: Run) -> Iterator[Finding]:
    """Report a reshape that was meant to be a transpose.

    Entries stay in order, so the axes are mixed. Either the sizes are reordered, or (B, T, H·D) becomes (B, H, T, D),
    or (B, H, T, D) becomes (B, T, H·D), or the scores (N, C, H, W) become (N·H·W, C) in a loss of classes. Reported for
    tensors computed from data that lead to a root of a training, and for named examples, such as images. A reshape may
    also turn examples behind another axis into rows.
    """
    known: set[int] = set()  # places where examples become rows
    for call in run.rooted(("reshape", "view")) if run.steps else ():
        source, before, after = call.inputs[0], call.inputs[0].shape, call.outputs[0].shape
        if call.span in known:
            continue
        if axis := _axis_of_mixed_examples(call):
            known.add(call.span)
            values = {"before": before, "after": after, "first": before[axis], "second": axis}
            yield from report("axes_mixed", call, source, **values, how="batch", other="")
            continue
        classes = _are_classes_moved(call)
        swapped = (before[1], before[2]) if classes else _swapped(before, after)
        spread = source.made_by(SPREADS)  # all pairs, as in a graph
        moves = bool(swapped) and _moves_batch(call)
        reads = _comes_from_data(source) if source.requires_grad else moves or _are_examples(source, after)
        if swapped and not spread and reads:
            values = {"before": before, "after": after, "first": swapped[0], "second": swapped[1]}
            certain = classes or moves or _are_channels_moved(call)
            yield from report("axes_mixed", call, source, **values, how="one", other="", certain=certain)


def _axis_of_mixed_examples(call: Call) -> int:
    """Return the examples' axis before a reshape that mixes them in rows.

    Each row must be compared with one target. Otherwise return 0.

    Recognized are the final states of a recurrent layer, (layers, examples, units), and transposed tensors. Their rows
    were the examples if no other axis has as many entries.
    """
    source, after = call.inputs[0], call.outputs[0].shape
    origin = source.behind(_COPIES | _UNSORTS)
    maker = origin.maker
    rows = after[0] if len(after) > 1 else 0
    if rows < 2 or source.shape.count(rows) != 1 or maker is None:
        return 0
    axis = source.shape.index(rows)
    state = maker.name in RECURRENT and len(source.shape) == 3 and origin not in maker.outputs[:1] and axis == 1
    if not state and not (maker.name in _TURNS and maker.inputs[0].shape[:1] == (rows,)):
        return 0
    kept = after[axis - len(source.shape) :] == source.shape[axis:]  # only the axes before the examples are split
    if kept or math.prod(source.shape[:axis]) < 2:
        return 0
    return axis if has_targets(call, call.outputs[0], rows) else 0


def _are_classes_moved(call: Call) -> bool:
    """Return whether scores enter a loss of classes with a misplaced class axis.

    A layer's scores for each position, (B, T, C), become (B, C, T), or (N, C, H, W) becomes (N·H·W, C).
    """
    before, after, maker = call.inputs[0].shape, call.outputs[0].shape, call.inputs[0].maker
    if len(before) < 3 or maker is None:
        return False
    losses = [user for user in call.outputs[0].users if user.name in LOSSES and user.inputs[0] is call.outputs[0]]
    if maker.name == "linear" and after == (*before[:1], *before[:0:-1]) and len(before) == 3:
        return any(loss.inputs[1].shape == before[:2] for loss in losses)
    flattened = len(after) == 2 and after[1] == before[1] and before[1] not in before[2:]
    targets = (loss.inputs[1] for loss in losses if len(loss.inputs) > 1 and loss.name in _OF_CLASSES)
    return flattened and any(target.behind(FORMS).shape == (before[0], *before[2:]) for target in targets)


def _are_channels_moved(call: Call) -> bool:
    """Return whether a reshape should move image channels from last to second."""
    source, after = call.inputs[0], call.outputs[0].shape
    if source.requires_grad or len(after) != 4 or source.behind(_BATCHES).made_by(FORMS - CASTS):
        return False
    few = 1 < after[1] <= _CHANNELS < min(after[2:])
    moved = few and after == (source.shape[0], source.shape[3], *source.shape[1:3])
    uses = call.outputs[0].readers(_COPIES | CASTS | ENTRYWISE)
    return moved and any(user.name == "conv2d" and user.inputs[0] is read for user, read in uses)


def rows_apart(run: Run) -> Iterator[Finding]:
    """Report a loss of flattened (T, B) predictions and (B, T) targets."""
    for _, prediction, target in comparisons(run) if run.steps else ():
        merged = [one for tensor in (prediction, target) if (one := tensor.made_by(("reshape", "view", "flatten")))]
        if len(merged) < 2 or merged[0].place is None:
            continue
        rows, others = (tuple(n for n in call.inputs[0].shape[:2] if n != 1) for call in merged)
        length = prediction.shape[:1]
        if len(rows) == 2 and rows == others[::-1] != others and length == target.shape[:1] == (math.prod(rows),):
            shapes = {"before": merged[0].inputs[0].shape, "after": merged[1].inputs[0].shape}
            values = {"first": rows[0], "second": rows[1], "other": merged[0].text, "how": "apart"}
            yield from report("axes_mixed", merged[1], target, **shapes, **values, certain=False)


def _comes_from_data(tensor: Tensor) -> bool:
    """Return whether a result depends on tensors without requires_grad."""
    sources = tensor.run.tensors(tensor.run.below([tensor], 500)) if not tensor.is_leaf else ()
    return any(not source.requires_grad and source.size > 1 for source in sources)


def _moves_batch(call: Call) -> bool:
    """Return whether a reshape moves the batch axis before a loss."""
    before, after, made = call.inputs[0].shape, call.outputs[0].shape, call.outputs[0]
    reordered = len(before) == len(after) > 1 and sorted(before) == sorted(after) and before[0] != after[0]
    return reordered and not call.inputs[0].requires_grad and has_targets(call, made, before[0])


def _are_examples(tensor: Tensor, after: tuple[int, ...]) -> bool:
    """Return whether a reshape reorders named examples within the batch."""
    before = tensor.shape
    reordered = len(before) == len(after) > 2 and before[0] == after[0] and sorted(before) == sorted(after)
    return reordered and bool(tensor.bindings or tensor.behind(_BATCHES).bindings)


def _swapped(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, int] | None:
    """Return the sizes of two exchanged axes, or None.

    >>> _swapped((8, 5, 8), (5, 8, 8)), _swapped((2, 6, 12), (2, 4, 6, 3)), _swapped((8, 5), (40,))
    ((8, 5), (6, 4), None)
    >>> _swapped((9, 2, 2, 3), (9, 3, 4)), _swapped((9, 4, 3), (9, 3, 2, 2)), _swapped((8, 3), (3, 8, 1))
    ((2, 3), (4, 3), (8, 3))
    """
    old, new = tuple(n for n in before if n != 1), tuple(n for n in after if n != 1)
    if old == new:
        return None
    if sorted(old) == sorted(new) and len(old) > 1:
        return next((a, b) for a, b in zip(old, new, strict=True) if a != b)
    for short, long in ((old, new), (new, old)):
        if len(short) == 3 and len(long) == 4 and short[0] == long[0]:
            rows, width = short[1:]
            if long[2] == rows and long[1] != rows and long[1] * long[3] == width:
                return rows, long[1]
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    ends = len(old) > 1 < len(new) and old[-1] != new[-1]
    if ends and old[-1] == new[0] != math.prod(new[1:]):  # the last axis became the first, and others merged or split
        return old[0], old[-1]
    return (old[0], old[-1]) if ends and old[0] == new[-1] != math.prod(new[:-1]) else None


@finds("softmax_axis", "a loss picks a class of each row, and none sums to 1", unless="not_log_probabilities")
def softmax_over_batch(run: Run) -> Iterator[Finding]:
    """Report softmax over the examples, axis 0, before a loss over classes."""
    for call in run.rooted(("softmax", "log_softmax")):
        shape, made = call.inputs[0].shape, call.made
        if len(shape) != 2 or min(shape) < 2 or call.axis() not in (0, -2):
            continue
        sums, extremes = None, {"low": "none", "high": "none"}  # some entries are missing
        if made is not None and made.size == math.prod(shape):
            sums = (np.exp(made) if call.name == "log_softmax" else made).reshape(shape).sum(1)
            extremes = {"low": f"{sums.min():.3g}", "high": f"{sums.max():.3g}"}
        if (sums is None or np.abs(sums - 1).max() >= 1e-3) and _picks_of_rows(call.outputs[0], shape):
            yield from report("softmax_axis", call, call.outputs[0], shape=shape, **extremes, how="batch")


def _picks_of_rows(tensor: Tensor, shape: tuple[int, ...]) -> bool:
    """Return whether a loss picks entries by row, from labels, one-hot rows or probabilities."""
    for user, read in tensor.readers(_BETWEEN | _BATCHES, _FAR):
        if len(read.shape) != 2 or read.shape[1] != shape[1]:
            continue
        shape = read.shape  # some of the rows, such as the training rows
        weighs = read is not tensor and sum(one.requires_grad for one in read.maker.inputs) > 1  # the weight is learned
        for other in user.inputs if user.leads_to_root and not weighs else ():
            entries = other.before(user) if other is not read else None
            if entries is None:
                continue
            if user.name in _PICKS and _are_labels(other, entries, shape):
                return True
            reads = (reader for made in user.outputs for reader, _ in made.readers(_BETWEEN, _FAR))
            columns = any(one.name in ("sum", "mean") and one.axis() in (0, -2) for one in reads)  # compares classes
            if user.name not in _AGAINST_ROWS or other.shape != shape or columns:
                continue
            logarithm = read.behind(_BETWEEN).made_by(("log_softmax",))
            soft = not other.requires_grad and logarithm and _are_probabilities(entries, shape)
            if soft or _are_one_hot(entries, shape):
                return True
    return False


def _are_labels(tensor: Tensor, entries: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Return whether a tensor holds each row's class, with repetitions."""
    if tensor.shape not in ((shape[0],), (shape[0], 1)) or not tensor.dtype.startswith("int"):
        return False
    fits = 0 <= entries.min() <= entries.max() < shape[1]
    return fits and (len(np.unique(entries)) < entries.size or shape[1] < shape[0])


def _are_one_hot(entries: np.ndarray, shape: tuple[int, ...]) -> bool:
    if entries.size != math.prod(shape):
        return False
    rows = entries.reshape(shape)
    return bool(np.isin(rows, (0, 1)).all() and (rows.sum(1) == 1).all() and rows.sum(0).max() > 1)


def _are_probabilities(entries: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Return whether rows sum to 1 and columns do not."""
    if entries.size != math.prod(shape) or shape[0] == shape[1] or not np.issubdtype(entries.dtype, np.floating):
        return False
    rows = np.abs(entries.reshape(shape))  # also of -targets * logarithms
    sums = np.abs(rows.sum(1) - 1).max(), np.abs(rows.sum(0) - 1).max()
    return bool((entries >= 0).all() or (entries <= 0).all()) and bool(sums[0] < _NEAR_ONE < sums[1])


@finds("mean_over_batch", level="note")
def mean_over_batch(run: Run) -> Iterator[Finding]:
    """Report a mean over the examples compared with all their targets, the same prediction for each."""
    for call, prediction, target in comparisons(run):
        rows = target.shape[0] if target.shape else 0
        mean = _mean_behind(prediction, rows)
        if rows > 1 and mean is not None and not _are_rows_equal(target, call, rows):
            source = mean.inputs[0]
            yield from report("mean_over_batch", mean, source, shape=source.shape, rows=rows, method=mean.name)


def _mean_behind(tensor: Tensor, rows: int) -> Call | None:
    """Return the mean over the examples that a tensor consists of, perhaps broadcast, or None."""
    shape, call = tensor.shape, tensor.maker
    for _ in range(_FAR):
        if call is None or not call.inputs:
            return None
        before, after = call.inputs[0].shape, call.outputs[0].shape
        if call.name in ("mean", "sum"):
            over = call.argument(1, "dim", "axis") in (0, [0], (0,))
            own = len(before) > 1 and before[0] == rows and over and after in (before[1:], (1, *before[1:]))
            return call if own and (not shape or shape[0] in (1, rows) or shape == before[1:]) else None
        if call.name not in SPREADS | PRODUCTS | _KEEPS:
            return None
        if call.name in PRODUCTS and len(before) > 1 and before[0] != 1:
            return None
        if any(_varies(call, other, rows) for other in call.inputs[1:]):
            return None
        call = call.inputs[0].maker
    return None


def _varies(call: Call, other: Tensor, rows: int) -> bool:
    """Return whether another operand may vary the examples' results."""
    computes = call.name in ENTRYWISE or (call.name in PRODUCTS and not other.gets_grad)
    return computes and rows in other.shape


def _are_rows_equal(target: Tensor, call: Call, rows: int) -> bool:
    """Return whether all known rows of a target are equal."""
    entries = target.before(call)
    if entries is None:
        return True
    of_rows = entries.reshape(rows if entries.size == target.size else sample_shape(target.shape)[0], -1)
    return bool((of_rows == of_rows[0]).all())


@finds("batch_read_as_time", level="note")
def batch_read_as_time(run: Run) -> Iterator[Finding]:
    """Report a recurrent or attention layer that lacks batch_first."""
    for call in run.rooted(RECURRENT | {"multi_head_attention_forward"}):
        out = call.outputs[0]
        if len(out.shape) != 3 or not _is_time_first(call):
            continue
        for pick, how in _pooled_over_second(out):
            rows = pick.outputs[0].shape[0]
            uses = pick.outputs[0].readers(PRODUCTS | _KEEPS)
            targets = (
                other for user, read in uses if user.name in COMPARED for other in user.inputs if other is not read
            )
            if any(not target.requires_grad and target.shape[:1] == (rows,) for target in targets):
                values = {"layer": call.text, "shape": call.inputs[0].shape, "rows": rows, "how": how}
                yield from report("batch_read_as_time", pick, out, **values)


def _is_time_first(call: Call) -> bool:
    """Return whether a layer reads axis 0 as time."""
    given = call.arguments.positional
    if call.name in RECURRENT:
        return len(given) > 8 and given[-1] is False
    return call.inputs[0].made_by(_TURNS) is None and call.inputs[1:2] == call.inputs[:1]


def _pooled_over_second(out: Tensor) -> Iterator[tuple[Call, str]]:
    """Find calls that pick an end of axis 1 or combine all its entries."""
    for pick, read in out.readers(PRODUCTS | _KEEPS | NOISES | _NORMALIZES | spellings("add"), 40):
        index = pick.argument(1) if pick.name == "__getitem__" and read.shape[:2] == out.shape[:2] else None
        if isinstance(index, tuple) and len(index) > 1 and index[0] == slice(None) and index[1] in (0, -1):
            yield pick, "last" if index[1] else "first"
        elif pick.name in ("mean", "sum", "amax", "max") and pick.axis() == 1 and read.shape[:2] == out.shape[:2]:
            yield pick, "all"


@finds("normalized_over_batch", level="note")
def normalized_over_batch(run: Run) -> Iterator[Finding]:
    """Report F.normalize along the examples before products with other normalized rows in a loss of classes."""
    for call in run.rooted(("normalize",)):
        made, axis = call.outputs[0], call.axis(2)
        if len(made.shape) != 2 or axis not in (0, -2) or made.shape[0] < 2 or call.inputs[0].is_leaf:
            continue
        scaled = made.readers(spellings("mul", "div"))
        for product in (user for user, read in scaled if user.name in MATRICES and user.inputs[0] is read):
            other = product.inputs[1].behind(MOVES).made_by(("normalize",))
            reads = (user for one in product.outputs for user, _ in one.readers(FORMS | ENTRYWISE))
            if other is not None and any(user.name in _OF_CLASSES and user.leads_to_root for user in reads):
                yield from report("normalized_over_batch", call, made, shape=made.shape, product=product.text)


RULES = (softmax_over_batch, axes_mixed, rows_apart, mean_over_batch, batch_read_as_time, normalized_over_batch)
