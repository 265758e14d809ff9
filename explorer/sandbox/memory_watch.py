"""A bound on memory where the kernel has none: a thread looks at what the process holds, and ends it."""

import _thread
import contextlib
import faulthandler
import os
import time

from explorer.sandbox.wire import EXIT_MEMORY

try:
    import psutil
except ImportError:  # Linux needs no watch
    psutil = None

EVERY_S = 0.02
_MB = 1_000_000


def watch_memory(memory_mb: float, emergency: int) -> None:
    """End this process when its memory has grown by `memory_mb`; first it writes its place in the program.

    Does nothing without psutil. What the program asks for between two looks is not bounded.
    """
    if psutil is None:
        return
    held, sleep = psutil.Process().memory_info, time.sleep
    most = held().rss + memory_mb * _MB

    def look() -> None:
        with contextlib.suppress(psutil.Error, OSError):
            while held().rss < most:
                sleep(EVERY_S)
            faulthandler.dump_traceback(emergency)
            os._exit(EXIT_MEMORY)

    _thread.start_new_thread(look, ())  # which the program does not count among its threads
