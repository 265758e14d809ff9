"""The autograd page: a program on the left; graph, inspector and player on the right.

Does not belong here: how the graph looks (drawing.graph).
"""
