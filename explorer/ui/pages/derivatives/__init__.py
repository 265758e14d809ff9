"""The Derivatives page: curve, tangent and secant; higher orders, planes, Jacobians on request.

Belongs here: fields, tabs, and the moving tangent. Does not belong here: its programs (calculus), rendering
(drawing.derivatives).
"""
