"""Cell outputs as HTML, and descriptions of errors with their places.

Program text is escaped, and plots are placeholders.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

from msgspec.structs import replace

from explorer.analysis.diagnose.errors.warning_causes import Warned, warned
from explorer.analysis.diagnose.messages import finding_text, limit_text, place_text, refusal_text, skipped_text
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import visible
from explorer.trace import (
    Cell,
    Echo,
    Failure,
    Figure,
    Limit,
    LineNumber,
    Output,
    Printed,
    Refusal,
    Result,
    Skipped,
    TableData,
    Trace,
    ends_cell,
)

MOST_LINES = 2000  # lines of one text on the page
_NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
_PLACE = plain(r" \([^()]*line \d+\)$")


def output_html(
    trace: Trace, cell: int, lang: str, alone: bool, image: Callable[[Figure], str] = lambda figure: ""
) -> str:
    """Render a cell's outputs in order, "" if there are none.

    Args:
        alone: whether it is the only cell, whose problems and plots are shown elsewhere.
    """
    return "".join(_row(line, body) for line, body in _rows(trace, cell, lang, alone, image))


def so_far(trace: Trace, cell: int, count: int, characters: int) -> Trace:
    """Return the Trace with only a cell's first outputs."""
    if cell >= len(trace.cells):
        return trace
    outputs = list(trace.cells[cell].outputs[: count + 1])
    if len(outputs) > count:
        last = outputs.pop()
        if characters > 0 and isinstance(last, Printed):
            outputs.append(replace(last, text=last.text[:characters]))
    cells = list(trace.cells)
    cells[cell] = replace(cells[cell], outputs=outputs)
    return replace(trace, cells=cells)


def _row(line: int, body: str) -> str:
    return f'<div class="row"><span class="no">{line or ""}</span>{body}</div>'


def _rows(
    trace: Trace, number: int, lang: str, alone: bool, image: Callable[[Figure], str]
) -> Iterator[tuple[int, str]]:
    cell = trace.cells[number]
    for place, output in _joined(cell):
        match output:
            case Printed(stream="warning", text=text, span=span):
                yield trace.line(span), "".join(_warning(warned, lang) for warned in warned(text))
            case Printed(stream=stream, text=text):
                yield 0, _text(text, stream)
            case Echo(text=text, table=table):
                yield cell.source.rstrip().count("\n") + 1, _table(table) if table else _text(text, "echo")
            case Result(span=span, text=text, table=table, displayed=True):
                line = trace.spans[span].end_line if span >= 0 else 0
                yield line, _table(table) if table else _text(text, "echo")
            case Skipped(span=span):
                line = trace.line(span)
                yield line, f'<p class="skipped">{escape(visible_lines(skipped_text(lang, output)))}</p>'
            case Figure() if not alone:
                yield 0, f'<div class="figure" data-figure="{number}-{place}">{image(output)}</div>'
            case Limit() if output.folds:
                yield 0, f'<p class="folded">{escape(limit_text(lang, output))}</p>'
            case Failure() | Refusal() | Limit() if not alone:
                words = stop(trace, number, output, lang)
                message = f"<pre>{escape(visible_lines(words.message))}</pre>" if words.message else ""
                yield words.line, f'<div class="error" role="alert"><b>{escape(words.title)}</b>{message}</div>'
            case _:
                pass


def _joined(cell: Cell) -> list[tuple[int, Output]]:
    """Return outputs with their places, consecutive ones of a stream joined."""
    joined: list[tuple[int, Output]] = []
    for stream, run in groupby(enumerate(cell.outputs), key=lambda at: isinstance(at[1], Printed) and at[1].joins):
        together = list(run)
        if stream:
            text = "".join(output.text for _, output in together if isinstance(output, Printed))
            joined.append((together[-1][0], Printed(stream, text)))
        else:
            joined += together
    return joined


def _text(text: str, kind: str) -> str:
    lines = (text if kind == "echo" else as_on_a_terminal(text)).rstrip("\n").split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES // 2], "…", *lines[-MOST_LINES // 2 :]]
    return f'<pre class="{kind}">{escape(visible_lines(chr(10).join(lines)))}</pre>'


def _warning(warned: Warned, lang: str) -> str:
    """Render a warning's explanation with the original text one click away."""
    words = _text(warned.words, "warning")
    if not warned.kind:
        return words
    title, cause, repair = (escape(finding_text(lang, warned, part)) for part in ("title", "cause", "repair"))
    own = f"<details><summary>{escape(say(lang, 'warning-words'))}</summary>{words}</details>"
    return f'<div class="warned"><b>{title}</b><p>{cause}</p><p>{repair}</p>{own}</div>'


def as_on_a_terminal(text: str) -> str:
    r"""Apply carriage returns as a terminal does, overwriting lines.

    >>> as_on_a_terminal("10 %\r100 %\ndone")
    '100 %\ndone'
    """
    return "\n".join(map(_written_over, text.split("\n"))) if "\r" in text else text


def _written_over(line: str) -> str:
    row: list[str] = []
    for part in line.split("\r"):
        row[: len(part)] = part
    return "".join(row)


def visible_lines(text: str) -> str:
    """Replace invisible characters except line ends and tabs."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def _table(table: TableData) -> str:
    head = "".join(f'<th scope="col">{escape(visible(name))}</th>' for name in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(visible(entry))}</td>" for entry in row) + "</tr>" for row in table.rows
    )
    return f'<div class="rows"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


@dataclass(frozen=True)
class Stop:
    """An error, a refusal or a limit.

    Attributes:
        title: description with its place.
        cell: from 0. line: in that cell, from 1, or 0. span: line, column, end line, end column, or ().
        code: text of that line, or "".
        words: description without its place.
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
    """Describe the error, refusal or limit in a cell's output."""
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
    """Return the failed spans of a cell, with the text for the line's end."""
    stops = [stop(trace, cell, output, lang) for output in trace.cells[cell].outputs if ends_cell(output)]
    placed = [(one.span, one.words) for one in stops if one.span and one.cell == cell]
    return [(line, column, end_line, end, words) for (line, column, end_line, end), words in placed]
