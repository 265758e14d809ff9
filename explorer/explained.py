"""Why a program stopped, worked out in a child that is killed when it takes too long."""

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field

from explorer.asked import asked
from explorer.explain import Explanation
from explorer.explain.answering import MOST, failures, read
from explorer.sandbox import Runner
from explorer.sandbox.wire import EXPLANATION
from explorer.text import say
from explorer.trace import Failure, Trace

_kept: dict[int, tuple[weakref.ref, "Explanations"]] = {}  # by the number of the Trace, as long as it is in use


@dataclass(frozen=True)
class Explanations:
    """The explanations of one Trace's errors.

    Attributes:
        found: by cell and place among its outputs.
        beyond: the first error of too many.
    """

    found: Mapping[tuple[int, int], Explanation] = field(default_factory=dict)
    beyond: tuple[int, int] | None = None

    def of(self, trace: Trace, cell: int, failure: Failure) -> Explanation | None:
        """That of an error of this Trace; None where there is none: torch's own words then stand alone."""
        for at, told in self.found.items():
            if at[0] == cell and trace.cells[cell].outputs[at[1]] is failure:
                return told
        if self.beyond is not None and trace.cells[self.beyond[0]].outputs[self.beyond[1]] is failure:
            return Explanation("beyond", {"most": MOST})
        return None


def explained(trace: Trace, runner: Runner | None = None) -> Explanations:
    """The explanations of a program's errors; none where its child did not end in time or answered nonsense.

    Of a Trace that is still in use they are worked out once.
    """
    if (known := _kept.get(id(trace))) is not None and known[0]() is trace:
        return known[1]
    stopped = failures(trace)
    if not stopped:
        return Explanations()
    told = asked(EXPLANATION, trace, read, runner) or {}
    sayable = {place: one for place, one in told.items() if _sayable(one)}
    found = Explanations(sayable, stopped[MOST][:2] if len(stopped) > MOST else None)
    number = id(trace)
    _kept[number] = weakref.ref(trace, lambda _: _kept.pop(number, None)), found
    return found


def _sayable(told: Explanation) -> bool:
    """Whether there are sentences of this kind, and the values that they need."""
    try:
        return all(say("en", f"error-{told.kind}{part}", **told.values) for part in ("", ".cause", ".repair"))
    except (KeyError, TypeError, ValueError):
        return False
