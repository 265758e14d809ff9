"""`lesson`: check that lessons are sound."""

import argparse
import sys
from pathlib import Path

from explorer.cli.commands.terminal import STATUS, CannotRun, Run, reason_of, visible
from explorer.sandbox import default_runner
from explorer.text import say


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `lesson`."""
    command.add_argument("path", metavar="PATH", help=say(lang, "help-lesson-path"))
    return run


def run(asked: argparse.Namespace) -> int:
    """Check every lesson and print its errors."""
    from explorer.lessons.runs import flaw_text, flaws_at

    shown, sound, wrong = visible(asked.path), 0, 0
    try:
        for id, flaws in flaws_at(Path(asked.path), default_runner()):
            for flaw in flaws:
                print(visible(f"{id}/{flaw_text(asked.lang, flaw)}" if id else flaw_text(asked.lang, flaw)), flush=True)
            wrong += len(flaws)
            sound += not flaws
    except (OSError, ValueError) as problem:
        raise CannotRun("file-unread", path=asked.path, reason=reason_of(problem)) from None
    if wrong:
        print(say(asked.lang, "lesson-unsound", path=shown, count=wrong), file=sys.stderr)
        return STATUS["error"]
    print(say(asked.lang, "lesson-sound", path=shown, lessons=sound))
    return STATUS["ok"]
