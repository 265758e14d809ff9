"""Why and where a cell stopped, in words."""

from dataclasses import dataclass

from explorer.analysis.messages import limit_text, place_text, refusal_text
from explorer.safe_regex import plain
from explorer.text import say
from explorer.trace import Failure, Limit, LineNumber, Refusal, Trace, goes_wrong

_NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
_PLACE = plain(r" \([^()]*line \d+\)$")


@dataclass(frozen=True)
class Stop:
    """An error, a refusal or a limit.

    Attributes:
        title: what happened, in words, with its place.
        cell: from 0; line: in that cell, from 1, or 0; span: line, column, end line, end column, or ().
        code: that line's text, or "".
        words: what happened, without its place.
        message: Python's or torch's message, or "".
    """

    title: str
    cell: int
    line: int
    span: tuple[int, ...]
    code: str
    words: str
    message: str = ""


def stop(trace: Trace, cell: int, output: Failure | Refusal | Limit, lang: str) -> Stop:
    """What one output of a cell says."""
    line, code = 0, ""
    span: tuple[int, ...] = ()
    if output.span >= 0:
        place = trace.spans[output.span]
        cell, line = place.cell, place.line
        span = (place.line, place.column, place.end_line, place.end_column)
        code = trace.cells[cell].lines[line - 1].strip()
    match output:
        case Failure():
            return _failure(trace, Stop("", cell, line, span, code, ""), output, lang)
        case Refusal():
            words = refusal_text(lang, output)
        case Limit():
            words = limit_text(lang, output, trace)
    title = words
    if line:
        where = place_text(trace, cell, line, lang)
        title = f"{where if trace.cells[cell].name else where[0].upper() + where[1:]}: {words}"
    return Stop(title, cell, line, span, code, words)


def _failure(trace: Trace, at: Stop, output: Failure, lang: str) -> Stop:
    many, file, line = len(trace.own_cells) > 1, trace.cells[at.cell].name, at.line
    syntax = output.type in _NOT_PYTHON
    text = _PLACE.sub("", output.text) if syntax else output.text  # the place is given in our own words
    stopped, place = ("problem-not-python", "problem-not-python-at") if syntax else ("problem-stopped", "")
    if not line:
        title = say(lang, "problem-stopped-cell", cell=at.cell + 1) if many and not file else say(lang, stopped)
    elif file:
        title = say(lang, place or "problem-stopped-at", line=LineNumber(line, file))
    elif many:
        title = say(lang, "problem-not-python-in" if syntax else "problem-stopped-in", cell=at.cell + 1, line=line)
    else:
        title = say(lang, place or "problem-stopped-at", line=line)
    message = f"{output.type}: {text}" if text else output.type
    return Stop(title, at.cell, line, at.span, at.code, message, message)


def marks_of_stops(trace: Trace, cell: int, lang: str) -> list[tuple[int, int, int, int, str]]:
    """The places in a cell where something went wrong, with words for the end of the line."""
    stops = [stop(trace, cell, output, lang) for output in trace.cells[cell].outputs if goes_wrong(output)]
    placed = [(one.span, one.words) for one in stops if one.span and one.cell == cell]
    return [(line, column, end_line, end, words) for (line, column, end_line, end), words in placed]
