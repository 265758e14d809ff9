"""The preloaded parent: imports a module once, then forks a confined child for every request.

Started by exec (explorer.sandbox.parent) with its control socket as standard input. The module has `preload(parts)`,
called once; `handle(request: bytes, tell) -> bytes`, called in each child, where `tell` sends a message before the
reply; and `warm()`, called in a child that has no request yet. Before the first fork the parent gives up, for itself
and all its children, everything that forking does not need (explorer.sandbox.confine).

While idle it forks one child ahead, which waits for an order and meanwhile copies the pages that every request writes
to (explorer.sandbox.written_pages): forking and copying them would take two thirds of a small program's time. Where
these pages are not known, it does what every request does, if no order comes soon. It is confined when it has its
order, serves one request and ends, as every child does.

While it imports, the parent of a server forks another one, which has what short programs need. That one settles at
once and serves, over a socket of its own, until this one has everything: torch is imported once for both. This one
goes on after a pause, in which the server and a browser draw the first page.

After its first order, before it forks ahead again, the parent puts its memory into large pages
(explorer.sandbox.huge_pages), which would not pay for a single run. A parent that has preloaded only parts serves a
single run, as far as it knows: it forks nothing ahead before its second order.

It never holds program text, because every later child inherits its memory: requests and replies go directly between
server and child over a socket. It knows two things of a run: its deadline, and a status socket into which it writes
how the child ended. A byte that the server sends over it interrupts the child; when the server closes it, the run is
cancelled. When the control socket closes, the parent accepts no more work and ends with its last child; a server that
ended has closed the status sockets too, so its children are killed at once.
"""

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import time
from array import array
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import ModuleType

from explorer.program.needs import LEAST
from explorer.sandbox.child_process import answer
from explorer.sandbox.confine import Grants, Level, close_all_but, die_with, settle
from explorer.sandbox.huge_pages import enlarge, places
from explorer.sandbox.landlock import version
from explorer.sandbox.systemcalls import anyones_filter
from explorer.sandbox.wire import CANCELLED, DONE, EXIT_FAILED, INTERRUPT, ORDER, READY, STATUS, TIME, Order, close
from explorer.sandbox.written_pages import copy_ahead, written_pages

REST = 0.03  # seconds after an order until the next child is forked ahead: the server draws meanwhile


@dataclass
class Child:
    """A running child.

    Attributes:
        pid, pidfd: its number and a descriptor that becomes readable when it ends.
        status: where its end is reported.
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
    """A child that waits for its order. Attributes: pid, pidfd: as in Child; hand: the socket for its order."""

    pid: int
    pidfd: int
    hand: socket.socket


@dataclass
class Preparation:
    """What a child forked ahead does before it waits.

    Attributes:
        warm: what every request does.
        written: the pages that this writes to, if known.
        idle: seconds without an order after which it is done, if the pages are not known.
    """

    warm: Callable[[], None]
    written: array
    idle: float

    def prepare(self, orders: socket.socket) -> None:
        """Prepare this child; without known pages only if no order comes soon."""
        if not copy_ahead(self.written) and not select.select([orders], [], [], self.idle)[0]:
            self.warm()


def main(
    module_name: str,
    least: Level,
    without: Collection[str],
    idle: float,
    grants: tuple[bool, bool] | None = None,
    parts: Collection[str] | None = None,
    early: int | None = None,
) -> None:
    """Preload, confine this process, report readiness, and serve until the control socket closes.

    A child confined less than `least` runs nothing. `without` is for tests (explorer.sandbox.confine.settle). `idle`:
    as in Preparation. `grants`: the rights (writing, network) kept for its children; None: they may not even open
    files. `parts`: what is preloaded, None for all of it. `early`: a descriptor of the control socket for a parent that
    is forked when it has the least of them; None: none is forked.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a child hears it when its cells run, not before
    control = socket.socket(fileno=os.dup(0))
    module = importlib.import_module(module_name)
    null, forked, began = os.open(os.devnull, os.O_RDWR), None, time.monotonic()
    if not version() or "landlock" in without:
        parts = None  # children can open no file, so they can import nothing themselves
    elif early is not None:
        preload(module, LEAST)
        forked = os.fork()
    if forked == 0:
        control.close()
        os.dup2(null, 0)  # the same socket
        control, parts = socket.socket(fileno=early), LEAST
    else:
        if early is not None:
            os.close(early)
        if forked is not None:  # as long again, unless an order comes or the server ends
            select.select([control], [], [], time.monotonic() - began)
        preload(module, parts)
    single = parts is not None
    memory = [] if forked == 0 else places()  # now, since a settled process may not read them
    written = array("Q") if single else written_pages(module.warm)
    left = None if grants is None else Grants(*grants)
    settled = settle(without, grants=left)

    def live(channel: int, emergency: int, null: int, folder: int | None, order: Order) -> None:
        answer(settled, least, channel, channel, emergency, null, order, module.handle, folder)

    anyones_filter(settled.landlock, *((settled.landlock, *grants) if grants else ()))
    if forked == 0:
        socket.send_fds(control, [READY, str(os.getpid()).encode()], [os.pidfd_open(os.getpid())])
    else:
        control.send(READY)
    preparation = Preparation(module.warm, written, idle)
    Server(control, live, preparation, null, memory, single, forked or None).serve()


