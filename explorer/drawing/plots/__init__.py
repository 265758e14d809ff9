"""A program's plots on the page: pictures as images, graphs as SVG, plotly figures drawn by plotly.

Belongs here: from a figure of a Trace to what a page shows, and the colours of plots. Does not belong here: how a
program's figures become pictures (explorer.runtime.figures), the curves of our own pages (derivatives).
"""
