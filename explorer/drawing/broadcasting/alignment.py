"""Draw alignment, repeated reads and gradient sums as HTML."""

import math
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from explorer.analysis.views.broadcasting.alignment import Alignment, AxisColumn, Shape, readers, reads, sources
from explorer.analysis.views.broadcasting.operation import Broadcast, BroadcastLine, BroadcastOperand
from explorer.analysis.views.broadcasting.question import operation_text
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import MINUS, number, shorten, sizes
from explorer.trace import Number

WORD = 22  # cells of an operand's name
MOST_TERMS = 6  # most terms of a sum written out


def word(name: str) -> str:
    """Return an operand's name for pictures and sentences."""
    return shorten(name, WORD)


def result_word(broadcast: Broadcast) -> str:
    """Return the result's name, otherwise its expression."""
    return broadcast.result or shorten(broadcast.expression, WORD)


def dim_text(dim: int) -> str:
    """Write −1 for the last axis, with a proper minus."""
    return f"{MINUS}{-dim}"


def alignment_html(alignment: Alignment, names: tuple[str, ...], result: str, lang: str) -> str:
    """Render the alignment table: axes as columns, operands and result as rows, clashes marked."""
    columns = alignment.columns
    head = "".join(
        f'<th scope="col">{quoted(say(lang, "bc-axis", dim=dim_text(column.dim)))}</th>' for column in columns
    )
    rows = []
    for operand, name in enumerate(names):
        cells = "".join(_size_cell(column, operand, lang) for column in columns)
        note = f'<td class="scalar">{quoted(say(lang, "bc-scalar"))}</td>' if not columns else ""
        rows.append(f'<tr><th scope="row">{quoted(word(name))}</th>{cells}{note}</tr>')
    last = "".join(
        f'<td class="res">{column.size}</td>'
        if column.size is not None
        else f'<td class="clash" aria-label="{quoted(say(lang, "bc-clash-cell"))}">✕</td>'
        for column in columns
    ) or '<td class="res">()</td>'  # fmt: skip
    rows.append(f'<tr class="out"><th scope="row">{quoted(shorten(result, 18))}</th>{last}</tr>')
    label = quoted(say(lang, "bc-table"))
    return (
        f'<div class="bc-align" role="region" tabindex="0" aria-label="{label}"><table>'
        f"<thead><tr><td class='corner'></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def rules_html(broadcast: Broadcast, at: Shape | None, lang: str) -> str:
    """Describe for each operand how often it was read, and its gradient."""
    rules = "".join(f"<li>{_rule(broadcast, operand, at, lang)}</li>" for operand in range(len(broadcast.parts)))
    loss = ""
    if broadcast.loss is not None:
        sentence = say(
            lang, "bc-loss", loss=f"\x01loss = {broadcast.result}.mean() = {number(broadcast.loss, digits=5)}\x02"
        )
        loss = f"<li>{_code(sentence)}</li>"
    return f'<ul class="bc-rules">{rules}{loss}</ul>'


def entry_text(name: str, index: Shape) -> str:
    """Write the name of one entry.

    >>> entry_text("a", (1, 0)), entry_text("x", ()), entry_text("a - b", (0,))
    ('a[1, 0]', 'x', '(a - b)[0]')
    """
    shown = f"({name})" if " " in name and index else name
    return f"{shown}[{', '.join(map(str, index))}]" if index else shown


def forward_html(broadcast: Broadcast, at: Shape, lang: str) -> str:
    """Write how an entry was computed: c[1, 2] = a[1, 0] + b[0, 2]."""
    entries = [entry_text(word(part.name), sources(at, part.shape)) for part in broadcast.parts]
    whole = entry_text(result_word(broadcast), at)
    numbers = [
        None if part.values is None else _plain(part.values[sources(at, part.shape)]) for part in broadcast.parts
    ]
    value = None if broadcast.values is None else number(broadcast.values[at].item())
    if broadcast.operator:
        sides = [whole, operation_text(broadcast.operator, tuple(entries))]
        if value is not None and None not in numbers:
            sides += [operation_text(broadcast.operator, tuple(numbers)), value]
        return f"<code>{quoted(' = '.join(sides))}</code>"
    terms = ", ".join(
        entry if held is None else f"{entry} = {held}" for entry, held in zip(entries, numbers, strict=True)
    )
    if value is not None:
        whole = f"{whole} = {value}"
    return _code(say(lang, "bc-read-from", entry=f"\x01{whole}\x02", sources=f"\x01{terms}\x02"))


def sum_html(broadcast: Broadcast, operand: int, entry: Shape, lang: str) -> str:
    """Write a.grad[1, 0] = 1 + 1 = +2, "" without a gradient."""
    part = broadcast.parts[operand]
    if part.gradient is None:
        return ""
    gradient = number(part.gradient[entry].item(), True)
    left = entry_text(gradient_name(part), entry)
    if part.given is None or broadcast.upstream is None or not part.given.size:
        return f"<code>{quoted(left)} = <b>{quoted(gradient)}</b></code>"
    return f"<code>{quoted(left)} = {quoted(_sum(broadcast, part, entry, lang))}<b>{quoted(gradient)}</b></code>"


def gradient_name(part: BroadcastOperand) -> str:
    """Return a.grad if this operation caused all of it, otherwise its share: ∂a."""
    name = word(part.name)
    if part.stored:
        return f"({name}).grad" if " " in name else f"{name}.grad"
    return f"∂({name})" if " " in name else f"∂{name}"


def place_text(place: BroadcastLine, many: bool, lang: str) -> str:
    """Describe an operation for a list: place, text, shapes."""
    shapes = ", ".join(map(sizes, place.shapes))
    result = sizes(place.result) if place.result is not None else say(lang, "bc-clashes")
    where = say(lang, "place", cell=place.cell + 1, line=place.line) if many else say(lang, "line", line=place.line)
    times = f" ×{place.count}" if place.count > 1 else ""
    return f"{where} · {shorten(place.text, 36)}{times} · {shapes} → {result}"


def _size_cell(column: AxisColumn, operand: int, lang: str) -> str:
    size = column.sizes[operand]
    shown = "1" if size is None else str(size)
    kind = "pad" if size is None else ""
    if column.size is None:
        return f'<td class="{"" if size in (None, 1) else "clash"} {kind}">{shown}</td>'
    if column.stretched(operand):
        title = quoted(say(lang, "bc-stretched", count=column.size))
        return f'<td class="st {kind}" title="{title}">{shown} <span>→ {column.size}</span></td>'
    return f'<td class="{kind}">{shown}</td>'


def _rule(broadcast: Broadcast, operand: int, at: Shape | None, lang: str) -> str:
    part, alignment = broadcast.parts[operand], broadcast.alignment
    name = f"\x01{word(part.name)}\x02"
    stretches = alignment.stretches(operand)
    count = reads(alignment, operand)
    dims = " · ".join(say(lang, "bc-along", count=column.size, dim=dim_text(column.dim)) for column in stretches)
    if 0 in part.shape:
        sentence = say(lang, "bc-read-nothing", name=name)
    elif not stretches:
        sentence = say(lang, "bc-read-once", name=name)
    elif len(stretches) == 1:
        sentence = say(lang, "bc-read", name=name, count=count, dim=dim_text(stretches[0].dim))
    else:
        sentence = say(lang, "bc-read-along", name=name, count=count, dims=dims)
    return f"{_code(sentence)} {_back(broadcast, operand, at, lang)}"


def _back(broadcast: Broadcast, operand: int, at: Shape | None, lang: str) -> str:
    """Describe an operand's gradient, or return ""."""
    part = broadcast.parts[operand]
    if part.gradient is None:
        return "" if broadcast.upstream is None else quoted(say(lang, "bc-no-gradient"))
    if not part.gradient.size:
        return ""
    entry = sources(at, part.shape) if at is not None else (0,) * len(part.shape)
    same = part.given is not None and part.gradient.size > 1 and _all_equal(part.gradient) and _all_equal(part.given)
    if same and broadcast.operator in ("add", "sub"):
        every = say(lang, "bc-every", grad=f"\x01{gradient_name(part)}\x02")
        total = f"{_sum(broadcast, part, entry, lang)}{number(part.gradient[entry].item(), True)}"
        return f"{_code(every)} <b>{quoted(total)}</b>"
    return sum_html(broadcast, operand, entry, lang)


def _sum(broadcast: Broadcast, part: BroadcastOperand, entry: Shape, lang: str) -> str:
    """Write an entry's gradient terms, "" for a lone term."""
    plain, upstream, local, given = part.plain, broadcast.upstream, part.local, part.given
    first = list(islice(readers(entry, part.shape, upstream.shape), MOST_TERMS))
    count = upstream.size // part.gradient.size
    shown = [_plain(given[at]) if plain else f"{_plain(upstream[at])} · {_plain(local[at])}" for at in first]
    if plain and shown[0].startswith("("):
        shown[0] = shown[0][1:-1]
    if plain and count == 1:
        return ""
    more = f" + … ({say(lang, 'bc-terms', count=count)})" if count > len(first) else ""
    return f"{' + '.join(shown)}{more} = "


def _all_equal(array: np.ndarray) -> bool:
    return array.size > 0 and bool((array == array.flat[0]).all())


def _plain(value: Number | np.generic) -> str:
    """Write a number in a formula, with brackets if negative."""
    text = number(value.item() if isinstance(value, np.generic) else value)
    return f"({text})" if text.startswith(MINUS) else text


def _code(sentence: str) -> str:
    r"""Convert a sentence to HTML, with code between the marks \x01 and \x02."""
    out, rest = [], sentence
    while "\x01" in rest:
        before, _, rest = rest.partition("\x01")
        inside, _, rest = rest.partition("\x02")
        out.append(f"{quoted(before)}<code>{quoted(inside)}</code>")
    return "".join([*out, quoted(rest)])


MOST = 12  # rows of a grid
WIDE = 36  # total columns of adjacent grids, and at least 3 of each


@dataclass(frozen=True)
class ResultWindow:
    """The shown part of a result.

    Attributes:
        shape: shape of the result. at: the chosen entry.
        lead: fixed index along the leading axes.
        rows, columns: ranges of the last two axes (one row for a vector, one cell for a scalar).
        steps: number of indices shown at once for each partly shown axis, otherwise 0.
    """

    shape: Shape
    at: Shape
    lead: Shape
    rows: range
    columns: range
    steps: Shape

    def index(self, row: int, column: int) -> Shape:
        """Return the result entry in one cell."""
        return (*self.lead, row, column)[-len(self.shape) :] if self.shape else ()

    @property
    def entries(self) -> tuple[Shape, ...]:
        """All of them, row by row."""
        return tuple(self.index(row, column) for row, column in product(self.rows, self.columns))

    @property
    def slice_text(self) -> str:
        """The slice for more than two axes: [3, 2, :, :]."""
        return f"[{', '.join(map(str, self.lead))}, :, :]" if self.lead else ""


def window_of(shape: Shape, at: Shape | None, operands: int = 2) -> ResultWindow:
    """Return the part of a result around an entry, or its beginning.

    >>> window_of((3, 30), (2, 13)).columns
    range(12, 24)
    """
    if at is None or len(at) != len(shape) or any(not 0 <= i < size for i, size in zip(at, shape, strict=True)):
        at = (0,) * len(shape)
    wide = max(3, WIDE // (operands + 1))
    rows, columns = _page(at, shape, -2, MOST), _page(at, shape, -1, wide)
    most = {-1: wide, -2: MOST}
    steps = tuple(most.get(axis - len(shape), 1) for axis in range(len(shape)))
    steps = tuple(step if size > step else 0 for step, size in zip(steps, shape, strict=True))
    return ResultWindow(shape, at, at[:-2], rows, columns, steps)


def sliders_html(window: ResultWindow, lang: str) -> str:
    """Render a slider for each partly shown axis, "" if everything is shown."""
    if not window.entries or not any(window.steps):
        return ""
    out = [_slider(window, axis, step, lang) for axis, step in enumerate(window.steps) if step]
    sentence = say(lang, "bc-part", shown=len(window.entries), count=math.prod(window.shape))
    return f"<p>{quoted(sentence)}</p>{''.join(out)}"


def _slider(window: ResultWindow, axis: int, step: int, lang: str) -> str:
    size, start = window.shape[axis], window.at[axis] // step * step
    shown = str(start) if step == 1 else f"{start}–{min(size, start + step) - 1}"
    label = quoted(say(lang, "bc-axis", dim=dim_text(axis - len(window.shape))))
    return (
        f'<label>{label} <input type="range" min="0" max="{(size - 1) // step * step}" step="{step}" '
        f'value="{start}" data-axis="{axis}" aria-valuetext="{shown}"><output>{shown}</output> / {size}</label>'
    )


def _page(at: Shape, shape: Shape, axis: int, most: int) -> range:
    if len(shape) < -axis:
        return range(1)
    start = at[axis] // most * most
    return range(start, min(shape[axis], start + most))
