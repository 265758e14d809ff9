"""The server's side of one preloaded parent: starts it, sends it requests, reads what nobody vouches for."""

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Collection
from typing import BinaryIO

from explorer.sandbox.calls import Answer, Outcome
from explorer.sandbox.confine import Level
from explorer.sandbox.endings import at_hand, ending, place
from explorer.sandbox.hosted import hosted
from explorer.sandbox.preloaded import Preloaded, start
from explorer.sandbox.replies import ReplyReader
from explorer.sandbox.wire import CANCELLED, LENGTH, STATUS, TIME, Order
from explorer.tracing import trace_file

REPLACE_AFTER = 300  # calls that one parent serves
IDLE = 0.5  # seconds: see Parent
STUCK_S = 120.0  # seconds beyond what a call may take, after which its parent is ended: it may have to preload first


class Parent:
    """A preloaded process that forks one confined child per call; started at need, and anew when it has ended.

    After `replace_after` calls a successor preloads beside it and takes its place: children share their parent's layout
    of addresses, which should not be there to be learned for long. Threads may share it.

    Args:
        module: names what it preloads (see explorer.sandbox.zygote).
        least: children that are confined less run nothing.
        without: for tests, mechanisms that are left out.
        idle: seconds without an order after which a child that waits for one does what every request does: work of its
            own, for which a busy server has no time. None: at once, where strangers type after half a second.
    """

    def __init__(
        self,
        module: str,
        least: Level = "none",
        without: Collection[str] = (),
        replace_after: int = REPLACE_AFTER,
        idle: float | None = None,
    ):
        if idle is None:
            idle = IDLE if hosted() else 0.0
        self.module = module
        given = f"{module!r}, {least!r}, {sorted(without)!r}, {idle!r}"
        self._start = start(module, f"from explorer.sandbox.zygote import main; main({given})")
        self._replace_after = replace_after
        self._lock = threading.Lock()
        self._serving: Preloaded | None = None
        self._successor: Preloaded | None = None
        self._retired: list[Preloaded] = []
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process number, None before the start."""
        serving = self._serving
        return serving.process.pid if serving else None

    @property
    def closed(self) -> bool:
        """Whether it takes no more calls."""
        return self._closed

    def start(self) -> None:
        """Begins preloading and returns at once; does nothing while the parent runs. Raises OSError."""
        with self._lock:
            self._serving_process()

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether it has preloaded and runs, waiting at most so many seconds for it."""
        serving = self._serving
        return serving is not None and serving.ready(timeout)

    def call(self, request: bytes, order: Order, most: int) -> "ChildCall":
        """A call to be waited for, which may take what the order says; its reply is at most `most` bytes."""
        return ChildCall(self, request, order, most)

    def close(self) -> None:
        """Ends the parent and its children. Open and later calls answer `cancelled`."""
        with self._lock:
            self._closed = True
            for preloaded in (self._serving, self._successor, *self._retired):
                if preloaded is not None:
                    preloaded.end()
            self._serving = self._successor = None
            self._retired = []

    def _serving_process(self) -> Preloaded:
        if self._serving is not None and not self._serving.running():
            self._serving.end()
            self._serving = None
        if self._serving is None:
            self._serving = Preloaded(self._start)
        return self._serving

    def _succession(self) -> None:
        """Lets a successor preload when it is time, take over when it has, and forgets those who are gone."""
        self._retired = [retired for retired in self._retired if not retired.gone()]
        if self._successor is None:
            if self._serving.calls >= self._replace_after:
                self._successor = Preloaded(self._start)
        elif not self._successor.running():
            self._successor.end()
            self._successor = None
        elif self._successor.ready():
            self._serving.retire()
            self._retired.append(self._serving)
            self._serving, self._successor = self._successor, None

    def _send(self, order: bytes, descriptors: list[int]) -> Preloaded | None:
        """Sends to the running parent, starting it at need; None when it has ended or is closed."""
        with self._lock:
            if self._closed:
                return None
            self._serving_process()
            self._succession()
            serving = self._serving
            serving.calls += 1
            control = serving.control.dup()  # sending may wait for room: without the lock, and safe from close()
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
                preloaded.end()
                self._serving = None


class ChildCall:
    """One request to one child. `wait` is for one thread, `cancel` for any."""

    def __init__(self, parent: Parent, request: bytes, order: Order, most: int):
        self._parent, self._order, self._most = parent, order.packed(), most
        self._lasting = order.lasting
        self._request = LENGTH.pack(len(request)) + request
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """Kills the child, or keeps it from starting."""
        with self._lock:
            self._cancelled = True
            if self._channel is not None:
                with contextlib.suppress(OSError):
                    self._channel.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads

    def wait(self) -> Answer:
        """Runs the request to its end. A parent that ends meanwhile is started anew, once. Raises OSError."""
        for _ in range(2):
            answer = self._attempt()
            if self._cancelled or self._parent.closed:
                return Answer("cancelled")
            if answer.outcome != "lost":
                return answer
        return Answer("lost")

    def _attempt(self) -> Answer:
        with contextlib.ExitStack() as stack:
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            stack.enter_context(theirs)
            emergency, emergency_end = _pipe(stack)
            status, status_end = _pipe(stack)
            null = stack.enter_context(open(os.devnull, "r+b", 0))
            with self._lock:
                if self._cancelled:
                    return Answer("cancelled")
                self._channel = ours
            try:
                sent = time.monotonic_ns()
                serving = self._parent._send(
                    self._order, [end.fileno() for end in (theirs, emergency_end, null, status_end)]
                )
                for end in (theirs, emergency_end, null, status_end):
                    end.close()
                if serving is None:
                    return Answer("lost")
                reading = ReplyReader(self._most)
                said = self._exchange(reading, ours, status.fileno())
            finally:
                with self._lock:
                    self._channel = None
            if reading.stages and (file := trace_file()) is not None:
                file.write_told(reading.stages, self._parent.module, sent, time.monotonic_ns())
            if reading.too_much:
                return Answer("result", told=tuple(reading.told))
            if reading.reply is not None:
                return Answer("reply", reading.reply)
            if said == b"" and not self._cancelled:
                self._parent._lost(serving)
                return Answer("lost")
            cell, line = place(at_hand(emergency.fileno()))
            outcome, detail = _ending(said)
            return Answer(outcome, b"", detail, tuple(reading.told), cell, line)

    def _exchange(self, reading: ReplyReader, channel: socket.socket, status: int) -> bytes:
        """Writes the request and reads until there is nothing more or the child is gone.

        Returns what the parent said about the end: b"" if it is gone itself, or stuck.
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
            if happened & ~select.POLLOUT:  # what has arrived counts, also when the child is already gone
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
                return os.read(status, STATUS.size)


def _pipe(stack: contextlib.ExitStack) -> tuple[BinaryIO, BinaryIO]:
    read, write = os.pipe()
    return stack.enter_context(os.fdopen(read, "rb", 0)), stack.enter_context(os.fdopen(write, "wb", 0))


def _ending(said: bytes) -> tuple[Outcome, str]:
    """Outcome and detail of a child that left no reply, as its parent tells it."""
    if len(said) != STATUS.size:
        return "cancelled", ""
    reason, wait_status = STATUS.unpack(said)
    if reason == TIME:
        return "time", ""
    if reason == CANCELLED:
        return "cancelled", ""
    return ending(os.waitstatus_to_exitcode(wait_status))
