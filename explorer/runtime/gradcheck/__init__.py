"""Repeat a program unrecorded with a changed leaf entry.

Belongs here: running in float64, moving the entry at its operation, reading the root, and recorded calls repeated with
other values of the entry (`repeats`), for which no program has to run. Does not belong here: the choice of entries, and
conclusions about a gradient (analysis.diagnose.gradcheck).
"""
