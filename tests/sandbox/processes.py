"""What the tests see of processes."""

import os
import time


def children(parent: int) -> dict[int, str]:
    """The children of a process and their states, Z for one that has ended and was not waited for."""
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


def within(seconds: float, true) -> bool:
    """Whether something becomes true in that time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def gone(pid: int, seconds: float = 60.0) -> bool:
    """Whether a process has ended, or does so in that time."""

    def ended() -> bool:
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    return within(seconds, ended)


def running(parent: int) -> list[int]:
    """The children of a parent that have a program; the one forked ahead waits for its own and is not confined yet."""
    return [pid for pid, state in children(parent).items() if state == "Z" or _may_start_nothing(pid)]


def waiting(parent: int) -> list[int]:
    """The child of a parent that was forked ahead; none while it has not been."""
    return [pid for pid, state in children(parent).items() if state != "Z" and not _may_start_nothing(pid)]


def _may_start_nothing(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/limits") as file:
            return any(line.split()[:3] == ["Max", "processes", "0"] for line in file)
    except (FileNotFoundError, ProcessLookupError):
        return False


def child(parent: int) -> int:
    """The one child of a parent that runs a program; waits for it."""
    assert within(60, lambda: bool(running(parent))), "the program did not start"
    return running(parent)[0]
