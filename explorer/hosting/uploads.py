"""Limit uploads: their number, and the bytes waiting to be taken into a session.

Streamlit keeps every upload until the session ends. Here a session has room for twice its programs' limits, and its
oldest files are dropped first. On a hosted site a session needs a place, and all sessions share a limit, of which one
visitor may use a quarter. Arriving files count too.
"""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from explorer.hosting.seats import has_place
from explorer.hosting.sessions import uploaded_files
from explorer.program.given_files import HOSTED_ALL, HOSTED_FILE, MAX_ALL, MAX_FILE, MAX_FILES
from explorer.sandbox.hosting import hosted, visitor

PATH = "/_stcore/upload_file/"
FRAME = 100_000  # bytes around a file in a browser's request
FILES = 2 * MAX_FILES  # files of a session
ALL_HOSTED = 240_000_000  # bytes of all sessions on a hosted site
SHARE = 4  # a visitor may use at most this fraction: one part in SHARE


@dataclass(frozen=True)
class Bounds:
    """Limits in bytes. Attributes: file: per file. session, everybody: per session, and in total."""

    file: int
    session: int
    everybody: int


AT_HOME = Bounds(MAX_FILE + FRAME, 2 * MAX_ALL, 100 * MAX_ALL)
HOSTED = Bounds(HOSTED_FILE + FRAME, 2 * HOSTED_ALL, ALL_HOSTED)


class Uploads:
    """The kept and the arriving uploads. Threads may share it.

    Args:
        store: returns the files that Streamlit keeps.
        bounds: returns the bounds.
        here: whether a session has a place.
    """

    def __init__(self, store: Callable[[], Any], bounds: Callable[[], Bounds], here: Callable[[str], bool]):
        self._store, self._bounds, self._here = store, bounds, here
        self._lock = threading.Lock()
        self._coming: Counter[str] = Counter()  # session → bytes
        self._visitors: dict[str, str] = {}  # session → visitor

    def begin(self, session: str, visited: str, size: int) -> int:
        """Reserve room for a file of `size` bytes. Return the HTTP status.

        200: there is room. 403: the session has no place. 413: the file, its session, its visitor or the total would
        exceed its limit.
        """
        with self._lock:
            bounds, store = self._bounds(), self._store()
            if not self._here(session):
                return 403
            if size > bounds.file:
                return 413
            past = self._visitors.items()
            self._visitors = {owner: who for owner, who in past if owner in store.file_storage or owner in self._coming}
            self._visitors[session] = visited
            if not self._make_room(store, session, size, bounds.session):
                return 413
            held = Counter(self._coming)
            held.update({owner: _sum(list(files.values())) for owner, files in list(store.file_storage.items())})
            own = sum(count for owner, count in held.items() if self._visitors.get(owner) == visited)
            if held.total() + size > bounds.everybody or own + size > bounds.everybody // SHARE:
                return 413
            self._coming[session] += size
            return 200

    def _make_room(self, store: Any, session: str, size: int, most: int) -> bool:
        """Drop a session's oldest files. Return whether there is room then."""
        files = list(store.file_storage.get(session, {}).values())
        while files and (_sum(files) + self._coming[session] + size > most or len(files) >= FILES):
            store.remove_file(session, files.pop(0).file_id)
        return self._coming[session] + size <= most

    def end(self, session: str, size: int) -> None:
        """Release a reservation after a file's arrival or failure."""
        with self._lock:
            self._coming[session] -= size
            if not self._coming[session]:
                del self._coming[session]

    async def put(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an upload request, if there is room."""
        session = scope["path"].rpartition(PATH)[2].split("/")[0]
        visited = visitor((scope.get("client") or ("",))[0])
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        size = int(length) if length.isdigit() and len(length) < 20 else self._bounds().everybody
        status = self.begin(session, visited, size)  # the server below reads at most this much
        if status != 200:
            return await PlainTextResponse("There is no room for this file.", status)(scope, receive, send)
        try:
            await app(scope, receive, send)
        finally:
            self.end(session, size)


def _sum(files: list) -> int:
    return sum(len(file.data) for file in files)


def server_uploads() -> Uploads:
    """Return this server's uploads, and keep arriving ones in memory."""
    MultiPartParser.spool_max_size = 0  # starlette writes those above 1 MB into a temporary file
    return Uploads(uploaded_files, lambda: HOSTED if hosted() else AT_HOME, has_place)
