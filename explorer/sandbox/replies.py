"""Read a child's untrusted messages and reply within one budget, and its ending."""

import os
import signal
import time
from collections.abc import Callable

from explorer.safe_regex import plain
from explorer.sandbox.calls import Answer, Outcome
from explorer.sandbox.protocol import EXIT_MEMORY, HEAD, OUTPUT, REPLY
from explorer.sandbox.watch import ChildWatch
from explorer.trace.streaming import MOST_BYTES, MOST_PIECES

MOST_SECONDS = 1.0  # CPU seconds of this server for reading one run
_FREE, _SHARE = 0.05, 0.02  # seconds of free reading, then the maximum share of time for reading
_PAUSE = 0.05  # seconds to wait for more data, so that it is read together
_WAKING = 1e-5  # CPU seconds for waking up


class ReplyReader:
    """Collects arriving bytes.

    Args:
        most: largest reply in bytes.

    Attributes:
        messages: messages before the reply.
        reply: complete reply.
        too_much: whether it sent too much, invalid messages, or too many small pieces.
    """

    def __init__(self, most: int) -> None:
        self.messages: list[bytes] = []
        self.reply: bytes | None = None
        self.too_much = False
        self._most = {OUTPUT: MOST_BYTES, REPLY: most}
        self._left, self._count = MOST_BYTES + HEAD.size * MOST_PIECES, 0
        self._data = bytearray()
        self._began, self._spent = time.monotonic(), 0.0

    def receive(self, read: Callable[[], bytes]) -> bytes:
        """Read the next bytes, throttling an expensive child."""
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
        """Return whether nothing more is to be read."""
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


MAX_EMERGENCY = 16_384  # most bytes read of the line that a killed child reported

_PLACE = plain(rb'File "<cell (\d{1,4})>", line (\d{1,7})')
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)  # signal at the CPU limit
_STACK = b"(most recent call first)"


def answer(reading: ReplyReader, code: int, emergency: bytes, watch: ChildWatch | None) -> Answer:
    """Build the answer of a process that ended without a reply.

    Args:
        code: exit status, as in `ending`.
        emergency: faulthandler's output.
        watch: its limits, None without a request.
    """
    outcome, detail = ending(code)
    if watch is not None and watch.ended_for:
        outcome, detail = watch.ended_for, ""
    elif watch is not None and outcome == "memory" and watch.out_of_time:
        outcome = "time"  # killed by the kernel, because it ignored the earlier signal
    return Answer(outcome, b"", detail, tuple(reading.messages), *place(emergency))


def ending(code: int) -> tuple[Outcome, str]:
    """Return outcome and detail for a subprocess exit status (negative: signal).

    >>> ending(-11)
    ('crash', 'SIGSEGV')
    """
    if code == EXIT_MEMORY:
        return "memory", ""
    if code >= 0:
        return "crash", f"exit {code}"
    if code == -_OUT_OF_TIME:
        return "time", ""
    if code == -9:  # SIGKILL, and not ours: the kernel ran out of memory
        return "memory", ""
    has_name = -code in set(signal.Signals)
    return "crash", signal.Signals(-code).name if has_name else f"signal {-code}"


def place(emergency: bytes) -> tuple[int | None, int | None]:
    """Return cell and line of the program's innermost frame in faulthandler's last stack."""
    for stack in reversed(emergency[:MAX_EMERGENCY].split(_STACK)):
        match = _PLACE.search(stack)
        if match:
            return int(match[1]), int(match[2])
    return None, None


def at_hand(descriptor: int) -> bytes:
    """Return the bytes currently in a pipe."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, MAX_EMERGENCY)
    except BlockingIOError:
        return b""
