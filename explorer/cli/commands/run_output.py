"""Terminal output of a run: outputs, explained errors, diagnoses."""

import sys
from collections.abc import Iterable, Iterator

from explorer.analysis.diagnose.errors.warning_causes import warned
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.messages import (
    finding_lines,
    finding_text,
    limit_text,
    place_text,
    proof_text,
    refusal_text,
    skipped_text,
)
from explorer.cli.commands.terminal import fitting, visible
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Echo, Failure, Limit, Output, Printed, Refusal, Result, Skipped, Trace
from explorer.workers.explanations import Explanations, explanations_of

OPTION_OF = {"time": "--time-limit", "memory": "--memory-limit", "output": "--output-limit"}


def print_run(
    path: str,
    result: Trace | Unusable,
    message: str | None,
    diagnoses: tuple[Finding, ...],
    why: Explanations,
    lang: str,
) -> None:
    """Print a run's outputs and the program's faults."""
    if path:
        print(f"== {visible(path)}")
    if message:
        print(visible(message), file=sys.stderr)
    if isinstance(result, Trace):
        for text in texts(result, why, lang):
            print(visible(text), end="" if text.endswith("\n") else "\n")
        for diagnosis in diagnoses:
            print(fitting("\n".join(map(visible, finding_lines(result, diagnosis, lang)))))


def texts(trace: Trace, why: Explanations, lang: str) -> Iterator[str]:
    """Yield the outputs as text, cell by cell, with errors explained."""
    for number, cell in enumerate(trace.cells):
        printed = ""
        for output in cell.outputs:
            if isinstance(output, Printed):
                of_torch = output.stream == "warning"
                printed += place(trace, number, output.span, lang) if of_torch else ""
                printed += _explained(output.text, lang) if of_torch else output.text
                continue
            if printed:
                yield printed
                printed = ""
            yield from _output_lines(trace, number, output, why, lang)
        if printed:
            yield printed


def _explained(text: str, lang: str) -> str:
    """Return printed warnings, with explanations after known ones."""
    shown = ""
    for piece in warned(text):
        shown += piece.words
        if piece.kind:
            shown += "".join(f"  {finding_text(lang, piece, part)}\n" for part in ("cause", "repair"))
    return shown


def _output_lines(trace: Trace, cell: int, output: Output, why: Explanations, lang: str) -> Iterable[str]:
    match output:
        case Echo(text=text) | Result(text=text, displayed=True):
            return [text]
        case Failure(type=kind, text=text, span=span):
            sentences = [place(trace, cell, span, lang) + (f"{kind}: {text}" if text else kind)]
            explanation = why.of(trace, cell, output)
            if explanation is None:
                return sentences
            sentences += [f"  {finding_text(lang, explanation, part)}" for part in ("cause", "repair")]
            return [*sentences, *_change(trace, explanation, lang)]
        case Refusal(span=span):
            return [place(trace, cell, span, lang) + refusal_text(lang, output)]
        case Skipped(span=span):
            return [place(trace, cell, span, lang) + skipped_text(lang, output)]
        case Limit(span=span):
            sentences = [place(trace, cell, span, lang) + limit_text(lang, output, trace)]
            option = OPTION_OF.get(output.limit)
            return sentences if option is None else [*sentences, f"  {say(lang, 'allow-more', option=option)}"]
    return []  # a terminal shows no figures


def _change(trace: Trace, finding: Finding, lang: str) -> list[str]:
    """Return the lines that an offered fix removes and adds, and its effect."""
    changes, proof = finding.changes(trace) if finding.offered else (), proof_text(lang, finding)
    return [f"  {change.sign} {change.number:>3}  {change.text}" for change in changes] + [f"  {proof}"] * bool(proof)


def place(trace: Trace, cell: int, span: int, lang: str) -> str:
    """Return a place as a message prefix: "line 4: ", or "" if unknown."""
    if span < 0:
        return ""
    colon = say(lang, "why-colon").replace("_", " ")
    return place_text(trace, trace.spans[span].cell, trace.spans[span].line, lang) + colon


def print_failures(result: Trace, lang: str) -> None:
    """Print the errors of a program whose output is not shown."""
    why = explanations_of(result)
    for number, cell in enumerate(result.cells):
        for output in cell.outputs:
            if isinstance(output, Failure | Refusal | Limit):
                print(*map(visible, _output_lines(result, number, output, why, lang)), file=sys.stderr)
