"""Export a program as a Jupyter notebook with its cells' outputs."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from explorer.analysis.diagnose.messages import limit_text, refusal_text, skipped_text
from explorer.drawing.plots.programs import described, picture_html, plotly_figure
from explorer.program import Program, write_program
from explorer.text import say
from explorer.trace import Echo, Failure, Figure, Limit, Output, Printed, Refusal, Result, Skipped, TableData, Trace

PLOTLY = "application/vnd.plotly.v1+json"  # JupyterLab and VS Code draw this type

Json = dict[str, Any]


@dataclass(frozen=True)
class DrawnProgram:
    """A program's picture. Attributes: cell: the cell above it. words: its description as plain text."""

    cell: int
    svg: str
    words: str


def notebook(program: Program, trace: Trace | None, lang: str, drawn: DrawnProgram | None = None) -> str:
    """Return an .ipynb with outputs from `trace`, a run of this program."""
    cells = trace.own_cells if trace is not None else []
    outputs = [list(_outputs(cell.outputs, number, lang)) for number, cell in enumerate(cells, 1)]
    if drawn is not None:
        outputs += [[] for _ in range(drawn.cell + 1 - len(outputs))]
        shown = {"image/svg+xml": drawn.svg, "text/plain": drawn.words}
        outputs[drawn.cell].append({"output_type": "display_data", "metadata": {}, "data": shown})
    return write_program(program, "ipynb", outputs)


def _outputs(outputs: list[Output], number: int, lang: str) -> Iterator[Json]:
    for output in outputs:
        match output:
            case Printed(stream=stream, text=text):
                yield _stream("stdout" if stream == "stdout" else "stderr", text)
            case Echo(text=text, table=table):
                yield {"output_type": "execute_result", "execution_count": number, **_shown(text, table)}
            case Result(text=text, table=table, displayed=True):
                yield {"output_type": "display_data", **_shown(text, table)}
            case Figure():
                yield {"output_type": "display_data", "metadata": {}, "data": _figure(output, lang)}
            case Skipped():
                yield _stream("stderr", skipped_text(lang, output) + "\n")
            case Limit() if output.folds:
                yield _stream("stderr", limit_text(lang, output) + "\n")
            case Failure(type=kind, text=text):
                yield _error(kind, text)
            case Refusal():
                yield _error("Refused", refusal_text(lang, output))
            case Limit():
                yield _error("Limited", limit_text(lang, output))


def _figure(figure: Figure, lang: str) -> Json:
    """Return a figure in Jupyter's format, SVG as an image."""
    words = {"text/plain": described(figure, lang)}
    match figure.format:
        case "png":
            return {"image/png": b64encode(figure.data).decode(), **words}
        case "svg" | "dot":
            return {"text/html": picture_html(figure, lang), **words}
        case "plotly":
            drawn = plotly_figure(figure)
            return words if drawn is None else {PLOTLY: drawn, **words}
        case _:
            return {"text/plain": say(lang, "figure-of-old-run")}


def _stream(name: str, text: str) -> Json:
    return {"output_type": "stream", "name": name, "text": text}


def _error(kind: str, text: str) -> Json:
    return {"output_type": "error", "ename": kind, "evalue": text, "traceback": [f"{kind}: {text}"]}


def _shown(text: str, table: TableData | None) -> Json:
    return {"metadata": {}, "data": {"text/plain": text} | ({"text/html": _table(table)} if table else {})}


def _table(table: TableData) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(entry)}</td>' for entry in row)}</tr>\n" for row in table.rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"
