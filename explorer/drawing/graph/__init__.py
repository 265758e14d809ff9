"""The gradient graph: cards, wires, DOT, positions, SVG, legend, the inspector, the exported page.

Belongs here: how the graph and one card of it look. Does not belong here: what a card says (autograd).
"""
