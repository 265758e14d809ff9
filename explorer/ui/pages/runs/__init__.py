"""The Runs page: trainings that `explorer.watch` records.

Belongs here: which runs are shown, their state, and the step that is chosen. Does not belong here: reading their files
(`ui/session/watched_runs.py`) and drawing loss and strips (`drawing/training/`).
"""
