"""What is wrong although nothing failed, worked out in a child that is killed when it takes too long."""

import weakref
from dataclasses import dataclass

from explorer.asked import asked
from explorer.diagnose import Finding, Repair
from explorer.diagnose.answering import read
from explorer.reports import diagnosis_text
from explorer.sandbox import Runner
from explorer.sandbox.wire import DIAGNOSIS
from explorer.trace import Trace


@dataclass(frozen=True)
class Diagnosis:
    """What is told of a program that ran.

    Attributes:
        repair: a change that was run and mends it, None where there is none.
        proof: what it changed, as "x.grad 40 → 4".
    """

    found: Finding
    repair: Repair | None = None
    proof: str = ""


_kept: dict[int, tuple[weakref.ref, tuple[Diagnosis, ...]]] = {}  # by the number of the Trace, as long as it is in use


def diagnosed(trace: Trace, runner: Runner | None = None) -> tuple[Diagnosis, ...]:
    """What is wrong in a program that ran; nothing where its child did not end in time or answered nonsense.

    Of a Trace that is still in use it is worked out once.
    """
    if (known := _kept.get(id(trace))) is not None and known[0]() is trace:
        return known[1]
    found = tuple(Diagnosis(one) for one in asked(DIAGNOSIS, trace, read, runner) or () if _is_sayable(one))
    number = id(trace)
    _kept[number] = weakref.ref(trace, lambda _: _kept.pop(number, None)), found
    return found


def _is_sayable(one: Finding) -> bool:
    """Whether there are sentences of this kind, and the values that they need."""
    try:
        return all(diagnosis_text("en", one, part) for part in ("title", "cause", "repair"))
    except (KeyError, TypeError, ValueError):
        return False
