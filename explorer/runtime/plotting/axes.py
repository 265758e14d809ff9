"""One pair of axes: its marks and properties as data, under matplotlib's method names."""

import numpy as np

from explorer.runtime.plotting.artists import Anything, Artist, Bar, Container, Said, artist
from explorer.runtime.plotting.data import Series, columns, marks, numbers, styled
from explorer.runtime.plotting.further import Further
from explorer.runtime.plotting.properties import Properties


class Axes(Properties, Further):
    """What matplotlib calls Axes.

    Attributes:
        cell: its place in the figure's grid, row by row.
        series: its marks; properties: labels, limits, scales and the like.
    """

    def __init__(self, plots, figure, cell: int) -> None:
        self._plots, self.figure, self.cell = plots, figure, cell
        self.series: list[Series] = []
        self.properties: Series = {}
        self.in_space = False
        self.xaxis = self.yaxis = self.zaxis = self.spines = self.transAxes = self.transData = Anything()

    def __repr__(self) -> str:
        names = (("title", "title={'center': %r}"), ("xlabel", "xlabel=%r"), ("ylabel", "ylabel=%r"))
        kind = "Axes3D" if self.in_space else "Axes"
        return f"<{kind}: {', '.join(form % self.properties[name] for name, form in names if name in self.properties)}>"

    def __getattr__(self, name: str):
        return self._plots.unknown(name)

    @property
    def lines(self) -> Container:
        """Its curves."""
        return self._drawn("lines", "line", "hline", "vline")

    @property
    def collections(self) -> Container:
        """Its points and areas."""
        return self._drawn("collections", "scatter", "area", "contour", "contourf")

    @property
    def images(self) -> Container:
        """Its pictures."""
        return self._drawn("images", "image")

    @property
    def patches(self) -> Container:
        """Its bars."""
        bars = [one for one in self.series if one.get("kind") in ("bar", "barh", "hist")]
        made = [Bar(one, i) for one in bars for i in range(len(one["y"]))]
        return Container(made, f"<Axes.ArtistList of {len(made)} patches>")

    def _drawn(self, name: str, *kinds: str) -> Container:
        made = [artist(str(one["kind"]), one) for one in self.series if one.get("kind") in kinds]
        return Container(made, f"<Axes.ArtistList of {len(made)} {name}>")

    def _numbers(self, values, axis: str = "") -> list[float]:
        with self._plots.quiet():
            found, names = numbers(values)
        if names and axis:
            self.properties[f"{axis}categories"] = "\n".join(names)[:20_000]
        return found

    def _add(self, kind: str, options: dict, shown: str = "", **entries) -> Artist:
        series = {"kind": kind, **entries, **styled(options)}
        self.series.append(series)
        made = Said(series, shown) if shown else artist(kind, series)
        made.axes = self
        return made

    # ---- marks ------------------------------------------------------------------------------------------------------

    def plot(self, *args, **options) -> list:
        """Curves: [x], y, [format], any number of times; in space x, y, z."""
        if self.in_space and len(args) >= 3 and not isinstance(args[2], str):
            return self.plot3D(*args, **options)
        return self._plot(*args, **options)

    def _plot(self, *args, **options) -> list:
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
                curve = self._add("line", options, x=across, y=heights)
                curve.series.update({**form, **styled(options)})
                made.append(curve)
        return made

    def scatter(self, x, y, s=None, c=None, *args, **options):
        """Points; in space x, y, z."""
        if self.in_space:
            return self.scatter3D(x, y, 0 if s is None else s, "z", c, *args, **options)
        return self._scatter(x, y, s, c, *args, **options)

    def _scatter(self, x, y, s=None, c=None, *args, **options):
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
        made = self._add("bar", options, **entries)
        bars = [Bar(made.series, i) for i in range(len(heights))]
        return Container(bars, f"<BarContainer object of {len(heights)} artists>")

    def barh(self, y, width, height=0.8, left=None, **options):
        """Lying bars."""
        lengths = self._numbers(width)
        made = self._add("barh", options, x=lengths, y=self._numbers(y, "y"), across=self._numbers(height))
        bars = [Bar(made.series, i) for i in range(len(lengths))]
        return Container(bars, f"<BarContainer object of {len(lengths)} artists>")

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
            Container([Bar(one.series, i) for i, _ in enumerate(h)], f"<BarContainer object of {len(h)} artists>")
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
        """Areas between lines of equal height over a grid: [x, y], z, [levels]."""
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
        made = self._add("errorbar", options, x=across, y=heights)
        made.series.update({**marks(fmt), **styled(options)})
        for key, given in (("error", yerr), ("error_x", xerr)):
            if given is not None:
                spread = self._numbers(given)
                made.series[key] = (spread * len(heights) if len(spread) == 1 else spread)[: len(heights)]
        return Container([made, (), ()], "<ErrorbarContainer object of 3 artists>")

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
        places, gap = self._numbers(where), float("nan")
        starts, ends = self._numbers(first), self._numbers(last)
        starts, ends = (one * len(places) if len(one) == 1 else one for one in (starts, ends))
        fixed = [entry for place in places for entry in (place, place, gap)]
        running = [entry for pair in zip(starts, ends, strict=False) for entry in (*pair, gap)]
        return artist("strokes", self._add("line", options, shown="", **{axes[0]: fixed, axes[1]: running}).series)

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
        for one in made:
            one.series["steps"] = {"pre": "vh", "post": "hv"}.get(where, "hvh")
        return made

    def stem(self, *args, **options):
        """A stalk for every value."""
        x, y = (range(len(args[0])), args[0]) if len(args) < 2 or isinstance(args[1], str) else args[:2]
        across = self._numbers(list(x) if isinstance(x, range) else x, "x")
        made = self._add("stem", options, x=across, y=self._numbers(y))
        return Container([made, made, made], "<StemContainer object of 3 artists>")

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
