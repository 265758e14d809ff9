"""The Training page: program, loss, and parameters' strips.

Belongs here: parts only on this page: a step in numbers, further plots, the previous run in grey. Does not belong here:
analysis of steps (training), rendering (drawing/training).
"""
