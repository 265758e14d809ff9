"""The Derivatives page: curve, tangent and secant; higher orders, planes, Jacobians on request.

Belongs here: fields, tabs, and the tangent that moves in the browser. Does not belong here: the programs it runs
(calculus), how it looks (drawing.derivatives).
"""
