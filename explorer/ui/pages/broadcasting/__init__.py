"""The Broadcasting page: operands, their alignment, the way back.

Does not belong here: how shapes are aligned (broadcasting), how it looks (drawing.broadcasting).
"""
