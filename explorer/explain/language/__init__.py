"""Errors of Python itself and of the tables and arrays beside torch: text that is not Python, names, attributes,
arguments, values, NumPy and pandas.

Here belongs what the program's text explains. Not here: what torch refuses.
"""
