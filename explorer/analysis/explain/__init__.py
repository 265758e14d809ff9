"""Why a gradient or an entry is what it is.

Belongs here: the graph and its gradients (autograd), the entries of one operation (entries), derivations of one number
(why), each gradient's state and cause (gradient_rows), where NaN and infinity start (origins). Does not belong here:
whether that is a mistake (diagnose).
"""
