"""Run the program again, unrecorded, with one entry of a leaf moved, and read the root of a backward.

Belongs here: running in float64, moving the entry at its operation, reading the root; recorded calls made again with
other values of the entry (`repeats`), where no program has to run. Does not belong here: which entries to move, and
what the numbers say about a gradient (analysis.gradcheck).
"""
