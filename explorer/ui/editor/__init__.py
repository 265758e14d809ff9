"""The editor: cells as text, what stands beside their lines, signatures on request.

Belongs here: the component with its scripts, what the browser says of the text, and what it is told. Does not belong
here: the session's document (session), output below the program (panels).
"""
