"""The time line of a training loop: the steps of one place in order, and the picture of each.

All pictures have the same cards under the same ids, so one layout serves them all. The picture of a step whose
operations were only counted shows the recorded leaves and the loss.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.autograd import NOTHING_OPENED, GraphView, Opened, graph_view
from explorer.analysis.autograd.view import Card, Wire
from explorer.analysis.training.curves import Curves, LeafCurves, curves
from explorer.text import say
from explorer.trace import Trace, Value
from explorer.trace.steps import STATISTICS
from explorer.trace.values import statistics

MOST = 8  # calls of one place up to which each has a chip of its own
ROUND, DEEP = 40, 4  # characters of a loop variable's value; variables shown


class FilmStep(Struct, frozen=True):
    """One step.

    Attributes:
        number: the number of the call at its place, from 1.
        backward: its row of Trace.backwards, -1 if its graph was not kept.
        rounds: the variables of the loops around it with their values, outermost first.
        loss: NaN also if it could not be read.
    """

    number: int
    backward: int
    rounds: tuple[tuple[str, str], ...]
    loss: float


class Film(Struct, frozen=True):
    """The steps of one place.

    Attributes:
        place: of Trace.steps.places.
        span: where backward is called (Trace.spans), or -1.
        kind: backward or grad.
        calls: how often it was called; `steps` has fewer if they were thinned.
        steps: in order.
        base: the row of Trace.backwards with the cards of all pictures, the last one kept, or -1.
    """

    place: int
    span: int
    kind: Literal["backward", "grad"]
    calls: int
    steps: tuple[FilmStep, ...]
    base: int

    def at(self, backward: int) -> int:
        """The position of a step by its row of Trace.backwards; -1 if it is not in this film."""
        return next((i for i, step in enumerate(self.steps) if step.backward == backward), -1)

    def numbered(self, number: int) -> int:
        """The position of a call by its number; -1 if it was not recorded."""
        return next((i for i, step in enumerate(self.steps) if step.number == number), -1)


def films(trace: Trace) -> tuple[Film, ...]:
    """A film for each place that was called more than MOST times, in the order of the program's calls."""
    return trace.index.memoize(("films",), lambda: _films(trace))


def film_at(trace: Trace, backward: int) -> tuple[Film, int] | None:
    """The film and the position in it of a row of Trace.backwards, or None."""
    found = ((film, film.at(backward)) for film in films(trace))
    return next(((film, position) for film, position in found if position >= 0), None)


def step_view(
    trace: Trace,
    film: Film,
    position: int,
    base: GraphView,
    fold: bool = True,
    opened: Opened = NOTHING_OPENED,
    explained: bool = True,
    judged: bool = True,
) -> GraphView | None:
    """The picture of a step, with the ids of `base`, the view of the film's base.

    Args:
        fold, opened: as in `base`.
        explained: whether to compute reasons for this step; otherwise those of `base` are shown.
        judged: as in `graph_view`.

    Returns None if its graph differs from that of `base`.
    """
    step = film.steps[position]
    if step.backward < 0:
        return counted_view(trace, film, position, base)
    if step.backward == film.base:
        return base
    found = graph_view(trace, step.backward, fold, opened, explained=explained, judged=judged)
    return _relabelled(found, base, explained)


def counted_view(trace: Trace, film: Film, position: int, base: GraphView) -> GraphView:
    """The picture of a step that was only counted: leaves and loss, on the cards of another step."""
    step, found = film.steps[position], curves(trace, film.place)
    alone = len(base.roots) == 1
    cards = []
    for card in base.cards:
        leaf = _leaf_of(found, card) if found and card.kind == "leaf" and card.fold is None else None
        if leaf is not None:
            cards.append(_leaf_then(leaf, position, card))
        elif alone and card.id in base.roots and card.value is not None and math.prod(card.shape) == 1:
            cards.append(replace(_not_kept(card), value=_number(step.loss, card), kept=True))
        else:
            cards.append(_not_kept(card))
    wires = tuple(replace(wire, contribution=None) for wire in base.wires)
    return replace(
        base, cards=tuple(cards), wires=wires, backward=None, kind="counted", altered="", start=None, entry=None
    )


def end_of_round(trace: Trace, backward: int) -> int:
    """The first operation after the round of the loop in which a backward was called: its updates come before."""
    call, operations = trace.backwards[backward], trace.operations
    made = [trace.nodes.operation[root] for root in call.roots if root >= 0]
    around = operations.iteration[made[0]] if made and made[0] >= 0 else []
    end = min(call.operations, len(operations))
    while around and end < len(operations) and operations.iteration[end][: len(around)] == around:
        end += 1
    return end


