"""The Broadcasting page: operands, their alignment, the picture, backward.

Belongs here: fields, examples and what follows the pointer over the picture. Does not belong here: how shapes are
aligned (broadcasting), how it looks (drawing.broadcasting).
"""
