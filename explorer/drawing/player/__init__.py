"""The player of a run: what the browser is told of its moments, and the scripts that show them.

Belongs here: the line for the browser, its words. Does not belong here: what happens at a moment (analysis/timeline),
the questions of Predict (ui), pages without a server (offline).
"""