def start_of_loops(trace: Trace, backward: int) -> int:
    """The first operation of the outermost loop around a backward; 0 outside of loops."""
    operations = trace.operations
    start = min(trace.backwards[backward].operations, len(operations))
    if not start or not operations.iteration[start - 1]:
        return 0
    while start and operations.iteration[start - 1]:
        start -= 1
    return start


def counted_sentence(film: Film, position: int, lang: str) -> str:
    """The sentence under the picture of a step that was only counted."""
    return say(lang, "film-counted", step=film.steps[position].number, count=film.calls)


def _films(trace: Trace) -> tuple[Film, ...]:
    made = []
    for place in range(len(trace.steps.places)):
        found = curves(trace, place)
        if found is None or found.calls <= MOST or len(found) <= MOST:
            continue
        rounds = [tuple((name[:ROUND], said[:ROUND]) for name, said in loops[-DEEP:]) for loops in found.rounds]
        columns = (found.number + 1).tolist(), found.backward.tolist(), rounds, found.loss.tolist()
        steps = tuple(map(FilmStep, *columns))
        kept = [step.backward for step in steps if step.backward >= 0]
        good = [number for number in kept if trace.backwards[number].status == "ok"]
        kind = trace.steps.places[place].kind
        made.append(Film(place, found.span, kind, found.calls, steps, (good or kept or [-1])[-1]))
    return tuple(made)


def _relabelled(view: GraphView, base: GraphView, explained: bool) -> GraphView | None:
    """A view with the ids of another one of the same cards and wires; None if they differ."""
    if len(view.cards) != len(base.cards) or len(view.wires) != len(base.wires):
        return None
    if any(_likeness(card) != _likeness(other) for card, other in zip(view.cards, base.cards, strict=True)):
        return None
    name = {card.id: other.id for card, other in zip(view.cards, base.cards, strict=True)}
    wires: list[Wire] = []
    for wire, other in zip(view.wires, base.wires, strict=True):
        ends = name[wire.source], name[wire.target]
        if (*ends, wire.port, wire.kind, wire.again) != (
            other.source,
            other.target,
            other.port,
            other.kind,
            other.again,
        ):
            return None
        wires.append(replace(wire, id=other.id, source=ends[0], target=ends[1]))
    cards = [
        replace(card, id=other.id)
        if explained
        else replace(card, id=other.id, reason=card.reason if card.gradient else other.reason, cut=other.cut)
        for card, other in zip(view.cards, base.cards, strict=True)
    ]
    roots = tuple(name[root] for root in view.roots)
    return replace(view, cards=tuple(cards), wires=tuple(wires), roots=roots)


def _likeness(card: Card) -> tuple:
    """The properties of a card that are equal in every round."""
    return card.kind, card.torch, card.span, card.name, card.fold is None, card.module and card.module.path


def _not_kept(card: Card) -> Card:
    """A card without numbers."""
    fold = replace(card.fold, values=(), gradients=(), executions=()) if card.fold else None
    module = replace(card.module, mains=(), gradients=0, least=None, greatest=None, norm=None) if card.module else None
    return replace(
        card,
        value=None,
        gradient=None,
        reason="not_kept",
        cut=None,
        saved=(),
        notes=(),
        fold=fold,
        stored=None,
        held=None,
        nodes=(),
        tensors=(),
        main=None,
        module=module,
        kept=False,
    )


def _leaf_of(found: Curves, card: Card) -> LeafCurves | None:
    """The record of a leaf: its tensor's, or for a name bound again in each step that of the name."""
    same = next((leaf for leaf in found.leaves if leaf.tensor >= 0 and leaf.tensor in card.tensors), None)
    named = [leaf for leaf in found.leaves if leaf.name and leaf.name == card.name]
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
        return Value(card.shape, card.dtype, tuple(entries.tolist()), (), *statistics(entries))
    known = dict(zip(STATISTICS, leaf.statistics[at].tolist(), strict=True))
    low, high, mean, norm = (_or_none(known[f"{what}_{statistic}"]) for statistic in ("min", "max", "mean", "norm"))
    odd, nans = (int(_or_none(known[f"{what}_{statistic}"]) or 0) for statistic in ("nonfinite", "nans"))
    return Value(card.shape, card.dtype, None, (), low, high, mean, norm, odd, nans, leaf.sampled)


def _or_none(entry: float) -> float | None:
    return entry if math.isfinite(entry) else None


def _number(entry: float, card: Card) -> Value:
    flat = np.array([entry])
    return Value(card.shape, card.dtype, (entry,), (), *statistics(flat))


def spread(film: Film, most: int) -> Sequence[int]:
    """At most so many positions of a film, evenly spread, including the first and the last."""
    last = len(film.steps) - 1
    if last < most:
        return range(last + 1)
    return sorted({round(i * last / (most - 1)) for i in range(most)})
