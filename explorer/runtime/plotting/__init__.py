"""matplotlib as the program sees it: a recorder of figures.

In here: modules with their names, figures and axes that keep marks as data, and the bound on points. Not in here: how a
figure looks (explorer.drawing.plots.figures) and matplotlib itself, which the app does not need.
"""

from explorer.runtime.plotting.figures import PlotFigure, Plots
from explorer.runtime.plotting.frames import pandas_module
from explorer.runtime.plotting.modules import plotting_modules

__all__ = ["PlotFigure", "Plots", "pandas_module", "plotting_modules"]
