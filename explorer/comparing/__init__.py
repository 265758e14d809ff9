"""Two runs side by side: where their values and their gradients first differ, by operation and by module.

Belongs here: which operation of one run is which of the other, how far apart two values are, and that in words; which
lines of two programs differ, and a program changed to be compared with itself. Does not belong here: running programs
(sandbox), whether one run is sound (health), how it looks (drawing).
"""

from explorer.comparing.comparison import Comparison, compare
from explorer.comparing.gradients import GradientPair

__all__ = ["Comparison", "GradientPair", "compare"]
