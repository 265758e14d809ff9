"""Cells and their outputs as JSON: prints, errors with their repairs, figures; and diagnoses."""

from base64 import b64encode
from collections.abc import Callable
from typing import Literal

from explorer.analysis.errors.warning_causes import warned
from explorer.analysis.findings import Finding
from explorer.analysis.messages import finding_plain, limit_text, proof_text, refusal_text, skipped_text, told_text
from explorer.io.json_values import Json, JsonContext, optional_index
from explorer.trace import Cell, Echo, Failure, Figure, Limit, Output, Printed, Refusal, Result, Skipped
from explorer.workers.explanations import Explanations

_PARTS: tuple[Literal["cause", "repair"], ...] = ("cause", "repair")
MOST_MENDED = 4_000_000  # characters of repaired files; later errors have no repaired_source


class CellWriter:
    """Writes cells and diagnoses.

    Args:
        file: returns the program's file with the text of one cell replaced.
        explanations: of the program's errors.
    """

    def __init__(self, context: JsonContext, file: Callable[[int, str], str], explanations: Explanations) -> None:
        self._context, self._file, self._explanations = context, file, explanations
        self._written = 0  # characters of repaired files

    def cell(self, i: int, cell: Cell) -> dict[str, Json]:
        """One cell with its outputs."""
        named = {"name": cell.name} if cell.name else {}
        return {**named, "source": cell.source, "outputs": [self._output(i, output) for output in cell.outputs]}

    def _output(self, cell: int, output: Output) -> dict[str, Json]:
        lang, span_of = self._context.lang, self._context.span
        match output:
            case Printed(stream="warning", text=text, span=span):
                explained = [warning for warning in warned(text) if warning.kind]
                parts = [(part, [told_text(lang, warning, part) for warning in explained]) for part in _PARTS]
                explanations: dict[str, Json] = {part: "\n".join(texts) or None for part, texts in parts}
                return {"kind": "warning", "text": text, **explanations, "span": span_of(span)}
            case Printed(stream=stream, text=text):
                return {"kind": stream, "text": text}
            case Echo(text=text, table=table):
                shown = table and {"columns": table.columns, "rows": table.rows, "total": table.total}
                return {"kind": "echo", "text": text, "table": shown}
            case Result(span=span, text=text, displayed=displayed):
                return {"kind": "result", "span": span_of(span), "text": text, "displayed": displayed}
            case Failure():
                return self._error(cell, output)
            case Figure():
                return _figure(output)
            case Refusal(span=span):
                return {"kind": "refusal", "text": refusal_text(lang, output), "span": span_of(span)}
            case Skipped(span=span):
                return {"kind": "warning", "text": skipped_text(lang, output) + "\n", "span": span_of(span)}
            case Limit(span=span):
                return {"kind": "limit", "text": limit_text(lang, output, self._context.trace), "span": span_of(span)}

    def _error(self, cell: int, failure: Failure) -> dict[str, Json]:
        """One error, with its cause and a repair if they are known."""
        context = self._context
        explanation = self._explanations.of(context.trace, cell, failure)
        return {
            "kind": "error",
            "type": failure.type,
            "text": failure.text,
            "cell": cell if failure.span < 0 else context.trace.spans[failure.span].cell,
            "span": context.span(failure.span),
            "frames": [context.place(frame) for frame in failure.frames],
            "cause": explanation and told_text(context.lang, explanation, "cause"),
            "repair": explanation and told_text(context.lang, explanation, "repair"),
            **self._repaired(explanation),
        }

    def _repaired(self, finding: Finding | None) -> dict[str, Json]:
        """The whole file after the offered repair, until such files have MOST_MENDED characters, and its effect."""
        repair, text = finding and finding.offered, None
        if repair and self._written <= MOST_MENDED:
            is_own = repair.cell < len(self._context.trace.own_cells)
            text = self._file(repair.cell, repair.source) if is_own else repair.source
            self._written += len(text)
        return {"repaired_source": text, "proof": (finding and proof_text(self._context.lang, finding)) or None}

    def diagnosis(self, finding: Finding) -> dict[str, Json]:
        """One bug that raised nothing, with its repair."""
        return {
            **finding_plain(finding, self._context.lang),
            "node": optional_index(finding.node),
            "tensor": optional_index(finding.tensor),
            **self._repaired(finding),
        }


def _figure(figure: Figure) -> dict[str, Json]:
    """A figure: its text, or of a PNG the bytes in base64."""
    text = figure.format in ("svg", "plotly")
    data = figure.data.decode() if text else b64encode(figure.data).decode()
    size: dict[str, Json] = {"width": figure.width or None, "height": figure.height or None}
    return {"kind": "figure", "format": figure.format or None, **size, "alt": figure.alt, "data": data}
