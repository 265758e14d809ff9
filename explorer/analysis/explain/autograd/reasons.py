"""Find and describe why a gradient is None, 0 or NaN.

Pictures, reports, derivations, findings and errors share these conditions and sentences. `zero_gradients` walks to the
place where a gradient became 0, `nonfinite_entries` to where NaN started.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np
from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradient_cuts import GradientCut, all_cuts, switched_off
from explorer.analysis.explain.autograd.gradients import (
    NodeGradients,
    accumulations,
    below_roots,
    called_backwards,
    latest_arrived,
    node_gradients,
    tensor_places,
    with_inner,
)
from explorer.analysis.explain.autograd.nonfinite_starts import NonfinitePassing, has_grown
from explorer.analysis.explain.autograd.view_records import Cut, NonfiniteWhy, ZeroKind, ZeroReason
from explorer.analysis.explain.autograd.zero_gradients import ZeroPlace, exact_zeros, is_subnormal, zero_starts
from explorer.analysis.run.model import one_line
from explorer.text import Message, say
from explorer.text.numbers import shorten
from explorer.trace import Trace, Value, memoized

CODE = 40  # widest text of an operation
Reason = Literal["not_on_path", "no_grad", "cut", "left", "pruned_by_inputs", "capped", "failed", "not_taken"]

# not_on_path: the root does not depend on the tensor. no_grad: it does not require grad, or operations up to the root
# ran with gradients off. cut: detach, .data, item() or similar. left: its entries left torch and may have entered the
# root as numbers. pruned_by_inputs: `inputs=` named others. capped: it arrived but was not kept. failed: the backward
# stopped before it. not_taken: no backward ran.

Phase = Literal["forward", "backward", "given", "gradient", "hook", "unsure"]


def tensor_gradient(trace: Trace, tensor: int, backward: int | None) -> tuple[int, Reason | None]:
    """Return a tensor's gradient as (value id, None), or (-1, reason)."""
    return _explained(trace, tensor, backward)[:2]


def tensor_cut(trace: Trace, tensor: int, backward: int | None) -> GradientCut | None:
    """Return the cut that left a tensor without a gradient, if known."""
    return _explained(trace, tensor, backward)[2]


def function_cut(trace: Trace, tensor: int, backward: int) -> GradientCut | None:
    """Return the cut at a Function whose backward returned None."""
    cut = tensor_cut(trace, tensor, backward)
    made = trace.index.made.get(cut.operation, ()) if cut is not None and cut.by == "backward" else ()
    return cut if any(trace.nodes.user_code[node] for node in made) else None


@memoized
def _explained(trace: Trace, tensor: int, backward: int | None) -> tuple[int, Reason | None, GradientCut | None]:
    """Return a gradient's id (or -1), or why none arrived."""
    value = latest_arrived(tensor_places(trace)[tensor], node_gradients(trace, backward))
    if value >= 0:
        return value, None, None
    reason, found = _decide(NONE, _Missing(trace, tensor, backward, tensor_places(trace)[tensor]))
    cut = found if isinstance(found, GradientCut) else None
    return -1, reason or reason_of(cut), cut


def node_reason(trace: Trace, node: int, backward: int) -> Reason:
    """Return why nothing arrived at a node whose tensor is unknown."""
    return _decide(NONE, _Missing(trace, -1, backward, [(node, 0)]))[0] or "cut"


