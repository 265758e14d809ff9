"""A typed operation as a program with its imports, and its Trace without their lines."""

import msgspec

from explorer.safe_regex import plain
from explorer.trace import Cell, Span, Trace

PRELUDE = "import torch\nimport torch.nn.functional as F\n"
_IMPORTS = plain(r"(?m)^import torch\b")
_LINES = PRELUDE.count("\n")


def typed_program(text: str) -> str:
    """The program for a typed text; one that imports torch itself stays unchanged."""
    return text if _IMPORTS.search(text) else PRELUDE + text


def as_typed(trace: Trace) -> Trace:
    """The Trace of such a program, with text and places as typed."""
    if not trace.cells or not trace.cells[0].source.startswith(PRELUDE):
        return trace
    first, *others = trace.cells
    shown = Cell(first.source[len(PRELUDE) :], first.outputs, first.first_line)
    spans = [_moved(span) if span.cell == 0 else span for span in trace.spans]
    return msgspec.structs.replace(trace, cells=[shown, *others], spans=spans)


def _moved(span: Span) -> Span:
    """A place moved up by the lines of the imports; a place in the imports becomes the beginning."""
    if span.line <= _LINES:
        return Span(span.cell, 1, 0, 1, 0)
    return Span(span.cell, span.line - _LINES, span.column, span.end_line - _LINES, span.end_column)
