"""A picture or a training in a notebook, whose clicks ask the kernel.

Belongs here: the kernel's answers, and the scripts that ask. Does not belong here: drawing (graph, training), offline
pages (offline).
"""
