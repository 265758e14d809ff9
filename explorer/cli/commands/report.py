"""`report`: gradients and faults. `check`: pass or fail, for CI."""

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.cli.commands.programs import AskedFile, add_options, runs
from explorer.cli.commands.terminal import STATUS, Run, no_such_backward, visible
from explorer.collector import paused_collector
from explorer.io.json_values import dumps
from explorer.text import say

if TYPE_CHECKING:
    from explorer.analysis.health.report import Report
    from explorer.trace import Trace

_SECONDS = 2.0  # of the processor for the first two runs of a program, which a reader at a terminal waits for
_UNEXPLAINED = ("differs", "target", "padding")  # ways to differ that a program hardly means, worst first


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `report` or `check`."""
    command.add_argument("paths", nargs="+", metavar="PATH", help=say(lang, "help-path-or-trace"))
    command.add_argument("--json", action="store_true", help=say(lang, "help-json"))
    if name == "report":
        command.add_argument("--modules", action="store_true", help=say(lang, "help-modules"))
    else:
        command.add_argument("--allow", action="append", default=[], metavar="KIND", help=say(lang, "help-allow"))
    add_options(command, lang)
    return _report if name == "report" else _check


def _report(asked: argparse.Namespace) -> int:
    """Print the report of each path."""
    worst, ended = 0, runs(asked.paths, asked)
    with paused_collector():  # while the programs run
        from explorer.analysis.autograd.gradients import NoSuchBackward
        from explorer.api.answers import answering

        _import_checks()

    for file, trace in ended:
        if trace is None:
            worst = max(worst, STATUS["unusable"])
            continue
        try:
            report = answering(trace).report(asked.backward, asked.lang)
        except NoSuchBackward:
            print(no_such_backward(trace, asked.backward).message.text(asked.lang), file=sys.stderr)
            worst = max(worst, STATUS["unusable"])
            continue
        how, lines = _measured(file, trace, asked.lang)
        if asked.json:
            print(
                dumps({"path": file.path, **report.to_json(), "differs": how in _UNEXPLAINED, "checked": lines}),
                flush=True,
            )
        else:
            if len(asked.paths) > 1:
                print(f"== {visible(file.path)}")
            for text in (str(replace(report, differs=how in _UNEXPLAINED)), *lines):
                print(visible(text))
            if asked.modules:
                print(f"\n{visible(str(answering(trace).summary(lang=asked.lang)))}")
        worst = max(worst, STATUS[trace.end])
    return worst


def _import_checks() -> None:
    import explorer.analysis.messages
    import explorer.workers.gradcheck  # noqa: F401


def _measured(file: AskedFile, trace: "Trace", lang: str) -> tuple[str, list[str]]:
    """Measure the gradients. Return how they differ, and the lines that say so.

    The first is the kind of the worst difference, or "unchecked" if nothing could be measured. It is "" if the
    gradients agree, or differ only where the program asks for it, as with `detach`.
    """
    from explorer.analysis.messages import checked_lines, different_leaves
    from explorer.workers.gradcheck import check_gradients

    if file.program is None:  # a saved run cannot run again
        return "", []
    checks = check_gradients(trace, None, file.files, seconds=_SECONDS)
    found = different_leaves(trace, checks, lang)
    kinds = {"intended" if leaves.is_intended else leaves.kind for leaves in found if leaves.kind != "meant"}
    lines = checked_lines(trace, checks, lang, is_full=True)
    none = "unchecked" if checks and not lines else ""
    return next((kind for kind in (*_UNEXPLAINED, "intended") if kind in kinds), none), lines


def _check(asked: argparse.Namespace) -> int:
    """Print each path's result. Return the exit code."""
    worst, ended = 0, runs(asked.paths, asked)
    with paused_collector():  # while the programs run
        from explorer.api.answers import answering

        _import_checks()

    for file, trace in ended:
        if trace is None:
            worst = max(worst, STATUS["unusable"])
            continue
        report = answering(trace).report(lang=asked.lang, allow=asked.allow)
        how, lines = _measured(file, trace, asked.lang) if report.sound else ("", [])
        _print_soundness(file.path, report, asked, how, lines if how else [])
        worst = max(worst, STATUS[trace.end], STATUS["ok" if report.sound else "error"])
    return worst


def _print_soundness(path: str, report: "Report", asked: argparse.Namespace, how: str, differences: list[str]) -> None:
    if asked.json:
        differs = {"differs": how in _UNEXPLAINED, "checked": differences}
        print(dumps({"path": path, **report.to_json(), **differs}), flush=True)
        return
    notes = [finding for finding in report.findings if finding.level == "note"] if report.sound else []
    sound = "unknown" if report.sound is None else how or ("noted" if notes else "yes") if report.sound else "no"
    print(visible(say(asked.lang, "check-sound", path=path, sound=sound)), flush=True)
    if not report.sound:
        print(visible(str(report)), flush=True)
        return
    from explorer.analysis.health.report_text import warned_text

    for line in (*differences, *map(str, notes)):
        print(visible(line), flush=True)
    for warning in report.warnings:
        print(*warned_text(report, warning), sep="\n", flush=True)
    if report.idle:
        print(visible(say(asked.lang, "allow-idle", patterns=", ".join(report.idle))), flush=True)
