"""Hand messages to the sending thread in batches.

A page has some fifty messages. For each Streamlit wakes that thread twice, to enqueue it and to check all queues, and
the two threads compete for Python. Here messages wait for a moment, as long as Streamlit waits between two checks.
Other events, such as the end of a drawing, are handed over at once with all earlier messages.

A picture should not wait for later parts of the page: `deliver` hands it over at once and pauses, instead of competing
with the sending thread.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamlit.runtime.app_session import AppSession

PAUSE = 0.01  # seconds that a message waits for more messages
MESSAGE = "ENQUEUE_FORWARD_MSG"  # event name of a new message

_here = threading.local()  # `session` that this thread draws for


class WaitingMessages:
    """Messages of a session that the sending thread has not received. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: list[Callable[[], None]] = []

    def add(self, heard: Callable[[], None]) -> bool:
        """Add a function to call. Return whether it is the only one waiting."""
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
    from streamlit.runtime.app_session import AppSession  # `deliver` is also called with another Streamlit

    AppSession._on_scriptrunner_event = take_event  # type: ignore[method-assign,assignment]


def take_event(session: "AppSession", sender: Any, event: Any, **details: Any) -> None:
    """Handle an event from a drawing's thread, in the session's place."""
    _here.session = session
    alone = _waiting(session).add(partial(session._handle_scriptrunner_event_on_event_loop, sender, event, **details))
    if event.name != MESSAGE:
        session._call_soon_on_event_loop(partial(hand_over, session))
    elif alone:
        session._call_soon_on_event_loop(partial(_hand_over_later, session))


def hand_over(session: "AppSession") -> None:
    """Deliver the waiting messages, in the sending thread, and wake the sender once for all of them."""
    wake, session._message_enqueued_callback = session._message_enqueued_callback, None
    try:
        for heard in _waiting(session).take():
            heard()
    finally:
        session._message_enqueued_callback = wake
        if wake is not None:
            wake()


def _hand_over_later(session: "AppSession") -> None:
    session._event_loop.call_later(PAUSE, hand_over, session)


def deliver() -> None:
    """Send everything drawn so far before drawing more."""
    session: AppSession | None = getattr(_here, "session", None)
    if session is not None:
        session._call_soon_on_event_loop(partial(hand_over, session))
        time.sleep(PAUSE)


def _waiting(session: "AppSession") -> WaitingMessages:
    return vars(session).setdefault("_explorer_waiting", WaitingMessages())
