"""The picture of a broadcast: shapes lined up, operands with repeated reads, the result and the backward.

Belongs here: grids and boxes of cubes, the table of the alignment, and which part of a large result is drawn. Does not
belong here: how shapes are aligned and what is summed (broadcasting), what happens when a user points at a cell (ui).
"""
