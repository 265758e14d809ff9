"""Measure where the time of a run goes: with `EXPLORER_TRACE=1` its stages are written as trace events.

Perfetto (ui.perfetto.dev) and Chromium (about:tracing) open such a file. It holds the names in STAGES, names of our
drawing functions, and times; nothing of a program's text or of a visitor. Format: "Trace Event Format", complete
events ("ph": "X") in µs, in a JSON array that is complete after every event.

A child always measures its stages, and sends them beside its reply; the server writes them into its own file. It does
not trust a child: impossible stages are dropped.
"""

import json
import os
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal, get_args

SWITCH = "EXPLORER_TRACE"  # environment variable that switches profiling on
Stage = Literal[
    # stages of a run, measured in the server
    "turn", "fork", "reply", "decode", "check",
    # in the child of a program
    "confine", "compile", "imports", "program", "ending", "assemble", "encode",
    # of a picture
    "view", "dot", "layout", "graphviz", "svg",
    # of a page
    "draw", "send",
]  # fmt: skip
STAGES: tuple[Stage, ...] = get_args(Stage)
MOST = 256  # stages that one child sends at most
MOST_BYTES = 50_000_000  # of one file
_EMPTY = b"[\n]"
_EVENT = struct.Struct("!Bqq")
TOLD_BYTES = MOST * _EVENT.size  # bytes of those stages


def folder() -> Path:
    """Where the files lie: `autograd-explorer-traces` in the system's folder for temporary files.

    Raises FileNotFoundError when there is none that can be written.
    """
    return Path(tempfile.gettempdir()) / "autograd-explorer-traces"


@contextmanager
def stage(name: Stage, of: str = "") -> Iterator[None]:
    """Measure the code inside the `with` as one stage; `of` names a drawing, in words of our own code."""
    began = time.monotonic_ns()
    try:
        yield
    finally:
        if _told is not None:
            _told.tell(name, began, time.monotonic_ns())
        elif (file := trace_file()) is not None:
            file.write(name, began, time.monotonic_ns(), of)


# ---- in a child -----------------------------------------------------------------------------------------------------


class Told:
    """The stages of one child, in order, up to MOST."""

    def __init__(self) -> None:
        self._stages: list[tuple[Stage, int, int]] = []

    def tell(self, name: Stage, began: int, ended: int) -> None:
        """Add one stage."""
        if len(self._stages) < MOST:
            self._stages.append((name, began, ended))

    def packed(self) -> bytes:
        """The stages as bytes for the server."""
        return b"".join(_EVENT.pack(STAGES.index(name), began, ended) for name, began, ended in self._stages)


_told: Told | None = None  # set in a child; a process is a server or a child for its whole life


def tell_of_stages() -> Told:
    """Collect the stages of this process, a child, to send them to the server; it writes no file."""
    global _told
    _told = Told()
    return _told


# ---- in the server --------------------------------------------------------------------------------------------------


class TraceFile:
    """A file of trace events. Threads may share it.

    Raises OSError when it cannot be created. When a later write fails, the file keeps what it has.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self.path = path
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 (for as long as the process lives)
        self._size, self._lock = self._file.write(_EMPTY), threading.Lock()
        self._processes: dict[str, int] = {}
        self._process("server")

    def write(self, name: Stage, began: int, ended: int, of: str = "", process: str = "server", **facts: int) -> None:
        """Write a stage with its start and end on the monotonic clock in ns; facts are numbers that belong to it."""
        with self._lock:
            self._add(
                {
                    "name": f"{name}: {of}" if of else name,
                    "ph": "X",
                    "ts": began / 1000,
                    "dur": max(0, ended - began) / 1000,
                    "pid": self._process(process),
                    "tid": threading.get_native_id(),
                    **({"args": facts} if facts else {}),
                }
            )

    def write_told(self, told: bytes, process: str, sent: int, heard: int) -> None:
        """Add the stages that a child sent for a time span, and the time before its first and after its last."""
        stages = [
            (STAGES[number], began, ended)
            for number, began, ended in _EVENT.iter_unpack(told[: len(told) // _EVENT.size * _EVENT.size])
            if number < len(STAGES) and sent <= began <= ended <= heard
        ]
        for name, began, ended in stages:
            self.write(name, began, ended, process=process)
        if stages:
            self.write("fork", sent, min(began for _, began, _ in stages))
            self.write("reply", max(ended for _, _, ended in stages), heard)

    def _process(self, name: str) -> int:
        """The number of a process in the file, with a line that names the process."""
        if name not in self._processes:
            self._processes[name] = len(self._processes)
            named = {"name": "process_name", "ph": "M", "pid": self._processes[name], "args": {"name": name}}
            self._add(named)
        return self._processes[name]

    def _add(self, event: dict) -> None:
        line = json.dumps(event).encode() + b"\n]"
        if self._size + len(line) > MOST_BYTES:
            return
        with suppress(OSError):  # the disk is full
            self._file.seek(self._size - 1)  # over the bracket
            self._size += self._file.write((b"," if self._size > len(_EMPTY) else b"") + line) - 1


@cache
def trace_file() -> TraceFile | None:
    """The file of this process, created on first use; None unless EXPLORER_TRACE=1.

    None also when it cannot be created, which standard error says once: nothing else depends on it.
    """
    if os.environ.get(SWITCH, "") in ("", "0"):
        return None
    name = f"{time.strftime('%Y-%m-%d-%H%M%S')}-{os.getpid()}.json"
    try:
        return TraceFile(folder() / name)
    except OSError as problem:
        print(f"{SWITCH}: no file of traces can be written: {problem.strerror}", file=sys.stderr)
        return None
