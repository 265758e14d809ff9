"""Attention: wrong masks, and a softmax along another axis than the sum."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from explorer.analysis.diagnose.faults.comparisons import has_targets
from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import (
    COMBINES,
    FORMS,
    MATRICES,
    MOVES,
    NOISES,
    PRODUCTS,
    RANDOM,
    SPREADS,
    spellings,
)
from explorer.text.numbers import number
from explorer.trace import sample_shape

_WEIGHS = FORMS | spellings("masked_fill") | NOISES  # operations between the weights and the product
_SCORES = _WEIGHS | COMBINES
_EQUALITIES, _NOTS = spellings("eq", "ne"), spellings("logical_not", "bitwise_not") | {"__invert__"}
_REVERSED = spellings("rsub")
_REMOVES = -1e4  # removes an entry from a softmax
_NEAR_NOTHING = 0.1  # scores this close to 0 don't remove an entry
_ATTENTIONS = "multi_head_attention_forward", "scaled_dot_product_attention"
_FAR = 12  # most operations followed
_NEAREST = 8  # embeddings before a call that may belong to its round


def softmax_over_queries(run: Run) -> Iterator[Finding]:
    """Report a softmax along queries or examples before a product that sums over keys."""
    for call in run.rooted(("softmax",)):
        shape = call.inputs[0].shape
        pooled = _pooled(call) if call.axis() in (0, -len(shape)) else None
        if pooled is not None:
            values = {"product": pooled.text, "how": "examples"}
            yield from report("softmax_axis", call, call.outputs[0], shape=shape, **values)
        axis = (-1 if call.axis() is None else call.axis()) % max(1, len(shape))
        if len(shape) < 2 or axis == len(shape) - 1 or min(shape[axis], *shape[-2:]) < 2:
            continue
        product = _reader(call.outputs[0])
        if product is not None and _are_scores(call.inputs[0]):
            values = {"product": product.text, "how": "queries" if axis == len(shape) - 2 else "others"}
            yield from report("softmax_axis", call, call.outputs[0], shape=shape, axis=axis, **values, certain=False)


@finds("scores_scaled_up", level="note")
def scores_scaled_up(run: Run) -> Iterator[Finding]:
    """Report products of two projections multiplied by the root of the width that they sum over, before a softmax."""
    for call in run.rooted(spellings("mul")):
        product = call.inputs[0].made_by(MATRICES) if len(call.inputs) == len(call.numbers) == 1 else None
        pair = product.inputs[:2] if product is not None else []
        width = pair[0].shape[-1] if len(pair) == 2 and all(one.behind(MOVES).made_by(PRODUCTS) for one in pair) else 1
        if width > 1 and math.isclose(call.numbers[0] ** 2, width, rel_tol=1e-3) and _enters_attention(call):
            values = {"factor": number(call.numbers[0]), "width": width, "product": product.text}
            yield from report("scores_scaled_up", call, call.outputs[0], **values)


def _pooled(softmax: Call) -> Call | None:
    """Return (B, T, …) data summed over axis 1 by softmax weights."""
    shape, weights = softmax.inputs[0].shape, softmax.outputs[0]
    if len(shape) != 3 or shape[2] != 1 or min(shape[:2]) < 2 or len(weights.users) != 1:
        return None
    product = weights.users[0]
    if product.name not in spellings("mul") or len(product.inputs) != 2 or len(product.outputs[0].users) != 1:
        return None
    total = product.outputs[0].users[0]
    sums = total.name == "sum" and total.axis() == 1 and product.outputs[0].shape[:2] == shape[:2]
    return total if sums and has_targets(total, total.outputs[0], shape[0]) else None


def _reader(weights: Tensor) -> Call | None:
    """Return the only use of weights, if they are the first factor of a product there."""
    for _ in range(4):
        users = [user for user in weights.users if user.outputs]
        if len(users) != 1 or users[0].inputs[0] is not weights:
            return None
        if users[0].name in MATRICES:
            return users[0] if len(users[0].inputs) == 2 else None
        if users[0].name not in _WEIGHS or users[0].outputs[0].shape[-2:] != weights.shape[-2:]:
            return None
        weights = users[0].outputs[0]
    return None


def _are_scores(tensor: Tensor) -> bool:
    """Return whether entries are products of two layers' results, or a result and data, scaled or masked."""
    for _ in range(6):
        maker = tensor.maker
        if maker is None or not maker.inputs:
            return False
        if maker.name in MATRICES:
            learned = [one.requires_grad for one in maker.inputs]
            return len(learned) == 2 and any(learned) and not any(one.gets_grad for one in maker.inputs)
        if maker.name not in _SCORES or not any(one.shape[-2:] == tensor.shape[-2:] for one in maker.inputs):
            return False
        tensor = next((factor for factor in maker.inputs if factor.requires_grad), maker.inputs[0])
    return False


