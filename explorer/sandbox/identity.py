"""The rights and the view of a process: own namespaces, no user rights, no capabilities."""

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
_READ_ONLY_MOUNT, _NO_TIMES, _TIMES = 1 | 2 | 4, 0x10, 0x70  # no writing, no rights, no devices; no access times

# linux/prctl.h, linux/capability.h
_PR_SET_KEEPCAPS = 8
_CAPABILITIES_VERSION = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2
# For mounting: administration, and what the kernel copies files of a folder with (CHOWN, FOWNER, FSETID).
_MOUNTING = 1 << 21 | 1 << 0 | 1 << 3 | 1 << 4 | _DAC_OVERRIDE | _DAC_READ_SEARCH


class Rights(NamedTuple):
    """The capabilities of a process's children, as bits.

    Attributes:
        always: that it keeps; Landlock must bound them.
        in_folder: further ones, if it is given a folder.
    """

    always: int = 0
    in_folder: int = 0


def own_namespaces(network: bool = False, mounts: bool = False) -> bool:
    """Leave the network, shared memory, host name and view of other processes; /proc is empty from now on.

    `network` keeps the network. `mounts`: children will mount, and own what they write there.

    Without the right to do so it first makes a user namespace, which needs a process of one thread. Returns False if
    it fails.
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
    """Keep its numbers in its own namespace: a user without a number cannot own files."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with suppress(OSError), open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _only_read() -> None:
    """Make mounts read-only, and keep reading from leaving access times that the next run could see, if possible."""
    for wanted, left in ((_READ_ONLY_MOUNT | _NO_TIMES, _TIMES), (_READ_ONLY_MOUNT, 0)):
        attributes = struct.pack("QQQQ", wanted, left, 0, 0)
        size = ctypes.c_size_t(len(attributes))
        if _libc.syscall(_MOUNT_SETATTR, _HERE, b"/", _AND_BELOW, attributes, size) == 0:
            return


def give_up_rights(libraries: Iterable[str], files: bool = False) -> Rights | None:
    """Become an unprivileged user if root, and drop all capabilities but those for mounting, if children have `files`.

    If the user nobody may not enter a folder with libraries (a Python in root's home), or for a folder of root's,
    root's capability to read is kept, for a folder also the one to write; Landlock must bound them. Returns what
    children keep, None if it fails.
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
    """Drop all other capabilities; whether that worked."""
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    return _libc.capset(header, struct.pack("=6I", capabilities, capabilities, 0, 0, 0, 0)) == 0


def _permitted() -> int:
    """The capabilities that this process may have; bits above the lowest 32 are not told."""
    header, sets = struct.pack("=Ii", _CAPABILITIES_VERSION, 0), ctypes.create_string_buffer(24)
    _libc.capget(header, sets)
    return struct.unpack("=6I", sets.raw)[1]


def _all_may_enter(place: str) -> bool:
    while place != os.path.dirname(place):
        if os.path.isdir(place) and not os.stat(place).st_mode & 1:
            return False
        place = os.path.dirname(place)
    return True
