"""What a child gives up before it reads a program.

Mechanisms that stand here now: resource limits, no new privileges, an undumpable process, closed descriptors, an empty
environment. Landlock and a system call filter are named in the report and do not hold yet: their place is at the end of
`confine`, in this order, the filter last because it forbids what the others need.
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterable
from itertools import pairwise

import msgspec
from msgspec import Struct

_libc = ctypes.CDLL(None, use_errno=True)  # loaded once, in the preloaded parent

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_PR_GET_DUMPABLE = 3
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_PR_GET_NO_NEW_PRIVS = 39

_MB = 1_000_000


class Confinement(Struct, frozen=True):
    """Which mechanisms hold in a child here.

    Attributes:
        rlimits: address space bounded, no core files, no bytes into files.
        no_new_privs: nothing executed gains rights.
        undumpable: other processes of the user can neither trace it nor read its memory.
        descriptors: nothing open but what was named, standard streams on the null device.
        environment: no variables.
        landlock: no file can be opened (not built yet).
        seccomp: only listed system calls (not built yet).
    """

    rlimits: bool
    no_new_privs: bool
    undumpable: bool
    descriptors: bool
    environment: bool
    landlock: bool = False
    seccomp: bool = False


def die_with(parent: int) -> None:
    """Makes the kernel kill this process when the thread of `parent` that forked it ends; ends it if that is past."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def confine(keep: Iterable[int], memory_mb: float) -> Confinement:
    """Confines the calling process for the rest of its life and says what holds.

    `keep` are the descriptors that stay open (above 2); `memory_mb` is what the address space may grow by.
    """
    descriptors = _close_all_but(sorted(keep))
    os.environ.clear()
    rlimits = _limit(memory_mb)
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return Confinement(
        rlimits=rlimits,
        no_new_privs=_libc.prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
        undumpable=_libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 0,
        descriptors=descriptors,
        environment=not os.environ,
    )


def probe() -> Confinement:
    """What holds on this machine, tried in a process of its own. Raises OSError, msgspec.DecodeError if that fails."""
    command = [sys.executable, "-P", "-c", "from explorer.sandbox.confine import _try; _try()"]
    environment = {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False, timeout=30)
    return msgspec.json.decode(done.stdout, type=Confinement)


def _try() -> None:
    answer = os.dup(1)
    os.write(answer, msgspec.json.encode(confine([answer], 200)))
    os._exit(0)


def _close_all_but(keep: list[int]) -> bool:
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    edges = [2, *keep, os.sysconf("SC_OPEN_MAX")]
    for before, after in pairwise(edges):
        os.closerange(before + 1, after)
    left = {int(name) for name in os.listdir("/proc/self/fd")} - {0, 1, 2, *keep}
    return not any(map(_is_open, left))  # the listing's own descriptor stands in it and is closed by now


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _limit(memory_mb: float) -> bool:
    with open("/proc/self/statm", "rb") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    wanted = {
        resource.RLIMIT_AS: size + int(memory_mb * _MB),
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
    }
    for kind, most in wanted.items():
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
    return all(resource.getrlimit(kind)[1] != resource.RLIM_INFINITY for kind in wanted)
