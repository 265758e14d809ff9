"""A run's own files: a bounded tmpfs, and an overlay over a folder.

The parent folder is memory too, so that `../data` can be created. Of its real contents, only libraries are visible. All
are private mounts of the child and disappear with it. If the kernel forbids mounting, the server creates a private
folder on disk, watches its size, and empties it after the child's end.
"""

import ctypes
import os
import shutil
import struct
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from explorer.program.given_files import HOME, MOST_FILES
from explorer.sandbox.protocol import ChildLimits

if sys.platform != "win32":
    import fcntl

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_OVER = os.path.dirname(HOME)
_CHANGES = f"{_OVER}/.changes"  # the folder's changes, in the overlay
_ABOVE = f"{_OVER}/.above"  # replacement of the parent folder
_SHARED, _SHARED_AT = f"{_OVER}/.shared", "/dev/shm"  # shared memory, for example of Tensor.share_memory_()
_NO_MEMORY = ("/", "/dev", "/proc", "/sys")  # system folders that stay unchanged

# sched.h, sys/mount.h
_NEW_MOUNTS, _BIND, _MOVE, _DETACH = 0x00020000, 1 << 12, 1 << 13, 2
_PLAIN = 2 | 4 | 8  # no rights, devices or programs
# linux/mount.h: this system call has the same number on every architecture
_MOUNT_SETATTR, _HERE, _READ_ONLY, _DEVICES = 442, -100, 1, 4


def mounted(size: int, kept: Collection[str], order: ChildLimits) -> tuple[str, ...]:
    """Mount `size` bytes of memory over /tmp, and a change layer over a folder.

    Args:
        kept: places that the child reads, even below /tmp or next to the folder.
        order: names the folder. If the child may write there, changes reach it rather than memory.

    Needs CAP_SYS_ADMIN. Returns the writable places, () if the system refuses. Otherwise the child is then in HOME.
    """
    folder = order.folder
    below = [place for place in kept if place.startswith(f"{_OVER}/") and os.path.isdir(place)]
    options = f"size={size},nr_inodes={MOST_FILES},mode=777".encode()
    if _libc.unshare(_NEW_MOUNTS):
        return ()
    shown = [*below, *filter(None, [folder])]
    # paths of these mounts
    opened = [(os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC), place) for place in shown]
    if _libc.mount(b"none", _OVER.encode(), b"tmpfs", _PLAIN, options):
        return ()
    changed = [_OVER, *filter(None, [folder])]
    for place, name in opened:
        if name == folder and not order.write and _show_in_memory(order, place, kept):
            changed.append(os.path.dirname(folder))
            continue
        os.makedirs(name, exist_ok=True)
        os.fchdir(place)
        if name == folder:
            _show(folder, order.write)
        else:
            _libc.mount(b".", os.fsencode(name), None, _BIND, None)
    os.mkdir(_SHARED)
    if _mount(_SHARED, _SHARED_AT, _BIND):
        changed.append(_SHARED_AT)
    os.mkdir(HOME)
    os.chdir(HOME)
    return tuple(changed)


def _show_in_memory(order: ChildLimits, opened: int, kept: Collection[str]) -> bool:
    """Mount the working folder, with memory over its parent except `kept` and libraries.

    Returns False, with nothing shown, if the parent is needed as it is, or is memory already.
    """
    folder, above = order.folder, os.path.dirname(order.folder)
    inside = os.path.join(above, "")
    if above in _NO_MEMORY or inside.startswith(f"{_OVER}/") or any(inside.startswith(f"{place}/") for place in kept):
        return False
    os.mkdir(_ABOVE)
    _mount(_ABOVE, _ABOVE, _BIND)  # only a mount can be moved
    bound = [os.path.join(folder, "")]
    for place in sorted(kept):
        if place.startswith(inside) and not f"{place}/".startswith(tuple(bound)) and os.path.exists(place):
            if not _bind(place, f"{_ABOVE}/{place.removeprefix(inside)}"):
                return False
            bound.append(f"{place}/")
    below = f"{_ABOVE}/{os.path.basename(folder)}"
    os.makedirs(below, exist_ok=True)
    os.fchdir(opened)
    _show(below, False)
    if order.named.startswith(inside) and not f"{order.named}/".startswith(tuple(bound)):
        _bind(below, f"{_ABOVE}/{order.named.removeprefix(inside)}")
    if _mount(_ABOVE, above, _MOVE):
        return True
    _libc.umount2(os.fsencode(below), _DETACH)
    return False


