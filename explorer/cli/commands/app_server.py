"""`open`: show a saved run in the app; and start the app's server."""

import argparse
import errno
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from explorer.analysis.messages import unusable_text
from explorer.cli.commands.programs import cannot_open_text
from explorer.cli.commands.terminal import STATUS, add_command, visible
from explorer.paths import PACK, site
from explorer.program import Unusable
from explorer.program.followed_file import PROGRAM, followed
from explorer.program.saved_run import OPENED, read_run
from explorer.sandbox import CannotOpen
from explorer.sandbox.access import opened, own_folder, variables
from explorer.text import say
from explorer.trace import MAX_OPENED
from explorer.trace.watched_runs import RUNS


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `open`; unknown arguments go to Streamlit."""
    found = add_command(commands, lang, "open")
    found.set_defaults(command=run)
    found.add_argument("path", metavar="FILE", help=say(lang, "help-open-path"))
    add_reach(found, lang)
    return found


def add_reach(command: argparse.ArgumentParser, lang: str) -> None:
    """Add the options that say what programs of the pages may reach."""
    command.add_argument("--folder", default="", metavar="DIR", help=say(lang, "help-app-folder"))
    command.add_argument("--write", action="store_true", help=say(lang, "help-app-write"))
    command.add_argument("--network", action="store_true", help=say(lang, "help-app-network"))
    command.add_argument("--lessons", default="", metavar="DIR", help=say(lang, "help-lessons"))


def run(asked: argparse.Namespace) -> int:
    """Check the file, then become the server that shows it."""
    path = Path(asked.path)
    try:
        with path.open("rb") as file:
            read_run(asked.path, file.read(MAX_OPENED + 1), path.stat().st_size)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        print(visible(say(asked.lang, "file-unread", path=asked.path, reason=reason)), file=sys.stderr)
        return STATUS["unusable"]
    except Unusable as problem:
        print(visible(unusable_text(asked.lang, problem)), file=sys.stderr)
        return STATUS["unusable"]
    os.environ[OPENED] = str(path.resolve())
    return app(asked)


def app(asked: argparse.Namespace) -> int:
    """Become the app's server, with the folder and network that its programs may reach, and the runs it shows."""
    if runs := getattr(asked, "runs", ""):
        os.environ[RUNS] = str(Path(runs).resolve())
    if asked.lessons:
        os.environ[PACK] = str(Path(asked.lessons).resolve())
    folder = asked.folder
    if program := getattr(asked, "open", ""):
        file = followed(program)
        path = file.path.resolve()
        if not path.is_file():
            reason = os.strerror(errno.ENOENT)
            print(visible(say(asked.lang, "file-unread", path=str(file.path), reason=reason)), file=sys.stderr)
            return STATUS["unusable"]
        os.environ[PROGRAM] = str(replace(file, path=path))
        folder = folder or own_folder(str(path)).folder
    try:
        os.environ.update(variables(opened(folder, asked.write, asked.network)))
    except CannotOpen as problem:
        print(visible(cannot_open_text(asked.lang, problem)), file=sys.stderr)
        return STATUS["unusable"]
    return serve(asked.others, asked.lang)


def serve(others: Sequence[str], lang: str) -> int:
    """Become the app's server, in the folder with its settings."""
    if find_spec("streamlit") is None:
        print(say(lang, "app-missing"), file=sys.stderr)
        return STATUS["unusable"]
    sys.stdout.flush()
    os.chdir(site())
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *others]
    if sys.platform == "win32":  # where the terminal does not wait for what os.execv starts
        return subprocess.call(command)
    os.execv(command[0], command)
