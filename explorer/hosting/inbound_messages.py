"""Bound a connection's messages in size, parts and rate, before Streamlit sees them.

A message of 19 MB may hold six million empty lists, which take 800 MB and nine seconds. So lists, entries and nesting
of its values are counted before they are decoded. Excessive or unreadable messages are dropped, because Streamlit would
keep them and fail at every drawing. If requests exceed `pace`, only the newest is kept. The next drawing of the page
reports this (`left_out`) and is requested if necessary.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, MutableSequence
from contextvars import ContextVar
from functools import partial
from itertools import accumulate, islice
from typing import Any

import streamlit as st
from google.protobuf.message import DecodeError
from google.protobuf.message import Message as ProtobufMessage
from starlette.types import Message, Receive, Scope
from streamlit.proto.BackMsg_pb2 import BackMsg

from explorer.safe_regex import plain
from explorer.sandbox.hosting import hosted, visitor
from explorer.text import say

WHOLE = 4.0  # tokens for drawing the whole app, instead of 1 for the page fragment
REPORT_PRIORITY = 12.0  # for reporting a dropped message, which our own pages never cause
OF_A_PAGE = 10.0, 24.0  # tokens a second, and the largest number of tokens
OF_A_VISITOR = 24.0, 120.0  # a class behind one router is one visitor
OF_READING = 0.1, 0.1  # seconds of the server's time a second that reading a visitor's messages may take
FORGOTTEN = 60.0  # seconds after which an inactive visitor is forgotten
MOST, MOST_HOSTED = 20_000_000, 1_000_000  # bytes of a message, at home and on a hosted site
FIELDS = 3_000  # per message, including its parts
CONTAINERS = 10_000  # lists and dictionaries that all values of components hold
ENTRIES = 100_000  # total entries of all messages
DEEP = 30  # lists in lists
QUERY, PARAMETERS = 100_000, 200  # characters of the address's query, and parameters in it
NAMES = 50  # upload names in one message

# The app accepts nothing else. Clearing caches, running on save and reading Git belong to a developer's menu.
ASKED = {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
OPERATIONS = {"request_id", "session_id", "deferred_file"}

_TEXTS = plain(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)')  # also one without an end
_BRACKETS = plain(r"[\[\]{}]")


class Bucket:
    """Tokens that arrive at a rate, up to a maximum."""

    def __init__(self, rate: float, most: float, now: Callable[[], float] = time.monotonic):
        self._rate, self._most, self._now = rate, most, now
        self._tokens, self._at = most, now()

    def wait(self, count: float = 1.0) -> float:
        """Return seconds until this many tokens, or a full bucket, are available."""
        now = self._now()
        self._tokens = min(self._most, self._tokens + (now - self._at) * self._rate)
        self._at = now
        return max(0.0, (min(count, self._most) - self._tokens) / self._rate)

    def take(self, count: float = 1.0) -> None:
        """Take this many tokens."""
        self._tokens -= count

    def idle(self) -> float:
        """Return seconds since its last use."""
        return self._now() - self._at


class Paces:
    """A bucket for each visitor. Threads may share it."""

    def __init__(self, rate: float, most: float, now: Callable[[], float] = time.monotonic):
        self._rate, self._most, self._now = rate, most, now
        self._lock = threading.Lock()
        self._visitors: dict[str, Bucket] = {}

    def of(self, visitor: str) -> Bucket:
        """Return a visitor's bucket. Inactive visitors are forgotten."""
        with self._lock:
            if visitor not in self._visitors:
                active = {name: bucket for name, bucket in self._visitors.items() if bucket.idle() < FORGOTTEN}
                self._visitors = active | {visitor: Bucket(self._rate, self._most, self._now)}
            return self._visitors[visitor]


CLOSED = {1000, 1001}  # codes of a page that was closed or left; a lost connection has another one
KEY = "sec-websocket-key"  # a header: each connection has its own
RERUN = "rerun_script"
MENTIONED = "_left_out"  # session state: how many dropped requests the page has mentioned

_requests, _readings = Paces(*OF_A_VISITOR), Paces(*OF_READING)
_open: dict[str, "InboundFilter"] = {}  # KEY → filter
_here: ContextVar["InboundFilter | None"] = ContextVar("connection", default=None)  # of the connection's task


