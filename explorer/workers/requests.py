"""Questions about a Trace that children without torch answer; a child that takes too long is killed."""

import os
import threading
from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from explorer.analysis.messages import Told, told_text
from explorer.sandbox import Runner, default_runner
from explorer.sandbox.drawing_turns import others_first
from explorer.sandbox.wire import Order
from explorer.trace import FullTensors, Trace, encode

ORDER = Order(seconds=1.5, lasting=6.0, memory_mb=200.0)  # limits of one answer
MAX_REPLY = 4_000_000  # bytes

_turns = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))  # bounds how many are computed at once

Answer = TypeVar("Answer")


def ask_child(
    kind: bytes, trace: Trace, read: Callable[[bytes, Trace], Answer], runner: Runner | None
) -> Answer | None:
    """A child's answer about a Trace, decoded by `read`; None if it was late or invalid."""
    request = kind + encode(replace(trace, full=FullTensors()))  # no answer needs them
    with others_first():
        reply = _reply(request, runner or default_runner())
    try:
        return None if reply is None else read(reply, trace)
    except ValueError:  # nonsense
        return None


def is_sayable(told: Told) -> bool:
    """Whether the catalogue has sentences of what a child found, and the values that they need are there."""
    try:
        return all(told_text("en", told, part) for part in ("title", "cause", "repair"))
    except (KeyError, TypeError, ValueError):
        return False


def _reply(request: bytes, runner: Runner) -> bytes | None:
    if not _turns.acquire(timeout=ORDER.lasting):
        return None
    try:
        answer = runner.layouts.call(request, ORDER, MAX_REPLY).wait()
    except OSError:  # no processes left in the server
        return None
    finally:
        _turns.release()
    return answer.reply if answer.outcome == "reply" else None
