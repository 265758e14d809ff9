"""The rights and the view of a process: own namespaces, no user rights, no capabilities."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

NOBODY = 65534

# sched.h
_NEW_MOUNTS, _NEW_HOST_NAME, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USERS, _NEW_NETWORK = 0x10000000, 0x40000000
_APART = _NEW_NETWORK | _NEW_IPC | _NEW_HOST_NAME | _NEW_MOUNTS

# sys/mount.h
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC, _RECURSIVE, _PRIVATE = 1, 2, 4, 8, 1 << 14, 1 << 18

# linux/mount.h: this system call has the same number on every architecture
_MOUNT_SETATTR, _HERE, _AND_BELOW = 442, -100, 0x8000
_READ_ONLY_MOUNT, _NO_TIMES, _TIMES = 1 | 2 | 4, 0x10, 0x70  # no writing, no rights, no devices; no access times

# linux/prctl.h, linux/capability.h
_PR_SET_KEEPCAPS = 8
_CAPABILITIES_VERSION = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2


def own_namespaces(network: bool = False, write: bool = False) -> bool:
    """Leave the network, shared memory, host name and view of other processes; /proc is empty from now on.

    `network` and `write` keep the network, and writable mounts, for children that are confined further.

    Without the right to do so it first makes a user namespace, which needs a process of one thread. Returns False if
    it fails.
    """
    users = 0 if os.geteuid() == 0 else _NEW_USERS
    if _libc.unshare((_APART & ~_NEW_NETWORK if network else _APART) | users) != 0:
        return False
    _libc.sethostname(b"sandbox", 7)
    apart = _libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None) == 0  # mounts made here stay here
    if not write:
        _only_read()
    return apart and _libc.mount(b"none", b"/proc", b"tmpfs", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_EXEC, None) == 0


def _only_read() -> None:
    """Make mounts read-only, and keep reading from leaving access times that the next run could see, if possible."""
    for wanted, left in ((_READ_ONLY_MOUNT | _NO_TIMES, _TIMES), (_READ_ONLY_MOUNT, 0)):
        attributes = struct.pack("QQQQ", wanted, left, 0, 0)
        size = ctypes.c_size_t(len(attributes))
        if _libc.syscall(_MOUNT_SETATTR, _HERE, b"/", _AND_BELOW, attributes, size) == 0:
            return


def give_up_rights(libraries: Iterable[str], folder: bool = False, write: bool = False) -> bool:
    """Become an unprivileged user if root, and drop all capabilities.

    If the user nobody may not enter a folder with libraries (a Python in root's home), or for a `folder` of root's,
    root's capability to read is kept, and with `write` the one to write; Landlock must bound them. Returns False if it
    fails.
    """
    capabilities = 0
    try:
        if os.geteuid() == 0:
            if folder or not all(map(_all_may_enter, libraries)):
                capabilities = _DAC_READ_SEARCH | (_DAC_OVERRIDE if write else 0)
                _libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0)
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:
        return False
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    return (
        _libc.capset(header, struct.pack("=6I", capabilities, capabilities, 0, 0, 0, 0)) == 0
        and 0 not in os.getresuid()
    )


def _all_may_enter(place: str) -> bool:
    while place != os.path.dirname(place):
        if os.path.isdir(place) and not os.stat(place).st_mode & 1:
            return False
        place = os.path.dirname(place)
    return True
