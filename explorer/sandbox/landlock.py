"""Landlock: the files this process and its children may open, whatever their permissions say.

Its three system calls have the same numbers on every architecture that Linux has gained them on, and no C library wraps
them. Opening is bounded, looking is not: `stat` still answers.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # flag of _CREATE_RULESET: answers which version the kernel has
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_TCP = 0b11  # binding and connecting
_SCOPES = 0b11  # abstract sockets and signals stay within the domain

# How many kinds of access to files each version knows, from 1 on.
_KINDS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_LATEST = 6  # later versions add nothing that is used here


def version() -> int:
    """The version the kernel has; 0 where it has none, or where it is switched off."""
    return max(0, _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION)))


def open_only(places: Iterable[str]) -> bool:
    """Let only files beneath these places be opened from now on, for reading; none can be changed or run.

    Where the kernel knows how, also no TCP, and no signal to a process outside. Needs no_new_privs. False where it does
    not hold.
    """
    known = min(version(), _LATEST)
    return bool(known) and _restrict(_ruleset((1 << _KINDS.get(known, 16)) - 1, known), places)


def stay_apart() -> bool:
    """Let no signal reach a process outside this one and those it forks. False on kernels before 6.12."""
    known = min(version(), _LATEST)
    return known == _LATEST and _restrict(_ruleset(0, known), ())


def _ruleset(files: int, known: int) -> int:
    fields = [files, _TCP if known >= 4 else 0, _SCOPES if known >= 6 else 0]
    size = 8 if known < 4 else 16 if known < 6 else 24
    attributes = struct.pack("QQQ", *fields)[:size]
    return _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0))


def _restrict(ruleset: int, places: Iterable[str]) -> bool:
    if ruleset < 0:
        return False
    try:
        for place in places:
            _allow(ruleset, place)
        return _libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint(0)) == 0
    finally:
        os.close(ruleset)


def _allow(ruleset: int, place: str) -> None:
    """Opens a place; one that does not exist needs no rule."""
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        access = _READ_FILE | _READ_DIR if os.path.isdir(place) else _READ_FILE
        rule = struct.pack("=Qi", access, descriptor)
        _libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint(0))
    finally:
        os.close(descriptor)
