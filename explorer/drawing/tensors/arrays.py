"""A tensor's entries in HTML: tables of squares with the indices along their axes, a histogram, and how a
print is read.


Values are ink, a dash marks a negative one where there is no room for its number; only gradients have a hue. An element
with data-lit belongs to the axis or the entry that it names: pointing at one lights all of the same name.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.tensors.prints import PrintPart
from explorer.analysis.tensors.views import Facet, Histogram, Sheet, sheet
from explorer.drawing.color import Scale, size_of
from explorer.drawing.graph.heat import heat, range_words
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shape_text
from explorer.trace import Number, Value

NUMBERED = 8  # columns up to which a square holds its number
CODE = 8  # px that a character of a number takes
MANY = 10_000_000  # entries beyond which a tensor without entries is too large, not of a strange layout
BAR, TALL = 9, 56  # px of a bar of a histogram, and of its height


def sheet_html(shown: Sheet, scale: Scale | None, lang: str, title: str) -> str:
    """The grids of a tensor, or one sentence instead of what cannot be drawn.

    Args:
        scale: colours a gradient; None: values, in grey.
        title: what a screen reader calls them.
    """
    if not shown.known:
        why = "tensors-too-many" if math.prod(shown.shape) > MANY else "tensors-unread"
        return f'<p class="quiet">{quoted(say(lang, why))}</p>'
    if not shown.facets:
        shape = shape_text(shown.shape)
        return f'<p class="quiet">{quoted(say(lang, "tensors-no-entries", shape=shape))}</p>'
    entries = [entry for facet in shown.facets for row in facet.entries for entry in row]
    top = max((abs(entry) for entry in entries if math.isfinite(abs(entry))), default=0) or 1
    numbered = len(shown.columns) <= NUMBERED or (len(shown.shape) < 2 and len(shown.columns) <= 12)
    texts = [[[_words(entry, scale) for entry in row] for row in facet.entries] for facet in shown.facets]
    longest = max(len(word) for rows in texts for row in rows for word in row)
    side = max(46, round(longest * CODE + 14)) if numbered else 20
    paint = _Paint(scale, top, numbered)
    tables = "".join(_table(shown, facet, rows, paint, title) for facet, rows in zip(shown.facets, texts, strict=True))
    note = "" if shown.whole else f'<p class="range">{quoted(say(lang, "tensors-thinned"))}</p>'
    kind = "values" if scale is None else "gradients"
    return f'<div class="sheet {kind}{" numbered" if numbered else ""}" style="--side:{side}px">{tables}</div>{note}'


def thumbnail(value: Value, lang: str) -> str:
    """A tensor as a few small squares, a scalar as its number."""
    if not value.shape and value.entries:
        return f'<span class="one">{quoted(number(value.entries[0]))}</span>'
    small = sheet(value, (0,) * max(0, len(value.shape) - 2), 1)
    if not small.facets:
        return '<i class="none"></i>'
    return heat(value, None, lang, small=True)


def numbers_html(value: Value, lang: str) -> str:
    """The range of all entries, non-finite ones, and whether the grids show every entry. Empty for a scalar."""
    parts = []
    if value.minimum is not None and value.dtype != "bool" and math.prod(value.shape) > 1:
        parts.append(range_words(value, lang))
    elif value.norm is not None and value.minimum is None:
        parts.append(f"‖·‖ {number(value.norm)}")
    if value.dtype == "bool" and value.data is not None and len(value.data) > 1:
        parts.append(say(lang, "tensors-true", count=sum(map(bool, value.data)), all=len(value.data)))
    if value.nonfinite:
        parts.append(say(lang, "inspect-nonfinite", count=value.nonfinite))
    return f'<p class="range">{quoted(" · ".join(parts))}</p>' if parts else ""


def histogram_html(counts: Histogram, entries: int, lang: str) -> str:
    """The distribution of the entries, as bars; `entries` is their number."""
    top = max(counts.counts)
    bars = "".join(
        f'<rect x="{i * (BAR + 1)}" y="{TALL - height}" width="{BAR}" height="{height}"/>'
        for i, count in enumerate(counts.counts)
        if (height := math.ceil(TALL * count / top))
    )
    wide = len(counts.counts) * (BAR + 1)
    low, high = number(counts.edges[0]), number(counts.edges[-1])
    label = quoted(say(lang, "tensors-histogram-label", low=low, high=high, most=top))
    which = "tensors-histogram" if counts.counted == entries else "tensors-histogram-some"
    values = {"all": entries} if which == "tensors-histogram" else {"all": entries, "count": counts.counted}
    title = quoted(say(lang, which, **values))
    return (
        f'<figure class="histogram"><figcaption>{title}</figcaption>'
        f'<svg width="{wide}" height="{TALL + 1}" viewBox="0 0 {wide} {TALL + 1}" preserveAspectRatio="none" '
        f'role="img" aria-label="{label}">{bars}<path d="M0 {TALL + 0.5}H{wide}"/></svg>'
        f'<div class="ends" style="width:{wide}px"><span>{low}</span><span>{high}</span></div></figure>'
    )


def dots_html(rows: Sequence[tuple[str, Sequence[float], Sequence[float]]], lang: str) -> str:
    """Tensors of few numbers, a row each, on one axis that contains 0.

    Args:
        rows: the name, the finite numbers and those of the gradient, at least one number in all.
    """
    every = [0.0, *(at for _, values, gradients in rows for at in (*values, *gradients))]
    low, high = min(every), max(every)

    def across(at: float) -> str:
        return f"left:{100 * (at / 2 - low / 2) / (high / 2 - low / 2 or 1):.4g}%"

    def dots(numbers: Sequence[float], kind: str) -> str:
        return "".join(f'<i class="is-{kind}" style="{across(at)}"></i>' for at in numbers)

    def written(numbers: Sequence[float], kind: str) -> str:
        return f'<td class="is-{kind}">{quoted(", ".join(number(at, kind == "gradient") for at in numbers))}</td>'

    value, gradient = (quoted(say(lang, f"tensors-dots-{kind}")) for kind in ("value", "gradient"))
    head = f'<tr><td></td><td></td><th scope="col">{value}</th><th scope="col">{gradient}</th></tr>'
    lines = "".join(
        f'<tr><th scope="row">{quoted(name)}</th>'
        f'<td class="track"><u style="{across(0)}"></u>{dots(values, "value")}{dots(gradients, "gradient")}</td>'
        f"{written(values, 'value')}{written(gradients, 'gradient')}</tr>"
        for name, values, gradients in rows
    )
    ends = f'<tr><td></td><td class="ends"><span>{number(low)}</span><span>{number(high)}</span></td></tr>'
    return f'<table class="dots">{head}{lines}{ends}</table>'


def lit(index: tuple[int, ...]) -> str:
    """The name under which an entry is highlighted everywhere."""
    return "e" + ".".join(map(str, index))


@dataclass(frozen=True)
class _Paint:
    """How squares are painted: on a gradient's scale or (None) in grey up to `top`; with numbers or as a dash."""

    scale: Scale | None
    top: float
    numbered: bool


