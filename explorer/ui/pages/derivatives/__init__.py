"""The Derivatives page: curve, tangent and secant; higher orders, planes, Jacobians on request.

Does not belong here: the programs it runs (calculus), how it looks (drawing.derivatives).
"""
