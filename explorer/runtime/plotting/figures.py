"""The figures a program draws, as data: what stands in the place of matplotlib's Figure and Axes.

Nothing is drawn here. A call that has no meaning for a figure as data is accepted and warned about once.
"""

import contextlib
import warnings

import numpy as np

from explorer.runtime.plotting.artists import Anything, Artist, Said, artist
from explorer.runtime.plotting.axes import Axes
from explorer.runtime.plotting.data import Series, bounded
from explorer.runtime.plotting.grids import GridSpec, Slot
from explorer.trace import Figure

SIZE = [6.4, 4.8]  # inches, as matplotlib's

# Calls that change nothing in a figure as data.
_WITHOUT_EFFECT = {
    *("tight_layout", "subplots_adjust", "set_aspect", "tick_params", "margins", "autoscale", "set_facecolor", "draw"),
    *("autoscale_view", "minorticks_on", "minorticks_off", "view_init", "set_dpi"),
    *(
        "ion",
        "ioff",
        "pause",
        "set_cmap",
        "autofmt_xdate",
        "clim",
        "set_layout_engine",
        "locator_params",
        "switch_backend",
    ),
    *("set_prop_cycle", "set_axisbelow", "relim", "set_box_aspect", "set_constrained_layout", "draw_if_interactive"),
}


# Settings that programs read; what they write is kept, but for the size of figures without effect.
_SETTINGS = {
    **{
        "figure.dpi": 100.0,
        "lines.linewidth": 1.5,
        "lines.markersize": 6.0,
        "font.size": 10.0,
        "savefig.dpi": "figure",
    },
    **{"axes.labelsize": "medium", "axes.titlesize": "large", "legend.fontsize": "medium", "image.cmap": "viridis"},
    **{"xtick.labelsize": "medium", "ytick.labelsize": "medium", "axes.grid": False, "figure.facecolor": "white"},
    **{"font.family": ["sans-serif"], "font.sans-serif": ["DejaVu Sans"], "axes.unicode_minus": True},
    **{"image.interpolation": "auto", "text.usetex": False, "animation.embed_limit": 20.0},
}


class Cycle(Anything):
    """The colours that curves take in turn."""

    def by_key(self) -> dict[str, list[str]]:
        """As lists by the name of the property."""
        tab = "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf"
        return {"color": tab.split()}

    def __iter__(self):
        return iter([{"color": one} for one in self.by_key()["color"]])


class Plots:
    """The figures of a run.

    Attributes:
        open: in the order they were begun, by number; current: the number of the one that is drawn on.
        show_figure: called with the data of a figure that is shown.
        quiet: a context in which reading tensors is no operation of the program.
    """

    def __init__(self, show_figure, quiet=contextlib.nullcontext) -> None:
        self.open: dict[int, PlotFigure] = {}
        self.current = 0
        self.show_figure, self.quiet = show_figure, quiet
        self.settings = {**_SETTINGS, "figure.figsize": list(SIZE), "axes.prop_cycle": Cycle()}
        self._told: set[str] = set()

    def figure(self, num=None, figsize=None, **options) -> "PlotFigure":
        """A new figure, or the open one with this number."""
        number = num if isinstance(num, int) and num else max(self.open, default=0) + 1
        if number not in self.open:
            self.open[number] = PlotFigure(self, number, figsize or self.settings["figure.figsize"])
        self.current = number
        return self.open[number]

    def gcf(self) -> "PlotFigure":
        """The figure that is drawn on."""
        return self.open[self.current] if self.current in self.open else self.figure()

    def close(self, which=None) -> None:
        """Forget a figure, the current one, or "all"."""
        if which == "all":
            self.open.clear()
        else:
            number = (
                which.number if isinstance(which, PlotFigure) else which if isinstance(which, int) else self.current
            )
            self.open.pop(number, None)
        self.current = max(self.open, default=0)

    def show(self, *args, **options) -> None:
        """Show the open figures and close them, as a notebook does at the end of a cell."""
        figures = list(self.open.values())
        self.close("all")
        for figure in figures:
            if figure.axes:
                self.show_figure(figure.data())

    def without_effect(self, name: str) -> bool:
        """Whether a call changes nothing in a figure as data."""
        return name in _WITHOUT_EFFECT

    def unknown(self, name: str):
        """What stands for a call that is not known: it is taken, and told about once."""
        if name.startswith("_"):
            raise AttributeError(name)

        def taken(*args, **options) -> Anything | None:
            if self.without_effect(name) or name.startswith("set_"):
                return None
            if name not in self._told:
                self._told.add(name)
                warnings.warn(f"{name} is not drawn", UserWarning, stacklevel=2)
            return Anything()

        return taken


