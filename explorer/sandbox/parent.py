"""The server's side of a preloaded parent: start, replace, and send orders."""

import socket
import threading
import time
from collections.abc import Collection

from explorer.program import LEAST, Parts
from explorer.program.given_files import NO_FOLDER, Folder
from explorer.sandbox.child_call import Child, ChildCall
from explorer.sandbox.confine import Level
from explorer.sandbox.limits import machine_memory
from explorer.sandbox.preloaded_process import Preloaded, start
from explorer.sandbox.protocol import CAUTIOUS, ChildLimits

REPLACE_AFTER = 300  # calls served by one parent
ROOM_FOR_TWO = 1_500_000_000  # bytes; a preloaded parent takes about 430 MB, the server 100
PATIENCE, FIRST_PAGE = 120.0, 1.5  # seconds for preloading, and for a server and a browser to draw a first page


class Parent:
    """A preloaded process that forks a confined child for one or more calls.

    It starts on demand, and again when it has ended.

    It preloads the parts that it was started for, by default torch's needs. If a call needs more, a larger process
    replaces it.

    After `replace_after` calls a successor preloads and replaces it, because children share their parent's memory
    layout, which attackers should not have long to learn. If memory is too short for two, the old process ends first,
    and the next call waits until the new one has loaded. Thread-safe.

    Args:
        module: module to preload (see explorer.sandbox.zygote).
        least: less confined children run nothing.
        without: mechanisms that tests skip.
        network: whether its children may have the network.
        memory: bytes of this machine or container, 0 if unknown. None: determined.
    """

    def __init__(
        self,
        module: str,
        least: Level = "none",
        without: Collection[str] = (),
        replace_after: int = REPLACE_AFTER,
        network: bool = False,
        memory: int | None = None,
    ):
        self.module, self._least, self._without = module, least, without
        self._given = f"{module!r}, {least!r}, {sorted(without)!r}, {network!r}"
        self._parts: Parts | None = LEAST  # parts of the serving process, None for everything
        self._wanted: Parts | None = LEAST  # parts of the next process
        self._cautious = False  # whether a parent died while preloading; each library is then tried in a fork first
        self._replace_after = replace_after
        self._beside = not 0 < (machine_memory() if memory is None else memory) < ROOM_FOR_TWO
        self._lock = threading.Lock()
        self._serving: Preloaded | None = None
        self._successor: Preloaded | None = None
        self._retired: list[Preloaded] = []
        self._waiting: list[Child] = []  # stopped children that ran no program and get another request
        self._closed = False

    def with_network(self) -> "Parent":
        """Return a similar parent that keeps the network for its children."""
        return Parent(self.module, self._least, self._without, self._replace_after, network=True)

    @property
    def pid(self) -> int | None:
        """Process number, None before the start."""
        serving = self._serving
        return serving.pid if serving else None

    @property
    def closed(self) -> bool:
        """Return whether it accepts no more calls."""
        return self._closed

    def start(self, parts: Parts | None = None) -> None:
        """Start preloading in the background unless these parts are running. Raises OSError.

        Args:
            parts: needed parts (explorer.program.needs), None for everything.
        """
        with self._lock:
            if not self._closed:
                self._has(parts)
                self._serving_process(self._wanted)

    def start_soon(self) -> None:
        """Start with the needs of short programs, then preload everything. Raises OSError.

        A server's first programs then run in half the time.
        """
        with self._lock:
            if self._closed:
                return
            first, self._wanted = self._serving is None, None
            if not self._beside:
                self._parts = None
            self._serving_process(self._parts)
        if first:
            threading.Thread(target=self._grow, name="grow", daemon=True).start()

    def _grow(self) -> None:
        """Start the successor once the first page is drawn."""
        if self.ready(PATIENCE):
            time.sleep(FIRST_PAGE)
            with self._lock:
                if not self._closed and self._serving is not None:
                    self._succession()

    def ready(self, timeout: float = 0.0) -> bool:
        """Return whether it has preloaded and runs, waiting at most `timeout` seconds."""
        serving = self._serving
        return serving is not None and serving.ready(timeout)

    def call(self, request: bytes, order: ChildLimits, most: int, folder: Folder = NO_FOLDER) -> ChildCall:
        """Create a call within the limits of `order`. Its reply has at most `most` bytes.

        `folder` is readable for the child.
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
            for child in self._waiting:
                child.close()
            self._waiting = []

    def _has(self, parts: Parts | None) -> None:
        """Replace the serving process by a larger one if it lacks these parts."""
        if self._parts is None or (parts is not None and parts <= self._parts):
            return
        if self._wanted is not None:
            self._wanted = None if parts is None else self._wanted | parts
        if self._successor is not None:  # it may still be preloading, so the call waits
            self._switch()
        elif self._serving is not None:
            self._retire()
            self._serving = None

    def _serving_process(self, parts: Parts | None) -> Preloaded:
        """Return the serving process, starting one with these parts if needed."""
        if self._serving is not None and not self._serving.running():
            self._dismiss(self._serving)
        if self._serving is None and self._successor is not None:
            self._switch()
            return self._serving_process(parts)
        if self._serving is None:
            self._parts = parts
            self._serving = self._preloaded(parts)
        return self._serving

    def _preloaded(self, parts: Parts | None) -> Preloaded:
        named = None if parts is None else sorted(parts)
        code = start(self.module, f"from explorer.sandbox.zygote import main; main({self._given}, {named!r})")
        return Preloaded(f"import os; os.environ[{CAUTIOUS!r}] = '1'; {code}" if self._cautious else code)

    def _succession(self) -> None:
        """Start a due successor, switch to a ready one, and forget ended processes."""
        self._retired = [retired for retired in self._retired if retired.running()]
        if self._successor is None:
            if self._wanted is None and self._parts is not None and self._beside and self._serving.ready():
                self._successor = self._preloaded(None)
            elif self._serving.calls >= self._replace_after:
                self._successor = self._preloaded(self._wanted) if self._beside else None
                if not self._beside and not self._retired:
                    self._retire()
                    self._serving = None
                    self._serving_process(self._wanted)
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
        for child in self._waiting:
            child.close()
        self._waiting = []

    def send(self, order: bytes, descriptors: list[int]) -> Preloaded | None:
        """Send to the parent, starting it. Returns None if closed."""
        with self._lock:
            if self._closed:
                return None
            self._serving_process(self._wanted)
            self._succession()
            serving = self._serving
            serving.calls += 1
            control = serving.control.dup()  # may block, so without the lock and on a copy that close() does not affect
        with control:
            try:
                socket.send_fds(control, [order], descriptors)
            except OSError:
                self.lost(serving)
                return None
        return serving

    def take(self, order: ChildLimits) -> Child | None:
        """Take a stopped child that may answer a request within these limits, or None."""
        with self._lock:
            while order.stays and not order.files_mb and self._waiting:
                child = self._waiting.pop(0)
                if child.order == order._replace(group=child.order.group) and child.may_answer(order):
                    return child
                child.close()
        return None

    def keep(self, child: Child) -> bool:
        """Keep a stopped child that ran no program for others' requests. Returns False if not."""
        with self._lock:
            waits = child.order.stays and not self._closed and child.may_answer(child.order)
            if waits:
                self._waiting.append(child)
            return waits

    def lost(self, preloaded: Preloaded) -> None:
        """End an unresponsive process. The next call starts another."""
        with self._lock:
            if preloaded is self._serving:
                self._dismiss(preloaded)
            else:
                preloaded.end()

    def _dismiss(self, serving: Preloaded) -> None:
        """End the serving process, which was lost."""
        self._cautious = self._cautious or not serving.has_preloaded()
        serving.end()
        self._serving = None
