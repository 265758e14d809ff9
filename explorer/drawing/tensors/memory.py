"""Draw storages as SVG strips with their views.

Tables in HTML show the effects of lines on objects, storages and version counters.
"""

import math
from collections.abc import Mapping, Sequence

from explorer.analysis.views.tensors.memory import Sharing, StorageMap, StoredView
from explorer.analysis.views.tensors.program_lines import ProgramLine
from explorer.analysis.views.tensors.tensor_list import Write
from explorer.drawing.marks import quoted, rect, text
from explorer.drawing.tensors.tensor_list import line_word, where
from explorer.text import joined, say
from explorer.text.numbers import fitted, number, shape_text, shorten, sizes

CELLS = 44  # drawn cells of a storage; longer ones are cut
ROWS = 10  # views drawn per storage
LABELS = 168  # px left of the cells
ROOM = 520  # px for the cells, wide enough for their numbers
STRIP, ROW, GAP = 30, 24, 16  # px: heights of the strip's and of a view's cells, gap between views
ARC = 18  # px that the arrow of one axis takes above its row
WORD = 90  # px that the words of an arrow take
AXES = 3  # axes with an arrow
NONE_LIT: Mapping[int, str] = {}
MOST = 80  # rows of a table
LISTED = 5  # names
TEXT = 40  # cells of an expression
WRITES = ("line", "expression", "what", "object", "storage-column", "version")  # columns
SHARING = ("line", "expression", "what", "shares", "tracked", "counter")


