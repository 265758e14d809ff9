"""A program's text: its pieces, the lines that give names their values, and the edits that make a repaired text.

Belongs here: reading an expression or a statement as the program writes it, and changing it. Does not belong here:
what its operations did (the Trace says it), and why a change is right. Python's grammar decides what an expression
consists of; what is not recognised with certainty is None.
"""
