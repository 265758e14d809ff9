"""The autograd page: program, graph, inspector and player.

Belongs here: navigation through one graph, with Predict and the choice of a backward. Does not belong here: rendering
the graph (drawing.graph), gradients (analysis.explain.autograd), output and problems (panels).
"""
