"""Tensors in HTML and SVG: entries, storages, what lines changed.

Belongs here: rendering tensors, lists of them and their memory. Does not belong here: analysis (tensors), pictures of
single operations (operations).
"""
