"""Confine a process before it runs a program, and report the active mechanisms.

A preloaded parent gives up everything that forking does not need (`settle`). Its children inherit that and give up the
rest (`confine`). The system call filter is last, because it forbids calls that the others need.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterable
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from explorer.paths import target_folders
from explorer.sandbox import identity, landlock, libraries, own_files, rlimits, systemcalls
from explorer.sandbox.memory_map import areas, seal, window
from explorer.sandbox.preloaded_process import search_path
from explorer.sandbox.protocol import ChildLimits

_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True) if _LINUX else None  # loaded once, in the preloaded parent

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_PR_GET_DUMPABLE = 3
_PR_SET_DUMPABLE = 4
_DATA = 5  # field of /proc/self/statm: writable pages
_PR_SET_NO_NEW_PRIVS = 38
_PR_GET_NO_NEW_PRIVS = 39
_PR_SET_THP_DISABLE = 41  # huge pages

_MOST_DESCRIPTORS = 1 << 16
_VITAL = ("SYSTEMROOT",) if sys.platform == "win32" else ()  # variables without which nothing can be loaded

Level = Literal["full", "seccomp and limits", "limits", "none"]
LEVELS: tuple[Level, ...] = ("none", "limits", "seccomp and limits", "full")


class Confinement(Struct, frozen=True):
    """Active mechanisms in a child on this machine.

    Attributes:
        rlimits: bounded memory, stack, CPU time and descriptors. No files, processes, threads, core.
        no_new_privs: execution never gains rights.
        undumpable: other processes of the user cannot trace it or read its memory.
        descriptors: only named descriptors are open, standard streams on the null device.
        environment: no variables.
        user: not root, no capabilities.
        namespaces: no network, no sight of other processes.
        landlock: only libraries can be opened, and nothing changed.
        seccomp: allowlisted system calls only.
    """

    rlimits: bool = False
    no_new_privs: bool = False
    undumpable: bool = False
    descriptors: bool = False
    environment: bool = False
    user: bool = False
    namespaces: bool = False
    landlock: bool = False
    seccomp: bool = False

    @property
    def level(self) -> Level:
        """Overall level. "seccomp and limits" still denies files, network and other processes.

        For root the level is at most "limits", because a list of system calls cannot restrict root.
        """
        if all(msgspec.structs.astuple(self)):
            return "full"
        held = (self.rlimits, self.no_new_privs, self.descriptors, self.environment, self.user, self.seccomp)
        if all(held):
            return "seccomp and limits"
        return "limits" if self.rlimits else "none"

    def reaches(self, least: Level) -> bool:
        """Return whether the level is at least this one."""
        return LEVELS.index(self.level) >= LEVELS.index(least)


class ConfinedParent(Struct, frozen=True):
    """Rights that a preloaded parent and all its children have given up.

    Attributes:
        size: bytes of its address space.
        without: mechanisms skipped by a test, as fields of Confinement.
        user, namespaces, landlock: as in Confinement.
        data: bytes of its private writable memory.
        files: whether children can have their own files. Then `landlock` means that the kernel can restrict a
            child to files beneath `places` and its own.
        rights: capabilities of its children.
        places: readable places.
        listed: folders whose names they may list.
        window: allowed addresses for a child's mappings (explorer.sandbox.memory_map).
    """

    size: int
    without: frozenset[str]
    user: bool
    namespaces: bool
    landlock: bool
    data: int = 0
    files: bool = False
    rights: identity.Rights = identity.Rights()
    places: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    window: tuple[int, ...] = ()


def become_child(parent: int) -> None:
    """Let the kernel kill this process when the forking thread of `parent` ends, and get no new huge pages.

    On a virtual machine the first touch of a huge page can take 5 ms, which is counted as the child's CPU time.
    """
    _libc.prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def settle(
    without: Collection[str] = (),
    serving: bool = True,
    files: bool = False,
    network: bool = False,
    reserves: bool = False,
) -> ConfinedParent:
    """Confine a preloaded, single-threaded process.

    Args:
        without: mechanisms that tests skip, as if unsupported.
        serving: whether it will fork, which the filter then allows.
        files: whether its children have their own files.
        network: whether they may have the network.
        reserves: whether they use its reserved address space, as WebAssembly does.
    """
    size, data, mapped = _size(), _size(_DATA), areas()
    _forget_environment()
    if not _LINUX:
        return ConfinedParent(size, frozenset(without), False, False, False)
    if "rlimits" not in without:
        seal(mapped, not reserves)
    places, listed = libraries.places(), tuple(target_folders())
    if network:
        places += libraries.network_places()
    opens = "landlock" not in without and landlock.version() > 0
    files = files and opens
    namespaces = "namespaces" not in without and identity.own_namespaces(network, files)
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    rights = None if "user" in without else identity.give_up_rights(places if opens else (), files)
    if not files:
        opens = opens and landlock.open_only(places, listed=listed)
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if serving:
        rlimits.without_files(files)
        if "seccomp" not in without:
            systemcalls.install(systemcalls.parent_filter(window(mapped), opens, files, network))
    user, rights = rights is not None, rights or identity.Rights()
    return ConfinedParent(
        size, frozenset(without), user, namespaces, opens, data, files, rights, tuple(places), listed, window(mapped)
    )


def confine(
    settled: ConfinedParent, keep: Iterable[int], null: int, order: ChildLimits, own: int | None = None
) -> Confinement:
    """Confine this child permanently. Return which mechanisms are active.

    Args:
        keep: descriptors to keep open (above 2).
        null: unshared descriptor of the null device, because shared flags and offsets would connect runs.
        order: its limits.
        own: descriptor of a folder for its files, if it cannot mount one.
    """
    opens, files, changed = settled.landlock, settled.files and own is not None, _Changed()
    if settled.files:
        if files:
            changed = _own_files(settled, order, own)
        shown = [order.folder] if order.folder else []
        readable = (*settled.places, *shown)
        opens = opens and landlock.open_only(readable, changed.places, order.network, settled.listed)
        identity.keep(settled.rights.always | (settled.rights.in_folder if shown else 0))
    descriptors = close_all_but(sorted(keep), null)
    _forget_environment()
    without = settled.without
    file_mb = rlimits.WRITTEN_MB if order.write and order.folder else order.files_mb
    limited = "rlimits" not in without and rlimits.bound(
        settled.size, settled.data, order.memory_mb, order.seconds, file_mb if files else 0
    )
    if not _LINUX:
        return Confinement(rlimits=limited, descriptors=descriptors, environment=os.environ.keys() <= set(_VITAL))
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    undumpable = _libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 0
    no_new_privs = _libc.prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1
    network = order.network and settled.files
    kind: systemcalls.Files = None if not (opens and files) else "mounted" if changed.mounted else "given"
    code = (
        None if "seccomp" in without else systemcalls.program_filter(os.getpid(), settled.window, opens, kind, network)
    )
    return Confinement(
        rlimits=limited,
        no_new_privs=no_new_privs,
        undumpable=undumpable,
        descriptors=descriptors,
        environment=not os.environ,
        user=settled.user,
        namespaces=settled.namespaces and not network,
        landlock=opens,
        seccomp=systemcalls.install(code),
    )


class _Changed(NamedTuple):
    """A child's writable places, and whether they are its own mounts."""

    places: tuple[str | int, ...] = ()
    mounted: bool = False


