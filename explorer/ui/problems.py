"""What went wrong in a run, as HTML for the page. Every text is escaped here."""

import re
from dataclasses import dataclass
from html import escape

from explorer.export import limit_text, refusal_text
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Failure, Limit, Refusal, Trace

NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
_PLACE = re.compile(r" \([^()]*line \d+\)$")


@dataclass(frozen=True)
class Problem:
    """One reason why a program did not end well.

    Attributes:
        title: what happened, in words, with its place.
        cell: from 0; line: in that cell, from 1, or 0; span: line, column, end line, end column, or ().
        code: that line's text, or "".
        words: what happened, without its place.
        message: Python's or torch's own words, or "".
        syntax: whether the cell is not Python.
    """

    title: str
    cell: int
    line: int
    span: tuple[int, ...]
    code: str
    words: str
    message: str
    syntax: bool = False


def problems(result: Trace | Unusable, lang: str) -> list[Problem]:
    """Everything that went wrong, in order."""
    if isinstance(result, Unusable):
        line = int(result.values.get("line", 0))
        words = say(lang, f"unusable-{result.kind}", **result.values)
        return [Problem(words, 0, line, (), "", words, "")]
    return [
        problem(result, number, output, lang)
        for number, cell in enumerate(result.cells)
        for output in cell.outputs
        if isinstance(output, Failure | Refusal | Limit)
    ]


def problem(trace: Trace, cell: int, output: Failure | Refusal | Limit, lang: str) -> Problem:
    """What one output of a cell says that went wrong."""
    line, span, code = 0, (), ""
    if output.span >= 0:
        place = trace.spans[output.span]
        cell, line = place.cell, place.line
        span = (place.line, place.column, place.end_line, place.end_column)
        code = trace.cells[cell].source.split("\n")[line - 1].strip()
    many = len(trace.cells) > 1
    match output:
        case Failure(type=kind, text=text):
            syntax = kind in NOT_PYTHON
            if syntax:  # the place is said in our own words
                text = _PLACE.sub("", text)
            stopped, at = ("problem-not-python", "problem-not-python-at") if syntax else ("problem-stopped", "")
            if not line:
                words = say(lang, "problem-stopped-cell", cell=cell + 1) if many else say(lang, stopped)
            elif many:
                words = say(lang, "problem-not-python-in" if syntax else "problem-stopped-in", cell=cell + 1, line=line)
            else:
                words = say(lang, at or "problem-stopped-at", line=line)
            message = f"{kind}: {text}" if text else kind
            return Problem(words, cell, line, span, code, message, message, syntax)
        case Refusal():
            words = refusal_text(lang, output)
        case Limit():
            words = limit_text(lang, output)
    title = words
    if line:
        where = say(lang, "place", cell=cell + 1, line=line) if many else say(lang, "line", line=line)
        title = f"{where[0].upper()}{where[1:]}: {words}"
    return Problem(title, cell, line, span, code, words, "")


def problems_html(found: list[Problem], lang: str) -> str:
    """A card per problem; one sentence when there is none."""
    if not found:
        return f'<p class="quiet">{escape(say(lang, "no-problems"))}</p>'
    return "".join(
        f'<div class="problem" role="alert"><h3>{escape(one.title)}</h3>'
        + (f'<pre class="at"><span>{one.line}</span>{escape(one.code)}</pre>' if one.code else "")
        + (f'<pre class="message">{escape(one.message)}</pre>' if one.message else "")
        + "</div>"
        for one in found
    )
