"""The modules a program imports for its plots: matplotlib, pyplot, and the inline backend."""

import types
from typing import Any

from explorer.runtime.plotting.artists import Animation, Anything
from explorer.runtime.plotting.axes import Axes
from explorer.runtime.plotting.figures import PlotFigure, Plots
from explorer.runtime.plotting.further import circle, ellipse, polygon, rectangle
from explorer.runtime.plotting.grids import Colormap, Colormaps, GridSpec
from explorer.runtime.plotting.statistics import seaborn_module

# pyplot's functions that belong to the current axes, under their names there.
_OF_AXES = (
    *("plot", "scatter", "bar", "barh", "hist", "imshow", "matshow", "contour", "contourf", "fill_between", "errorbar"),
    *("axhline", "axvline", "axhspan", "axvspan", "hlines", "vlines", "text", "annotate", "step", "stem", "semilogx"),
    *("semilogy", "loglog", "legend", "grid", "axis", "cla", "hist2d", "pcolormesh", "pcolor", "hexbin", "spy"),
    *("specgram", "quiver", "arrow", "streamplot", "fill", "axline", "stackplot", "stairs", "eventplot", "boxplot"),
    *("violinplot", "pie", "bar_label", "clabel"),
)
_RENAMED = {
    "title": "set_title",
    "xlabel": "set_xlabel",
    "ylabel": "set_ylabel",
    "xscale": "set_xscale",
    "yscale": "set_yscale",
}
_SUBMODULES = (
    "ticker",
    "patches",
    "colors",
    "cm",
    "animation",
    "lines",
    "gridspec",
    "patheffects",
    "dates",
    "image",
    "font_manager",
)


_SHAPES = {"Rectangle": rectangle, "Circle": circle, "Ellipse": ellipse, "Polygon": polygon}
_MAPS = {"get_cmap": Colormap, "ScalarMappable": Anything}
_PARTS: dict[str, dict[str, Any]] = {
    "patches": _SHAPES,
    "gridspec": {"GridSpec": GridSpec},
    "animation": {name: Animation for name in ("FuncAnimation", "ArtistAnimation", "Animation")},
    "cm": {name: Colormap(name) for name in ("viridis", "plasma", "coolwarm", "jet", "gray", "Blues", "Reds", "RdBu")}
    | _MAPS,
}


def plotting_modules(plots: Plots) -> dict[str, types.ModuleType]:
    """The modules by name, as they stand in sys.modules during a run."""
    pyplot = _pyplot(plots)
    matplotlib = _module(
        "matplotlib", pyplot=pyplot, rcParams=plots.settings, use=_nothing, rc=_nothing, style=pyplot.style
    )
    vars(matplotlib).update(__version__="3", get_backend=lambda: "inline", colormaps=Colormaps())
    modules = {"matplotlib": matplotlib, "matplotlib.pyplot": pyplot}
    for name in _SUBMODULES:
        part = _module(f"matplotlib.{name}")
        part.__getattr__ = _anything
        vars(part).update(_PARTS.get(name, {}))
        setattr(matplotlib, name, part)
        modules[f"matplotlib.{name}"] = part
    known = {"figure": _module("matplotlib.figure", Figure=PlotFigure), "axes": _module("matplotlib.axes", Axes=Axes)}
    vars(matplotlib).update(known)
    mplot3d = _module("mpl_toolkits.mplot3d", Axes3D=Axes)
    seaborn = seaborn_module(plots)
    grids = _module("mpl_toolkits.axes_grid1", make_axes_locatable=Anything, ImageGrid=_image_grid)
    backend = _module("matplotlib_inline.backend_inline", set_matplotlib_formats=_nothing)
    return modules | {
        "matplotlib.figure": matplotlib.figure,
        "matplotlib.axes": matplotlib.axes,
        "mpl_toolkits": _module("mpl_toolkits", mplot3d=mplot3d, axes_grid1=grids),
        "mpl_toolkits.mplot3d": mplot3d,
        "mpl_toolkits.axes_grid1": grids,
        "matplotlib_inline": _module("matplotlib_inline", backend_inline=backend),
        "matplotlib_inline.backend_inline": backend,
        "seaborn": seaborn,
    }


