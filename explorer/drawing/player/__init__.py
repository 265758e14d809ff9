"""The scripts that show the moments of a run.

Belongs here: buttons, track and hands. Does not belong here: what happens at a moment (analysis/timeline) and what it
changes in a picture (moments), the questions of Predict (ui), pages without a server (offline).
"""
