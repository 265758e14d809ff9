"""Limit the bytes waiting for a slow browser.

Streamlit keeps up to 500 messages for a browser, each up to megabytes. A page that requests drawings without reading
would fill the server's memory. So messages wait here, and at MOST the connection is closed. A browser reconnects.
"""

import asyncio
from collections import deque
from contextlib import suppress

from starlette.types import Message, Send

MOST = 32_000_000  # bytes; a single message has at most 20 MB


class Outbound:
    """Queue of one connection's messages to the browser. Args: send: the server's function."""

    def __init__(self, send: Send, most: int = MOST):
        self._send, self._most = send, most
        self._writable: asyncio.Event | None = getattr(getattr(send, "__self__", None), "writable", None)  # uvicorn's
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._lost = False
        self._writing: asyncio.Task[None] | None = None

    async def send(self, message: Message) -> None:
        """Queue a message. Raises OSError if closed or too much waits."""
        if self._lost or self._bytes >= self._most:
            raise OSError("the browser left or does not read")
        flows = not self._waiting and self._writable is not None and self._writable.is_set()
        if message["type"] != "websocket.send" or flows:
            return await self._write_one(message)
        self._waiting.append(message)
        self._bytes += len(message.get("bytes") or b"")
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def _write_one(self, message: Message) -> None:
        try:
            await self._send(message)
        except (OSError, RuntimeError) as closed:  # closed by the browser or by uvicorn: not a failure to log
            self._lost = True
            raise OSError from closed

    async def _write(self) -> None:
        with suppress(OSError):
            while self._waiting:
                await self._write_one(self._waiting[0])
                self._bytes -= len(self._waiting.popleft().get("bytes") or b"")

    def close(self) -> None:
        """End with the connection."""
        if self._writing is not None:
            self._writing.cancel()
