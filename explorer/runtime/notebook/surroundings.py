"""What a program finds around it, as in a notebook: a fresh __main__, streams, seeds, files, plots, displays.

Everything is put in place for one run and put back afterwards.
"""

import contextlib
import os
import random
import sys
import types
import warnings

import IPython
import IPython.display
import numpy
import pandas
import torch
from pandas.plotting._core import _backends
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from explorer.runtime.book import book_modules
from explorer.runtime.notebook.disk import virtual_files
from explorer.runtime.notebook.echoes import RESULT_LENGTH, dot_of, picture_of, result_text, table_of, text_of
from explorer.runtime.notebook.files import HOME, Files
from explorer.runtime.notebook.namespace import DisplayHandle, Notebook
from explorer.runtime.notebook.outputs import Outputs, Stream, Warnings
from explorer.runtime.plotting import PlotFigure, Plots, pandas_module, plotting_modules
from explorer.runtime.policy import Ring
from explorer.runtime.recording.assemble import readable
from explorer.runtime.recording.places import Places
from explorer.runtime.recording.progress import progress_modules
from explorer.trace import Echo, Figure, Output, Printed, Refusal, Result, Skipped

SAME_PLACE = 10  # results of one bare expression in a loop
ALL_RESULTS = 64_000  # characters of all results
DISPLAY_COST = 32  # characters that every value shown counts for, however short
MOST_FIGURES, MOST_NUMBERS = 100, 200_000  # of one run, and in all of them
MOST_REFUSALS = 200

_TABLES = {"display.max_columns": 20, "display.width": 80}  # as in Jupyter, whatever terminal the parent has


