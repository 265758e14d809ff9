"""Bugs in a program that raise nothing: exact conditions on a complete Trace.

Belongs here: one file per family of faults, with pure functions from a `Run` to findings with their evidence.
Does not belong here: why a program stopped (errors), and sentences (text). If a condition is not met exactly, report
nothing: silence is right more often than a guess.
"""

from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.faults.finding import is_fine, is_fine_in_cell
from explorer.analysis.findings import Finding
from explorer.analysis.levels import LEVELS, ORDER, Level

__all__ = ["LEVELS", "ORDER", "Finding", "Level", "diagnose", "is_fine", "is_fine_in_cell"]
