"""The longer commands, one file each, and their shared code.

Belongs here: reading arguments, printing results, the exit status. Does not belong here: the parser of all commands
(cli), and anything that computes.
"""
