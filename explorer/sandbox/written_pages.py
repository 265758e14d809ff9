"""The pages of a preloaded parent that every request writes to: a child that waits copies them before its order comes.

A fork shares its parent's memory until one of the two writes to it; then the kernel copies the page. A small program
writes to some 4 000, since Python counts references in the objects that it uses. One fork on trial does what every
request does, and its parent looks which pages became its own. Copying these ahead takes no longer than copying them
one by one later, and the run need not wait for it.

MADV_POPULATE_WRITE for many places in one call: Linux 6.13, and glibc 2.36. Elsewhere nothing is copied ahead.
"""

import contextlib
import ctypes
import os
import sys
from array import array
from collections.abc import Callable

_PAGE = 4096  # bytes; where pages are larger nothing is copied ahead
_WORD = 8  # bytes
_OWN = 1 << 63 | 1 << 56  # pagemap(5): present, and of this process alone
_POPULATE_WRITE = 23  # linux/mman.h
_AT_ONCE = 64  # places in one call, which ends at one that exists no more
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before opening files is forbidden


def written_pages(act: Callable[[], None]) -> array:
    """Where a fork of this process writes when it acts: addresses and lengths in turns; none if the system hides it.

    Only for a process that has not settled (explorer.sandbox.confine).
    """
    ready, done = os.pipe(), os.pipe()
    found = array("Q")
    pid = os.fork()
    if pid == 0:
        try:
            os.close(done[1])
            act()
            os.write(ready[1], b"1")
            os.read(done[0], 1)
        finally:
            os._exit(0)
    os.close(ready[1])
    with contextlib.suppress(OSError):
        if os.read(ready[0], 1):
            found = _own_pages(pid)
    for end in (ready[0], *done):
        os.close(end)
    os.waitpid(pid, 0)
    return found


def copy_ahead(places: array) -> bool:
    """Make this process's own copies of pages that it shares with its parent; whether the system can do that."""
    if not places:
        return False
    begin, count = places.buffer_info()
    try:
        copy, descriptor = _libc.process_madvise, os.pidfd_open(os.getpid())
    except (OSError, AttributeError):
        return False
    copied = [
        copy(
            descriptor,
            ctypes.c_void_p(begin + at * _WORD),
            ctypes.c_size_t(min(_AT_ONCE, (count - at) // 2)),
            _POPULATE_WRITE,
            0,
        )
        for at in range(0, count, 2 * _AT_ONCE)
    ]
    os.close(descriptor)
    return max(copied) > 0


def _own_pages(pid: int) -> array:
    """The writable pages of this process's own memory that a fork has copied, neighbours together."""
    found = array("Q")
    with open("/proc/self/maps") as file:
        areas = [row[0] for row in map(str.split, file) if row[1] == "rw-p"]
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as file:
        for area in areas:
            begin, end = (int(at, 16) for at in area.split("-"))
            file.seek(begin // _PAGE * _WORD)
            for at, page in enumerate(array("Q", file.read((end - begin) // _PAGE * _WORD))):
                place = begin + at * _PAGE
                if page & _OWN != _OWN:
                    continue
                if found and found[-2] + found[-1] == place:
                    found[-1] += _PAGE
                else:
                    found.extend((place, _PAGE))
    return found
