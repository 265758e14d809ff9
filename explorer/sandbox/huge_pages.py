"""Move the memory of a preloaded parent into large pages, so that forks copy less and ended children free less.

A parent with torch has some 270 MB of its own in 70 000 pages. Each fork copies an entry for each page, and each ended
child frees them all, which takes longer than a small program. In pages of 2 MB there are 140. What a child writes to
is still copied in pages of 4 kB.

madvise(2), MADV_COLLAPSE: Linux 6.1. If the system does not support it, or has no large page left, nothing changes.
"""

import ctypes
import sys

_LARGE = 2 << 20  # bytes
_MADV_COLLAPSE = 25  # linux/mman.h
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before opening files is forbidden


def places() -> list[int]:
    """The places in this process's private, writable, anonymous memory where a large page fits."""
    try:
        with open("/proc/self/maps") as file:
            areas = [line.split() for line in file]
    except OSError:
        return []
    found: list[int] = []
    for area, rights, _, _, inode, *name in areas:
        if rights == "rw-p" and inode == "0" and (not name or name[0].startswith(("[heap", "[anon"))):
            begin, end = (int(at, 16) for at in area.split("-"))
            found += range(-(-begin // _LARGE) * _LARGE, end - _LARGE + 1, _LARGE)
    return found


def enlarge(place: int) -> bool:
    """Move the memory at one place into a large page, which takes some milliseconds; whether it worked."""
    return _libc is not None and not _libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(_LARGE), _MADV_COLLAPSE)
