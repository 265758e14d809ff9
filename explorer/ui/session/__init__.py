"""What one session edits and runs: its document, its address, its run, its files and limits.

Belongs here: state, and the one way it changes. Does not belong here: anything drawn (panels, pages), running itself
(sandbox).
"""
