"""The autograd page: the program on the left, graph, inspector and player on the right.

Belongs here: navigation through one graph, with Predict and the choice of a backward. Does not belong here: rendering
the graph (drawing.graph), gradients (analysis.autograd), output and problems (panels).
"""
