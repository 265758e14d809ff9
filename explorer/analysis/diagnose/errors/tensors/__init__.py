"""Errors of single torch calls: shapes, positions, dtypes, devices, creation.

Belongs here: errors explained by the call's operands. Does not belong here: gradients, Python's own errors.
"""
