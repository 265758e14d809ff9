"""A program's plots on the page: pictures as images, graphs as SVG, plotly figures drawn by plotly.

Belongs here: from a figure of a Trace to what a page shows; the axes, lines and colours of every chart of ours. Does
not belong here: how a program's figures become pictures (explorer.runtime.figures), what our own charts show.
"""
