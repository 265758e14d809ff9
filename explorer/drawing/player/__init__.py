"""The scripts that show the moments of a run.

Belongs here: buttons, track and playhead. Does not belong here: moments (analysis/views/timeline) and their changes to
a picture (moments), the questions of Predict (ui), offline pages (offline).
"""
