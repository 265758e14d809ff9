"""The server's side of one preloaded parent: starts it, sends it requests, reads what nobody vouches for."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
from typing import Literal

from msgspec import Struct

from explorer.sandbox.zygote import CANCELLED, DONE, EXIT_MEMORY, LENGTH, ORDER, READY, STATUS, TIME

MAX_EMERGENCY = 16_384  # bytes read of what a killed child wrote about its place

_PLACE = re.compile(rb'File "<cell (\d{1,4})>", line (\d{1,7})')
_STACK = b"(most recent call first)"


class Answer(Struct, frozen=True):
    """How a call ended.

    Attributes:
        outcome: reply (the rest is in `reply`), time (killed at the limit), memory, crash (`detail`: the signal or exit
            status), result (more bytes than are read), cancelled, or lost (the parent ended, twice in a row).
        cell, line: the innermost place in the program at the time, where it is known (cells from 0, lines from 1).
    """

    outcome: Literal["reply", "time", "memory", "crash", "result", "cancelled", "lost"]
    reply: bytes = b""
    detail: str = ""
    cell: int | None = None
    line: int | None = None


class Parent:
    """A preloaded process that forks one confined child per call; started at need, and anew when it has ended.

    Threads may share it. `module` names what it preloads (see explorer.sandbox.zygote).
    """

    def __init__(self, module: str):
        self.module = module
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._control: socket.socket | None = None
        self._ready = False
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process number, None before the start."""
        return self._process.pid if self._process else None

    @property
    def closed(self) -> bool:
        """Whether it takes no more calls."""
        return self._closed

    def start(self) -> None:
        """Begins preloading and returns at once; does nothing while the parent runs. Raises OSError."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._launch()

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether it has preloaded and runs, waiting at most so many seconds for it."""
        with self._lock:
            process, control = self._process, self._control
        if process is None or control is None:
            return False
        with contextlib.suppress(OSError, ValueError):  # closed meanwhile
            if not self._ready and select.select([control], [], [], timeout)[0]:
                said = control.recv(len(READY), socket.MSG_DONTWAIT)
                with self._lock:
                    self._ready = self._ready or (said == READY and process is self._process)
        return self._ready and process.poll() is None

    def call(self, request: bytes, seconds: float, memory_mb: float, most: int) -> "Call":
        """A call to be waited for: killed after so many seconds of wall time, its reply at most `most` bytes."""
        return Call(self, request, ORDER.pack(seconds, memory_mb), most)

    def close(self) -> None:
        """Ends the parent and its children. Open and later calls answer `cancelled`."""
        with self._lock:
            self._closed = True
            self._end()

    def _launch(self) -> None:
        self._end()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path),
            "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        # No PR_SET_PDEATHSIG for the parent: it would die with the thread that started it, not with the server. It
        # ends when its control socket closes.
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", f"from explorer.sandbox.zygote import main; main({self.module!r})"],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                env=environment,
                cwd="/",
                start_new_session=True,  # an interrupt at the terminal is the server's to handle
            )
        self._control, self._ready = ours, False

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._control is not None:
            self._control.close()
        self._process = self._control = None
        self._ready = False

    def _send(self, order: bytes, descriptors: list[int]) -> subprocess.Popen | None:
        """Sends to the running parent, starting it at need; None when it has ended or is closed."""
        with self._lock:
            if self._closed:
                return None
            if self._process is None or self._process.poll() is not None:
                self._launch()
            process = self._process
            control = self._control.dup()  # sending may wait for room: without the lock, and safe from close()
        with control:
            try:
                socket.send_fds(control, [order], descriptors)
            except OSError:
                self._lost(process)
                return None
        return process

    def _lost(self, process: subprocess.Popen) -> None:
        with self._lock:
            if process is self._process:
                self._end()


class Call:
    """One request to one child. `wait` is for one thread, `cancel` for any."""

    def __init__(self, parent: Parent, request: bytes, order: bytes, most: int):
        self._parent, self._order, self._most = parent, order, most
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
            with self._lock:
                if self._cancelled:
                    return Answer("cancelled")
                self._channel = ours
            try:
                process = self._parent._send(
                    self._order, [theirs.fileno(), emergency_end.fileno(), status_end.fileno()]
                )
                for end in (theirs, emergency_end, status_end):
                    end.close()
                if process is None:
                    return Answer("lost")
                reply, said = self._exchange(ours, status.fileno())
            finally:
                with self._lock:
                    self._channel = None
            if reply is None:
                return Answer("result")
            if reply:
                return Answer("reply", reply[LENGTH.size :])
            if said == b"" and not self._cancelled:
                self._parent._lost(process)
                return Answer("lost")
            cell, line = _place(_at_hand(emergency.fileno()))
            outcome, detail = _ending(said)
            return Answer(outcome, b"", detail, cell, line)

    def _exchange(self, channel: socket.socket, status: int) -> tuple[bytes | None, bytes]:
        """Writes the request and reads the reply, until it is complete or the child is gone.

        Returns the reply with its length before it (b"" if it is not complete, None if it is too long), and what
        the parent said about the end: b"" if it is gone itself.
        """
        channel.setblocking(False)
        rest = memoryview(self._request)
        reply = bytearray()
        poll = select.poll()
        poll.register(channel, select.POLLIN | select.POLLOUT)
        poll.register(status, select.POLLIN)
        while True:
            events = dict(poll.poll())
            happened = events.get(channel.fileno(), 0)
            if happened & ~select.POLLOUT:  # what has arrived counts, also when the child is already gone
                try:
                    chunk = channel.recv(1 << 18)
                except OSError:
                    chunk = b""
                reply += chunk
                if len(reply) >= LENGTH.size:
                    size = LENGTH.unpack_from(reply)[0]
                    if size > self._most:
                        return None, b""
                    if len(reply) >= LENGTH.size + size:
                        return bytes(reply[: LENGTH.size + size]), b""
                if not chunk and self._cancelled:
                    return b"", b""
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
                return b"", os.read(status, STATUS.size)


def _pipe(stack: contextlib.ExitStack):
    read, write = os.pipe()
    return stack.enter_context(os.fdopen(read, "rb", 0)), stack.enter_context(os.fdopen(write, "wb", 0))


def _ending(said: bytes) -> tuple[str, str]:
    """Outcome and detail of a child that left no reply."""
    if len(said) != STATUS.size:
        return "cancelled", ""
    reason, wait_status = STATUS.unpack(said)
    if reason == TIME:
        return "time", ""
    if reason == CANCELLED:
        return "cancelled", ""
    assert reason == DONE
    if os.WIFSIGNALED(wait_status):
        number = os.WTERMSIG(wait_status)
        if number == signal.SIGKILL:  # not ours: the kernel was out of memory
            return "memory", ""
        return "crash", signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    code = os.waitstatus_to_exitcode(wait_status)
    return ("memory", "") if code == EXIT_MEMORY else ("crash", f"exit {code}")


def _at_hand(descriptor: int) -> bytes:
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, MAX_EMERGENCY)
    except BlockingIOError:
        return b""


def _place(emergency: bytes) -> tuple[int | None, int | None]:
    """Cell and line of the innermost frame of the program in the last of the stacks that faulthandler wrote."""
    for stack in reversed(emergency.split(_STACK)):
        found = _PLACE.search(stack)
        if found:
            return int(found[1]), int(found[2])
    return None, None
