"""The program again, unrecorded, with one entry of a leaf moved: what a backward then begins with.

Belongs here: running it in float64, moving the entry at its operation, reading the root. Does not belong here: which
entries are worth it, and what the numbers say of a gradient (checking).
"""
