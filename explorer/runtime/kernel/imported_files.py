"""Add the program's imported files as cells of the Trace."""

import ast
from types import CodeType

from explorer.program.cells import MAX_CELLS, MAX_TEXT, normalised
from explorer.program.given_files import MAX_NEIGHBOURS
from explorer.runtime.kernel.code_places import add_cell, cell_filename
from explorer.runtime.recorder.assemble import readable
from explorer.runtime.recorder.source import index_source
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import Cell

MOST_FILES = MAX_NEIGHBOURS
MOST_TEXT = 1_000_000  # total characters of all files


class ImportedFiles:
    """The imported files of a program, which may run several times.

    Attributes: cells: one per file in import order, after the program's own. paths: their paths, by the file names of
    their code.
    """

    def __init__(self, source_map: SourceMap) -> None:
        self._source_map, self._left = source_map, MOST_TEXT
        self._compiled: dict[tuple[str, bytes], CodeType] = {}
        self.cells: list[Cell] = []
        self.paths: dict[str, str] = {}

    def load(self, path: str, content: bytes, names: dict) -> None:
        """Run a file in its own namespace.

        `path` is relative to the program's folder.

        Raises ImportError if it is too long or there are too many files, and any error of its code.
        """
        cached = self._compiled.get((path, content))
        if cached is None:
            cached = self._compiled[path, content] = self._compile(path, content)
        exec(cached, names)

    def learn(self, name: str, path: str, content: bytes) -> int:
        """Return the cell of a file that runs under its own name."""
        try:
            _, source = self._add(path, content)
            index = index_source(ast.parse(source))
        except (ImportError, SyntaxError, ValueError, RecursionError, MemoryError):
            return -1
        return self._source_map.add_cell(name, source, index)

    def _compile(self, path: str, content: bytes) -> CodeType:
        number, source = self._add(path, content)
        self.paths[cell_filename(number)] = path
        add_cell(self._source_map, number, source)
        try:
            tree = ast.parse(source, cell_filename(number))
            self._source_map.read(number, tree)
            return compile(tree, cell_filename(number), "exec", dont_inherit=True)
        except (RecursionError, MemoryError):
            raise SyntaxError(f"{path} is nested too deeply to be read") from None

    def _add(self, path: str, content: bytes) -> tuple[int, str]:
        """Add a file as a cell. Return its number and its text."""
        number = len(self._source_map.lines)
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
        return number, source
