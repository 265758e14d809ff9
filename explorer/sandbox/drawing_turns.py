"""Turns for drawing: one thread of the server draws at a time, and one more of another visitor.

Python runs one thread at a time, so parallel drawings only slow down each other and the thread that serves browsers.
Without turns, a visitor who requests thirty pages at once delays all others by thirty drawings. While a drawing waits
for a child, others get their turn. After PATIENCE a drawing starts without its turn.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from explorer.sandbox.fair_queue import FairQueue, ThreadTurn

PATIENCE = 0.3  # seconds

_turns = FairQueue[ThreadTurn](1, ThreadTurn.begin)
_here = threading.local()  # `drawing`: that of this thread


@contextmanager
def in_turn(visitor: str) -> Iterator[None]:
    """A context that waits for this visitor's turn."""
    drawing = _here.drawing = ThreadTurn(visitor)
    drawing.ask(_turns, PATIENCE)
    try:
        yield
    finally:
        _here.drawing = None
        drawing.give_back(_turns)


@contextmanager
def others_first() -> Iterator[None]:
    """A context for waiting on something else: others may draw meanwhile."""
    drawing = getattr(_here, "drawing", None)
    if drawing is not None:
        drawing.give_back(_turns)
    try:
        yield
    finally:
        if drawing is not None:
            drawing.ask(_turns, PATIENCE)
