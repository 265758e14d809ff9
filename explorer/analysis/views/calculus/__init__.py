"""Derivatives: programs for curves, slopes and surfaces, and their Traces.

Belongs here: the text of those programs (`frames/*.py.txt` around the user's function), scanning that text, and pure
functions from a Trace to plain records. Does not belong here: computing values or derivatives (the program does, in the
child), pixels, colours, sentences (a FunctionProblem holds an id and Python's message).
"""
