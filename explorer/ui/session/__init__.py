"""A session's document, address, run, files and limits.

Belongs here: state, its changes, and fields that change it on every page. Does not belong here: drawing results
(panels, pages), running programs (sandbox).
"""
