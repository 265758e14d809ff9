"""Errors of Python itself and of the tables and arrays beside torch: text that is not Python, names, attributes,
arguments, values, NumPy and pandas.

Belongs here: errors that the program's text explains. Does not belong here: what torch refuses.
"""
