"""The timeline of a training loop: one place's steps in order, with pictures.

All pictures share the same card ids, so one layout serves them all. A step whose operations were only counted shows
recorded leaves and the loss.
"""

import math
from operator import attrgetter

import numpy as np
from msgspec.structs import replace

from explorer.analysis.explain.autograd import NOTHING_OPENED, GraphView, Opened, graph_view
from explorer.analysis.explain.autograd.view_records import Card, DrawnEdge
from explorer.analysis.run.curves import Curves, LeafCurves, curves
from explorer.trace import Trace, Value, memoized
from explorer.trace.steps import STATISTICS
from explorer.trace.values import statistics

MOST = 8  # calls of one place that each get their own chip
_ENDS = attrgetter("source", "target", "port", "kind", "again")


@memoized
def films(trace: Trace) -> tuple[Curves, ...]:
    """Return the steps of places called more than MOST times, in program order."""
    every = (curves(trace, place) for place in range(len(trace.steps.places)))
    return tuple(one for one in every if one is not None and one.calls > MOST and len(one) > MOST)


def film_at(trace: Trace, backward: int) -> tuple[Curves, int] | None:
    """Return a backward's film and position in it, or None."""
    places = ((film, film.at(backward)) for film in films(trace))
    return next(((film, position) for film, position in places if position >= 0), None)


def step_view(
    trace: Trace,
    film: Curves,
    position: int,
    base: GraphView,
    fold: bool = True,
    opened: Opened = NOTHING_OPENED,
    explained: bool = True,
    judged: bool = True,
) -> GraphView | None:
    """Build a step's picture with the ids of `base`, the film's base view.

    Args:
        fold, opened: as in `base`.
        explained: whether to compute this step's reasons rather than showing those of `base`.
        judged: as in `graph_view`.

    None if its graph differs from that of `base`.
    """
    backward = film.graph(position)
    if backward < 0:
        return counted_view(film, position, base)
    if backward == film.base:
        return base
    view = graph_view(trace, backward, fold, opened, explained=explained, judged=judged)
    return _relabelled(view, base, explained)


def counted_view(film: Curves, position: int, base: GraphView) -> GraphView:
    """Build the picture of a counted step: leaves and loss on another step's cards."""
    alone = len(base.roots) == 1
    cards = []
    for card in base.cards:
        leaf = _leaf_of(film, card) if card.kind == "leaf" and card.fold is None else None
        if leaf is not None:
            cards.append(_leaf_then(leaf, position, card))
        elif alone and card.id in base.roots and card.value is not None and math.prod(card.shape) == 1:
            cards.append(replace(_not_kept(card), value=_whole(film.loss[position : position + 1], card), kept=True))
        else:
            cards.append(_not_kept(card))
    edges = tuple(replace(edge, contribution=None) for edge in base.edges)
    return replace(
        base, cards=tuple(cards), edges=edges, backward=None, kind="counted", altered="", start=None, entry=None
    )


def end_of_round(trace: Trace, backward: int) -> int:
    """Return the first operation after the round of a backward."""
    call, operations = trace.backwards[backward], trace.operations
    made = [trace.nodes.operation[root] for root in call.roots if root >= 0]
    around = operations.iteration[made[0]] if made and made[0] >= 0 else []
    end = min(call.operations, len(operations))
    while around and end < len(operations) and operations.iteration[end][: len(around)] == around:
        end += 1
    return end


def start_of_loops(trace: Trace, backward: int) -> int:
    """Return the first operation of the outermost loop around a backward, 0 outside loops."""
    operations = trace.operations
    start = min(trace.backwards[backward].operations, len(operations))
    if not start or not operations.iteration[start - 1]:
        return 0
    while start and operations.iteration[start - 1]:
        start -= 1
    return start


def _relabelled(view: GraphView, base: GraphView, explained: bool) -> GraphView | None:
    """Give a view another's ids, None if their cards differ."""
    if len(view.cards) != len(base.cards) or len(view.edges) != len(base.edges):
        return None
    if any(_fixed_part(card) != _fixed_part(other) for card, other in zip(view.cards, base.cards, strict=True)):
        return None
    name = {card.id: other.id for card, other in zip(view.cards, base.cards, strict=True)}
    edges: list[DrawnEdge] = []
    for edge, other in zip(view.edges, base.edges, strict=True):
        edges.append(replace(edge, id=other.id, source=name[edge.source], target=name[edge.target]))
        if _ENDS(edges[-1]) != _ENDS(other):
            return None
    cards = [
        replace(card, id=other.id)
        if explained
        else replace(card, id=other.id, reason=card.reason if card.gradient else other.reason, cut=other.cut)
        for card, other in zip(view.cards, base.cards, strict=True)
    ]
    roots = tuple(name[root] for root in view.roots)
    return replace(view, cards=tuple(cards), edges=tuple(edges), roots=roots)


def _fixed_part(card: Card) -> tuple:
    """Return the properties of a card that are equal in every round."""
    return card.kind, card.torch, card.span, card.name, card.fold is None, card.module and card.module.path


def _not_kept(card: Card) -> Card:
    """Return a card without numbers."""
    fold = replace(card.fold, values=(), gradients=(), executions=()) if card.fold else None
    module = replace(card.module, mains=(), gradients=0, norm=None, norms=(), nonfinite=0) if card.module else None
    none = dict.fromkeys(("value", "gradient", "cut", "stored", "held", "main"))
    empty = dict.fromkeys(("saved", "notes", "nodes", "tensors"), ())
    return replace(card, **none, **empty, reason="not_kept", fold=fold, module=module, kept=False)


def _leaf_of(film: Curves, card: Card) -> LeafCurves | None:
    """Return a leaf's record by tensor, or by name if rebound in each step."""
    same = next((leaf for leaf in film.leaves if leaf.tensor >= 0 and leaf.tensor in card.tensors), None)
    named = [leaf for leaf in film.leaves if leaf.name and leaf.name == card.name]
    return same or (named[0] if len(named) == 1 else None)


def _leaf_then(leaf: LeafCurves, position: int, card: Card) -> Card:
    at = int(np.searchsorted(leaf.at, position))
    bare = _not_kept(card)
    if at >= len(leaf) or leaf.at[at] != position or leaf.shape != card.shape:
        return bare
    gradient = _value(leaf, leaf.gradients[at], "gradient", at, card) if leaf.has_gradient[at] else None
    return replace(
        bare,
        value=_value(leaf, leaf.values[at], "value", at, card),
        gradient=gradient,
        kept=True,
        reason=None if gradient else "not_kept",
        stored=(None, gradient) if gradient else None,
    )


def _value(leaf: LeafCurves, entries: np.ndarray, what: str, at: int, card: Card) -> Value:
    if leaf.whole:
        return _whole(entries, card)
    numbers = dict(zip(STATISTICS, leaf.statistics[at].tolist(), strict=True))
    low, high, mean, norm = (_or_none(numbers[f"{what}_{statistic}"]) for statistic in ("min", "max", "mean", "norm"))
    odd, nans = (int(_or_none(numbers[f"{what}_{statistic}"]) or 0) for statistic in ("nonfinite", "nans"))
    return Value(card.shape, card.dtype, None, (), low, high, mean, norm, odd, nans, leaf.sampled)


def _or_none(entry: float) -> float | None:
    return entry if math.isfinite(entry) else None


def _whole(entries: np.ndarray, card: Card) -> Value:
    return Value(card.shape, card.dtype, tuple(entries.tolist()), (), *statistics(entries))
