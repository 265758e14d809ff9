"""The life of the process that meets one program: confine, read the request, handle it, write the reply, exit."""

import faulthandler
import os
from collections.abc import Callable

from explorer.sandbox.confine import Level, Settled, confine
from explorer.sandbox.wire import (
    EXIT_FAILED,
    EXIT_MEMORY,
    EXIT_UNCONFINED,
    LENGTH,
    PLACE_S,
    read_exactly,
    write_all,
)


def answer(
    settled: Settled,
    least: Level,
    requests: int,
    replies: int,
    emergency: int,
    null: int,
    limits: tuple[float, float],
    handle: Callable[[bytes], bytes],
) -> None:
    """Handles one request and ends the process.

    Args:
        settled: what its parent, or it itself, has given up already.
        least: below this level it ends without having read anything.
        requests, replies, emergency: descriptors; where it stands when it crashes or takes too long is written to the
            last, in C, whatever the program does.
        null: a descriptor of the null device that no other run has.
        limits: wall seconds until somebody kills it, MB by which its memory may grow.
    """
    seconds, memory_mb = limits
    faulthandler.enable(file=emergency)
    faulthandler.dump_traceback_later(max(0.01, seconds - PLACE_S), file=emergency)  # a thread: not possible later
    held = confine(settled, {requests, replies, emergency}, null, memory_mb, seconds)
    if not held.reaches(least):
        os._exit(EXIT_UNCONFINED)
    try:
        size = LENGTH.unpack(read_exactly(requests, LENGTH.size))[0]
        reply = handle(read_exactly(requests, size))
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except BaseException:
        os._exit(EXIT_FAILED)
    write_all(replies, LENGTH.pack(len(reply)))
    write_all(replies, reply)
    os._exit(0)
