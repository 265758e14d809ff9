"""The life of a process that runs a program: confine, read, handle, reply, exit.

A process that answers questions, with or without a run, may get further requests.
"""

import faulthandler
import os
import signal
from collections.abc import Callable

from explorer.program.given_files import HOME
from explorer.sandbox.confine import ConfinedParent, Level, confine
from explorer.sandbox.protocol import (
    EXIT_FAILED,
    EXIT_MEMORY,
    EXIT_UNCONFINED,
    FURTHER_S,
    HEAD,
    LENGTH,
    OUTPUT,
    PLACE_S,
    REPLY,
    ChildLimits,
    read_exactly,
    write_all,
)


def answer(
    settled: ConfinedParent,
    least: Level,
    requests: int,
    replies: int,
    emergency: int,
    null: int,
    order: ChildLimits,
    handle: Callable[[bytes, Callable[[bytes], None]], bytes],
    own: int | None = None,
    group: int | None = None,
) -> None:
    """Handle one request, or several if the order allows, and end the process.

    Args:
        settled: rights that it or its parent has given up.
        least: below this level it ends without reading the request.
        requests, replies, emergency: descriptors. The last receives the program place on a crash or timeout,
            written in C.
        null: unshared descriptor of the null device.
        order: its limits.
        handle: called with the request and a function that sends messages before the reply.
        own: as in explorer.sandbox.confine.
        group: a descriptor of the list of processes of its control group.
    """
    try:
        if group is not None:
            os.write(group, b"0")  # before the program is read
    except OSError:
        os._exit(EXIT_UNCONFINED)
    faulthandler.enable(file=emergency)
    if hasattr(signal, "SIGXCPU"):
        faulthandler.register(signal.SIGXCPU, file=emergency, all_threads=False, chain=True)
    latest = max(0.01, order.lasting - PLACE_S)
    faulthandler.dump_traceback_later(latest, file=emergency)  # starts a thread, which is not possible later
    keep = {requests, replies, emergency}
    held = confine(settled, keep, null, order._replace(seconds=order.seconds + FURTHER_S * order.stays), own)
    if not held.reaches(least):
        os._exit(EXIT_UNCONFINED)
    again = order.stays and (not settled.files or _holds_its_files())
    while True:
        try:
            size = LENGTH.unpack(read_exactly(requests, LENGTH.size))[0]
            reply = handle(read_exactly(requests, size), lambda message: _write(replies, OUTPUT, message))
        except MemoryError:
            os._exit(EXIT_MEMORY)
        except BaseException:
            os._exit(EXIT_FAILED)
        if again:
            faulthandler.cancel_dump_traceback_later()  # answers have no program line
        _write(replies, REPLY, reply)
        if not again:
            os._exit(0)


def _holds_its_files() -> bool:
    """Return whether its files are in private memory, not on the server's disk."""
    try:
        return os.getcwd() == HOME
    except OSError:
        return False


def _write(replies: int, kind: bytes, data: bytes) -> None:
    write_all(replies, HEAD.pack(kind, len(data)))
    write_all(replies, data)
