"""A picture in a notebook, whose clicks ask the kernel.

Belongs here: what the kernel answers, and the script that asks. Does not belong here: the picture (graph), pages that
stand alone (offline).
"""
