"""The steps of a training as pages list them: tables, strips, films, events.

Belongs here: pure functions from `Trace.steps` and its curves (run.curves) to records. Does not belong here: recording
steps (runtime), drawing curves (drawing), their sentences (text).
"""

from explorer.analysis.views.training.table import StepTable, step_table, steps_plain
