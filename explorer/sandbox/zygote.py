"""The preloaded parent: imports a module once, then forks a confined child for every request.

Started by exec (explorer.sandbox.parent) with its control socket as standard input. The module has `preload()`, called
once, `handle(request: bytes, tell) -> bytes`, called in each child with what sends a message before the reply, and
`warm()`, called in a child that has no request yet. Before the first of them the parent gives up, for itself and all
its children, what forking does not need (explorer.sandbox.confine).

One child is forked ahead while nothing happens, and waits for an order. When none comes soon it makes those pages its
own that every request writes to: forking and copying pages would be two thirds of the time that a small program waits.
It is confined when it has its order, as every child; like every child it serves one request and ends.

After its first order, before it forks ahead again, the parent puts its memory into large pages
(explorer.sandbox.pages): for one run alone that would not pay.

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
from explorer.sandbox.confine import Level, close_all_but, die_with, settle
from explorer.sandbox.pages import enlarge, places
from explorer.sandbox.systemcalls import anyones_filter
from explorer.sandbox.wire import CANCELLED, DONE, EXIT_FAILED, ORDER, READY, STATUS, TIME, Order, close

REST = 0.03  # seconds after an order until the next child is forked ahead: until then its answer is being drawn


@dataclass
class Child:
    """A running child.

    Attributes:
        pid, pidfd: its number and a descriptor that becomes readable when it ends.
        status: where its end is told.
        deadline: on the monotonic clock, in seconds.
        seconds: of the processor, after which the kernel ends it.
        reason: why it ended or was killed.
    """

    pid: int
    pidfd: int
    status: int
    deadline: float
    seconds: float
    reason: bytes = DONE


@dataclass
class Ahead:
    """A child that waits for its order. Attributes: pid, pidfd: as of Child; hand: where the order is handed over."""

    pid: int
    pidfd: int
    hand: socket.socket


def main(module_name: str, least: Level, without: Collection[str], idle: float) -> None:
    """Preloads, confines itself, says so, and serves until the control socket closes.

    A child that is confined less than `least` runs nothing. `without` is for tests (explorer.sandbox.confine.settle).
    `idle`: seconds without an order after which the child that waits for one is warmed.
    """
    control = socket.socket(fileno=os.dup(0))
    module = importlib.import_module(module_name)
    module.preload()
    gc.collect()
    gc.freeze()  # children must not copy pages only because the collector walks over them
    null = os.open(os.devnull, os.O_RDWR)
    memory = places()  # now, since a settled process may not read them
    settled = settle(without)

    def live(channel: int, emergency: int, null: int, order: Order) -> None:
        answer(settled, least, channel, channel, emergency, null, order, module.handle)

    anyones_filter(settled.landlock)
    control.send(READY)
    Server(control, live, module.warm, null, memory, idle).serve()


class Server:
    """Forks on request and watches all children at once.

    Args:
        control: where orders come from, each with the child's channel, emergency pipe, null device and status pipe.
        live: the life of a child, given channel, emergency pipe, null device and order.
        warm: what a child that is forked ahead does before it waits.
        null: a descriptor of the null device, for a child that has no order and so no own one yet.
        memory: where a large page fits into what it has preloaded.
        idle: seconds without an order after which a child forked ahead does that.
    """

    def __init__(
        self,
        control: socket.socket,
        live: Callable,
        warm: Callable[[], None],
        null: int,
        memory: list[int],
        idle: float,
    ) -> None:
        self.idle = idle
        self.control, self.live, self.warm, self.null = control, live, warm, null
        self.memory, self.asked = memory, False  # whether an order has come
        self.children: dict[int, Child] = {}  # by pidfd
        self.cancelling: dict[int, Child] = {}  # by status pipe
        self.ahead: Ahead | None = None
        self.fork_at: float | None = time.monotonic()  # when the next child is forked ahead, None: not before an order
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)

    def serve(self) -> None:
        """Until the control socket has closed and the last child has ended."""
        accepting = True
        while accepting or self.children:
            events = [descriptor for descriptor, _ in self.poll.poll(self._patience())]
            for descriptor in events:
                if descriptor in self.children:
                    self._ended(self.children.pop(descriptor))
                elif descriptor in self.cancelling:
                    child = self.cancelling.pop(descriptor)
                    self.poll.unregister(child.status)
                    kill(child, CANCELLED)
                elif self.ahead is not None and descriptor == self.ahead.pidfd:
                    self._lost_ahead()
            if self.control.fileno() in events:  # last: a new child may get a number that is still among the events
                accepting = self._accept()
            now = time.monotonic()
            for child in self.children.values():
                if child.reason == DONE and child.deadline <= now:
                    kill(child, TIME)
            if accepting and self.fork_at is not None and self.fork_at <= now:
                self._prepare()

    def _prepare(self) -> None:
        """The next step while nothing happens: of some milliseconds, since an order may come."""
        if self.asked and self.memory:
            enlarge(self.memory.pop())
        else:
            self.fork_at = None
            self.ahead = self._fork_ahead()

    def _patience(self) -> float | None:
        """Milliseconds until something is to be done."""
        due = [child.deadline for child in self.children.values() if child.reason == DONE]
        if self.fork_at is not None:
            due.append(self.fork_at)
        return max(0, (min(due) - time.monotonic()) * 1000) if due else None

    def _accept(self) -> bool:
        """Takes one order and has a child live it; False when the control socket has closed."""
        try:
            order, descriptors, _, _ = socket.recv_fds(self.control, ORDER.size, 4)
        except ConnectionError:
            order = b""
        if not order:
            self.poll.unregister(self.control)
            return False
        if len(order) != ORDER.size or len(descriptors) != 4:
            close(*descriptors)
            return True
        self.asked = True
        *theirs, status = descriptors
        child = self._hand_over(order, theirs) or self._fork(order, theirs, status)
        close(*theirs)
        if child is None:
            close(status)
            return True
        child.status = status
        self.children[child.pidfd] = self.cancelling[status] = child
        self.poll.register(child.pidfd, select.POLLIN)
        self.poll.register(status, 0)  # POLLERR alone: nobody reads it any more
        if self.ahead is None:
            self.fork_at = time.monotonic() + REST
        return True

    def _hand_over(self, order: bytes, theirs: list[int]) -> Child | None:
        """The child that was forked ahead, with its order; None when there is none."""
        ahead, self.ahead = self.ahead, None
        if ahead is None:
            return None
        with ahead.hand:
            try:
                socket.send_fds(ahead.hand, [order], theirs)
            except OSError:
                self.ahead = ahead
                self._lost_ahead()
                return None
        return child_of(ahead.pid, ahead.pidfd, -1, Order.unpacked(order))

    def _fork(self, order: bytes, theirs: list[int], status: int) -> Child | None:
        """A child that lives at once; None when it could not be forked."""
        pid = fork(lambda: self.live(*theirs, Order.unpacked(order)))
        if pid is None:
            return None
        return child_of(pid, os.pidfd_open(pid), status, Order.unpacked(order))

    def _fork_ahead(self) -> Ahead | None:
        """A child that waits for its order; None when it could not be forked."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

        def wait() -> None:
            close_all_but([theirs.fileno()], self.null)  # it holds nothing of the children that run meanwhile
            if not select.select([theirs], [], [], self.idle)[0]:
                self.warm()
            order, descriptors, _, _ = socket.recv_fds(theirs, ORDER.size, 3)
            if order:
                self.live(*descriptors, Order.unpacked(order))
            os._exit(0)

        with theirs:
            pid = fork(wait)
        if pid is None:
            ours.close()
            return None
        ahead = Ahead(pid, os.pidfd_open(pid), ours)
        self.poll.register(ahead.pidfd, select.POLLIN)
        return ahead

    def _lost_ahead(self) -> None:
        """The child that was forked ahead has ended without an order; the next order is served without one."""
        self.poll.unregister(self.ahead.pidfd)
        self.ahead.hand.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.ahead.pid, signal.SIGKILL)  # one that could not be told would wait for ever
        os.waitpid(self.ahead.pid, 0)
        close(self.ahead.pidfd)
        self.ahead = None

    def _ended(self, child: Child) -> None:
        self.poll.unregister(child.pidfd)
        if self.cancelling.pop(child.status, None):
            self.poll.unregister(child.status)
        reap(child)


def fork(live: Callable[[], None]) -> int | None:
    """The number of a child that lives so and ends; None when it could not be forked."""
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        return None
    if pid == 0:
        try:
            die_with(parent)
            os.setpgid(0, 0)  # so that what it may start dies with it
            live()
        finally:
            os._exit(EXIT_FAILED)
    return pid


def child_of(pid: int, pidfd: int, status: int, order: Order) -> Child:
    """A child that begins with its order now."""
    return Child(pid, pidfd, status, time.monotonic() + order.lasting, order.seconds)


def kill(child: Child, reason: bytes) -> None:
    """Ends a child and the processes it started."""
    child.reason = reason
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGKILL)


def reap(child: Child) -> None:
    """Tells the server how a child that is gone has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # before its number is given back
    _, wait_status, used = os.wait4(child.pid, 0)
    killed = os.WIFSIGNALED(wait_status) and os.WTERMSIG(wait_status) == signal.SIGKILL
    if child.reason == DONE and killed and used.ru_utime + used.ru_stime >= child.seconds:
        child.reason = TIME  # it ignored the kernel's warning
    with contextlib.suppress(BrokenPipeError):
        os.write(child.status, STATUS.pack(child.reason, wait_status))
    close(child.pidfd, child.status)
