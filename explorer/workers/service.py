"""What the server leaves to children without torch: layouts of graphs, explanations of errors, diagnoses.

The parent without torch preloads this module (explorer.sandbox.zygote). A rule that reads a stranger's program may
take any time, and so may Graphviz: a child answers, and can be killed. Each layout has a child of its own; one that
explains or diagnoses may answer further requests.
"""

from collections.abc import Callable

from msgspec.structs import replace

from explorer.extras import has_engine
from explorer.program import LAYOUT as LAYOUTS
from explorer.program import CellSource, Parts, Program
from explorer.sandbox.partial_traces import limited_trace
from explorer.sandbox.wire import EXPLANATION, LAYOUT
from explorer.trace import Cell, Failure, Options, Output, encode

if has_engine():  # otherwise explanations and diagnoses alone are answered here
    from explorer.sandbox import layout_child

RESERVES = True  # WebAssembly reserves the addresses of its memory, and makes them writable as it grows


def preload(parts: Parts | None = None) -> None:
    """Import what the children need: without the part "layout" answers alone, with None everything and at once."""
    if has_engine() and (parts is None or "layout" in parts):
        layout_child.preload()
    if parts != LAYOUTS:
        rules = _rules()
        if parts is None:
            for answer in rules:
                answer(_example())


def warm() -> None:
    """Touch memory that children would otherwise have to copy."""
    if has_engine():
        layout_child.warm()
    for answer in _rules():
        answer(_example())


def handle(request: bytes, tell: object = None) -> bytes:
    """Answer a request, which begins with its kind. Raises what the work raises."""
    if request[:1] == LAYOUT:
        return layout_child.handle(request[1:])
    explained, diagnosed = _rules()
    return (explained if request[:1] == EXPLANATION else diagnosed)(request[1:])


def _rules() -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    """What explains errors, and what diagnoses; imported when needed, as a first layout waits for this process."""
    from explorer.analysis.errors import wire
    from explorer.analysis.faults import wire as diagnosing

    return wire.answer, diagnosing.answer


def _example() -> bytes:
    """The Trace of a program with an error that rules of every room look at."""
    source = "lost"
    trace = limited_trace(Program([CellSource(source)]), Options(), "crash", 0.0, 0, 1)
    failures: list[Output] = [
        Failure(kind, "name 'lost' is not defined", 0, []) for kind in ("NameError", "RuntimeError")
    ]
    return encode(replace(trace, cells=[Cell(source, failures)]))
