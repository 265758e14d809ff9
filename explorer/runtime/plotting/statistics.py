"""seaborn as a program sees it: its styles, and its plots of tables through the recorder of figures."""

import contextlib
import types

import numpy as np
import pandas as pd

from explorer.runtime.plotting.artists import Anything
from explorer.runtime.plotting.axes import Axes
from explorer.runtime.plotting.figures import Plots

_GRID = 100  # places at which a density is drawn
# Arguments of seaborn that a figure as data has no use for.
_TAKEN = frozenset(
    """
    palette hue_order order errorbar ci estimator legend style size sizes markers stat common_norm element multiple
    dashes fill bw_adjust orient native_scale n_boot edgecolor linewidths inner width shade cut dodge saturation
    capsize ax height aspect corner diag_kind kind plot_kws diag_kws col row col_wrap sort errcolor kde
    """.split()
)
_STYLES = "set set_theme set_style set_context set_palette despine reset_defaults reset_orig move_legend"
_ESTIMATORS = ("mean", "median", "sum", "min", "max")
_DEEP = ("#4C72B0", "#DD8452", "#55A868", "#C44E52", "#8172B3", "#937860", "#DA8BC3", "#8C8C8C", "#CCB974", "#64B5CD")


def seaborn_module(plots: Plots) -> types.ModuleType:
    """The module `seaborn` of a run."""

    def axes_of(options: dict) -> Axes:
        given = options.get("ax")
        return plots.gcf().gca() if given is None else given

    def by_hue(frame: pd.DataFrame):
        """(label options, rows) for every hue, or once for all."""
        if "hue" not in frame:
            return [({}, frame)]
        return [({"label": str(name)}, part) for name, part in frame.groupby("hue", sort=False, observed=True)]

    def over(draw, axis="xy"):
        """A plotting function of seaborn's arguments: the columns are looked up, drawn hue by hue, and named."""

        def call(data=None, *, x=None, y=None, hue=None, **options):
            axes = axes_of(options)
            frame, names = _frame(data, x, y, hue, axis)
            plain = {key: entry for key, entry in options.items() if key not in _TAKEN}
            for label, part in by_hue(frame):
                draw(axes, part, {**plain, **label}, options)
            for one in "xy":
                if names.get(one):
                    getattr(axes, f"set_{one}label")(names[one])
            if "hue" in frame and options.get("legend", True):
                axes.legend()
            return axes

        return call

    def scatter(axes, frame, plain, _):
        axes.scatter(frame["x"], frame["y"], **plain)

    def line(axes, frame, plain, _):
        means = frame.groupby("x", observed=True)["y"].mean()
        axes.plot(list(means.index), means.to_numpy(), **plain)

    def bar(axes, frame, plain, options):
        flat = "x" in frame and pd.api.types.is_numeric_dtype(frame["x"]) and "y" in frame
        lying = flat and not pd.api.types.is_numeric_dtype(frame["y"])
        key, value = ("y", "x") if lying else ("x", "y")
        estimator = options.get("estimator", "mean")
        if not (callable(estimator) or estimator in _ESTIMATORS):
            raise ValueError(f"estimator: one of {', '.join(_ESTIMATORS)}, or a function")
        heights = frame.groupby(key, sort=False, observed=True)[value].agg(estimator)
        (axes.barh if lying else axes.bar)([str(one) for one in heights.index], heights.to_numpy(), **plain)

    def count(axes, frame, plain, _):
        key = "x" if "x" in frame else "y"
        counts = frame[key].value_counts(sort=False)
        (axes.bar if key == "x" else axes.barh)([str(one) for one in counts.index], counts.to_numpy(), **plain)

    def histogram(axes, frame, plain, options):
        values = frame["x" if "x" in frame else "y"].dropna().to_numpy()
        density = options.get("stat") == "density"
        bins = plain.pop("bins", "auto")
        _, edges, _ = axes.hist(values, bins=bins, density=density, **plain)
        if options.get("kde"):
            places, heights = _density(values)
            axes.plot(places, heights * (1 if density else len(values) * (edges[1] - edges[0])))

    def density(axes, frame, plain, options):
        if "x" in frame and "y" in frame:
            axes.contour(*_density_of_two(frame["x"].to_numpy(float), frame["y"].to_numpy(float)))
            return
        places, heights = _density(frame["x" if "x" in frame else "y"].dropna().to_numpy(float))
        axes.plot(places, heights, **plain)
        if options.get("fill") or options.get("shade"):
            axes.fill_between(places, heights, alpha=0.25)

    def regression(axes, frame, plain, _):
        axes.scatter(frame["x"], frame["y"], **plain)
        slope, height = np.polyfit(frame["x"].to_numpy(float), frame["y"].to_numpy(float), 1)
        ends = np.array([frame["x"].min(), frame["x"].max()], dtype=float)
        axes.plot(ends, slope * ends + height)

    def box(axes, frame, plain, _):
        key = "x" if "y" in frame and "x" in frame else None
        values = frame["y"] if "y" in frame else frame["x"]
        groups = values.groupby(frame[key], sort=False, observed=True) if key else [("", values)]
        axes.boxplot([part.dropna() for _, part in groups], labels=[str(name) for name, _ in groups])

    def heatmap(data, *, vmin=None, vmax=None, cmap=None, annot=None, fmt=".2g", ax=None, cbar=True, square=False,
                xticklabels="auto", yticklabels="auto", **options) -> Axes:  # fmt: skip
        axes = axes_of({"ax": ax})
        table = data if isinstance(data, pd.DataFrame) else pd.DataFrame(np.asarray(data))
        grid = table.to_numpy(dtype=float)
        axes.imshow(grid, cmap=cmap, vmin=vmin, vmax=vmax)
        for axis, labels, given in (("x", table.columns, xticklabels), ("y", table.index, yticklabels)):
            if given is False or given is None:
                getattr(axes, f"set_{axis}ticks")([])
            else:
                names = labels if isinstance(given, str | bool | int) else given
                getattr(axes, f"set_{axis}ticks")(range(len(labels)), [str(one) for one in names])
        if annot is not None and annot is not False:
            words = grid if annot is True else np.asarray(annot)
            for (row, column), entry in np.ndenumerate(words):
                axes.text(column, row, format(entry, fmt) if annot is True or fmt != ".2g" else str(entry), ha="center")
        return axes

    def pairplot(data, *, hue=None, vars=None, **options):
        names = vars or [name for name in data.columns if name != hue and pd.api.types.is_numeric_dtype(data[name])]
        figure = plots.figure()
        panels = figure.subplots(len(names), len(names), squeeze=False)
        for i, below in enumerate(names):
            for j, across in enumerate(names):
                draw = functions["histplot" if i == j else "scatterplot"]
                sides = {"x": across} if i == j else {"x": across, "y": below}
                draw(data=data, hue=hue, ax=panels[i, j], legend=False, **sides)
        return AxesGrid(figure, panels)

    def on_a_figure(name: str):
        def call(data=None, *, kind=None, **options):
            figure = plots.figure()
            functions[f"{kind or name}plot"](data, ax=figure.gca(), **options)
            return AxesGrid(figure, np.array([[figure.gca()]], dtype=object))

        return call

    def color_palette(palette=None, n_colors=None, *args, **options) -> list:
        count = n_colors or (len(palette) if isinstance(palette, list | tuple) else len(_DEEP))
        colors = list(palette) if isinstance(palette, list | tuple) else list(_DEEP)
        return [colors[i % len(colors)] for i in range(count)]

    functions = {
        **{"scatterplot": over(scatter), "lineplot": over(line, "y"), "barplot": over(bar), "countplot": over(count)},
        **{"histplot": over(histogram, "x"), "kdeplot": over(density, "x"), "regplot": over(regression)},
        **{"boxplot": over(box, "y"), "stripplot": over(scatter), "violinplot": over(box, "y"), "heatmap": heatmap},
        **{"pairplot": pairplot, "color_palette": color_palette, "displot": on_a_figure("hist")},
        **{"relplot": on_a_figure("scatter"), "catplot": on_a_figure("strip"), "lmplot": on_a_figure("reg")},
        **{"jointplot": on_a_figure("scatter")},
    }
    module = types.ModuleType("seaborn")
    vars(module).update(functions, __version__="0.13.2", __stands_in__=True)
    vars(module).update({name: _style for name in _STYLES.split()}, axes_style=_styled, plotting_context=_styled)
    vars(module).update(cubehelix_palette=color_palette, husl_palette=color_palette, light_palette=color_palette)
    return module


