"""Draw views: sizes, DOT, positions, SVG, legend, tables, HTML. Pure functions of plain records.

Belongs here: how things look, and numbers as people read them. Does not belong here: what a Trace means (autograd),
running a layout (sandbox), widgets (ui).
"""
