"""`run`: print a program's output, its errors, and faults of its gradients."""

import argparse
import sys
from typing import TYPE_CHECKING

from explorer.cli.commands.programs import AskedFile, add_options, given_files, options, reach, results
from explorer.cli.commands.terminal import STATUS, Run, no_such_backward, visible
from explorer.collector import paused_collector
from explorer.io.json_values import dumps
from explorer.program import Unusable
from explorer.text import clause_as_sentence, say
from explorer.trace import Trace

if TYPE_CHECKING:
    from explorer.analysis.diagnose.findings import Finding
    from explorer.analysis.diagnose.gradcheck.verdicts import Check
    from explorer.workers.explanations import Explanations


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `run`."""
    command.add_argument("paths", nargs="+", metavar="PATH", help=say(lang, "help-path"))
    command.add_argument("--json", action="store_true", help=say(lang, "help-run-json"))
    # One option without a value: as a value "full" would be optional, and `--json train.py` would take the path.
    command.add_argument("--json=full", dest="full", action="store_true", help=say(lang, "help-json-full"))
    command.add_argument("--check", action="store_true", help=say(lang, "help-check-gradients"))
    add_options(command, lang)
    return run


def run(asked: argparse.Namespace) -> int:
    """Run every path, several at once, and print their results in order."""
    worst = 0
    files = given_files(asked.file, asked.lang)
    ended = results(asked.paths, options(asked), files, asked.lang, reach(asked))
    with paused_collector():  # while the programs run
        from explorer.cli.commands.run_output import print_run
        from explorer.io.graph_json import checks_json
        from explorer.workers.diagnoses import diagnose_with_verified_fixes, diagnoses_in_time
        from explorer.workers.explanations import Explanations, explain_with_verified_fixes
        from explorer.workers.gradcheck import FEW, MOST, check_gradients

    for file, result in ended:
        diagnoses: tuple[Finding, ...] = ()
        why = Explanations()
        checks: list[Check] = []
        if isinstance(result, Unusable):
            message: str | None = result.message.text(asked.lang)
        else:
            diagnoses = diagnose_with_verified_fixes(result, file.files)
            why = explain_with_verified_fixes(result, file.files)
            message = _message(result, asked)
            first, work = asked.backward and asked.backward - 1, MOST if asked.check else FEW
            checks = check_gradients(result, first, file.files, work=work)
        worst = max(worst, STATUS["unusable" if isinstance(result, Unusable) else result.status])
        if asked.json or asked.full:
            checked = [] if isinstance(result, Unusable) else checks_json(result, checks, asked.lang)
            answers = {"message": message, "checks": checked}
            print(dumps({**_object(result, file, asked, diagnoses, why), **answers}), flush=True)
            continue
        print_run(file.path if len(asked.paths) > 1 else "", result, message, diagnoses, why, asked.lang)
        if isinstance(result, Trace):
            if diagnoses_in_time(result) is None:
                print(clause_as_sentence(asked.lang, say(asked.lang, "report-undiagnosed")), file=sys.stderr)
            _print_checks(result, checks, asked)
    return worst


def _message(trace: Trace, asked: argparse.Namespace) -> str | None:
    """Check --backward and --of after the run. Return an error message or None."""
    if _has_no_backward(trace, asked):
        return no_such_backward(trace, asked.backward).message.text(asked.lang)
    unknown = asked.of and trace.bound(asked.of) is None
    return say(asked.lang, "no-such-name", name=asked.of) if unknown else None


def _has_no_backward(trace: Trace, asked: argparse.Namespace) -> bool:
    return asked.backward is not None and not 1 <= asked.backward <= len(trace.backwards)


def _print_checks(trace: Trace, checks: "list[Check]", asked: argparse.Namespace) -> None:
    """Print the requested check of every leaf, or the findings next to the outputs."""
    from explorer.analysis.diagnose.gradcheck.subjects import leaf_name
    from explorer.analysis.diagnose.messages import check_text, checked_lines

    if not asked.check:
        for line in checked_lines(trace, checks, asked.lang):
            print(visible(line), file=sys.stderr)
    for check in checks if asked.check else ():
        text = check_text(asked.lang, check)
        name = leaf_name(trace, check.leaf)
        print(visible(say(asked.lang, "check-at", name=name, backward=check.backward + 1, what=text)))


def _object(
    result: Trace | Unusable,
    file: AskedFile,
    asked: argparse.Namespace,
    diagnoses: "tuple[Finding, ...]",
    why: "Explanations",
) -> dict:
    from explorer.io.export import to_json, unusable_json

    if isinstance(result, Unusable):
        return unusable_json(file.path, result.message.text(asked.lang), asked.seed, asked.detail)
    backward = None if _has_no_backward(result, asked) else asked.backward
    return to_json(result, file.path, asked.lang, backward, file.with_cell, diagnoses, why, asked.full)
