"""How a process without a reply ended, and where in the program it was."""

import os
import signal

from explorer.safe_regex import plain
from explorer.sandbox.calls import Outcome
from explorer.sandbox.wire import EXIT_MEMORY

MAX_EMERGENCY = 16_384  # bytes read of the place that a killed child wrote

_PLACE = plain(rb'File "<cell (\d{1,4})>", line (\d{1,7})')
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)  # of the processor
_STACK = b"(most recent call first)"


def ending(code: int) -> tuple[Outcome, str]:
    """Outcome and detail for an exit status as subprocess gives it: negative for a signal.

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
    known = -code in set(signal.Signals)
    return "crash", signal.Signals(-code).name if known else f"signal {-code}"


def place(emergency: bytes) -> tuple[int | None, int | None]:
    """Cell and line of the innermost frame of the program in the last of the stacks that faulthandler wrote."""
    for stack in reversed(emergency[:MAX_EMERGENCY].split(_STACK)):
        found = _PLACE.search(stack)
        if found:
            return int(found[1]), int(found[2])
    return None, None


def at_hand(descriptor: int) -> bytes:
    """The bytes that are in a pipe now."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, MAX_EMERGENCY)
    except BlockingIOError:
        return b""
