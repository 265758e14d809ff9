"""The memory areas of this process (proc(5), maps): sealing them, and using huge pages.

The limit on address space counts a library's code and mere reservations like a program's memory, and PyTorch's code
takes 350 MB. The limit on writable memory ignores pages made read-only after writing, and stacks. A program that
unmapped PyTorch's code could exceed its limit by that much, so the code is sealed if the kernel supports it.
"""

import ctypes
import sys
from collections.abc import Iterable
from typing import NamedTuple

_BLOCK = 1 << 32  # bytes of the blocks that `window` counts in
_HUGE = 1 << 21  # bytes of a huge page on x86-64, and on ARM with 4 KB pages
_COLLAPSE = 25  # MADV_COLLAPSE of madvise(2), Linux 6.1
_MSEAL = 462  # the number of mseal(2), Linux 6.10, on every architecture that PyTorch supports
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None  # loaded while files can still be opened


class Area(NamedTuple):
    """One area. Attributes: begin, end: addresses. rights: as `rw-p`. is_file: whether it maps a file."""

    begin: int
    end: int
    rights: str
    is_file: bool

    @property
    def is_reserved(self) -> bool:
        """Return whether it only keeps addresses: nothing may read or write it."""
        return not self.is_file and self.rights.startswith("---")


def areas() -> list[Area]:
    """Return the areas of this process, none if unavailable."""
    try:
        with open("/proc/self/maps") as file:
            rows = [line.split(maxsplit=5) for line in file]
    except OSError:
        return []
    mapped = []
    for place, rights, _, _, inode, *_ in rows:
        begin, end = place.split("-")
        mapped.append(Area(int(begin, 16), int(end, 16), rights, inode != "0"))
    return mapped


def window(mapped: list[Area]) -> tuple[int, ...]:
    """Return the 4 GB blocks where a child may choose addresses.

    The dynamic linker does so when mapping a library's parts next to or just below existing mappings.
    """
    blocks = {at // _BLOCK for area in mapped for at in (area.begin, area.end - 1, max(0, area.begin - _BLOCK))}
    return tuple(sorted(block * _BLOCK for block in blocks))


def enlarge(mapped: Iterable[Area]) -> None:
    """Put written memory on huge pages, if supported.

    A fork then copies one entry for 512 pages, and a child that writes there still copies 4 KB.
    """
    for area in mapped:
        begin, end = -(-area.begin // _HUGE) * _HUGE, area.end // _HUGE * _HUGE
        if _libc is not None and begin < end and area.rights.startswith("rw-p") and not area.is_file:
            _libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _COLLAPSE)


def seal(areas: Iterable[Area], reservations: bool) -> bool:
    """Seal read-only file mappings and `reservations`, for children too. Return success."""
    sealable = [a for a in areas if (a.is_file and "w" not in a.rights) or (reservations and a.is_reserved)]
    return all([_seal(area) for area in sealable])


def _seal(area: Area) -> bool:
    arguments = ctypes.c_void_p(area.begin), ctypes.c_size_t(area.end - area.begin), ctypes.c_ulong(0)
    return _libc is not None and _libc.syscall(ctypes.c_long(_MSEAL), *arguments) == 0
