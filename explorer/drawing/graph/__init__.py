"""The gradient graph: cards, edges, DOT, positions, SVG, legend, inspector, exported page.

Belongs here: the look of the graph and its cards, and the script that the page and the exported file share. Does not
belong here: the content of cards (autograd), running the layout (sandbox), server actions of clicks (ui).
"""
