"""What a program plotted, in the look of the project: figures and graphs of its own.

Does not belong here: the plots of our pages (derivatives).
"""
