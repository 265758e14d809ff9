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


def gone(pid: int, seconds: float = 5.0) -> bool:
    """Whether a process has ended, or does so in that time."""

    def ended() -> bool:
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    return within(seconds, ended)


def child(parent: int) -> int:
    """The one child of a parent that runs a program; waits for it."""
    found = []

    def running() -> bool:
        found[:] = [pid for pid, state in children(parent).items() if state != "Z"]
        return bool(found)

    assert within(20, running), "the program did not start"
    return found[0]
