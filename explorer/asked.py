"""What children without torch are asked about a Trace: each is killed when it takes too long."""

import os
import threading
from collections.abc import Callable
from typing import TypeVar

from explorer.sandbox import Runner, default_runner
from explorer.sandbox.wire import Order
from explorer.trace import Trace, encode

ORDER = Order(seconds=1.5, lasting=1.5, memory_mb=200.0)  # what one answer may take
MAX_REPLY = 4_000_000  # bytes

_turns = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))  # so many are worked out at once

Answer = TypeVar("Answer")


def asked(kind: bytes, trace: Trace, read: Callable[[bytes, Trace], Answer], runner: Runner | None) -> Answer | None:
    """What a child answers about a Trace, read by `read`; None where it did not end in time or answered nonsense."""
    if not _turns.acquire(timeout=ORDER.lasting):
        return None
    try:
        answer = (runner or default_runner()).layouts.call(kind + encode(trace), ORDER, MAX_REPLY).wait()
        return read(answer.reply, trace) if answer.outcome == "reply" else None
    except (OSError, ValueError):  # no processes left in the server; a reply that is none
        return None
    finally:
        _turns.release()
