"""What one session edits and runs: its document, its address, its run, its files and limits.

Belongs here: state, the one way it changes, and the fields that change it on every page. Does not belong here: what a
run left behind, drawn (panels, pages), running itself (sandbox).
"""
