"""The longer commands, a file each, and what they share.

Belongs here: reading arguments, printing results, the exit status. Does not belong here: the parser of all commands
(cli), and anything that computes.
"""
