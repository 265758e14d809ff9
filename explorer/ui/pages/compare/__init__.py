"""The Compare page: two programs side by side, and where their runs first differ.

Belongs here: what this page alone shows. Does not belong here: what differs (comparing), how it is drawn (drawing).
"""
