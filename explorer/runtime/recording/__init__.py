"""The recorder: rows of what torch does while a program runs, and the Trace assembled from them.

Belongs here: hooks, rows, copies of entries, names and places of operations, what gives way in a long run. Does not
belong here: compiling and what a cell shows (notebook), what a program may do (policy), what a Trace means (autograd).
"""
