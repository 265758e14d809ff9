"""The life of the process that meets one program: confine, read the request, handle it, write the reply, exit."""

import faulthandler
import os
import signal
from collections.abc import Callable

from explorer.sandbox.confine import ConfinedParent, Level, confine
from explorer.sandbox.wire import (
    EXIT_FAILED,
    EXIT_MEMORY,
    EXIT_UNCONFINED,
    HEAD,
    LENGTH,
    PLACE_S,
    REPLY,
    STAGES,
    TOLD,
    Order,
    read_exactly,
    write_all,
)
from explorer.tracing import stage, tell_of_stages


def answer(
    settled: ConfinedParent,
    least: Level,
    requests: int,
    replies: int,
    emergency: int,
    null: int,
    order: Order,
    handle: Callable[[bytes, Callable[[bytes], None]], bytes],
) -> None:
    """Handles one request and ends the process.

    Args:
        settled: what its parent, or it itself, has given up already.
        least: below this level it ends without having read anything.
        requests, replies, emergency: descriptors; where it stands when it crashes or takes too long is written to the
            last, in C, whatever the program does.
        null: a descriptor of the null device that no other run has.
        order: what it may take.
        handle: is given the request, and what sends a message before the reply.
    """
    stages = tell_of_stages()
    faulthandler.enable(file=emergency)
    if hasattr(signal, "SIGXCPU"):
        faulthandler.register(signal.SIGXCPU, file=emergency, all_threads=False, chain=True)
    latest = max(0.01, order.lasting - PLACE_S)
    faulthandler.dump_traceback_later(latest, file=emergency)  # a thread: not possible later
    with stage("confine"):
        held = confine(settled, {requests, replies, emergency}, null, order.memory_mb, order.seconds)
    if not held.reaches(least):
        os._exit(EXIT_UNCONFINED)
    try:
        size = LENGTH.unpack(read_exactly(requests, LENGTH.size))[0]
        reply = handle(read_exactly(requests, size), lambda message: _write(replies, TOLD, message))
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except BaseException:
        os._exit(EXIT_FAILED)
    _write(replies, STAGES, stages.packed())
    _write(replies, REPLY, reply)
    os._exit(0)


def _write(replies: int, kind: bytes, data: bytes) -> None:
    write_all(replies, HEAD.pack(kind, len(data)))
    write_all(replies, data)
