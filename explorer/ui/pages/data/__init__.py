"""The Data page: a table, its steps, tensors, and one step of a model.

Belongs here: parts only on this page. Does not belong here: the lines that its actions write and the analysis of tables
(`explorer/data`), their HTML (`explorer/drawing/data`).
"""
