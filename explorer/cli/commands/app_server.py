"""Show a saved run in the app (`open`), and start the app's server."""

import argparse
import errno
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from explorer.cli.commands.terminal import CannotRun, Run, reason_of
from explorer.extras import need
from explorer.paths import PACK, site
from explorer.program.followed_file import PROGRAM, followed
from explorer.program.saved_run import OPENED, read_run
from explorer.sandbox.access import opened, own_folder, variables
from explorer.text import say
from explorer.trace import MAX_OPENED
from explorer.trace.step_statistics import STEPS, WATCHED


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `open` or `app`. Unknown arguments go to Streamlit."""
    if name == "open":
        command.add_argument("path", metavar="FILE", help=say(lang, "help-open-path"))
    else:
        command.add_argument("--watch", default="", metavar="FILE", help=say(lang, "help-app-watch"))
        command.add_argument("--open", default="", metavar="FILE[:LINE]", help=say(lang, "help-app-open"))
    command.add_argument("--folder", default="", metavar="DIR", help=say(lang, "help-app-folder"))
    command.add_argument("--write", action="store_true", help=say(lang, "help-app-write"))
    command.add_argument("--network", action="store_true", help=say(lang, "help-app-network"))
    command.add_argument("--lessons", default="", metavar="DIR", help=say(lang, "help-lessons"))
    return run if name == "open" else app


def run(asked: argparse.Namespace) -> int:
    """Check the file, then become the server that shows it."""
    path = Path(asked.path)
    try:
        with path.open("rb") as file:
            read_run(asked.path, file.read(MAX_OPENED + 1), path.stat().st_size)
    except OSError as problem:
        raise CannotRun("file-unread", path=asked.path, reason=reason_of(problem)) from None
    os.environ[OPENED] = str(path.resolve())
    return app(asked)


def app(asked: argparse.Namespace) -> int:
    """Become the app's server, with the folder and network from the arguments."""
    if asked.lessons:
        os.environ[PACK] = str(Path(asked.lessons).resolve())
    folder = asked.folder
    if watch := getattr(asked, "watch", ""):
        os.environ[WATCHED] = str(_statistics(watch))
    if program := getattr(asked, "open", ""):
        file = followed(program)
        path = file.path.resolve()
        if not path.is_file():
            raise CannotRun("file-unread", path=str(file.path), reason=os.strerror(errno.ENOENT))
        os.environ[PROGRAM] = str(replace(file, path=path))
        folder = folder or own_folder(str(path)).folder
    os.environ.update(variables(opened(folder, asked.write, asked.network)))
    return serve(asked.others)


def _statistics(given: str) -> Path:
    """Return the file of a watched training, also of its folder."""
    path = Path(given).resolve()
    path = path / STEPS if path.is_dir() else path
    if not path.is_file():
        raise CannotRun("file-unread", path=str(path), reason=os.strerror(errno.ENOENT))
    return path


def serve(others: Sequence[str]) -> int:
    """Become the app's server, in its settings folder. Raises MissingExtra."""
    need("app")
    sys.stdout.flush()
    os.chdir(site())
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *others]
    if sys.platform == "win32":  # on Windows a terminal does not wait for a process started by os.execv
        return subprocess.call(command)
    os.execv(command[0], command)