def storage_svg(shown: StorageMap, lang: str, focus: int = -1, lit: Mapping[int, str] = NONE_LIT) -> str:
    """Draw the strip of a storage."""
    count = min(shown.cells, CELLS)
    width = max(42 if count <= 24 else 23, min(62, ROOM // max(count, 1)))
    views = shown.views[:ROWS]
    arcs = [_axes(view) for view in views]
    heights = [ROW + GAP + max(ARC * len(axes), 6) for axes in arcs]
    top = 18
    tall = top + STRIP + sum(heights) + 8
    wide = LABELS + count * width + (16 if count > 4 else WORD)
    title = quoted(say(lang, "memory-strip", names=", ".join(view.label for view in shown.views)))
    out = [
        f'<svg class="storage" width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}" role="group" '
        f'aria-label="{title}"><defs><marker id="step{shown.number}" viewBox="0 0 6 6" refX="5" refY="3" '
        'markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 6 3 0 6z" class="tip"/></marker></defs>'
    ]
    out.append(text(0, top + STRIP / 2 + 4, say(lang, "memory-storage"), "row-name"))
    for cell in range(count):
        out.append(_stored(shown, cell, LABELS + cell * width, top, width))
    y = top + STRIP
    for view, axes, height in zip(views, arcs, heights, strict=True):
        top_of_row, marked = y + height - ROW - ARC * len(axes), view.tensor == focus >= 0
        out.append(_view(shown, view, axes, top_of_row, width, count, lang, marked, lit.get(view.tensor, "")))
        y += height
    notes = []
    if shown.cells > count:
        notes.append(say(lang, "memory-cut", shown=count, all=shown.cells))
    if len(shown.views) > ROWS:
        notes.append(say(lang, "memory-views-cut", count=len(shown.views) - ROWS))
    if any(view.size > shown.unit for view in views):
        notes.append(say(lang, "memory-unit", bytes=shown.unit))
    below = f'<p class="range">{quoted(" ".join(notes))}</p>' if notes else ""
    return f'<div class="strip" role="region" aria-label="{title}" tabindex="0">{"".join(out)}</svg></div>{below}'


def alone_html(maps: tuple[StorageMap, ...], lang: str) -> str:
    """List the tensors that don't share their storage, or return ""."""
    names = [shorten(map_.views[0].label, 40) for map_ in maps if len(map_.views) == 1 and map_.views[0].named]
    if not names:
        return ""
    words = "".join(f"<code>{quoted(name)}</code> " for name in names[:60])
    return f'<p class="alone"><span>{quoted(say(lang, "memory-alone", count=len(names)))}</span> {words}</p>'


def _stored(shown: StorageMap, cell: int, x: float, y: float, width: int) -> str:
    value = shown.values.get(cell)
    words = "" if value is None or width < 30 else fitted(value, int((width - 4) / (0.6 * 9.5)))
    size = min(12.5, (width - 4) / (0.6 * max(len(words), 1)))
    bad = isinstance(value, float) and math.isnan(value)
    kind = "bad" if bad else "known" if value is not None else "unknown"
    label = quoted(f"[{cell}]" + (f" = {number(value)}" if value is not None else ""))
    index = text(x + width / 2, y - 5, str(cell), "cell-no", "middle") if width >= 30 or not cell % 4 else ""
    box = rect(x + 1, y, width - 2, STRIP, 'class="box"', 3)
    word = text(x + width / 2, y + STRIP / 2 + 4, words, "word", "middle", round(size, 1)) if words else ""
    return f'<g class="stored {kind}" data-lit="s{shown.number}-{cell}"><title>{label}</title>{box}{word}</g>{index}'


def _view(
    shown: StorageMap, view: StoredView, axes: list, y: float, width: int, count: int, lang: str, focus: bool, lit: str
) -> str:
    """Draw a view's name, its stride arrows, and its entries below their cells."""
    ratio = view.size // shown.unit
    row = y + ARC * len(axes)
    in_cell: dict[int, list[int]] = {}
    for entry, place in enumerate(view.places):
        in_cell.setdefault(place, []).append(entry)
    shape, stride = shorten(sizes(view.shape), 14), shorten(sizes(view.stride), 16)
    about = say(lang, "memory-stride", stride=stride)
    if view.offset:
        about += f" · {say(lang, 'memory-offset', offset=view.offset)}"
    order = say(lang, "tensors-fact.contiguous" if view.contiguous else "memory-not-contiguous")
    kind = say(lang, "memory-array") if view.kind == "array" else order
    name = f"{shorten(view.label, max(6, 20 - len(shape)))} {shape}"
    spoken = quoted(f"{view.label[:80]}, {shape_text(view.shape) or '()'}, {about}, {kind}")
    classes = f"stored-view {view.kind}{' focus' if focus else ''}{'' if view.living else ' past'}"
    of = f' data-lit="{lit}" data-of="{lit}"' if lit else ""
    out = [f'<g class="{classes}" role="img" aria-label="{spoken}"{of}>']
    past = [say(lang, "memory-past")] if view.named and not view.living else []
    if view.kind == "array":
        about = " · ".join([kind, *(past or [about])])
    elif axes and (above := [*([order] if not view.contiguous else []), *past]):
        out += [text(0, row - 7 - 13 * line, words, "row-about") for line, words in enumerate(reversed(above))]
    out += [text(0, row + 8, name, "row-name"), text(0, row + 22, about, "row-about")]
    for level, (axis, start, end) in enumerate(axes):
        if end * ratio < count:
            a, b = (LABELS + (place * ratio + ratio / 2) * width for place in (start, end))
            out.append(_arc(a, b, row - 6 - ARC * level, row - 2, shown.number))
            word = say(lang, "memory-step", axis=axis, step=view.stride[axis])
            out.append(text(b + 6, row - 6 - ARC * level + 1, word, "step-word"))
    for place, entries in in_cell.items():
        if place + ratio > count:
            continue
        index = ",".join(map(str, view.index(entries[0]))) or "()"
        words = f"×{len(entries)}" if len(entries) > 1 else index
        x, wide = LABELS + place * width, width * ratio
        names = " ".join(f"s{shown.number}-{place + k}" for k in range(ratio))
        entry_texts = quoted(
            " = ".join(f"{view.label[:40]}[{', '.join(map(str, view.index(e)))}]" for e in entries[:6])
        )
        size = min(11, (wide - 4) / (0.6 * len(words)))
        label = text(x + wide / 2, row + ROW / 2 + 4, words, "word", "middle", round(size, 1)) if size >= 7 else ""
        box = rect(x + 1, row, wide - 2, ROW, 'class="box"', 3)
        out.append(f'<g class="read" data-lit="{names}"><title>{entry_texts}</title>{box}{label}</g>')
    return "".join([*out, "</g>"])


def _axes(view: StoredView) -> list[tuple[int, int, int]]:
    """Return the axes with a drawn step, short ones first."""
    first = view.offset
    lines = [
        (axis, first, first + step)
        for axis, (size, step) in enumerate(zip(view.shape, view.stride, strict=True))
        if size > 1 and step > 0
    ]
    return sorted(lines, key=lambda axis: axis[2])[:AXES] if view.kind == "tensor" else []


def _arc(a: float, b: float, top: float, bottom: float, storage: int) -> str:
    """Draw an arrow over the row from x = a to x = b."""
    path = f"M{a:.1f} {bottom:.1f}V{top - 3:.1f}H{b:.1f}V{bottom:.1f}"
    return f'<path class="step" d="{path}" marker-end="url(#step{storage})"/>'


def writes_html(changes: tuple[Write, ...], many: bool, lang: str) -> str:
    """Tabulate lines that rebind names or write to memory: object, storage, version."""
    if not changes:
        return f'<p class="quiet">{quoted(say(lang, "memory-no-writes"))}</p>'
    rows = []
    for change in changes[:MOST]:
        same = say(lang, "memory-same"), say(lang, "memory-new")
        counter = f"{change.before} → {change.after}" if change.before != change.after else str(change.after)
        cells = (
            where(change.place, many, lang) if change.place else "–",
            shorten(change.text, TEXT),
            write_sentence(change, lang),
            same[0] if change.same_object else same[1],
            same[0] if change.same_storage else same[1],
            counter if change.after >= 0 else "–",
        )
        rows.append(_row(WRITES, cells, change.place, lang))
    return _table("memory-writes", WRITES, rows, len(changes), lang)


def sharing_html(sharings: tuple[Sharing, ...], many: bool, lang: str) -> str:
    """Tabulate lines that derive a tensor from another: shared storage, autograd, version counter."""
    if not sharings:
        return f'<p class="quiet">{quoted(say(lang, "memory-no-sharing"))}</p>'
    rows = []
    for sharing in sharings[:MOST]:
        cells = (
            where(sharing.place, many, lang),
            shorten(sharing.text, TEXT),
            sharing_sentence(sharing, lang),
            say(lang, "no" if sharing.outcome in ("copy", "new") else "yes"),
            _answer(sharing.tracked, lang),
            _answer(sharing.counter, lang),
        )
        rows.append(_row(SHARING, cells, sharing.place, lang))
    return _table("memory-sharing", SHARING, rows, len(sharings), lang)


def write_sentence(write: Write, lang: str) -> str:
    """Describe the effect of a line."""
    also = list_of(write.also)
    if write.kind == "rebound":
        return say(lang, "memory-rebound", name=write.name, same="yes" if write.same_storage else "no")
    if write.kind == "named":
        return say(lang, "memory-named", name=write.name, other=also)
    if write.kind == "unseen":
        words = say(lang, "memory-unseen", name=write.name, version=write.after)
    else:
        words = say(lang, "memory-written", name=write.name)
    if also:
        words = joined(lang, (words, say(lang, "memory-also", names=also)))
    if write.arrays:
        seen = "no" if write.kind == "unseen" else "yes"
        words = joined(lang, (words, say(lang, "memory-arrays", names=list_of(write.arrays), seen=seen)))
    return words


def sharing_sentence(sharing: Sharing, lang: str) -> str:
    """Describe the relation of a line's result to its source."""
    result = shorten(sharing.result or sharing.text, 24)
    source = shorten(sharing.source, 24) or say(lang, "memory-input")
    kinds = {"numpy": "numpy", "from_numpy": "from-numpy", "detach": "detach", "data": "data"}
    own = sharing.outcome in ("same", "copy", "new")
    kind = sharing.outcome if own else kinds.get(sharing.operation, "view")
    return say(lang, f"memory-is.{kind}", result=result, source=source)


def list_of(names: Sequence[str]) -> str:
    """List names with commas, or their number beyond LISTED."""
    words = ", ".join(shorten(name, 24) for name in names[:LISTED])
    return words + (f" +{len(names) - LISTED}" if len(names) > LISTED else "")


def _answer(answer: bool | None, lang: str) -> str:
    return say(lang, "memory-numpy") if answer is None else say(lang, "yes" if answer else "no")


def _row(keys: tuple[str, ...], cells: tuple[str, ...], place: ProgramLine | None, lang: str) -> str:
    """Render a row whose cells carry their column titles, for narrow screens."""
    kinds = {"expression": ' class="code"', "what": ' class="words"'}
    lit = f' data-lit="{line_word(place.cell, place.line)}"' if place else ""
    return f"<tr{lit}>" + "".join(
        f'<td{kinds.get(key, "")} data-label="{quoted(say(lang, f"memory-column.{key}"))}">{quoted(cell)}</td>'
        for key, cell in zip(keys, cells, strict=True)
    ) + "</tr>"  # fmt: skip


def _table(title: str, keys: tuple[str, ...], rows: list[str], count: int, lang: str) -> str:
    head = "".join(f'<th scope="col">{quoted(say(lang, f"memory-column.{key}"))}</th>' for key in keys)
    more = count - len(rows)
    rest = f'<p class="range">{quoted(say(lang, "tensors-more", count=more))}</p>' if more > 0 else ""
    label = quoted(say(lang, title))
    return f'<div class="rows changes"><table aria-label="{label}"><tr>{head}</tr>{"".join(rows)}</table></div>{rest}'
