"""End a session with its page, and free its memory.

Streamlit keeps the last 128 ended sessions, since a browser may come back. It drops them only when another session
ends, so the last visitors' runs, pictures and event loops (about 1 MB and three descriptors each) stayed until the next
visit. Here a session ends at once when its browser closes the page. After a lost connection, it waits KEPT_S seconds.

Memory is freed every PAUSE_S seconds in which a session ended: what it held refers to itself in circles, Streamlit's
objects as well as Traces.
"""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from streamlit.runtime import get_instance
from streamlit.runtime.session_manager import SessionInfo, SessionStorage

from explorer.hosting.heap import trim
from explorer.hosting.inbound_messages import is_closed_by_browser

MOST = 64  # most sessions that wait for their browser
KEPT_S = 60.0
PAUSE_S = 5.0


class EndedSessions(SessionStorage):
    """Sessions that wait for their browser to connect again. Used only by the thread of the event loop.

    Args:
        is_closed: returns whether the browser of the connection that ends now has closed its page.
    """

    def __init__(
        self, is_closed: Callable[[], bool] = is_closed_by_browser, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._is_closed, self._now = is_closed, now
        self._waiting: dict[str, tuple[SessionInfo, float]] = {}  # with their expiry time, oldest first
        self._has_garbage = False

    def save(self, session_info: SessionInfo) -> None:
        """Keep a session, or end it if no browser will ask for it."""
        self._waiting[session_info.session.id] = session_info, self._now() + (0.0 if self._is_closed() else KEPT_S)
        self.end_late()

    def get(self, session_id: str) -> SessionInfo | None:
        """Return a waiting session."""
        self.end_late()
        return self._waiting.get(session_id, (None,))[0]

    def delete(self, session_id: str) -> None:
        """Forget a session, which continues or was ended."""
        self._waiting.pop(session_id, None)

    def list(self) -> list[SessionInfo]:
        """Return all waiting sessions."""
        return [info for info, _ in self._waiting.values()]

    def end_late(self) -> None:
        """End the sessions whose time is over, and the oldest ones above MOST."""
        now, many = self._now(), len(self._waiting) - MOST
        late = [name for i, (name, (_, until)) in enumerate(self._waiting.items()) if until <= now or i < many]
        for name in late:
            info, _ = self._waiting.pop(name)
            info.session.shutdown()
            self._has_garbage = True

    async def free_memory(self) -> None:
        """End late sessions and free memory, until cancelled."""
        while True:
            await asyncio.sleep(PAUSE_S)
            self.end_late()
            if self._has_garbage:
                self._has_garbage = False
                await asyncio.to_thread(_free)


def _free() -> None:
    gc.collect()
    trim()


@asynccontextmanager
async def ended_sessions() -> AsyncIterator[None]:
    """Replace the storage of the running server's session manager."""
    ended = EndedSessions()
    vars(get_instance()._session_mgr)["_session_storage"] = ended
    freeing = asyncio.create_task(ended.free_memory())
    try:
        yield
    finally:
        freeing.cancel()
        with suppress(asyncio.CancelledError):
            await freeing
