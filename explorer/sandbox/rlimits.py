"""Resource limits: how much a process may take, and that it cannot take more later."""

import math

try:
    import resource
except ImportError:  # Windows
    resource = None

_MB = 1_000_000

STACK_MB = 64  # a graph of 100 000 nodes that the program lets go of unwinds on the stack
DESCRIPTORS = 64
SPARE_CPU_S = 2  # beyond the wall time at which a program is killed anyway


def bound(size: int, data: int, memory_mb: float, seconds: float) -> bool:
    """Limits this process for good: no files, processes, threads or core; bounded memory, stack and processor time.

    `size` are the bytes its address space has, `data` those of them that it may write, `memory_mb` is what both may
    grow by, `seconds` how long it may run. Address space that was only reserved, as WebAssembly's memory is, counts
    from the first to the one and not to the other. False where that does not hold.
    """
    if resource is None:
        return False
    limits = {
        "AS": size + int(memory_mb * _MB),
        **({"DATA": data + int(memory_mb * _MB)} if data else {}),
        "CPU": math.ceil(seconds) + SPARE_CPU_S,
        "STACK": STACK_MB * _MB,
        "NOFILE": DESCRIPTORS,
        "NPROC": 0,
        "FSIZE": 0,
        "CORE": 0,
    }
    return all([_set(getattr(resource, f"RLIMIT_{name}", None), most) for name, most in limits.items()])


def without_files() -> bool:
    """Limits a preloaded parent: it writes no byte into a file and leaves no core."""
    return resource is not None and all([_set(kind, 0) for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)])


def _set(kind: int | None, most: int) -> bool:
    if kind is None:  # not every system has every limit
        return False
    hard = resource.getrlimit(kind)[1]
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(kind, (least, least))
    except (OSError, ValueError):
        return False
    return True
