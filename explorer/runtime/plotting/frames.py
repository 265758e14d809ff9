"""What `df.plot()` and `df.hist()` draw: pandas asks a plotting module, and this is ours."""

import types
from typing import Any

import numpy as np

from explorer.runtime.plotting.axes import Axes
from explorer.runtime.plotting.figures import Plots

_OF_FIGURE = ("title", "xlabel", "ylabel", "xlim", "ylim")


def pandas_module(plots: Plots) -> types.ModuleType:
    """The module that stands for pandas' own plotting during a run."""

    def start(options: dict) -> Axes:
        axes = options.pop("ax", None) or plots.figure(figsize=options.pop("figsize", None)).gca()
        for name in _OF_FIGURE:
            if options.get(name) is not None:
                getattr(axes, f"set_{name}")(options[name])
            options.pop(name, None)
        if options.pop("logy", False):
            axes.set_yscale("log")
        if options.pop("grid", False):
            axes.grid()
        return axes

    def plot(data, kind="line", x=None, y=None, **options) -> Axes:
        if options.pop("subplots", False) and data.ndim == 2:
            return each(data, kind, x, options)
        axes, legend = start(options), options.pop("legend", True)
        if kind == "scatter":
            axes.set_xlabel(str(x)), axes.set_ylabel(str(y))
            axes.scatter(data[x], data[y], **options)
            return axes
        frame = data.to_frame() if data.ndim == 1 else data
        across = frame[x] if x is not None else frame.index
        if x is not None or across.name is not None:
            axes.set_xlabel(str(x if x is not None else across.name))
        names = [y] if y is not None and not isinstance(y, list) else y or [name for name in frame.columns if name != x]
        numeric = [name for name in names if np.asarray(frame[name]).dtype.kind in "biuf"]
        if not numeric:
            raise TypeError("no numeric data to plot")
        known: dict[str, Any] = {"line": axes.plot, "bar": axes.bar, "barh": axes.barh, "area": axes.fill_between}
        draw = known.get(kind)
        given, style = options.pop("label", None), options.pop("style", None)
        for name in numeric:
            label = {"label": str(name if given is None or len(numeric) > 1 else given)}
            if kind == "line" and isinstance(style, str):
                axes.plot(across, frame[name], style, **label, **options)
                continue
            if kind == "hist":
                axes.hist(frame[name].dropna(), bins=options.get("bins", 10), **label)
            elif draw is not None:
                draw(
                    [str(one) for one in across] if kind in ("bar", "barh") else across, frame[name], **label, **options
                )
            else:
                getattr(axes, kind)(frame[name])
        if legend and data.ndim == 2:
            axes.legend()
        return axes

    def each(data, kind: str, x, options: dict):
        names = [name for name in data.columns if name != x and np.asarray(data[name]).dtype.kind in "biuf"]
        rows, wide = options.pop("layout", None) or (len(names), 1)
        rows = rows if rows > 0 else -(-len(names) // wide)
        made = plots.figure(figsize=options.pop("figsize", None)).subplots(rows, wide, squeeze=False)
        for axes, name in zip(made.flat, names, strict=False):
            plot(data, kind, x, name, ax=axes, **options)
        return made[:, 0] if wide == 1 else made

    def boxplot_frame(data, column=None, by=None, ax=None, grid=True, **options) -> Axes:
        axes = ax or plots.gcf().gca()
        names = [column] if isinstance(column, str) else column or list(data.columns)
        if by is not None:
            groups = data.groupby(by)[names[0] if column is not None else _numeric(data, by)[0]]
            axes.boxplot([part.dropna() for _, part in groups], labels=[str(name) for name, _ in groups])
            axes.set_title(str(names[0])), axes.set_xlabel(str(by))
        else:
            names = [name for name in names if name in _numeric(data)]
            axes.boxplot([data[name].dropna() for name in names], labels=[str(name) for name in names])
        axes.grid(grid)
        return axes

    def scatter_matrix(frame, figsize=None, diagonal="hist", **options):
        names = _numeric(frame)
        made = plots.figure(figsize=figsize).subplots(len(names), len(names), squeeze=False)
        for (i, j), axes in np.ndenumerate(made):
            if i == j:
                axes.hist(frame[names[i]].dropna())
            else:
                axes.scatter(frame[names[j]], frame[names[i]])
            axes.set_xlabel(str(names[j])), axes.set_ylabel(str(names[i]))
        return made

    def hist_frame(data, column=None, bins=10, **options):
        names = [name for name in column or data.columns if np.asarray(data[name]).dtype.kind in "biuf"]
        made = plots.figure(figsize=options.get("figsize")).subplots(1, max(1, len(names)), squeeze=False)
        for axes, name in zip(made.flat, names, strict=False):
            axes.hist(data[name].dropna(), bins=bins)
            axes.set_title(str(name))
        return made

    def hist_series(data, bins=10, **options) -> Axes:
        axes = plots.gcf().gca()
        axes.hist(data.dropna(), bins=bins)
        return axes

    module = types.ModuleType("plots")
    vars(module).update(plot=plot, hist_frame=hist_frame, hist_series=hist_series)
    vars(module).update(boxplot_frame=boxplot_frame, scatter_matrix=scatter_matrix, boxplot=boxplot_frame)
    return module


def _numeric(data, without=None) -> list:
    """The columns of numbers."""
    return [name for name in data.columns if name != without and np.asarray(data[name]).dtype.kind in "biuf"]
