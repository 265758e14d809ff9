"""Check gradients against slopes by rerunning the program."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import msgspec
from msgspec import structs

from explorer.analysis.gradcheck.leaf_curve import LeafCurve, calls_again, curve_of_calls
from explorer.analysis.gradcheck.subjects import CheckedLeaf, Unchecked, subjects
from explorer.analysis.gradcheck.verdicts import (
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

AT_ONCE = 0.5  # seconds of the processor that the first two runs of every program may take
SECONDS = 10.0  # for the first check and its further runs
PATIENCE = 20.0  # seconds to wait for one pass

LITTLE = 50_000  # operations, with a thousand entries counting as another

_readings = msgspec.msgpack.Decoder(Annotated[list[ProbeReading], msgspec.Meta(max_length=1)])


def is_little_work(trace: Trace, most: int = LITTLE) -> bool:
    """Return whether a run computes so little that its check ends soon on any machine.

    Operations that were only counted count too. Their results are as large as the recorded ones on average.
    """
    counted = sum(bound.count for bound in trace.limits if bound.kind == "operations")
    outputs = trace.operations.outputs
    made = (tensor for at in range(len(trace.operations)) for tensor in outputs[at])
    entries = sum(math.prod(trace.shapes[trace.tensors.shape[tensor]]) for tensor in made)
    each = 1 + entries / 1_000 / max(1, len(trace.operations))
    return each * (len(trace.operations) + counted) <= most


def check_gradients(
    trace: Trace,
    backward: int | None = None,
    files: tuple[GivenFile, ...] = (),
    visitor: str = "",
    seconds: float = SECONDS,
    wanted: Callable[[], bool] | None = None,
) -> list[Check]:
    """Check every leaf's gradient against the program's slope in float64.

    Args:
        backward: index of the backward to check first, None for the selected one.
        files: files in the program's folder.
        visitor: visitor whose turns the runs use.
        seconds: CPU seconds for the first two runs of each backward together.
        wanted: returns whether to go on. Otherwise all remaining leaves are unchecked.
    """
    run = _Probing(trace, files, visitor, seconds, wanted)
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


@dataclass(frozen=True)
class _Probing:
    """Runs a program's probes. Attributes: seconds: that the first pass may take. wanted: whether to go on."""

    trace: Trace
    files: tuple[GivenFile, ...]
    visitor: str
    seconds: float
    wanted: Callable[[], bool] | None = None

    def looked(self, parts: Sequence[Sequence[CheckedLeaf]], is_steady: bool = False) -> list[Found]:
        """Probe each part, with a second pass for doubtful ones. Args: is_steady: runs of the program are equal."""
        asked = [probe(part) for part in parts]
        found = list(map(first_look, asked, self._read(asked, self.seconds)))
        doubtful = [at for at, one in enumerate(found) if one.verdict == "doubt"]
        further = [probe(parts[at], True, is_steady) for at in doubtful]
        for at, again, reading in zip(
            doubtful, further, self._read(further, min(SECONDS, 2 * self.seconds)), strict=True
        ):
            found[at] = second_look(found[at], again, reading, parts[at][0].value)
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

    def _read(self, asked: Sequence[Probe], seconds: float) -> list[ProbeReading]:
        """Return a reading for each probe, empty if there was no answer."""
        nothing = [ProbeReading(()) for _ in asked]
        if not asked or (self.wanted is not None and not self.wanted()):
            return nothing
        limit = min(seconds, self.trace.options.time_limit)
        options = structs.replace(self.trace.options, probes=tuple(asked), time_limit=limit)
        run = run_of(program_of(self.trace, self.files), options, PATIENCE, self.visitor, self.trace, self.wanted)
        if run is None or len(run.readings) != len(asked):
            return nothing
        return [
            reading if len(reading.values) == len(one.steps) else empty
            for one, reading, empty in zip(asked, run.readings, nothing, strict=True)
        ]
