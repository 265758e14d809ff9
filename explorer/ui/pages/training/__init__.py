"""The Training page: the program beside its loss and the strips of its parameters.

Belongs here: what this page alone shows: a step in numbers, further plots, the run before the last change in grey. Does
not belong here: what the steps say (training), how it is drawn (drawing/training).
"""
