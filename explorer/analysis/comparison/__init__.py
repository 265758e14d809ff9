"""Comparison of two runs: first differences of values and gradients, by operation and module.

Belongs here: pairing operations, distances between values, their text, changed lines of two programs, and variants of
a program for a comparison with itself. Does not belong here: running programs (sandbox), whether one run is sound
(health), how it looks (drawing).
"""

from explorer.analysis.comparison.comparison import Comparison, compare
from explorer.analysis.comparison.gradients import GradientPair
