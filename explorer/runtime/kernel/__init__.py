"""Cells run with IPython: compilation, magics and shell lines, outputs, files, environment.

Belongs here: the environment of a program and its outputs. Does not belong here: torch's operations (recorder), a
program's files (files), figures (figures).
"""
