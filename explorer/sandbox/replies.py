"""Read a child's untrusted output: messages while it runs, then its reply, all within one budget."""

import time
from collections.abc import Callable

from explorer.sandbox.wire import HEAD, REPLY, TOLD
from explorer.trace.streaming import MOST_BYTES, MOST_PIECES

MOST_SECONDS = 1.0  # of this server's processor, for reading all of one run
_FREE, _SHARE = 0.05, 0.02  # seconds that are read at once; afterwards the share of the time that reading takes at most
_PAUSE = 0.05  # seconds in which more arrives, to be read together
_WAKING = 1e-5  # seconds of the processor for waking up


class ReplyReader:
    """Collects bytes as they come, from the first on.

    Args:
        most: largest reply in bytes.

    Attributes:
        messages: those sent before the reply.
        reply: the reply, once it is complete.
        too_much: whether it sent too much, or something that is not a message, or in pieces that take too long to read.
    """

    def __init__(self, most: int) -> None:
        self.messages: list[bytes] = []
        self.reply: bytes | None = None
        self.too_much = False
        self._most = {TOLD: MOST_BYTES, REPLY: most}
        self._left, self._count = MOST_BYTES + HEAD.size * MOST_PIECES, 0
        self._data = bytearray()
        self._began, self._spent = time.monotonic(), 0.0

    def receive(self, read: Callable[[], bytes]) -> bytes:
        """Read and add the next bytes, and return them; wait then if this child's bytes take much of the server."""
        began = time.thread_time()
        chunk = read()
        self.feed(chunk)
        self._spent += time.thread_time() - began + _WAKING
        self.too_much = self.too_much or self._spent > MOST_SECONDS
        if not self.complete and self._spent > _FREE + _SHARE * (time.monotonic() - self._began):
            time.sleep(_PAUSE)
        return chunk

    @property
    def complete(self) -> bool:
        """Whether nothing more is to be read."""
        return self.reply is not None or self.too_much

    def feed(self, chunk: bytes) -> None:
        """Add bytes."""
        data = self._data
        data += chunk
        start = 0
        while len(data) - start >= HEAD.size and self.reply is None and not self.too_much:
            kind, size = HEAD.unpack_from(data, start)
            most = self._most.get(kind, -1)
            if size > (most if kind == REPLY else min(most, self._left)):
                self.too_much = True
                break
            end = start + HEAD.size + size
            if len(data) < end:
                break
            message = bytes(data[start + HEAD.size : end])
            start = end
            if kind == REPLY:
                self.reply = message
                break
            self.messages.append(message)
            self._left -= HEAD.size + size
            self._count += 1
            self.too_much = self._left < 0 or self._count > MOST_PIECES
        del data[:start]
