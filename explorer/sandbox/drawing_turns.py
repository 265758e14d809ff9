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


class _Drawing:
    """A drawing of one thread, which waits for its turn. Attributes: visitor: as in Waiter."""

    session = ""  # none replaces another

    def __init__(self, visitor: str) -> None:
        self.visitor, self.begun = visitor, threading.Event()

    def ask(self) -> None:
        """Wait for a turn, at most PATIENCE."""
        self.begun.clear()
        with suppress(QueueFull):
            _turns.enqueue(self)
        self.begun.wait(PATIENCE)

    def give_back(self) -> None:
        """Give the turn back, or leave the queue."""
        _turns.end(self)


_turns = FairQueue[_Drawing](1, lambda drawing: drawing.begun.set())
_here = threading.local()  # `drawing`: that of this thread


@contextmanager
def in_turn(visitor: str) -> Iterator[None]:
    """A context that waits for this visitor's turn."""
    drawing = _here.drawing = _Drawing(visitor)
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
