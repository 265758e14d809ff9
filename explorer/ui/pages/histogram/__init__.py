"""The lens Histogram: how the entries of a tensor, and of its gradient, are spread.

Belongs here: choosing the tensor. Does not belong here: what is counted (analysis.tensors.views), how it looks
(drawing.tensors).
"""
