"""Rarer marks of axes, made of the common ones: grids of counts, arrows, boxes, wedges, outlines, points in space."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.runtime.plotting.artists import Anything, Artist, Container, artist
from explorer.runtime.plotting.data import Series, outline

_ROUND = 48  # corners of a circle
_ARROWS = 400  # of one call
_VIEW = np.radians(-60), np.radians(30)  # matplotlib's place of the eye: around, above


class Further:
    """What Axes derives from for the rarer calls of matplotlib."""

    _plots: Any
    _limits: Callable[[str], Any]
    _numbers: Callable[..., list[float]]
    _add: Callable[..., Artist]
    _plot: Callable[..., Any]
    _scatter: Callable[..., Any]
    imshow: Callable[..., Any]
    contour: Callable[..., Any]
    axvline: Callable[..., Any]
    fill_between: Callable[..., Any]
    vlines: Callable[..., Any]
    set_xticks: Callable[..., Any]
    text: Callable[..., Any]
    axis: Callable[..., Any]
    set_axis_off: Callable[..., Any]

    def hist2d(self, x, y, bins=10, range=None, density=False, **options):
        """How many points fall into each cell of a grid."""
        with self._plots.quiet():
            counts, across, up = np.histogram2d(np.ravel(x), np.ravel(y), bins, range, density)
        return counts, across, up, self.pcolormesh(across, up, counts.T, **options)

    def pcolormesh(self, *args, **options):
        """A grid as a picture, its first row below: [x, y], z."""
        with self._plots.quiet():
            grid = np.asarray(args[-1], dtype=np.float64)
            sides = [np.asarray(side, dtype=np.float64) for side in args[:2]] if len(args) >= 3 else []
        ends = [end for side in sides for end in (float(side.min()), float(side.max()))]
        extent = ends or [0.0, float(grid.shape[1]), 0.0, float(grid.shape[0])]
        bounds = {key: options.get(key) for key in ("vmin", "vmax")}
        made = self.imshow(grid, extent=extent, origin="lower", **bounds)
        return artist("mesh", made.series)

    pcolor = pcolormesh

    def hexbin(self, x, y, gridsize=20, **options):
        """Counts of points, in cells that are squares here."""
        *_, made = self.hist2d(x, y, gridsize)
        return artist("poly", made.series)

    def spy(self, Z, **options):
        """Where a matrix is not zero."""
        with self._plots.quiet():
            return self.imshow((np.asarray(Z) != 0).astype(np.float64))

    def specgram(self, x, NFFT=256, Fs=2, noverlap=128, **options):
        """How strong the frequencies of a signal are, over time."""
        with self._plots.quiet():
            signal = np.asarray(x, dtype=np.float64).ravel()
        starts = np.arange(0, max(1, len(signal) - NFFT + 1), NFFT - noverlap)
        pieces = np.stack([np.resize(signal[at : at + NFFT], NFFT) for at in starts]) * np.hanning(NFFT)
        power = np.abs(np.fft.rfft(pieces)).T ** 2
        times, heights = (starts + NFFT / 2) / Fs, np.fft.rfftfreq(NFFT, 1 / Fs)
        made = self.pcolormesh(times, heights, 10 * np.log10(power + 1e-20))
        return power, heights, times, made

    # ---- arrows and outlines ----------------------------------------------------------------------------------------

    def quiver(self, *args, **options):
        """Arrows: [x, y], their two parts."""
        scale = options.pop("scale", None) or 1.0
        parts = [np.ravel(self._numbers(one)) for one in args[:4]]
        if len(parts) < 4:
            shape = np.atleast_2d(np.asarray(args[0])).shape
            places = [np.ravel(one).astype(float) for one in np.meshgrid(np.arange(shape[1]), np.arange(shape[0]))]
            parts = [*places, *parts[:2]]
        x, y, u, v = np.broadcast_arrays(*parts)
        for at in range(min(len(x), _ARROWS)):
            self._arrow(x[at], y[at], x[at] + u[at] / scale, y[at] + v[at] / scale, options)
        points = {"x": np.stack([x, x + u / scale], 1).ravel().tolist()}
        points["y"] = np.stack([y, y + v / scale], 1).ravel().tolist()
        return artist("quiver", self._add("line", {}, dash="none", **points).series)

    def _arrow(self, x, y, to_x, to_y, options: dict) -> Series:
        ends = {"x": [float(x)], "y": [float(y)], "to_x": float(to_x), "to_y": float(to_y)}
        return self._add("text", options, text="", **ends).series

    def arrow(self, x, y, dx, dy, **options):
        """One arrow."""
        x, y, dx, dy = (self._numbers(one)[0] for one in (x, y, dx, dy))
        return artist("polygon", self._arrow(x, y, x + dx, y + dy, options))

    def streamplot(self, x, y, u, v, **options):
        """The field of a stream, as arrows."""
        with self._plots.quiet():
            x, y, u, v = (np.asarray(one, dtype=np.float64) for one in (x, y, u, v))
        x, y = np.meshgrid(x, y) if x.ndim == 1 else (x, y)
        step = max(1, max(u.shape) // 12)
        cut = (slice(None, None, step), slice(None, None, step))
        length = np.hypot(u, v).max() or 1.0
        scale = length * 12 / max(float(np.ptp(x)), 1e-9)
        return self.quiver(x[cut], y[cut], u[cut], v[cut], scale=scale)

    def fill(self, *args, **options) -> list:
        """Filled outlines."""
        made = []
        for i in range(0, len(args) - 1, 2 if len(args) % 3 else 3):
            x, y = self._numbers(args[i]), self._numbers(args[i + 1])
            series = self._add("line", options, x=[*x, *x[:1]], y=[*y, *y[:1]]).series
            made.append(artist("polygon", series))
        return made

    def add_patch(self, patch):
        """The outline of a shape."""
        if isinstance(patch, Patch) and patch.corners:
            x, y = (list(side) for side in zip(*patch.corners, strict=True))
            self._add("line", patch.options, x=x, y=y)
        return patch

    add_artist = add_patch

    def axline(self, xy1, xy2=None, *, slope=None, **options):
        """A line through two places."""
        x, y = self._numbers(xy1)
        if xy2 is not None:
            (to_x, to_y) = self._numbers(xy2)
            slope = (to_y - y) / (to_x - x) if to_x != x else np.inf
        if not np.isfinite(slope):
            return self.axvline(x, **options)
        low, high = map(float, self._limits("x"))
        return self._add("line", options, x=[low, high], y=[y + slope * (low - x), y + slope * (high - x)])

    def stackplot(self, x, *args, **options) -> list:
        """Areas on top of one another."""
        rows = [row for one in args for row in (one if np.ndim(one) > 1 else [one])]
        labels, below, made = options.pop("labels", ()), np.zeros(len(np.atleast_1d(x))), []
        for i, row in enumerate(rows):
            above = below + np.asarray(self._numbers(row))
            label = {"label": labels[i]} if i < len(labels) else {}
            made.append(self.fill_between(x, above, below, **label))
            below = above
        return made

    def stairs(self, values, edges=None, **options):
        """Steps between edges."""
        heights = self._numbers(values)
        places = self._numbers(edges) if edges is not None else list(map(float, range(len(heights) + 1)))
        return self._add("line", options, x=places, y=[*heights, *heights[-1:]], steps="hv")

    def eventplot(self, positions, **options) -> list:
        """Strokes where something happened."""
        rows = positions if np.ndim(positions) > 1 or isinstance(positions[0], list) else [positions]
        return [self.vlines(row, i - 0.5, i + 0.5, **options) for i, row in enumerate(rows)]

    # ---- groups of values -------------------------------------------------------------------------------------------

    def boxplot(self, x, labels=None, tick_labels=None, positions=None, **options) -> dict:
        """The middle half of each group as a box, its median, and how far the rest reaches."""
        groups, places = self._groups(x, positions, tick_labels or labels)
        made: dict[str, list] = {name: [] for name in ("whiskers", "caps", "boxes", "medians", "fliers", "means")}
        for place, group in zip(places, groups, strict=False):
            low, middle, high = np.percentile(group, [25, 50, 75])
            near = group[(group >= low - 1.5 * (high - low)) & (group <= high + 1.5 * (high - low))]
            far = group[(group < near.min()) | (group > near.max())]
            left, right = place - 0.25, place + 0.25
            box = {"x": [left, right, right, left, left], "y": [low, low, high, high, low]}
            made["boxes"].append(self._add("line", {}, **{key: list(map(float, one)) for key, one in box.items()}))
            made["medians"].append(self._add("line", {}, x=[left, right], y=[float(middle)] * 2))
            for end, edge in ((near.min(), low), (near.max(), high)):
                made["whiskers"].append(self._add("line", {}, x=[place, place], y=[float(edge), float(end)]))
                made["caps"].append(self._add("line", {}, x=[place - 0.12, place + 0.12], y=[float(end)] * 2))
            made["fliers"].append(self._add("scatter", {}, x=[place] * len(far), y=far.tolist()))
        return made

    def violinplot(self, dataset, positions=None, **options) -> dict:
        """How dense the values of each group are, to both sides."""
        groups, places = self._groups(dataset, positions, None)
        bodies = []
        for place, group in zip(places, groups, strict=False):
            width = (group.std(ddof=1) if len(group) > 1 else 1.0) * len(group) ** -0.2 or 1.0
            heights = np.linspace(group.min(), group.max(), 60)
            dense = np.exp(-0.5 * ((heights[:, None] - group[:2_000]) / width) ** 2).sum(1)
            dense = 0.25 * dense / dense.max()
            x = [*(place - dense), *(place + dense[::-1]), place - dense[0]]
            bodies.append(self._add("line", {}, x=list(map(float, x)), y=[*heights, *heights[::-1], heights[0]]))
        return {"bodies": bodies}

    def _groups(self, values, positions, labels) -> tuple[list[np.ndarray], list[float]]:
        with self._plots.quiet():
            several = np.ndim(values[0]) > 0 if isinstance(values, list | tuple) else np.ndim(values) > 1
            rows = (values if isinstance(values, list | tuple) else np.asarray(values).T) if several else [values]
            groups = [np.asarray(row, dtype=np.float64).ravel() for row in rows]
        places = self._numbers(positions) if positions is not None else [float(i + 1) for i in range(len(groups))]
        self.set_xticks(places, labels if labels is not None else [f"{place:g}" for place in places])
        return [group for group in groups if len(group)], places

    def pie(self, x, explode=None, labels=None, colors=None, autopct=None, **options) -> tuple:
        """Shares as wedges of a circle, drawn by their outlines."""
        shares = np.asarray(self._numbers(x))
        turns = np.concatenate([[0.0], np.cumsum(shares / (shares.sum() or 1.0))]) * 2 * np.pi
        wedges, words, parts = [], [], []
        for i, share in enumerate(shares):
            arc = np.linspace(turns[i], turns[i + 1], _ROUND // 2)
            ring = {"x": [0.0, *np.cos(arc).tolist(), 0.0], "y": [0.0, *np.sin(arc).tolist(), 0.0]}
            wedges.append(artist("polygon", self._add("line", {}, **ring).series))
            middle = (turns[i] + turns[i + 1]) / 2
            label = "" if labels is None else str(list(labels)[i])
            words.append(self.text(1.1 * np.cos(middle), 1.1 * np.sin(middle), label))
            if autopct is not None:
                percent = 100 * share / (shares.sum() or 1.0)
                told = autopct(percent) if callable(autopct) else str(autopct) % percent
                parts.append(self.text(0.6 * np.cos(middle), 0.6 * np.sin(middle), told))
        self.axis("equal"), self.set_axis_off()
        return (wedges, words, parts) if autopct is not None else (wedges, words)

    def bar_label(self, container, labels=None, fmt="%g", **options) -> list:
        """The height of every bar above it."""
        words = []
        for i, bar in enumerate(container):
            told = str(labels[i]) if labels is not None else fmt % bar.get_height() if isinstance(fmt, str) else ""
            words.append(self.text(bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height(), told))
        return words

    def clabel(self, *args, **options) -> Container:
        """Heights beside contour lines, which show them under the pointer."""
        return Container((), "<a list of 0 text.Text objects>")

    # ---- space ------------------------------------------------------------------------------------------------------

    def _seen(self, x, y, z) -> tuple[list[float], list[float]]:
        """Where places in space are seen from matplotlib's usual point of view."""
        x, y, z = np.broadcast_arrays(*(np.ravel(self._numbers(one)) for one in (x, y, z)))
        around, above = _VIEW
        across = -x * np.sin(around) + y * np.cos(around)
        depth = x * np.cos(around) + y * np.sin(around)
        return across.tolist(), (z * np.cos(above) - depth * np.sin(above)).tolist()

    def plot3D(self, xs, ys, zs=0, *form, **options) -> list:
        """A curve in space."""
        across, up = self._seen(xs, ys, zs)
        return [artist("line3d", one.series) for one in self._plot(across, up, *form, **options)]

    def scatter3D(self, xs, ys, zs=0, zdir="z", s=None, c=None, *args, **options):
        """Points in space."""
        across, up = self._seen(xs, ys, zs)
        return artist("scatter3d", self._scatter(across, up, s, c, **options).series)

    def bar3d(self, x, y, z, dx, dy, dz, *args, **options):
        """Standing bars, each by its edge."""
        for one in zip(*np.broadcast_arrays(*(np.ravel(self._numbers(part)) for part in (x, y, z, dz))), strict=True):
            across, up = self._seen([one[0]] * 2, [one[1]] * 2, [one[2], one[2] + one[3]])
            self._add("line", {"linewidth": 8, **options}, x=across, y=up)
        return artist("surface", {})

    def plot_trisurf(self, x, y, z=None, *args, **options):
        """A surface over loose places, as points."""
        return self.scatter3D(x, y, z)

    def contour3D(self, *args, **options):
        """Contour lines."""
        return self.contour(*args, **options)

    def set_zlim(self, bottom=None, top=None, **options) -> tuple:
        """The ends of the third axis, which are those of its entries here."""
        ends = bottom if np.ndim(bottom) else (bottom, top)
        return tuple(float(end) if end is not None else None for end in ends)


