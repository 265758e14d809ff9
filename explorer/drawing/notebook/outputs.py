"""Outputs of cells as HTML. Every text of the program is escaped here; plots are empty places."""

from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby

from msgspec.structs import replace

from explorer.analysis.errors.warning_causes import Warned, warned
from explorer.analysis.messages import limit_text, skipped_text, told_text
from explorer.drawing.notebook.stops import stop
from explorer.text import say
from explorer.text.numbers import visible
from explorer.trace import (
    Cell,
    Echo,
    Failure,
    Figure,
    Limit,
    Output,
    Printed,
    Refusal,
    Result,
    Skipped,
    TableData,
    Trace,
)

MOST_LINES = 2000  # of one text on the page


def output_html(
    trace: Trace, cell: int, lang: str, alone: bool, image: Callable[[Figure], str] = lambda figure: ""
) -> str:
    """The outputs of a cell in their order, "" when there are none.

    Args:
        alone: whether it is the only cell: then its problems and plots are shown elsewhere.
        image: HTML of a plot.
    """
    return "".join(_row(line, body) for line, body in _rows(trace, cell, lang, alone, image))


def so_far(trace: Trace, cell: int, count: int, characters: int) -> Trace:
    """The Trace with only the first outputs of a cell, and so many characters of the next one."""
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


def figures(trace: Trace) -> list[tuple[int, int, Figure]]:
    """The plots of a run: cell, index among its outputs, data."""
    return [
        (number, place, output)
        for number, cell in enumerate(trace.cells)
        for place, output in enumerate(cell.outputs)
        if isinstance(output, Figure)
    ]


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
    """The outputs with their places, consecutive ones of one stream joined. Each text is copied once."""
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
    """The explanation of a warning, its original text one click away; an unknown warning unchanged."""
    words = _text(warned.words, "warning")
    if not warned.kind:
        return words
    title, cause, repair = (escape(told_text(lang, warned, part)) for part in ("title", "cause", "repair"))
    own = f"<details><summary>{escape(say(lang, 'warning-words'))}</summary>{words}</details>"
    return f'<div class="warned"><b>{title}</b><p>{cause}</p><p>{repair}</p>{own}</div>'


def as_on_a_terminal(text: str) -> str:
    """The text as a terminal shows it: after a carriage return a line is overwritten.

    >>> as_on_a_terminal("10 %\\r100 %\\ndone")
    '100 %\\ndone'
    """
    return "\n".join(map(_written_over, text.split("\n"))) if "\r" in text else text


def _written_over(line: str) -> str:
    row: list[str] = []
    for part in line.split("\r"):
        row[: len(part)] = part
    return "".join(row)


def visible_lines(text: str) -> str:
    """The text with line ends and tabs kept, and other invisible characters replaced."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def _table(table: TableData) -> str:
    head = "".join(f'<th scope="col">{escape(visible(name))}</th>' for name in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(visible(entry))}</td>" for entry in row) + "</tr>" for row in table.rows
    )
    return f'<div class="rows"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
