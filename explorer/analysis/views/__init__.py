"""What pages list and draw beside the graph, as plain records.

Does not belong here: findings (diagnose), the graph itself (explain), pictures (drawing).
"""
