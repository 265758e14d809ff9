"""`why`: explain where numbers of a program come from."""

import argparse
import sys

from explorer.cli.commands.programs import add_options, runs
from explorer.cli.commands.terminal import STATUS, Run, fitting, no_such_backward, visible
from explorer.collector import paused_collector
from explorer.io.json_values import dumps
from explorer.text import say


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `why`."""
    command.add_argument("path", metavar="PATH", help=say(lang, "help-path"))
    command.add_argument("names", nargs="*", metavar="NAME", help=say(lang, "help-why-name"))
    command.add_argument("--json", action="store_true", help=say(lang, "help-json"))
    command.add_argument("--all", action="store_true", help=say(lang, "help-why-all"))
    add_options(command, lang)
    return run


def run(asked: argparse.Namespace) -> int:
    """Explain numbers of a program. Without names, list the possible questions."""
    begun = runs([asked.path], asked)
    with paused_collector():  # while the program runs
        from explorer.analysis.explain.autograd import numbered_backward
        from explorer.analysis.explain.autograd.gradients import NoSuchBackward
        from explorer.analysis.explain.why import UnknownName, answer, answer_plain, suggestions
        from explorer.cli.commands.run_output import print_failures
        from explorer.workers.why import complete_answer

    ((file, result),) = begun
    if result is None:
        return STATUS["unusable"]
    print_failures(result, asked.lang)
    try:
        backward = numbered_backward(result, asked.backward)
    except NoSuchBackward:
        raise no_such_backward(result, asked.backward) from None
    if not asked.names:
        print(*map(visible, suggestions(result)), sep="\n")
        return STATUS[result.status]
    status = STATUS[result.status]
    for name in asked.names:
        try:
            if file.program is None:  # a saved run
                derivation = answer(result, name, asked.lang, backward)
            else:
                derivation = complete_answer(result, name, asked.lang, backward, file.files)
        except UnknownName as unknown:
            print(visible(unknown.message.text(asked.lang)), file=sys.stderr)
            status = max(status, STATUS["unusable"])
            continue
        print(
            dumps({"path": asked.path, "asked": name, **answer_plain(derivation, asked.lang)})
            if asked.json
            else fitting(visible("\n".join(derivation.lines) if asked.all else str(derivation)))
        )
    return status
