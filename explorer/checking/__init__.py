"""Gradients held against quotients: which entries are worth moving, and what the moved runs say of them.

Belongs here: pure functions of a Trace and of the readings of its probes. Does not belong here: running anything
(runtime.probing), waiting for it (checked), and sentences (text).
"""

from explorer.checking.planning import Subject, Unchecked, subjects
from explorer.checking.verdicts import Check, EntryCheck, check, probes, second_look

__all__ = ["Check", "EntryCheck", "Subject", "Unchecked", "check", "probes", "second_look", "subjects"]
