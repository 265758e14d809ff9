"""The Operations page: one operation, drawn entry by entry, of a program or typed in.

Belongs here: choosing the operation, and what lights when an entry is pointed at. Does not belong here: what an
operation did to each entry (tensors.operations), how it looks (drawing.operations).
"""
