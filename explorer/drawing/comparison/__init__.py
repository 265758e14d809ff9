"""Two runs side by side in HTML: agreement, first difference, parameter gradients.

Belongs here: pure functions from a comparison to escaped HTML. Does not belong here: finding differences (comparing).
"""
