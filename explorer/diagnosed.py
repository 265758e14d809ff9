"""What is wrong although nothing failed, worked out in a child that is killed when it takes too long.

A change is offered only after it was run: the program then ends well, and nothing new is told of it.
"""

import weakref
from dataclasses import dataclass

from explorer.asked import asked
from explorer.diagnose import Finding, Repair
from explorer.diagnose.answering import read
from explorer.diagnose.proof import proof
from explorer.program import GivenFile
from explorer.reports import diagnosis_text
from explorer.sandbox import Runner
from explorer.sandbox.wire import DIAGNOSIS
from explorer.trace import Trace
from explorer.trial import Trial

FURTHER = 3  # changes of the same kind that may follow one, where it takes several


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


Told = tuple[Diagnosis, ...]
_kept: dict[int, tuple[weakref.ref, Told]] = {}  # by the number of the Trace, as long as it is in use
_proven: dict[int, tuple[weakref.ref, Told]] = {}  # the same with the changes that were run


def diagnosed(trace: Trace, runner: Runner | None = None) -> Told:
    """What is wrong in a program that ran; nothing where its child did not end in time or answered nonsense.

    Of a Trace that is still in use it is worked out once.
    """
    if (known := _known(_kept, trace)) is not None:
        return known
    found = tuple(Diagnosis(one) for one in asked(DIAGNOSIS, trace, read, runner) or () if _is_sayable(one))
    return _keep(_kept, trace, found)


def mended(trace: Trace, files: tuple[GivenFile, ...] = (), runner: Runner | None = None, visitor: str = "") -> Told:
    """The same, each with a change that was run and mends it; of a Trace that is still in use it is run once.

    Args:
        files: what the program found in its folder.
        visitor: whose share of the runs this takes.
    """
    if (known := _known(_proven, trace)) is not None:
        return known
    told = diagnosed(trace, runner)
    proving = _Proving(Trial(trace, files, runner, visitor), {one.found.kind for one in told})
    return _keep(_proven, trace, tuple(proving.proven(one) for one in told))


@dataclass(frozen=True)
class _Proving:
    """The changes of a program that ran. Attributes: kinds: what is told of it."""

    trial: Trial
    kinds: set[str]

    def proven(self, one: Diagnosis) -> Diagnosis:
        """A diagnosis with the first of its changes that mends it."""
        before = self.trial.trace
        for repair in one.found.repairs if before.status == "ok" else ():
            mended = self._mended(repair, one.found.kind, FURTHER)
            if mended is not None:
                return Diagnosis(one.found, mended[0], proof(before, mended[1], one.found.tensor))
        return one

    def _mended(self, repair: Repair, kind: str, further: int) -> tuple[Repair, Trace] | None:
        """A change that takes a diagnosis away, and the run of it.

        Where the same is then told of another place, as of the next of several leaves, that change is made as well.
        """
        after = self.trial.run(repair.cell, repair.text)
        if after is None or after.status != "ok":
            return None
        found = asked(DIAGNOSIS, after, read, self.trial.runner)
        if found is None or not {one.kind for one in found} <= self.kinds:
            return None
        again = next((one for one in found if one.kind == kind), None)
        if again is None:
            return repair, after
        if not further or not again.repairs or again.repairs[0].cell != repair.cell:
            return None
        return self._mended(again.repairs[0], kind, further - 1)


def _known(kept: dict[int, tuple[weakref.ref, Told]], trace: Trace) -> Told | None:
    known = kept.get(id(trace))
    return known[1] if known is not None and known[0]() is trace else None


def _keep(kept: dict[int, tuple[weakref.ref, Told]], trace: Trace, told: Told) -> Told:
    number = id(trace)
    kept[number] = weakref.ref(trace, lambda _: kept.pop(number, None)), told
    return told


def _is_sayable(one: Finding) -> bool:
    """Whether there are sentences of this kind, and the values that they need."""
    try:
        return all(diagnosis_text("en", one, part) for part in ("title", "cause", "repair"))
    except (KeyError, TypeError, ValueError):
        return False
