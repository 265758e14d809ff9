"""Tensors in HTML and SVG: entries, prints, storages, what lines changed.

Belongs here: how one tensor, a list of them and their memory look. Does not belong here: what a Trace says of them
(tensors), pictures of single operations (operations).
"""
