"""From a file to the gradient of a weight: the programs that the Data page writes, and what their Traces say of tables.

Belongs here: lines of pandas and torch for what a person does to a table, small tables of our own, how a file is to be
read. Does not belong here: HTML (drawing), what a table holds (the child writes it down,
`trace/tables.py`). Nothing here looks into a file: `sniffing.py` is the text of a program that does so in the child.
"""
