"""The recorder: rows of what torch does while a program runs, and the Trace assembled from them.

Belongs here: hooks, rows, values, names and places of operations. Does not belong here: what a program is and may do
(notebook, policy), what a Trace means (autograd).
"""
