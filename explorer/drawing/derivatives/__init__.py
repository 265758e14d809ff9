"""Pictures of derivatives: curves with tangent and secant, quotients and surfaces.

Belongs here: SVG and tables of `calculus` records. Does not belong here: computation and existence of derivatives
(calculus), dragging a point (ui).
"""