def _bind(place: str, at: str) -> bool:
    """Show a file or folder at another path too."""
    os.makedirs(at if os.path.isdir(place) else os.path.dirname(at), exist_ok=True)
    if not os.path.isdir(place):
        with open(at, "x"):
            pass
    return _mount(place, at, _BIND)


def _mount(place: str, at: str, how: int) -> bool:
    return _libc.mount(os.fsencode(place), os.fsencode(at), None, how, None) == 0


def _show(path: str, write: bool) -> None:
    """Mount the working folder at its path, directly or below a change layer."""
    at = os.fsencode(path)
    if write:
        _libc.mount(b".", at, None, _BIND, None)
        clear(path, _READ_ONLY)
        return
    for name in ("new", "work"):
        os.makedirs(f"{_CHANGES}/{name}", exist_ok=True)
    layers = f"lowerdir=.,upperdir={_CHANGES}/new,workdir={_CHANGES}/work".encode()
    for options in (layers, layers + b",userxattr"):  # the second works without rights outside the namespace
        if _libc.mount(b"overlay", at, b"overlay", _PLAIN, options) == 0:
            return
    _libc.mount(b".", at, None, _BIND, None)  # read-only


def clear(path: str, flags: int) -> None:
    """Clear flags of the mount at a path."""
    attributes = struct.pack("QQQQ", 0, flags, 0, 0)
    _libc.syscall(_MOUNT_SETATTR, _HERE, os.fsencode(path), 0, attributes, ctypes.c_size_t(len(attributes)))


def keep_null() -> None:
    """Allow opening /dev/null on a mount without devices. Needs CAP_SYS_ADMIN."""
    null = os.fsencode(os.devnull)
    if _libc.mount(null, null, None, _BIND, None) == 0:
        clear(os.devnull, _DEVICES)


@contextmanager
def private_folder(user: int | None = None) -> Iterator[tuple[str, int]]:
    """Create a disk folder for one run, emptied and removed at the end.

    Its path is the same for all non-concurrent runs, because programs print it. `user` owns it, None: this user. The
    path is "" without a writable folder.
    """
    try:
        top = os.path.join(tempfile.gettempdir(), f"notebook-{os.getuid()}")
        with suppress(FileExistsError):
            os.mkdir(top, 0o711)
    except OSError:  # without a writable folder; a child that cannot mount one ends when it enters this one
        with open(os.devnull) as nothing:
            yield "", nothing.fileno()
        return
    if os.lstat(top).st_uid != os.getuid() or os.path.islink(top):  # owned by another user
        top = tempfile.mkdtemp(prefix="notebook-")
        os.chmod(top, 0o711)
    number = 1
    while (descriptor := _taken(f"{top}/{number}")) is None:
        number += 1
    try:
        if user is not None:
            os.chown(descriptor, user, -1)
        yield f"{top}/{number}", descriptor
    finally:
        shutil.rmtree(f"{top}/{number}", ignore_errors=True)
        os.close(descriptor)


def _taken(path: str) -> int | None:
    """Return a new or abandoned folder's descriptor, None if taken."""
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:  # removed in the meantime
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
            for name in os.listdir(path):
                inside = os.path.join(path, name)
                shutil.rmtree(inside) if os.path.isdir(inside) and not os.path.islink(inside) else os.remove(inside)
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def used_mb(path: str) -> float:
    """Return the MB of the files below a folder."""
    size = 0
    for place, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size / 1e6