def _module(name: str, **names) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(names, __stands_in__=True)  # the language ring lets a program have all of it
    return module


def _nothing(*args, **options) -> None:
    """Takes everything and does nothing."""


def _image_grid(figure: PlotFigure, rect=111, nrows_ncols=(1, 1), **options) -> list[Axes]:
    """Axes for pictures, in a list."""
    rows, columns = nrows_ncols
    return list(figure.subplots(rows, columns, squeeze=False).flat)


def _anything(name: str) -> type | Anything:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything if name[:1].isupper() else Anything()


def _pyplot(plots: Plots) -> types.ModuleType:
    def of_axes(name: str):
        def call(*args, **options):
            return getattr(plots.gcf().gca(), name)(*args, **options)

        call.__name__ = name
        return call

    def subplots(nrows=1, ncols=1, *, num=None, figsize=None, **options):
        figure = plots.figure(num, figsize)
        kept = {key: options[key] for key in ("squeeze", "subplot_kw") if key in options}
        return figure, figure.subplots(nrows, ncols, **kept)

    def limits(axis: str):
        def call(*args, **options):
            axes = plots.gcf().gca()
            return getattr(axes, f"set_{axis}lim" if args or options else f"get_{axis}lim")(*args, **options)

        return call

    def ticks(axis: str):
        def call(ticks=None, labels=None, **options):
            return getattr(plots.gcf().gca(), f"set_{axis}ticks")(ticks, labels), []

        return call

    def select(axes: Axes) -> None:
        axes.figure.select(axes)

    def axes(*args, **options) -> Axes:
        figure = plots.gcf()
        return figure.add_axes(**options) if figure.axes else figure.add_subplot(1, 1, 1, **options)

    def mosaic(plan, **options):
        figure = plots.figure(figsize=options.get("figsize"))
        return figure, figure.subplot_mosaic(plan)

    style = types.SimpleNamespace(use=_nothing, context=Anything(), available=["default"], library={})
    pyplot = _module(
        "matplotlib.pyplot", rcParams=plots.settings, style=style, cm=Colormaps(), Figure=PlotFigure, Axes=Axes
    )
    vars(pyplot).update({name: of_axes(name) for name in _OF_AXES})
    vars(pyplot).update({name: of_axes(method) for name, method in _RENAMED.items()})
    vars(pyplot).update(
        figure=plots.figure,
        subplots=subplots,
        subplot=lambda *place, **options: plots.gcf().add_subplot(*(place or (1, 1, 1)), **options),
        axes=axes,
        gcf=plots.gcf,
        gca=lambda **options: plots.gcf().gca(),
        sca=select,
        clf=lambda: plots.gcf().clf(),
        close=plots.close,
        show=plots.show,
        savefig=lambda *args, **options: plots.gcf().savefig(*args, **options),
        suptitle=lambda *args, **options: plots.gcf().suptitle(*args, **options),
        get_fignums=lambda: list(plots.open),
        fignum_exists=lambda number: number in plots.open,
        xlim=limits("x"),
        ylim=limits("y"),
        xticks=ticks("x"),
        yticks=ticks("y"),
        colorbar=lambda *args, **options: plots.gcf().colorbar(),
        subplot_mosaic=mosaic,
        subplot2grid=lambda shape, loc, *args, **options: plots.gcf().add_subplot(GridSpec(*shape)[tuple(loc)]),
        rc=_nothing,
        get_cmap=lambda name="viridis", *args, **options: name if isinstance(name, Colormap) else Colormap(name),
        colormaps=Colormaps(),
        GridSpec=GridSpec,
        **_SHAPES,
    )

    def unknown(name: str):
        taken = plots.unknown(name)

        def call(*args, **options) -> Anything:
            if not plots.without_effect(name):
                plots.gcf().gca()
            return taken(*args, **options)

        return call

    pyplot.__getattr__ = unknown
    return pyplot
