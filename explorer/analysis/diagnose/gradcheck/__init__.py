"""Numeric gradient checks: choosing entries to move, and judging the moved runs.

Belongs here: pure functions of a Trace and of the readings of its probes. Does not belong here: running anything
(runtime.gradcheck), waiting for it (workers.gradcheck), and sentences (text).
"""
