"""The preloaded parent: forks a confined child per order.

It is started by exec (explorer.sandbox.parent) with its control socket as standard input. The module has
`preload(parts)`, called once, and `handle(request: bytes, tell) -> bytes`, called in each child, where `tell` sends a
message before the reply. Before the first fork, the parent gives up everything that forking does not need
(explorer.sandbox.confine), for itself and its children.

While idle it forks one child ahead, which waits for an order. With its order the child is confined, serves one request
and ends, unless the order allows further requests. A parent with only some parts may serve a single run, so it forks
nothing ahead before its second order.

It never holds program text, because every later child inherits its memory. Requests and replies pass directly between
server and child over a socket. It only knows a run's status socket, to which it writes the child's number and later its
wait status. Bytes from the server on it are signals for the child. When the server closes it, the child is killed. When
the control socket closes, the parent accepts no more work and ends with its last child. An ended server has also closed
the status sockets, so its children are killed immediately.
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
from types import ModuleType
from typing import NamedTuple

from explorer.sandbox.child_process import answer
from explorer.sandbox.confine import Level, become_child, close_all_but, settle
from explorer.sandbox.landlock import version
from explorer.sandbox.memory_map import areas, enlarge
from explorer.sandbox.protocol import BORN, ENDED, EXIT_FAILED, LONGEST_ORDER, ORDER, READY, STATUS, ChildLimits, close
from explorer.sandbox.systemcalls import Files, anyones_filter

REST = 0.03  # seconds from an order until the next child is forked ahead; meanwhile the server draws
_SENT = {signal.SIGINT, signal.SIGXCPU, signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT}  # signals that a server sends


class ForkedChild(NamedTuple):
    """A child.

    Attributes:
        pid, pidfd: number, and a descriptor that becomes readable at its end.
        status: socket for the order of a child forked ahead, then for signals and the wait status.
    """

    pid: int
    pidfd: int
    status: int


def main(
    module_name: str,
    least: Level,
    without: Collection[str],
    network: bool = False,
    parts: Collection[str] | None = None,
) -> None:
    """Preload, confine, report readiness, and serve until the control socket closes.

    Args:
        module_name: module to preload.
        least: a child confined less runs nothing.
        without: mechanisms that tests skip (explorer.sandbox.confine.settle).
        network: whether its children may have the network.
        parts: parts to preload, None for all.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a child receives it only once its cells run
    control = socket.socket(fileno=os.dup(0))
    module = importlib.import_module(module_name)
    null = os.open(os.devnull, os.O_RDWR)
    if not version() or "landlock" in without:
        parts = None  # children can open no file, so they can import nothing themselves
    preload(module, parts)
    if parts is None:
        enlarge(areas())
    files = getattr(module, "FILES", False)
    settled = settle(without, files=files, network=network, reserves=getattr(module, "RESERVES", False))

    def live(descriptors: list[int], order: ChildLimits) -> None:
        channel, emergency, null, *others = descriptors
        group = others.pop() if order.group else None
        own = others.pop(0) if order.files_mb else None
        answer(settled, least, channel, channel, emergency, null, order, module.handle, own, group)

    kinds: Files = ("mounted" if settled.namespaces else "given") if settled.files else None
    anyones_filter(settled.window, settled.landlock, kinds, network)
    with contextlib.suppress(BrokenPipeError):  # the server has exited in the meantime
        control.send(READY)
    Server(control, live, null, single=parts is not None).serve()
    os._exit(0)  # skip Python's own shutdown, in which WebAssembly aborts if it cannot free sealed memory


def preload(module: ModuleType, parts: Collection[str] | None) -> None:
    """Import parts, and freeze them, because the collector's writes would copy pages.

    A parent for a single run skips garbage collection, which would take a tenth of its start.
    """
    module.preload(parts)
    if parts is None:
        gc.collect()
    gc.freeze()


