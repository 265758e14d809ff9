"""Curves, quotients, orders, surfaces and Jacobians.

Does not belong here: what is computed (calculus).
"""