def _own_files(settled: ConfinedParent, order: ChildLimits, own: int) -> _Changed:
    """Enter its own files: bounded memory, or a folder made by the server."""
    size = int(order.files_mb * 1_000_000)
    if settled.namespaces and (changed := own_files.mounted(size, settled.places, order)):
        return _Changed(changed, True)
    folder = (order.folder,) if order.folder else ()
    os.fchdir(own)
    return _Changed((own, *folder) if order.write else (own,))


def _forget_environment() -> None:
    vital = {name: os.environ[name] for name in _VITAL if name in os.environ}
    os.environ.clear()
    os.environ.update(vital)


@cache
def probe() -> Confinement:
    """Test this machine's confinement in a separate process. Nothing if that fails."""
    command = [sys.executable, "-P", "-c", "from explorer.sandbox.confine import _try; _try()"]
    try:
        done = subprocess.run(command, env=search_path(), stdout=subprocess.PIPE, check=False, timeout=30)
        return msgspec.json.decode(done.stdout, type=Confinement)
    except (OSError, subprocess.TimeoutExpired, msgspec.DecodeError):
        return Confinement()


def _try() -> None:
    answer, null = os.dup(1), os.open(os.devnull, os.O_RDWR)
    held = confine(settle(serving=False), [answer], null, ChildLimits(10.0, 10.0, 200.0))
    os.write(answer, msgspec.json.encode(held))
    os._exit(0)


def _size(of: int = 0) -> int:
    """Return bytes of the address space, or another field of /proc/self/statm, 0 if unknown."""
    with contextlib.suppress(OSError), open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[of]) * os.sysconf("SC_PAGESIZE")
    return 0


def close_all_but(keep: list[int], null: int) -> bool:
    """Close all other descriptors and point the standard streams to the null device.

    Returns whether the lowest descriptors are all closed.
    """
    for stream in range(3):
        os.dup2(null, stream)
    for before, after in pairwise([2, *keep, _MOST_DESCRIPTORS]):
        os.closerange(before + 1, after)
    return not any(map(_is_open, set(range(3, rlimits.DESCRIPTORS)) - set(keep)))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
