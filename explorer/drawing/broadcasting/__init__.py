"""Pictures of broadcasts: aligned shapes, repeated reads, result and backward.

Belongs here: grids, the table of the alignment, and which part of a large result is drawn. Does not
belong here: alignment and sums (broadcasting), pointer interaction (ui).
"""
