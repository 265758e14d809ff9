"""Tensors as squares with links between results and operands. | `data-at` names a square ("r0.5": entry 5 of result 0,
"o1.2": entry 2 of operand 1), and `data-from` the squares that a result entry reads. Its label shows the numbers,
`data-back` the gradient's.

A large tensor shows its first rows, columns and slices. If only a sample was kept, all tensors with an axis of that
size show the sample's rows and columns.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.analysis.run.operations.call import CallPart
from explorer.drawing.color import Scale, size_of
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shape_text
from explorer.trace import Number, Value, index_at, sample_shape, sample_steps

ROWS, COLUMNS, LINE, SLICES = 8, 10, 16, 4


@dataclass(frozen=True)
class Slice:
    """One grid. Attributes: index: leading axes, () for at most two. rows: places by row."""

    index: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TensorWindow:
    """Drawn part of a tensor. Attributes: slices. notes: omissions as (kind, shown, all, step)."""

    slices: tuple[Slice, ...]
    notes: tuple[tuple[str, int, int, int], ...]

    def places(self) -> list[int]:
        """Return all drawn places."""
        return [place for slice_ in self.slices for row in slice_.rows for place in row]

    def words(self, lang: str) -> str:
        """Write a sentence for each partly drawn axis."""
        said = []
        for kind, shown, whole, step in self.notes:
            message = "operations-more-slices" if kind == "slices" else "operations-more"
            said.append(say(lang, message, what=kind, shown=shown, all=whole, step=step))
        return " ".join(said)


def sampled_shapes(parts: Iterable[CallPart]) -> list[tuple[int, ...]]:
    """Return the shapes of tensors that were only sampled."""
    return [part.shape for part in parts if part.numbers is None and part.value is not None and part.value.sample]


def window(
    shape: tuple[int, ...], collapsed: int | None = None, sampled: Sequence[tuple[int, ...]] = ()
) -> TensorWindow:
    """Select the drawn part of a tensor.

    Args:
        collapsed: reduced axis of a matrix, in whose place a vector is drawn.
        sampled: as in `sampled_shapes`. Axes of equal size are drawn alike, so that products match.

    >>> window((2, 100)).notes
    (('columns', 10, 100, 1),)
    """
    if not shape:
        return TensorWindow((Slice((), ((0,),)),), ())
    grids = [(one[-2:], sample_shape(one), sample_steps(one)) for one in sampled]
    kept = {size: range(0, picks * step, step) for grid in grids for size, picks, step in zip(*grid, strict=True)}
    last = [kept.get(size, range(size)) for size in shape[-2:]]
    if len(shape) == 1:
        line = last[0][: LINE if collapsed is None else COLUMNS if collapsed == 0 else ROWS]
        notes = (("entries", len(line), shape[0], line.step),) if len(line) < shape[0] else ()
        return TensorWindow((Slice((), tuple((at,) for at in line) if collapsed == 1 else (tuple(line),)),), notes)
    *leading, height, width = shape
    rows, columns = last[0][:ROWS], last[1][:COLUMNS]
    slices = math.prod(leading)
    count = min(slices, 1 if any(len(one) > 2 for one in sampled) else SLICES)  # a sample belongs to the first slice
    cuts = [("slices", count, slices, 1), ("rows", len(rows), height, rows.step)]
    cuts.append(("columns", len(columns), width, columns.step))
    drawn = []
    for k in range(count):
        start = k * height * width
        places = tuple(tuple(start + i * width + j for j in columns) for i in rows)
        drawn.append(Slice(index_at(k, leading), places))
    return TensorWindow(tuple(drawn), tuple(cut for cut in cuts if cut[1] < cut[2]))


WIDE = 6  # columns up to which squares are large


@dataclass(frozen=True)
class Label:
    """Texts of a square. Attributes: words: value and origin. reads: names of squares. back: gradient text."""

    words: str
    reads: str = ""
    back: str = ""


@dataclass(frozen=True)
class DrawnTensor:
    """One tensor of the picture.

    Attributes:
        part: the tensor. gradient: its arrived gradient, or None.
        name: prefix of its squares. word: heading. title: for screen readers.
        window: drawn part. labels: of those places.
        uninitialised: whether its memory is uninitialized.
        upright: whether a vector is drawn as a column.
        moment: for a written tensor, whether this is before or after.
        back: heading when its gradient is shown, or "".
        like: a tensor in the same row, whose square width is the minimum.
    """

    part: CallPart
    gradient: Value | None
    name: str
    word: str
    title: str
    window: TensorWindow
    labels: dict[int, Label]
    uninitialised: bool = False
    upright: bool = False
    like: "DrawnTensor | None" = None
    moment: str = ""
    back: str = ""

    @cached_property
    def known(self) -> Mapping[int, Number]:
        """Entries of the drawn places, or of the sample if incomplete."""
        return {} if self.uninitialised else kept_entries(self.part.value, self.places)

    @cached_property
    def given(self) -> Mapping[int, Number]:
        """Gradient entries of the drawn places, in the same way."""
        return kept_entries(self.gradient, self.places)

    @cached_property
    def places(self) -> list[int]:
        """Places of its squares."""
        return self.window.places() if self.part.size else []

    @cached_property
    def characters(self) -> int:
        """Length of the longest number in a square, forward or backward."""
        words = [number(self.known[place]) for place in self.places if place in self.known]
        words += [number(self.given[place], True) for place in self.places if place in self.given]
        return max(map(len, words), default=1)

    @property
    def small(self) -> bool:
        """Return whether its squares are small."""
        return max((len(row) for slice_ in self.window.slices for row in slice_.rows), default=0) > WIDE


def kept_entries(value: Value | None, places: Iterable[int]) -> Mapping[int, Number]:
    """Return recorded entries by place, from the sample if incomplete."""
    if value is None:
        return {}
    if value.data is not None:
        return {place: value.data[place] for place in places}
    grid = zip(sample_shape(value.shape), sample_steps(value.shape), strict=True)
    axes = np.ix_(*(np.arange(count) * step for count, step in grid))
    drawn = np.ravel_multi_index(axes, value.shape[-2:]).ravel().tolist() if value.sample else []
    return dict(zip(drawn, value.sample, strict=True))


def tensor_html(shown: DrawnTensor, single: float, scale: Scale | None, lang: str) -> str:
    """Render a tensor: name, shape, dtype, squares and omissions."""
    part, gradient = shown.part, shown.gradient
    entries = say(lang, "operations-entries", count=part.size)
    word, facts = shown.word, [shown.moment, shape_text(part.shape), entries, part.dtype]
    if part.tensor < 0 and not part.shape:  # a plain number is its own name
        word, facts = "\u00a0", []
    if shown.uninitialised:
        facts.append(say(lang, "operations-uninitialised"))
    numbers = part.numbers if part.numbers is not None else np.array([*shown.known.values()])
    top = (single if part.size == 1 else top_of(numbers)) or 1.0
    leading = [_axis(axis, size, lang) for axis, size in enumerate(part.shape[:-2])] if part.size else []
    axes = f'<p class="op-axis">{quoted(", ".join(leading))}</p>' if leading else ""
    grids = [_grid(shown, slice_, top, scale, lang) for slice_ in (shown.window.slices if part.size else ())]
    notes = [(shown.window.words(lang), "op-cut"), ("" if part.size else "∅", "op-cut")]
    if part.numbers is None and part.value is not None and not shown.uninitialised:
        kept = len(part.value.sample)
        notes.append((say(lang, "operations-kept", what="value", kept=kept, all=part.size), "op-cut"))
    if gradient is not None and gradient.data is None and scale is not None:
        kept = len(gradient.sample)
        notes.append((say(lang, "operations-kept", what="gradient", kept=kept, all=part.size), "op-cut back"))
    paragraphs = "".join(f'<p class="{kind}">{quoted(words)}</p>' for words, kind in notes if words)
    states = (("uninitialised", shown.uninitialised), ("no-gradient", gradient is None))
    classes = " ".join(["op-tensor", *(name for name, holds in states if holds)])
    about = quoted(" · ".join(filter(None, facts)))
    named = f'<code class="forward">{quoted(word)}</code><code class="back">{quoted(shown.back or word)}</code>'
    head = f'<div class="op-name">{named}<span>{about}</span></div>'
    return f'<section class="{classes}">{head}{paragraphs}{axes}<div class="op-slices">{"".join(grids)}</div></section>'


def _grid(shown: DrawnTensor, part: Slice, top: float, scale: Scale | None, lang: str) -> str:
    """Render the squares of one slice, with its axes."""
    rows = []
    for row in part.rows:
        squares = "".join(_square(shown, place, top, scale) for place in row)
        rows.append(f'<div role="row">{squares}</div>')
    shape = shown.part.shape
    index = f'<span class="op-index">[{", ".join([*map(str, part.index), "·", "·"])}]</span>' if part.index else ""
    label = quoted(f"{shown.title} {list(part.index)}" if part.index else shown.title)
    names = [_axis(axis, shape[axis], lang) for axis in range(max(0, len(shape) - 2), len(shape))]
    down, along = names if len(names) == 2 else [*names, ""] if shown.upright else ["", *names] if names else ["", ""]
    marks = f'<span class="op-axis down">{quoted(down)}</span>' if down else ""
    marks += f'<span class="op-axis along">{quoted(along)}</span>' if along else ""
    beside = shown.like or shown
    classes = " ".join(["op-grid", *(["small"] if shown.small or beside.small else []), *_cuts(shown)])
    characters = max(shown.characters, beside.characters)
    about = f'role="grid" aria-label="{label}" style="--chars:{characters}"'
    grid = f'<div class="{classes}" {about}>{"".join(rows)}</div>'
    return f'<div class="op-slice">{index}<div class="op-frame{" axes" if names else ""}">{marks}{grid}</div></div>'


def _cuts(shown: DrawnTensor) -> list[str]:
    """Return the edges where its grids continue and fade."""
    cut = {kind for kind, _, _, step in shown.window.notes if step == 1}
    down = "entries" in cut and shown.upright
    sides = (("cut-down", "rows" in cut or down), ("cut-right", "columns" in cut or ("entries" in cut and not down)))
    return [side for side, holds in sides if holds]


def _axis(axis: int, size: int, lang: str) -> str:
    return say(lang, "operations-axis", axis=axis, size=size)


def _square(shown: DrawnTensor, place: int, top: float, scale: Scale | None) -> str:
    """Render one entry: value, gradient, sources, and both in words."""
    label = shown.labels[place]
    classes, style, value = ["op-cell"], [], "" if shown.uninitialised else "…"
    if place in shown.known:
        entry = shown.known[place]
        size = size_of(entry)
        value = number(entry)
        if math.isnan(size):
            classes.append("nonfinite")
        else:
            style.append(f"--v:{4 + 34 * min(1, abs(size) / top):.0f}%")
    given = ""
    if place in shown.given and scale is not None:
        entry = shown.given[place]
        given = f'<i class="grad">{quoted(number(entry, True))}</i>'
        entry = size_of(entry)  # coloured by size, as in the graph
        if math.isfinite(entry):
            share = scale.share(entry)
            classes.append("pos" if share > 0 else "neg")
            style.append(f"--t:{abs(share) * 100:.0f}%")
        else:
            classes.append("bad")
    reads = f' data-from="{label.reads}"' if label.reads else ""
    back = f' data-back="{quoted(label.back)}"' if label.back else ""
    return (
        f'<span role="gridcell" class="{" ".join(classes)}" style="{";".join(style)}" data-at="{shown.name}.{place}" '
        f'tabindex="-1" aria-label="{quoted(label.words)}"{reads}{back}>'
        f'<i class="val">{quoted(value)}</i>{given}</span>'
    )


def plain_html(part: CallPart, title: str) -> str:
    """Render squares without links."""
    seen, numbers = window(part.shape), part.numbers
    if numbers is None:
        return ""
    words = {place: number(numbers[place].item()) for place in seen.places()}
    rows, top = [], top_of(numbers) or 1.0
    for row in seen.slices[0].rows:
        cells = "".join(
            f'<span role="gridcell" class="op-cell" style="--v:{4 + 34 * abs(numbers[p]) / top:.0f}%">'
            f'<i class="val">{quoted(words[p])}</i></span>'
            for p in row
        )
        rows.append(f'<div role="row">{cells}</div>')
    columns = len(seen.slices[0].rows[0])
    small = "" if columns <= WIDE else " small"
    label = f'role="grid" aria-label="{quoted(title)}" style="--chars:{max(map(len, words.values()), default=1)}"'
    return f'<div class="op-grid{small}" {label}>{"".join(rows)}</div>'


def top_of(numbers: np.ndarray | None) -> float:
    """Return the largest finite magnitude, or 0."""
    if numbers is None or not len(numbers):
        return 0.0
    sizes = np.abs(numbers.astype(complex if numbers.dtype.kind == "c" else float))
    return float(sizes[np.isfinite(sizes)].max(initial=0))
