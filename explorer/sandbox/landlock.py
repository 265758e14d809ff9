"""Restrict the files that this process may open.

Its three system calls have the same numbers on every architecture, and no C library wraps them. It only restricts
opening, so `stat` still works.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # flag of _CREATE_RULESET: returns the kernel's version
_PATH_BENEATH = 1
_WRITE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_CHANGE = _WRITE | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8  # writing, removing and making files and folders
_SINCE = {2: 1 << 13, 3: 1 << 14}  # moving between folders, truncating: by the first version that supports them
_TCP = 0b11  # binding and connecting
_SCOPES = 0b11  # abstract sockets and signals stay within the domain

# Kinds of file access that each version knows, from version 1 on.
_KINDS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_LATEST = 6  # later versions add no features that we use


def version() -> int:
    """Return the kernel's Landlock version, 0 if missing or disabled."""
    return max(0, _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION)))


def open_only(
    places: Iterable[str | int], changed: Iterable[str | int] = (), network: bool = False, listed: Iterable[str] = ()
) -> bool:
    """Allow opening only files beneath these places, for reading.

    A place is a path or a descriptor. Files beneath the folders `changed` may also be changed, and /dev/null too. In
    the folders `listed` only names can be read. If supported, it also forbids TCP (unless `network`) and signals to
    outside processes. Needs no_new_privs. Returns False if it fails.
    """
    kernel = min(version(), _LATEST)
    if not kernel:
        return False
    files = (1 << _KINDS.get(kernel, 16)) - 1
    fields = [files, _TCP if kernel >= 4 and not network else 0, _SCOPES if kernel >= 6 else 0]
    size = 8 if kernel < 4 else 16 if kernel < 6 else 24
    attributes = struct.pack("QQQ", *fields)[:size]
    ruleset = _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0))
    if ruleset < 0:
        return False
    try:
        for place in places:
            _allow(ruleset, place)
        for place in listed:
            _allow(ruleset, place, reading=_READ_DIR)
        change = _CHANGE | sum(kind for since, kind in _SINCE.items() if kernel >= since)
        for place in changed:
            _allow(ruleset, place, change)
            _allow(ruleset, os.devnull, _WRITE)
        return _libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint(0)) == 0
    finally:
        os.close(ruleset)


def _allow(ruleset: int, place: str | int, further: int = 0, reading: int = _READ_FILE | _READ_DIR) -> None:
    """Allow reading a place, if it exists. `further`: more kinds of access."""
    if isinstance(place, int):
        return _add(ruleset, place, reading | further)
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _add(ruleset, descriptor, (reading if os.path.isdir(place) else _READ_FILE) | further)
    finally:
        os.close(descriptor)


def _add(ruleset: int, descriptor: int, access: int) -> None:
    rule = struct.pack("=Qi", access, descriptor)
    _libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint(0))