class Surroundings:
    """The surroundings of one run.

    Attributes:
        namespace: the program's names; its builtins are those of a notebook.
        plots, files, notebook: what the program drew, wrote and echoed.
    """

    def __init__(
        self,
        outputs: Outputs,
        places: Places,
        quiet,
        here,
        files_full,
        language_ring: bool = False,
        given=(),
        load_module=None,
    ) -> None:
        """`quiet()` is a context that records nothing, `here()` the span that runs; `files_full(bound)` raises.

        `load_module(path, content, names)` runs a file that is imported: under the language ring only.
        """
        self._outputs, self._places, self._quiet, self._here = outputs, places, quiet, here
        self._main = types.ModuleType("__main__")
        self.namespace = vars(self._main)
        self.plots = Plots(self._show_figure, quiet)
        self.files = Files(files_full, given)
        self.notebook = Notebook(self.namespace, self.show, self.refuse, self.skip, self.files)
        self.notebook.names["open"] = self.files.open
        self.namespace.update(__builtins__=self.notebook.names, torch=torch)
        self._ring = Ring(self.refuse) if language_ring else None
        if self._ring is not None:
            self._ring.guards.skipped, self._ring.guards.files = self.skip, self.files
            self._ring.restrict(self.notebook.names)
            self._modules = self._ring.take_modules(load_module)
            self.notebook.getattr = self._ring.guards.getattr
            self.namespace["torch"] = self._ring.module("torch")
        self._refused: set[tuple[str, int, str]] = set()
        self._told: dict[int, int] = {}  # results by span
        self._results_left = ALL_RESULTS
        self._figures = self._numbers = 0
        self._figures_told = False
        outputs.on_taken_back = self._taken_back

    def forget(self) -> None:
        """Let every object of the program go."""
        self.namespace.clear()
        self.notebook.forget()
        self.plots.open.clear()

    # ---- what is shown ----------------------------------------------------------------------------------------------

    def echo(self, value: object) -> None:
        """Show the value of a cell's last expression."""
        if value is None:
            return
        self.notebook.echoed(value)
        with self._quiet():
            if self._shows_itself(value):
                return
            try:
                text = text_of(value)
                kept = self._outputs.fit(text)
                self._outputs.add(Echo(kept, table_of(value)), len(kept))
                if len(kept) < len(text):
                    self._outputs.cut(len(text) - len(kept))
            except MemoryError:
                raise
            except Exception as problem:  # as IPython: the cell has not failed, its value cannot be shown
                self._outputs.add(Printed("stderr", f"{type(problem).__name__}: {problem}\n"[:2000]))
            self._drawn(value)

    def show(self, value: object, old: Output | None = None) -> Output | None:
        """Show a value that the program gave to `display`, in the place of an older output if that is still there.

        The new output, None where the value shows itself.
        """
        with self._quiet():
            if self._shows_itself(value) or self._drawn(value):
                return None
            shown = Result(self._here(), text_of(value)[:RESULT_LENGTH], table_of(value))
            if old is not None and self._outputs.replace(old, shown):
                return shown
            entries = sum(map(_width, shown.table.rows)) if shown.table else 0
            self._outputs.add(shown, DISPLAY_COST + len(shown.text) + entries)
            return shown

    def clear_output(self, wait: bool = False) -> None:
        """Take back what the cell has shown: now, or with `wait` when it shows something else."""
        self._outputs.clear(bool(wait))

    def result(self, value: object) -> None:
        """In place of sys.displayhook: the value of a bare expression that is not the last."""
        if value is None or _of_plots(value) or _counted():
            return
        with self._quiet():
            span = self._here()
            self._told[span] = self._told.get(span, 0) + 1
            if span < 0 or self._told[span] > SAME_PLACE or self._results_left <= 0:
                return
            text = result_text(value)
            if text is not None:
                self._results_left -= DISPLAY_COST + len(text)
                self._outputs.add(Result(span, text))

    def refuse(self, what: str, reason: str = "") -> None:
        """Write down that something is not run here, once per place."""
        what, span = readable(what.split("\n")[0][:200]), self._here()
        if (what, span, reason) not in self._refused and len(self._refused) < MOST_REFUSALS:
            self._refused.add((what, span, reason))
            self._outputs.add(Refusal(what, span, reason))

    def skip(self, what: str, reason: str, detail: str = "") -> None:
        """Write down what came of a line that was not run as it stands, once per place."""
        what, span = readable(what.split("\n")[0][:200]), self._here()
        if (what, span, reason) not in self._refused and len(self._refused) < MOST_REFUSALS:
            self._refused.add((what, span, reason))
            self._outputs.add(Skipped(what, span, reason, readable(detail)[:200]))

    def end_cell(self) -> None:
        """Show the figures that the cell has left open."""
        self.plots.show()

    def _taken_back(self, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, Figure):
                self._figures -= 1
                self._numbers -= _numbers(output)

    def _show_figure(self, figure: Figure) -> None:
        self._figures += 1
        self._numbers += _numbers(figure)
        if self._figures <= MOST_FIGURES and self._numbers <= MOST_NUMBERS:
            self._outputs.add(figure)
        elif not self._figures_told:
            self._figures_told = True
            warnings.warn("too many figures: the rest is not shown", UserWarning, stacklevel=2)

    def _shows_itself(self, value: object) -> bool:
        method = getattr(type(value), "_ipython_display_", None)
        if method is None:
            return False
        method(value)
        return True

    def _drawn(self, value: object) -> bool:
        if isinstance(value, PlotFigure):
            value.show()
            return True
        figure = dot_of(value) or picture_of(value)
        if figure is not None:
            self._outputs.add(figure)
        return figure is not None

    # ---- putting everything in place --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def around(self, seed: int):
        """Everything in place, torch, numpy and random seeded; all put back afterwards."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(_kept_states())
            _seed_torch(seed)
            numpy.random.seed(seed % 2**32), random.seed(seed)
            plotting = plotting_modules(self.plots)
            modules = plotting | book_modules(plotting["matplotlib.pyplot"]) | progress_modules()
            stack.enter_context(_entries(sys.modules, {"__main__": self._main, **modules}))
            stack.enter_context(_entries(os.environ, {"COLUMNS": "80", "LINES": "24", "HOME": HOME}))
            stack.enter_context(pandas.option_context(*(part for pair in _TABLES.items() for part in pair)))
            stack.enter_context(_entries(_backends, {"matplotlib": pandas_module(self.plots)}))
            display = self._display_module()
            stack.enter_context(_entries(sys.modules, {"IPython.display": display}))
            shell = lambda: self.notebook.shell  # noqa: E731
            stack.enter_context(_attributes(IPython, display=display, get_ipython=shell))
            stack.enter_context(warnings.catch_warnings())
            warnings.showwarning = Warnings(self._outputs, self._places).show
            streams = {name: Stream(self._outputs, name) for name in ("stdout", "stderr")}
            stack.enter_context(_attributes(sys, displayhook=self.result, **streams))
            stack.enter_context(virtual_files(self.files))
            if self._ring is not None:
                stack.enter_context(self._ring.around())
                stack.callback(self._modules.clear)
            yield

    def _display_module(self) -> types.ModuleType:
        module = types.ModuleType("IPython.display")
        vars(module).update({name: part for name, part in vars(IPython.display).items() if not name.startswith("_")})
        vars(module).update(
            __stands_in__=True,
            display=self.notebook.display,
            update_display=self.notebook.update_display,
            clear_output=self.clear_output,
            DisplayHandle=DisplayHandle,
            set_matplotlib_formats=_nothing,
            set_matplotlib_close=_nothing,
        )
        return module


def _seed_torch(seed: int) -> None:
    """As torch.manual_seed, which also reads sources for devices that a confined child on Linux cannot have."""
    (torch.default_generator if sys.platform == "linux" else torch).manual_seed(seed)


def _numbers(figure: Figure) -> int:
    """How many numbers a figure holds."""
    return sum(len(entry) for one in figure.series for entry in one.values() if isinstance(entry, list))


def _nothing(*args, **options) -> None:
    """Takes everything and does nothing."""


def _counted() -> bool:
    """Whether a mode of the program would see what a repr does with tensors."""
    modes = _get_current_function_mode_stack()
    return any(type(mode).__module__ == "__main__" for mode in modes) or bool(_get_current_dispatch_mode_stack())


def _width(row: list[str]) -> int:
    return sum(map(len, row))


def _of_plots(value: object) -> bool:
    if isinstance(value, list | tuple) and value:
        value = value[-1] if isinstance(value, tuple) else value[0]
    return type(value).__module__.startswith(("explorer.runtime.plotting", "matplotlib.", "mpl_toolkits."))


@contextlib.contextmanager
def _kept_states():
    states = torch.get_rng_state(), numpy.random.get_state(), random.getstate()
    modes = torch.is_grad_enabled(), torch.get_default_dtype()
    try:
        yield
    finally:
        torch.set_rng_state(states[0])
        numpy.random.set_state(states[1])
        random.setstate(states[2])
        torch.set_grad_enabled(modes[0])
        torch.set_default_dtype(modes[1])


@contextlib.contextmanager
def _entries(owner, entries: dict):
    """These entries in a mapping, for a while."""
    before = {key: owner.get(key) for key in entries}
    owner.update(entries)
    try:
        yield
    finally:
        for key, entry in before.items():
            if entry is None:
                owner.pop(key, None)
            else:
                owner[key] = entry


@contextlib.contextmanager
def _attributes(owner, **attributes):
    """These attributes of an object, for a while."""
    before = {name: getattr(owner, name) for name in attributes}
    for name, attribute in attributes.items():
        setattr(owner, name, attribute)
    try:
        yield
    finally:
        for name, attribute in before.items():
            setattr(owner, name, attribute)
