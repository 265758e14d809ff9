"""IPython's shell, whose output becomes the outputs of a run."""

import ast
import atexit
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from types import CodeType, ModuleType
from typing import Any

from IPython.core.formatters import DisplayFormatter
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.text import SList
from traitlets import Type
from traitlets.config import Configurable

from explorer.runtime.figures import are_loaded
from explorer.runtime.kernel.code_places import Compiler
from explorer.runtime.kernel.displays import Formatter, HelpInspector, Hook, Publisher
from explorer.runtime.replacements import replaced

_RARE_LINE_END = re.compile("[\x1c-\x1e\x85\u2028\u2029]")


OF_MAGIC = ("pip", "conda", "mamba", "micromamba", "uv")  # magics that install something
SCRIPTS = ("bash", "sh", "!", "sx", "system", "script", "perl", "ruby", "python", "python2", "python3", "pypy")
SERVERS = ("tensorboard",)  # magics that start a server
_BUILTINS = {"display", "get_ipython", "exit", "quit"}  # what IPython adds to Python's own


def _nothing(*arguments, **options) -> None:
    """Do nothing, in place of inapplicable parts of a shell."""


class Shell(InteractiveShell):
    """The shell of a run: without history on disk, terminal, colours or profile.

    Attributes: host: the surroundings of the run, which show values and report skipped lines. on_failure: called with
    each exception that ends a cell, while it is handled. after: called with the code and syntax of each executed
    statement of a cell.
    """

    displayhook_class = Type(Hook)
    display_pub_class = Type(Publisher)
    compiler_class = Type(Compiler)
    inspector_class = Type(HelpInspector)
    host: Any = None
    compile: Compiler
    configurables: list[Any]

    def __init__(self) -> None:
        self.on_failure: Callable[[BaseException], None] = lambda problem: None
        self.after: Callable[[CodeType, ast.stmt, str], None] = lambda code, node, filename: None
        self._statement: tuple[ast.stmt, str] | None = None
        self._db: Any = {}  # what IPython would store on disk, such as visited folders
        self._cells = 0  # running cells; a magic may run one inside another
        with replaced([(Configurable, "_load_config", _nothing)]):  # skip the search for configuration files
            super().__init__(user_module=ModuleType("__main__"), colors="nocolor", xmode="Plain")
            DisplayFormatter.format(self.display_formatter, None)  # created on first use: 6 ms of each run
            self.transform_cell("None")
        self._inline: Any = None
        if are_loaded():
            self.inline_settings()
        atexit.unregister(self.atexit_operations)

    def inline_settings(self) -> Any:
        """Return the settings of `%config InlineBackend`. It imports matplotlib."""
        if self._inline is None:
            from matplotlib_inline.config import InlineBackend

            self._inline = InlineBackend()
            self.configurables.append(self._inline)
        return self._inline

    # ---- switched off ------------------------------------------------------------------------------------------

    init_ipython_dir = init_profile_dir = init_virtualenv = init_sys_modules = init_prompts = _nothing
    init_logstart = enable_gui = _nothing

    def init_completer(self) -> None:
        """Create no completer: a run has no interactive input."""
        self.Completer = None

    def init_history(self) -> None:
        """Keep the history in memory."""
        self.history_manager = HistoryManager(shell=self, parent=self, enabled=False, hist_file=":memory:")

    def init_builtins(self) -> None:
        """Install builtins such as `display` for the run only (`around`)."""
        from IPython.core.builtin_trap import BuiltinTrap

        self.builtin_trap = BuiltinTrap(shell=self)

    def init_user_ns(self) -> None:
        """Keep `open` as it is: IPython's own knows only the real disk."""
        super().init_user_ns()
        del self.user_ns["open"], self.user_ns_hidden["open"]

    def init_display_formatter(self) -> None:
        """Use the formatter that also makes pictures and tables."""
        self.display_formatter = Formatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_magics(self) -> None:
        """Install IPython's magics, with replacements for those with a process."""
        super().init_magics()
        for name in OF_MAGIC:
            self.magics_manager.register_function(lambda line, name=name: self.system(f"{name} {line}"), "line", name)
        for name in SCRIPTS:
            self.magics_manager.register_function(
                lambda line, cell, name=name: self.host.skip(f"%%{name} {line}".strip(), "shell"), "cell", name
            )
        for name in SERVERS:
            self.magics_manager.register_function(
                lambda line, name=name: self.host.skip(f"%{name} {line}".strip(), "server", ""), "line", name
            )
        self.set_hook("show_in_pager", _paged)

    def enable_matplotlib(self, gui=None) -> tuple[str, str]:
        """Show figures of every backend below the cell."""
        return "inline", "inline"

    def ask_exit(self) -> None:
        """Handle `exit` and `quit`."""
        raise SystemExit

    # ---- cells ------------------------------------------------------------------------------------------------------

    def run_cell(self, raw_cell, *arguments, **options):
        """Run a cell.

        A magic may run it and capture its figures, so they are shown at its end.
        """
        self._cells += 1
        try:
            return super().run_cell(raw_cell, *arguments, **options)
        finally:
            self._cells -= 1

    def init_events(self) -> None:
        """Show figures also after a magic has run a cell."""
        super().init_events()
        self.events.register("post_execute", self._show_figures)

    def _show_figures(self) -> None:
        if self._cells > 1:
            self.host.end_cell()

    def transform_cell(self, raw_cell: str) -> str:
        """Transform a cell and remember its original.

        Python reports errors in a cell that IPython cannot tokenize.
        """
        try:
            if _RARE_LINE_END.search(raw_cell) is None:
                made = super().transform_cell(raw_cell)
            else:  # IPython warns about it
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "`make_tokens_by_line`")
                    made = super().transform_cell(raw_cell)
        except (RuntimeError, SyntaxError):
            made = raw_cell
        self.compile.written = {made: raw_cell}
        return made

    async def run_ast_nodes(self, nodelist, cell_name, interactivity="last_expr", compiler=compile, result=None):
        """Run each statement, with values of bare expressions next to their lines."""
        hook: Any = self.displayhook
        before = hook.echoing
        if interactivity not in ("last_expr", "all"):
            return await super().run_ast_nodes(nodelist, cell_name, interactivity, compiler, result)
        try:
            for node in nodelist:
                is_last = node is nodelist[-1] and isinstance(node, ast.Expr)
                hook.echoing = is_last or interactivity == "all"
                shows = hook.echoing or (sys.displayhook is hook and not _is_comment(node))
                self._statement = node, cell_name
                if await super().run_ast_nodes([node], cell_name, "all" if shows else "none", compiler, result):
                    return True
        finally:
            hook.echoing = before
        return False

    async def run_code(self, code_obj, result=None, *, async_=False) -> bool:
        """Run the code of a statement."""
        statement = self._statement
        failed = await super().run_code(code_obj, result, async_=async_)
        if not failed and statement is not None:
            self.after(code_obj, *statement)
        return failed

    def showtraceback(self, exc_tuple=None, *arguments, **options) -> None:
        """Report an exception that ends a cell, or comes from a value's repr."""
        problem = (exc_tuple or sys.exc_info())[1]
        if problem is None:  # `%tb`
            super().showtraceback(exc_tuple, *arguments, **options)
        elif exc_tuple is not None and not isinstance(problem, SyntaxError):
            self.host.not_shown(problem)
        else:
            self._get_exc_info(exc_tuple)
            self.on_failure(problem)

    def showsyntaxerror(self, filename=None, running_compiled_code=False) -> None:
        """Report a syntax error like any other exception."""
        self.showtraceback()

    def _format_exception_for_storage(self, exception, *arguments, **options) -> dict:
        """Return {}, because only a history on disk needs it."""
        return {}

    def _tee(self, channel):
        """Return a null context, since outputs are captured only once."""
        return nullcontext()

    # ---- lines for the machine's shell ------------------------------------------------------------------------------

    def system(self, cmd: str) -> None:
        """Report `!cmd` without running it."""
        if cmd.strip():
            self.host.skip(self.host.written() or f"!{cmd}", "shell")

    system_piped = system_raw = system

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0):
        """Return no lines for `lines = !cmd`."""
        self.system(cmd)
        return SList() if split else ""

    # ---- its end ----------------------------------------------------------------------------------------------------

    def program_names(self) -> dict[str, object]:
        """Return the program's names, without IPython's own."""
        own, missing = self.user_ns_hidden, object()
        return {name: value for name, value in self.user_ns.items() if own.get(name, missing) is not value}

    def foreign_names(self) -> set[str]:
        """Return the names that only IPython has defined."""
        return (set(self.user_ns_hidden) | _BUILTINS) - set(self.program_names())

    def forget(self) -> None:
        """Release every value."""
        self.history_manager.output_hist.clear()
        self.user_ns.clear()
        self.user_ns_hidden.clear()
        hook = self.displayhook
        hook._ = hook.__ = hook.___ = ""
        vars(sys).pop("last_value", None), vars(sys).pop("last_traceback", None), vars(sys).pop("last_type", None)


def _is_comment(node: ast.stmt) -> bool:
    """Return whether an expression is only a text for the reader, or `...`."""
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str | type(...))


def _paged(shell: Shell, data, start=0, screen_lines=0) -> None:
    """Print what `name?` and the like would show in a pager."""
    text = data if isinstance(data, str) else data.get("text/plain", "")
    print(shell.host.shortened(text))


_ready: list[Shell] = []


def prepare_shells(count: int) -> None:
    """Create the next runs' shells in advance. Repeat it after further imports."""
    _ready[:] = [Shell() for _ in range(count)]


def new_shell() -> Shell:
    """Return a new shell."""
    return _ready.pop() if _ready else Shell()
