"""Bugs that raise no error: exact conditions on a complete Trace.

Belongs here: a file for each family of faults, with pure functions from a `Run` to findings with their evidence. Does
not belong here: why a program stopped (errors), and sentences (text). If a condition is not met exactly, report
nothing: silence is better than a guess.
"""