class _Missing:
    """A tensor (-1: unknown) without a gradient in a backward."""

    def __init__(self, trace: Trace, tensor: int, backward: int | None, places: Sequence[tuple[int, int]]) -> None:
        self.trace, self.tensor, self.backward, self.places = trace, tensor, backward, places
        self.call = None if backward is None else trace.backwards[backward]
        self.gradients = node_gradients(trace, backward)
        self.nodes = [node for node, _ in self.places if self.call and node in below_roots(trace, backward)]

    @cached_property
    def switched_off(self) -> GradientCut | None:
        off = switched_off(self.trace, self.tensor)
        return GradientCut(off, "switched_off") if off >= 0 else None

    @cached_property
    def cut(self) -> GradientCut | None:
        """Cut on the path to the root, or to the root that torch refused."""
        backward = _never_began(self.trace) if self.backward is None else self.backward
        return all_cuts(self.trace, backward)[0].get(self.tensor)

    @property
    def never_asks(self) -> bool:
        asks = self.tensor < 0 or self.trace.tensors.requires_grad[self.tensor]
        return not asks and (not self.places or self.switched_off is not None)

    @property
    def came_in_parts(self) -> bool:
        inner = len(with_inner(self.trace, self.backward)) > 1
        return inner and self.tensor in accumulations(self.trace, self.backward)

    @property
    def is_alone(self) -> bool:
        """Whether no backward is shown, and no cut explains why."""
        return self.call is None and self.cut is None

    def limited(self, *kinds: str) -> bool:
        """Return whether parts of the run were only counted."""
        return any(bound.kind in kinds for bound in self.trace.limits)

    @property
    def is_full(self) -> bool:
        return self.limited("operations", "nodes", "backwards")

    @property
    def is_skipped(self) -> bool:
        """Whether the backward has the tensor's nodes, but nothing arrived at them."""
        return bool(self.nodes) and not any(_received(self.gradients[node]) for node in self.nodes)

    @property
    def above(self) -> GradientCut:
        """The operation above whose backward passed nothing on."""
        return GradientCut(_stopped_above(self.trace, self.backward).get(self.nodes[-1], -1), "backward")

    @property
    def moved(self) -> GradientCut | None:
        away = self.tensor < 0 or _reached_through_another(self.trace, self.tensor, self.gradients)
        return GradientCut(-1, "backward") if away else None


Evidence = object  # evidence of a condition, False or None if it does not hold

# Why a tensor has no gradient, why a gradient became 0 at a place, and why a backward turned it into NaN or infinity.
# The first condition that holds decides, with its evidence. Kind None: the found cut decides, or it is unknown.
NONE: tuple[tuple[Reason | None, Callable[[_Missing], Evidence]], ...] = (
    ("capped", lambda missing: missing.came_in_parts),
    ("no_grad", lambda missing: missing.never_asks and (missing.switched_off or True)),
    ("failed", lambda missing: missing.is_alone and missing.trace.backwards),
    ("capped", lambda missing: missing.is_alone and missing.limited("backwards")),
    ("not_taken", lambda missing: missing.is_alone),
    ("failed", lambda missing: missing.nodes and missing.call.status == "failed"),
    ("capped", lambda missing: missing.nodes and missing.is_full),
    ("pruned_by_inputs", lambda missing: missing.is_skipped and missing.call.inputs),
    ("cut", lambda missing: missing.is_skipped and missing.above),
    (None, lambda missing: missing.cut),
    ("capped", lambda missing: missing.is_full),
    ("cut", lambda missing: missing.moved),
    ("not_on_path", lambda _: True),
)
ZERO: tuple[tuple[ZeroKind | None, Callable[[ZeroPlace], Evidence]], ...] = (
    ("hook", ZeroPlace.hook),
    ("cancelled", lambda place: len(place.parts) > 1 and {"came": place.nonzero(place.parts)}),
    (None, lambda place: place.output >= 0),  # the starting gradient was zeros
    ("own", lambda place: place.node.is_own),
    ("empty", ZeroPlace.got_nothing),
    ("drawn", ZeroPlace.is_drawn),
    ("slope", ZeroPlace.is_step),
    ("factor", lambda place: place.ranges),
    ("slope", lambda place: place.ranges is not None),
    (None, lambda place: place.exact is None or not np.isfinite(place.exact).all()),
    ("underflow", lambda place: is_subnormal(place.dtype, float(np.abs(place.exact).max(initial=0.0)))),
    (None, lambda place: place.exact.any()),
    ("summed", lambda place: place.terms is not None and place.terms.any()),
    ("slope", lambda place: all(map(place.run.is_finite, place.run.trace.nodes.values[place.node.id]))),
    ("infinite", lambda _: True),
)
NONFINITE: tuple[tuple[NonfiniteWhy, Callable[[NonfinitePassing], Evidence]], ...] = (
    ("tied", NonfinitePassing.is_of_equal_values),
    ("zero", NonfinitePassing.is_of_zero),
    ("grown", lambda passing: passing.call is not None and has_grown(passing.call)),
    ("other", lambda passing: passing.slopes is None),
    ("overflow", lambda passing: np.isfinite(passing.slopes).all()),
    ("slope", lambda _: True),
)
Kind = TypeVar("Kind")
Place = TypeVar("Place")