@finds("padding_attended", "the mask keeps exactly the padding, or exactly the later positions")
def mask_inverted(run: Run) -> Iterator[Finding]:
    """Report an attention mask that keeps exactly an embedding's padding, or only later positions."""
    embeddings = padded_embeddings(run)
    for call, mask, removes in _masks(run):
        forms = list(_forms(mask))
        if any(_is_lower(one, turned ^ removes) for one, turned in forms):
            yield from report("padding_attended", call, padding="none", embedding="")
        for shape in {one.shape: None for one, _ in forms}:
            for embedding in nearest(embeddings.get(shape, ()), call):
                padding, entries = embedding.argument(2, "padding_idx"), embedding.inputs[0].before(embedding)
                if entries is None:
                    continue
                pads = entries == padding
                kept = ((one.before(call), turned) for one, turned in forms if one.shape == shape)
                same = (one is not None and np.array_equal(pads, (one != 0) ^ turned ^ removes) for one, turned in kept)
                if any(same) and pads.any() and not pads.all():
                    yield from report("padding_attended", call, padding=padding, embedding=embedding.text)


def padded_embeddings(run: Run) -> dict[Sequence[int], list[Call]]:
    """Return the embeddings with a padding_idx, in order, by the shape of their indices."""
    calls = [call for call in run.calls(("embedding",)) if isinstance(call.argument(2, "padding_idx"), int)]
    return grouped(calls, lambda call: call.inputs[0].shape)


def nearest(calls: Sequence[Call], other: Call) -> Sequence[Call]:
    """Return the last few of these calls before another one."""
    end = bisect_left(calls, other.id, key=lambda call: call.id)
    return calls[max(0, end - _NEAREST) : end]


@finds("padding_averaged", level="note")
def padding_averaged(run: Run) -> Iterator[Finding]:
    """Report a mean over positions that also counts padding, if some rows have more padding than others."""
    for embedding in run.rooted(("embedding",)):
        padding, ids = embedding.argument(2, "padding_idx"), embedding.inputs[0]
        entries = ids.before(embedding) if isinstance(padding, int) and len(ids.shape) == 2 else None
        shape = ids.shape if entries is not None and entries.size == ids.size else sample_shape(ids.shape)
        if entries is None or np.ptp((entries.reshape(shape) == padding).sum(1)) == 0:
            continue
        for user, read in embedding.outputs[0].readers(NOISES):
            if user.name == "mean" and user.axis() in (1, -2) and len(read.shape) == 3:
                values = {"padding": padding, "embedding": embedding.text, "count": ids.shape[1]}
                yield from report("padding_averaged", user, read, **values)


@finds("mask_too_weak", "the filled-in number is near 0, but not 0")
def mask_too_weak(run: Run) -> Iterator[Finding]:
    """Report a mask that sets scores near 0 or multiplies them by 0."""
    for call, mask, value in _weak_masks(run):
        entries = mask.before(call)
        below = run.tensors(run.below([mask], 2_000))
        given = any(one.requires_grad or (one.maker is not None and one.maker.name in RANDOM) for one in below)
        if entries is not None and np.unique(entries).size > 1 and not given and _enters_attention(call):
            how = "times" if value is None else "fill"
            yield from report("mask_too_weak", call, call.outputs[0], how=how, value=f"{value or 0:g}", certain=value)


