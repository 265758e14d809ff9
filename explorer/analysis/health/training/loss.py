"""What the loss does: it becomes non-finite, or it only grows."""

import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.health.origins import origins
from explorer.analysis.health.training.stretches import Remark, Stretch, Track, Values, clause, moment, remark
from explorer.analysis.training.strips import last_run
from explorer.text import Message
from explorer.text.numbers import number, visible

_GROWING = 5  # losses in a row, each above the one before, from which on growth is reported
_GROWN = 10.0  # times


def loss_nonfinite(stretch: Stretch) -> Iterator[Remark]:
    """The loss becomes NaN or infinite after it was finite: from which step on, and why, if known."""
    mask = _readable(stretch)
    bad = mask & ~np.isfinite(stretch.loss)
    if not bad.any():
        return
    first = int(np.flatnonzero(bad)[0])
    stays = last_run(bad) == first
    what = number(float(stretch.loss[first]))
    span, why = _why_not_finite(stretch, first)
    clauses = [clause(f"loss-nonfinite-{'on' if stays else 'at'}", what=what, step=moment(stretch, first)), *why]
    turned = np.flatnonzero(np.isnan(stretch.loss) & mask)
    if stays and what != "NaN" and len(turned):
        clauses.append(clause("loss-nan-then", step=moment(stretch, int(turned[0]))))
    yield remark(stretch, "loss-nonfinite", first, *clauses, span=span)


def _readable(stretch: Stretch) -> np.ndarray:
    """Per step whether its loss is reliable: NaN also stands for losses that could not be read."""
    readable = ~np.isnan(stretch.loss)
    if readable.any():
        return np.ones(len(stretch), bool)  # losses of one place are of one kind
    for step in stretch.kept:
        for tensor in stretch.trace.backwards[stretch.backward(step)].root_tensors:
            row = stretch.trace.index.before(tensor, stretch.trace.backwards[stretch.backward(step)].operations)
            value = None if row is None else stretch.trace.value_at(row)
            readable[step] |= value is not None and value.nans > 0
    return readable


def _why_not_finite(stretch: Stretch, first: int) -> tuple[int, tuple[Message, ...]]:
    """The span of the cause, -1 if unknown, and the sentences about it."""
    for track in stretch.tracks:
        if track.bad_value[first]:
            if stretch.follows(first) and not track.bad_value[first - 1]:
                return -1, (_update_made(stretch, track, first - 1),)
            return -1, ()
    call = stretch.backward(first)
    if call < 0 or (first > 0 and not stretch.follows(first)):
        return -1, ()
    trace = stretch.trace
    begin = trace.backwards[call - 1].operations if call else 0
    end = trace.backwards[call].operations
    starts = origins(trace)
    earlier = (origin for origin in starts if origin.operation < end)
    if any(0 <= origin.operation < begin or origin.phase != "forward" for origin in earlier):
        return -1, ()
    for origin in starts:
        if begin <= origin.operation < end and origin.reaches and origin.sure and origin.line:
            values: Values = {"code": origin.code, "line": origin.line, "what": _KINDS[origin.kind]}
            return origin.span, (clause("because-line", **values, step=moment(stretch, first)),)
    return -1, ()


_KINDS = {"nan": "NaN", "inf": "∞", "-inf": "−∞", "±inf": "∞"}


def _update_made(stretch: Stretch, track: Track, step: int) -> Message:
    kind = "because-gradient" if track.bad_gradient[step] else "because-update"
    return clause(kind, name=visible(track.name), step=moment(stretch, step))


def loss_grows(stretch: Stretch) -> Iterator[Remark]:
    """At the end each loss is above the one before, tenfold in all, although steps follow the negative gradient."""
    loss = _finite_part(stretch)
    if len(loss) < _GROWING:
        return
    begin = last_run(np.concatenate([[False], loss[1:] > loss[:-1]])) - 1
    begin = max(begin, 0)
    if len(loss) - begin < _GROWING or not loss[begin] > 0 or loss[-1] < _GROWN * loss[begin] or loss[-1] < loss.max():
        return
    if _climbs(stretch):
        return
    kind, ends = "loss-grows-always" if begin == 0 else "loss-grows-on", (number(loss[begin]), number(loss[-1]))
    said = clause(kind, first=ends[0], last=ends[1], step=moment(stretch, begin))
    yield remark(stretch, "loss-grows", begin, said, *_length(stretch, begin))


def _finite_part(stretch: Stretch) -> np.ndarray:
    """The losses up to the first non-finite one."""
    bad = np.flatnonzero(~np.isfinite(stretch.loss))
    return stretch.loss[: int(bad[0])] if len(bad) else stretch.loss


def _climbs(stretch: Stretch) -> bool:
    """Whether the recorded entries move along their gradients: then growth is intended."""
    along = 0.0
    for track in stretch.tracks:
        if track.of.whole:
            gradients, updates = track.of.gradients[track.rows], track.of.updates[track.rows]
            with np.errstate(all="ignore"):
                product = (gradients * updates).sum(1)
            along += float(np.sign(product[np.isfinite(product)]).sum())
    return along > 0


def _length(stretch: Stretch, step: int) -> tuple[Message, ...]:
    """The length of the step after a backward, if it is large."""
    ratio = step_ratio(stretch)[step]
    if not math.isfinite(ratio) or ratio < 0.1:
        return ()
    return (clause("step-length", ratio=number(float(ratio)), step=moment(stretch, step)),)


def step_ratio(stretch: Stretch) -> np.ndarray:
    """‖update‖ / ‖value‖ of all leaves together, NaN if unknown."""
    with np.errstate(all="ignore"):
        moved = np.sqrt(sum(track.update**2 for track in stretch.tracks))
        there = np.sqrt(sum(track.value**2 for track in stretch.tracks))
        return np.where(there > 0, moved / there, np.nan)


RULES = (loss_nonfinite, loss_grows)
