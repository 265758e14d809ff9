"""One card as SVG."""

from explorer.analysis.explain.autograd import Card
from explorer.analysis.explain.autograd.entry_texts import few, range_text
from explorer.analysis.explain.autograd.reasons import reason_text
from explorer.drawing.color import Scale
from explorer.drawing.graph.badges import Badge, badge_svg
from explorer.drawing.graph.card_entries import entry_row, result_lines, run_bars, thumbnails, two_numbers
from explorer.drawing.graph.cards import (
    FOOT,
    INSIDE,
    PAD,
    SMALL,
    TITLE,
    Box,
    has_gradient_row,
    inside_label,
    inside_text,
    note_text,
    text_width,
)
from explorer.drawing.marks import quoted, rect, text
from explorer.text import say
from explorer.text.numbers import shape_text, shorten, visible
from explorer.trace import Value

MEMBERS = 100  # searchable modules of a stack
SPOKEN = 300  # cells of an expression in a description
_PLAIN = 'fill="#fff"'  # an untinted face
_OUTLINE = 'fill="none" stroke="#7f8b9a"'
ROUND = {"leaf": 20, "data": 20}  # corner radius in px; 9 for others


def draw_card(
    box: Box,
    corner: tuple[float, float],
    scale: Scale,
    lang: str,
    key: str,
    entry: int | None = None,
    badge: Badge | None = None,
) -> str:
    """Draw the `g.node` of a card at its position."""
    card, w, h = box.card, box.width, box.height
    radius = ROUND.get(card.kind, 9)
    classes = _classes(card)
    tensors = " ".join(map(str, card.tensors))
    spoken = ", ".join([aria(card, lang), *([badge.words] if badge else [])])
    out = [
        f'<g class="{classes}" id="card-{card.id}" data-id="{card.id}" data-tensors="{tensors}" '
        f'data-line="{card.line}"{place_attributes(card)} transform="translate({corner[0]:.1f},{corner[1]:.1f})" '
        f'tabindex="0" role="button" aria-label="{quoted(spoken)}">',
        f"<title>{quoted(shorten(_all_names(card), SPOKEN))}</title>",
    ]
    if card.fold:
        out += [rect(k, k, w, h, 'class="under" fill="#f5f7f9" stroke="#dfe4ea"', radius) for k in (8, 4)]
    out.append(rect(-5, -5, w + 10, h + 10, 'class="ring" fill="none"', radius + 5))
    if card.kind == "out":
        out.append(rect(-3.5, -3.5, w + 7, h + 7, 'class="outring" fill="none" stroke="#1f2733"', radius + 3.5))
    out.append(f'<clipPath id="clip-{key}-{card.id}">{rect(0, 0, w, h, "", radius)}</clipPath>')
    out.append(rect(0, 0, w, h, f'class="face" {_PLAIN}', radius) + f'<g clip-path="url(#clip-{key}-{card.id})">')
    if card.kind == "out":
        out.append(rect(0, 0, w, box.body - 2, 'class="outhead" fill="#1f2733"'))
    if not card.kept:
        out.append(text(PAD, box.body + 14, say(lang, "graph-not-kept"), "lab"))
    elif box.mode == "grid":
        out += thumbnails(box, scale, lang, entry)
    else:
        out += {"row": entry_row, "results": result_lines}.get(box.mode, two_numbers)(box, scale, lang)
    if card.module and card.module.parameters:
        out += _inside(box, lang)
    if box.bars:
        out += run_bars(box, scale, lang)
    if card.notes:
        out.append(rect(0, h - FOOT, w, FOOT, 'class="notebg" fill="#b0179f"'))
        out.append(text(PAD, h - 8, note_text(card, lang), "note"))
    out.append("</g>")
    out += _head(box)
    out.append(rect(0, 0, w, h, 'class="edge-line" fill="none" stroke="#dfe4ea"', radius))
    out += _draw_count(box, lang)
    out.append(draw_opener(box, lang))
    out.append(badge_svg(badge, w, h) if badge else "")
    cross = '<circle r="9"/><path d="M-3.2,-3.2L3.2,3.2M3.2,-3.2L-3.2,3.2"/>'
    out.append(f'<g class="cross" transform="translate({w},0)">{cross}</g></g>')
    return "".join(out)


def _classes(card: Card) -> str:
    """Return the CSS classes of a card."""
    bad = card.notes or (card.value and card.value.nans) or (card.gradient and card.gradient.nonfinite)
    states = {
        "nonfinite": bad, "noted": card.notes, "is-failed": card.failed, "folded": card.fold is not None,
        "layer": card.layer > 0, "module": card.module is not None,
        "unkept": not card.kept,
    }  # fmt: skip
    return " ".join(["node card", card.kind, *(name for name, holds in states.items() if holds)])


def aria(card: Card, lang: str) -> str:
    """Describe a card's content in one line of words."""
    parts = [
        shorten(_all_names(card), SPOKEN),
        card.torch or say(lang, f"graph-kind-{card.kind}"),
        shape_text(card.shape),
    ]
    if card.line:
        parts.append(say(lang, "line", line=card.line))
    parts += _several_spoken(card, lang) if card.results else _spoken_numbers(card, lang)
    if card.notes:
        parts.append(note_text(card, lang))
    return ", ".join(part for part in parts if part)


