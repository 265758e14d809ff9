"""The files that a program imports, run as they are asked for; each is a further cell of the Trace, under its name."""

from collections.abc import Callable

from explorer.program.cells import MAX_CELLS, MAX_TEXT, normalised
from explorer.program.given import MAX_BESIDE
from explorer.runtime.notebook.compiling import CompiledModule, cell_filename, compile_module
from explorer.runtime.policy import Refused
from explorer.runtime.recording.assemble import readable
from explorer.runtime.recording.places import Places
from explorer.runtime.recording.source import SourceIndex
from explorer.trace import Cell, Refusal

MOST_FILES = MAX_BESIDE
MOST_TEXT = 1_000_000  # characters of all of them


class ImportedFiles:
    """Those of a program, which may run several times.

    Args:
        shown: told of what a file says that is not allowed.

    Attributes:
        cells: one for each, in the order they were imported; they follow the program's own.
    """

    def __init__(self, places: Places, shown: Callable[[Refusal], None]) -> None:
        self._places, self._shown, self._left = places, shown, MOST_TEXT
        self._compiled: dict[tuple[str, bytes], CompiledModule] = {}
        self.cells: list[Cell] = []

    def load(self, path: str, content: bytes, names: dict) -> None:
        """Run a file in a namespace of its own. `path` is the one below the program's folder.

        Raises ImportError for a file that is too long, or one too many, and what its text or its code raises.
        """
        known = self._compiled.get((path, content))
        if known is None:
            known = self._compiled[path, content] = self._compile(path, content)
        exec(known.code, names)

    def _compile(self, path: str, content: bytes) -> CompiledModule:
        number = len(self._places.lines)
        if len(self.cells) >= MOST_FILES or number >= MAX_CELLS:
            raise ImportError(f"{path} is one file too many: {len(self.cells)} are imported already")
        if len(content) > min(MAX_TEXT, self._left):
            most = min(MAX_TEXT, self._left)
            raise ImportError(f"{path} has {len(content)} bytes, and at most {most} of imported text are read")
        try:
            source = normalised(content.decode("utf-8-sig"))
        except UnicodeDecodeError as problem:
            raise SyntaxError(f"{path} is no text in UTF-8: byte {problem.start}") from None
        self._left -= len(content)
        self.cells.append(Cell(readable(source), [], name=readable(path)))
        try:
            compiled = compile_module(source, number)
        except (SyntaxError, ValueError, RecursionError, MemoryError, Refused) as problem:
            self._places.add_cell(cell_filename(number), source, SourceIndex())
            if isinstance(problem, Refused):
                span = -1 if problem.place is None else self._places.span(number, problem.place)
                self._shown(Refusal(problem.what, span, problem.reason))
            elif isinstance(problem, RecursionError | MemoryError):
                raise SyntaxError(f"{path} is nested too deeply to be read") from None
            raise
        self._places.add_cell(cell_filename(number), source, compiled.index)
        return compiled
