"""Meaningless relations between values: self-similarity, a ratio to itself, inverted bytes."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, numbers, report
from explorer.analysis.diagnose.faults.rounds import between
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import CASTS, FORMS, MOVES, PICKS, PRODUCTS, spellings
from explorer.trace import sample_shape, sample_steps

_SCALES = spellings("mul", "div", "sub", "add") | FORMS
_SAME = FORMS - spellings("clone")  # a clone may be written afterwards
_CLIPS = spellings("clamp", "clip")
_MASKED = -1e4  # scores below this are masked on purpose
_ROUNDS, _FEW = 3, 4  # fewest rounds for a claim about all, and fewest rows of a matrix
_FARTHEST, _CLASSES = 4, 4  # farthest position ahead, and fewest different classes there
_TURNED = {"uint8": (254, 255), "int64": (-2, -1), "int32": (-2, -1)}  # results of ~ for 1 and 0


@finds("own_similarity", "every row scores highest with itself, and no class is its own")
def own_similarity(run: Run) -> Iterator[Finding]:
    """Report a loss over similarities that include each row's similarity with itself, always the largest."""
    losses = (call for call in run.rooted(("cross_entropy", "nll_loss")) if len(call.inputs) > 1)
    for calls in grouped(losses, lambda call: call.span).values():
        found = [_products_with_itself(call) for call in calls]
        if all(found) and all(_prefers_itself(call) for call in calls):
            product, source = found[0]
            values = {"name": source.name, "rows": source.shape[0], "loss": calls[0].name}
            scores = calls[0].inputs[0].name
            values["scores"] = scores if scores.isidentifier() else "scores"
            yield from report("own_similarity", product, calls[0].inputs[0], **values)


def _products_with_itself(loss: Call) -> tuple[Call, Tensor] | None:
    """Return the product with its own transpose behind a loss, and its tensor."""
    scores = loss.inputs[0].behind(_SCALES | {"log_softmax"}, 6)
    product = scores.made_by(PRODUCTS | {"cosine_similarity"})
    pair = [one.behind(MOVES | FORMS) for one in product.inputs[:2]] if product is not None else []
    square = len(scores.shape) == 2 and scores.shape[0] == scores.shape[1] >= _FEW
    return (product, pair[0]) if product is not None and square and len(pair) == 2 and pair[0] is pair[1] else None


def _prefers_itself(loss: Call) -> bool:
    """Return whether each row's own score wins but isn't its class."""
    scores, target = loss.inputs[0].before(loss), loss.inputs[1].before(loss)
    shape = loss.inputs[0].shape
    whole = scores is not None and scores.size == loss.inputs[0].size
    grid = shape if whole else sample_shape(shape)
    if scores is None or target is None or target.dtype.kind != "i" or len(set(grid)) != 1:
        return False
    rows, given = scores.reshape(grid), loss.inputs[1].shape
    places = np.arange(target.size) * (1 if target.size == given[0] else sample_steps(given)[0])
    own = rows.diagonal()
    return bool((own >= rows.max(1)).all() and (own > _MASKED).all() and (target != places).all())


@finds("ratio_of_itself", "it is exactly 1 in every round, is clipped, and steps are in between", unless="paths_cancel")
def ratio_of_itself(run: Run) -> Iterator[Finding]:
    """Report a policy ratio exp(x - y) that is 1 in every round."""
    ratios = (call for call in run.rooted(("exp",)) if call.outputs[0].requires_grad and call.inputs[0].size > 1)
    for calls in grouped(ratios if run.steps else (), lambda call: call.span).values():
        data = [_data_of(call) for call in calls]
        pairs = [call.inputs[0].made_by(spellings("sub")) for call in calls]
        ones = all(call.made is not None and (call.made == 1).all() for call in calls)
        if len(calls) < _ROUNDS or not all(pairs) or not ones:
            continue
        alike = all(len(pair.inputs) == 2 and len({one.shape for one in pair.inputs}) == 1 for pair in pairs if pair)
        stepped = between((step.begin for step in run.steps), (call.id for call in calls))
        again = [a == b for a, b in pairwise(data)]
        clips = any(user.name in _CLIPS for user, _ in calls[0].outputs[0].readers(FORMS))
        if alike and clips and sum(a and b for a, b in zip(again, stepped, strict=True)) >= _ROUNDS - 1:
            values = {"name": calls[0].outputs[0].name, "rounds": len(calls)}
            yield from report("ratio_of_itself", calls[0], calls[0].outputs[0], **values)


def _data_of(call: Call) -> set[int]:
    """Return the tensors behind a call that no operation computed: data, noise and weights."""
    below = call.run.tensors(call.run.below(call.inputs, 2_000))
    return {one.id for one in below if one.maker is None or not one.maker.inputs}


@finds("byte_inverted", "zeros and ones become other numbers that weigh or select")
def byte_inverted(run: Run) -> Iterator[Finding]:
    """Report `~` of integers 0 and 1 whose results are used as weights or choices."""
    for call in run.calls(("__invert__", "bitwise_not")):
        mask = call.inputs[0] if call.inputs and call.outputs else None
        before, after = (None, None) if mask is None else (mask.before(call), call.made)
        if mask is None or mask.dtype not in _TURNED or before is None or after is None:
            continue
        if not np.isin(before, (0, 1)).all() or not np.isin(after, _TURNED[mask.dtype]).all():
            continue
        uses = [user for user, _ in call.outputs[0].readers(CASTS | FORMS) if user.leads_to_root]
        used = [user for user in uses if user.name in PICKS | spellings("mul", "div") | {"sum", "mean", "bool"}]
        if used:
            values = {"name": mask.name, "dtype": mask.dtype, "after": numbers(np.unique(after)), "used": used[0].text}
            yield from report("byte_inverted", call, call.outputs[0], **values)


