"""Many steps as a tree: a number, its parts, what each of those was made of, back to leaves or to the root."""

from collections import deque

from msgspec import Struct

from explorer.reasoning.arrivals import arrived, passed_on
from explorer.reasoning.steps import Arrived, DerivationStep, PassedOn, Stored, Subject
from explorer.reasoning.stored import stored_step
from explorer.reasoning.values import value_step
from explorer.trace import Trace

MOST = 60  # steps of one answer; what lies behind is asked for anew


class Derivation(Struct, frozen=True):
    """One step with those of its parts.

    Attributes:
        below: by part of the step what that was made of; None: it is an end, stands elsewhere, or has no room.
        why: per part without one: end, above (told further up), more (no room).
    """

    step: DerivationStep
    below: tuple["Derivation | None", ...] = ()
    why: tuple[str, ...] = ()


def unfolded(trace: Trace, subject: Subject) -> DerivationStep:
    """One step."""
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
    """A step unfolded level by level, at most so many steps in all; what was told once is not told again."""
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
    made: list[Derivation] = [Derivation(one) for one in steps]
    for at in range(len(steps) - 1, -1, -1):  # parts have higher numbers than their whole
        below = tuple(made[child] if isinstance(child, int) else None for child in children[at])
        why = tuple("" if isinstance(child, int) else child for child in children[at])
        made[at] = Derivation(steps[at], below, why)
    return made[0]
