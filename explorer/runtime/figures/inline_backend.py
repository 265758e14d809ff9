"""Set up matplotlib with Jupyter's inline backend.

Plotly's figures are shown like matplotlib's.
"""

import contextlib
import importlib
import importlib.util
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from explorer.paths import cache_folder

_RENDERERS = "plotly.io._renderers"


@contextlib.contextmanager
def plotly_shown(show: Callable[[object], object]) -> Iterator[None]:
    """Make `figure.show()` call `show(figure)` as soon as the program imports plotly."""

    def shown(fig: object, *args: object, **options: object) -> None:
        show(fig)

    def patch(module: ModuleType) -> None:
        vars(module)["show"] = shown

    finder: Any = _WhenImported(patch)
    renderers = sys.modules.get(_RENDERERS)
    if renderers is not None:
        patch(renderers)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _WhenImported:
    """An import hook that patches a module right after its import."""

    def __init__(self, patch: Callable[[ModuleType], None]) -> None:
        self._patch = patch

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the module's own spec with the patch."""
        spec = PathFinder.find_spec(name, path) if name == _RENDERERS else None
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._patch(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


# Modules that matplotlib and pandas import lazily.
_LATE = (
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib_inline.backend_inline",
    "mpl_toolkits.axes_grid1",
    "mpl_toolkits.mplot3d",
    "pandas.plotting._matplotlib",
    "PIL.PngImagePlugin",
)


def preload_plotting() -> None:
    """Import matplotlib with its lazy modules, and fill its caches."""
    for name in _LATE:
        importlib.import_module(name)
    import matplotlib.pyplot as plt
    from matplotlib import font_manager, mathtext

    from explorer.runtime.figures.fonts import prepare_fonts
    from explorer.runtime.figures.matplotlib_figures import draw_everything

    prepare_fonts()
    _set_up()
    draw_everything()
    plt.close("all")
    vars(font_manager)["_get_font"].cache_clear()  # an open font is useless in a fork
    vars(mathtext.MathTextParser)["_parse_cached"].cache_clear()


def are_loaded() -> bool:
    """Return whether matplotlib is imported."""
    return "matplotlib_inline.backend_inline" in sys.modules


_BACKEND = "inline"


class NoPlots:
    """The plots of a program that does not draw."""

    def around(self) -> contextlib.nullcontext:
        """Change nothing."""
        return contextlib.nullcontext()

    def is_open(self) -> bool:
        """Return False: no figure is open."""
        return False

    def close(self) -> None:
        """Do nothing, because there is no figure."""

    end_cell = close


class Plots:
    """matplotlib during a run: the end of a cell shows its open figures."""

    def __init__(self, show: Callable[[object], object], inline: Any) -> None:
        """Store `show`, which shows a figure, and the inline settings.

        `inline` contains the settings of `%config InlineBackend`.
        """
        self._show, self._inline = show, inline

    @contextlib.contextmanager
    def around(self) -> Iterator[None]:
        """Show figures of the run within a context, then restore the settings."""
        from matplotlib_inline.config import InlineBackend

        settings, instance = _set_up(), InlineBackend._instance
        _showing.append(self._show)
        InlineBackend._instance = self._inline
        try:
            with plotly_shown(self._show):
                yield
        finally:
            InlineBackend._instance = instance
            _showing.remove(self._show)
            self.close()
            settings.restore()

    def is_open(self) -> bool:
        """Return whether the cell has left figures, to show or to close."""
        from matplotlib._pylab_helpers import Gcf
        from matplotlib_inline.backend_inline import show

        return bool(Gcf.figs or vars(show)["_draw_called"])

    def end_cell(self) -> None:
        """Show the figures that the cell has left open, and close them."""
        from matplotlib_inline.backend_inline import flush_figures

        flush_figures()

    def close(self) -> None:
        """Forget all figures."""
        import matplotlib.pyplot as plt
        from matplotlib_inline.backend_inline import show

        plt.close("all")
        vars(show).update(_to_draw=[], _draw_called=False)


_showing: list[Callable[[object], object]] = []  # runs in this process, innermost last


class _Settings:
    """matplotlib's settings at the start of every run."""

    def __init__(self) -> None:
        import matplotlib

        self._parameters = matplotlib.rcParams
        self._before = dict.copy(self._parameters)  # looking each up would take 2 ms

    def restore(self) -> None:
        """Undo changes by a program."""
        if dict.__ne__(self._parameters, self._before):
            dict.update(self._parameters, self._before)


@cache
def _set_up() -> _Settings:
    """Make every backend show figures below the cell, once per process."""
    import matplotlib
    import matplotlib.pyplot as plt
    from matplotlib_inline import backend_inline

    def display(figure: object, metadata: object = None) -> None:
        for show in _showing[-1:]:
            show(figure)

    def use(backend: str, *, force: bool = True) -> None:
        """Replace matplotlib.use: every backend shows its figures below the cell."""

    def formats(*wanted: str, **options: object) -> None:
        """Replace set_matplotlib_formats: a figure's size decides its format."""

    matplotlib.use(_BACKEND)
    plt.ion()
    replaced: list[tuple[Any, str, object]] = [
        (backend_inline, "display", display),
        (backend_inline, "set_matplotlib_formats", formats),
        (matplotlib, "use", use),
        (plt, "switch_backend", use),
        (plt, "install_repl_displayhook", lambda: None),  # the inline backend shows figures anyway
    ]
    for owner, name, function in replaced:
        setattr(owner, name, function)
    return _Settings()


@contextlib.contextmanager
def configuration_folder() -> Iterator[None]:
    """Create a context in which matplotlib may be imported.

    Its list of fonts is in the user's cache, or in a temporary folder. Without either, matplotlib keeps nothing.

    The machine's matplotlib settings are not read, so that a program draws the same everywhere.
    """
    variable, temporary = "MPLCONFIGDIR", None
    try:
        folder = cache_folder("matplotlib")
        if folder is None:
            folder = temporary = Path(tempfile.mkdtemp())
        os.environ[variable] = str(folder)
    except OSError:
        variable = "MATPLOTLIBRC"
        _keep_nothing(variable)
    try:
        yield
    finally:
        del os.environ[variable]
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _keep_nothing(settings: str) -> None:
    """Import matplotlib without a writable folder.

    It insists on a folder by default. This variable names the settings to read instead.
    """
    spec = importlib.util.find_spec("matplotlib")
    os.environ[settings] = os.path.join(os.path.dirname(spec.origin), "mpl-data", "matplotlibrc")
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.get_configdir = matplotlib.get_cachedir = lambda: os.path.join(os.devnull, "matplotlib")
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it warns that its font list is not saved
