"""What training steps show about its health: a vanishing gradient, a loss that becomes NaN.

Belongs here: exact conditions on the curves of a Trace, a file per subject, each a pure function from a stretch of
steps to remarks, and the remarks as text. Does not belong here: the curves themselves (training), faults that a single
backward shows (faults), sentences (text). A remark is true of the recorded numbers, or it is not made.
"""
