"""The way of one entry of a gradient to the root: from number to number the part that counts most."""

from msgspec import Struct

from explorer.analysis.why.arrivals import gradient_at
from explorer.analysis.why.derivation import unfolded
from explorer.analysis.why.derivation_steps import Arrived, PassedOn, Stored, Subject, Term
from explorer.analysis.why.leaf_history import tapes
from explorer.trace import Number, Trace

LONGEST = 300  # steps


class PathStep(Struct, frozen=True):
    """A gradient on the way, and what the one before it got from here.

    Attributes:
        node, place: whose gradient, and the row-major position of its entry; index: of it, "" for a single number.
        whole: the number before, of the first step its own.
        part: the term of it that came from here; None for the first step.
        of: how many terms that number has.
    """

    node: int
    place: int
    index: str = ""
    whole: Number | None = None
    part: Term | None = None
    of: int = 1


def path(trace: Trace, subject: Subject) -> list[PathStep]:
    """The steps from an entry to the root, as far as they are known; nothing for a question about a value."""
    at: Subject | None = _gradient(trace, subject)
    found: list[PathStep] = []
    if isinstance(at, Arrived):
        first = unfolded(trace, at)
        found.append(PathStep(at.node, at.place, first.index, first.amount))
    while at is not None and len(found) < LONGEST:
        step = unfolded(trace, at)
        part = step.terms[0] if step.terms else None
        at = part.subject if part is not None else None
        if part is None or not isinstance(at, Arrived | PassedOn):
            break
        if isinstance(at, Arrived):
            count = len(step.terms) + step.left
            found.append(PathStep(at.node, at.place, part.index, step.amount, part, count))
    return found


def _gradient(trace: Trace, subject: Subject) -> Arrived | None:
    """The gradient that a question is about; of a stored one the last that was added."""
    if isinstance(subject, Stored):
        node, calls = tapes(trace).collector.get(subject.tensor, -1), tapes(trace).accumulated.get(subject.tensor, [])
        found = Arrived(calls[-1][0], node, 0, subject.place) if calls and node >= 0 else None
        return found if found and gradient_at(trace, found.backward, node, 0) is not None else None
    return subject if isinstance(subject, Arrived) else None
