"""Parts around a program on several pages: output, problems, plots, notices, files.

Belongs here: parts that several pages draw from one run. Does not belong here: state (session), parts of a single page
(pages).
"""
