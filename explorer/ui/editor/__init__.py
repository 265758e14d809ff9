"""The editor: cells as text, what stands beside their lines, signatures on request.

Belongs here: the component, its scripts and what it is told. Does not belong here: the session's document (session),
output below the program (panels).
"""
