"""The book's plots: curves, images, heat maps, boxes, and curves that grow during training."""

import matplotlib.pyplot as plt
import numpy as np
import torch

FORMATS = ("-", "m--", "g-.", "r:")


def use_svg_display() -> None:
    """Do nothing: figures are SVG here."""


def set_figsize(figsize=(3.5, 2.5)) -> None:
    """Set the size of the next figures, in inches."""
    plt.rcParams["figure.figsize"] = figsize


def set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend) -> None:
    """Set labels, limits, scales and legend of axes, with a grid."""
    axes.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    axes.set_xlim(xlim), axes.set_ylim(ylim)
    if legend:
        axes.legend(legend)
    axes.grid()


def plot(X, Y=None, xlabel=None, ylabel=None, legend=(), xlim=None, ylim=None, xscale="linear", yscale="linear",
         fmts=FORMATS, figsize=(3.5, 2.5), axes=None) -> None:  # fmt: skip
    """Plot curves of Y over X, or of X over its positions."""
    set_figsize(figsize)
    axes = axes if axes is not None else plt.gca()
    across, heights = _curves(X), None if Y is None else _curves(Y)
    if heights is None:
        across, heights = [[]] * len(across), across
    if len(across) != len(heights):
        across = across * len(heights)
    axes.cla()
    for x, y, form in zip(across, heights, fmts, strict=False):
        axes.plot(x, y, form) if len(x) else axes.plot(y, form)
    set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend)


def _curves(values) -> list:
    """Return a list of curves: matrices and lists of lists unchanged."""
    if getattr(values, "ndim", None) == 1 or (isinstance(values, list) and not hasattr(values[0], "__len__")):
        return [values]
    return values


class GrowingCurves:
    """Curves that grow point by point.

    Attributes: axes: of the curves. lines: by curve name.
    """

    def __init__(self, axes) -> None:
        self.axes, self.lines = axes, {}

    def add(self, name, x, y, form="-", **style) -> None:
        """Add a point to a curve, created with its first point."""
        if name not in self.lines:
            [self.lines[name]] = self.axes.plot([], [], form, **style)
        line = self.lines[name]
        line.set_data([*line.get_xdata(), float(x)], [*line.get_ydata(), float(y)])
        self.axes.relim()
        self.axes.autoscale_view()

    def show(self) -> None:
        """Show the current figure in place of the cell's earlier output."""
        from IPython import display  # the run's IPython

        display.display(self.axes.figure)
        display.clear_output(wait=True)


class Animator:
    """Curves that grow during training.

    Attributes: fig: the figure. axes: a list of axes.
    """

    def __init__(self, xlabel=None, ylabel=None, legend=None, xlim=None, ylim=None, xscale="linear", yscale="linear",
                 fmts=FORMATS, nrows=1, ncols=1, figsize=(3.5, 2.5)) -> None:  # fmt: skip
        self.fig, axes = plt.subplots(nrows, ncols, figsize=figsize, squeeze=False)
        self.axes, self.fmts, self.legend = list(axes.flat), fmts, legend or []
        set_axes(self.axes[0], xlabel, ylabel, xlim, ylim, xscale, yscale, None)
        self.curves = GrowingCurves(self.axes[0])

    def add(self, x, y) -> None:
        """Add a point to every curve. None adds nothing."""
        y = list(y) if hasattr(y, "__len__") else [y]
        x = list(x) if hasattr(x, "__len__") else [x] * len(y)
        for i, (a, b) in enumerate(zip(x, y, strict=False)):
            if a is not None and b is not None:
                label = {"label": str(self.legend[i])} if i < len(self.legend) else {}
                self.curves.add(i, a, b, self.fmts[i % len(self.fmts)], **label)
        if self.legend and self.curves.lines:
            self.axes[0].legend()
        self.curves.show()


def show_images(imgs, num_rows: int, num_cols: int, titles=None, scale: float = 1.5):
    """Show pictures in a grid, without ticks."""
    _, axes = plt.subplots(num_rows, num_cols, figsize=(num_cols * scale, num_rows * scale))
    axes = np.atleast_1d(axes).ravel()
    for i, (ax, img) in enumerate(zip(axes, imgs, strict=False)):
        ax.imshow(img.detach().numpy() if isinstance(img, torch.Tensor) else img)
        ax.set_xticks([]), ax.set_yticks([])
        if titles is not None and len(titles):
            ax.set_title(titles[i])
    return axes
