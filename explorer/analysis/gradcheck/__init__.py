"""Numeric gradient checks: which entries to move, and what the moved runs say about the gradients.

Belongs here: pure functions of a Trace and of the readings of its probes. Does not belong here: running anything
(runtime.gradcheck), waiting for it (workers.gradcheck), and sentences (text).
"""
