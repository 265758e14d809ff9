"""What the server leaves to children without torch: layouts of graphs, explanations of errors, diagnoses.

The parent without torch preloads this module (explorer.sandbox.zygote). A rule that reads a stranger's program may
take any time, and so may Graphviz: a child answers one request after another, and can be killed. About a run its own
process is asked while it stays (explorer.workers.programs).
"""

from explorer.extras import has_engine
from explorer.program import LAYOUT as LAYOUTS
from explorer.program import Parts
from explorer.sandbox.wire import DIAGNOSIS, EXPLANATION, LAYOUT, parts
from explorer.workers.answers import answer, example

if has_engine():  # otherwise explanations and diagnoses alone are answered here
    from explorer.sandbox import layout_child

RESERVES = True  # WebAssembly reserves the addresses of its memory, and makes them writable as it grows


def preload(wanted: Parts | None = None) -> None:
    """Import what the children need: without the part "layout" answers alone, with None everything and at once."""
    if has_engine() and (wanted is None or "layout" in wanted):
        layout_child.preload()
    if wanted is None:
        for kind in (EXPLANATION, DIAGNOSIS):
            answer(kind, example())
    elif wanted != LAYOUTS:
        import explorer.analysis.errors.wire
        import explorer.analysis.faults.wire  # noqa: F401


def handle(request: bytes, tell: object = None) -> bytes:
    """Answer a request, which begins with its kind. Raises what the work raises."""
    if request[:1] == LAYOUT:
        return layout_child.handle(request[1:])
    kind, _, recording = parts(request)
    return answer(kind, recording)
