"""The Tensors page: a program's tensors, one of them in full, memory and writes.

Belongs here: choosing the tensor, and the program beside its list. Does not belong here: what a Trace says of tensors
(tensors), how it looks (drawing.tensors).
"""
