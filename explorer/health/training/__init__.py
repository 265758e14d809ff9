"""What the steps of a training say of its health: a gradient that vanishes, a loss that stops being a number.

Belongs here: exact conditions on the curves of a Trace, a file per subject, each a pure function from a stretch of
steps to remarks, and the remarks as text. Does not belong here: the curves themselves (training), faults that one
backward shows already (diagnose), sentences (text). A remark is true of the recorded numbers, or there is none.
"""

from explorer.health.training.remark import Clause, Moment, TrainingRemark
from explorer.health.training.remarks import remarks
from explorer.health.training.words import clauses, moment_text, remark_text

__all__ = ["Clause", "Moment", "TrainingRemark", "clauses", "moment_text", "remark_text", "remarks"]
