"""A tensor's entries in HTML: indexed squares and a histogram.

Values are grey, with a dash for a negative one if its number does not fit. Only gradients have a hue. data-lit names an
element's axis or entry, and hovering highlights all elements of that name.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.explain.autograd.gradients import is_hypothetical
from explorer.analysis.views.tensors.views import Facet, Histogram, Sheet, deviation, sheet, written_when
from explorer.drawing.color import Scale, size_of, tint, top_of
from explorer.drawing.graph.heat import heat, range_words
from explorer.drawing.marks import quoted
from explorer.drawing.plots.plotly_look import layout, paints, plot_html
from explorer.text import say
from explorer.text.numbers import are_exact, number, shape_text, shorten
from explorer.trace import Number, Trace, Value

NUMBERED = 8  # columns up to which a square holds its number
CODE = 8  # px that a character of a number takes
Entries = Literal["values", "gradient", "hypothetical"]  # hypothetical: no backward was called
MANY = 10_000_000  # entries beyond which a tensor without entries is too large, not of a strange layout


def sheet_html(shown: Sheet, scale: Scale | None, lang: str, title: str) -> str:
    """Render a tensor's grids, or a sentence if they cannot be drawn."""
    if not shown.known:
        why = "tensors-too-many" if math.prod(shown.shape) > MANY else "tensors-unread"
        return f'<p class="quiet">{quoted(say(lang, why))}</p>'
    if not shown.facets:
        shape = shape_text(shown.shape)
        return f'<p class="quiet">{quoted(say(lang, "tensors-no-entries", shape=shape))}</p>'
    entries = [entry for facet in shown.facets for row in facet.entries for entry in row]
    top = top_of(entries) or 1
    numbered = len(shown.columns) <= NUMBERED or (len(shown.shape) < 2 and len(shown.columns) <= 12)
    exact, signed = are_exact(entries), scale is not None
    texts = [[[number(entry, signed, exact=exact) for entry in row] for row in facet.entries] for facet in shown.facets]
    longest = max(len(word) for rows in texts for row in rows for word in row)
    side = max(46, round(longest * CODE + 14)) if numbered else 20
    paint = _Paint(scale, top, numbered)
    tables = "".join(_table(shown, facet, rows, paint, title) for facet, rows in zip(shown.facets, texts, strict=True))
    note = "" if shown.whole else f'<p class="range">{quoted(say(lang, "tensors-thinned"))}</p>'
    kind = "values" if scale is None else "gradients"
    return f'<div class="sheet {kind}{" numbered" if numbered else ""}" style="--side:{side}px">{tables}</div>{note}'


def thumbnail(value: Value, lang: str) -> str:
    """Render a tensor as a few small squares, or a scalar's number."""
    if not value.shape and value.entries:
        return f'<span class="one">{quoted(number(value.entries[0]))}</span>'
    small = sheet(value, (0,) * max(0, len(value.shape) - 2), 1)
    if not small.facets:
        return '<i class="none"></i>'
    return heat(value, None, lang, small=True)


def numbers_html(value: Value, lang: str, counts: Histogram | None = None) -> str:
    """Render the range and non-finite count of all entries, "" for a scalar.

    Args:
        counts: the histogram above. If it is partial, the text says that the range covers all.
    """
    parts = []
    if value.minimum is not None and value.dtype != "bool" and math.prod(value.shape) > 1:
        parts.append(range_words(value, lang))
    elif value.norm is not None and value.minimum is None:
        parts.append(f"‖·‖ {number(value.norm)}")
    if value.dtype == "bool" and value.data is not None and len(value.data) > 1:
        parts.append(say(lang, "tensors-true", count=sum(map(bool, value.data)), all=len(value.data)))
    if parts and counts is not None and counts.counted + value.nonfinite < math.prod(value.shape) and not value.sampled:
        parts[0] = say(lang, "tensors-histogram-whole", all=math.prod(value.shape), words=parts[0])
    if counts is not None and (spread := deviation(value)) is not None:
        parts.append(f"std {number(spread)}")
    if value.nonfinite:
        parts.append(say(lang, "inspect-nonfinite", count=value.nonfinite))
    return f'<p class="range">{quoted(" · ".join(parts))}</p>' if parts else ""


