"""What torch.nn, torch.optim, torch.utils.data and torch.linalg refuse.

Belongs here: errors that classes of torch raise about how they are set up. Does not belong here: sizes and dtypes of
what a layer is given (explorer.explain.tensors).
"""
