"""A session without a browser, speaking Streamlit's protocol like the Autograd page's scripts.

Many sessions share one thread. A session sends what a browser sends (all widget states, the page's fragment) and reads
every message.
"""

import asyncio
import contextlib
import json
import time
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

LOST = (WebSocketException, OSError, EOFError)  # raised when a connection ends
CACHED = 2  # global.maxCachedMessageAge: drawings for which a browser keeps an unused large message
PATIENCE = 60.0  # seconds until a session gives up


class NoAnswer(Exception):
    """The page did not answer within PATIENCE."""


@dataclass
class Shown:
    """The known state of the page.

    Attributes:
        ids: Streamlit's ids of the components that send messages, by our names.
        fragments: their fragments, by our names. A message redraws its fragment.
        editor: last data of the editor.
        picture: the SVG of the graph, "" for none.
        graph_at, editor_at: when the two last arrived, on the monotonic clock; 0.0 for never.
        status: HTML of the page's last status: starting, running, or waiting for a place.
        errors: errors shown by the page.
        received: bytes of all messages.
        drawings: how often the page or a part of it was drawn.
        kept: digests of the HTML that the browser holds.
    """

    ids: dict[str, str] = field(default_factory=dict)
    fragments: dict[str, str] = field(default_factory=dict)
    editor: dict[str, Any] = field(default_factory=dict)
    picture: str = ""
    graph_at: float = 0.0
    editor_at: float = 0.0
    status: str = ""
    errors: list[str] = field(default_factory=list)
    received: int = 0
    drawings: int = 0
    kept: set[str] = field(default_factory=set)

    @property
    def state(self) -> str:
        """State of the first cell: ok, error, refused, limited, unrun, "" for unknown."""
        cells = self.editor.get("cells") or [{"state": ""}]
        return cells[0]["state"]

    @property
    def cards(self) -> list[str]:
        """The ids of the picture's cards."""
        return [part.split('"', 1)[0] for part in self.picture.split('id="card-')[1:]]


