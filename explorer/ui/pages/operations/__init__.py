"""The Operations page: one operation, drawn entry by entry.

Belongs here: choosing the operation, and hover highlights. Does not belong here: entries of operations
(explain.entries), rendering (drawing.operations).
"""
