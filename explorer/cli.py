"""The command line: `python -m explorer run | draw | doctor`.

Exit status: 0 ok, 1 error (a cell raised or does not compile), 2 unusable (nothing was run), 3 refused, 4 limited; of
several paths the highest.
"""

import argparse
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
from msgspec import structs

from explorer import __version__
from explorer.diagnose import level
from explorer.diagnosed import Diagnosis, mended
from explorer.explain import changed_lines
from explorer.explain.warned import warned
from explorer.explained import explained
from explorer.export import dumps, to_json, unusable_json
from explorer.program import GivenFile, Program, Unusable, load_bytes, read_program, with_cell_replaced, with_file
from explorer.program.given import MAX_ALL, MAX_FILE, MAX_FILES, TooMuch
from explorer.reports import (
    diagnosis_text,
    error_text,
    limit_text,
    refusal_text,
    skipped_text,
    unusable_text,
    warning_text,
)
from explorer.sandbox import BadLimit, Run, Runner, default_runner, limits
from explorer.sandbox.limits import limit
from explorer.text import LANGUAGES, say
from explorer.trace import Echo, Failure, Limit, Options, Output, Printed, Refusal, Result, Skipped, Trace

STATUS = {"ok": 0, "error": 1, "unusable": 2, "refused": 3, "limited": 4}
LIMITS = {
    "seconds": ("--time-limit", "S"),
    "memory_mb": ("--memory-limit", "MB"),
    "output_kb": ("--output-limit", "KB"),
}
OPTION_OF = {"time": "--time-limit", "memory": "--memory-limit", "output": "--output-limit"}
INTERRUPTED = 130  # as a shell says it
AHEAD = 8  # programs under way before the first one's result is printed


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = _parser(_language(arguments)).parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that knows no 中文 shows \u escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        return asked.command(asked)
    except BadLimit as bad:
        print(visible(say(asked.lang, "bad-limit", **bad.values)), file=sys.stderr)
        return STATUS["unusable"]
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return STATUS["ok"]


