"""Set up a program's environment as in a notebook.

Everything is installed for a run and restored afterwards.
"""

import builtins
import contextlib
import io
import os
import posixpath
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from explorer.program import TABLES, Program, needs
from explorer.runtime.book import book_modules
from explorer.runtime.figures import NoPlots, Plots, are_loaded, picture_of
from explorer.runtime.files.downloads import AbsentLibraries
from explorer.runtime.files.own_folder import Files
from explorer.runtime.files.own_modules import OwnModules
from explorer.runtime.kernel.adjustments import ENVIRONMENT, adjusted, prepare_progress
from explorer.runtime.kernel.displays import FIGURE, RESULT_LENGTH, Bundle, figure_in, result_text, table_in
from explorer.runtime.kernel.imported_files import ImportedFiles
from explorer.runtime.kernel.outputs import Outputs, Stream, Warnings
from explorer.runtime.kernel.refusals import Refusals, listening
from explorer.runtime.kernel.shell import new_shell
from explorer.runtime.kernel.timing import unrecorded_timing
from explorer.runtime.recorder.assemble import readable
from explorer.runtime.recorder.own_files import is_library
from explorer.runtime.recorder.source_map import SourceMap, safe_str
from explorer.runtime.replacements import replaced
from explorer.trace import Echo, Figure, Output, Printed, Result, Skipped

SAME_PLACE = 10  # most results of one bare expression in a loop
ALL_RESULTS = 64_000  # total characters of all results
HELP_LENGTH = 16_000  # longest help text
DISPLAY_COST = 32  # least weight of a shown value, in characters
MOST_FIGURES, MOST_BYTES = 100, 3_000_000  # figures in a run, and bytes of all figures
MOST_SKIPPED = 200

_TABLES: dict[str, int | str] = {
    "display.max_columns": 20,
    "display.width": 80,
}  # as in Jupyter, not the parent's terminal
_TABLES |= {f"io.excel.{kind}.reader": "calamine" for kind in ("xls", "xlsx", "xlsm", "xlsb", "ods")}
_HOMES = ("HOME", "USERPROFILE") if sys.platform == "win32" else ("HOME",)
_ENVIRONMENT = {"COLUMNS": "80", "LINES": "24", "USER": "notebook", **ENVIRONMENT}


