"""Run the program again, unrecorded, with one entry of a leaf moved, and read the root of a backward.

Belongs here: running in float64, moving the entry at its operation, reading the root. Does not belong here: which
entries to move, and what the numbers say about a gradient (analysis.gradcheck).
"""