class Session:
    """One browser tab on the Autograd page. Use as an asynchronous context manager.

    Args:
        address: client address, as reported by a proxy on this machine.
    """

    def __init__(self, port: int, address: str):
        self._port, self._address = port, address
        self._count = 0
        self._states: dict[str, str] = {}
        self._cells: list[tuple[int, str]] = []
        self._connection: ClientConnection | None = None
        self._drawing = 0  # requested drawings that are not finished
        self._has_graph = False  # whether the last drawing of the page had a graph
        self._repeated: dict[str, asyncio.Task] = {}  # fragment → its task
        self._cache: dict[str, tuple[ForwardMsg, int]] = {}  # hash → message, and the drawing that last named it
        self._drawn = 0
        self.shown = Shown()

    async def __aenter__(self) -> "Session":
        self._connection = await connect(
            f"ws://localhost:{self._port}/_stcore/stream",
            origin=f"http://localhost:{self._port}",  # type: ignore[arg-type]
            additional_headers={"X-Forwarded-For": self._address},
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=None,
            open_timeout=PATIENCE,
            close_timeout=1,
            ping_interval=None,  # browsers send no pings
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._repeat_no_more(list(self._repeated))
        if self._connection is not None:
            with contextlib.suppress(*LOST):
                await self._connection.close()

    def drop(self) -> None:
        """Lose the connection, without closing it as a tab does."""
        self._connection.transport.abort()

    async def load(self) -> float:
        """Open the page; return the seconds until its program has run and its picture is shown.

        A page that cannot run programs yet reports it and is redrawn repeatedly.
        """
        began = time.monotonic()
        await self._rerun("")
        await self._read(lambda: self._settled() and self.shown.state not in ("", "unrun"), began)
        return self.shown.graph_at - began

    async def type(self, text: str) -> float:
        """Replace the program; return the seconds until its picture is shown."""
        self._cells = [(self._cells[0][0], text)]
        return await self._edit()

    async def open(self, name: str, data: bytes) -> float:
        """Drop a file onto the editor; return the seconds until it has run."""
        revision = self.shown.editor["revision"]
        act = {"do": "open", "name": name, "size": len(data), "data": b64encode(data).decode()}
        began = time.monotonic()
        await self._say_edit(act)
        await self._read(lambda: self._settled() and self.shown.editor["revision"] > revision, began)
        if self.shown.editor.get("ask"):
            await self._say_edit(None)
            await self._read(lambda: self._settled() and self._answered(), began)
        return time.monotonic() - began

    async def click(self, number: int) -> float:
        """Select a card (counted cyclically) of the picture; return the seconds until the inspector shows it."""
        card = self.shown.cards[number % len(self.shown.cards)]
        asked = {"selected": card, "view": None, "root": None, "module": None}
        began = time.monotonic()
        await self._say("explorer_graph", asked)
        await self._read(self._settled, began)
        return time.monotonic() - began

    async def idle(self, seconds: float) -> None:
        """Do nothing, like a reader; read arriving messages."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    await self._receive()

    async def _edit(self) -> float:
        began = time.monotonic()
        await self._say_edit(None)
        await self._read(lambda: self._settled() and self._answered(), began)
        return max(self.shown.graph_at, self.shown.editor_at) - began

    async def _say_edit(self, act: dict[str, Any] | None) -> None:
        self._count = max(self._count + 1, int(time.time() * 1000))
        edit = {
            "count": self._count,
            "revision": self.shown.editor["revision"],
            "cells": self._cells,
            "cursor": None,
            "upto": None,
            "settled": True,
            "act": act,
            "have": sorted(self.shown.kept),
        }
        await self._say("explorer_editor", {"edit": edit, "cell": 0})

    async def _say(self, component: str, state: dict[str, Any]) -> None:
        self._states[self.shown.ids[component]] = json.dumps(state)
        await self._rerun(self.shown.fragments[component])

    async def _rerun(self, fragment: str) -> None:
        self._drawing += 1
        await self._ask(fragment)

    async def _ask(self, fragment: str, by_itself: bool = False) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.widget_states.SetInParent()
        for name, state in self._states.items():
            widget = asked.widget_states.widgets.add()
            widget.id, widget.json_value = name, state
        asked.fragment_id, asked.is_auto_rerun = fragment, by_itself
        asked.cached_message_hashes.extend(self._cache)
        await self._connection.send(message.SerializeToString())

    async def _repeat(self, fragment: str, seconds: float) -> None:
        """Request a fragment repeatedly, at the server's interval."""
        with contextlib.suppress(*LOST):
            while True:
                await asyncio.sleep(seconds)
                await self._ask(fragment, by_itself=True)

    def _repeat_no_more(self, fragments: Iterable[str]) -> None:
        for fragment in fragments:
            if (task := self._repeated.pop(fragment, None)) is not None:
                task.cancel()

    def _settled(self) -> bool:
        return self._drawing <= 0

    def _answered(self) -> bool:
        return self.shown.editor.get("count") == self._count and self.shown.state not in ("", "unrun")

    async def _read(self, enough, began: float) -> None:
        """Read until it is enough. Raises NoAnswer."""
        try:
            async with asyncio.timeout(PATIENCE - (time.monotonic() - began)):
                while not enough():
                    await self._receive()
        except TimeoutError:
            raise NoAnswer from None

    async def _receive(self) -> None:
        data = await self._connection.recv()
        self.shown.received += len(data)
        message = self._known(ForwardMsg.FromString(data))
        match message.WhichOneof("type"):
            case "new_session":
                self._drawing = max(self._drawing, 1)
                self.shown.drawings += 1
                self._has_graph = False
            case "navigation":  # the server draws the whole page again
                self._repeat_no_more(list(self._repeated))
            case "stop_auto_rerun":
                self._repeat_no_more(message.stop_auto_rerun.fragment_ids)
            case "auto_rerun":
                rerun = message.auto_rerun
                self._repeat_no_more([rerun.fragment_id])
                repeating = self._repeat(rerun.fragment_id, rerun.interval)
                self._repeated[rerun.fragment_id] = asyncio.create_task(repeating)
            case "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return
                self._drawing = 0
                self._forget()
                drawn = message.metadata.run.fragment_ids
                if not self._has_graph and (not drawn or self.shown.fragments.get("explorer_editor") in drawn):
                    self.shown.picture = ""  # the page no longer has a picture
            case "delta":
                self._take(message)

    def _known(self, message: ForwardMsg) -> ForwardMsg:
        """Return the message behind a hash; large messages are cached and the server is informed."""
        if message.HasField("ref_hash"):
            kept, _ = self._cache[message.ref_hash]
            found = ForwardMsg()
            found.CopyFrom(kept)
            found.metadata.CopyFrom(message.metadata)
            self._cache[message.ref_hash] = (kept, self._drawn)
            return found
        if message.metadata.cacheable:
            self._cache[message.hash] = (message, self._drawn)
        return message

    def _forget(self) -> None:
        """Forget elements that the last drawings omitted, like a browser; elements outside the page stay."""
        self._drawn += 1
        self._cache = {
            name: (message, last)
            for name, (message, last) in self._cache.items()
            if message.delta.fragment_id not in self.shown.fragments.values() or self._drawn - last <= CACHED
        }

    def _take(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        if element.HasField("exception"):
            self.shown.errors.append(f"{element.exception.type}: {element.exception.message}")
        if element.HasField("html") and 'role="status"' in element.html.body:
            self.shown.status = element.html.body
        if not element.HasField("bidi_component"):
            return
        component = element.bidi_component
        name = component.component_name.rpartition(".")[2]
        if name not in ("explorer_editor", "explorer_graph"):
            return
        self.shown.ids[name] = component.id
        self.shown.fragments[name] = message.delta.fragment_id or self.shown.fragments.get(name, "")
        data = json.loads(component.bytes or component.json or "{}")  # other checkouts send JSON
        if name == "explorer_graph":
            self.shown.graph_at = time.monotonic()
            self.shown.picture, self._has_graph = data.get("svg") or "", True
            return
        self.shown.editor_at = time.monotonic()
        self.shown.kept |= set(data["html"])
        if any(cell["text"] is not None for cell in data["cells"]):
            self._cells = [(cell["id"], cell["text"] or "") for cell in data["cells"]]
        self.shown.editor = data
