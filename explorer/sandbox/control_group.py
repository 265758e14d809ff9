"""Bound a run by its own control group (cgroups v2).

systemd does so with `Delegate=yes`, and so do container runtimes. EXPLORER_CGROUP names another group. The kernel then
counts everything that a run uses, page tables included. Documentation/admin-guide/cgroup-v2 in Linux describes the
files.
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from explorer.once import once

SWITCH = "EXPLORER_CGROUP"  # environment variable: a delegated group, or "no"
CONTROLLERS = ("memory", "pids", "cpu")
_SERVER, _RUN = "explorer-server", "explorer-run-"  # group names: of this process, and the prefix for runs
_COPIED_MB = 100  # allowance for pages copied from the parent, and for kernel records
_PROCESSES = 4  # a child has two threads and cannot start more
_NO = ("no", "off", "0", "false")


@contextlib.contextmanager
def run_group(memory_mb: float) -> Iterator[int | None]:
    """Create a group for one run. Yields its process list's descriptor, or None."""
    groups = _groups()
    if groups is None:
        yield None
        return
    path = groups.make(memory_mb)
    try:
        with open(path / "cgroup.procs", "wb", 0) as processes:
            yield processes.fileno()
    finally:
        groups.remove(path)


def available() -> bool:
    """Return whether each run gets its own control group here."""
    return _groups() is not None


class _Groups:
    """Groups of runs below one delegated to this server. Thread-safe."""

    def __init__(self, base: Path) -> None:
        self._base, self._lock, self._numbers = base, threading.Lock(), count(1)
        self._left: list[Path] = list(base.glob(f"{_RUN}*"))  # left by a killed server

    def make(self, memory_mb: float) -> Path:
        """Make a group for a run. Raises OSError."""
        path = self._base / f"{_RUN}{os.getpid()}-{next(self._numbers)}"
        path.mkdir()
        bounds = {
            "memory.max": int((memory_mb + _COPIED_MB) * 1_000_000),
            "memory.swap.max": 0,
            "memory.oom.group": 1,
            "pids.max": _PROCESSES,
            "cpu.max": "100000 100000",  # at most one processor
        }
        for name, bound in bounds.items():
            with contextlib.suppress(FileNotFoundError):  # a kernel without swap has no limit on it
                (path / name).write_text(str(bound))
        return path

    def remove(self, path: Path) -> None:
        """Remove groups whose processes have ended, and busy ones later."""
        with self._lock:
            left, self._left = [*self._left, path], []
        busy = [group for group in left if not _removed(group)]
        with self._lock:
            self._left += busy


def _removed(group: Path) -> bool:
    try:
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


@once
def _groups() -> _Groups | None:
    """Return this server's groups, prepared on first use, None without a delegated group."""
    try:
        base = _delegated()
        return None if base is None or not _ready(base) else _Groups(base)
    except OSError:
        return None


def _delegated() -> Path | None:
    """Return the group whose subtree this server may change. Raises OSError."""
    named = os.environ.get(SWITCH, "").strip()
    if named:
        return None if named.lower() in _NO else Path(named)
    places = [line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")]
    mounts = [line.split()[1:3] for line in Path("/proc/self/mounts").read_text().splitlines()]
    mount = next((place for place, kind in mounts if kind == "cgroup2"), None)
    if mount is None or not places:
        return None
    path = Path(mount + places[0])
    base = path.parent if path.name == _SERVER else path
    in_container = base == Path(mount) and (base / "cgroup.type").exists()  # a machine's root group has no such file
    return base if in_container or _is_marked(base) else None


def _is_marked(base: Path) -> bool:
    """Return whether systemd has delegated a group."""
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(base, name) == b"1":
                return True
    return False


def _ready(base: Path) -> bool:
    """Enable controllers below this group, moving its own processes out first. Raises OSError."""
    if not set(CONTROLLERS) <= set((base / "cgroup.controllers").read_text().split()):
        return False
    switch = base / "cgroup.subtree_control"
    if not set(CONTROLLERS) <= set(switch.read_text().split()):
        server = base / _SERVER
        server.mkdir(exist_ok=True)
        for pid in (base / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (server / "cgroup.procs").write_text(pid)
        switch.write_text(" ".join(f"+{name}" for name in CONTROLLERS))
    return os.access(base, os.W_OK)
