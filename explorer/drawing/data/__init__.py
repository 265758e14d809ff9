"""Tables in HTML: columns with their types and distributions, what a step changed, which column went into which tensor.

Belongs here: pure functions from a Trace's tables to escaped HTML. Does not belong here: what they mean (data).
"""
