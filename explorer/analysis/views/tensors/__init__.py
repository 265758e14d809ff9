"""Tensors and their memory in a Trace: pure functions to plain records.

Belongs here: the list of a program's tensors, a tensor in full (entries, facts, versions), the map of storages
and views, and each line's rebindings, writes and sharing. `operations/` covers the effects of operations on
entries. Does not belong here: HTML and SVG (drawing), sentences (text, but `operations/sentences.py` picks them and
their numbers), gradients and graphs (autograd), torch.
"""
