"""Two runs side by side in HTML: whether they agree, where they first part, their parameters' gradients.

Belongs here: pure functions from a comparison to escaped HTML. Does not belong here: what differs (comparing).
"""
