"""Check gradients against slopes by rerunning the program."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import msgspec
from msgspec import structs

from explorer.analysis.diagnose.gradcheck.leaf_curve import LeafCurve, calls_again, curve_of_calls
from explorer.analysis.diagnose.gradcheck.subjects import CheckedLeaf, Unchecked, subjects
from explorer.analysis.diagnose.gradcheck.verdicts import (
    Check,
    Found,
    first_look,
    groups,
    judged,
    outside_transforms,
    probe,
    second_look,
    unmoved,
)
from explorer.program import GivenFile
from explorer.sandbox.protocol import CURVE
from explorer.trace import Probe, ProbeReading, Trace
from explorer.workers.diagnoses import ask_child
from explorer.workers.second_run import program_of, run_of

MOST = 100_000  # most operations in all further runs together; large tensors count as several
ENTRIES = 5_000
AT_ONCE = 20_000  # for the page, which checks every run; takes half a second to a second
FEW = 5_000  # for commands without an explicit check
SECONDS = 30.0  # CPU seconds for one pass; only slow machines and code outside torch reach it
PATIENCE = 90.0  # seconds to wait for one pass
LONGER = 3  # how many times as long as its program a pass may take

_readings = msgspec.msgpack.Decoder(Annotated[list[ProbeReading], msgspec.Meta(max_length=1)])


def work_of(trace: Trace, operations: int | None = None) -> float:
    """Count the work of a run, or of its first operations, the same on every machine.

    Operations that were only counted count too. Their results are as large as the recorded ones on average.
    """
    recorded = len(trace.operations)
    if operations is None:
        operations = recorded + sum(bound.count for bound in trace.limits if bound.kind == "operations")
    made = (tensor for at in range(min(operations, recorded)) for tensor in trace.operations.outputs[at])
    entries = sum(math.prod(trace.shapes[trace.tensors.shape[tensor]]) for tensor in made)
    return operations * (1 + entries / ENTRIES / max(1, min(operations, recorded)))


def check_gradients(
    trace: Trace,
    backward: int | None = None,
    files: tuple[GivenFile, ...] = (),
    visitor: str = "",
    work: float = MOST,
    wanted: Callable[[], bool] | None = None,
) -> list[Check]:
    """Check every leaf's gradient against the program's slope in float64.

    What is checked follows from the work of the runs. A leaf whose runs reach a time limit has the reason "time".

    Args:
        backward: index of the backward to check first, None for the selected one.
        files: files in the program's folder.
        visitor: visitor whose turns the runs use.
        work: of all further runs together, as `work_of` counts it.
        wanted: returns whether to go on. Otherwise all remaining leaves are unchecked.
    """
    run = _Probing(trace, files, visitor, work, wanted)
    asked = subjects(trace, backward)
    checks = [Check(one.leaf, one.backward, "unchecked", one.why) for one in asked if isinstance(one, Unchecked)]
    leaves = [one for one in asked if isinstance(one, CheckedLeaf)]
    leaves.sort(key=lambda one: one.backward)  # runs up to the first backward are the shortest
    calls = [list(some) for _, some in groupby(leaves, lambda one: one.backward)]
    for some, found in zip(calls, run.looked(calls), strict=True):
        checks += run.apart(some, found)
    return checks + outside_transforms(trace)


def repeated_curve(trace: Trace, subject: CheckedLeaf, low: float, high: float) -> LeafCurve | None:
    """Compute the root over an entry's range, None if its calls can't be repeated."""
    asked = calls_again(trace, subject, low, high)
    if asked is None:
        return None
    readings = ask_child(CURVE, trace, lambda reply, _: _readings.decode(reply), asked=msgspec.msgpack.encode(asked))
    return curve_of_calls(trace, subject, asked, readings[0]) if readings else None


@dataclass
class _Probing:
    """Runs a program's probes. Attributes: left: work that further runs may still do. wanted: whether to go on."""

    trace: Trace
    files: tuple[GivenFile, ...]
    visitor: str
    left: float
    wanted: Callable[[], bool] | None = None

    def looked(self, parts: Sequence[Sequence[CheckedLeaf]], is_steady: bool = False) -> list[Found]:
        """Probe each part, and doubtful ones twice. Args: is_steady: whether all runs of the program are equal."""
        read = self._read([(part, probe(part)) for part in parts])
        found = [Found("unchecked", "work") if one is None else first_look(*one) for one in read]
        doubtful = [at for at, one in enumerate(found) if one.verdict == "doubt"]
        further = self._read([(parts[at], probe(parts[at], True, is_steady)) for at in doubtful])
        for at, one in zip(doubtful, further, strict=True):
            unread = Found("unchecked", "work")
            found[at] = unread if one is None else second_look(found[at], *one, parts[at][0].value)
        return found

    def apart(self, leaves: Sequence[CheckedLeaf], found: Found) -> list[Check]:
        """Split leaves whose combined gradient differs from the slope, and check the parts.

        Padding that cannot be probed, as of data that the program reads as an array, must not hide the other leaves.
        """
        if found.verdict == "unchecked" and len({not unmoved(one) for one in leaves}) == 2:
            rest = [one for one in leaves if not unmoved(one)]
            (again,) = self.looked([rest])
            return [judged(self.trace, one, found) for one in leaves if unmoved(one)] + self.apart(rest, again)
        if len(leaves) == 1 or found.verdict != "differs":
            return [judged(self.trace, leaf, found) for leaf in leaves]
        parts = groups(leaves)
        return [
            check for part, of in zip(parts, self.looked(parts, True), strict=True) for check in self.apart(part, of)
        ]

    def _read(self, asked: list[tuple[Sequence[CheckedLeaf], Probe]]) -> list[tuple[Probe, ProbeReading] | None]:
        """Return a reading for each part's probe, empty without an answer, None if its runs are too much work."""
        small = [self._is_affordable(part[0].backward, len(one.steps)) for part, one in asked]
        probes = [one for (_, one), is_small in zip(asked, small, strict=True) if is_small]
        readings = iter(self._readings(probes))
        return [(one, next(readings)) if is_small else None for (_, one), is_small in zip(asked, small, strict=True)]

    def _is_affordable(self, backward: int, runs: int) -> bool:
        """Deduct the work of some runs up to a backward from the remaining budget, if it suffices."""
        work = runs * work_of(self.trace, self.trace.backwards[backward].operations)
        if work > self.left:
            return False
        self.left -= work
        return True

    def _readings(self, probes: list[Probe]) -> list[ProbeReading]:
        nothing = [ProbeReading(()) for _ in probes]
        if not probes or (self.wanted is not None and not self.wanted()):
            return nothing
        limit = min(SECONDS, LONGER * self.trace.options.time_limit)
        options = structs.replace(self.trace.options, probes=tuple(probes), time_limit=limit)
        run = run_of(program_of(self.trace, self.files), options, PATIENCE, self.visitor, self.trace, self.wanted)
        if run is None or len(run.readings) != len(probes):
            return nothing
        return [
            reading if len(reading.values) == len(one.steps) else empty
            for one, reading, empty in zip(probes, run.readings, nothing, strict=True)
        ]