def preload(module: ModuleType, parts: Collection[str] | None) -> None:
    """Import parts, and keep the collector from them: it would touch pages, and children would copy them."""
    module.preload(parts)
    gc.collect()
    gc.freeze()


class Server:
    """Forks on request and watches all children.

    Args:
        control: the socket for orders; each comes with the child's status socket, channel, emergency pipe and null
            device, and optionally the folder that it may read.
        live: runs a child, with channel, emergency pipe, null device, folder (or None) and order.
        preparation: what a child forked ahead does before it waits.
        null: a descriptor of the null device for a child without an order.
        memory: where large pages fit into the preloaded memory.
        single: whether no order is expected after the first.
        forked: a parent that this process has forked, None for none.
    """

    def __init__(
        self,
        control: socket.socket,
        live: Callable,
        preparation: Preparation,
        null: int,
        memory: list[int],
        single: bool = False,
        forked: int | None = None,
    ) -> None:
        self.control, self.live, self.preparation, self.null, self.single = control, live, preparation, null, single
        self.memory, self.asked = memory, False  # whether an order has come
        self.children: dict[int, Child] = {}  # by pidfd
        self.cancelling: dict[int, Child] = {}  # by status socket
        self.ahead: Ahead | None = None
        # When the next child is forked ahead, None: not before an order.
        self.fork_at: float | None = None if single else time.monotonic()
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)
        self.forked = {} if forked is None else {os.pidfd_open(forked): forked}
        for pidfd in self.forked:
            self.poll.register(pidfd, select.POLLIN)

    def serve(self) -> None:
        """Serve until the control socket has closed and the last child has ended."""
        accepting = True
        while accepting or self.children:
            events = dict(self.poll.poll(self._patience()))
            for descriptor, event in events.items():
                if descriptor in self.children:
                    self._ended(self.children.pop(descriptor))
                elif descriptor in self.cancelling and not event & select.POLLHUP:
                    interrupt(self.cancelling[descriptor])
                elif descriptor in self.cancelling:
                    child = self.cancelling.pop(descriptor)
                    self.poll.unregister(child.status)
                    kill(child, CANCELLED)
                elif self.ahead is not None and descriptor == self.ahead.pidfd:
                    self._lost_ahead()
                elif descriptor in self.forked:
                    self.poll.unregister(descriptor)
                    os.waitpid(self.forked.pop(descriptor), 0)
                    close(descriptor)
            if self.control.fileno() in events:  # last: a new child may reuse a number that is still among the events
                accepting = self._accept()
            now = time.monotonic()
            for child in self.children.values():
                if child.reason == DONE and child.deadline <= now:
                    kill(child, TIME)
            if accepting and self.fork_at is not None and self.fork_at <= now:
                self._prepare()

    def _prepare(self) -> None:
        """One short preparing step while idle, of some milliseconds, since an order may come."""
        if self.asked and self.memory:
            enlarge(self.memory.pop())
        else:
            self.fork_at = None
            self.ahead = self._fork_ahead()

    def _patience(self) -> float | None:
        """Milliseconds until the next task."""
        due = [child.deadline for child in self.children.values() if child.reason == DONE]
        if self.fork_at is not None:
            due.append(self.fork_at)
        return max(0, (min(due) - time.monotonic()) * 1000) if due else None

    def _accept(self) -> bool:
        """Read one order and start its child; False if the control socket has closed."""
        try:
            order, descriptors, _, _ = socket.recv_fds(self.control, ORDER.size, 5)
        except ConnectionError:
            order = b""
        if not order:
            self.poll.unregister(self.control)
            return False
        if len(order) != ORDER.size or len(descriptors) not in (4, 5):
            close(*descriptors)
            return True
        further, self.asked = self.asked, True
        status, *theirs = descriptors
        child = self._hand_over(order, theirs) or self._fork(order, theirs, status)
        close(*theirs)
        if child is None:
            close(status)
            return True
        child.status = status
        self.children[child.pidfd] = self.cancelling[status] = child
        self.poll.register(child.pidfd, select.POLLIN)
        self.poll.register(status, select.POLLIN)
        if self.ahead is None and (further or not self.single):
            self.fork_at = time.monotonic() + REST
        return True

    def _hand_over(self, order: bytes, theirs: list[int]) -> Child | None:
        """Give the order to the child that was forked in advance, or None."""
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
        """Fork a child that starts at once; None if that failed."""
        pid = fork(lambda: self._live(theirs, order))
        if pid is None:
            return None
        return child_of(pid, os.pidfd_open(pid), status, Order.unpacked(order))

    def _live(self, descriptors: list[int], order: bytes) -> None:
        """Run a child: its channel, emergency pipe and null device, and its folder, if any."""
        channel, emergency, null, folder = [*descriptors, None][:4]
        self.live(channel, emergency, null, folder, Order.unpacked(order))

    def _fork_ahead(self) -> Ahead | None:
        """Fork a child that waits for its order; None if that failed."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

        def wait() -> None:
            close_all_but([theirs.fileno()], self.null)  # it keeps no descriptors of other children
            self.preparation.prepare(theirs)
            order, descriptors, _, _ = socket.recv_fds(theirs, ORDER.size, 4)
            if order:
                self._live(descriptors, order)
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
        """The child that was forked ahead has ended without an order; the next order is served without it."""
        self.poll.unregister(self.ahead.pidfd)
        self.ahead.hand.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.ahead.pid, signal.SIGKILL)  # a child that got no order would wait for ever
        os.waitpid(self.ahead.pid, 0)
        close(self.ahead.pidfd)
        self.ahead = None

    def _ended(self, child: Child) -> None:
        self.poll.unregister(child.pidfd)
        if self.cancelling.pop(child.status, None):
            self.poll.unregister(child.status)
        reap(child)


def fork(live: Callable[[], None]) -> int | None:
    """Fork a process that runs `live` and ends; return its number, None if that failed."""
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        return None
    if pid == 0:
        try:
            die_with(parent)
            os.setpgid(0, 0)  # so that processes it starts are killed with it
            live()
        finally:
            os._exit(EXIT_FAILED)
    return pid


def child_of(pid: int, pidfd: int, status: int, order: Order) -> Child:
    """A child whose order begins now."""
    return Child(pid, pidfd, status, time.monotonic() + order.lasting, order.seconds)


def interrupt(child: Child) -> None:
    """Signal a child to end with its results so far."""
    os.read(child.status, len(INTERRUPT))
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGINT)


def kill(child: Child, reason: bytes) -> None:
    """Kill a child and the processes it started."""
    child.reason = reason
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGKILL)


def reap(child: Child) -> None:
    """Report to the server how an ended child ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # before its number is freed
    _, wait_status, used = os.wait4(child.pid, 0)
    killed = os.WIFSIGNALED(wait_status) and os.WTERMSIG(wait_status) == signal.SIGKILL
    if child.reason == DONE and killed and used.ru_utime + used.ru_stime >= child.seconds:
        child.reason = TIME  # it ignored the kernel's warning
    with contextlib.suppress(BrokenPipeError):
        os.write(child.status, STATUS.pack(child.reason, wait_status))
    close(child.pidfd, child.status)
