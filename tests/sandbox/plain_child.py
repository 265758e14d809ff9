"""A child without torch: it executes cells unchanged and prints `answer`, or sends `reply` raw.

`tell` sends a message before the reply. A question about the run gets the result of the program's `answers`. The
preloaded parent, the fork, the confinement and the sockets are the real ones, so that a test can make a child send
garbage.
"""

import fcntl
import importlib.metadata  # noqa: F401  limited_trace reads it, and a child without Landlock opens no file
import os

import msgspec

from explorer.program import decode_request
from explorer.sandbox.partial_traces import limited_trace
from explorer.sandbox.protocol import DIAGNOSIS, parts
from explorer.trace import Cell, Printed, encode

left = {}  # the program's names


def preload(parts: object = None) -> None:
    pass


def handle(request: bytes, tell) -> bytes:
    if request[:1] == DIAGNOSIS:
        return left["answers"](parts(request)[1])
    program, options = decode_request(request)
    names = {"emergency": max(fd for fd in range(3, 64) if is_written(fd)), "tell": tell}
    for i, cell in enumerate(program.cells):
        exec(compile(cell.text, f"<cell {i}>", "exec"), names)
    left.update(names)
    if "reply" in names:
        return names["reply"]
    printed = [Cell(cell.text, [Printed("stdout", names.get("answer", ""))]) for cell in program.cells]
    return encode(msgspec.structs.replace(limited_trace(program, options, "crash", 0), cells=printed))


def is_written(fd: int) -> bool:
    """Return whether it is open only for writing: the socket to the server is read, too."""
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
    except OSError:
        return False
