"""The names a notebook has besides Python's own: `_`, `In`, `Out`, `display`, `get_ipython`, `help`.

They are builtins of the run, so that the program's own names hide them and nothing of them is taken for a variable.
"""

import builtins
import io
import math
import os
import pydoc
import re
import resource
import sys
import time
from contextlib import contextmanager
from typing import NoReturn

from explorer.runtime.notebook.files import HOME, Files
from explorer.runtime.notebook.shell import CommandLine

HELP_LENGTH = 16_000  # characters of one help text

SILENT = {"matplotlib", "config", "load_ext", "reload_ext", "autoreload", "pylab", "precision"}  # they do nothing here
OF_SHELL = {"pip", "conda", "mamba", "uv", "ls", "cat", "mkdir", "rm", "pwd"}  # line magics that are shell commands
SCRIPTS = {"bash", "sh", "!", "sx", "system"}  # cells for a shell
SHOWN = {"html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG"}  # cells that only show something

_UNITS = (("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9))


class CellEnded(BaseException):
    """Something was not run whose value the cell needs: the cell ends, the run goes on."""


class Notebook:
    """What the shell of a notebook knows and offers.

    Attributes:
        names: the builtins of the run.
        getattr: how an attribute is read when help on a dotted name is asked for.
    """

    def __init__(self, namespace: dict, show, refuse, skip, files: Files) -> None:
        """`show(value, old)` displays a value in the place of an output; `refuse(what, reason)` and
        `skip(what, reason, detail)` write down what was not done."""
        self._namespace = namespace
        self._inputs = [""]
        self._outputs: dict[int, object] = {}
        shell = Shell(self, refuse, skip, files)
        self.getattr = getattr

        shown: dict[str, object] = {}  # outputs that can be replaced, by their display_id

        def display(*values, include=None, exclude=None, metadata=None, transient=None, display_id=None, **options):
            """Show values, as in a notebook; the handle of the last one if a display_id is asked for."""
            if display_id is None:
                for value in values:
                    show(value)
                return None
            handle = DisplayHandle(f"display-{len(shown)}" if display_id is True else str(display_id), update_display)
            for value in values:
                shown[handle.display_id] = show(value)
            return handle

        def update_display(value, *, display_id, **options):
            """Show a value in the place of the one that was shown with this display_id."""
            shown[display_id] = show(value, shown.get(display_id))

        self.display, self.update_display, self.shell = display, update_display, shell
        self.names = {
            **vars(builtins),
            **{"In": self._inputs, "_ih": self._inputs, "Out": self._outputs, "_oh": self._outputs},
            **{"_": "", "__": "", "___": "", "_i": "", "_ii": "", "_iii": ""},
            **{"display": display, "get_ipython": lambda: shell, "help": shell.show_help},
        }

    def begin(self, source: str) -> None:
        """A cell is about to run: `In` has its text."""
        names = self.names
        names["_iii"], names["_ii"], names["_i"] = names["_ii"], names["_i"], self._inputs[-1]
        self._inputs.append(source)
        names[f"_i{len(self._inputs) - 1}"] = source

    def echoed(self, value: object) -> None:
        """The running cell has an output: `_` and `Out` have it, unless it is `Out`."""
        if value is self._outputs:
            return
        names = self.names
        names["___"], names["__"], names["_"] = names["__"], names["_"], value
        number = len(self._inputs) - 1
        names[f"_{number}"] = self._outputs[number] = value

    def forget(self) -> None:
        """Let every value go."""
        self._outputs.clear()
        self.names.clear()

    def find(self, path: str) -> object:
        """The object that a dotted name stands for. Raises LookupError."""
        head, *rest = path.replace("[", ".[").split(".")
        if not head.isidentifier():
            raise LookupError(path)
        found = self._namespace[head] if head in self._namespace else self.names[head]
        for part in rest:
            try:
                found = found[int(part[1:-1])] if part.startswith("[") else self.getattr(found, part)
            except Exception:
                raise LookupError(path) from None
        return found


class Shell:
    """What `get_ipython()` returns: of IPython's shell only what notebooks and exported scripts call."""

    def __init__(self, notebook: Notebook, refuse, skip, files: Files) -> None:
        self._notebook, self._refuse, self._skip = notebook, refuse, skip
        self._shell = CommandLine(files, self._end, skip)

    def special(self, what: str) -> None:
        """A line of IPython's own: done where it concerns the program's files, otherwise told, and the cell goes on.

        What reaches for anything else is refused, and ends its cell.
        """
        if what[:1] == "!":
            self._print(self._shell.run(self._expanded(what.lstrip("!").strip()), what))
        elif what[:1] == "%":
            self._magic(what)
        else:
            self._end(what, "")

    def special_value(self, what: str) -> object:
        """The value of a line of IPython's own, as in `files = !ls`. Raises CellEnded where there is none."""
        if what[:1] == "!":
            line = self._expanded(what.lstrip("!").strip())
            printed = self._shell.run(line, what)
            return [f"/bin/bash: line 1: {line.split(' ')[0]}: command not found"] if printed is None else printed
        if what.strip() == "%pwd":
            return self._shell.run("pwd", what)[0]
        self._end(what, "shell")

    def script(self, name: str, lines: str) -> None:
        """A cell for the shell: line by line, what concerns the program's files."""
        for line in lines.split("\n"):
            if line.strip() and not line.lstrip().startswith("#"):
                self._print(self._shell.run(line.strip(), f"{name} {line.strip()}"))

    def write(self, name: str, text: str) -> None:
        """`%%writefile`: the text of the cell into a file of the program."""
        words = name.split()
        mode, path = ("a", words[-1]) if words[:1] == ["-a"] else ("w", words[-1] if words else "")
        there = os.path.exists(path)
        with builtins.open(path, mode) as file:
            file.write(text)
        print(f"{'Appending to' if mode == 'a' else 'Overwriting' if there else 'Writing'} {path}")

    def _end(self, what: str, reason: str) -> NoReturn:
        self._refuse(what, reason)
        raise CellEnded(what)

    def _magic(self, what: str) -> None:
        name, _, rest = what.lstrip("%").partition(" ")
        if name == "cd":
            os.chdir(rest.strip().strip("'\"") or HOME)
            print(os.getcwd())
        elif name in OF_SHELL:
            self._print(self._shell.run(f"{name} {self._expanded(rest)}".strip(), what))
        elif what.startswith("%%") and name not in SHOWN:
            self._end(what, "shell")
        else:
            self._skip(what, "magic", "")

    def _expanded(self, line: str) -> str:
        """The line with the values of plain names in place of `{name}` and `$name`."""

        def value(found: re.Match[str]) -> str:
            try:
                meant = self._notebook.find(found[1] or found[2])
            except LookupError:
                return found[0]
            return str(meant) if type(meant) in (str, int, float) else found[0]

        return re.sub(r"\{(\w+)\}|\$(\w+)", value, line)

    def _print(self, lines: list[str] | None) -> None:
        for line in lines or ():
            print(line)

    def help(self, name: str, source: bool = False) -> None:
        """Print what IPython knows of an object: `name?`, and with its source `name??`."""
        from IPython.core.oinspect import Inspector, OInfo

        try:
            found = self._notebook.find(name)
        except LookupError:
            print(f"Object `{name}` not found.")
            return
        about = OInfo(obj=found, found=True, namespace="Interactive", ismagic=False, isalias=False, parent=None)
        text = Inspector(theme_name="nocolor")._get_info(found, name, None, about, int(source))["text/plain"]
        print(_shortened(text))

    def show_help(self, *request) -> None:
        """In place of `help`: its text, never its questions."""
        if not request:
            self._refuse("help()")
            return
        written = io.StringIO()
        pydoc.Helper(io.StringIO(), written).help(request[0])
        sys.stdout.write(_shortened(written.getvalue()))

    def run_line_magic(self, name: str, line: str = "", *rest) -> None:
        """A magic in an exported script: those that change nothing here do nothing."""
        if name not in SILENT:
            self.special(f"%{name} {line}".strip())

    def magic(self, text: str) -> None:
        """A magic with its arguments in one text."""
        name, _, line = text.lstrip("%").partition(" ")
        self.run_line_magic(name, line)

    def run_cell_magic(self, name: str, line: str = "", cell: str = "") -> None:
        """A cell of another language in an exported script."""
        if name in SCRIPTS:
            self.script(f"%%{name}", cell)
        elif name == "writefile":
            self.write(line, cell)
        else:
            self.special(f"%%{name} {line}".strip())

    def system(self, command: str) -> None:
        """A command for the shell."""
        self.special(f"!{command}")

    def getoutput(self, command: str) -> object:
        """The lines that a command for the shell prints."""
        return self.special_value(f"!{command}")


class DisplayHandle:
    """What `display(..., display_id=True)` returns."""

    def __init__(self, display_id: str, update) -> None:
        self.display_id, self._update = display_id, update

    def __repr__(self) -> str:
        return f"<DisplayHandle display_id={self.display_id}>"

    def update(self, value, **options) -> None:
        """Show a value in the place of the one before."""
        self._update(value, display_id=self.display_id)

    display = update


class Captured:
    """What `%%capture name` leaves: the texts that a cell printed. Called or shown, it prints them."""

    def __init__(self, stdout: str, stderr: str) -> None:
        self.stdout, self.stderr = stdout, stderr
        self.outputs: list[object] = []

    def __str__(self) -> str:
        return self.stdout

    def show(self) -> None:
        """Print what was captured."""
        print(self.stdout, end="")

    __call__ = show


@contextmanager
def timed(word: str):
    """Print how long the body took, in the words of `%time` or `%timeit`; nothing when it fails."""
    used, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    yield
    wall = time.perf_counter() - wall
    if word == "timeit":
        print(f"{duration(wall)} ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each)")
        return
    now = resource.getrusage(resource.RUSAGE_SELF)
    user, system = now.ru_utime - used.ru_utime, now.ru_stime - used.ru_stime
    print(f"CPU times: user {duration(user)}, sys: {duration(system)}, total: {duration(user + system)}")
    print(f"Wall time: {duration(wall)}")


def duration(seconds: float) -> str:
    """A time as IPython writes it.

    >>> duration(0.00123456)
    '1.23 ms'
    """
    if seconds >= 60:
        return f"{int(seconds // 60)}min {int(seconds % 60)}s"
    power = min(max(0, math.ceil(-math.log10(seconds) / 3)), 3) if seconds > 0 else 3
    unit, scale = _UNITS[power]
    return f"{seconds * scale:.3g} {unit}"


def _shortened(text: str) -> str:
    return text if len(text) <= HELP_LENGTH else text[:HELP_LENGTH].rpartition("\n")[0] + "\n[...]"
