"""Rights and view of a process: own namespaces, no user rights, no capabilities."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from explorer.sandbox.own_files import keep_null

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
_READ_ONLY_MOUNT, _NO_TIMES, _TIMES = 1 | 2 | 4, 0x10, 0x70  # read-only, no rights, no devices, then access times

# linux/prctl.h, linux/capability.h
_PR_SET_KEEPCAPS = 8
_CAPABILITIES_VERSION = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2
# For mounting: administration, and the kernel's needs for copying a folder's files (CHOWN, FOWNER, FSETID).
_MOUNTING = 1 << 21 | 1 << 0 | 1 << 3 | 1 << 4 | _DAC_OVERRIDE | _DAC_READ_SEARCH


class Rights(NamedTuple):
    """Capability bits of a process's children.

    Attributes:
        always: kept capabilities, which Landlock must restrict.
        in_folder: further ones for a given folder.
    """

    always: int = 0
    in_folder: int = 0


def own_namespaces(network: bool = False, mounts: bool = False) -> bool:
    """Leave network, shared memory, host name and other processes' view. /proc becomes empty.

    `network` keeps the network. `mounts`: children will mount, and own their written files. Without the right to do so
    it first creates a user namespace, which requires a single thread. Returns False if it fails.
    """
    users = 0 if os.geteuid() == 0 else _NEW_USERS
    user, group = os.geteuid(), os.getegid()
    if _libc.unshare((_APART & ~_NEW_NETWORK if network else _APART) | users) != 0:
        return False
    if users and mounts:
        _map(user, group)
    _libc.sethostname(b"sandbox", 7)
    apart = _libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None) == 0  # mounts made here stay here
    _only_read()
    if mounts:
        keep_null()
    return apart and _libc.mount(b"none", b"/proc", b"tmpfs", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_EXEC, None) == 0


def _map(user: int, group: int) -> None:
    """Map its ids into its namespace, because a user without an id cannot own files."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with suppress(OSError), open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _only_read() -> None:
    """Make mounts read-only and, if possible, prevent access times visible to later runs."""
    for wanted, left in ((_READ_ONLY_MOUNT | _NO_TIMES, _TIMES), (_READ_ONLY_MOUNT, 0)):
        attributes = struct.pack("QQQQ", wanted, left, 0, 0)
        size = ctypes.c_size_t(len(attributes))
        if _libc.syscall(_MOUNT_SETATTR, _HERE, b"/", _AND_BELOW, attributes, size) == 0:
            return


def give_up_rights(libraries: Iterable[str], files: bool = False) -> Rights | None:
    """Become an unprivileged user and drop capabilities, except those for mounting `files`.

    If the user nobody may not enter a library folder (such as Python in root's home), or for a root-owned folder,
    root's capability to read is kept, and for a folder also to write. Landlock must restrict them. Returns the
    children's capabilities, None if it fails.
    """
    kept = Rights()
    try:
        if os.geteuid() == 0:
            always = 0 if all(map(_all_may_enter, libraries)) else _DAC_READ_SEARCH
            kept = Rights(always, _DAC_READ_SEARCH | _DAC_OVERRIDE if files else 0)
            _libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0)
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:
        return None
    return kept if keep(kept.always | (_MOUNTING & _permitted() if files else 0)) and 0 not in os.getresuid() else None


def keep(capabilities: int) -> bool:
    """Drop all other capabilities. Return whether that worked."""
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    return _libc.capset(header, struct.pack("=6I", capabilities, capabilities, 0, 0, 0, 0)) == 0


def _permitted() -> int:
    """Return the permitted capabilities, lowest 32 bits only."""
    header, sets = struct.pack("=Ii", _CAPABILITIES_VERSION, 0), ctypes.create_string_buffer(24)
    _libc.capget(header, sets)
    return struct.unpack("=6I", sets.raw)[1]


def _all_may_enter(place: str) -> bool:
    while place != os.path.dirname(place):
        if os.path.isdir(place) and not os.stat(place).st_mode & 1:
            return False
        place = os.path.dirname(place)
    return True
