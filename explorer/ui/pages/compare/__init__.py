"""The Compare page: two programs side by side, and where their runs first differ.

Belongs here: parts only on this page. Does not belong here: finding differences (comparing), rendering (drawing).
"""
