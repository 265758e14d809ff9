"""Runs where forking is unsafe (macOS, Windows): each call uses up one warm process.

Started by exec, it preloads, answers one request and exits. The order and the request arrive on standard input.
Readiness and the reply are written to standard output, and the program place on a crash or timeout to standard error.
Hosted sites never import this.
"""

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection

from explorer.program import LEAST, Parts
from explorer.sandbox.calls import Answer, Executor
from explorer.sandbox.child_process import answer
from explorer.sandbox.confine import Level, settle
from explorer.sandbox.fair_queue import Place
from explorer.sandbox.preloaded_process import search_path
from explorer.sandbox.protocol import BEGUN, LENGTH, ORDER, READY, ChildLimits, read_exactly, write_all
from explorer.sandbox.replies import MAX_EMERGENCY, ReplyReader
from explorer.sandbox.replies import answer as ended
from explorer.sandbox.watch import EVERY_S, ChildWatch

PRELOAD_S = 120.0  # seconds after which a spare that is not ready has failed


class Spares(Executor):
    """Keeps one spare process preloaded for the next call. Thread-safe.

    It preloads as Parent does (explorer.sandbox.parent). A call that may be the only one starts no second process.

    Args:
        module: module that a spare preloads (see explorer.sandbox.zygote).
        least: a less confined process runs nothing.
    """

    def __init__(self, module: str, least: Level = "none"):
        self._given = f"{module!r}, {least!r}"
        self._parts: Parts | None = LEAST  # parts that a spare preloads, None for everything
        self._lock = threading.Lock()
        self._spare: Spare | None = None
        self._used: list[Spare] = []
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Process number of the spare, None before the start."""
        spare = self._spare
        return spare.process.pid if spare else None

    @property
    def closed(self) -> bool:
        """Return whether it accepts no more calls."""
        return self._closed

    def start(self, parts: Parts | None = None) -> None:
        """Start preloading in the background unless a spare with these parts runs. Raises OSError."""
        with self._lock:
            if self._parts is not None and (parts is None or not parts <= self._parts):
                self._parts = None if parts is None else self._parts | parts
                if self._spare is not None:
                    self._spare.end()
                    self._spare = None
            if not self._closed:
                self._current()

    def ready(self, timeout: float = 0.0) -> bool:
        """Return whether a spare has preloaded and runs, waiting at most `timeout` seconds."""
        spare = self._spare
        return spare is not None and spare.ready(timeout)

    def call(self, request: bytes, order: ChildLimits, most: int) -> "SpareCall":
        """Create a call within the limits of `order`. Its reply has at most `most` bytes."""
        return SpareCall(self, request, order, most)

    def close(self) -> None:
        """End all processes. Open and later calls answer `cancelled`."""
        with self._lock:
            self._closed = True
            spares = [*self._used, *([self._spare] if self._spare else [])]
            self._spare, self._used = None, []
        for spare in spares:
            spare.end()

    def take(self) -> "Spare | None":
        """Take the spare and start another. Raises OSError."""
        with self._lock:
            if self._closed:
                return None
            spare = self._current()
            self._used.append(spare)
            self._spare = None if self._parts is not None else self._preloading()  # a single call uses few parts
            return spare

    def give_back(self, spare: "Spare") -> None:
        """End a spare that was taken."""
        spare.end()
        with self._lock:
            self._used = [other for other in self._used if other is not spare]

    def _current(self) -> "Spare":
        if self._spare is not None and self._spare.process.poll() is not None:
            self._spare.end()
            self._spare = None
        if self._spare is None:
            self._spare = self._preloading()
        return self._spare

    def _preloading(self) -> "Spare":
        parts = None if self._parts is None else sorted(self._parts)
        return Spare(f"from explorer.sandbox.spares import main; main({self._given}, {parts!r})")


class Spare:
    """One spare process, from its start to its end.

    Attributes:
        process: the process.
        error_text: beginning of its standard error.
        begun: whether it has read its order.
        reading: reader of its reply.
        watch: its limits, None before it has a request.
    """

    watch: ChildWatch | None = None

    def __init__(self, start: str):
        self._files = tempfile.TemporaryDirectory(prefix="notebook-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=search_path(),
            cwd=self._files.name,  # folder for its own files
            start_new_session=True,  # an interrupt at the terminal is for the server
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        self.error_text = bytearray()
        self.begun = False
        self._preloaded = threading.Event()
        self._ended = threading.Event()
        self.reading = ReplyReader(0)
        self._readers = [threading.Thread(target=work, daemon=True) for work in (self._read_reply, self._read_stderr)]
        for reader in self._readers:
            reader.start()

    def ready(self, timeout: float) -> bool:
        """Return whether it has preloaded and runs, waiting at most `timeout` seconds."""
        return self._preloaded.wait(timeout) and self.process.poll() is None

    def ask(self, order: ChildLimits, request: bytes, most: int) -> bool:
        """Send the request and wait. Return whether it answered, or ended, in time."""
        self.reading = ReplyReader(most)
        try:
            write_all(self.process.stdin.fileno(), order.packed() + LENGTH.pack(len(request)))
            write_all(self.process.stdin.fileno(), request)
        except OSError:  # already ended, so its reply is empty
            pass
        watch = self.watch = ChildWatch(self.process.pid, order, None, self._files.name if order.files_mb else "")
        while not self._ended.wait(EVERY_S):
            for number in watch.look():
                self.process.send_signal(number)
            if watch.ended_for:
                return False
        return True

    def end(self) -> None:
        """Kill the process and release its resources."""
        if self.process.poll() is None and hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)  # it may have started other processes
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        self._files.cleanup()

    def _read_reply(self) -> None:
        stream = self.process.stdout.fileno()
        with contextlib.suppress(EOFError):
            if read_exactly(stream, len(READY)) == READY:
                self._preloaded.set()
                self.begun = read_exactly(stream, len(BEGUN)) == BEGUN
                while self.reading.receive(lambda: os.read(stream, 1 << 18)) and not self.reading.complete:
                    pass
        self._ended.set()
        self._preloaded.set()  # no call waits for an ended process

    def _read_stderr(self) -> None:
        while chunk := self.process.stderr.read(4096):
            self.error_text += chunk[: MAX_EMERGENCY - len(self.error_text)]


class SpareCall:
    """One request to one spare process. One thread calls `wait`, and any may call `cancel`."""

    def __init__(self, spares: Spares, request: bytes, order: ChildLimits, most: int):
        self._spares, self._request, self._order, self._most = spares, request, order, most
        self._lock = threading.Lock()
        self._spare: Spare | None = None
        self._cancelled = False

    def interrupt(self) -> bool:
        """Request the results so far. Returns False if not possible."""
        with self._lock:
            if self._spare is None or not self._spare.begun or sys.platform == "win32":
                return False
            self._spare.process.send_signal(signal.SIGINT)
            return True

    def cancel(self) -> None:
        """Kill the process, or keep it from starting."""
        with self._lock:
            self._cancelled = True
            if self._spare is not None:
                self._spare.process.kill()

    def wait(self, turn: Place | None = None) -> Answer:
        """Run the request to its end, replacing a prematurely ended spare once. Raises OSError."""
        for _ in range(2):
            spare = None if self._cancelled else self._spares.take()
            if spare is None:
                return Answer("cancelled")
            try:
                answer = self._ask(spare)
            finally:
                with self._lock:
                    self._spare = None
                self._spares.give_back(spare)
            if self._cancelled or self._spares.closed:
                return Answer("cancelled")
            if answer is not None:
                return answer
            sys.stderr.write(spare.error_text.decode(errors="replace"))  # the reason why it could not preload
        return Answer("lost")

    def _ask(self, spare: Spare) -> Answer | None:
        with self._lock:
            self._spare = spare
            if self._cancelled:
                return Answer("cancelled")
        if not spare.ready(PRELOAD_S):
            return None
        in_time = spare.ask(self._order, self._request, self._most)
        reading = spare.reading
        if reading.too_much:
            return Answer("result", messages=tuple(reading.messages))
        if in_time and reading.reply is not None:
            return Answer("reply", reading.reply)
        if in_time and not spare.begun:
            return None
        code = spare.process.wait() if in_time else 0
        spare.end()
        return ended(reading, code, bytes(spare.error_text), spare.watch)


def main(module_name: str, least: Level, parts: Collection[str] | None = None) -> None:
    """Preload, report readiness, and handle one request. Exit if standard input closes.

    `parts`: parts to preload, None for all.
    """
    requests, replies, emergency = (os.dup(stream) for stream in range(3))
    os.dup2(2, 1)  # import output is not a reply
    module = importlib.import_module(module_name)
    module.preload(parts)
    write_all(replies, READY)
    try:
        order = ChildLimits.unpacked(read_exactly(requests, ORDER.size))
    except EOFError:
        return
    write_all(replies, BEGUN)
    null = os.open(os.devnull, os.O_RDWR)
    files = getattr(module, "FILES", False)
    settled = settle(serving=False, files=files, reserves=getattr(module, "RESERVES", False))
    own = os.open(".", os.O_RDONLY) if settled.files else None
    answer(settled, least, requests, replies, emergency, null, order, module.handle, own)
