"""Comparison of two runs: first differences of values and gradients, by operation and module.

Belongs here: pairing operations, distances between values, their text, and changed lines of two programs. Does not
belong here: running programs (sandbox), whether one run is sound (health), how it looks (drawing).
"""

from explorer.analysis.views.comparison.comparison import Comparison, compare
from explorer.analysis.views.comparison.gradient_differences import GradientPair
