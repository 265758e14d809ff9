"""Bound the bytes that wait for a browser that does not read.

Streamlit keeps up to 500 messages for a browser, each up to megabytes. A page that requests drawings without reading
would fill the server's memory. So its connection is closed at MOST, and a browser reconnects.
"""

import asyncio
from typing import Any

from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

MOST = 32_000_000  # bytes; one message has at most 20 MB

_begin = StarletteSessionClient.__init__


class BytesQueue(asyncio.Queue[bytes]):
    """A queue bounded in items and in bytes."""

    def __init__(self, maxsize: int, most: int = MOST):
        super().__init__(maxsize)
        self._most, self._bytes = most, 0

    def full(self) -> bool:
        """Return whether the queue accepts nothing more."""
        return super().full() or self._bytes >= self._most

    def _put(self, item: bytes) -> None:
        self._bytes += len(item)
        super()._put(item)  # type: ignore[misc]

    def _get(self) -> bytes:
        item = super()._get()  # type: ignore[misc]
        self._bytes -= len(item)
        return item


def patch_sending() -> None:
    """Use this queue in every connection from now on."""
    StarletteSessionClient.__init__ = begin  # type: ignore[method-assign,assignment]


def begin(client: StarletteSessionClient, *given: Any) -> None:
    """Replace the start of a connection."""
    _begin(client, *given)
    client._send_queue = BytesQueue(client._send_queue.maxsize)
