"""Pictures of derivatives: curves with tangent and secant, quotients, orders, surfaces and Jacobians.

Belongs here: SVG and tables out of what `calculus` read from a Trace. Does not belong here: what is computed, and
whether a derivative exists (calculus), dragging a point (ui).
"""
