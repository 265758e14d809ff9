"""Broadcasting: alignment of shapes, repeated reads, and sums of their gradients.

Belongs here: alignment, fixes of shapes, the Broadcasting page's program, and the analysis of broadcast operations in
any Trace. Does not belong here: grids and sentences (drawing), widgets (ui), torch (runtime).
"""
