"""The lines of `ls` for files and folders, as GNU prints them into a file."""

import math
import os
import stat
import time
from collections.abc import Sequence

KNOWN = frozenset("1lhaAtSr")  # options
BLOCK = 4096  # bytes
HALF_A_YEAR = 31_556_952 // 2  # seconds
OWNER = "notebook"

Entry = tuple[str, os.stat_result]


def listing(entries: Sequence[Entry], options: set[str], total: bool = False) -> list[str]:
    """A line for each entry. With `total` the space of all comes before, as of a folder."""
    if "t" in options:
        entries = sorted(entries, key=lambda entry: -entry[1].st_mtime)
    elif "S" in options:
        entries = sorted(entries, key=lambda entry: -entry[1].st_size)
    if "r" in options:
        entries = entries[::-1]
    if "l" not in options:
        return [name for name, _ in entries]
    human = "h" in options
    sizes = [_human(found.st_size) if human else str(found.st_size) for _, found in entries]
    width = max(map(len, sizes), default=0)
    links = max((len(str(found.st_nlink)) for _, found in entries), default=0)
    lines = [
        f"{stat.filemode(found.st_mode)} {found.st_nlink:{links}} {OWNER} {OWNER} {size:>{width}} "
        f"{_date(found.st_mtime)} {name}"
        for (name, found), size in zip(entries, sizes, strict=True)
    ]
    used = sum(math.ceil(found.st_size / BLOCK) * BLOCK for _, found in entries)
    return [f"total {_human(used) if human else used // 1024}", *lines] if total else lines


def _human(size: int) -> str:
    """A size with one digit behind the point below 10, rounded up.

    >>> [_human(size) for size in (0, 1023, 1025, 10241, 5 * 1024**2)]
    ['0', '1023', '1.1K', '11K', '5.0M']
    """
    if size < 1024:
        return str(size)
    power = min(int(math.log2(size)) // 10, 4)
    amount = size / 1024**power
    return (
        f"{math.ceil(amount * 10) / 10:.1f}{'KMGT'[power - 1]}"
        if amount <= 9.9
        else f"{math.ceil(amount)}{'KMGT'[power - 1]}"
    )


def _date(moment: float) -> str:
    """The time of day of a file of the last half year, the year of any other."""
    when = time.localtime(moment)
    late = 0 <= time.time() - moment < HALF_A_YEAR
    return time.strftime("%b", when) + f" {when.tm_mday:2d} " + time.strftime("%H:%M" if late else " %Y", when)
