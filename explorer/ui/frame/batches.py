"""What a drawing sends, handed to the thread that sends it some at a time.

A page is some sixty messages. For each of them Streamlit wakes that thread twice: to put it into the session's queue,
and to look at all queues; and each time the two threads take Python from one another. Here messages wait together for a
moment, as long as Streamlit itself waits between two looks at its queues. What is more than a message, as the end of a
drawing, is handed over at once, with all that was said before it.
"""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent

PAUSE = 0.01  # seconds that a message waits for others

_enqueued, _flushed = Runtime._enqueued_some_message, AppSession.flush_browser_queue


class Waiting:
    """What drawings of a session have said and the sending thread has not heard. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: list[Callable[[], None]] = []

    def add(self, heard: Callable[[], None]) -> bool:
        """Add what is to be called when it is heard; whether nothing else waits."""
        with self._lock:
            self._said.append(heard)
            return len(self._said) == 1

    def take(self) -> list[Callable[[], None]]:
        """All that waits, in order."""
        with self._lock:
            said, self._said = self._said, []
        return said


def mend_events() -> None:
    """Have every session do so, from now on."""
    AppSession._on_scriptrunner_event = take_event  # type: ignore[method-assign,assignment]
    AppSession.flush_browser_queue = flushed  # type: ignore[method-assign,assignment]
    Runtime._enqueued_some_message = enqueued  # type: ignore[method-assign,assignment]


def take_event(session: AppSession, sender: ScriptRunner | None, event: ScriptRunnerEvent, **told: Any) -> None:
    """In place of the session's own method, which a drawing's thread calls."""
    alone = _waiting(session).add(partial(session._handle_scriptrunner_event_on_event_loop, sender, event, **told))
    if event is not ScriptRunnerEvent.ENQUEUE_FORWARD_MSG:
        session._call_soon_on_event_loop(partial(hand_over, session))
    elif alone:
        session._call_soon_on_event_loop(partial(_hand_over_later, session))


def hand_over(session: AppSession) -> None:
    """Have the sending thread, which calls this, hear what waits."""
    for heard in _waiting(session).take():
        heard()


def _hand_over_later(session: AppSession) -> None:
    session._event_loop.call_later(PAUSE, hand_over, session)


def enqueued(runtime: Runtime) -> None:
    """In place of the runtime's own method, which wakes the sending thread, also where that itself is calling."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # another thread, which runs no loop
        return _enqueued(runtime)
    runtime._get_async_objs().need_send_data.set()


def flushed(session: AppSession) -> list[ForwardMsg]:
    """In place of the session's own method, which is called of all sessions whenever one has something to send."""
    return [] if session._browser_queue.is_empty() else _flushed(session)


def _waiting(session: AppSession) -> Waiting:
    return vars(session).setdefault("_explorer_waiting", Waiting())