def _decide(conditions: Iterable[tuple[Kind, Callable[[Place], Evidence]]], place: Place) -> tuple[Kind, Evidence]:
    return next((kind, found) for kind, holds in conditions if (found := holds(place)))


def zero_reason(trace: Trace, backward: int | None, leaf: int, gradient: Value | None) -> ZeroReason | None:
    """Return why a leaf's gradient is 0, or None."""
    if gradient is None or backward is None:
        return None
    exact = exact_zeros(trace, backward).get(leaf)
    return zero_start(trace, backward, leaf) if exact is None and gradient.is_zero else exact


def zero_start(trace: Trace, backward: int, leaf: int) -> ZeroReason | None:
    """Return where an all-zero leaf gradient became 0, None if unknown or ambiguous."""
    all_starts = trace.index.memoize(("zero starts", backward), lambda: zero_starts(trace, backward, _why_zero))
    starts = all_starts.get(leaf, {})
    return next(iter(starts.values())) if len(starts) == 1 else None


def _why_zero(place: ZeroPlace) -> ZeroReason | None:
    kind, found = _decide(ZERO, place)
    return place.reason(kind, found if isinstance(found, dict) else {}) if kind else None


def nonfinite_reason(trace: Trace, backward: int, node: int, edge: int) -> NonfiniteWhy:
    """Return why a finite gradient became NaN or infinite."""
    return _decide(NONFINITE, NonfinitePassing(trace, backward, node, edge))[0]


def reason_at_end(trace: Trace, tensor: int, backward: int | None) -> str:
    """Return why a leaf's `.grad` is None at the end.

    Beyond the reasons of one backward: returned (by autograd.grad), emptied (before backward() returned), not_taken for
    an implicit backward, or unknown.
    """
    reason = tensor_gradient(trace, tensor, backward)[1]
    if reason is not None or backward is None:
        return reason or "unknown"
    call = trace.backwards[backward]
    if call.kind == "backward" and (tensor, -1) in zip(call.accumulated, call.after, strict=True):
        return "emptied"
    return {"grad": "returned", "implicit": "not_taken"}.get(call.kind, "unknown")


def reason_of(cut: GradientCut) -> Reason:
    """Return why a tensor cut off from the root has no gradient."""
    if not cut.sure:
        return "left"
    return "no_grad" if cut.by in ("no_grad", "unasked", "switched_off") else "cut"


def _never_began(trace: Trace) -> int | None:
    """Return the last backward if torch refused it because its root has no history."""
    calls = called_backwards(trace)
    last = trace.backwards[calls[-1]] if calls else None
    refused = last is not None and last.status == "failed" and last.failed_node < 0 and not last.order
    return calls[-1] if refused and all(root < 0 for root in last.roots) else None


@memoized
def _stopped_above(trace: Trace, backward: int) -> dict[int, int]:
    """Map nodes without a gradient to the operation whose backward stopped it."""
    edges, gradients, above = trace.nodes.edges, node_gradients(trace, backward), dict[int, int]()
    for node in trace.backwards[backward].order:
        todo = [target for target in edges[node] if target >= 0] if _received(gradients[node]) else []
        while todo:
            target = todo.pop()
            if target not in above and not _received(gradients[target]):
                above[target] = trace.nodes.operation[node]
                todo += [below for below in edges[target] if below >= 0]
    return above


