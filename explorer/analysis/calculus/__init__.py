"""Derivatives: programs for curves, slopes, quotients, surfaces and Jacobians, and reading their Traces.

Belongs here: the text of those programs (`frames/*.py.txt` around the user's function), scanning that text, and pure
functions from a Trace to plain records. Does not belong here: computing a value or a derivative (the program does, in
the child), pixels, colours, and sentences (a Problem holds an id and Python's own message).
"""
