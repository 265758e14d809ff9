"""Numeric gradient checks: which entries to move, and what the moved runs say about the gradients.

Belongs here: pure functions of a Trace and of the readings of its probes. Does not belong here: running anything
(runtime.gradcheck), waiting for it (workers.gradcheck), and sentences (text).
"""

from explorer.analysis.gradcheck.examples import Mixed, example_probe, mixed
from explorer.analysis.gradcheck.leaf_curve import LeafCurve, curve_of, curve_probes, recomputed_curve
from explorer.analysis.gradcheck.subjects import Subject, Unchecked, subjects
from explorer.analysis.gradcheck.verdicts import Check, EntryCheck, check, probes, second_look

__all__ = [
    "Check",
    "EntryCheck",
    "LeafCurve",
    "Mixed",
    "Subject",
    "Unchecked",
    "check",
    "curve_of",
    "curve_probes",
    "example_probe",
    "mixed",
    "probes",
    "recomputed_curve",
    "second_look",
    "subjects",
]
