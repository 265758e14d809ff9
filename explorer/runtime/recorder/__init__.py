"""The recorder: rows of what torch does while a program runs, and the Trace assembled from them.

Belongs here: hooks, rows, copies of entries, names and places of operations, pruning of long runs. Does not belong
here: compiling and outputs of cells (kernel), what a Trace means (analysis).
"""
