"""Questions about a Trace that children without torch answer; a child that takes too long is killed."""

import threading
from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from explorer.analysis.messages import Told, told_text
from explorer.sandbox import Runner, default_runner
from explorer.sandbox.layout import AT_ONCE, ask
from explorer.sandbox.wire import Order
from explorer.trace import FullTensors, Trace, encode

ORDER = Order(seconds=1.5, lasting=6.0, memory_mb=200.0)  # limits of one answer

_turns = threading.Semaphore(AT_ONCE)

Answer = TypeVar("Answer")


def ask_child(
    kind: bytes, trace: Trace, read: Callable[[bytes, Trace], Answer], runner: Runner | None
) -> Answer | None:
    """A child's answer about a Trace, decoded by `read`; None if it was late or invalid."""
    request = kind + encode(replace(trace, full=FullTensors()))  # no answer needs them
    outcome, reply = ask(request, ORDER, runner or default_runner(), _turns, ORDER.lasting)
    try:
        return read(reply, trace) if outcome == "reply" else None
    except ValueError:  # nonsense
        return None


def is_sayable(told: Told) -> bool:
    """Whether the catalogue has sentences of what a child found, and the values that they need are there."""
    try:
        return all(told_text("en", told, part) for part in ("title", "cause", "repair"))
    except (KeyError, TypeError, ValueError):
        return False
