"""Steps as a tree: a number, its parts, and what each was computed from, back to leaves or to the root."""

from collections import deque

from msgspec import Struct

from explorer.analysis.why.arrivals import arrived, passed_on
from explorer.analysis.why.derivation_steps import Arrived, DerivationStep, PassedOn, Stored, Subject
from explorer.analysis.why.grad_steps import stored_step
from explorer.analysis.why.values import value_step
from explorer.trace import Trace

MOST = 60  # steps of one answer; further ones are requested again


class Derivation(Struct, frozen=True):
    """A step with the derivations of its parts.

    Attributes:
        below: the derivation of each part; None: it is an end, shown elsewhere, or has no room.
        why: per part without one: end, above (shown further up), more (no room).
    """

    step: DerivationStep
    below: tuple["Derivation | None", ...] = ()
    why: tuple[str, ...] = ()


def unfolded(trace: Trace, subject: Subject) -> DerivationStep:
    """The step of one question."""
    match subject:
        case Arrived():
            return arrived(trace, subject)
        case PassedOn():
            return passed_on(trace, subject)
        case Stored():
            return stored_step(trace, subject)
        case _:
            return value_step(trace, subject)


def derivation(trace: Trace, step: DerivationStep, most: int = MOST) -> Derivation:
    """Unfold a step level by level, at most so many steps in all; nothing is shown twice."""
    steps: list[DerivationStep] = [step]
    children: list[list[int | str]] = [[]]
    known = {step.subject}
    waiting = deque([0])
    while waiting:
        at = waiting.popleft()
        for term in steps[at].terms:
            if term.subject is None:
                children[at].append("end")
            elif term.subject in known:
                children[at].append("above")
            elif len(steps) >= most:
                children[at].append("more")
            else:
                known.add(term.subject)
                children[at].append(len(steps))
                waiting.append(len(steps))
                steps.append(unfolded(trace, term.subject))
                children.append([])
    made: list[Derivation] = [Derivation(step) for step in steps]
    for at in range(len(steps) - 1, -1, -1):  # parts have higher numbers than their whole
        below = tuple(made[child] if isinstance(child, int) else None for child in children[at])
        why = tuple("" if isinstance(child, int) else child for child in children[at])
        made[at] = Derivation(steps[at], below, why)
    return made[0]