def _spoken_numbers(card: Card, lang: str) -> list[str]:
    """Describe a card's value and its gradient, or why it has none."""
    value = [_spoken_value(card.value, lang)] if card.value is not None else []
    if card.reason == "not_kept":
        return [*value, reason_text(card.reason, None, lang)]
    if not has_gradient_row(card):
        return [*value, say(lang, "graph-no-gradient")]
    return [*value, _spoken_gradient(card, card.gradient, lang)]


def _several_spoken(card: Card, lang: str) -> list[str]:
    """Describe the value and gradient of each of several results."""
    return [
        f"{visible(one.name)}: {_spoken_value(one.value, lang)}, {_spoken_gradient(card, one.gradient, lang)}"
        for one in card.results
    ]


def _all_names(card: Card) -> str:
    return ", ".join((card.title, *card.also))


def _spoken_value(value: Value | None, lang: str) -> str:
    return f"{say(lang, 'graph-value')} {_spoken(value, False) if value else '–'}"


def _spoken_gradient(card: Card, gradient: Value | None, lang: str) -> str:
    if gradient is None:
        return say(lang, "graph-hidden" if card.hidden else "graph-nothing-arrived")
    return f"{say(lang, 'graph-gradient')} {_spoken(gradient, True)}"


def place_attributes(card: Card) -> str:
    """Return attributes for a card's place in the program, from cell to end column, and for its modules."""
    at = card.place
    span = f' data-span="{at.cell},{at.line},{at.column},{at.end_line},{at.end_column}"' if at is not None else ""
    return f"{span}{_module(card)}"


def _spoken(value: Value, signed: bool) -> str:
    return few(value, 8, signed) or range_text(value, signed) or "–"


def _module(card: Card) -> str:
    """Return attributes for a card's closed module, its content, and the enclosing open module."""
    closed = ""
    if card.module:
        paths = () if card.module.shaping else card.module.members[:MEMBERS]
        members, inside = quoted(" ".join(paths)), quoted(" ".join(card.module.inside))
        closed = f' data-module="{quoted(card.module.path)}" data-members="{members}" data-inside="{inside}"'
    return closed + (f' data-within="{quoted(card.within)}"' if card.within else "")


def draw_opener(box: Box, lang: str) -> str:
    """Draw the mark that opens a closed module."""
    if box.card.module is None:
        return ""
    words = quoted(say(lang, "graph-module-open", module=box.card.title))
    return (
        f'<g class="opener" transform="translate({box.width - PAD - 8},17)"><title>{words}</title>'
        f'<rect x="-10" y="-10" width="20" height="20" rx="6" class="openbox" {_OUTLINE}/>'
        '<path d="M-4,0H4M0,-4V4" class="openmark" stroke="#1a212b" fill="none"/></g>'
    )


def _inside(box: Box, lang: str) -> list[str]:
    """Draw the gradient norm of a closed module's parameters."""
    module, w = box.card.module, box.width
    top = box.height - INSIDE - box.bars - (FOOT if box.card.notes else 0)
    paint = 'class="g bad" fill="#b0179f"' if module.nonfinite else 'class="foldbg" fill="#f5f7f9"'
    name = "grad badtext" if module.nonfinite else "val"
    return [
        rect(0, top, w, INSIDE, paint),
        f'<line x1="0" x2="{w}" y1="{top}" y2="{top}" class="rule"/>',
        text(PAD, top + 16, inside_label(module, lang), "lab badtext" if module.nonfinite else "lab"),
        text(w - PAD, top + 16.5, inside_text(module), name, "end"),
    ]


def _head(box: Box) -> list[str]:
    """Draw name or expression, shape, torch's name and saved tags."""
    card, w, out = box.card, box.width, []
    if card.kind == "leaf":
        seal = text_width(box.title, TITLE) + 16
        out.append(rect(PAD - 4, 7, seal, 21, 'class="namepill" fill="#1f2733"', 10.5))
        out.append(text(PAD + 4, 22, box.title, "name"))
    else:
        out.append(text(PAD, 22, box.title, "expr"))
    if box.shape:
        out.append(text(w - PAD, 21.5, box.shape, "shape", "end"))
    if box.torch:
        out.append(text(PAD, 38, box.torch, "op"))
    x: float = w - PAD
    for tag, saved in zip(reversed(box.tags), reversed(card.saved), strict=True):
        width = text_width(tag, SMALL) + 10
        x -= width
        kind = "saved" if saved.value is not None else "saved stays"  # backward frees tensors but not constants
        out.append(f"<g class='{kind}'>{rect(x, 27.5, width, 14, _OUTLINE, 3)}{text(x + 5, 37.7, tag, 'savedt')}</g>")
        x -= 4
    return out


def _draw_count(box: Box, lang: str) -> list[str]:
    """Draw the count of executions or copies on the edge."""
    card = box.card
    if card.fold:
        words = say(lang, "graph-times", kind=card.fold.kind, count=str(card.fold.count))
    elif card.copies > 1:
        words = say(lang, "graph-uses", count=str(card.copies))
    elif card.layer:
        words = say(lang, "graph-made-by", number=str(card.layer))
    else:
        return []
    width = text_width(words, SMALL) + 14
    x = box.width - width - (10 if card.module is None else 40)
    return [
        rect(x, -10, width, 20, 'class="namepill" fill="#1f2733"', 10),
        text(x + width / 2, 4, words, "name", "middle", SMALL),
    ]
