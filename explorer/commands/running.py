"""The programs that a command is asked to run: their options, their files, their results in order."""

import argparse
import os
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from explorer.commands.terminal import visible
from explorer.program import GivenFile, Program, Unusable, load_bytes, read_program, with_cell_replaced, with_file
from explorer.program.beside import MOST_BYTES, FilesBeside, beside, folder_files
from explorer.program.cells import MAX_TEXT
from explorer.program.given import MAX_ALL, MAX_BESIDE, MAX_FILE, MAX_FILES, TooMuch
from explorer.reports import unusable_text
from explorer.sandbox import Run, Runner, default_runner, limits
from explorer.sandbox.limits import limit
from explorer.saved import TRACE, load_trace
from explorer.text import say
from explorer.trace import Options, Trace

LIMITS = {
    "seconds": ("--time-limit", "S"),
    "memory_mb": ("--memory-limit", "MB"),
    "output_kb": ("--output-limit", "KB"),
}
AHEAD = 8  # programs under way before the first one's result is printed


def options(asked: argparse.Namespace) -> Options:
    """What is asked for, under the limits that hold here or were asked for. Raises BadLimit."""
    given = {field: (getattr(asked, field), option) for field, (option, _) in LIMITS.items()}
    read = {field: limit(field, text, option) for field, (text, option) in given.items() if text is not None}
    wished = Options(seed=asked.seed, detail=asked.detail, stop_on_error=asked.stop_on_error, of=asked.of)
    return structs.replace(limits(), **read).of(wished)


@dataclass(frozen=True)
class AskedFile:
    """A file that was asked for. Attributes: path: as it was given; data: its bytes; program: what they hold."""

    path: str
    data: bytes = b""
    program: Program | None = None

    @property
    def files(self) -> tuple[GivenFile, ...]:
        """What it finds in its folder."""
        return self.program.files if self.program else ()

    def with_cell(self, cell: int, text: str) -> str:
        """The whole file with the text of one cell replaced."""
        assert self.program is not None, "it was read, since a cell of it ran"
        return with_cell_replaced(self.program, cell, text, self.data.decode("utf-8-sig"))


class UnreadFile(Exception):
    """A file of `--file` that cannot be taken. Its text: the sentence that says so."""


def given_files(paths: list[str], lang: str) -> tuple[GivenFile, ...]:
    """What the programs find in their folder. Raises UnreadFile."""
    files: tuple[GivenFile, ...] = ()
    for path in paths:
        if os.path.isdir(path):
            found = folder_files(path)
            _tell(found, lang)
            files += tuple(found.files)
            continue
        try:
            with open(path, "rb") as file:
                files = with_file(files, path, file.read(MAX_FILE + 1))
        except TooMuch as problem:
            most = {"count": MAX_FILES, "file": MAX_FILE // 10**6, "all": MAX_ALL // 10**6}
            raise UnreadFile(say(lang, f"file-{problem.kind}", path=visible(path), **most)) from None
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise UnreadFile(say(lang, "file-unread", path=visible(path), reason=reason)) from None
    return files


def _tell(found: FilesBeside, lang: str) -> None:
    """Say which files of Python have no room beside a program."""
    if found.left_out:
        most = {"count": MAX_BESIDE, "size": MAX_TEXT // 1000, "all": MOST_BYTES // 10**6}
        words = say(lang, "beside-left-out", files=len(found.left_out), first=visible(found.left_out[0]), **most)
        print(words, file=sys.stderr)


def results(
    paths: list[str], asked: Options, files: tuple[GivenFile, ...], lang: str
) -> Iterator[tuple[AskedFile, Trace | Unusable]]:
    """Each path with what its program left behind, in order; several run at once."""
    runner = default_runner()
    runner.start()  # both at once: errors are explained, and pictures laid out, in children of the second
    waiting: deque[tuple[AskedFile, Run | Unusable]] = deque()
    for path in paths:
        waiting.append(_begin(runner, path, asked, files, lang))
        if len(waiting) >= AHEAD:
            yield _end(*waiting.popleft())
    while waiting:
        yield _end(*waiting.popleft())


def _begin(
    runner: Runner, path: str, options: Options, files: tuple[GivenFile, ...], lang: str
) -> tuple[AskedFile, Run | Unusable]:
    try:
        data = load_bytes(path)
        program = read_program(path, data)
    except Unusable as problem:
        return AskedFile(path), problem
    found = FilesBeside() if path == "-" else beside(os.path.dirname(path), [cell.text for cell in program.cells])
    _tell(found, lang)
    given = {one.name for one in files}
    program = structs.replace(program, files=(*files, *(one for one in found.files if one.name not in given)))
    return AskedFile(path, data, program), runner.submit(program, options)


def subjects(
    paths: list[str], asked: Options, files: tuple[GivenFile, ...], lang: str
) -> Iterator[tuple[AskedFile, Trace | Unusable]]:
    """As `results`; a path that ends in .trace is a saved run, and is not run again."""
    for path in paths:
        if path.endswith(TRACE):
            yield AskedFile(path), _saved(path)
        else:
            yield from results([path], asked, files, lang)


def runs(paths: list[str], asked: argparse.Namespace) -> Iterator[tuple[AskedFile, Trace | None]]:
    """As `subjects`; why nothing was run is printed, and None stands in the place of a Trace. Raises UnreadFile."""
    for file, result in subjects(paths, options(asked), given_files(asked.file, asked.lang), asked.lang):
        if isinstance(result, Unusable):
            print(visible(unusable_text(asked.lang, result)), file=sys.stderr)
        yield file, None if isinstance(result, Unusable) else result


def _saved(path: str) -> Trace | Unusable:
    try:
        return load_trace(Path(path))
    except OSError as problem:
        return Unusable.of("unreadable", path, reason=problem.strerror or str(problem))
    except ValueError as problem:
        return Unusable.of("saved", path, reason=str(problem))


def _end(file: AskedFile, begun: Run | Unusable) -> tuple[AskedFile, Trace | Unusable]:
    return file, begun if isinstance(begun, Unusable) else begun.result()