def _table(shown: Sheet, facet: Facet, words: list[list[str]], paint: _Paint, title: str) -> str:
    rank = len(shown.shape)
    place = ", ".join([*map(str, facet.index), "·", "·"])
    caption = f"<caption>[{place}]</caption>" if facet.index else ""
    head = ""
    if rank:
        corner = '<td class="corner"></td>' if shown.rows else ""
        wrapped = rank == 1 and shown.rows
        marks = [f"+{column}" if wrapped else str(column) for column in shown.columns]
        cells = "".join(f'<th scope="col" data-lit="axis{rank - 1}">{mark}</th>' for mark in marks)
        head = f"<tr>{corner}{cells}</tr>"
    body = []
    for i, row in enumerate(facet.entries):
        axis = max(rank - 2, 0)
        begins = f'<th scope="row" data-lit="axis{axis}">{shown.rows[i]}</th>' if shown.rows else ""
        cells = "".join(_cell(entry, words[i][j], shown.index(facet, i, j), paint, rank) for j, entry in enumerate(row))
        body.append(f"<tr>{begins}{cells}</tr>")
    label = quoted(f"{title} [{place}]" if facet.index else title)
    return f'<table aria-label="{label}">{caption}{head}{"".join(body)}</table>'


def _cell(entry: Number, words: str, index: tuple[int, ...], paint: _Paint, rank: int) -> str:
    size = size_of(entry)
    if math.isnan(size) or (paint.scale is not None and math.isinf(size)):
        style = 'class="bad"'
    elif paint.scale is None:
        style = f'class="v" style="--t:{4 + 64 * min(1, abs(size) / paint.top):.0f}%"'
    else:
        share = paint.scale.share(size)
        style = f'class="{"pos" if share > 0 else "neg"}" style="--t:{abs(share) * 100:.0f}%"'
    name = f"[{', '.join(map(str, index))}] = {words}" if rank else words  # digits and marks of ours: nothing to escape
    if paint.numbered:
        mark = words
    elif isinstance(entry, bool):
        mark = "T" if entry else "F"
    else:
        mark = "−" if size < 0 else ""
    return f'<td {style} data-lit="{lit(index)}" title="{name}">{mark}</td>'


def _words(entry: Number, scale: Scale | None) -> str:
    return number(entry, scale is not None)


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
