"""A program's plots: images, graphs as SVG, and plotly figures.

Belongs here: rendering a Trace's figures, and the axes, lines and colours of all charts. Does not belong here: turning
a program's figures into pictures (explorer.runtime.figures), contents of charts.
"""