class Server:
    """Forks on request and watches all children.

    Args:
        control: socket for orders, each with the child's status socket, channel, emergency pipe and null device,
            and optionally a folder for its files and its control group.
        live: runs a child with these descriptors except the first, and its order.
        null: null device for a child without an order.
        single: whether no order is expected after the first.
    """

    def __init__(
        self, control: socket.socket, live: Callable[[list[int], ChildLimits], None], null: int, single: bool = False
    ) -> None:
        self.control, self.live, self.null, self.single = control, live, null, single
        self.asked = False  # whether an order has arrived
        self.children: dict[int, ForkedChild] = {}  # pidfd → child
        self.by_status: dict[int, ForkedChild] = {}  # status socket → child
        self.ahead: ForkedChild | None = None  # child that waits for its order
        # When the next child is forked ahead; None: only after an order.
        self.fork_at: float | None = None if single else time.monotonic()
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)

    def serve(self) -> None:
        """Serve until the control socket has closed and the last child has ended."""
        accepting = True
        while accepting or self.children:
            wait = None if self.fork_at is None else max(0.0, self.fork_at - time.monotonic()) * 1000
            events = dict(self.poll.poll(wait))
            for descriptor, event in events.items():
                if descriptor in self.children:
                    self._ended(self.children.pop(descriptor))
                elif descriptor in self.by_status and not event & select.POLLHUP:
                    pass_on(self.by_status[descriptor])
                elif descriptor in self.by_status:
                    self.poll.unregister(descriptor)
                    send(self.by_status.pop(descriptor), signal.SIGKILL)
                elif self.ahead is not None and descriptor == self.ahead.pidfd:
                    self._lost_ahead()
            if self.control.fileno() in events:  # last, because a new child may reuse a number in the events
                accepting = self._accept()
            if accepting and self.fork_at is not None and self.fork_at <= time.monotonic():
                self.fork_at = None
                self.ahead = self._fork_ahead()

    def _accept(self) -> bool:
        """Start one order's child. Returns False if the socket closed."""
        try:
            order, descriptors, _, _ = socket.recv_fds(self.control, LONGEST_ORDER, 6)
        except ConnectionError:
            order = b""
        if not order:
            self.poll.unregister(self.control)
            return False
        if len(order) < ORDER.size or not 4 <= len(descriptors) <= 6:
            close(*descriptors)
            return True
        further, self.asked = self.asked, True
        status, *theirs = descriptors
        if self.ahead is not None:
            report_birth(status, self.ahead.pid)  # before it can reply
        handed = self._hand_over(order, theirs)
        answer = handed or self._fork(order, theirs)
        close(*theirs)
        if answer is None:
            close(status)
            return True
        child = ForkedChild(*answer, status)
        if not handed:
            report_birth(status, child.pid)
        self.children[child.pidfd] = self.by_status[status] = child
        self.poll.register(child.pidfd, select.POLLIN)
        self.poll.register(status, select.POLLIN)
        if self.ahead is None and (further or not self.single):
            self.fork_at = time.monotonic() + REST
        return True

    def _hand_over(self, order: bytes, theirs: list[int]) -> tuple[int, int] | None:
        """Order the child forked ahead. Return number and pidfd, or None."""
        if self.ahead is None:
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(self.ahead.status)) as hand:
            try:
                socket.send_fds(hand, [order], theirs)
            except OSError:
                self._lost_ahead()
                return None
        ahead, self.ahead = self.ahead, None
        close(ahead.status)
        return ahead.pid, ahead.pidfd

    def _fork(self, order: bytes, theirs: list[int]) -> tuple[int, int] | None:
        """Fork a child that starts immediately. Return its number and pidfd, or None."""

        def begin() -> None:
            close_all_but(sorted(theirs), self.null)  # it keeps no descriptors of other children
            own = [os.dup(one) for one in theirs]  # low numbers, regardless of the number of children
            close(*theirs)
            self.live(own, ChildLimits.unpacked(order))

        pid = fork(begin)
        return None if pid is None else (pid, os.pidfd_open(pid))

    def _fork_ahead(self) -> ForkedChild | None:
        """Fork a child that child that waits for its order. Returns None if that failed."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

        def wait() -> None:
            close_all_but([theirs.fileno()], self.null)  # it keeps no descriptors of other children
            order, descriptors, _, _ = socket.recv_fds(theirs, LONGEST_ORDER, 5)
            if order:
                self.live(descriptors, ChildLimits.unpacked(order))
            os._exit(0)

        with theirs:
            pid = fork(wait)
        if pid is None:
            ours.close()
            return None
        ahead = ForkedChild(pid, os.pidfd_open(pid), ours.detach())
        self.poll.register(ahead.pidfd, select.POLLIN)
        return ahead

    def _lost_ahead(self) -> None:
        """Forget a child forked ahead that ended without an order."""
        ahead, self.ahead = self.ahead, None
        self.poll.unregister(ahead.pidfd)
        send(ahead, signal.SIGKILL)  # a child without an order would wait forever
        os.waitpid(ahead.pid, 0)
        close(ahead.pidfd, ahead.status)

    def _ended(self, child: ForkedChild) -> None:
        self.poll.unregister(child.pidfd)
        if self.by_status.pop(child.status, None):
            self.poll.unregister(child.status)
        reap(child)


def fork(live: Callable[[], None]) -> int | None:
    """Fork a process that runs `live` and ends. Return its number, None on failure."""
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        return None
    if pid == 0:
        try:
            become_child(parent)
            os.setpgid(0, 0)  # so that processes it starts are killed with it
            live()
        finally:
            os._exit(EXIT_FAILED)
    return pid


def report_birth(status: int, pid: int) -> None:
    """Report the pid of the child that has the order."""
    with contextlib.suppress(OSError):  # the server has abandoned the run
        os.write(status, STATUS.pack(BORN, pid))


def pass_on(child: ForkedChild) -> None:
    """Forward the server's signals to a child."""
    for number in os.read(child.status, 64):
        if number in _SENT:
            send(child, number)


def send(child: ForkedChild, number: int) -> None:
    """Signal a child that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, number)


def reap(child: ForkedChild) -> None:
    """Report to the server how an ended child ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # while its number is still in use
    _, wait_status = os.waitpid(child.pid, 0)
    with contextlib.suppress(OSError):  # the server has abandoned the run
        os.write(child.status, STATUS.pack(ENDED, wait_status))
    close(child.pidfd, child.status)
