"""Tables in HTML: columns with their types, columns and their tensors.

Belongs here: pure functions from a Trace's tables to escaped HTML. Does not belong here: their interpretation (data).
"""
