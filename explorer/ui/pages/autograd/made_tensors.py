"""A table of a cell's tensors, for a cell without autograd."""

from explorer.analysis.autograd.cells import made_tensors
from explorer.drawing.tables import in_words
from explorer.text import say
from explorer.text.numbers import sizes
from explorer.trace import Trace
from explorer.ui.components.tables import table_html


def tensors_html(trace: Trace, cell: int, lang: str) -> str:
    """A table of name, line, shape, type and value, "" if the cell made no tensor."""
    rows = [
        {
            say(lang, "tensor-name"): made.name,
            say(lang, "table-line"): str(made.line),
            say(lang, "table-shape"): sizes(tuple(trace.shapes[trace.tensors.shape[made.tensor]])),
            say(lang, "tensor-type"): trace.string(trace.tensors.dtype[made.tensor]) or "",
            say(lang, "graph-value"): in_words(trace.value(trace.versions.value[made.version]), False),
        }
        for made in made_tensors(trace, cell)
    ]
    if not rows:
        return ""
    return f'<div class="made">{table_html(say(lang, "tensors-made", cell=cell + 1), rows)}</div>'
