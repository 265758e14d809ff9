"""A picture or a training in a notebook, whose clicks ask the kernel.

Belongs here: what the kernel answers, and the scripts that ask. Does not belong here: what is drawn (graph, training),
pages that stand alone (offline).
"""
