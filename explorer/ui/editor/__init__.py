"""The editor: cells as text, annotations next to their lines, signatures on request.

Belongs here: the component with its scripts, and the messages to and from the browser. Does not belong here: the
session's document (session), output below the program (panels).
"""
