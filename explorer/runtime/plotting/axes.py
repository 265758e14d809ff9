"""One pair of axes: its marks and properties as data, under matplotlib's method names."""

import numpy as np

from explorer.runtime.plotting.artists import Anything, Artist, Container
from explorer.runtime.plotting.data import Series, columns, marks, numbers, styled


class Axes:
    """What matplotlib calls Axes.

    Attributes:
        cell: its place in the figure's grid, row by row.
        series: its marks; properties: labels, limits, scales and the like.
    """

    def __init__(self, plots, figure, cell: int) -> None:
        self._plots, self.figure, self.cell = plots, figure, cell
        self.series: list[Series] = []
        self.properties: Series = {}
        self.xaxis = self.yaxis = self.spines = self.transAxes = self.transData = Anything()

    def __repr__(self) -> str:
        names = (("title", "title={'center': %r}"), ("xlabel", "xlabel=%r"), ("ylabel", "ylabel=%r"))
        return f"<Axes: {', '.join(form % self.properties[name] for name, form in names if name in self.properties)}>"

    def __getattr__(self, name: str):
        return self._plots.unknown(name)

    def _numbers(self, values, axis: str = "") -> list[float]:
        with self._plots.quiet():
            found, names = numbers(values)
        if names and axis:
            self.properties[f"{axis}categories"] = "\n".join(names)[:20_000]
        return found

    def _add(self, kind: str, options: dict, shown: str = "", **entries) -> Artist:
        series = {"kind": kind, **entries, **styled(options)}
        self.series.append(series)
        return Artist(series, shown)

    # ---- marks ------------------------------------------------------------------------------------------------------

    def plot(self, *args, **options) -> list:
        """Curves: [x], y, [format], any number of times."""
        rest, made = list(args), []
        while rest:
            x, y = None, rest.pop(0)
            if rest and not isinstance(rest[0], str):
                x, y = y, rest.pop(0)
            form = marks(rest.pop(0)) if rest and isinstance(rest[0], str) else {}
            with self._plots.quiet():
                curves = columns(y)
                shared = columns(x) if x is not None else []
            for i, curve in enumerate(curves):
                heights = self._numbers(curve, "y")
                across = (
                    self._numbers(shared[min(i, len(shared) - 1)], "x")
                    if shared
                    else list(map(float, range(len(heights))))
                )
                if len(across) != len(heights):
                    message = "x and y must have same first dimension, but have shapes "
                    raise ValueError(f"{message}({len(across)},) and ({len(heights)},)")
                artist = self._add("line", options, x=across, y=heights)
                artist.series.update({**form, **styled(options)})
                made.append(artist)
        return made

    def scatter(self, x, y, s=None, c=None, **options):
        """Points."""
        across, heights = self._numbers(x, "x"), self._numbers(y, "y")
        if len(across) != len(heights):
            raise ValueError("x and y must be the same size")
        entries: Series = {"x": across, "y": heights}
        if isinstance(c, str):
            options["color"] = c
        elif c is not None:
            entries["z"] = self._numbers(c)
        if s is not None:
            entries["size"] = self._numbers(s)
        return self._add("scatter", options, **entries)

    def bar(self, x, height, width=0.8, bottom=None, **options):
        """Upright bars."""
        heights = self._numbers(height)
        heights = heights * len(np.atleast_1d(x)) if len(heights) == 1 else heights
        entries: Series = {"x": self._numbers(x, "x"), "y": heights, "across": self._numbers(width)}
        if bottom is not None:
            entries["bottom"] = self._numbers(bottom)
        artist = self._add("bar", options, **entries)
        return Container([artist] * len(heights), f"<BarContainer object of {len(heights)} artists>")

    def barh(self, y, width, height=0.8, left=None, **options):
        """Lying bars."""
        lengths = self._numbers(width)
        artist = self._add("barh", options, x=lengths, y=self._numbers(y, "y"), across=self._numbers(height))
        return Container([artist] * len(lengths), f"<BarContainer object of {len(lengths)} artists>")

    def hist(self, x, bins=10, range=None, density=False, **options):
        """How many values fall between the edges of each bin."""
        with self._plots.quiet():
            several = isinstance(x, list | tuple) and len(x) and np.ndim(x[0]) > 0
            samples = [np.asarray(one, dtype=np.float64).ravel() for one in (x if several else [x])]
            every = np.concatenate(samples)
            edges = np.histogram_bin_edges(every[np.isfinite(every)], bins, range)
            counts = [np.histogram(sample, edges, density=bool(density))[0].astype(np.float64) for sample in samples]
        label, artists = options.pop("label", None), []
        for i, heights in enumerate(counts):
            named = {**options, "label": label[i] if isinstance(label, list | tuple) and i < len(label) else label}
            artists.append(self._add("hist", named, x=edges.tolist(), y=heights.tolist()))
        bars = [
            Container([one] * len(h), f"<BarContainer object of {len(h)} artists>")
            for one, h in zip(artists, counts, strict=True)
        ]
        return (np.array(counts), edges, bars) if several else (counts[0], edges, bars[0])

    def imshow(self, X, cmap=None, vmin=None, vmax=None, extent=None, origin=None, **options):
        """A matrix as a picture, its first row on top; also with three or four channels."""
        with self._plots.quiet():
            grid = np.asarray(X)
            grid = np.squeeze(grid, 2) if grid.ndim == 3 and grid.shape[2] == 1 else grid
            if grid.ndim not in (2, 3) or (grid.ndim == 3 and grid.shape[2] not in (3, 4)):
                raise TypeError(f"Invalid shape {grid.shape} for image data")
            grid = grid.astype(np.float64) / (255 if grid.ndim == 3 and grid.dtype.kind in "iu" else 1)
        channels = 3 if grid.ndim == 3 else 1
        entries: Series = {"z": grid[..., :3].ravel().tolist() if channels == 3 else grid.ravel().tolist()}
        entries |= {"rows": float(grid.shape[0]), "columns": float(grid.shape[1]), "channels": float(channels)}
        entries |= {key: float(bound) for key, bound in (("low", vmin), ("high", vmax)) if bound is not None}
        if extent is not None:
            entries["extent"] = self._numbers(extent)
        if origin == "lower":
            entries["upright"] = 1.0
        return self._add("image", options, **entries)

    matshow = imshow

    def contour(self, *args, **options):
        """Lines of equal height over a grid: [x, y], z, [levels]."""
        return self._contour("contour", args, options)

    def contourf(self, *args, **options):
        """The same, filled."""
        return self._contour("contourf", args, options)

    def _contour(self, kind: str, args: tuple, options: dict):
        x, y, z = args[:3] if len(args) >= 3 else (None, None, args[0])
        levels = options.pop("levels", args[-1] if len(args) in (2, 4) else None)
        entries = self._grid(x, y, z)
        if levels is not None:
            entries["levels"] = self._numbers(levels)
        return self._add(kind, options, **entries)

    def plot_surface(self, X, Y, Z, **options):
        """A surface over a grid."""
        return self._add("surface", options, **self._grid(X, Y, Z))

    plot_wireframe = plot_surface

    def _grid(self, x, y, z) -> Series:
        with self._plots.quiet():
            heights = np.asarray(z, dtype=np.float64)
            rows, wide = heights.shape
            x = np.arange(wide) if x is None else np.asarray(x, dtype=np.float64)
            y = np.arange(rows) if y is None else np.asarray(y, dtype=np.float64)
            turned = x.ndim == 2 and wide > 1 and (x[0] == x[0, 0]).all() and not (x[:, 0] == x[0, 0]).all()
            if turned:  # a grid in matrix order (indexing="ij")
                x, y, heights = x.T, y.T, heights.T
                rows, wide = wide, rows
            across, along = (x[0] if x.ndim == 2 else x), (y[:, 0] if y.ndim == 2 else y)
        entries: Series = {"x": across.astype(np.float64).tolist(), "y": along.astype(np.float64).tolist()}
        return {**entries, "z": heights.ravel().tolist(), "rows": float(rows), "columns": float(wide)}

    def fill_between(self, x, y1, y2=0, where=None, **options):
        """The area between two curves."""
        across, upper, lower = self._numbers(x, "x"), self._numbers(y1), self._numbers(y2)
        upper, lower = (one * len(across) if len(one) == 1 else one for one in (upper, lower))
        if where is not None:
            inside = self._numbers(where)
            upper = [a if keep else b for a, b, keep in zip(upper, lower, inside, strict=False)]
        return self._add("area", options, x=across, y=upper, y2=lower)

    def errorbar(self, x, y, yerr=None, xerr=None, fmt="", **options):
        """Points with their uncertainty."""
        across, heights = self._numbers(x, "x"), self._numbers(y, "y")
        artist = self._add("errorbar", options, x=across, y=heights)
        artist.series.update({**marks(fmt), **styled(options)})
        for key, given in (("error", yerr), ("error_x", xerr)):
            if given is not None:
                spread = self._numbers(given)
                artist.series[key] = (spread * len(heights) if len(spread) == 1 else spread)[: len(heights)]
        return Container([artist, (), ()], "<ErrorbarContainer object of 3 artists>")

    def axhline(self, y=0, *args, **options):
        """A line across at a height."""
        return self._add("hline", options, y=self._numbers(y))

    def axvline(self, x=0, *args, **options):
        """A line up at a place."""
        return self._add("vline", options, x=self._numbers(x))

    def hlines(self, y, xmin, xmax, *args, **options):
        """Lines across between two places."""
        return self._strokes(y, xmin, xmax, options, "yx")

    def vlines(self, x, ymin, ymax, *args, **options):
        """Lines up between two heights."""
        return self._strokes(x, ymin, ymax, options, "xy")

    def _strokes(self, where, first, last, options: dict, axes: str):
        places, gap, artist = self._numbers(where), float("nan"), None
        starts, ends = self._numbers(first), self._numbers(last)
        starts, ends = (one * len(places) if len(one) == 1 else one for one in (starts, ends))
        fixed = [entry for place in places for entry in (place, place, gap)]
        running = [entry for pair in zip(starts, ends, strict=False) for entry in (*pair, gap)]
        artist = self._add("line", options, **{axes[0]: fixed, axes[1]: running})
        return artist

    def axhspan(self, ymin, ymax, *args, **options):
        """A band across."""
        return self._add("hspan", options, y=self._numbers([ymin, ymax]))

    def axvspan(self, xmin, xmax, *args, **options):
        """A band up."""
        return self._add("vspan", options, x=self._numbers([xmin, xmax]))

    def text(self, x, y, s, *args, **options):
        """Words at a place."""
        words = str(s)[:2_000]
        place = [self._numbers(x)[0], self._numbers(y)[0]]
        return self._add("text", options, f"Text({x}, {y}, {words!r})", x=place[:1], y=place[1:], text=words)

    def annotate(self, text, xy, xytext=None, *args, **options):
        """Words with an arrow to a place."""
        words, there = str(text)[:2_000], self._numbers(xy)
        at = self._numbers(xytext) if xytext is not None else there
        shown = f"Text({at[0]:g}, {at[1]:g}, {words!r})"
        entries: Series = {"x": at[:1], "y": at[1:2], "text": words}
        if options.get("arrowprops") is not None:
            entries |= {"to_x": there[0], "to_y": there[1]}
        return self._add("text", options, shown, **entries)

    def step(self, x, y, *args, where="pre", **options) -> list:
        """A curve in steps."""
        made = self.plot(x, y, *args, **options)
        for artist in made:
            artist.series["steps"] = {"pre": "vh", "post": "hv"}.get(where, "hvh")
        return made

    def stem(self, *args, **options):
        """A stalk for every value."""
        x, y = (range(len(args[0])), args[0]) if len(args) < 2 or isinstance(args[1], str) else args[:2]
        return self._add(
            "stem", options, x=self._numbers(list(x) if isinstance(x, range) else x, "x"), y=self._numbers(y)
        )

    def semilogx(self, *args, **options) -> list:
        """Curves over a logarithmic x axis."""
        self.set_xscale("log")
        return self.plot(*args, **options)

    def semilogy(self, *args, **options) -> list:
        """Curves over a logarithmic y axis."""
        self.set_yscale("log")
        return self.plot(*args, **options)

    def loglog(self, *args, **options) -> list:
        """Both."""
        self.set_xscale("log")
        return self.semilogy(*args, **options)

    # ---- properties -------------------------------------------------------------------------------------------------

    def _name(self, key: str, text, shown: str):
        if text is None or not str(text):
            self.properties.pop(key, None)
        else:
            self.properties[key] = str(text)[:500]
        return Artist({}, f"Text({shown}, {'' if text is None else str(text)!r})")

    def set_xlabel(self, text="", *args, **options):
        return self._name("xlabel", text, "0.5, 0")

    def set_ylabel(self, text="", *args, **options):
        return self._name("ylabel", text, "0, 0.5")

    def set_zlabel(self, text="", *args, **options):
        return self._name("zlabel", text, "0.5, 0")

    def set_title(self, text="", *args, **options):
        return self._name("title", text, "0.5, 1.0")

    def get_title(self, *args) -> str:
        return self.properties.get("title", "")

    def get_xlabel(self) -> str:
        return self.properties.get("xlabel", "")

    def get_ylabel(self) -> str:
        return self.properties.get("ylabel", "")

    def set_xlim(self, left=None, right=None, **options) -> tuple[float, float]:
        return self._limit("x", options.get("xmin", left), options.get("xmax", right))

    def set_ylim(self, bottom=None, top=None, **options) -> tuple[float, float]:
        return self._limit("y", options.get("ymin", bottom), options.get("ymax", top))

    def get_xlim(self) -> tuple[float, float]:
        return self._limits("x")

    def get_ylim(self) -> tuple[float, float]:
        return self._limits("y")

    def _limit(self, axis: str, low, high) -> tuple[float, float]:
        if low is not None and np.ndim(low):
            low, high = low
        if low is not None or high is not None:
            now = self._limits(axis)
            ends = (
                end if given is None else self._numbers(given)[0] for given, end in zip((low, high), now, strict=True)
            )
            self.properties[f"{axis}lim"] = [float(end) for end in ends]
        return tuple(map(float, self._limits(axis)))

    def _limits(self, axis: str) -> tuple[np.float64, np.float64]:
        if f"{axis}lim" in self.properties:
            low, high = self.properties[f"{axis}lim"]
            return np.float64(low), np.float64(high)
        given = [one[axis] for one in self.series if isinstance(one.get(axis), list)]
        entries = [entry for numbers in given for entry in numbers if np.isfinite(entry)]
        if not entries:
            return np.float64(0), np.float64(1)
        margin = 0.05 * (max(entries) - min(entries)) or 0.05
        return np.float64(min(entries) - margin), np.float64(max(entries) + margin)

    def set_xscale(self, scale="linear", *args, **options) -> None:
        self.properties["xscale"] = str(scale)[:40]

    def set_yscale(self, scale="linear", *args, **options) -> None:
        self.properties["yscale"] = str(scale)[:40]

    def set_xticks(self, ticks=None, labels=None, *args, **options) -> list:
        return self._ticks("x", ticks, labels)

    def set_yticks(self, ticks=None, labels=None, *args, **options) -> list:
        return self._ticks("y", ticks, labels)

    def set_xticklabels(self, labels, *args, **options) -> list:
        return self._ticks("x", None, labels)

    def set_yticklabels(self, labels, *args, **options) -> list:
        return self._ticks("y", None, labels)

    def _ticks(self, axis: str, ticks, labels) -> list:
        if ticks is not None:
            self.properties[f"{axis}ticks"] = self._numbers(ticks)
        if labels is not None:
            self.properties[f"{axis}ticklabels"] = "\n".join(str(label).replace("\n", " ") for label in labels)[:20_000]
        return []

    def legend(self, *args, **options):
        """Names for the curves: those given, else their labels."""
        handles = [one for one in args if isinstance(one, list | tuple) and one and isinstance(one[0], Artist)]
        labels = next((one for one in args if isinstance(one, list | tuple) and one and isinstance(one[0], str)), None)
        labels = options.get("labels", labels)
        named = [artist.series for artist in handles[0]] if handles else self.series
        named = [one for one in named if one.get("kind") not in ("text", "hline", "vline") or handles]
        for series, label in zip(named, labels or (), strict=False):
            series["label"] = str(label)[:500]
        self.properties["legend"] = 1.0
        return Artist({}, f"<matplotlib.legend.Legend at {id(self):#x}>")

    def grid(self, visible=True, *args, **options) -> None:
        """Lines at the ticks."""
        self.properties["grid"] = float(bool(visible) or visible is None)

    def axis(self, setting=None, *args, **options):
        """Limits, or one of "off", "equal", ...; returns the limits."""
        if setting in ("off", False):
            self.properties["off"] = 1.0
        elif setting in ("equal", "square", "scaled", "image"):
            self.properties["equal"] = 1.0
        elif setting is not None and not isinstance(setting, str | bool):
            low, high, bottom, top = self._numbers(setting)
            self.properties["xlim"], self.properties["ylim"] = [low, high], [bottom, top]
        return (*self._limits("x"), *self._limits("y"))

    def set_axis_off(self) -> None:
        self.properties["off"] = 1.0

    def invert_yaxis(self) -> None:
        low, high = self._limits("y")
        self.properties["ylim"] = [high, low]

    def set(self, **settings) -> list:
        """Several properties at once."""
        return [getattr(self, f"set_{name}")(entry) for name, entry in settings.items()]

    def cla(self) -> None:
        """Empty the axes."""
        self.series.clear()
        self.properties.clear()

    clear = cla

    def twinx(self) -> "Axes":
        """These axes again: there is one scale."""
        return self

    twiny = twinx

    def get_figure(self, *args):
        return self.figure

    def get_legend_handles_labels(self) -> tuple[list, list]:
        named = [one for one in self.series if "label" in one]
        return [Artist(one) for one in named], [one["label"] for one in named]
