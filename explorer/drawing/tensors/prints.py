"""How a printed tensor is read, in HTML: torch's own text, its brackets tied to axes and its words explained."""

from explorer.analysis.tensors.prints import PrintPart
from explorer.drawing.marks import quoted
from explorer.drawing.tensors.arrays import lit
from explorer.text import say
from explorer.text.numbers import shape_text

EXPLAINED = ("dtype", "grad_fn", "requires_grad", "device", "size", "layout", "nnz", "indices", "values")


def print_html(parts: tuple[PrintPart, ...], shape: tuple[int, ...], lang: str) -> str:
    """The text of a print and what its marks mean.

    Args:
        shape: of the tensor; a bracket of level k holds shape[k] things.
    """
    text = "".join(_part(part) for part in parts)
    notes = []
    opened = [part.axis for part in parts if part.kind == "open" and part.axis is not None]
    if shape and opened:
        for axis, size in enumerate(shape[: 1 + max(opened)]):
            bracket = f'<code class="mark" data-lit="axis{axis}" tabindex="0">{"[" * (axis + 1)}</code>'
            notes.append((bracket, say(lang, "tensors-print-axis", level=axis + 1, axis=axis, size=size)))
    elif not shape:
        notes.append(("<code>()</code>", say(lang, "tensors-print-scalar")))
    if any(part.kind == "gap" for part in parts):
        notes.append(("<code>...</code>", say(lang, "tensors-print-gap", shape=shape_text(shape))))
    if any(part.text.startswith("Parameter") for part in parts):
        notes.append(("<code>Parameter</code>", say(lang, "tensors-print-parameter")))
    for part in parts:
        if part.kind == "property" and part.name in EXPLAINED:
            mark = f'<code class="mark" data-lit="p-{part.name}" tabindex="0">{part.name}=</code>'
            notes.append((mark, say(lang, f"tensors-print-{part.name.replace('_', '-')}")))
    rows = "".join(f"<dt>{mark}</dt><dd>{quoted(words)}</dd>" for mark, words in notes)
    return f'<div class="print"><pre tabindex="0">{text}</pre><dl>{rows}</dl></div>'


def _part(part: PrintPart) -> str:
    words = quoted_lines(part.text)
    match part.kind:
        case "open" | "close" if part.axis is not None:
            return f'<b class="bracket level{min(part.axis, 5)}" data-lit="axis{part.axis}">{words}</b>'
        case "number" if part.index is not None:
            return f'<span data-lit="{lit(part.index)}">{words}</span>'
        case "property":
            lines = words.split("\n")
            marked = [f'<span class="property" data-lit="p-{part.name}">{line.lstrip()}</span>' for line in lines]
            indents = [line[: len(line) - len(line.lstrip())] for line in lines]
            return "\n".join(indent + line for indent, line in zip(indents, marked, strict=True))
    return words


def quoted_lines(text: str) -> str:
    """Text as HTML holds it, its line ends kept."""
    return "\n".join(quoted(line) for line in text.split("\n"))
