"""What a Trace's steps say about training: curves by name, the one reading of them that every view shares.

Belongs here: pure functions from `Trace.steps` to numbers and tables. Does not belong here: how steps are taken
(runtime), how curves are drawn (drawing), their sentences (text).
"""

from explorer.training.reading import Curves, LeafCurves, curves, main_place
from explorer.training.table import StepTable, step_table, steps_plain

__all__ = ["Curves", "LeafCurves", "StepTable", "curves", "main_place", "step_table", "steps_plain"]
