"""Programs of a command: their options, files and ordered results."""

import argparse
import os
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from msgspec import structs

from explorer.cli.commands.terminal import CannotRun, reason_of, visible
from explorer.program import GivenFile, Program, Unusable, load_bytes, read_program, with_cell_replaced, with_file
from explorer.program.cells import MAX_TEXT
from explorer.program.given_files import MAX_FILE, MAX_NEIGHBOURS, TooMuch
from explorer.program.neighbour_files import MOST_BYTES, FilesBeside, beside, folder_files
from explorer.sandbox import Opened, Runner, SubmittedRun, default_runner, limits
from explorer.sandbox.access import opened, own_folder, started_at
from explorer.sandbox.limits import limit
from explorer.text import say
from explorer.trace import SUFFIX, Options, Trace

LIMITS = {
    "seconds": ("--time-limit", "S"),
    "memory_mb": ("--memory-limit", "MB"),
    "output_kb": ("--output-limit", "KB"),
}
AHEAD = 8  # programs started before the first one's result is printed


def options(asked: argparse.Namespace) -> Options:
    """Return the run options from the arguments and this machine's limits. Raises BadLimit."""
    given = {field: (getattr(asked, field), option) for field, (option, _) in LIMITS.items()}
    read = {field: limit(field, text, option) for field, (text, option) in given.items() if text is not None}
    wished = Options(seed=asked.seed, detail=asked.detail, stop_on_error=asked.stop_on_error, of=asked.of)
    wished = structs.replace(wished, statements=getattr(asked, "statements", False))
    return structs.replace(limits(), **read).of(wished)


@dataclass(frozen=True)
class AskedFile:
    """A file given as PATH. Attributes: path: as given. data: its bytes. program: the parsed program."""

    path: str
    data: bytes = b""
    program: Program | None = None

    @property
    def files(self) -> tuple[GivenFile, ...]:
        """Other files in its folder that the program may read."""
        return self.program.files if self.program else ()

    def with_cell(self, cell: int, text: str) -> str:
        """Return the whole file with one cell's text replaced."""
        assert self.program is not None, "it was read, since a cell of it ran"
        return with_cell_replaced(self.program, cell, text, self.data.decode("utf-8-sig"))


@dataclass(frozen=True)
class Reach:
    """Access of a command's programs.

    Attributes:
        asked: access opened by options.
        own, write: whether each program may also read, and write, its own folder.
    """

    asked: Opened
    own: bool
    write: bool

    def of(self, path: str) -> Opened:
        """Return the access of the program at a path. Raises CannotOpen."""
        if not self.own or path == "-":
            return self.asked if path == "-" else started_at(self.asked, path)
        return structs.replace(own_folder(path, self.write), network=self.asked.network)


def add_options(command: argparse.ArgumentParser, lang: str) -> None:
    """Add the options shared by all commands that run programs."""
    command.add_argument("--seed", type=int, default=0, help=say(lang, "help-seed"))
    for field, (option, metavar) in LIMITS.items():
        command.add_argument(option, dest=field, metavar=metavar, help=say(lang, f"help-{option[2:]}"))
    command.add_argument("--stop-on-error", action="store_true", help=say(lang, "help-stop"))
    command.add_argument("--detail", choices=("light", "complete"), default="complete", help=say(lang, "help-detail"))
    command.add_argument("--file", action="append", default=[], metavar="PATH", help=say(lang, "help-file"))
    folder = command.add_mutually_exclusive_group()
    folder.add_argument("--folder", default="", metavar="DIR", help=say(lang, "help-folder"))
    folder.add_argument("--no-folder", action="store_true", help=say(lang, "help-no-folder"))
    command.add_argument("--write", action="store_true", help=say(lang, "help-write"))
    command.add_argument("--network", action="store_true", help=say(lang, "help-network"))
    gradient = command.add_mutually_exclusive_group()
    gradient.add_argument("--backward", type=int, metavar="N", help=say(lang, "help-backward"))
    gradient.add_argument("--of", default="", metavar="NAME", help=say(lang, "help-of"))


