"""`draw`: the picture of a program's graph, without a browser."""

import argparse
from pathlib import Path

from explorer.cli.commands.programs import add_options, runs
from explorer.cli.commands.terminal import STATUS, CannotRun, Run, no_such_backward, reason_of, visible
from explorer.collector import paused_collector
from explorer.extras import need
from explorer.sandbox import start_layouts
from explorer.text import say


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `draw`."""
    command.add_argument("path", metavar="PATH", help=say(lang, "help-path"))
    command.add_argument("-o", "--output", required=True, help=say(lang, "help-output"))
    command.add_argument("--no-fold", dest="fold", action="store_false", help=say(lang, "help-no-fold"))
    command.add_argument("--open", action="append", default=[], metavar="MODULE", help=say(lang, "help-open-module"))
    add_options(command, lang)
    return run


def run(asked: argparse.Namespace) -> int:
    """Run a program, and write its picture."""
    need("draw")
    kind = Path(asked.output).suffix
    asked.statements = kind == ".html"  # a page plays them
    begun = runs([asked.path], asked)
    start_layouts()
    with paused_collector():  # while the program runs
        from explorer.analysis.explain.autograd.gradients import NoSuchBackward
        from explorer.analysis.explain.autograd.outline import UnknownModule
        from explorer.cli.commands.run_output import print_failures
        from explorer.drawing.picture import FORMATS, numbered_picture

    if kind not in FORMATS:
        raise CannotRun("draw-suffix", path=asked.output, known=", ".join(FORMATS))
    ((_, result),) = begun
    if result is None:
        return STATUS["unusable"]
    try:
        drawn = numbered_picture(result, asked.lang, asked.backward, asked.fold, asked.open)
    except UnknownModule as unknown:
        kind = "several" if unknown.several else "unknown" if unknown.known else "none"
        raise CannotRun(f"draw-module-{kind}", path=unknown.asked, known=", ".join(unknown.known)) from None
    except NoSuchBackward:
        raise no_such_backward(result, asked.backward) from None
    try:
        Path(asked.output).write_text(FORMATS[kind].written(drawn), encoding="utf-8")
    except OSError as problem:
        raise CannotRun("draw-unwritten", path=asked.output, reason=reason_of(problem)) from None
    print_failures(result, asked.lang)
    print(say(asked.lang, "drawn", path=visible(asked.output), cards=len(drawn.view.cards)))
    return STATUS[result.status]
