"""The commands that are more than a few lines, a file each, and what they share.

Belongs here: reading what was asked for, printing what came of it, the exit status. Does not belong here: the parser,
which knows all commands (cli), and anything that computes.
"""
