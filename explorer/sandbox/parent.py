"""The server's side of a preloaded parent: start it, send it requests, read untrusted replies."""

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Collection
from typing import BinaryIO

from explorer.profiling import trace_file
from explorer.program import LEAST, Parts
from explorer.sandbox.calls import Answer, Outcome
from explorer.sandbox.confine import Level
from explorer.sandbox.endings import at_hand, ending, place
from explorer.sandbox.hosting import hosted
from explorer.sandbox.limits import machine_memory
from explorer.sandbox.preloaded_process import Forked, Preloaded, Started, control_sockets, start
from explorer.sandbox.replies import ReplyReader
from explorer.sandbox.wire import CANCELLED, CAUTIOUS, INTERRUPT, LENGTH, STATUS, TIME, Order

REPLACE_AFTER = 300  # calls that one parent serves
ROOM_FOR_TWO = 1_500_000_000  # bytes; a preloaded parent takes about 430 MB, the server 100
IDLE = 0.5  # seconds: see Parent
STUCK_S = 120.0  # seconds after a call's limits until its parent is killed: it may have to preload first


class Parent:
    """A preloaded process that forks one confined child per call; started on demand, and again when it has ended.

    It preloads the parts that it was started for, and what torch needs if none was named. When a call needs more, a
    process with more of them replaces it.

    After `replace_after` calls a successor preloads beside it and replaces it: children share their parent's memory
    layout, which attackers should not have long to learn. Where memory is short for two, the old one ends first, and
    the next call waits until the new one has loaded. Threads may share it.

    Args:
        module: names what it preloads (see explorer.sandbox.zygote).
        least: less confined children run nothing.
        without: for tests, mechanisms that are left out.
        idle: seconds without an order after which the waiting child does what every request does, where it cannot copy
            the pages for that (explorer.sandbox.written_pages). None: at once, on a hosted site after half a second.
        grants: the rights (writing, network) kept for its children, which are given a folder; None: no rights.
        memory: bytes of this machine or container, 0 if unknown; None: looked up.
    """

    def __init__(
        self,
        module: str,
        least: Level = "none",
        without: Collection[str] = (),
        replace_after: int = REPLACE_AFTER,
        idle: float | None = None,
        grants: tuple[bool, bool] | None = None,
        memory: int | None = None,
    ):
        if idle is None:
            idle = IDLE if hosted() else 0.0
        self.module, self._least, self._without = module, least, without
        self._given = f"{module!r}, {least!r}, {sorted(without)!r}, {idle!r}, {grants!r}"
        self._parts: Parts | None = LEAST  # what the serving process preloads, None for everything
        self._wanted: Parts | None = LEAST  # what the next one does
        self._cautious = False  # whether one died while it preloaded: then each library is tried in a fork first
        self._replace_after = replace_after
        self._beside = not 0 < (machine_memory() if memory is None else memory) < ROOM_FOR_TWO
        self._lock = threading.Lock()
        self._serving: Preloaded | None = None
        self._successor: Preloaded | None = None
        self._retired: list[Preloaded] = []
        self._closed = False

    def granting(self, kind: tuple[bool, bool]) -> "Parent":
        """A parent like this one that keeps writing and the network for its children, and gives them a folder."""
        return Parent(self.module, self._least, self._without, self._replace_after, grants=kind)

    @property
    def pid(self) -> int | None:
        """The process number, None before the start."""
        serving = self._serving
        return serving.pid if serving else None

    @property
    def closed(self) -> bool:
        """Whether it accepts no more calls."""
        return self._closed

    def start(self, parts: Parts | None = None) -> None:
        """Start preloading and return at once; does nothing while a parent with these parts runs. Raises OSError.

        Args:
            parts: what programs need (explorer.program.needs), None for everything.
        """
        with self._lock:
            if not self._closed:
                self._has(parts)
                self._serving_process()

    def start_soon(self) -> None:
        """Start preloading everything; a process that it forks when it has the least serves meanwhile. Raises OSError.

        The first programs of a server then run in half the time.
        """
        with self._lock:
            if self._closed:
                return
            full, self._wanted = None, None
            if self._serving is None and self._parts is not None:
                ours, theirs = control_sockets()
                with theirs:
                    full = self._successor = self._preloaded(None, theirs.fileno())
                self._serving = Forked(ours)
            else:
                self._serving_process()
        if full is not None:
            threading.Thread(target=self._grow, args=(full,), name="grow", daemon=True).start()

    def _grow(self, full: Preloaded) -> None:
        """Switch to the process that preloads everything when it is ready."""
        if full.ready(STUCK_S):
            with self._lock:
                if full is self._successor:
                    self._switch()

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether it has preloaded and runs, waiting at most this many seconds for it."""
        serving = self._serving
        return serving is not None and serving.ready(timeout)

    def call(self, request: bytes, order: Order, most: int, folder: str = "") -> "ChildCall":
        """Create a call within the limits of `order`; its reply has at most `most` bytes.

        `folder` is a folder that the child may read, if the parent grants it.
        """
        return ChildCall(self, request, order, most, folder)

    def close(self) -> None:
        """End the parent and its children. Open and later calls answer `cancelled`."""
        with self._lock:
            self._closed = True
            for preloaded in (self._serving, self._successor, *self._retired):
                if preloaded is not None:
                    preloaded.end()
            self._serving = self._successor = None
            self._retired = []

    def _has(self, parts: Parts | None) -> None:
        """Replace the serving process by one with more parts if these are not among its own."""
        if self._parts is None or (parts is not None and parts <= self._parts):
            return
        if self._wanted is not None:
            self._wanted = None if parts is None else self._wanted | parts
        if self._successor is not None:  # it may still preload: the call waits
            self._switch()
        elif self._serving is not None:
            self._retire()
            self._serving = None

    def _serving_process(self) -> Preloaded:
        if self._serving is not None and not self._serving.running():
            self._dismiss(self._serving)
        if self._serving is None and self._successor is not None:
            self._switch()
            return self._serving_process()
        if self._serving is None:
            self._parts = self._wanted
            self._serving = self._preloaded(self._parts)
        return self._serving

    def _preloaded(self, parts: Parts | None, early: int | None = None) -> Preloaded:
        named = None if parts is None else sorted(parts)
        code = start(
            self.module, f"from explorer.sandbox.zygote import main; main({self._given}, {named!r}, {early!r})"
        )
        kept = [] if early is None else [early]
        return Started(f"import os; os.environ[{CAUTIOUS!r}] = '1'; {code}" if self._cautious else code, kept)

    def _succession(self) -> None:
        """Start a successor when it is time, switch to it when it is ready, and forget ended processes."""
        self._retired = [retired for retired in self._retired if not retired.gone()]
        if self._successor is None:
            if self._serving.calls >= self._replace_after:
                self._successor = self._preloaded(self._wanted) if self._beside else None
                if not self._beside and not self._retired:
                    self._retire()
                    self._serving = None
                    self._serving_process()
        elif not self._successor.running():
            self._successor.end()
            self._successor = None
        elif self._successor.ready():
            self._switch()

    def _switch(self) -> None:
        """Let the successor serve."""
        if self._serving is not None:
            self._retire()
        self._serving, self._successor, self._parts = self._successor, None, self._wanted

    def _retire(self) -> None:
        self._serving.retire()
        self._retired.append(self._serving)

    def _send(self, order: bytes, descriptors: list[int]) -> Preloaded | None:
        """Send to the running parent, starting it if needed; None if it has ended or is closed."""
        with self._lock:
            if self._closed:
                return None
            self._serving_process()
            self._succession()
            serving = self._serving
            serving.calls += 1
            control = serving.control.dup()  # may block: without the lock, and on a copy, safe from close()
        with control:
            try:
                socket.send_fds(control, [order], descriptors)
            except OSError:
                self._lost(serving)
                return None
        return serving

    def _lost(self, preloaded: Preloaded) -> None:
        with self._lock:
            if preloaded is self._serving:
                self._dismiss(preloaded)

    def _dismiss(self, serving: Preloaded) -> None:
        """End the serving process, which was lost."""
        self._cautious = self._cautious or not (serving.has_preloaded() or isinstance(serving, Forked))
        serving.end()
        self._serving = None


class ChildCall:
    """One request to one child. One thread calls `wait`; any may call `cancel`."""

    def __init__(self, parent: Parent, request: bytes, order: Order, most: int, folder: str = ""):
        self._folder = folder
        self._parent, self._order, self._most = parent, order.packed(), most
        self._lasting = order.lasting
        self._request = LENGTH.pack(len(request)) + request
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None
        self._status: socket.socket | None = None
        self._cancelled = False

    def interrupt(self) -> bool:
        """Request the child's results so far; False if it does not run."""
        with self._lock:
            if self._status is not None:
                with contextlib.suppress(OSError):  # its parent is gone
                    return self._status.send(INTERRUPT) > 0
        return False

    def cancel(self) -> None:
        """Kill the child, or keep it from starting."""
        with self._lock:
            self._cancelled = True
            if self._channel is not None:
                with contextlib.suppress(OSError):
                    self._channel.shutdown(socket.SHUT_RDWR)  # wakes the reading thread

    def wait(self) -> Answer:
        """Run the request to its end. If the parent ends meanwhile, try once more. Raises OSError."""
        for _ in range(2):
            answer = self._attempt()
            if self._cancelled or self._parent.closed:
                return Answer("cancelled", messages=answer.messages)
            if answer.outcome != "lost":
                return answer
        return Answer("lost")

    def _attempt(self) -> Answer:
        with contextlib.ExitStack() as stack:
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            stack.enter_context(theirs)
            emergency, emergency_end = _pipe(stack)
            status, status_end = socket.socketpair()
            stack.enter_context(status)
            stack.enter_context(status_end)
            null = stack.enter_context(open(os.devnull, "r+b", 0))
            folder = [os.open(self._folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)] if self._folder else []
            for descriptor in folder:
                stack.callback(os.close, descriptor)
            with self._lock:
                if self._cancelled:
                    return Answer("cancelled")
                self._channel, self._status = ours, status
            try:
                sent = time.monotonic_ns()
                serving = self._parent._send(
                    self._order, [*(end.fileno() for end in (status_end, theirs, emergency_end, null)), *folder]
                )
                for end in (theirs, emergency_end, null, status_end):
                    end.close()
                if serving is None:
                    return Answer("lost")
                reading = ReplyReader(self._most)
                status_bytes = self._exchange(reading, ours, status.fileno())
            finally:
                with self._lock:
                    self._channel = self._status = None
            if reading.stages and (file := trace_file()) is not None:
                file.write_told(reading.stages, self._parent.module, sent, time.monotonic_ns())
            if reading.too_much:
                return Answer("result", messages=tuple(reading.messages))
            if reading.reply is not None:
                return Answer("reply", reading.reply)
            if status_bytes == b"" and not self._cancelled:
                self._parent._lost(serving)
                return Answer("lost")
            cell, line = place(at_hand(emergency.fileno()))
            outcome, detail = _ending(status_bytes)
            return Answer(outcome, b"", detail, tuple(reading.messages), cell, line)

    def _exchange(self, reading: ReplyReader, channel: socket.socket, status: int) -> bytes:
        """Write the request and read until the reply is complete or the child is gone.

        Returns the parent's message about the end: b"" if the parent is gone or stuck.
        """
        end = time.monotonic() + self._lasting + STUCK_S
        channel.setblocking(False)
        rest = memoryview(self._request)
        poll = select.poll()
        poll.register(channel, select.POLLIN | select.POLLOUT)
        poll.register(status, select.POLLIN)
        while True:
            events = dict(poll.poll(max(0.0, end - time.monotonic()) * 1000))
            if not events:
                return b""
            happened = events.get(channel.fileno(), 0)
            if happened & ~select.POLLOUT:  # data that has arrived counts, even if the child is gone
                try:
                    chunk = channel.recv(1 << 18)
                except OSError:
                    chunk = b""
                if reading.feed(chunk) or (not chunk and self._cancelled):
                    return b""
                if not chunk:
                    poll.unregister(channel)
            elif happened:
                try:
                    rest = rest[channel.send(rest) :]
                except OSError:  # the child is gone or was cancelled: its status says which
                    rest = rest[:0]
                if not rest:
                    poll.modify(channel, select.POLLIN)
            elif status in events:
                with contextlib.suppress(ConnectionError):  # the parent ended before it read all of it
                    return os.read(status, STATUS.size)
                return b""


def _pipe(stack: contextlib.ExitStack) -> tuple[BinaryIO, BinaryIO]:
    read, write = os.pipe()
    return stack.enter_context(os.fdopen(read, "rb", 0)), stack.enter_context(os.fdopen(write, "wb", 0))


def _ending(status: bytes) -> tuple[Outcome, str]:
    """Outcome and detail of a child that left no reply, from its parent's message."""
    if len(status) != STATUS.size:
        return "cancelled", ""
    reason, wait_status = STATUS.unpack(status)
    if reason == TIME:
        return "time", ""
    if reason == CANCELLED:
        return "cancelled", ""
    return ending(os.waitstatus_to_exitcode(wait_status))
