"""Curves over a Trace's training steps by name, shared by all views.

Belongs here: pure functions from `Trace.steps` to numbers and tables. Does not belong here: recording steps (runtime),
drawing curves (drawing), their sentences (text).
"""

from explorer.analysis.training.curves import Curves, LeafCurves, curves, main_place
from explorer.analysis.training.table import StepTable, step_table, steps_plain