def reach(asked: argparse.Namespace) -> Reach:
    """Return the access that the arguments grant. Raises CannotOpen."""
    own = not asked.folder and not asked.no_folder
    return Reach(opened(asked.folder, asked.write and not own, asked.network), own, asked.write)


def given_files(paths: list[str], lang: str) -> tuple[GivenFile, ...]:
    """Read the files given to the programs. Raises CannotRun."""
    files: tuple[GivenFile, ...] = ()
    for path in paths:
        if os.path.isdir(path):
            inside = folder_files(path)
            _warn(inside, lang)
            files += tuple(inside.files)
            continue
        try:
            with open(path, "rb") as file:
                files = with_file(files, path, file.read(MAX_FILE + 1))
        except TooMuch as problem:
            raise CannotRun("files-refused", where="command", **problem.values(path)) from None
        except (OSError, ValueError) as problem:
            raise CannotRun("file-unread", path=path, reason=reason_of(problem)) from None
    return files


def _warn(neighbours: FilesBeside, lang: str) -> None:
    """Warn about neighbouring Python files that exceed the limits."""
    if neighbours.left_out:
        most = {"count": MAX_NEIGHBOURS, "size": MAX_TEXT // 1000, "all": MOST_BYTES // 10**6}
        words = say(
            lang, "beside-left-out", files=len(neighbours.left_out), first=visible(neighbours.left_out[0]), **most
        )
        print(words, file=sys.stderr)


def results(
    paths: list[str], asked: Options, files: tuple[GivenFile, ...], lang: str, reach: Reach, saved: bool = False
) -> Iterator[tuple[AskedFile, Trace | Unusable]]:
    """Run programs concurrently and yield each path with its result, in order.

    Args:
        saved: whether a path ending in .trace is a saved run.
    """
    runner = default_runner()

    def begin(path: str) -> tuple[AskedFile, SubmittedRun | Unusable | None]:
        is_saved = saved and path.endswith(SUFFIX)
        return (AskedFile(path), None) if is_saved else _begin(runner, path, asked, files, lang, reach)

    waiting = deque(map(begin, paths[:AHEAD]))

    def ended() -> Iterator[tuple[AskedFile, Trace | Unusable]]:
        further = iter(paths[AHEAD:])
        while waiting:
            file, begun = waiting.popleft()
            yield file, _saved(file.path) if begun is None else begun if isinstance(begun, Unusable) else begun.result()
            waiting.extend(map(begin, islice(further, 1)))

    return ended()


def _begin(
    runner: Runner, path: str, options: Options, files: tuple[GivenFile, ...], lang: str, reach: Reach
) -> tuple[AskedFile, SubmittedRun | Unusable]:
    try:
        data = load_bytes(path)
        program = read_program(path, data)
    except Unusable as problem:
        return AskedFile(path), problem
    neighbours = FilesBeside() if path == "-" else beside(os.path.dirname(path), [cell.text for cell in program.cells])
    _warn(neighbours, lang)
    given = {file.name for file in files}
    program = structs.replace(program, files=(*files, *(file for file in neighbours.files if file.name not in given)))
    return AskedFile(path, data, program), runner.submit(program, options, opened=reach.of(path))


def runs(paths: list[str], asked: argparse.Namespace) -> Iterator[tuple[AskedFile, Trace | None]]:
    """Yield results like `results`, with saved runs. Print why a program could not run.

    The Trace is then None. Raises SayableError.
    """
    files = given_files(asked.file, asked.lang)
    ended = results(paths, options(asked), files, asked.lang, reach(asked), saved=True)
    return ((file, _trace_or_message(result, asked.lang)) for file, result in ended)


def _trace_or_message(result: Trace | Unusable, lang: str) -> Trace | None:
    if isinstance(result, Trace):
        return result
    print(visible(result.message.text(lang)), file=sys.stderr)
    return None


def _saved(path: str) -> Trace | Unusable:
    from explorer.api.saved_files import load_trace

    try:
        return load_trace(Path(path))
    except OSError as problem:
        return Unusable.of("unreadable", path, reason=reason_of(problem))
    except ValueError as problem:
        return Unusable.of("saved", path, reason=str(problem))
