"""The Data page: a file or a table of our own, what is done to it, its tensors, and one step of a model on it.

Belongs here: parts only on this page. Does not belong here: the lines that its actions write and the analysis of tables
(`explorer/data`), their HTML (`explorer/drawing/data`).
"""
