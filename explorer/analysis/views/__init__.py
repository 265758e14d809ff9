"""Records for what a page shows beside the graph: lists, tables, plots.

Does not belong here: findings (diagnose), the graph itself (explain), pictures (drawing).
"""
