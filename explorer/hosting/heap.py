"""Return the C library's (glibc) free memory to the system.

Each drawing is a thread. With an arena for each of them, as is usual, small pieces that stay keep many arenas from
shrinking: after 200 visitors the server held 30 MB more than with ARENAS. Python lets one thread run at a time, so
threads hardly wait for each other there.
"""

import ctypes
import sys

ARENAS = 2
_M_ARENA_MAX = -8  # of malloc.h

_libc = ctypes.CDLL(None) if sys.platform == "linux" else object()


def limit_arenas() -> None:
    """Let all threads share ARENAS arenas, if none but the first exists yet."""
    if mallopt := getattr(_libc, "mallopt", None):
        mallopt(_M_ARENA_MAX, ARENAS)


def trim() -> None:
    """Return free memory to the system."""
    if malloc_trim := getattr(_libc, "malloc_trim", None):
        malloc_trim(0)
