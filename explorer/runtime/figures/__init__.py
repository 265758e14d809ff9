"""A program's pictures: matplotlib's figures, images, graphs and other values with a picture.

Belongs here: preparing matplotlib in the preloaded parent, and its figures as outputs of a cell. Does not belong here:
how a page shows them (explorer.drawing.plots).
"""

from explorer.runtime.figures.inline_backend import NoPlots, Plots, are_loaded, configuration_folder, preload_plotting
from explorer.runtime.figures.pictures import is_plot, picture_of