class RunEnvironment:
    """The environment of a run.

    Attributes: shell: runs the cells. namespace: the names of the program and of IPython. plots, files: the program's
    plots and files. echoed: called with each echoed value. file_of: the path of an imported file, by the file name of
    its code, "" for other code. refusals: unavailable requests.
    """

    def __init__(
        self,
        outputs: Outputs,
        source_map: SourceMap,
        quiet,
        here,
        program: Program,
        private: str = "",
        load_module=None,
    ) -> None:
        """Prepare the environment.

        `quiet()` is a context that records nothing, and `here()` the running span. `private` is the folder for the
        program's own files. `load_module(path, content, names)` runs an imported file.
        """
        self._outputs, self._source_map, self.quiet, self._here = outputs, source_map, quiet, here
        self.shell = new_shell()
        self.shell.host, self.shell.compile.source_map = self, source_map
        self.namespace = self.shell.user_ns
        self.namespace["torch"] = torch
        parts = needs(program)
        self._draws = are_loaded() or parts is None
        self._has_tables = "pandas" in sys.modules or parts is None or parts >= TABLES
        self.plots: Plots | NoPlots = Plots(display, self.shell.inline_settings()) if self._draws else NoPlots()
        folder = program.folder
        self.files = Files(program.files, folder, private)
        self.shell.starting_dir, self.shell.history_manager.dir_hist[:] = self.files.home, [Path(self.files.home)]
        if program.kind == "py" and program.path not in ("", "-"):  # a notebook or pasted text has no file
            own = {"__file__": os.path.join(self.files.home, os.path.basename(program.path))}
            self.namespace.update(own), self.shell.user_ns_hidden.update(own)
        self._modules = OwnModules(self.files, load_module)
        self.refusals = Refusals(source_map, self.files.reason, folder.network)
        self.refusals.on_shell = lambda what: self.skip(what, "shell")
        self._absent = None if folder.network else AbsentLibraries(self.refusals.ask, self.skip)
        self._skipped: set[tuple[str, int, str]] = set()
        self.echoed = lambda value: None
        self.file_of: Callable[[str], str] = lambda name: ""
        self._displayed: dict[str, Output] = {}  # display_id → output
        self._results_by_span: dict[int, int] = {}  # span → number of results
        self._results_left = ALL_RESULTS
        self._figures = self._bytes = 0
        self._figures_reported = self._timing_reported = False
        outputs.on_taken_back = self._taken_back

    def forget(self) -> None:
        """Release every object of the program."""
        self.shell.forget()
        self.plots.close()

    def learn(self, imported: ImportedFiles) -> Callable[[str], int]:
        """Connect the imported files. Return a function from file to cell."""

        home = os.path.join(self.files.home, "")
        self.file_of = lambda name: posixpath.join(home, imported.paths[name]) if name in imported.paths else ""

        def cell_of(name: str) -> int:
            if not (name.endswith(".py") and name.startswith(home)) or is_library(name) or not os.path.isfile(name):
                return -1
            with open(name, "rb") as file:
                return imported.learn(name, name.removeprefix(home), file.read())

        return cell_of

    # ---- outputs ----------------------------------------------------------------------------------------------

    def echo(self, bundle: Bundle) -> None:
        """Show the value of a cell's last expression."""
        text = readable(bundle.get("text/plain", ""))
        shown = self._outputs.fit(text)
        self._outputs.add(Echo(shown, table_in(bundle)), len(shown))
        if len(shown) < len(text):
            self._outputs.cut(len(text) - len(shown))
        self._add_picture(bundle)

    def display(self, bundle: Bundle, display_id: str | None = None, update: bool = False) -> None:
        """Show the argument of `display`, in place of an existing output."""
        if callable(bundle.get(FIGURE)) and self._outputs.replacing and not update:
            self._outputs.postpone(lambda: self._add_picture(bundle))
            return
        figure = figure_in(bundle)
        shown: Output = figure or Result(
            self._here(), readable(bundle.get("text/plain", ""))[:RESULT_LENGTH], table_in(bundle), True
        )
        old = self._displayed.get(display_id or "") if update else None
        if old is None or not self._outputs.replace(old, shown):
            if isinstance(shown, Figure):
                self._add_figure(shown)
            elif isinstance(shown, Result) and (shown.text or shown.table):
                rows = shown.table.rows if shown.table else ()
                self._outputs.add(
                    shown, DISPLAY_COST + len(shown.text) + sum(len(text) for row in rows for text in row)
                )
        if display_id:
            self._displayed[display_id] = shown

    def clear_output(self, wait: bool = False) -> None:
        """Remove the cell's output, with `wait` before the next output."""
        self._outputs.clear(bool(wait))

    def not_shown(self, problem: BaseException) -> None:
        """Report that a repr raised: the cell has not failed.

        IPython does the same. Raises MemoryError.
        """
        if isinstance(problem, MemoryError):
            raise problem
        self._outputs.add(Printed("stderr", readable(f"{type(problem).__name__}: {safe_str(problem)}\n"[:2000])))

    def shortened(self, text: str) -> str:
        """Shorten a long help text, with a note about the rest."""
        if len(text) > HELP_LENGTH:
            self.skip(self.written() or "help", "help", str(HELP_LENGTH))
            text = text[:HELP_LENGTH].rpartition("\n")[0]
        return text

    def written(self) -> str:
        """Return the running code as written, in one line."""
        return self.refusals.code(self._here())

    def result(self, value: object) -> None:
        """Replace sys.displayhook for bare expressions before the last."""
        if value is None or _of_plots(value) or _counted():
            return
        with self.quiet():
            span = self._here()
            self._results_by_span[span] = self._results_by_span.get(span, 0) + 1
            if span < 0 or self._results_by_span[span] > SAME_PLACE or self._results_left <= 0:
                return
            text = result_text(value)
            if text is not None:
                self._results_left -= DISPLAY_COST + len(text)
                self._outputs.add(Result(span, text))

    def skip(self, what: str, reason: str, detail: str = "") -> None:
        """Record how a line differed from its text, once per place."""
        output = Skipped(readable(what.split("\n")[0][:200]), self._here(), reason, readable(detail)[:200])
        place = output.what, output.span, output.reason
        if place not in self._skipped and len(self._skipped) < MOST_SKIPPED:
            self._skipped.add(place)
            self._outputs.add(output)

    def _report_timing(self) -> None:
        self.times_recorded(self.written() or "timeit")

    def times_recorded(self, what: str) -> None:
        """Note once that a measured time includes recording."""
        if not self._timing_reported:
            self._timing_reported = True
            self._outputs.add(Skipped(readable(what), -1, "timed"))

    def end(self, span: int) -> None:
        """Record that the program ended the run."""
        self._outputs.add(Skipped(self.refusals.code(span) or "SystemExit", span, "ended"))

    def leaves_figures(self) -> bool:
        """Return whether the cell has left figures to show or to close."""
        return self.plots.is_open() or self._outputs.postpones

    def end_cell(self) -> None:
        """Show the figures that the cell has left open."""
        self.plots.end_cell()
        self._outputs.settle()

    def _taken_back(self, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, Figure):
                self._figures -= 1
                self._bytes -= len(output.data)

    def picture(self, value: object) -> Figure | None:
        """Return a value's picture, None if there is none."""
        try:
            with self.quiet():
                return picture_of(value)
        except MemoryError:
            raise
        except PermissionError:  # without Landlock no file can be opened
            self.skip(type(value).__name__, "font")
        except Exception as problem:
            self.not_shown(problem)
        return None

    def _add_picture(self, bundle: Bundle) -> None:
        picture = figure_in(bundle)
        if picture is not None:
            self._add_figure(picture)

    def _add_figure(self, figure: Figure) -> None:
        """Add a picture, unless there are too many."""
        self._figures += 1
        self._bytes += len(figure.data)
        if self._figures <= MOST_FIGURES and self._bytes <= MOST_BYTES:
            self._outputs.add(figure)
        elif not self._figures_reported:
            self._figures_reported = True
            warnings.warn("too many figures: the rest is not shown", UserWarning, stacklevel=2)

    # ---- putting everything in place --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def around(self, seed: int):
        """Install everything and seed torch, numpy and random, then restore all."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(_kept_states())
            _seed_torch(seed)
            numpy.random.seed(seed % 2**32), random.seed(seed)
            prepare_progress()
            book = book_modules() if self._draws else {}
            stack.enter_context(self.plots.around())
            stack.enter_context(_entries(sys.modules, {"__main__": self.shell.user_module, **book}))
            stack.enter_context(_entries(os.environ, _ENVIRONMENT | dict.fromkeys(_HOMES, self.files.home or os.sep)))
            if self._has_tables:
                import pandas

                stack.enter_context(pandas.option_context(*(part for pair in _TABLES.items() for part in pair)))
            stack.enter_context(_entries(vars(builtins), {"display": display, "__IPYTHON__": True}))
            stack.enter_context(_entries(vars(sys), {"ps1": "In : ", "ps2": "...: "}))
            stack.enter_context(warnings.catch_warnings())
            warnings.showwarning = Warnings(self._outputs, self._source_map).show
            of_system: dict[str, object] = {name: Stream(self._outputs, name) for name in ("stdout", "stderr")}
            of_system |= {"stdin": io.StringIO(), "argv": ["program.py"]}
            own = (builtins, "__import__", self._modules.imported), (InteractiveShell, "_instance", self.shell)
            stack.enter_context(replaced([*own, *((sys, *attribute) for attribute in of_system.items())]))
            stack.enter_context(self.files.in_place())
            if self._absent is not None:
                stack.enter_context(self._absent.in_place())
            stack.enter_context(adjusted(self.skip, display))
            stack.enter_context(unrecorded_timing(self.quiet, self._report_timing))
            warnings.filterwarnings("ignore", "To exit: use")
            sys.meta_path.insert(0, self._modules)
            stack.callback(self._forget_modules)
            stack.enter_context(listening(self.refusals))
            yield

    def _forget_modules(self) -> None:
        if self._modules in sys.meta_path:
            sys.meta_path.remove(self._modules)
        self._modules.clear()


def _seed_torch(seed: int) -> None:
    """Seed torch without reading device files.

    torch.manual_seed reads them, and a confined child cannot open them.
    """
    (torch.default_generator if sys.platform == "linux" else torch).manual_seed(seed)


def _counted() -> bool:
    """Return whether a mode of the program would see a repr's operations."""
    modes = _get_current_function_mode_stack()
    return any(type(mode).__module__ == "__main__" for mode in modes) or bool(_get_current_dispatch_mode_stack())


def _of_plots(value: object) -> bool:
    if isinstance(value, list | tuple) and value:
        value = value[-1] if isinstance(value, tuple) else value[0]
    return type(value).__module__.startswith(("matplotlib.", "mpl_toolkits."))


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
    """Set entries of a mapping, for the duration of a context."""
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
