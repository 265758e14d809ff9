"""Errors raised by torch.nn, torch.optim, torch.utils.data and torch.linalg.

Belongs here: errors about how torch's classes are set up. Does not belong here: sizes and dtypes of a layer's input
(explorer.analysis.diagnose.errors.tensors).
"""
