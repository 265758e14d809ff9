"""Tables in HTML: columns with their types and distributions, changes by a step, columns and their tensors.

Belongs here: pure functions from a Trace's tables to escaped HTML. Does not belong here: what they mean (data).
"""
