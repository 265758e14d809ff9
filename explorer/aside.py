"""What the server does not dare to do itself: layouts of graphs, explanations of errors, and diagnoses.

The module that the parent without torch preloads (explorer.sandbox.zygote). A rule that reads a stranger's program may
take any time, and so may Graphviz: each request is answered in a child of its own that can be killed.
"""

from msgspec.structs import replace

from explorer.diagnose import answering as diagnosing
from explorer.explain import answering
from explorer.program import CellSource, Program
from explorer.sandbox import layout_child
from explorer.sandbox.limited import limited_trace
from explorer.sandbox.wire import DIAGNOSIS, EXPLANATION, LAYOUT
from explorer.trace import Cell, Failure, Options, Output, encode

_CHILDREN = {LAYOUT: layout_child.handle, EXPLANATION: answering.answer, DIAGNOSIS: diagnosing.answer}


def preload() -> None:
    """Everything that they need."""
    layout_child.preload()
    answering.answer(_example())
    diagnosing.answer(_example())


def warm() -> None:
    """What they would have to copy of their parent's memory."""
    layout_child.warm()
    answering.answer(_example())
    diagnosing.answer(_example())


def handle(request: bytes, tell: object = None) -> bytes:
    """The answer to a request that begins with its kind. Raises what the work on it raises."""
    return _CHILDREN[request[:1]](request[1:])


def _example() -> bytes:
    """The Trace of a program with an error that rules of every room look at."""
    source = "lost"
    trace = limited_trace(Program([CellSource(source)]), Options(), "crash", 0.0, 0, 1)
    failures: list[Output] = [
        Failure(kind, "name 'lost' is not defined", 0, []) for kind in ("NameError", "RuntimeError")
    ]
    return encode(replace(trace, cells=[Cell(source, failures)]))
