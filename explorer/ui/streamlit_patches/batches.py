"""Hand messages to the sending thread in batches.

A page has some sixty messages. For each Streamlit wakes that thread twice, to enqueue it and to check all queues, and
the two threads compete for Python. Here messages wait for a moment, as long as Streamlit waits between two checks.
Other events, such as the end of a drawing, are handed over at once with all earlier messages.

A picture should not wait for later parts of the page: `deliver` hands it over at once and waits until it is sent,
instead of competing with the sending thread.
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
from streamlit.runtime.session_manager import SessionClientDisconnectedError

PAUSE = 0.01  # seconds that a message waits for others
AT_ONCE = 100  # messages that go to a connection without a pause

MOMENT = 0.05  # seconds, at most, that a drawing waits until its messages are sent

_enqueued, _flushed = Runtime._enqueued_some_message, AppSession.flush_browser_queue
_sent = AppSession.on_flushed_messages_sent
_here = threading.local()  # `session`: the session that this thread draws for


class Waiting:
    """Messages of a session that the sending thread has not received. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: list[Callable[[], None]] = []

    def add(self, heard: Callable[[], None]) -> bool:
        """Add a function to call in that thread. Return whether it is the only one waiting."""
        with self._lock:
            self._said.append(heard)
            return len(self._said) == 1

    def take(self) -> list[Callable[[], None]]:
        """Remove and return all, in order."""
        with self._lock:
            waiting, self._said = self._said, []
        return waiting


def patch_events() -> None:
    """Patch every session from now on."""
    AppSession._on_scriptrunner_event = take_event  # type: ignore[method-assign,assignment]
    AppSession.flush_browser_queue = flushed  # type: ignore[method-assign,assignment]
    AppSession.on_flushed_messages_sent = sent  # type: ignore[method-assign,assignment]
    Runtime._enqueued_some_message = enqueued  # type: ignore[method-assign,assignment]


def take_event(session: AppSession, sender: ScriptRunner | None, event: ScriptRunnerEvent, **details: Any) -> None:
    """Handle an event from a drawing's thread, in the session's place."""
    _here.session = session
    alone = _waiting(session).add(partial(session._handle_scriptrunner_event_on_event_loop, sender, event, **details))
    if event is not ScriptRunnerEvent.ENQUEUE_FORWARD_MSG:
        session._call_soon_on_event_loop(partial(hand_over, session))
    elif alone:
        session._call_soon_on_event_loop(partial(_hand_over_later, session))


def hand_over(session: AppSession) -> None:
    """Deliver the waiting messages, in the sending thread."""
    for heard in _waiting(session).take():
        heard()


def _hand_over_later(session: AppSession) -> None:
    session._event_loop.call_later(PAUSE, hand_over, session)


def deliver() -> None:
    """Send everything drawn so far and wait for it, at most MOMENT."""
    session: AppSession | None = getattr(_here, "session", None)
    if session is not None:
        done = threading.Event()
        session._call_soon_on_event_loop(partial(_hand_over_and_signal, session, done))
        done.wait(MOMENT)


def _hand_over_and_signal(session: AppSession, done: threading.Event) -> None:
    vars(session)["_explorer_delivered"] = done
    hand_over(session)


def sent(session: AppSession) -> None:
    """Handle the end of a sending instead of the session."""
    _sent(session)
    if session._browser_queue.is_empty() and (done := vars(session).pop("_explorer_delivered", None)) is not None:
        done.set()


def enqueued(runtime: Runtime) -> None:
    """Replace the runtime's method that wakes the sending thread, also in that thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # another thread, without a loop
        return _enqueued(runtime)
    runtime._get_async_objs().need_send_data.set()


def flushed(session: AppSession) -> list[ForwardMsg]:
    """Replace the session's method that is called for all sessions if one has something to send.

    Its caller lets everything else run after each message. Here all but the last go to the connection together.
    """
    if session._browser_queue.is_empty():
        return []
    messages, runtime = _flushed(session), Runtime.instance()
    at_once = min(len(messages) - 1, AT_ONCE)
    if (client := runtime._session_mgr.get_active_session_info(session.id)) is None:
        return messages
    for number in range(at_once):
        try:
            runtime._send_message(client, messages[number])
        except SessionClientDisconnectedError:  # its caller meets it too
            return messages[number:]
    return messages[at_once:]


def _waiting(session: AppSession) -> Waiting:
    return vars(session).setdefault("_explorer_waiting", Waiting())
