"""Limits of a program, set by the owner or the host."""

import math
import os
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from explorer.sandbox import hosting
from explorer.text import SayableError
from explorer.trace import Options

_MB = 1_000_000
_CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


_USUAL = Options()
SECONDS_AT_HOME = 60.0


class Limits(Struct, frozen=True):
    """The limits of one run.

    Attributes:
        memory_mb: MB beyond PyTorch's own memory.
        seconds: CPU seconds.
        output_kb: KB of printed text before its middle is left out.
    """

    memory_mb: float = _USUAL.memory_limit
    seconds: float = _USUAL.time_limit
    output_kb: float = _USUAL.output_limit

    def of(self, options: Options) -> Options:
        """Return the options of a run under these limits."""
        return msgspec.structs.replace(
            options, memory_limit=self.memory_mb, time_limit=self.seconds, output_limit=self.output_kb
        )


# Limit → its environment variable, smallest and largest value.
BOUNDS = {
    "memory_mb": ("EXPLORER_MEMORY_LIMIT", 50.0, 1_000_000.0),
    "seconds": ("EXPLORER_TIME_LIMIT", 0.05, 86_400.0),
    "output_kb": ("EXPLORER_OUTPUT_LIMIT", 1.0, 1_000.0),
}


class BadLimit(SayableError, ValueError):
    """Raised for a limit that is not a number or out of range.

    Args: name: of the variable or option. given: its text. least, most: the allowed range.
    """

    def __init__(self, name: str, given: str, least: float, most: float):
        super().__init__("bad-limit", name=name, given=given, least=f"{least:g}", most=f"{most:.0f}")


def limits(environment: Mapping[str, str] = os.environ) -> Limits:
    """Return this process's limits from the environment or defaults. Raises BadLimit."""
    default = Limits() if hosting.hosted() else Limits(memory_mb=_local_default(), seconds=SECONDS_AT_HOME)
    given = {field: environment.get(variable, "") for field, (variable, _, _) in BOUNDS.items()}
    read = {field: limit(field, text, BOUNDS[field][0]) for field, text in given.items() if text.strip()}
    return msgspec.structs.replace(default, **read)


def limit(field: str, text: str, name: str) -> float:
    """Parse one limit. `name` is the variable or option. Raises BadLimit."""
    _, least, most = BOUNDS[field]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise BadLimit(name, text[:100], least, most)
    return value


def _local_default() -> float:
    """Return a quarter of the machine's memory, at least 1 000 MB."""
    return float(max(1_000, machine_memory() // 4 // _MB))


def machine_memory() -> int:
    """Return this machine's or container's memory in bytes, 0 if unknown."""
    try:
        sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, OSError, ValueError):
        return _asked_of_psutil()
    for place in _CONTAINER:
        try:
            with open(place, encoding="ascii") as file:
                sizes.append(int(file.read()))
        except (OSError, ValueError):  # no file, or "max"
            pass
    return min(sizes)


def _asked_of_psutil() -> int:
    try:
        import psutil
    except ImportError:
        return 0
    return psutil.virtual_memory().total
