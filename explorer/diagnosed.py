"""What is wrong although nothing failed, worked out in a child that is killed when it takes too long.

A change is offered only after it was run: the program then ends well, and nothing new is told of it.
"""

import time
import weakref
from dataclasses import dataclass

from msgspec import structs

from explorer.asked import asked
from explorer.diagnose import Finding, Repair
from explorer.diagnose.answering import read
from explorer.diagnose.proof import proof
from explorer.program import CellSource, GivenFile, Program, Unusable
from explorer.reports import diagnosis_text
from explorer.sandbox import Cancelled, Runner, default_runner
from explorer.sandbox.wire import DIAGNOSIS
from explorer.trace import Trace

PATIENCE = 6.0  # seconds that running the changes of a program may take together
MOST_RUNS = 8  # of them


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
    trial = _Trial(trace, files, runner or default_runner(), visitor, {one.found.kind for one in told})
    return _keep(_proven, trace, tuple(trial.proven(one) for one in told))


class _Trial:
    """The runs of a program's changes. Attributes: until: when they end; left: how many may still begin."""

    def __init__(self, trace: Trace, files: tuple[GivenFile, ...], runner: Runner, visitor: str, kinds: set[str]):
        self.trace, self.files, self.runner, self.visitor, self.kinds = trace, files, runner, visitor, kinds
        self.until, self.left = time.monotonic() + PATIENCE, MOST_RUNS

    def proven(self, one: Diagnosis) -> Diagnosis:
        """A diagnosis with the first of its changes that mends it."""
        for repair in one.found.repairs:
            after = self._run(repair)
            if after is not None and after.status == "ok" and self._is_gone(after, one.found.kind):
                return Diagnosis(one.found, repair, proof(self.trace, after, one.found.tensor))
        return one

    def _run(self, repair: Repair) -> Trace | None:
        left = self.until - time.monotonic()
        if not self.left or left <= 0 or self.trace.status != "ok":
            return None
        self.left -= 1
        texts = [cell.source for cell in self.trace.cells]
        texts[repair.cell] = repair.text
        program = Program([CellSource(text) for text in texts], self.trace.notes, files=self.files)
        options = structs.replace(self.trace.options, time_limit=min(self.trace.options.time_limit, PATIENCE))
        try:
            run = self.runner.submit(program, options, visitor=self.visitor)
        except Unusable:
            return None
        try:
            return run.result(left)
        except (TimeoutError, Cancelled):
            run.cancel()
            return None

    def _is_gone(self, after: Trace, kind: str) -> bool:
        """Whether the changed program was diagnosed, and has only what it had before, without this."""
        found = asked(DIAGNOSIS, after, read, self.runner)
        return found is not None and {one.kind for one in found} <= self.kinds - {kind}


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
