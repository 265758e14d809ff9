"""One request to a preloaded parent's child, and its reply."""

import contextlib
import math
import os
import select
import signal
import socket
import threading
import time
from typing import IO, Protocol

from explorer.program.given_files import NO_FOLDER, Folder
from explorer.sandbox import identity, own_files
from explorer.sandbox.calls import Answer
from explorer.sandbox.control_group import run_group
from explorer.sandbox.fair_queue import Place
from explorer.sandbox.preloaded_process import Preloaded, is_readable
from explorer.sandbox.protocol import BORN, FURTHER_S, LENGTH, STATUS, ChildLimits
from explorer.sandbox.replies import ReplyReader, answer, at_hand
from explorer.sandbox.watch import EVERY_S, ChildWatch, Usage, usage

LIFE_S = 120.0  # seconds that a child stays after its first reply, however often it is asked
STUCK_S = 120.0  # seconds after a call's limits until its parent is killed; it may have to preload first
SILENT_S = 2.0  # seconds after which a silent parent is checked; it may have been stopped


class Child:
    """The server's view of a child. One thread at a time.

    Args:
        order: its limits. folder: readable folder.

    Attributes:
        order: its limits.
        serving: process that forked it, None before its order.
        pid: process number, 0 if unknown.
        channel: socket for requests and replies.
        status: socket for its parent's reports, and for signals to it.
        emergency: pipe with its program place on a crash or timeout.
    """

    def __init__(self, order: ChildLimits, folder: Folder = NO_FOLDER):
        self.serving: Preloaded | None = None
        self.pid = 0
        self.files = ""  # its disk folder, if it cannot mount one
        self.born: Usage | None = None  # usage when it was forked
        self._replied = math.inf  # monotonic seconds of its first reply
        with contextlib.ExitStack() as stack:
            self.channel, theirs = map(stack.enter_context, socket.socketpair())
            self.status, status_end = map(stack.enter_context, socket.socketpair())
            ends = zip(os.pipe(), ("rb", "wb"), strict=True)
            self.emergency, emergency_end = (stack.enter_context(os.fdopen(end, mode, 0)) for end, mode in ends)
            null = stack.enter_context(open(os.devnull, "r+b", 0))
            group = stack.enter_context(run_group(order.memory_mb))
            self._ends: list[socket.socket | IO[bytes]] = [theirs, emergency_end, null, status_end]
            self._sent = [end.fileno() for end in (status_end, theirs, emergency_end, null)]
            self._folder = stack.enter_context(contextlib.ExitStack())
            if order.files_mb:
                user = identity.NOBODY if os.geteuid() == 0 else None
                self.files, own = self._folder.enter_context(own_files.private_folder(user))
                self._sent.append(own)
            if group is not None:
                self._sent.append(group)
            self.order = order._replace(group=group is not None, folder=folder.path, named=folder.named)
            self.channel.setblocking(False)
            self._open = stack.pop_all()

    def begin(self, parent: "Sender") -> bool:
        """Send its order, so that it is forked. Return whether its parent got it."""
        self.serving = parent.send(self.order.packed(), self._sent)
        for end in self._ends:
            end.close()
        return self.serving is not None

    def forked(self, pid: int) -> None:
        """Store its process id from its parent, and its current usage."""
        self.pid, self.born = pid, usage(pid)

    def stop(self) -> None:
        """Stop it until its next request. Its lifetime is limited from its first reply on."""
        self._replied = min(self._replied, time.monotonic())
        self.signal(signal.SIGSTOP)

    def signal(self, *numbers: int) -> bool:
        """Signal it. Returns False if its parent is gone."""
        with contextlib.suppress(OSError):
            return self.status.send(bytes(numbers)) > 0
        return False

    def is_over(self) -> bool:
        """Return whether it has lived long enough, or its parent accepts no more work."""
        return time.monotonic() > self._replied + LIFE_S or self.serving is None or self.serving.retired

    def may_answer(self, order: ChildLimits) -> bool:
        """Return whether a child that has replied may answer a request within these limits, counted from its birth.

        One that has ended, or sent more than a reply, may not.
        """
        now = usage(self.pid)
        if now is None or self.born is None or self.is_over():
            return False
        grown, computed = now.mb - self.born.mb, now.seconds - self.born.seconds
        fits = computed + order.seconds < self.order.seconds + FURTHER_S and grown < order.memory_mb / 2
        return fits and not (is_readable(self.status) or is_readable(self.channel))

    def leave_files(self) -> None:
        """Empty and release its disk folder, whose path the next run gets."""
        self.files = ""
        self._folder.close()

    def close(self) -> None:
        """Kill it and close its resources."""
        self._open.close()


class Sender(Protocol):
    """Sends a request to a preloaded process (explorer.sandbox.parent)."""

    module: str

    @property
    def closed(self) -> bool:
        """Return whether it accepts no more calls."""

    def send(self, order: bytes, descriptors: list[int]) -> Preloaded | None:
        """Send to the running process. Returns None if it has ended."""

    def lost(self, preloaded: Preloaded) -> None:
        """End a process that does not answer."""

    def take(self, order: ChildLimits) -> Child | None:
        """Take a stopped child that may answer a request within these limits, or None."""

    def keep(self, child: Child) -> bool:
        """Keep a stopped child for others' requests. Returns False if not."""