class InboundFilter:
    """The filter of one page's connection.

    Args:
        receive: returns the next message.
        visited: the bucket of its visitor.
        most: bytes of a message.
        own: the page's bucket.
        reading: its visitor's bucket of seconds that reading messages takes.

    Attributes:
        left_out: how many of its requests were dropped.
        closed: whether its browser has closed or left the page.
    """

    def __init__(
        self, receive: Receive, visited: Bucket, most: int, own: Bucket | None = None, reading: Bucket | None = None
    ):
        self._receive, self._most = receive, most
        self._reading = reading or Bucket(*OF_READING)
        self._buckets = own or Bucket(*OF_A_PAGE), visited
        self._held: dict[str, tuple[bytes, float]] = {}  # kind → newest waiting request and its tokens
        self._coming: asyncio.Task[Message] | None = None
        self.left_out = 0
        self.closed = False

    async def receive(self) -> Message:
        """Return the next message for Streamlit, replacing the connection's `receive`."""
        while True:
            wait = None
            if self._held:
                kind, (data, count) = next(iter(self._held.items()))
                wait = max(bucket.wait(count) for bucket in self._buckets)
                if not wait:
                    del self._held[kind]
                    for bucket in self._buckets:
                        bucket.take(count)
                    return {"type": "websocket.receive", "bytes": data}
            message = await self._next(wait)
            if message is None:
                continue
            if message["type"] != "websocket.receive":
                self.closed = message["type"] == "websocket.disconnect" and message.get("code") in CLOSED
                return message
            self._hold(message.get("bytes") or b"")

    def _hold(self, data: bytes) -> None:
        """Queue a request, replacing a waiting one of its kind, or drop it."""
        began = time.thread_time()
        try:
            asked = read(data, self._most)
        except Refused:
            asked = None
        self._reading.take(time.thread_time() - began)
        if asked is None:
            self.left_out += 1
            self._held.setdefault(RERUN, (_NOTHING, REPORT_PRIORITY))
            return
        kind = asked.WhichOneof("type") or ""
        before, _ = self._held.get(kind, (_NOTHING, 0.0))
        self.left_out += before is not _NOTHING
        # Repeated messages of a page contain no action of its user.
        if before is _NOTHING or not asked.rerun_script.is_auto_rerun:
            whole = kind == RERUN and not asked.rerun_script.fragment_id
            self._held[kind] = data, WHOLE if whole else 1.0

    async def _next(self, seconds: float | None) -> Message | None:
        """Return the next message, None if none arrives in time."""
        if rest := self._reading.wait(0.0):  # unread messages stay in the connection, which slows the sender down
            await asyncio.sleep(rest if seconds is None else min(rest, seconds))
            return None
        self._coming = self._coming or asyncio.ensure_future(self._receive())
        await asyncio.wait((self._coming,), timeout=seconds)
        if not self._coming.done():
            return None
        done, self._coming = self._coming, None
        return done.result()

    def close(self) -> None:
        """End the filter with its connection."""
        if self._coming is not None:
            self._coming.cancel()


def _is_empty_request() -> bytes:
    """Return whether a request only redraws the page unchanged."""
    asked = BackMsg()
    asked.rerun_script.SetInParent()
    return asked.SerializeToString()


_NOTHING = _is_empty_request()


def open_filter(scope: Scope, receive: Receive) -> tuple[InboundFilter, Callable[[], None]]:
    """Return a new connection's filter, and the function to call at its end."""
    key = next((value.decode("latin-1") for name, value in scope["headers"] if name == KEY.encode()), "")
    address = (scope.get("client") or ("",))[0]
    who = visitor(address)
    most = MOST_HOSTED if hosted() else MOST
    if hosted() and (connection := getattr(getattr(receive, "__self__", None), "conn", None)) is not None:
        connection.max_message_size = 2 * most  # limit of uvicorn's buffer, 20 MB by default
    inbound = InboundFilter(receive, _requests.of(who), most, reading=_readings.of(who))
    _open[key] = inbound
    _here.set(inbound)
    return inbound, partial(_over, key, inbound)


def _over(key: str, inbound: InboundFilter) -> None:
    inbound.close()
    if _open.get(key) is inbound:
        del _open[key]


def is_closed_by_browser() -> bool:
    """Return whether this task's connection ended because its page was closed or left."""
    inbound = _here.get()
    return inbound is not None and inbound.closed


def report_left_out(lang: str) -> None:
    """Report requests dropped since the page was last drawn."""
    inbound = _open.get(st.context.headers.get(KEY) or "")
    count = 0 if inbound is None else inbound.left_out
    if new := count - st.session_state.get(MENTIONED, 0):
        st.session_state[MENTIONED] = count
        if new > 0:
            st.toast(say(lang, "left-out", count=new), icon=None)


class Refused(Exception):
    """Raised for a dropped message. Reasons: size, type, fields, value, text, unreadable."""


def read(data: bytes, most: int = MOST) -> BackMsg:
    """Decode a message and check that its parts stay within the bounds. Raises Refused."""
    if len(data) > most:
        raise Refused("size")
    try:
        message = BackMsg.FromString(data)  # takes time and memory in proportion to its bytes, whatever they are
    except DecodeError:
        raise Refused("unreadable") from None
    operation = {field.name for field, _ in message.backend_operation_request.ListFields()}
    if message.WhichOneof("type") not in ASKED or not operation <= OPERATIONS:
        raise Refused("type")
    if len(message.file_urls_request.file_names) > NAMES:
        raise Refused("fields")
    parts = list(islice(_parts(message), FIELDS + 1))
    if len(parts) > FIELDS:
        raise Refused("fields")
    if any(len(text) > QUERY or text.count("&") > PARAMETERS for name, text in parts if name == "query_string"):
        raise Refused("text")
    _check_values([value for name, value in parts if name in ("json_value", "json_trigger_value")])
    return message


def _parts(message: ProtobufMessage) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each field, with those inside it."""
    for field, value in message.ListFields():
        for one in value if isinstance(value, MutableSequence) else (value,):
            yield field.name, one
            if field.message_type is not None:
                yield from _parts(one)


def _check_values(values: list[str]) -> None:
    """Count the parts of all components' values, JSON, before reading it. Raises Refused."""
    bare = "".join(_TEXTS.sub("", value) for value in values)
    containers = max(bare.count("[") + bare.count("{"), bare.count("]") + bare.count("}"))
    if containers > CONTAINERS or bare.count(",") > ENTRIES:
        raise Refused("value")
    if max(accumulate(1 if bracket in "[{" else -1 for bracket in _BRACKETS.findall(bare)), default=0) > DEEP:
        raise Refused("value")
    try:
        for value in values:
            json.loads(value)
    except ValueError:
        raise Refused("unreadable") from None
