"""The book's plots: curves, images, heat maps, boxes, and the curves that grow while a model is trained."""

import matplotlib.pyplot as plt
import numpy as np
import torch

FORMATS = ("-", "m--", "g-.", "r:")


def use_svg_display() -> None:
    """Does nothing: figures are SVG here."""


def set_figsize(figsize=(3.5, 2.5)) -> None:
    """The size of the next figures, in inches."""
    plt.rcParams["figure.figsize"] = figsize


def set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend) -> None:
    """Labels, limits, scales and legend of axes, with a grid."""
    axes.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    axes.set_xlim(xlim), axes.set_ylim(ylim)
    if legend:
        axes.legend(legend)
    axes.grid()


def plot(X, Y=None, xlabel=None, ylabel=None, legend=(), xlim=None, ylim=None, xscale="linear", yscale="linear",
         fmts=FORMATS, figsize=(3.5, 2.5), axes=None) -> None:  # fmt: skip
    """Plot curves of Y over X, each a list of curves or one curve; without Y, plot X over its positions."""
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
    """A list of curves: a matrix or a list of lists as it is, a single curve in a list."""
    if getattr(values, "ndim", None) == 1 or (isinstance(values, list) and not hasattr(values[0], "__len__")):
        return [values]
    return values


class Curves:
    """Curves that grow point by point. Attributes: axes; lines: by the name of their curve."""

    def __init__(self, axes) -> None:
        self.axes, self.lines = axes, {}

    def add(self, name, x, y, form="-", **style) -> None:
        """Add a point to a curve, creating the curve with its first point."""
        if name not in self.lines:
            [self.lines[name]] = self.axes.plot([], [], form, **style)
        line = self.lines[name]
        line.set_data([*line.get_xdata(), float(x)], [*line.get_ydata(), float(y)])
        self.axes.relim()
        self.axes.autoscale_view()

    def show(self) -> None:
        """Show the figure as it is now, in place of the cell's earlier output."""
        from IPython import display  # that of the run

        display.display(self.axes.figure)
        display.clear_output(wait=True)


class Animator:
    """Curves that grow while a model is trained. Attributes: fig, axes: a list of axes."""

    def __init__(self, xlabel=None, ylabel=None, legend=None, xlim=None, ylim=None, xscale="linear", yscale="linear",
                 fmts=FORMATS, nrows=1, ncols=1, figsize=(3.5, 2.5)) -> None:  # fmt: skip
        self.fig, axes = plt.subplots(nrows, ncols, figsize=figsize, squeeze=False)
        self.axes, self.fmts, self.legend = list(axes.flat), fmts, legend or []
        set_axes(self.axes[0], xlabel, ylabel, xlim, ylim, xscale, yscale, None)
        self.curves = Curves(self.axes[0])

    def add(self, x, y) -> None:
        """Add a point to every curve; None adds none."""
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
    """Pictures in a grid, without ticks."""
    _, axes = plt.subplots(num_rows, num_cols, figsize=(num_cols * scale, num_rows * scale))
    axes = np.atleast_1d(axes).ravel()
    for i, (ax, img) in enumerate(zip(axes, imgs, strict=False)):
        ax.imshow(img.detach().numpy() if isinstance(img, torch.Tensor) else img)
        ax.set_xticks([]), ax.set_yticks([])
        if titles is not None and len(titles):
            ax.set_title(titles[i])
    return axes


def show_heatmaps(matrices, xlabel, ylabel, titles=None, figsize=(2.5, 2.5), cmap="Reds") -> None:
    """A grid of matrices as pictures, one colour scale for all."""
    rows, columns = len(matrices), len(matrices[0])
    fig, axes = plt.subplots(rows, columns, figsize=figsize, squeeze=False)
    for i, row in enumerate(matrices):
        for j, matrix in enumerate(row):
            picture = axes[i, j].imshow(matrix.detach().numpy(), cmap=cmap)
            if i == rows - 1:
                axes[i, j].set_xlabel(xlabel)
            if j == 0:
                axes[i, j].set_ylabel(ylabel)
            if titles:
                axes[i, j].set_title(titles[j])
    fig.colorbar(picture, ax=axes, shrink=0.6)


def show_trace_2d(f, results) -> None:
    """The path of a descent over the contours of a function of two variables."""
    set_figsize()
    plt.plot(*zip(*results, strict=True), "-o", color="#ff7f0e")
    x1, x2 = torch.meshgrid(torch.arange(-5.5, 1.0, 0.1), torch.arange(-3.0, 1.0, 0.1), indexing="ij")
    plt.contour(x1, x2, f(x1, x2), colors="#1f77b4")
    plt.xlabel("x1")
    plt.ylabel("x2")


def train_2d(trainer, steps: int = 20, f_grad=None) -> list[tuple]:
    """The points that an optimizer of two variables visits, starting at (-5, -2)."""
    x1, x2, s1, s2 = -5, -2, 0, 0
    results = [(x1, x2)]
    for _ in range(steps):
        given = (x1, x2, s1, s2, f_grad) if f_grad else (x1, x2, s1, s2)
        x1, x2, s1, s2 = trainer(*given)
        results.append((x1, x2))
    print(f"epoch {steps}, x1: {float(x1):f}, x2: {float(x2):f}")
    return results


def annotate(text, xy, xytext) -> None:
    """Add a text with an arrow to a point."""
    plt.gca().annotate(text, xy=xy, xytext=xytext, arrowprops={"arrowstyle": "->"})


def show_list_len_pair_hist(legend, xlabel, ylabel, xlist, ylist) -> None:
    """A histogram of the lengths of the lists in two collections."""
    set_figsize()
    plt.hist([[len(items) for items in xlist], [len(items) for items in ylist]])
    plt.xlabel(xlabel)
    plt.ylabel(ylabel)
    plt.legend(legend)


def bbox_to_rect(bbox, color):
    """A box (left, top, right, bottom) as matplotlib's rectangle."""
    left, top, right, bottom = (float(side) for side in bbox)
    return plt.Rectangle(
        xy=(left, top), width=right - left, height=bottom - top, fill=False, edgecolor=color, linewidth=2
    )


def show_bboxes(axes, bboxes, labels=None, colors=None) -> None:
    """Boxes over a picture, with their labels."""
    labels = [] if labels is None else labels if isinstance(labels, list | tuple) else [labels]
    colors = colors or ["b", "g", "r", "m", "c"]
    colors = colors if isinstance(colors, list | tuple) else [colors]
    for i, bbox in enumerate(bboxes):
        color = colors[i % len(colors)]
        rect = bbox_to_rect(bbox.detach().numpy(), color)
        axes.add_patch(rect)
        if len(labels) > i:
            x, y = rect.get_xy()
            axes.text(x, y, labels[i], va="center", ha="center", fontsize=9, color="k" if color == "w" else "w")
