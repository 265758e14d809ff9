"""Tensors and their memory in a Trace: pure functions to plain records.

Belongs here: the list of a program's tensors, a tensor in full (entries, facts, versions), the map of storages and
views, and each line's rebindings, writes and sharing. Does not belong here: what an operation does with entries
(explain.entries), HTML and SVG (drawing), sentences (text), gradients and graphs (explain.autograd).
"""
