"""What stands around a program on more than one page: output, problems, plots, notices, files.

Belongs here: parts that several pages draw out of one run. Does not belong here: state (session), what only one page
shows (pages).
"""
