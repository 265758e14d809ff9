"""Whether a model's gradients are sound: each parameter's, where NaN and infinity start, and one report.

Belongs here: pure functions from a Trace to plain records, and these as text, HTML and JSON. Does not belong here: the
conditions of diagnoses (faults), why one number is what it is (why), pictures (drawing), torch (runtime).
"""

from explorer.analysis.health.gradients import GradientTable, gradients, parameters
from explorer.analysis.health.origins import Origin, origins
from explorer.analysis.health.report import Report, report
from explorer.analysis.health.report_contents import ReportedLoss
from explorer.analysis.health.rows import GradientRow

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
