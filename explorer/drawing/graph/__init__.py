"""The gradient graph: cards, wires, DOT, positions, SVG, legend, the inspector, the exported page.

Belongs here: how the graph and one card of it look, and the script that the page and the exported file share. Does not
belong here: what a card says (autograd), who runs the layout (sandbox), what a click makes the server do (ui).
"""
