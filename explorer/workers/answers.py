"""Answer questions about a Trace without torch: explanations of errors, and silent bugs.

The process that ran the program answers, or another without torch.
"""

from msgspec.structs import replace

from explorer.program import CellSource, Program
from explorer.sandbox.partial_traces import limited_trace
from explorer.sandbox.protocol import EXPLANATION
from explorer.trace import Cell, Failure, Options, Output, encode


def answer(kind: bytes, recording: bytes, asked: bytes = b"") -> bytes:
    """Explain an encoded Trace's errors, or diagnose it."""
    # imported on demand, because the first layout waits for this process
    from explorer.analysis.diagnose.errors import replies as explaining
    from explorer.analysis.diagnose.faults import replies as diagnosing

    return explaining.answer(recording) if kind == EXPLANATION else diagnosing.answer(recording, asked)


def example() -> bytes:
    """Return the Trace of a failing program, used to preload the rules."""
    source = "lost"
    trace = limited_trace(Program([CellSource(source)]), Options(), "crash", 0.0, 0, 1)
    failures: list[Output] = [
        Failure(kind, "name 'lost' is not defined", 0, []) for kind in ("NameError", "RuntimeError")
    ]
    return encode(replace(trace, cells=[Cell(source, failures)]))
