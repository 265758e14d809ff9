"""A program's text: expressions, assignments and edits.

Belongs here: reading an expression or a statement as the program writes it, and changing it. Does not belong here: the
effects of its operations (see the Trace), and why a change is right. Expressions follow Python's grammar. Anything
uncertain is None.
"""
