"""A program's plots on the page: pictures as images, graphs as SVG, plotly figures drawn by plotly.

Belongs here: rendering a Trace's figures, and the axes, lines and colours of all charts. Does not belong here: turning
a program's figures into pictures (explorer.runtime.figures), contents of charts.
"""
