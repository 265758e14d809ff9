"""Run cells with IPython: compiling, magics and shell lines, outputs, files, the environment of a run.

Belongs here: the environment of a program and its outputs. Does not belong here: what torch did (recorder), a
program's files (files), figures (figures).
"""