def _language(arguments: list[str]) -> str:
    """The language asked for, before the rest is parsed: help and complaints are in it too."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--lang", default=LANGUAGES[0])
    try:
        return finder.parse_known_args(arguments)[0].lang
    except SystemExit:
        return LANGUAGES[0]


def _parser(lang: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m explorer")
    parser.add_argument(
        "--version", action="version", version=f"Autograd Explorer {__version__}", help=say(lang, "help-version")
    )
    commands = parser.add_subparsers(required=True, metavar="run | draw | doctor")

    run = commands.add_parser("run", help=say(lang, "help-run"), description=say(lang, "help-run"))
    run.set_defaults(command=_run)
    run.add_argument("paths", nargs="+", metavar="PATH", help=say(lang, "help-path"))
    run.add_argument("--json", action="store_true", help=say(lang, "help-json"))

    draw = commands.add_parser("draw", help=say(lang, "help-draw"), description=say(lang, "help-draw"))
    draw.set_defaults(command=_draw)
    draw.add_argument("path", metavar="PATH", help=say(lang, "help-path"))
    draw.add_argument("-o", "--output", required=True, help=say(lang, "help-output"))
    draw.add_argument("--no-fold", dest="fold", action="store_false", help=say(lang, "help-no-fold"))

    for command in (run, draw):
        command.add_argument("--seed", type=int, default=0, help=say(lang, "help-seed"))
        for field, (option, metavar) in LIMITS.items():
            command.add_argument(option, dest=field, metavar=metavar, help=say(lang, f"help-{option[2:]}"))
        command.add_argument("--stop-on-error", action="store_true", help=say(lang, "help-stop"))
        command.add_argument(
            "--detail", choices=("light", "complete"), default="complete", help=say(lang, "help-detail")
        )
        command.add_argument("--file", action="append", default=[], metavar="PATH", help=say(lang, "help-file"))
        gradient = command.add_mutually_exclusive_group()
        gradient.add_argument("--backward", type=int, metavar="N", help=say(lang, "help-backward"))
        gradient.add_argument("--of", default="", metavar="NAME", help=say(lang, "help-of"))

    doctor = commands.add_parser("doctor", help=say(lang, "help-doctor"), description=say(lang, "help-doctor"))
    doctor.set_defaults(command=_doctor)
    doctor.add_argument("--policy", action="store_true", help=say(lang, "help-policy"))
    for command in (run, draw, doctor):
        command.add_argument("--lang", choices=LANGUAGES, default=LANGUAGES[0], help=say(lang, "help-lang"))
    return parser


def _options(asked: argparse.Namespace) -> Options:
    """What is asked for, under the limits that hold here or were asked for. Raises BadLimit."""
    given = {field: (getattr(asked, field), option) for field, (option, _) in LIMITS.items()}
    read = {field: limit(field, text, option) for field, (text, option) in given.items() if text is not None}
    options = Options(seed=asked.seed, detail=asked.detail, stop_on_error=asked.stop_on_error, of=asked.of)
    return msgspec.structs.replace(limits(), **read).of(options)


def _run(asked: argparse.Namespace) -> int:
    """Run every path, several at once, and print their results in order."""
    worst = 0
    try:
        files = _files(asked.file, asked.lang)
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return STATUS["unusable"]
    for file, result in _results(asked.paths, _options(asked), files):
        if isinstance(result, Unusable):
            told: tuple[Diagnosis, ...] = ()
            shown = unusable_json(file.path, unusable_text(asked.lang, result), asked.seed, asked.detail)
        else:
            told = mended(result, files)
            shown = _object(result, file, asked, told)
        worst = max(worst, STATUS[shown["status"]])
        if asked.json:
            print(dumps(shown), flush=True)
        else:
            _print(file.path if len(asked.paths) > 1 else "", result, shown["message"], told, asked.lang)
    return worst


def _object(trace: Trace, file: "_File", asked: argparse.Namespace, told: tuple[Diagnosis, ...]) -> dict:
    export = partial(to_json, trace, file.path, asked.lang, file=file.with_cell, diagnoses=told)
    try:
        shown = export(asked.backward)
    except IndexError:
        return {**export(), "message": _no_such_backward(trace, asked)}
    if asked.of and trace.bound(asked.of) is None:
        return {**shown, "message": say(asked.lang, "no-such-name", name=asked.of)}
    return shown


def _no_such_backward(trace: Trace, asked: argparse.Namespace) -> str:
    return say(asked.lang, "no-such-backward", number=asked.backward, count=len(trace.backwards))


@dataclass(frozen=True)
class _File:
    """A file that was asked for. Attributes: path: as it was given; data: its bytes; program: what they hold."""

    path: str
    data: bytes = b""
    program: Program | None = None

    def with_cell(self, cell: int, text: str) -> str:
        """The whole file with the text of one cell replaced."""
        assert self.program is not None, "it was read, since a cell of it ran"
        return with_cell_replaced(self.program, cell, text, self.data.decode("utf-8-sig"))


def _files(paths: list[str], lang: str) -> tuple[GivenFile, ...]:
    """What the programs find in their folder. Raises ValueError with the sentence for a file that cannot be taken."""
    files: tuple[GivenFile, ...] = ()
    for path in paths:
        try:
            with open(path, "rb") as file:
                files = with_file(files, path, file.read(MAX_FILE + 1))
        except TooMuch as problem:
            most = {"count": MAX_FILES, "file": MAX_FILE // 10**6, "all": MAX_ALL // 10**6}
            raise ValueError(say(lang, f"file-{problem.kind}", path=visible(path), **most)) from None
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise ValueError(say(lang, "file-unread", path=visible(path), reason=reason)) from None
    return files


def _results(
    paths: list[str], options: Options, files: tuple[GivenFile, ...] = ()
) -> Iterator[tuple[_File, Trace | Unusable]]:
    runner = default_runner()
    runner.start()  # both at once: errors are explained, and pictures laid out, in children of the second
    waiting: deque[tuple[_File, Run | Unusable]] = deque()
    for path in paths:
        waiting.append(_begin(runner, path, options, files))
        if len(waiting) >= AHEAD:
            yield _end(*waiting.popleft())
    while waiting:
        yield _end(*waiting.popleft())


def _begin(runner: Runner, path: str, options: Options, files: tuple[GivenFile, ...]) -> tuple[_File, Run | Unusable]:
    try:
        data = load_bytes(path)
        program = structs.replace(read_program(path, data), files=files)
    except Unusable as problem:
        return _File(path), problem
    return _File(path, data, program), runner.submit(program, options)


def _end(file: _File, begun: Run | Unusable) -> tuple[_File, Trace | Unusable]:
    return file, begun if isinstance(begun, Unusable) else begun.result()


def _print(path: str, result: Trace | Unusable, message: str | None, told: tuple[Diagnosis, ...], lang: str) -> None:
    if path:
        print(f"== {visible(path)}")
    if message:
        print(visible(message), file=sys.stderr)
    if isinstance(result, Trace):
        for text in texts(result, lang):
            print(visible(text), end="" if text.endswith("\n") else "\n")
        for one in told:
            print(*map(visible, _diagnosis(result, one, lang)), sep="\n")


def texts(trace: Trace, lang: str) -> Iterator[str]:
    """What the program put out, cell by cell, in order; neighbouring pieces of one stream together."""
    for number, cell in enumerate(trace.cells):
        printed = ""
        for output in cell.outputs:
            if isinstance(output, Printed):
                printed += _explained(output.text, lang) if output.stream == "warning" else output.text
                continue
            if printed:
                yield printed
                printed = ""
            yield from _said(trace, number, output, lang)
        if printed:
            yield printed


def _explained(text: str, lang: str) -> str:
    """Warnings, each that is known with what it means below."""
    said = ""
    for one in warned(text):
        said += one.words
        if one.kind:
            said += "".join(f"  {warning_text(lang, one, part)}\n" for part in ("cause", "repair"))
    return said


def _said(trace: Trace, cell: int, output: Output, lang: str) -> Iterable[str]:
    match output:
        case Echo(text=text) | Result(text=text):
            return [text]
        case Failure(type=kind, text=text, span=span):
            said = [place(trace, cell, span, lang) + (f"{kind}: {text}" if text else kind)]
            told = explained(trace).of(trace, cell, output)
            return said + [f"  {error_text(lang, told, part)}" for part in ("cause", "repair") if told]
        case Refusal(span=span):
            return [place(trace, cell, span, lang) + refusal_text(lang, output)]
        case Skipped(span=span):
            return [place(trace, cell, span, lang) + skipped_text(lang, output)]
        case Limit(span=span):
            said = [place(trace, cell, span, lang) + limit_text(lang, output)]
            option = OPTION_OF.get(output.limit)
            return said if option is None else [*said, f"  {say(lang, 'allow-more', option=option)}"]
    return []  # a figure is nothing for a terminal


def _diagnosis(trace: Trace, one: Diagnosis, lang: str) -> list[str]:
    """What is wrong although nothing failed, as errors are said."""
    grave, at = say(lang, f"diagnosis-{level(one.found.kind)}"), one.found.place
    where = _place(trace, at.cell, at.line, lang)
    said = [f"{where}{grave}: {diagnosis_text(lang, one.found, 'title')}"]
    said += [f"  {diagnosis_text(lang, one.found, part)}" for part in ("cause", "repair")]
    if one.repair is None:
        return said
    changes = changed_lines(trace.cells[one.repair.cell].source, one.repair.text)
    said += [f"  {change.sign} {change.number:>3}  {change.text}" for change in changes]
    return [*said, f"  {one.proof}"] if one.proof else said


def place(trace: Trace, cell: int, span: int, lang: str) -> str:
    """Where something happened, as it stands before a message: "line 4: ", "" when that is not known."""
    if span < 0:
        return ""
    return _place(trace, trace.spans[span].cell, trace.spans[span].line, lang)


def _place(trace: Trace, cell: int, line: int, lang: str) -> str:
    if len(trace.cells) == 1:
        return say(lang, "line", line=line) + ": "
    return say(lang, "cell-line", cell=cell + 1, line=line) + ": "


def visible(text: str) -> str:
    """The text with control characters, but newline and tab, as escapes: a program must not steer the terminal.

    >>> visible("\\x1b[31mred\\n")
    '\\\\x1b[31mred\\n'
    """
    return "".join(c if c in "\n\t" or c.isprintable() or c == "\u3000" else ascii(c)[1:-1] for c in text)


def _draw(asked: argparse.Namespace) -> int:
    from explorer.picture import FORMATS, numbered_picture

    kind = Path(asked.output).suffix
    if kind not in FORMATS:
        known = ", ".join(FORMATS)
        print(say(asked.lang, "draw-suffix", path=visible(asked.output), known=known), file=sys.stderr)
        return STATUS["unusable"]
    try:
        files = _files(asked.file, asked.lang)
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return STATUS["unusable"]
    ((_, result),) = _results([asked.path], _options(asked), files)
    if isinstance(result, Unusable):
        print(visible(unusable_text(asked.lang, result)), file=sys.stderr)
        return STATUS["unusable"]
    try:
        drawn = numbered_picture(result, asked.lang, asked.backward, asked.fold)
    except IndexError:
        print(_no_such_backward(result, asked), file=sys.stderr)
        return STATUS["unusable"]
    try:
        Path(asked.output).write_text(FORMATS[kind].written(drawn), encoding="utf-8")
    except OSError as problem:
        print(
            say(asked.lang, "draw-unwritten", path=visible(asked.output), reason=str(problem.strerror)), file=sys.stderr
        )
        return STATUS["unusable"]
    for number, cell in enumerate(result.cells):
        for output in cell.outputs:
            if isinstance(output, Failure | Refusal | Limit):
                print(*map(visible, _said(result, number, output, asked.lang)), file=sys.stderr)
    print(say(asked.lang, "drawn", path=visible(asked.output), cards=len(drawn.view.cards)))
    return STATUS[result.status]


def _doctor(asked: argparse.Namespace) -> int:
    from explorer.doctor import policy, report

    if asked.policy:
        print(policy(asked.lang))
        return STATUS["ok"]

    text, sound = report(asked.lang)
    print(text)
    return STATUS["ok"] if sound else STATUS["error"]
