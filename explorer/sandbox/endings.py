"""How a process without a reply ended, and where in the program it was."""

import os
import signal

from explorer.safe_regex import plain
from explorer.sandbox.calls import Answer, Outcome
from explorer.sandbox.replies import ReplyReader
from explorer.sandbox.watch import Watch
from explorer.sandbox.wire import EXIT_MEMORY

MAX_EMERGENCY = 16_384  # bytes read of the place that a killed child wrote

_PLACE = plain(rb'File "<cell (\d{1,4})>", line (\d{1,7})')
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)  # of the processor
_STACK = b"(most recent call first)"


def answer(reading: ReplyReader, code: int, emergency: bytes, watch: Watch | None) -> Answer:
    """The answer of a process that has ended without a reply, or was ended.

    Args:
        code: its exit status, as in `ending`.
        emergency: what faulthandler wrote.
        watch: its limits, None for a process that had no request yet.
    """
    outcome, detail = ending(code)
    if watch is not None and watch.ended_for:
        outcome, detail = watch.ended_for, ""
    elif watch is not None and outcome == "memory" and watch.out_of_time:
        outcome = "time"  # the kernel killed it, since it ignored the signal before
    return Answer(outcome, b"", detail, tuple(reading.messages), *place(emergency))


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
