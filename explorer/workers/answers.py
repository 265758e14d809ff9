"""What can be said of a Trace without torch, from bytes to bytes: why the program stopped, and bugs that raise nothing.

The process that ran the program answers it, or one without torch.
"""

from msgspec.structs import replace

from explorer.program import CellSource, Program
from explorer.sandbox.partial_traces import limited_trace
from explorer.sandbox.wire import EXPLANATION
from explorer.trace import Cell, Failure, Options, Output, encode


def answer(kind: bytes, recording: bytes) -> bytes:
    """The explanations of an encoded Trace's errors, or its diagnoses."""
    # imported when needed, as a first layout waits for this process
    from explorer.analysis.errors import wire
    from explorer.analysis.faults import wire as diagnosing

    return wire.answer(recording) if kind == EXPLANATION else diagnosing.answer(recording)


def example() -> bytes:
    """The Trace of a program with an error that rules of every room look at."""
    source = "lost"
    trace = limited_trace(Program([CellSource(source)]), Options(), "crash", 0.0, 0, 1)
    failures: list[Output] = [
        Failure(kind, "name 'lost' is not defined", 0, []) for kind in ("NameError", "RuntimeError")
    ]
    return encode(replace(trace, cells=[Cell(source, failures)]))
