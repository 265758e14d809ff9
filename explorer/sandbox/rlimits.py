"""Resource limits: how much a process may take, and that it cannot take more later."""

import math
import time

try:
    import resource
except ImportError:  # Windows
    resource = None

_MB = 1_000_000

STACK_MB = 64  # a graph of 100 000 nodes that the program lets go of unwinds on the stack
DESCRIPTORS = 64


def bound(size: int, data: int, memory_mb: float, seconds: float) -> bool:
    """Limits this process for good: no files, processes, threads or core; bounded memory, stack and processor time.

    `size` are the bytes its address space has, `data` those of them that it may write, `memory_mb` is what both may
    grow by, `seconds` how long it may compute from now on: then it gets SIGXCPU, and a second later SIGKILL. Address
    space that was only reserved, as WebAssembly's memory is, counts from the first to the one and not to the other.
    False where that does not hold.
    """
    if resource is None:
        return False
    computed = math.ceil(time.process_time() + seconds)
    limits = {
        "AS": (size + int(memory_mb * _MB),) * 2,
        **({"DATA": (data + int(memory_mb * _MB),) * 2} if data else {}),
        "CPU": (computed, computed + 1),
        "STACK": (STACK_MB * _MB,) * 2,
        "NOFILE": (DESCRIPTORS,) * 2,
        "NPROC": (0,) * 2,
        "FSIZE": (0,) * 2,
        "CORE": (0,) * 2,
    }
    return all([_set(getattr(resource, f"RLIMIT_{name}", None), *bounds) for name, bounds in limits.items()])


def without_files() -> bool:
    """Limits a preloaded parent: it writes no byte into a file and leaves no core."""
    return resource is not None and all([_set(kind, 0, 0) for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)])


def _set(kind: int | None, soft: int, hard: int) -> bool:
    if kind is None:  # not every system has every limit
        return False
    before = resource.getrlimit(kind)[1]
    most = hard if before == resource.RLIM_INFINITY else min(hard, before)
    try:
        resource.setrlimit(kind, (min(soft, most), most))
    except (OSError, ValueError):
        return False
    return True
