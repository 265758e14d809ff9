"""Curves over a Trace's training steps by name, shared by all views.

Belongs here: pure functions from `Trace.steps` to numbers and tables. Does not belong here: recording steps (runtime),
drawing curves (drawing), their sentences (text).
"""

from explorer.analysis.views.training.table import StepTable, step_table, steps_plain
