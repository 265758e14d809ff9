"""What is wrong with a program's gradients although nothing failed: exact conditions on a complete Trace.

Belongs here: one small file per family of faults, each a pure function from `Facts` to diagnoses with their evidence.
Does not belong here: why a program stopped (explain), and sentences (text). A condition that is not met exactly is no
diagnosis: silence is right more often than a guess.
"""

from explorer.diagnose.diagnosing import LEVELS, diagnose, level
from explorer.diagnose.finding import Finding, Repair

__all__ = ["LEVELS", "Finding", "Repair", "diagnose", "level"]
