"""The root of the shown gradient: the program's own, or a chosen output."""

import math
from dataclasses import dataclass

from explorer.trace import Options

MOST_START = 1_000  # most numbers in a starting gradient


@dataclass(frozen=True)
class GradientTarget:
    """A root other than the program's own.

    Attributes:
        of: name, "" for the program's own backward calls.
        start: starting gradient v as typed: numbers in row-major order, empty for ones.
    """

    of: str = ""
    start: str = ""

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """Typed starting gradient, None unless finite numbers."""
        words = self.start.replace(",", " ").replace("[", " ").replace("]", " ").replace("\u2212", "-").split()
        try:
            numbers = tuple(float(word.strip("()")) for word in words)
        except ValueError:
            return None
        return numbers if len(numbers) <= MOST_START and all(map(math.isfinite, numbers)) else None

    @property
    def options(self) -> Options:
        """Options of a run with this root."""
        return Options(of=self.of, start=(self.numbers or ()) if self.of else ())
