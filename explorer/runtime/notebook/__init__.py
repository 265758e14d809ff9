"""Cells as IPython runs them: compiling, magics and shell lines, outputs, files, the surroundings of a run.

Belongs here: what a program finds around it and what becomes of what it shows. Does not belong here: what torch did
(recording), what is allowed (policy), figures (plotting).
"""
