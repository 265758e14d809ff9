"""Broadcasting: how shapes align, which entries are read repeatedly, and how the gradients of the reads are summed.

Belongs here: alignment, repairs of shapes, the program that the Broadcasting page writes, and what its Trace (or that
of any other program) says about an operation that broadcast. Does not belong here: grids, boxes and sentences
(drawing), widgets (ui), torch (runtime).
"""
