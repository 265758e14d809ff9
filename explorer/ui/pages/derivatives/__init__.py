"""The Derivatives page: curve, tangent, secant, and on request two variables.

Belongs here: fields, tabs, and the moving tangent. Does not belong here: its programs (calculus), rendering
(drawing.derivatives).
"""
