"""The preloaded parent: imports a module once, then forks a confined child for every request.

Started by exec (explorer.sandbox.parent) with its control socket as standard input. The module has `preload()`, called
once, and `handle(request: bytes) -> bytes`, called in each child. Before the first of them the parent gives up, for
itself and all its children, what forking does not need (explorer.sandbox.confine).

It holds no program text, because every later child inherits its memory: requests and replies pass it by, on a socket
between server and child. It knows two things of a run: when it ends at the latest, and a status pipe into which it
says, in its own words, how the child ended. When the server closes its end of that pipe, the run is cancelled. When
the control socket closes it takes no more work, and ends with its last child; a server that is gone has closed the
status pipes as well, so its children are killed at once.
"""

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from explorer.sandbox.answering import answer
from explorer.sandbox.confine import Level, die_with, settle
from explorer.sandbox.wire import CANCELLED, DONE, EXIT_FAILED, ORDER, READY, STATUS, TIME, close


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


def main(module_name: str, least: Level, without: Collection[str]) -> None:
    """Preloads, confines itself, says so, and serves until the control socket closes.

    A child that is confined less than `least` runs nothing. `without` is for tests (explorer.sandbox.confine.settle).
    """
    control = socket.socket(fileno=os.dup(0))
    module = importlib.import_module(module_name)
    module.preload()
    gc.collect()
    gc.freeze()  # children must not copy pages only because the collector walks over them
    settled = settle(without)

    def live(channel: int, emergency: int, limits: tuple[float, float]) -> None:
        answer(settled, least, channel, channel, emergency, limits, module.handle)

    control.send(READY)
    serve(control, live)


def serve(control: socket.socket, live: Callable) -> None:
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
            child = accept(control, live)
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


def accept(control: socket.socket, live: Callable) -> Child | None:
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
            die_with(parent)
            os.setpgid(0, 0)  # so that what it may start dies with it
            live(channel, emergency, (seconds, memory_mb))
        finally:
            os._exit(EXIT_FAILED)
    close(channel, emergency)
    return Child(pid, os.pidfd_open(pid), status, time.monotonic() + seconds)


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
