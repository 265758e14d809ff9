"""Turns for drawing: one thread of the server draws at a time, and one more of another visitor.

Python runs one thread at a time, so parallel drawings only slow down each other and the thread that serves browsers.
Without turns, a visitor who requests thirty pages at once delays all others by thirty drawings. While a drawing waits
for a child, others get their turn. After PATIENCE a drawing starts without its turn.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from explorer.sandbox.fair_queue import FairQueue, QueueFull

PATIENCE = 0.3  # seconds


class Drawing:
    """A waiting or running drawing. Attributes: session: "", as none replaces another; visitor: who asked for it."""

    session = ""

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self._begun = threading.Event()

    def begin(self) -> None:
        """Called when its turn has come."""
        self._begun.set()

    def ask(self) -> None:
        """Wait for its turn, at most for a while."""
        self._begun.clear()
        with suppress(QueueFull):
            _turns.enqueue(self)
        self._begun.wait(PATIENCE)

    def give_back(self) -> None:
        """Give the turn back."""
        _turns.leave(self)
        _turns.end(self)


_turns = FairQueue[Drawing](1, Drawing.begin)
_here = threading.local()  # `drawing`: that of this thread


@contextmanager
def in_turn(visitor: str) -> Iterator[None]:
    """A context that waits for this visitor's turn."""
    drawing = _here.drawing = Drawing(visitor)
    drawing.ask()
    try:
        yield
    finally:
        _here.drawing = None
        drawing.give_back()


@contextmanager
def others_first() -> Iterator[None]:
    """A context for waiting on something else: others may draw meanwhile."""
    drawing = getattr(_here, "drawing", None)
    if drawing is not None:
        drawing.give_back()
    try:
        yield
    finally:
        if drawing is not None:
            drawing.ask()
