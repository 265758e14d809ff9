"""What went wrong in a run, and what the program put out, as HTML for the page. Every text is escaped here."""

from dataclasses import dataclass
from html import escape

from explorer.export import limit_text, refusal_text
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Echo, Failure, Limit, Printed, Refusal, Result, Trace

NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
MOST_LINES = 2000  # of output that the page shows


@dataclass(frozen=True)
class Problem:
    """One reason why a program did not end well.

    Attributes:
        title: what happened, in words, with its line.
        line: of the program, from 1, or 0.
        code: that line's text, or "".
        message: Python's or torch's own words, or "".
    """

    title: str
    line: int
    code: str
    message: str


def problems(result: Trace | Unusable, lang: str) -> list[Problem]:
    """Everything that went wrong, in order."""
    if isinstance(result, Unusable):
        return [
            Problem(say(lang, f"unusable-{result.kind}", **result.values), int(result.values.get("line", 0)), "", "")
        ]
    found = []
    for cell in result.cells:
        for output in cell.outputs:
            if isinstance(output, Failure | Refusal | Limit):
                line = 0 if output.span < 0 else result.spans[output.span].line
                code = cell.source.split("\n")[line - 1] if line else ""
                found.append(_problem(output, line, code.strip(), lang))
    return found


def _problem(output: Failure | Refusal | Limit, line: int, code: str, lang: str) -> Problem:
    match output:
        case Failure(type=kind, text=text):
            stopped, at_line = "problem-stopped", "problem-stopped-at"
            if kind in NOT_PYTHON:
                stopped, at_line = "problem-not-python", "problem-not-python-at"
            words = say(lang, at_line, line=line) if line else say(lang, stopped)
            return Problem(words, line, code, f"{kind}: {text}" if text else kind)
        case Refusal(what=what):
            words = refusal_text(lang, what)
        case Limit():
            words = limit_text(lang, output)
    return Problem(f"{say(lang, 'line', line=line)}: {words}" if line else words, line, code, "")


def problems_html(found: list[Problem], lang: str) -> str:
    """A card per problem, under its heading; an empty place when there is none."""
    if not found:
        return "<div></div>"
    cards = "".join(
        f'<div class="problem" role="alert"><h3>{escape(one.title)}</h3>'
        + (f'<pre class="at"><span>{one.line}</span>{escape(one.code)}</pre>' if one.code else "")
        + (f'<pre class="message">{escape(one.message)}</pre>' if one.message else "")
        + "</div>"
        for one in found
    )
    return f'<h2>{escape(say(lang, "problems"))} <span class="count">{len(found)}</span></h2>{cards}'


def output_html(result: Trace | Unusable, lang: str) -> str:
    """What the program printed and echoed, under its heading."""
    parts = [] if isinstance(result, Unusable) else _pieces(result)
    shown = "".join(parts) or f'<p class="quiet">{escape(say(lang, "no-output"))}</p>'
    return f"<h2>{escape(say(lang, 'output'))}</h2>{shown}"


def _pieces(trace: Trace) -> list[str]:
    pieces: list[tuple[str, str]] = []  # class of the piece and its text; neighbours of one stream are joined
    for cell in trace.cells:
        for output in cell.outputs:
            match output:
                case Printed(stream=stream, text=text) if pieces and pieces[-1][0] == stream:
                    pieces[-1] = (stream, pieces[-1][1] + text)
                case Printed(stream=stream, text=text):
                    pieces.append((stream, text))
                case Echo(text=text) | Result(text=text):
                    pieces.append(("echo", text))
    return [f'<pre class="{kind}">{escape(_bounded(text))}</pre>' for kind, text in pieces]


def _bounded(text: str) -> str:
    lines = text.split("\n", MOST_LINES)
    return "\n".join(lines) if len(lines) <= MOST_LINES else "\n".join([*lines[:MOST_LINES], "…"])
