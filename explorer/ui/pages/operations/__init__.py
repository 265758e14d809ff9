"""Operations: one operation, drawn entry by entry.

Does not belong here: what an operation did to each entry (tensors.operations), how it looks (drawing.operations).
"""
