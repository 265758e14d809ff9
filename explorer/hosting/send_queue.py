"""Limit the bytes waiting for a slow browser, and write many messages at once.

Streamlit keeps up to 500 messages for a browser, each up to megabytes. A page that requests drawings without reading
would fill the server's memory. So its connection is closed at MOST, and a browser reconnects.

A drawing has some sixty messages. Streamlit passes each through all layers of the server to the socket. Here those that
wait are written together.
"""

import asyncio
import logging
from contextlib import suppress
from typing import Any

from starlette.types import Message, Send
from starlette.websockets import WebSocketDisconnect
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

MOST = 32_000_000  # bytes; a single message has at most 20 MB
TOGETHER = 1 << 16  # bytes after which waiting messages are written
BEFORE = "before"  # in an event: messages to write with it, in front

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
    StarletteSessionClient._sender = send_waiting  # type: ignore[method-assign,assignment]


def begin(client: StarletteSessionClient, *given: Any) -> None:
    """Replace the start of a connection."""
    _begin(client, *given)
    client._send_queue = BytesQueue(client._send_queue.maxsize)


async def send_waiting(client: StarletteSessionClient) -> None:
    """Replace the task that sends a connection's messages."""
    try:
        while True:
            waiting = [await client._send_queue.get()]
            size = len(waiting[0])
            while size < TOGETHER and not client._send_queue.empty():
                waiting.append(client._send_queue.get_nowait())
                size += len(waiting[-1])
            *before, last = waiting
            await client._websocket.send({"type": "websocket.send", "bytes": last, BEFORE: before})
    except WebSocketDisconnect:
        pass
    except Exception:
        logging.getLogger(__name__).exception("Error sending websocket payload")
    finally:
        client._closed.set()


async def send_all(send: Send, message: Message) -> None:
    """Send an event, and in front of it those that it brings."""
    before, socket = message.pop(BEFORE, ()), getattr(send, "__self__", None)
    for data in before:
        if isinstance(socket, WebSocketsSansIOProtocol) and socket.writable.is_set():  # written with the last one
            with suppress(InvalidState):  # closed, as the last one meets too
                socket.conn.send_binary(data)
        else:
            await send({"type": "websocket.send", "bytes": data})
    await send(message)
