"""`report`: gradients and faults. `check`: pass or fail, for CI."""

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.cli.commands.programs import AskedFile, add_options, runs
from explorer.cli.commands.terminal import STATUS, Run, fitting, no_such_backward, visible
from explorer.collector import paused_collector
from explorer.io.json_values import dumps
from explorer.safe_regex import plain
from explorer.text import say, separated

if TYPE_CHECKING:
    from explorer.analysis.diagnose.health.report import Report
    from explorer.analysis.diagnose.influence.influence_view import Influence
    from explorer.trace import Trace

_SECONDS = 2.0  # CPU seconds for the effects of a small program, while a user waits at a terminal


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
    ranks: dict[int, Trace] = {}
    with paused_collector():  # while the programs run
        from explorer.analysis.explain.autograd.gradients import NoSuchBackward
        from explorer.api.answers import answering

        _import_checks()

    for file, trace in ended:
        if trace is None:
            worst = max(worst, STATUS["unusable"])
            continue
        if (rank := _rank(file.path)) is not None:
            ranks[rank] = trace
        try:
            report = _measured(answering(trace).report(asked.backward, asked.lang), file)
        except NoSuchBackward:
            print(no_such_backward(trace, asked.backward).message.text(asked.lang), file=sys.stderr)
            worst = max(worst, STATUS["unusable"])
            continue
        effects = _influence(file, trace)
        if asked.json:
            _print_json(file.path, report, effects)
        else:
            if len(asked.paths) > 1:
                print(f"== {visible(file.path)}")
            print(fitting(visible(str(_with_fixes(report, file)))))
            for text in (*(message.text(asked.lang) for message in effects.messages()), effects.scope(asked.lang)):
                print(fitting(visible(text)))
            if asked.modules:
                print(f"\n{visible(str(answering(trace).summary(lang=asked.lang)))}")
        worst = max(worst, STATUS[trace.end])
    if len(ranks) > 1:
        _print_ranks(ranks, asked)
    return worst


def _rank(path: str) -> int | None:
    """Return the rank in a name such as train.rank1.trace, or None."""
    found = plain(r"\.rank(\d{1,6}+)\.trace$").search(path)
    return None if found is None else int(found[1])


def _print_ranks(ranks: "dict[int, Trace]", asked: argparse.Namespace) -> None:
    """Print whether the processes of a distributed training are replicas."""
    from explorer.analysis.views.comparison.ranks import replicas

    compared = replicas(ranks)
    if asked.json:
        return print(dumps({"replicas": compared.to_json()}), flush=True)
    return print(fitting(visible("\n".join(["", *compared.lines(asked.lang)]))))


def _import_checks() -> None:
    import explorer.analysis.diagnose.messages
    import explorer.workers.gradcheck  # noqa: F401


def _influence(file: AskedFile, trace: "Trace", seconds: float = 0.0) -> "Influence":
    """Measure what has an effect, by default only for as long as a user would not notice.

    A saved run cannot run again.
    """
    from explorer.analysis.diagnose.influence.influence_view import influence
    from explorer.workers.gradcheck import work_of
    from explorer.workers.influence import AT_ONCE, FEW, measured_effects

    # a small program ends far before the limit, on a busy machine too
    seconds = seconds or (_SECONDS if work_of(trace) <= FEW else AT_ONCE)
    return influence(trace, None if file.program is None else measured_effects(trace, file.files, seconds=seconds))


def _print_json(path: str, report: "Report", effects: "Influence") -> None:

    checked = {"differs": report.checked.differs, "checked": list(report.checked.lines)}
    checked["left_out"] = report.checked.left_out
    checked["influence"] = effects.plain()
    print(dumps({"path": path, **report.to_json(), **checked}), flush=True)


def _with_fixes(report: "Report", file: AskedFile) -> "Report":
    """Add the fixes that work. Each is run, except those of a saved run."""
    from explorer.workers.diagnoses import with_verified_fixes

    if file.program is None or not report.diagnoses:
        return report
    return replace(report, diagnoses=with_verified_fixes(report.trace, report.diagnoses, file.files))


def _measured(report: "Report", file: AskedFile) -> "Report":
    """Measure the gradients, unless it is a saved run, which cannot run again."""
    from explorer.analysis.diagnose.messages import checked
    from explorer.workers.gradcheck import check_gradients

    if file.program is None:
        return report
    checks = check_gradients(report.trace, None, file.files)
    return replace(report, checked=checked(report.trace, checks, report.lang))


def _check(asked: argparse.Namespace) -> int:
    """Print a line for each path. Return the exit code."""
    worst, ended = 0, runs(asked.paths, asked)
    with paused_collector():  # while the programs run
        from explorer.api.answers import answering
        from explorer.workers.influence import SECONDS

        _import_checks()

    for file, trace in ended:
        if trace is None:
            worst = max(worst, STATUS["unusable"])
            continue
        report = answering(trace).report(lang=asked.lang, allow=asked.allow)
        report = _measured(report, file) if report.sound else report
        if asked.json:
            _print_json(file.path, report, _influence(file, trace, SECONDS))
        else:
            _print_soundness(file.path, report)
        is_fine = report.sound and report.checked.kind != "target"  # that scores change with their targets is certain
        worst = max(worst, STATUS[trace.end], STATUS["ok" if is_fine else "error"])
    return worst


def _print_soundness(path: str, report: "Report") -> None:
    """Print whether a program is sound, and the kinds of its faults or notes."""
    from explorer.analysis.diagnose.health.sections import faults, kind_texts

    level = "note" if report.sound else "fault"
    kinds, count = kind_texts(report, level), len(list(faults(report)))
    how = report.checked.kind if report.checked.kind not in ("", "agrees") else "noted" if kinds else "yes"
    left_out = report.checked.left_out or "none"
    sound = "unknown" if report.sound is None else how if report.sound else "no" if count else "stopped"
    names = separated(report.lang, kinds) or "none"
    values: dict[str, str | int] = {"sound": sound, "count": count, "kinds": names, "why": left_out}
    print(visible(say(report.lang, "check-sound", path=path, **values)), flush=True)
    if report.idle:
        print(visible(say(report.lang, "allow-idle", patterns=", ".join(report.idle))), file=sys.stderr, flush=True)
