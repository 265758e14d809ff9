"""The preloaded parent: imports a module once, then forks a confined child for every request.

Started by exec (explorer.sandbox.parent) with its control socket as standard input. The module has `preload()`, called
once, and `handle(request: bytes, emergency_fd: int) -> bytes`, called in each child. What is written into
`emergency_fd` reaches the server also when the child is killed: a crash says there in which line it was.

It holds no program text, because every later child inherits its memory: requests and replies pass it by, on a socket
between server and child. It knows two things of a run: when it ends at the latest, and a status pipe into which it
says, in its own words, how the child ended. When the server closes its end of that pipe, the run is cancelled. When
the control socket closes it takes no more work, and ends with its last child; a server that is gone has closed the
status pipes as well, so its children are killed at once.
"""

import contextlib
import faulthandler
import gc
import importlib
import os
import select
import signal
import socket
import struct
import time
from dataclasses import dataclass

from explorer.sandbox.confine import confine, die_with

READY = b"ready"
ORDER = struct.Struct("!dd")  # wall seconds until the child is killed, MB by which its memory may grow
STATUS = struct.Struct("!ci")  # why the child ended (one of the three below), and its wait status
DONE, TIME, CANCELLED = b"d", b"t", b"c"
LENGTH = struct.Struct("!I")  # stands before a request and a reply

EXIT_FAILED = 70  # handle raised
EXIT_MEMORY = 71  # handle raised MemoryError


@dataclass
class Child:
    """A running child.

    Attributes:
        pid, pidfd: its number and a descriptor that becomes readable when it ends.
        status: where its end is told.
        deadline: on the monotonic clock, in seconds.
        reason: why it ended or was killed.
    """

    pid: int
    pidfd: int
    status: int
    deadline: float
    reason: bytes = DONE


def main(module_name: str) -> None:
    """Preloads, says so, and serves until the control socket closes."""
    control = socket.socket(fileno=os.dup(0))
    module = importlib.import_module(module_name)
    module.preload()
    gc.collect()
    gc.freeze()  # children must not copy pages only because the collector walks over them
    control.send(READY)
    serve(control, module.handle)


def serve(control: socket.socket, handle) -> None:
    """Forks on request and watches all children at once."""
    children: dict[int, Child] = {}  # by pidfd
    cancelling: dict[int, Child] = {}  # by status pipe
    poll = select.poll()
    poll.register(control, select.POLLIN)
    accepting = True
    while accepting or children:
        next_deadline = min((child.deadline for child in children.values() if child.reason == DONE), default=None)
        wait = None if next_deadline is None else max(0, (next_deadline - time.monotonic()) * 1000)
        events = [descriptor for descriptor, _ in poll.poll(wait)]
        for descriptor in events:
            if descriptor in children:
                child = children.pop(descriptor)
                poll.unregister(child.pidfd)
                if cancelling.pop(child.status, None):
                    poll.unregister(child.status)
                reap(child)
            elif descriptor in cancelling:
                child = cancelling.pop(descriptor)
                poll.unregister(child.status)
                kill(child, CANCELLED)
        if control.fileno() in events:  # last: a new child may get a number that is still among the events
            child = accept(control, handle)
            if child is None:
                accepting = False
                poll.unregister(control)
            elif child.pid:
                children[child.pidfd] = cancelling[child.status] = child
                poll.register(child.pidfd, select.POLLIN)
                poll.register(child.status, 0)  # POLLERR alone: nobody reads it any more
        now = time.monotonic()
        for child in children.values():
            if child.reason == DONE and child.deadline <= now:
                kill(child, TIME)


def accept(control: socket.socket, handle) -> Child | None:
    """Takes one order and forks; None when the control socket has closed, a Child with pid 0 when it could not fork."""
    try:
        order, descriptors, _, _ = socket.recv_fds(control, ORDER.size, 3)
    except ConnectionError:
        return None
    if not order:
        return None
    failed = Child(0, -1, -1, 0.0)
    if len(order) != ORDER.size or len(descriptors) != 3:
        close(*descriptors)
        return failed
    seconds, memory_mb = ORDER.unpack(order)
    channel, emergency, status = descriptors
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        close(*descriptors)
        return failed
    if pid == 0:
        try:
            answer(parent, channel, emergency, memory_mb, handle)
        finally:
            os._exit(EXIT_FAILED)
    close(channel, emergency)
    return Child(pid, os.pidfd_open(pid), status, time.monotonic() + seconds)


def answer(parent: int, channel: int, emergency: int, memory_mb: float, handle) -> None:
    """The whole life of a child: confine, read the request, handle it, write the reply, exit. Never returns."""
    die_with(parent)
    os.setpgid(0, 0)  # so that what it may start dies with it
    confine([channel, emergency], memory_mb)
    faulthandler.enable(file=emergency)  # a crash in C code says in which line it was
    try:
        size = LENGTH.unpack(read_exactly(channel, LENGTH.size))[0]
        reply = handle(read_exactly(channel, size), emergency)
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except BaseException:
        os._exit(EXIT_FAILED)
    write_all(channel, LENGTH.pack(len(reply)))
    write_all(channel, reply)
    os._exit(0)


def kill(child: Child, reason: bytes) -> None:
    """Ends a child and the processes it started."""
    child.reason = reason
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGKILL)


def reap(child: Child) -> None:
    """Tells the server how a child that is gone has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # before its number is given back
    _, wait_status = os.waitpid(child.pid, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(child.status, STATUS.pack(child.reason, wait_status))
    close(child.pidfd, child.status)


def read_exactly(descriptor: int, size: int) -> bytes:
    """So many bytes; raises EOFError if the other side closes earlier."""
    data = bytearray()
    while len(data) < size:
        chunk = os.read(descriptor, min(size - len(data), 1 << 18))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def write_all(descriptor: int, data: bytes) -> None:
    """All bytes, however many writes it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def close(*descriptors: int) -> None:
    """Closes each."""
    for descriptor in descriptors:
        os.close(descriptor)
