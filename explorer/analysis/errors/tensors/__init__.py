"""Errors of single torch calls: shapes, positions, dtypes, devices, and tensors that cannot be made.

Belongs here: errors explained by the call's operands. Does not belong here: gradients, Python's own errors (language).
"""
