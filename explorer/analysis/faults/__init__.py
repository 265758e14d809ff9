"""Bugs in a program that raise nothing: exact conditions on a complete Trace.

Belongs here: one file per family of faults, with pure functions from a `Run` to findings with their evidence.
Does not belong here: why a program stopped (errors), and sentences (text). If a condition is not met exactly, report
nothing: silence is right more often than a guess.
"""