class ChildCall:
    """One request to one child. One thread calls `wait`, and any may call `cancel`.

    Args:
        child: child to ask, None for any.

    Attributes:
        parent: its sender.
        left: child of a program that has answered and is stopped, which the caller closes.
    """

    def __init__(
        self,
        parent: Sender,
        request: bytes,
        order: ChildLimits,
        most: int,
        folder: Folder = NO_FOLDER,
        child: Child | None = None,
    ):
        self.parent, self._order, self._most, self._folder = parent, order, most, folder
        self._asked = child
        self.left: Child | None = None
        self._request = LENGTH.pack(len(request)) + request
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._cancelled = False

    def interrupt(self) -> bool:
        """Request the child's results so far. Returns False if it does not run."""
        with self._lock:
            return self._child is not None and self._child.signal(signal.SIGINT)

    def cancel(self) -> None:
        """Kill the child, or keep it from starting."""
        with self._lock:
            self._cancelled = True
            if self._child is not None:
                with contextlib.suppress(OSError):
                    self._child.channel.shutdown(socket.SHUT_RDWR)  # wakes the reading thread

    def wait(self, turn: Place | None = None) -> Answer:
        """Run the request, trying twice if the parent ends. Raises OSError."""
        for _ in range(2 if self._asked is None else 1):
            ended = self._attempt(turn)
            if self._cancelled or self.parent.closed:
                return Answer("cancelled", messages=ended.messages)
            if ended.outcome != "lost":
                return ended
        return Answer("lost")

    def _attempt(self, turn: Place | None) -> Answer:
        child = self._asked or self.parent.take(self._order) or Child(self._order, self._folder)
        with contextlib.ExitStack() as stack:
            stack.callback(child.close)
            with self._lock:
                if self._cancelled:
                    return Answer("cancelled")
                self._child = child
            try:
                if child.serving is not None:
                    child.signal(signal.SIGCONT)
                elif not child.begin(self.parent):
                    return Answer("lost")
                reading = ReplyReader(self._most)
                wait_status, watch = self._exchange(child, reading, turn)
            finally:
                with self._lock:
                    self._child = None
            messages = tuple(reading.messages)
            if reading.too_much:
                return Answer("result", messages=messages)
            if reading.reply is not None:
                if child.order.stays:
                    child.stop()
                    self.left = child if child.order.files_mb else None
                if self.left or self.parent.keep(child):
                    child.leave_files()
                    stack.pop_all()
                return Answer("reply", reading.reply)
            if self._cancelled:
                return Answer("cancelled", messages=messages)
            if wait_status is None:
                self.parent.lost(child.serving)
                return Answer(watch.ended_for or "lost" if watch else "lost", messages=messages)
            return answer(reading, os.waitstatus_to_exitcode(wait_status), at_hand(child.emergency.fileno()), watch)

    def _exchange(self, child: Child, reading: ReplyReader, turn: Place | None) -> tuple[int | None, ChildWatch | None]:
        """Write the request and read the whole reply.

        Returns the child's wait status (None with a complete reply, when cancelled, or without a working parent) and
        its limits (None before the fork).
        """
        channel, status = child.channel, child.status
        watch = ChildWatch(child.pid, self._order, turn, child.files, child.born) if child.pid else None
        began = looked = time.monotonic()
        silent = began if watch is None else None  # time since which the parent owes an answer
        rest = memoryview(self._request)
        poll = select.poll()
        poll.register(channel, select.POLLIN | select.POLLOUT)
        poll.register(status, select.POLLIN)
        while True:
            events = dict(poll.poll(EVERY_S * 1000))
            happened = events.get(channel.fileno(), 0)
            if status.fileno() in events and (watch is None or not happened & ~select.POLLOUT):
                report = _received(status, STATUS.size)
                if len(report) != STATUS.size:
                    return None, watch
                kind, number = STATUS.unpack(report)
                if kind != BORN:
                    return number, watch
                child.forked(number)
                watch, silent = ChildWatch(number, self._order, turn, child.files, child.born), None
            elif happened & ~select.POLLOUT:  # arrived data counts even if the child is gone
                chunk = reading.receive(lambda: _received(channel))
                if reading.complete or (not chunk and self._cancelled):
                    return None, watch
                if not chunk:
                    silent = time.monotonic()
                    poll.unregister(channel)
            elif happened:
                try:
                    rest = rest[channel.send(rest) :]
                except OSError:  # the child is gone or cancelled, as its status shows
                    rest = rest[:0]
                if not rest:
                    poll.modify(channel, select.POLLIN)
            if (now := time.monotonic()) - looked < EVERY_S:
                continue
            looked = now
            if watch is not None and (signals := watch.look()):
                silent = silent or (now if watch.ended_for else None)
                child.signal(*signals)
            if silent is not None and now - silent > SILENT_S and child.serving.stopped():
                return None, watch
            if now > (began if watch is None else watch.ends) + STUCK_S:
                return None, watch


def _received(end: socket.socket, most: int = 1 << 18) -> bytes:
    try:
        return end.recv(most)
    except OSError:
        return b""