@finds("targets_are_inputs", level="note")
def targets_are_inputs(run: Run) -> Iterator[Finding]:
    """Report a loss whose classes equal the embedding's input in every round, neither shifted nor hidden."""
    pairs = [(loss, _read_classes(loss)) for loss in run.rooted(("cross_entropy", "nll_loss")) if len(loss.inputs) > 1]
    for same in grouped(pairs, lambda pair: pair[0].span).values():
        loss, embedding = same[-1]
        if len(same) >= _ROUNDS and all(one is not None for _, one in same) and embedding is not None:
            values = {"name": loss.inputs[1].name, "ids": embedding.inputs[0].name, "embedding": embedding.text}
            yield from report("targets_are_inputs", loss, loss.inputs[1], **values, rounds=len(same))


def _read_classes(loss: Call) -> Call | None:
    """Return the embedding behind a loss's scores that reads the loss's classes."""
    run, target = loss.run, loss.inputs[1].behind(_SAME)
    classes = target.before(loss)
    if classes is None or classes.dtype.kind != "i" or np.unique(classes).size < _FEW:
        return None
    below = run.below(loss.inputs[:1], 2_000)
    read = (call for call in run.calls(("embedding",)) if call.id < loss.id)
    calls = [call for call in read if any(one.id in below for one in call.outputs)]
    for embedding in calls:
        given = embedding.inputs[0].behind(_SAME)
        alike = given.shape == target.shape and np.array_equal(given.before(embedding), classes)
        same = len(given.shape) > 1 and (given is target or alike)
        others = (one for one in calls if one is not embedding and one.inputs[1:2] == embedding.inputs[1:2])
        if same and not any(others):  # a decoder gets shifted targets
            return embedding
    return None


@finds("targets_far_ahead", level="note")
def targets_far_ahead(run: Run) -> Iterator[Finding]:
    """Report a loss whose classes are the input two or more positions later in every round, and no loss for the next.

    They were shifted twice: when the batch was made, and at the loss.
    """
    losses = [loss for loss in run.rooted(("cross_entropy", "nll_loss")) if len(loss.inputs) > 1]
    shifts = {span: [*map(_ahead_of, same)] for span, same in grouped(losses, lambda loss: loss.span).items()}
    if any(not {1, None}.isdisjoint(found) for found in shifts.values()):
        return  # another head may predict later tokens
    for span, found in shifts.items():
        ahead = found[0]
        if ahead and ahead > 1 and len(found) >= _ROUNDS and set(found) == {ahead}:
            loss = next(one for one in losses if one.span == span)
            target = loss.inputs[1]
            yield from report("targets_far_ahead", loss, target, name=target.name, ahead=ahead, rounds=len(found))


def _ahead_of(loss: Call) -> int | None:
    """Return how far the class at each position is ahead in the embedding's input, None if it is not from there."""
    target, below = loss.inputs[1], loss.run.below(loss.inputs[:1], 2_000)
    read = [call for call in loss.run.calls(("embedding",)) if call.id < loss.id and call.outputs[0].id in below]
    ids = read[0].inputs[0] if len(read) == 1 else target
    start = _start(loss.inputs[0], ids.shape) if len(ids.shape) == 2 and ids is not target else None
    if start is None or target.size % ids.shape[0]:
        return None
    given, wanted = _known(ids, read[0]), _known(target, loss)
    width, length = ids.shape[1], target.size // ids.shape[0]
    for ahead in range(_FARTHEST + 1):
        at = {i: i // length * width + start + i % length + ahead for i in wanted if i % length + start + ahead < width}
        pairs = [(wanted[i], given[j]) for i, j in at.items() if j in given]
        if len({one for one, _ in pairs}) >= _CLASSES and all(one == other for one, other in pairs):
            return ahead
    return None


def _known(indices: Tensor, call: Call) -> dict[int, int]:
    """Return the recorded entries of indices by their positions in row-major order."""
    entries, shape = indices.before(call), indices.shape
    if entries is None or entries.dtype.kind != "i" or not 0 < len(shape) < 3:
        return {}
    if entries.size == indices.size:
        return dict(enumerate(entries.tolist()))
    picks = np.indices(sample_shape(shape)).reshape(len(shape), -1) * np.array(sample_steps(shape))[:, None]
    return dict(zip(np.ravel_multi_index(tuple(picks), shape).tolist(), entries.tolist(), strict=True))


def _start(scores: Tensor, shape: tuple[int, ...]) -> int | None:
    """Return the position of the first scores in results of all positions, None if unknown."""
    columns, part = scores.run.trace.tensors, scores.behind(FORMS)
    whole = part.behind(FORMS | PICKS, 8)
    if whole.shape[:2] != shape or part.shape[0] != shape[0] or columns.storage[part.id] != columns.storage[whole.id]:
        return None
    stride = scores.run.trace.shapes[columns.stride[whole.id]][1]
    return (columns.offset[part.id] - columns.offset[whole.id]) // stride if columns.storage[part.id] >= 0 else None


RULES = (own_similarity, ratio_of_itself, byte_inverted, targets_are_inputs, targets_far_ahead)
