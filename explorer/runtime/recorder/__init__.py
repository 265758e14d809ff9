"""The recorder: rows of torch's operations in a running program, assembled into a Trace.

Belongs here: hooks, rows, copies of entries, names and places of operations, pruning of long runs. Does not belong
here: compiling and outputs of cells (kernel), a Trace's meaning (analysis).
"""