class PlotFigure:
    """A figure: its axes in a grid. Attributes: number, size (inches), axes, rows, columns, title."""

    def __init__(self, plots: Plots, number: int, size) -> None:
        self._plots, self.number, self.size = plots, number, [float(side) for side in size]
        self.axes: list[Axes] = []
        self.rows = self.columns = 1
        self.title = ""
        self._current: Axes | None = None

    def __repr__(self) -> str:
        width, height = (int(side * 100) for side in self.size)
        return f"<Figure size {width}x{height} with {len(self.axes)} Axes>"

    def __getattr__(self, name: str):
        return self._plots.unknown(name)

    def add_subplot(self, *place, **options) -> Axes:
        """The axes at (rows, columns, number), also as 211."""
        if len(place) == 1 and isinstance(place[0], Slot):
            place = place[0].place
        elif len(place) == 1 and isinstance(place[0], int) and place[0] >= 100:
            place = tuple(map(int, str(place[0])))
        if len(place) == 3 and isinstance(place[2], tuple):  # over several cells
            place = (*place[:2], place[2][0])
        rows, wide, number = place if len(place) == 3 and all(isinstance(part, int) for part in place) else (1, 1, 1)
        self.rows, self.columns = max(self.rows, rows), max(self.columns, wide)
        cell = (number - 1) // wide * self.columns + (number - 1) % wide
        known = next((axes for axes in self.axes if axes.cell == cell), None)
        return self.select(_in_space(known or Axes(self._plots, self, cell), options))

    def add_gridspec(self, nrows=1, ncols=1, **options) -> GridSpec:
        """A grid whose cells `add_subplot` takes."""
        return GridSpec(nrows, ncols)

    def colorbar(self, *args, **options) -> Artist:
        """The scale of the colours, which every picture shows under the pointer."""
        return artist("colorbar", {})

    def add_axes(self, *args, **options) -> Axes:
        """Axes anywhere in the figure, drawn as its next panel."""
        if self.axes:
            self.rows += 1
        return self.select(_in_space(Axes(self._plots, self, len(self.axes)), options))

    def subplots(self, nrows=1, ncols=1, squeeze=True, **options):
        """A grid of axes: an array, or the one there is."""
        self.rows, self.columns = nrows, ncols
        made = np.empty((nrows, ncols), dtype=object)
        for cell in range(nrows * ncols):
            made.flat[cell] = self.select(_in_space(Axes(self._plots, self, cell), options.get("subplot_kw") or {}))
        self._current = made.flat[0]
        if not squeeze:
            return made
        return made.item() if made.size == 1 else made.squeeze()

    def select(self, axes: Axes) -> Axes:
        """Draw on these axes from now on."""
        if axes not in self.axes:
            self.axes.append(axes)
        self._current = axes
        return axes

    def gca(self, **options) -> Axes:
        """The axes that are drawn on."""
        return self._current or self.add_subplot(1, 1, 1)

    def subplot_mosaic(self, mosaic, **options) -> dict[str, Axes]:
        """Axes by the letters of a plan."""
        rows = (
            [list(row.strip()) for row in mosaic.split(";" if ";" in mosaic else "\n") if row.strip()]
            if isinstance(mosaic, str)
            else [list(row) for row in mosaic]
        )
        made: dict[str, Axes] = {}
        for i, row in enumerate(rows):
            for j, name in enumerate(row):
                if name != "." and name not in made:
                    made[name] = self.add_subplot(len(rows), len(row), i * len(row) + j + 1)
        return made

    def get_size_inches(self) -> np.ndarray:
        return np.array(self.size)

    def set_size_inches(self, w, h=None, **options) -> None:
        self.size = [float(side) for side in (w if h is None else (w, h))]

    def suptitle(self, text, **options) -> Artist:
        """A title above all panels."""
        self.title = str(text)[:500]
        return Said({"text": self.title}, f"Text(0.5, 0.98, {self.title!r})")

    def clf(self, *args, **options) -> None:
        """Empty the figure."""
        self.axes.clear()
        self._current = None

    clear = clf

    def savefig(self, path, **options) -> None:
        """Leave a file with that name: the data of a figure is shown, not its picture."""
        if hasattr(path, "write"):
            path.write(b"")
        else:
            open(path, "wb").close()

    def get_axes(self) -> list[Axes]:
        return self.axes

    def show(self, *args, **options) -> None:
        """Show this figure now."""
        self._plots.close(self)
        self._plots.show_figure(self.data())

    def data(self) -> Figure:
        """The figure as it stands. Keys of a panel carry its number: "0.xlabel"."""
        axes: Series = {
            "rows": float(self.rows),
            "columns": float(self.columns),
            "width": self.size[0],
            "height": self.size[1],
        }
        if self.title:
            axes["title"] = self.title
        series = []
        for panel in self.axes:
            series += [{"panel": float(panel.cell), **one} for one in panel.series]
            axes |= {f"{panel.cell}.{key}": entry for key, entry in panel.properties.items()}
        return bounded(series, axes)


def _in_space(axes: Axes, options: dict) -> Axes:
    """Axes with three dimensions where that was asked for."""
    axes.in_space = axes.in_space or options.get("projection") == "3d"
    return axes
