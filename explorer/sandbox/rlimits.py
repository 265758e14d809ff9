"""Resource limits of a process, which it cannot raise again."""

import math
import time

try:
    import resource
except ImportError:  # Windows
    resource = None

_MB = 1_000_000

STACK_MB = 64  # needed to free a graph of 100 000 nodes
DESCRIPTORS = 64


WRITTEN_MB = 10_000  # MB of one file in a local folder


def bound(size: int, data: int, memory_mb: float, seconds: float, file_mb: float = 0) -> bool:
    """Permanently limit this process: no processes, threads or core, bounded resources.

    Each file has at most `file_mb`. `size` is the size of its address space in bytes, `data` that of its writable part.
    Both may grow by `memory_mb` and are unbounded if 0, unknown. After `seconds` of CPU time it gets SIGXCPU, and a
    second later SIGKILL. Reserved address space, such as WebAssembly's memory, counts as size but not as data. Returns
    False if anything is not bounded.
    """
    if resource is None:
        return False
    computed = math.ceil(time.process_time() + seconds)
    limits = {
        **({"AS": (size + int(memory_mb * _MB),) * 2} if size else {}),
        **({"DATA": (data + int(memory_mb * _MB),) * 2} if data else {}),
        "CPU": (computed, computed + 1),
        "STACK": (STACK_MB * _MB,) * 2,
        "NOFILE": (DESCRIPTORS,) * 2,
        "NPROC": (0,) * 2,
        "FSIZE": (int(file_mb * _MB),) * 2,
        "CORE": (0,) * 2,
    }
    held = [_set(getattr(resource, f"RLIMIT_{name}", None), *bounds) for name, bounds in limits.items()]
    return size > 0 and all(held)


def without_files(files: bool = False) -> bool:
    """Limit a preloaded parent: no core, perhaps no file bytes."""
    if resource is None:
        return False
    kinds = (resource.RLIMIT_CORE,) if files else (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)
    return all([_set(kind, 0, 0) for kind in kinds])


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
