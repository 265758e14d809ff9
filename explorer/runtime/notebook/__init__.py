"""Cells as IPython runs them: compiling, magics and shell lines, outputs, files, the surroundings of a run.

Does not belong here: what torch did (recording), what is allowed (policy).
"""
