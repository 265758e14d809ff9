"""What one session edits and runs: its document, its address, its run, its files and limits.

Belongs here: state, its changes, and fields that change it on every page. Does not belong here: drawing results
(panels, pages), running programs (sandbox).
"""
