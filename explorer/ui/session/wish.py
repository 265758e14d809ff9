"""Whose gradient is shown: the program's own, or that of an output that the reader chose."""

import math
from dataclasses import dataclass

from explorer.trace import Options

MOST_START = 1_000  # numbers of a starting gradient


@dataclass(frozen=True)
class Wish:
    """Another output to differentiate than the program does itself.

    Attributes:
        of: its name, "" for the program's own backward calls.
        start: the starting gradient v as it was typed: numbers in row-major order, or nothing for ones.
    """

    of: str = ""
    start: str = ""

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """What was typed, None when it is not finite numbers."""
        words = self.start.replace(",", " ").replace("[", " ").replace("]", " ").replace("\u2212", "-").split()
        try:
            found = tuple(float(word.strip("()")) for word in words)
        except ValueError:
            return None
        return found if len(found) <= MOST_START and all(map(math.isfinite, found)) else None

    @property
    def options(self) -> Options:
        """What the run is asked for."""
        return Options(of=self.of, start=(self.numbers or ()) if self.of else ())
