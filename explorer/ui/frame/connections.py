"""Bound connections that keep the server waiting: for a request's head or body, or for reading what is sent to them.

uvicorn waits for them without end, and each costs a descriptor. A browser sends the head of a request in one piece, so
one that does not arrive within HEAD seconds is not a browser's. At most MOST connections wait, and SHARE of one
visitor; of more, the one that has waited longest is closed. A page's WebSocket has made its request: it may be as slow
as it likes, as long as it reads something within STALLED seconds.
"""

import asyncio
import asyncio.constants
import math
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.server import ServerState

from explorer.sandbox.hosting import visitor
from explorer.ui.frame.uploads import PATH, PATIENCE

HEAD = 6.0  # seconds in which the head of a request must arrive, and a body that no address takes
BODY = PATIENCE + HEAD  # seconds for the body of an upload, which is answered after PATIENCE
STALLED = 60.0  # seconds in which a browser must read something of what is sent to it
MOST, SHARE = 400, 200  # connections that wait, of all visitors and of one
LOOK = 1.0  # seconds between two looks at all connections
IDLE = math.inf  # a connection that waits for another request: uvicorn closes it after 5 seconds

_PROTOCOL: Any = AutoHTTPProtocol  # h11's, or httptools' where that is installed
_opened, _heard, _lost = _PROTOCOL.connection_made, _PROTOCOL.data_received, _PROTOCOL.connection_lost
_answered = _PROTOCOL.on_response_complete
_servers: WeakKeyDictionary[ServerState, "Connections"] = WeakKeyDictionary()


class _Connection:
    """One connection. Attributes:

    who: its visitor; "" for a proxy, whose connections are those of many.
    awaited: what it waits for, with the request before it; None while the app answers, and for a WebSocket.
    since: when it began to wait; IDLE before the first byte of another request.
    unread, moved: how many bytes wait for the browser, and when it last read some of them.
    """

    def __init__(self, transport: asyncio.Transport, who: str, now: float):
        self.transport, self.who = transport, who
        self.awaited: tuple[str, object] | None = None
        self.since = self.moved = now
        self.unread = 0


class Connections:
    """The open connections of one server. Only its loop's thread calls."""

    def __init__(self, proxies: list[str] | str):
        self._proxies = _TrustedHosts(proxies)
        self._open: dict[Any, _Connection] = {}  # by the protocol that parses its requests
        self._waiting: dict[Any, _Connection] = {}  # those of `_open` that wait, the longest waiting first
        self._loop, self._looking = asyncio.get_running_loop(), False

    def opened(self, protocol: Any) -> None:
        """A browser, or a proxy, has connected."""
        address = protocol.client[0] if protocol.client else ""
        who = "" if address in self._proxies else visitor(address)
        self._open[protocol] = _Connection(protocol.transport, who, self._loop.time())
        if not self._looking:
            self._look_later()
        self.heard(protocol)

    def heard(self, protocol: Any, idle: bool = False) -> None:
        """Note what a connection waits for, after something has arrived or was answered (`idle`)."""
        if (connection := self._open.get(protocol)) is None:
            return
        awaited, now = _awaited(protocol), self._loop.time()
        if awaited != connection.awaited:
            self._waiting.pop(protocol, None)
            connection.awaited, connection.since = awaited, now
            if awaited is not None:
                self._waiting[protocol] = connection
                self._make_room(connection.who)
        elif connection.since is IDLE:
            connection.since = now
        if idle and awaited is not None and awaited[0] == "head":
            connection.since = IDLE

    def lost(self, protocol: Any) -> None:
        """A connection has ended."""
        self._open.pop(protocol, None)
        self._waiting.pop(protocol, None)

    def _make_room(self, who: str) -> None:
        """Close the connection that waits longest, if there are too many of this visitor, or of all."""
        own = [one for one, other in self._waiting.items() if other.who == who] if who else []
        oldest = own if len(own) > SHARE else list(self._waiting) if len(self._waiting) > MOST else []
        for protocol in oldest[:1]:
            self._waiting.pop(protocol).transport.abort()

    def _look_later(self) -> None:
        self._looking = bool(self._open)
        if self._looking:
            self._loop.call_later(LOOK, self._look)

    def _look(self) -> None:
        """Close the connections that took too long."""
        now = self._loop.time()
        for protocol, link in list(self._open.items()):
            unread = link.transport.get_write_buffer_size()
            if not unread or unread < link.unread:
                link.moved = now
            link.unread = unread
            if link.transport.is_closing() and not unread:  # a WebSocket: `lost` is not called for it
                self.lost(protocol)
            elif now - link.moved > STALLED or (link.awaited and now - link.since > _seconds(protocol, link)):
                link.transport.abort()
        self._look_later()


def _awaited(protocol: Any) -> tuple[str, object] | None:
    """What a connection waits for, and the request before."""
    request = protocol.cycle
    if protocol.transport.get_protocol() is not protocol:  # it has become a WebSocket
        return None
    if request is not None and request.more_body:
        return "body", request
    return ("head", request) if request is None or request.response_complete else None


def _seconds(protocol: Any, connection: _Connection) -> float:
    upload = connection.awaited and connection.awaited[0] == "body" and PATH in protocol.scope["path"]
    return BODY if upload else HEAD


def patch_connections() -> None:
    """Bound the connections of every server of this process from now on."""
    asyncio.constants.SSL_HANDSHAKE_TIMEOUT = HEAD  # type: ignore[misc,assignment]
    for name, original, note in (
        ("connection_made", _opened, Connections.opened),
        ("data_received", _heard, Connections.heard),
        ("on_response_complete", _answered, lambda all, one: all.heard(one, idle=True)),
        ("connection_lost", _lost, Connections.lost),
    ):
        setattr(_PROTOCOL, name, _noted(original, note))


def _noted(original: Callable[..., None], note: Callable[[Connections, Any], None]) -> Callable[..., None]:
    """A method of uvicorn's protocol, after which the connections of its server are told."""

    def noted(protocol: Any, *given: Any) -> None:
        original(protocol, *given)
        if (connections := _servers.get(protocol.server_state)) is None:
            connections = _servers[protocol.server_state] = Connections(protocol.config.forwarded_allow_ips)
        note(connections, protocol)

    return noted
