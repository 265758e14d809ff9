"""What torch.nn, torch.optim, torch.utils.data and torch.linalg refuse.

Not here: sizes and dtypes of what a layer is given (explorer.explain.tensors).
"""
