"""Process of a run: runs the program, then answers questions about the run.

The parent with torch preloads this module (explorer.sandbox.zygote). After that process has ended, another process
answers with torch from the Trace.
"""

import builtins
import gc
import sys
from collections.abc import Callable

from explorer.program import Parts
from explorer.runtime import child
from explorer.sandbox.protocol import CURVE, DIAGNOSIS, ENTRIES, EXPLANATION, parts
from explorer.workers.answers import answer, example

FILES = child.FILES
_KINDS = (CURVE, ENTRIES, EXPLANATION, DIAGNOSIS)  # no program begins with one: it is MessagePack of an object
_ran: list[bytes] = []  # the Trace of the program that this process has run
_before: dict[str, object] = {}  # Python's own functions, before it ran


def preload(wanted: Parts | None = None) -> None:
    """Import these parts for programs, or with None everything for answers."""
    child.preload(wanted)
    if wanted is None:
        for kind in (EXPLANATION, DIAGNOSIS):
            answer(kind, example())


def handle(request: bytes, send: Callable[[bytes], None] | None = None) -> bytes:
    """Run a program and return its Trace, or answer a question about a run."""
    if request[:1] not in _KINDS:
        _before.update(vars(builtins))
        _ran.append(child.handle(request, send))
        return _ran[0]
    kind, asked, recording = parts(request)
    if _ran:
        _leave_program()
    if kind == CURVE:
        from explorer.runtime.gradcheck.repeats import repeated

        return repeated(asked, recording or _ran[0])
    if kind == ENTRIES:
        from explorer.runtime.entry_maps import answered

        return answered(asked, recording or _ran[0])
    return answer(kind, recording or _ran[0], asked)


def _leave_program() -> None:
    """Undo the program's hooks and replaced builtins while this process answers."""
    vars(builtins).update(_before)
    sys.settrace(None)
    sys.setprofile(None)
    gc.disable()  # the program's leftovers must not be collected during an answer
