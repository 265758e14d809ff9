"""Keep the code of loaded libraries mapped, so that a program cannot unmap it to gain memory.

The limit on the address space counts a library's code as much as a program's memory, and PyTorch's code is 350 MB. The
limit on writable memory counts neither pages that were made read-only after writing nor those of a stack. So a program
that unmapped PyTorch's code could exceed its limit by that much.

mseal(2): Linux 6.10. On an older system nothing is sealed, and SECURITY.md says what that means.
"""

import ctypes
import sys

_MSEAL = 462  # the number of mseal on every architecture that PyTorch supports
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None  # before files can no longer be opened


def seal_code() -> bool:
    """Seal this process's read-only file mappings, also for its children; return whether all are sealed."""
    if _libc is None:
        return False
    try:
        with open("/proc/self/maps") as file:
            areas = [line.split(maxsplit=5) for line in file]
    except OSError:
        return False
    read_only = [area for area, rights, _, _, inode, *_ in areas if inode != "0" and "w" not in rights]
    return all([_seal(*(int(at, 16) for at in area.split("-"))) for area in read_only])


def _seal(begin: int, end: int) -> bool:
    arguments = ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), ctypes.c_ulong(0)
    return _libc is not None and _libc.syscall(ctypes.c_long(_MSEAL), *arguments) == 0
