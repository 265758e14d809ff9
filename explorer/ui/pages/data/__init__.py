"""The Data page: a file or a table of our own, what is done to it, its tensors, and one step of a model on it.

Belongs here: what this page alone shows. Does not belong here: the lines that its actions write and what a Trace says
of tables (`explorer/data`), their HTML (`explorer/drawing/data`).
"""
