"""Errors of single torch calls: shapes, positions, dtypes and devices that do not fit, tensors that cannot be made.

Here belongs what the operands of the call explain. Not here: gradients, Python's own errors (language).
"""
