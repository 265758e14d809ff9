"""Tools to observe and control processes in tests."""

import contextlib
import os
import signal

import pytest

from explorer.sandbox.runner import SubmittedRun
from tests.patience import eventually

ENDLESS = "import time\nwhile True: time.sleep(0.01)"

# A program that runs until released by a signal, since it cannot open files without Landlock.
WAITING = """import signal, time
came = []
signal.signal(signal.SIGURG, lambda *_: came.append(True))
while not came: time.sleep(0.01)
answer = 'to the end'"""


def _may_look() -> bool:
    with open("/proc/self/status") as file:
        effective = next(line.split()[1] for line in file if line.startswith("CapEff"))
    return bool(int(effective, 16) & 1 << 19)  # CAP_SYS_PTRACE


MAY_LOOK = os.path.exists("/proc/self/status") and _may_look()
looks = pytest.mark.skipif(not MAY_LOOK, reason="only root sees what a process holds that hides it")


def descriptors(pid: int) -> int:
    """Return how many files a process holds open; 0 if this user cannot see it."""
    return len(os.listdir(f"/proc/{pid}/fd")) if MAY_LOOK or pid == os.getpid() else 0


def release(pid: int, run: SubmittedRun) -> None:
    """End a waiting program; before it waits it ignores the signal."""

    def signalled() -> bool:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGURG)
        return run.done()

    assert eventually(signalled)


def children(parent: int) -> dict[int, str]:
    """Return a process's children and their states, Z for an ended one not waited for."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                state, of = file.read().rsplit(")", 1)[1].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(of) == parent:
            found[int(name)] = state
    return found


def gone(pid: int) -> bool:
    """Wait, and return whether a process has ended."""

    def ended() -> bool:
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    return eventually(ended)


def running(parent: int) -> list[int]:
    """Return a parent's children with a program; the one forked ahead is not confined yet."""
    return [pid for pid, state in children(parent).items() if state == "Z" or _may_start_nothing(pid)]


def waiting(parent: int) -> list[int]:
    """Return the child forked ahead, if any."""
    return [pid for pid, state in children(parent).items() if state != "Z" and not _may_start_nothing(pid)]


def _may_start_nothing(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/limits") as file:
            return any(line.split()[:3] == ["Max", "processes", "0"] for line in file)
    except (FileNotFoundError, ProcessLookupError):
        return False


def child(parent: int) -> int:
    """Wait for a parent's only child with a program and return it."""
    found: list[int] = []
    assert eventually(lambda: bool(found.extend(running(parent)) or found)), "the program did not start"
    return found[0]
