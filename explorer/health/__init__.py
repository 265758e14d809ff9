"""Whether the gradients of a model are sound: each parameter's, where NaN and infinity start, and one report of all.

Belongs here: pure functions from a Trace to plain records, and these as text, HTML and JSON. Does not belong here: the
conditions of diagnoses (diagnose), why one number is what it is (reasoning), pictures (drawing), torch (runtime).
"""

from explorer.health.gradients import GradientTable, gradients, parameters
from explorer.health.origins import Origin, origins
from explorer.health.report import Report, report
from explorer.health.reported import ReportedLoss
from explorer.health.rows import GradientRow

__all__ = [
    "GradientRow",
    "GradientTable",
    "Origin",
    "Report",
    "ReportedLoss",
    "gradients",
    "origins",
    "parameters",
    "report",
]
