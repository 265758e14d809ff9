"""What plotting calls return: marks as data, and objects that take everything and draw nothing."""

from typing import Any

import numpy as np

from explorer.runtime.plotting.data import Series, numbers

_SETTERS = {"tick_params", "update_ticks", "minorticks_on", "minorticks_off", "draw", "remove"}


class Anything:
    """What an object that is not drawn offers: every attribute and call, without effect."""

    def __init__(self, *args, **options) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing if name.startswith("set_") or name in _SETTERS else Anything()

    def __call__(self, *args, **options) -> "Anything":
        return Anything()

    def __getitem__(self, key) -> Any:
        return Anything()

    def __setitem__(self, key, value) -> None:
        pass

    def __iter__(self):
        return iter(())

    def __enter__(self) -> "Anything":
        return self

    def __exit__(self, *problem) -> None:
        pass


class Animation(Anything):
    """A film of figures: nothing moves here, and what would be a page is an empty one."""

    def to_jshtml(self, *args, **options) -> str:
        return "<div></div>"

    def to_html5_video(self, *args, **options) -> str:
        return "<div></div>"


class Artist(Anything):
    """A mark of a figure, as plotting calls return it. Attributes: series: what it stands for; axes: where."""

    axes: Any

    def __init__(self, series: Series) -> None:
        self.series = series

    def set_label(self, label: object) -> None:
        self.series["label"] = str(label)[:500]

    def get_label(self) -> str:
        return str(self.series.get("label", ""))

    def set_data(self, x, y=None) -> None:
        if y is None:  # of a picture
            self.series["z"] = np.asarray(x, dtype=np.float64).ravel().tolist()
        else:
            self.series["x"], self.series["y"] = numbers(x)[0], numbers(y)[0]

    def set_xdata(self, x) -> None:
        self.series["x"] = numbers(x)[0]

    def set_ydata(self, y) -> None:
        self.series["y"] = numbers(y)[0]

    def get_xdata(self, orig=True) -> np.ndarray:
        return np.array(self.series.get("x", ()))

    def get_ydata(self, orig=True) -> np.ndarray:
        return np.array(self.series.get("y", ()))

    def get_data(self, orig=True) -> tuple[np.ndarray, np.ndarray]:
        return self.get_xdata(), self.get_ydata()

    def set_color(self, color: object) -> None:
        if isinstance(color, str):
            self.series["color"] = color[:40]

    def get_color(self) -> object:
        return self.series.get("color", "C0")

    def remove(self) -> None:
        """Leave the figure: a mark without points."""
        for key in ("x", "y", "text"):
            if key in self.series:
                self.series[key] = [] if key != "text" else ""


def _nothing(*args, **options) -> None:
    """Takes everything and does nothing."""


# The class of matplotlib that stands for a mark in what a program prints of it.
_NAMES = {
    **dict.fromkeys(("line", "hline", "vline", "errorbar"), "matplotlib.lines.Line2D"),
    **{"scatter": "matplotlib.collections.PathCollection", "image": "matplotlib.image.AxesImage"},
    **dict.fromkeys(("contour", "contourf"), "matplotlib.contour.QuadContourSet"),
    **{"area": "matplotlib.collections.FillBetweenPolyCollection", "text": "matplotlib.text.Text"},
    **dict.fromkeys(("hspan", "vspan", "bar", "barh", "hist"), "matplotlib.patches.Rectangle"),
    **{"surface": "mpl_toolkits.mplot3d.art3d.Poly3DCollection", "line3d": "mpl_toolkits.mplot3d.art3d.Line3D"},
    **{"scatter3d": "mpl_toolkits.mplot3d.art3d.Path3DCollection", "mesh": "matplotlib.collections.QuadMesh"},
    **{"strokes": "matplotlib.collections.LineCollection", "quiver": "matplotlib.quiver.Quiver"},
    **{"colorbar": "matplotlib.colorbar.Colorbar", "legend": "matplotlib.legend.Legend"},
    **{"polygon": "matplotlib.patches.Polygon", "poly": "matplotlib.collections.PolyCollection"},
}


def _kind(name: str) -> type[Artist]:
    module, _, short = name.rpartition(".")
    return type(short, (Artist,), {"__module__": module, "__doc__": Artist.__doc__})


_KINDS = {name: _kind(name) for name in {*_NAMES.values(), "matplotlib.artist.Artist"}}


def artist(kind: str, series: Series) -> Artist:
    """The artist of a kind of mark, which prints as matplotlib's."""
    return _KINDS[_NAMES.get(kind, "matplotlib.artist.Artist")](series)


class Said(Artist):
    """An artist that prints as a text: words at a place."""

    def __init__(self, series: Series, shown: str) -> None:
        super().__init__(series)
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown

    def get_text(self) -> str:
        """The words."""
        return str(self.series.get("text", ""))

    def set_text(self, text: object) -> None:
        """Other words."""
        self.series["text"] = str(text)[:2_000]


class Bar(Artist):
    """One bar of several. Attributes: series: of all of them; at: its number."""

    def __init__(self, series: Series, at: int) -> None:
        super().__init__(series)
        self.at = at

    def _entry(self, key: str) -> float:
        entries = self.series.get(key) or [0.0]
        return entries[self.at if self.at < len(entries) else -1]

    def get_height(self) -> float:
        return self._entry("y") if self.series.get("kind") != "barh" else self._entry("across")

    def get_width(self) -> float:
        return self._entry("across") if self.series.get("kind") != "barh" else self._entry("x")

    def get_x(self) -> float:
        return self._entry("x") - (self.get_width() / 2 if self.series.get("kind") == "bar" else 0)

    def get_y(self) -> float:
        return 0.0 if self.series.get("kind") != "barh" else self._entry("y") - self.get_height() / 2


Bar.__module__, Bar.__qualname__ = "matplotlib.patches", "Rectangle"


class Container(tuple):
    """Several marks of one call."""

    shown: str

    def __new__(cls, artists, shown: str) -> "Container":
        made = super().__new__(cls, artists)
        made.shown = shown
        return made

    def __repr__(self) -> str:
        return self.shown

    @property
    def patches(self) -> list:
        """The bars."""
        return list(self)