def _weak_masks(run: Run) -> Iterator[tuple[Call, Tensor, float | None]]:
    """Find masks that set scores near 0 or multiply them by 0, with those numbers."""
    for call in run.rooted(("masked_fill", "masked_fill_")):
        value = call.argument(2, "value")
        if len(call.inputs) == 2 and isinstance(value, (int, float)) and abs(value) < _NEAR_NOTHING:
            yield call, call.inputs[1], value
    for call in run.rooted(spellings("mul")):
        pair = sorted(call.inputs, key=lambda one: one.requires_grad)
        entries = pair[0].before(call) if len(pair) == 2 and pair[0].requires_grad < pair[1].requires_grad else None
        if entries is not None and pair[0].shape[-1:] == pair[1].shape[-1:] and np.isin(entries, (0, 1)).all():
            yield call, pair[0], None


def _masks(run: Run) -> Iterator[tuple[Call, Tensor, bool]]:
    """Find calls that remove keys, with masks and whether True entries are removed."""
    for call in run.rooted(("masked_fill", "masked_fill_")):
        removes = any(number <= _REMOVES for number in call.numbers)
        if removes and len(call.inputs) > 1 and _enters_attention(call):
            yield call, call.inputs[1], True
    for call in run.rooted(("where",)):
        given, removes = call.arguments.positional, [one <= _REMOVES for one in call.numbers] == [True]
        if removes and len(call.inputs) == 2 and len(given) == 3 and _enters_attention(call):
            yield call, call.inputs[0], given[1] in call.numbers
    for call in run.rooted(spellings("mul")):
        numbers = [one for one in call.arguments.positional if isinstance(one, (int, float))]
        if len(call.inputs) == len(numbers) == 1 and numbers[0] <= _REMOVES and not call.inputs[0].requires_grad:
            sums = (user for made in call.outputs for user, _ in made.readers(FORMS) if user.name in spellings("add"))
            if any(_enters_attention(user) for user in sums):
                yield call, call.inputs[0], True
    for call in run.rooted(("scaled_dot_product_attention",)):
        if len(call.inputs) > 3 and call.inputs[3].dtype == "bool":
            yield call, call.inputs[3], False


def _forms(mask: Tensor) -> Iterator[tuple[Tensor, bool]]:
    """Yield a mask and its other forms, each with whether it is negated."""
    turned = False
    for _ in range(_FAR):
        yield mask, turned
        maker = mask.maker
        compared = maker is not None and maker.name in _EQUALITIES and len(maker.inputs) == 1
        opposite = maker is not None and maker.name in _REVERSED and maker.argument(1, "other") == 1
        size, picks = mask.size, maker is not None and maker.name == "__getitem__" and len(maker.inputs) == 1
        inserts = picks and maker.inputs[0].size == size  # for example [:, None]
        same = opposite or inserts or (maker is not None and maker.name in FORMS | SPREADS | _NOTS)
        if maker is None or not maker.inputs or not (same or compared) or mask.writes:
            return
        if compared and maker.argument(1, "other") not in (0, 1):
            return
        is_zero = compared and maker.argument(1, "other") == 0
        turned ^= opposite or maker.name in _NOTS or (compared and is_zero == (maker.name in spellings("eq")))
        mask = maker.inputs[0]


def _is_lower(mask: Tensor, is_true: bool) -> bool:
    """Return whether zeros or ones fill exactly the lower triangle."""
    maker = mask.maker
    ones = maker.inputs[0].before(maker) if maker is not None and maker.name in ("tril", "triu") else None
    if len(mask.shape) != 2 or mask.shape[0] != mask.shape[1] or ones is None or not (ones == 1).all() or mask.writes:
        return False
    diagonal = maker.argument(1, "diagonal") or 0
    return (maker.name, diagonal) == (("tril", 0) if is_true else ("triu", 1))


def _enters_attention(call: Call) -> bool:
    """Return whether masked scores enter a softmax over keys, or torch's attention."""
    for user, read in (pair for made in call.outputs for pair in made.readers(FORMS)):
        if user.name == "softmax" and user.axis() in (-1, len(read.shape) - 1):
            return True
        if user.name in _ATTENTIONS and read in user.inputs[3:]:
            return True
    return False


RULES = (mask_inverted, mask_too_weak, softmax_over_queries, scores_scaled_up, padding_averaged)