def _received(arrived: tuple[int, ...]) -> bool:
    """Return whether a gradient arrived at a node. A node that only got None runs too."""
    return max(arrived, default=-1) >= 0


def _reached_through_another(trace: Trace, tensor: int, gradients: NodeGradients) -> bool:
    """Return whether a write reached the root through another tensor."""
    versions, storage = trace.versions, trace.tensors.storage[tensor]
    writes = {versions.operation[row] for row in trace.versions_of(tensor)[1:]} - {-1}
    others = trace.index.in_storage[storage] if writes and storage >= 0 else ()
    rows = (row for other in others for row in trace.versions_of(other)[1:] if versions.operation[row] in writes)
    return any(versions.node[row] >= 0 and _received(gradients[versions.node[row]]) for row in rows)


def cut_of(trace: Trace, tensor: int, backward: int | None) -> Cut | None:
    """Return where a tensor lost its gradient, None if unknown."""
    cut = tensor_cut(trace, tensor, backward)
    return None if cut is None else placed(trace, cut)


def constant_of(trace: Trace, tensor: int, backward: int | None) -> Cut | None:
    """Return where entries reach the root on a gradient-free path.

    Operations without a derivative, such as argmax, do not count.
    """
    cut = all_cuts(trace, backward)[1].get(tensor)
    if cut is None or cut.by == "derivative":
        return None
    where, root = placed(trace, cut), trace.backwards[backward].span if backward is not None else -1
    if where.span < 0 or root < 0:
        return where
    below = (trace.spans[root].cell, trace.line(root)) < (trace.spans[where.span].cell, where.line)
    return replace(where, earlier=below and bool(trace.operations.iteration[cut.operation]))


def placed(trace: Trace, cut: GradientCut) -> Cut:
    """Return a cut with its place in the program."""
    span = trace.operations.span[cut.operation] if cut.operation >= 0 else -1
    code, place = shorten(one_line(trace.text(span)), CODE) if span >= 0 else "", cut.place(trace)
    return Cut(cut.by, cut.sure, code, trace.line_of(place.span.cell, place.line) if place is not None else 0, span)


def reason_text(reason: str, cut: Cut | None, lang: str) -> str:
    """Return a short reason for a missing gradient, for a card or a table."""
    return say(lang, "reason", kind=reason, why=reason_message(reason, cut))


def reason_message(reason: str, cut: Cut | None, root: str = "") -> Message:
    """Return the reason for a missing gradient, with its cut and the root's name."""
    values: dict[str, str | int] = {"root": root, "to": "root" if root else "output"}
    values |= {"line": cut.line, "code": cut.code} if cut is not None else {"line": 0}
    if cut is None or reason not in ("no_grad", "cut", "left") or (not cut.line and cut.by != "backward"):
        return Message(f"reason-{reason.replace('_', '-')}", values)
    if reason == "left":
        return Message("reason-gradient-taken" if cut.by == "gradient" else "reason-left", values)
    by = "detach" if cut.by == "other" else cut.by.replace("_", "-")
    return Message(f"reason-{by}-at" if cut.line else "reason-passed-none", values)


def start_text(
    lang: str, phase: Phase, what: str, word: str, line: int, why: str = "", place="", module="", hook=""
) -> str:
    """Describe where NaN or infinity starts (`what`), without a final period.

    Args:
        word: program text or name. place: entry. hook: program text of the hook, "" if unknown.
        why: kind of NONFINITE, forward (inputs were finite), gradient (of an earlier backward), or "".
    """
    text = say(lang, f"start-{phase}", what=what, code=word or say(lang, "start-unnamed"), hook=hook or "none")
    text += say(lang, "start-place", place=place) if place else ""
    text += say(lang, "report-at-line", line=line) if line else ""
    text += say(lang, "report-in-module", module=module) if module else ""
    return text + (say(lang, "start-why", kind=why, what=what) if why else "")
