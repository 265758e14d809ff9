"""What a program plotted, in the look of the project: figures as plotly figures, graphs of its own as SVG.

Belongs here: from the data that a child sends to a picture. Does not belong here: how a program's calls become that
data (explorer.runtime.plotting), the curves of our own pages (derivatives).
"""
