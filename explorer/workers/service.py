"""Work for children without torch: graph layouts, explanations, diagnoses.

The parent without torch preloads this module (explorer.sandbox.zygote). Rules on a stranger's program and Graphviz may
take arbitrarily long, so a child that can be killed answers requests one by one. A run's own process answers while it
exists (explorer.workers.programs).
"""

from explorer.extras import has_engine
from explorer.program import LAYOUT as LAYOUTS
from explorer.program import Parts
from explorer.sandbox.protocol import DIAGNOSIS, EXPLANATION, LAYOUT, parts
from explorer.workers.answers import answer, example

if has_engine():  # without it, only explanations and diagnoses
    from explorer.sandbox import layout_child

RESERVES = True  # WebAssembly reserves the addresses of its memory, and makes them writable as it grows


def preload(wanted: Parts | None = None) -> None:
    """Import the children's needs: only answers, with "layout" Graphviz too, with None everything now."""
    if has_engine() and (wanted is None or "layout" in wanted):
        layout_child.preload()
    if wanted is None:
        for kind in (EXPLANATION, DIAGNOSIS):
            answer(kind, example())
    elif wanted != LAYOUTS:
        import explorer.analysis.diagnose.errors.replies
        import explorer.analysis.diagnose.faults.replies  # noqa: F401


def handle(request: bytes, send: object = None) -> bytes:
    """Answer a request, which begins with its kind. Raises whatever the work raises."""
    if request[:1] == LAYOUT:
        return layout_child.handle(request[1:])
    kind, asked, recording = parts(request)
    return answer(kind, recording, asked)
