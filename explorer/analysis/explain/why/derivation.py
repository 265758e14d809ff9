"""Derive numbers as trees, back to leaves or the root."""

from collections import deque

from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradients import output_gradient
from explorer.analysis.explain.why.arrivals import arrived, passed_on
from explorer.analysis.explain.why.derivation_steps import (
    Arrived,
    DerivationStep,
    LossTerm,
    PassedOn,
    Stored,
    Subject,
    Term,
    note,
)
from explorer.analysis.explain.why.derived_values import loss_term_step, value_step
from explorer.analysis.explain.why.grad_steps import stored_step
from explorer.analysis.explain.why.leaf_history import tapes
from explorer.trace import Number, Trace

_STEPPED = ("step", "step-sgd")  # notes about an optimizer's result
MOST = 60  # steps of one answer; further steps need another request


class Derivation(Struct, frozen=True):
    """A step with its parts' derivations.

    Attributes:
        below: derivation of each part. None: an end, shown elsewhere, or no room.
        why: reason for each missing derivation: end, above (shown further up), more (no room).
    """

    step: DerivationStep
    below: tuple["Derivation | None", ...] = ()
    why: tuple[str, ...] = ()


def unfolded(trace: Trace, subject: Subject) -> DerivationStep:
    """Return the step of one question."""
    match subject:
        case Arrived():
            return arrived(trace, subject)
        case PassedOn():
            return passed_on(trace, subject)
        case Stored():
            return stored_step(trace, subject)
        case LossTerm():
            return loss_term_step(trace, subject)
        case _:
            return value_step(trace, subject)


def derivation(trace: Trace, step: DerivationStep, most: int = MOST) -> Derivation:
    """Unfold a step level by level, up to `most` steps, without repetition.

    An optimizer's step is unfolded only if it was the question, because the previous step created another value.
    """
    steps: list[DerivationStep] = [step]
    children: list[list[int | str]] = [[]]
    subjects = {step.subject}
    waiting = deque([0])
    while waiting:
        at = waiting.popleft()
        for term in steps[at].terms:
            if term.subject is None:
                children[at].append("end")
            elif term.subject in subjects:
                children[at].append("above")
            elif len(steps) >= most or (at and steps[at].noted in _STEPPED):
                children[at].append("more")
            else:
                subjects.add(term.subject)
                children[at].append(len(steps))
                waiting.append(len(steps))
                steps.append(known(unfolded(trace, term.subject), term.amount))
                children.append([])
    made: list[Derivation] = [Derivation(step) for step in steps]
    for at in range(len(steps) - 1, -1, -1):  # parts have higher indices than their whole
        below = tuple(made[child] if isinstance(child, int) else None for child in children[at])
        why = tuple("" if isinstance(child, int) else child for child in children[at])
        made[at] = Derivation(steps[at], below, why)
    return made[0]


def known(step: DerivationStep, amount: Number | None) -> DerivationStep:
    """Return a step with its number, if that was recorded only where something read it."""
    if step.amount is None and amount is not None and step.noted == "unknown":
        return replace(step, amount=amount, note=note("unknown-parts"))
    return step


LONGEST = 300  # most steps of a derivation


class PathStep(Struct, frozen=True):
    """A gradient on a path, and its contribution to the previous one.

    Attributes:
        node, place: node, and row-major position of the entry. index: of the entry, "" for a single number.
        whole: previous number, or the first step's own.
        part: its term from here, None for the first step.
        of: number of its terms.
    """

    node: int
    place: int
    index: str = ""
    whole: Number | None = None
    part: Term | None = None
    of: int = 1


def path(trace: Trace, subject: Subject) -> list[PathStep]:
    """Return the known steps from a gradient to the root."""
    at: Subject | None = _gradient(trace, subject)
    steps: list[PathStep] = []
    if isinstance(at, Arrived):
        first = unfolded(trace, at)
        steps.append(PathStep(at.node, at.place, first.index, first.amount))
    while at is not None and len(steps) < LONGEST:
        step = unfolded(trace, at)
        part = step.terms[0] if step.terms else None
        at = part.subject if part is not None else None
        if part is None or not isinstance(at, Arrived | PassedOn):
            break
        if isinstance(at, Arrived):
            count = len(step.terms) + step.left
            steps.append(PathStep(at.node, at.place, part.index, step.amount, part, count))
    return steps


def _gradient(trace: Trace, subject: Subject) -> Arrived | None:
    """Return the gradient that a question is about, the last one added to `.grad`."""
    if isinstance(subject, Stored):
        node, calls = tapes(trace).collector.get(subject.tensor, -1), tapes(trace).accumulated.get(subject.tensor, [])
        last = Arrived(calls[-1][0], node, 0, subject.place) if calls and node >= 0 else None
        return last if last and output_gradient(trace, last.backward, node, 0) is not None else None
    return subject if isinstance(subject, Arrived) else None
