"""`open`: a saved run shown in the app; and the app's server itself."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from explorer.commands.terminal import STATUS, visible
from explorer.program import Unusable
from explorer.program.saved_run import read_run
from explorer.reports import unusable_text
from explorer.site import site
from explorer.text import say
from explorer.trace import MAX_BYTES

OPENED = "EXPLORER_OPENED"  # the environment variable that tells the server which saved run its sessions begin with


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """Its arguments; what follows is Streamlit's."""
    found = commands.add_parser("open", help=say(lang, "help-open"), description=say(lang, "help-open"))
    found.set_defaults(command=run)
    found.add_argument("path", metavar="FILE", help=say(lang, "help-open-path"))
    return found


def run(asked: argparse.Namespace) -> int:
    """Look at the file and become the server that shows it."""
    path = Path(asked.path)
    try:
        with path.open("rb") as file:
            read_run(asked.path, file.read(MAX_BYTES + 1), path.stat().st_size)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        print(visible(say(asked.lang, "file-unread", path=asked.path, reason=reason)), file=sys.stderr)
        return STATUS["unusable"]
    except Unusable as problem:
        print(visible(unusable_text(asked.lang, problem)), file=sys.stderr)
        return STATUS["unusable"]
    os.environ[OPENED] = str(path.resolve())
    return serve(asked.others, asked.lang)


def serve(others: Sequence[str], lang: str) -> int:
    """Become the app's server, in the folder with its settings."""
    if find_spec("streamlit") is None:
        print(say(lang, "app-missing"), file=sys.stderr)
        return STATUS["unusable"]
    sys.stdout.flush()
    os.chdir(site())
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", "app.py", *others])
