"""Growth of cost with the input. No test asserts seconds, which depend on the machine as much as on the code."""

import gc
import math
import time
from collections.abc import Callable

ATTEMPTS = 6


def cost(act: Callable[[], object]) -> float:
    """Return a call's CPU time without collecting other tests' garbage. Compare it with another cost."""
    gc.disable()
    try:
        begin = time.process_time()
        act()
        return time.process_time() - begin
    finally:
        gc.enable()


def unit() -> float:
    """Return the cost of a fixed piece of Python on this machine now: about 10 ms on a fast one."""

    def piece() -> None:
        table: dict[str, int] = {}
        for number in range(30_000):
            table[str(number % 1_000)] = table.get(str(number % 500), 0) + number

    return min(cost(piece) for _ in range(3))


def costs_at_most(factor: float, act: Callable[[], object], beside: Callable[[], object], free: float = 1.0) -> bool:
    """Return whether `act` costs at most `factor` times `beside`; costs below `free` units count as equal.

    Other processes only ever add to a cost, so the least of several attempts counts.
    """
    large = other = math.inf
    least = free * unit()
    for _ in range(ATTEMPTS):
        large = min(large, cost(act))
        if large < least:
            return True
        other = min(other, cost(beside))
        if large < factor * other + least:
            return True
    return False


def grows_in_proportion(act: Callable[[int], object], size: int, times: int = 8, free: float = 1.0) -> bool:
    """Return whether `act(times * size)` costs about `times` as much as `act(size)`, not its square.

    Prepare the inputs outside of act, which is measured completely.
    """
    return costs_at_most(halfway(times), lambda: act(times * size), lambda: act(size), free)


def halfway(times: float) -> float:
    """Return the growth halfway between linear and quadratic (in factors) for an input `times` as large."""
    return times**1.5
