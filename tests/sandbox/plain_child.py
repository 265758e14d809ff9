"""A child without torch: it executes cells as they stand and prints what they leave in `answer`, or sends `reply` raw.

The preloaded parent, the fork, the confinement and the sockets around it are the real ones; only so can a test make a
child send garbage.
"""

import faulthandler

import msgspec

from explorer.program import decode_request
from explorer.sandbox.limited import limited_trace
from explorer.trace import Cell, Printed, encode


def preload() -> None:
    pass


def handle(request: bytes, emergency_fd: int) -> bytes:
    program, options = decode_request(request)
    faulthandler.dump_traceback_later(options.time_limit, file=emergency_fd)
    names = {"emergency": emergency_fd}
    for i, cell in enumerate(program.cells):
        exec(compile(cell.text, f"<cell {i}>", "exec"), names)
    faulthandler.cancel_dump_traceback_later()
    if "reply" in names:
        return names["reply"]
    printed = [Cell(cell.text, [Printed("stdout", names.get("answer", ""))]) for cell in program.cells]
    return encode(msgspec.structs.replace(limited_trace(program, options, "crash", 0), cells=printed))
