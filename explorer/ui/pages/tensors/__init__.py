"""The Tensors page: a program's tensors, one of them in full, memory and writes.

Does not belong here: what a Trace says of tensors (tensors), how it looks (drawing.tensors).
"""