def origin_html(trace: Trace, backward: int | None, lang: str, row: int) -> str:
    """Describe a gradient's context: missing or stopped backward, or its values."""
    if backward is None:
        return ""
    call = trace.backwards[backward]
    sentences: list[str] = []
    place: dict[str, str | int] = {"code": shorten(trace.text(call.span), 40), "line": trace.line(call.span)}
    if is_hypothetical(trace):
        sentences.append(say(lang, "term-implicit"))
    elif call.span >= 0 and call.status == "failed":
        sentences.append(say(lang, "tensors-gradient-stopped", **place))
    if call.span >= 0 and (when := written_when(trace, row, backward)) != "with":
        sentences.append(say(lang, "tensors-moment", when=when, **place))
    return "".join(f'<p class="range">{quoted(words)}</p>' for words in sentences)


def histogram_html(counts: Histogram, value: Value, of: Entries, dark: bool, lang: str, height: int = 130) -> str:
    """Draw the entries' distribution as bars with counts, coloured by sign for gradients."""
    tokens, edges, is_gradient = paints(dark), np.array(counts.edges), of != "values"
    signs = np.sign(np.sign(edges[:-1]) + np.sign(edges[1:])) * is_gradient
    hues = [tokens.of[("g-neg", "line-2" if is_gradient else "v-max", "g-pos")[int(sign) + 1]] for sign in signs]
    names, hatch = [number(edge) for edge in counts.edges], "/" if of == "hypothetical" else ""
    bars = {
        "type": "bar", "x": (edges[:-1] / 2 + edges[1:] / 2).tolist(), "width": np.diff(edges).tolist(),
        "y": counts.counts, "text": [_short(count) for count in counts.counts],
        "marker": {"color": hues, "line": {"color": tokens.ground, "width": 1}, "pattern": {"shape": hatch}},
        "textposition": "outside", "textangle": 0, "cliponaxis": False, "constraintext": "none",
        "textfont": {"size": 10, "color": tokens.quiet},
        "hovertext": [f"{low} … {high}: {n}" for low, high, n in zip(names, names[1:], counts.counts, strict=False)],
        "hoverinfo": "text",
    }  # fmt: skip
    look = layout(
        tokens, height, margin={"l": 8, "r": 8, "t": 20, "b": 24},
        xaxis={"zeroline": bool(edges[0] < 0 < edges[-1]), "showgrid": False, "nticks": 6},
        yaxis={"visible": False, "fixedrange": True},
    )  # fmt: skip
    label = say(lang, "tensors-histogram-label", low=names[0], high=names[-1], most=max(counts.counts))
    entries = math.prod(value.shape)
    is_part = counts.counted < entries
    title = say(lang, "tensors-histogram", all=entries, count=counts.counted if is_part else "all")
    if counts.zeros:
        title += f" · {say(lang, 'tensors-histogram-zeros', count=counts.zeros)}"
    kinds = (("NaN", value.nans), ("±∞", value.nonfinite - value.nans))
    missing = "".join(f'<b class="bad">{kind} × {count}</b>' for kind, count in kinds if count)
    note = ' class="is-part"' if is_part else ""
    return (
        f'<figure class="histogram"><figcaption{note}>{quoted(title)}{missing}</figcaption>'
        f"{plot_html({'data': [bars], 'layout': look}, label)}</figure>"
    )


def _short(count: int) -> str:
    """Write a count in at most four characters, to fit above a bar.

    >>> _short(0), _short(999), _short(1260), _short(25_000)
    ('', '999', '1.3k', '25k')
    """
    if not count:
        return ""
    return str(count) if count < 1000 else f"{count / 1000:.2g}k" if count < 99_500 else f"{count // 1000}k"


def lit(index: tuple[int, ...]) -> str:
    """Return the name under which an entry is highlighted everywhere."""
    return "e" + ".".join(map(str, index))


@dataclass(frozen=True)
class _Paint:
    """How to paint squares: gradient scale or grey up to `top`, numbers or a dash."""

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
    name = f"[{', '.join(map(str, index))}] = {words}" if rank else words  # digits and marks of ours: nothing to escape
    if paint.numbered:
        mark = words
    elif isinstance(entry, bool):
        mark = "T" if entry else "F"
    else:
        mark = "−" if size_of(entry) < 0 else ""
    return f'<td {tint(entry, paint.scale, paint.top)} data-lit="{lit(index)}" title="{name}">{mark}</td>'
