"""The command line: `python -m explorer COMMAND`.

Exit status: 0 ok, 1 error (a cell raised or does not compile), 2 unusable (nothing was run), 3 refused, 4 limited; of
several paths the highest.
"""

import argparse
import os
import sys
from pathlib import Path

from explorer.analysis.autograd.gradients import NoSuchBackward
from explorer.analysis.findings import Finding
from explorer.cli.commands import app_server, cluster, compare, recording, report
from explorer.cli.commands.programs import LIMITS, AskedFile, add_reach, given_files, options, reach, results, runs
from explorer.cli.commands.terminal import STATUS, CannotRun, add_command, no_such_backward, reason_of, shown, visible
from explorer.cli.run_output import print_failures, print_run
from explorer.extras import need
from explorer.io.json_values import dumps
from explorer.program import Unusable
from explorer.sandbox import default_runner, hosting
from explorer.text import LANGUAGES, SayableError, say
from explorer.trace import Trace
from explorer.version import __version__
from explorer.workers.diagnoses import diagnose_with_verified_fixes
from explorer.workers.explanations import Explanations, explain_with_verified_fixes

COMMANDS = (
    "run",
    "draw",
    "why",
    "report",
    "compare",
    "check",
    "record",
    "open",
    "lesson",
    "app",
    "worker",
    "scheduler",
    "doctor",
)
INSTALLED = "autograd-explorer"  # the name of the installed command
INTERRUPTED = 130  # as a shell says it


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show 中文 shows \u escapes
            stream.reconfigure(errors="backslashreplace")
    parser = _parser(_language(arguments))
    asked, others = parser.parse_known_args(arguments)
    asked.others = others
    if others and asked.command not in (_app, app_server.run):
        parser.error(say(asked.lang, "unknown-arguments", arguments=" ".join(others)))
    try:
        return asked.command(asked)
    except SayableError as problem:
        print(visible(problem.message.text(asked.lang)), file=sys.stderr)
        return STATUS["unusable"]
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return STATUS["ok"]
    except Exception as problem:
        if asked.command is recording.run:  # a script of the user's own
            raise
        error, place = type(problem).__name__, hosting.log_undrawn(arguments[0], problem)
        print(say(asked.lang, "unshown", error=error, place=place), file=sys.stderr)
        return STATUS["unusable"]


