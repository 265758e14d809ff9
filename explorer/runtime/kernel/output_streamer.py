"""Streaming of the running cell's outputs, which thus survive the process's death."""

import time
from collections.abc import Callable
from itertools import islice

from explorer.runtime.limits import without_handlers
from explorer.runtime.recorder.table import IndexOf
from explorer.trace import Output, Span
from explorer.trace.streaming import MOST_BYTES, MOST_PIECES, Piece, encode

AT_ONCE = 20  # pieces of a cell that are sent immediately
_SHARE = 1 / 200  # pause between later pieces, as a share of the elapsed time: their number grows logarithmically


class OutputStreamer:
    """Sends outputs in pieces, soon after they are made.

    Attributes:
        busy: whether a piece is being sent: an exception then would cut it in half, and another piece would be inside.
    """

    def __init__(self, send: Callable[[bytes], None], spans: IndexOf) -> None:
        self._send, self._spans = send, spans
        self._cell, self._anew = 0, False
        self._unsent: list[Output] = []
        self._sent_spans = self._pieces = self._bytes = 0
        self._at_once = AT_ONCE
        self._began = self._last = time.monotonic()
        self.busy = False

    def add(self, output: Output) -> None:
        """Add an output of the running cell."""
        self._unsent.append(output)
        now = time.monotonic()
        if self._at_once or now - self._last >= _SHARE * (now - self._began):
            self._at_once = max(0, self._at_once - 1)
            self._last = now
            self._deliver(False)

    def clear(self) -> None:
        """Clear the outputs of the running cell."""
        self._unsent, self._anew = [], True

    def end(self) -> None:
        """End the running cell and begin the next."""
        self._deliver(True)
        self._cell += 1
        self._at_once = AT_ONCE if self._pieces < MOST_PIECES // 2 else 0

    def _deliver(self, ended: bool) -> None:
        if self.busy:  # a finalizer printed; the next piece has its output
            return
        with without_handlers():
            self.busy = True
            try:
                self._deliver_piece(ended)
            finally:
                self.busy = False

    def _deliver_piece(self, ended: bool) -> None:
        spans = [Span(*span) for span in islice(self._spans, self._sent_spans, None)]
        outputs, anew, self._unsent, self._anew = self._unsent, self._anew, [], False
        message = encode(Piece(self._cell, anew, ended, outputs, spans))
        if self._pieces >= MOST_PIECES or self._bytes + len(message) > MOST_BYTES:
            self._pieces = MOST_PIECES  # after a lost piece the next pieces would be misplaced
            return
        self._sent_spans += len(spans)
        self._pieces += 1
        self._bytes += len(message)
        self._send(message)
