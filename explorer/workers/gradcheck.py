"""Numeric gradient checks, and the root over an entry of a leaf: run on request."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import structs

from explorer.analysis.gradcheck.leaf_curve import LeafCurve, calls_again, curve_of_calls
from explorer.analysis.gradcheck.subjects import CheckedLeaf, subjects
from explorer.analysis.gradcheck.verdicts import Check, check, probes, second_look
from explorer.program import GivenFile
from explorer.sandbox.wire import CURVE
from explorer.trace import Probe, ProbeReading, Trace
from explorer.workers.diagnoses import ask_child
from explorer.workers.second_run import program_of, run_of

SECONDS = 10.0  # of the processor that the moved runs may take, for each of the two passes
PATIENCE = 20.0  # seconds to wait for one pass

_readings = msgspec.msgpack.Decoder(Annotated[list[ProbeReading], msgspec.Meta(max_length=1)])


def check_gradients(
    trace: Trace, backward: int | None = None, files: tuple[GivenFile, ...] = (), visitor: str = ""
) -> list[Check]:
    """Compare every leaf's gradients with quotients of the whole program in float64.

    Args:
        backward: the index of the backward that is checked first, None for the selected one.
        files: the files in the program's folder.
        visitor: whose share of the turns the runs use.
    """
    run = _Probing(trace, files, visitor)
    leaves = subjects(trace, backward)
    asked, first = probes(leaves)
    readings = run.read(first)
    doubtful, second = second_look(asked, readings)
    further = dict(zip(doubtful, run.read(second), strict=True))
    return check(trace, leaves, asked, readings, further)


def repeated_curve(trace: Trace, subject: CheckedLeaf, low: float, high: float) -> LeafCurve | None:
    """The root over the subject's first entry between two values; None where its calls cannot be made again."""
    asked = calls_again(trace, subject, low, high)
    if asked is None:
        return None
    readings = ask_child(CURVE, trace, lambda reply, _: _readings.decode(reply), asked=msgspec.msgpack.encode(asked))
    return curve_of_calls(trace, subject, asked, readings[0]) if readings else None


@dataclass(frozen=True)
class _Probing:
    """Runs a program's probes."""

    trace: Trace
    files: tuple[GivenFile, ...]
    visitor: str

    def read(self, asked: tuple[Probe, ...]) -> list[ProbeReading]:
        """A reading for each probe, NaN where there was no answer."""
        nothing = [ProbeReading(float("nan"), float("nan"), (), True) for _ in asked]
        if not asked:
            return []
        options = structs.replace(
            self.trace.options, probes=asked, time_limit=min(SECONDS, self.trace.options.time_limit)
        )
        program = program_of(self.trace, self.files)
        run = run_of(program, options, PATIENCE, self.visitor, self.trace)
        return nothing if run is None or len(run.readings) != len(asked) else run.readings