def _styled(*args, **options):
    """A style for the block of a `with`."""
    return contextlib.nullcontext({})


class AxesGrid(Anything):
    """Several axes of one call. Attributes: figure, fig, axes: an array, ax: the first."""

    def __init__(self, figure, axes) -> None:
        self.figure = self.fig = figure
        self.axes, self.ax = axes, axes.flat[0]

    def __repr__(self) -> str:
        return f"<seaborn.axisgrid.FacetGrid at {id(self):#x}>"


def _style(*args, **options) -> None:
    """Takes every style: a figure as data has the page's."""


def _frame(data, x, y, hue, alone: str) -> tuple[pd.DataFrame, dict[str, str]]:
    """The columns x, y and hue that were asked for, and what they are called."""
    if x is None and y is None and data is not None:
        return _wide(data, alone)
    found, names = {}, {}
    for key, given in (("x", x), ("y", y), ("hue", hue)):
        if given is None:
            continue
        named = data is not None and isinstance(given, str | int) and given in data
        found[key] = np.asarray(data[given]) if named else np.asarray(given)
        names[key] = str(given) if named else str(getattr(given, "name", None) or "")
    frame = pd.DataFrame(found)
    if "x" in frame and "y" not in frame and alone == "xy":
        frame["y"] = range(len(frame))
    return frame, names


def _wide(data, alone: str) -> tuple[pd.DataFrame, dict[str, str]]:
    """Every column of a table by its own name, over the positions."""
    table = data.to_frame() if isinstance(data, pd.Series) else data
    table = table if isinstance(table, pd.DataFrame) else pd.DataFrame(np.asarray(table))
    numeric = table.select_dtypes("number")
    parts = []
    for name in numeric.columns:
        part = pd.DataFrame({"x": np.asarray(table.index), "y": numeric[name].to_numpy(), "hue": str(name)})
        parts.append(part.rename(columns={"y": "x", "x": "place"}) if alone == "x" else part)
    frame = pd.concat(parts, ignore_index=True)
    return (frame.drop(columns="hue") if len(parts) == 1 else frame), {}


def _density(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a Gaussian density of values is drawn, and how high it is there (Scott's width)."""
    values = np.asarray(values, dtype=float)
    width = (values.std(ddof=1) if len(values) > 1 else 1.0) * len(values) ** -0.2 or 1.0
    places = np.linspace(values.min() - 3 * width, values.max() + 3 * width, _GRID)
    bells = np.exp(-0.5 * ((places[:, None] - values[:2_000]) / width) ** 2)
    return places, bells.sum(1) / (len(values[:2_000]) * width * np.sqrt(2 * np.pi))


def _density_of_two(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    heights, xs, ys = np.histogram2d(x, y, bins=20, density=True)
    return (xs[1:] + xs[:-1]) / 2, (ys[1:] + ys[:-1]) / 2, heights.T
