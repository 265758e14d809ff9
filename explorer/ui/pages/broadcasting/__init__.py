"""The Broadcasting page: operands, their alignment, the picture, backward.

Belongs here: fields, examples and pointer interaction. Does not belong here: alignment (broadcasting), rendering
(drawing.broadcasting).
"""
