"""Programs of the Data page, from a file to a gradient, and their tables.

Belongs here: lines of pandas and torch for actions on a table, example tables, how to read a file. Does not belong
here: HTML (drawing), the contents of a table (the child records it, `trace/tables.py`). The server never opens a file.
"""
