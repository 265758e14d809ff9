"""The autograd page: a program on the left; graph, inspector and player on the right.

Belongs here: what moves the reader through one graph, Predict and the choice of a backward among them. Does not belong
here: how the graph looks (drawing.graph), what arrived where (autograd), output and problems (panels).
"""