def _language(arguments: list[str]) -> str:
    """The language of the arguments, found before parsing: help and error messages use it too."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--lang", default=LANGUAGES[0])
    try:
        return finder.parse_known_args(arguments)[0].lang
    except SystemExit:
        return LANGUAGES[0]


def _parser(lang: str) -> argparse.ArgumentParser:
    called = Path(sys.argv[0]).name
    parser = argparse.ArgumentParser(prog=called if called == INSTALLED else "python -m explorer")
    parser.add_argument(
        "--version", action="version", version=f"Autograd Explorer {__version__}", help=say(lang, "help-version")
    )
    commands = parser.add_subparsers(required=True, metavar=" | ".join(filter(shown, COMMANDS)))

    run = add_command(commands, lang, "run")
    run.set_defaults(command=_run)
    run.add_argument("paths", nargs="+", metavar="PATH", help=say(lang, "help-path"))
    run.add_argument("--json", action="store_true", help=say(lang, "help-json"))
    run.add_argument("--check", action="store_true", help=say(lang, "help-check-gradients"))

    draw = add_command(commands, lang, "draw")
    draw.set_defaults(command=_draw)
    draw.add_argument("path", metavar="PATH", help=say(lang, "help-path"))
    draw.add_argument("-o", "--output", required=True, help=say(lang, "help-output"))
    draw.add_argument("--no-fold", dest="fold", action="store_false", help=say(lang, "help-no-fold"))
    draw.add_argument("--open", action="append", default=[], metavar="MODULE", help=say(lang, "help-open-module"))

    why = add_command(commands, lang, "why")
    why.set_defaults(command=_why)
    why.add_argument("path", metavar="PATH", help=say(lang, "help-path"))
    why.add_argument("names", nargs="*", metavar="NAME", help=say(lang, "help-why-name"))
    why.add_argument("--json", action="store_true", help=say(lang, "help-json"))

    of_runs = *report.parsers(commands, lang), compare.parser(commands, lang)

    for command in (run, draw, why, *of_runs):
        command.add_argument("--seed", type=int, default=0, help=say(lang, "help-seed"))
        for field, (option, metavar) in LIMITS.items():
            command.add_argument(option, dest=field, metavar=metavar, help=say(lang, f"help-{option[2:]}"))
        command.add_argument("--stop-on-error", action="store_true", help=say(lang, "help-stop"))
        command.add_argument(
            "--detail", choices=("light", "complete"), default="complete", help=say(lang, "help-detail")
        )
        command.add_argument("--file", action="append", default=[], metavar="PATH", help=say(lang, "help-file"))
        add_reach(command, lang)
        gradient = command.add_mutually_exclusive_group()
        gradient.add_argument("--backward", type=int, metavar="N", help=say(lang, "help-backward"))
        gradient.add_argument("--of", default="", metavar="NAME", help=say(lang, "help-of"))

    app = add_command(commands, lang, "app")
    app.set_defaults(command=_app)
    app.add_argument("--open", default="", metavar="FILE[:LINE]", help=say(lang, "help-app-open"))
    app.add_argument("--runs", default="", metavar="DIR", help=say(lang, "help-app-runs"))
    app_server.add_reach(app, lang)

    doctor = add_command(commands, lang, "doctor")
    doctor.set_defaults(command=_doctor)
    lesson = add_command(commands, lang, "lesson")
    lesson.set_defaults(command=_lesson)
    lesson.add_argument("path", metavar="PATH", help=say(lang, "help-lesson-path"))
    others = (recording.parser(commands, lang), app_server.parser(commands, lang), *cluster.parsers(commands, lang))
    for command in (run, draw, why, *of_runs, lesson, app, doctor, *others):
        command.add_argument("--lang", choices=LANGUAGES, default=LANGUAGES[0], help=say(lang, "help-lang"))
    return parser


def _run(asked: argparse.Namespace) -> int:
    """Run every path, several at once, and print their results in order."""
    worst = 0
    files = given_files(asked.file, asked.lang)
    for file, result in results(asked.paths, options(asked), files, asked.lang, reach(asked)):
        diagnoses: tuple[Finding, ...] = ()
        why = Explanations()
        checks: list[dict] = []
        if isinstance(result, Unusable):
            message: str | None = result.message.text(asked.lang)
        else:
            diagnoses = diagnose_with_verified_fixes(result, file.files)
            why = explain_with_verified_fixes(result, file.files)
            message = _message(result, asked)
            checks = _checks(result, file, asked) if asked.check else []
        worst = max(worst, STATUS["unusable" if isinstance(result, Unusable) else result.status])
        if asked.json:
            answers = {"message": message, "checks": checks}
            print(dumps({**_object(result, file, asked, diagnoses, why), **answers}), flush=True)
            continue
        print_run(file.path if len(asked.paths) > 1 else "", result, message, diagnoses, why, asked.lang)
        for checked in checks:
            at = {"name": checked["name"], "backward": checked["backward"] + 1, "what": checked["text"]}
            print(visible(say(asked.lang, "check-at", **at)))
    return worst


def _message(trace: Trace, asked: argparse.Namespace) -> str | None:
    """What is wrong with the arguments --backward and --of, now that the program has run."""
    if _has_no_backward(trace, asked):
        return no_such_backward(trace, asked.backward).message.text(asked.lang)
    unknown = asked.of and trace.bound(asked.of) is None
    return say(asked.lang, "no-such-name", name=asked.of) if unknown else None


def _has_no_backward(trace: Trace, asked: argparse.Namespace) -> bool:
    return asked.backward is not None and not 1 <= asked.backward <= len(trace.backwards)


def _checks(trace: Trace, file: AskedFile, asked: argparse.Namespace) -> list[dict]:
    from explorer.io.graph_json import checks_json
    from explorer.workers.gradcheck import check_gradients

    return checks_json(trace, check_gradients(trace, asked.backward and asked.backward - 1, file.files), asked.lang)


def _object(
    result: Trace | Unusable,
    file: AskedFile,
    asked: argparse.Namespace,
    diagnoses: tuple[Finding, ...],
    why: Explanations,
) -> dict:
    from explorer.io.export import to_json, unusable_json

    if isinstance(result, Unusable):
        return unusable_json(file.path, result.message.text(asked.lang), asked.seed, asked.detail)
    backward = None if _has_no_backward(result, asked) else asked.backward
    return to_json(result, file.path, asked.lang, backward, file.with_cell, diagnoses, why)


def _draw(asked: argparse.Namespace) -> int:
    from explorer.analysis.autograd.outline import UnknownModule
    from explorer.drawing.picture import FORMATS, numbered_picture

    need("draw")
    kind = Path(asked.output).suffix
    if kind not in FORMATS:
        raise CannotRun("draw-suffix", path=asked.output, known=", ".join(FORMATS))
    asked.statements = kind == ".html"  # a page plays them
    ((_, result),) = runs([asked.path], asked)
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


def _why(asked: argparse.Namespace) -> int:
    """Explain numbers of a program; without names, list what can be asked."""
    from explorer.analysis.autograd import numbered_backward
    from explorer.analysis.why import UnknownName, answer, answer_plain, suggestions
    from explorer.workers.why import complete_answer

    ((file, result),) = runs([asked.path], asked)
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
            else visible(str(derivation))
        )
    return status


def _app(asked: argparse.Namespace) -> int:
    """Become the app's server. Unknown arguments go to Streamlit."""
    return app_server.app(asked)


def _lesson(asked: argparse.Namespace) -> int:
    from explorer.lessons.runs import flaw_text, flaws_at

    shown, sound, wrong = visible(asked.path), 0, 0
    try:
        for id, flaws in flaws_at(Path(asked.path), default_runner()):
            for flaw in flaws:
                print(visible(f"{id}/{flaw_text(asked.lang, flaw)}" if id else flaw_text(asked.lang, flaw)), flush=True)
            wrong += len(flaws)
            sound += not flaws
    except (OSError, ValueError) as problem:
        raise CannotRun("lesson-unread", path=asked.path, reason=reason_of(problem)) from None
    if wrong:
        print(say(asked.lang, "lesson-unsound", path=shown, count=wrong), file=sys.stderr)
        return STATUS["error"]
    print(say(asked.lang, "lesson-sound", path=shown, lessons=sound))
    return STATUS["ok"]


def _doctor(asked: argparse.Namespace) -> int:
    from explorer.cli.doctor import report

    text, sound = report(asked.lang)
    print(text)
    return STATUS["ok"] if sound else STATUS["error"]
