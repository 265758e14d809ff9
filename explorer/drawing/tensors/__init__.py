"""Tensors in HTML and SVG: entries, prints, storages, what lines changed.

Does not belong here: what a Trace says of them (tensors), single operations (operations).
"""