class Patch(Anything):
    """A shape. Attributes: corners: of its outline; options: how it is drawn."""

    def __init__(self, corners, options: dict, xy=(0.0, 0.0)) -> None:
        self.corners, self.options, self._xy = [tuple(map(float, one)) for one in corners], options, xy

    def get_xy(self) -> tuple:
        """Where it is."""
        return self._xy


def rectangle(xy, width=1.0, height=1.0, *args, **options) -> Patch:
    """matplotlib's Rectangle."""
    (x, y), wide, tall = outline(xy)[0], float(width), float(height)
    corners = [(x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall), (x, y)]
    return Patch(corners, options, (x, y))


def ellipse(xy=(0, 0), width=1.0, height=1.0, *args, angle=0.0, **options) -> Patch:
    """matplotlib's Ellipse."""
    (x, y), turn = outline(xy)[0], np.radians(float(angle))
    around = np.linspace(0, 2 * np.pi, _ROUND)
    a, b = np.cos(around) * float(width) / 2, np.sin(around) * float(height) / 2
    across, up = x + a * np.cos(turn) - b * np.sin(turn), y + a * np.sin(turn) + b * np.cos(turn)
    return Patch(zip(across, up, strict=True), options, (x, y))


def circle(xy=(0, 0), radius=5.0, **options) -> Patch:
    """matplotlib's Circle."""
    return ellipse(xy, 2 * radius, 2 * radius, **options)


def polygon(xy, *args, **options) -> Patch:
    """matplotlib's Polygon."""
    corners = outline(xy)
    return Patch([*corners, corners[0]], options, corners[0])
