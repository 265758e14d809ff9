"""The sentence under a picture: why its most instructive gradient has its value."""

import math
from collections.abc import Iterator

from explorer.analysis.explain.autograd.entry_texts import entry_index, followed
from explorer.analysis.explain.autograd.operands import Mention, disambiguate, standalone_word
from explorer.analysis.explain.autograd.reasons import reason_message, start_text
from explorer.analysis.explain.autograd.sum_texts import PATHS, leaf_text, shares
from explorer.analysis.explain.autograd.view_records import Card, DrawnEdge, GraphView, NonfiniteStart
from explorer.analysis.run.rounding import adds_up
from explorer.text import as_sentence, joined, say, separated
from explorer.text.numbers import number, shape_text, shorten
from explorer.trace import Value

_DUAL = "_make_dual"  # torch's name for the call that pairs a value with its tangent
_WHAT = {"nan": "NaN", "inf": "∞"}
LONG = 60  # longest quoted call
CELLS = 30  # longest expression in a sentence


def sentence(view: GraphView, lang: str) -> str:
    """Explain the most instructive gradient of a picture.

    NaN comes first, then a leaf with several paths, a leaf with an earlier `.grad`, a leaf that was cut off, then any
    leaf. For `y = (w + x) * (w + 1)`: "w.grad = 5 = 2 (via a) + 3 (via b)."
    """
    if view.kind == "none":
        stopped = next((card for card in view.cards if card.failed), None)
        return say(lang, "why-stopped", card=_word(stopped)) if stopped else say(lang, _nothing(view))
    if view.kind == "failed":
        return _failed(view, lang)
    start = next((card for card in view.cards if card.notes), None)
    leaf = _instructive(view)
    root = next((card for card in view.cards if card.id in view.roots), None)
    several = leaf is not None and len(_paths(view).get(leaf.tensors, [])) > 1
    if start:
        text = _starts(start.notes[0], _word(start), lang)
    elif view.start:
        text = _starts(view.start, shorten(view.start.word, CELLS), lang)
    elif modules := _modules(view, lang):
        text = modules
    elif leaf and (several or leaf.stored_more or leaf.cut is not None or not _lost(view)):
        text = joined(lang, [_of_leaf(view, leaf, lang), *_beside(view, leaf, root, lang)])
        if leaf.zero is not None and (leaf.zero.kind != "cancelled" or leaf.zero.line):  # no line: its own sum
            text = joined(lang, [text, leaf.zero.sentence(lang, leaf.gradient.norm)])
    else:
        text = _without_leaf_gradients(view, root, lang)
    if view.kind == "implicit" and root:
        return f"{say(lang, 'why-implicit', root=view.of or _word(root))} {text}"
    if view.inner:
        text = joined(lang, [text, say(lang, "why-inner", code=shorten(view.inner, LONG))])
    call, calls = view.call
    return joined(lang, [say(lang, "why-call", call=call, calls=calls), text]) if call else text


def _modules(view: GraphView, lang: str) -> str:
    """Name the parameters with the largest and smallest gradients, if modules are closed."""
    norms: list[tuple[float, str]] = []
    for module in (card.module for card in view.cards if card.module):
        each = zip(module.norms, module.members, strict=True)
        norms += [(norm, path) for norm, path in each if norm is not None]
    if not norms:
        return ""
    (largest, most), (smallest, least) = max(norms), min(norms)
    words: dict[str, str | int] = {
        "most": shorten(most, CELLS),
        "largest": number(largest),
        "count": len(norms),
        "least": shorten(least, CELLS),
        "smallest": number(smallest),
    }
    missed = [card for card in view.cards if card.module and card.module.leaves > card.module.gradients]
    texts = [say(lang, "why-modules", **words)]
    if missed:
        texts.append(say(lang, "why-modules-missed", card=shorten(missed[0].title, CELLS), count=len(missed)))
    return joined(lang, texts)


def is_forward_mode(view: GraphView) -> bool:
    """Return whether a picture without gradients shows values with tangents."""
    return any(card.torch == _DUAL for card in view.cards)


def _nothing(view: GraphView) -> str:
    """Return the message for a picture without gradients."""
    if view.limited and not any(card.nodes for card in view.cards):
        return "why-limited"
    if not view.cards:
        return "graph-empty"
    if is_forward_mode(view):
        return "why-forward-mode"
    if any(card.nodes for card in view.cards):
        return "why-no-backward"
    if any(card.kind == "leaf" for card in view.cards):
        return "why-not-recorded"
    return "why-not-recorded-here" if view.requested else "why-no-graph"


def _failed(view: GraphView, lang: str) -> str:
    card = next((card for card in view.cards if card.failed), None)
    if card is not None and card.nodes:
        return say(lang, "why-failed-at", card=_word(card))
    root = card or next((card for card in view.cards if card.id in view.roots), None)
    if root is not None and not any(card.gradient is not None for card in view.cards):
        return say(lang, "why-refused", card=view.of or _word(root))
    return say(lang, "why-failed")


def _starts(start: NonfiniteStart, word: str, lang: str) -> str:
    text = start_text(lang, start.phase, _WHAT[start.kind], word, start.line, start.why, start.place)
    return as_sentence(lang, text)


def _instructive(view: GraphView) -> Card | None:
    """Return the most instructive leaf, or None without gradients."""
    paths = _paths(view)
    leaves = [card for card in view.cards if card.kind == "leaf" and card.gradient is not None]
    chosen = [card for card in leaves if view.followed(card) is not None]
    if chosen:
        return chosen[0]

    def worth(card: Card) -> tuple:
        count = len(paths.get(card.tensors, []))
        return (
            card.zero is None or not card.zero.is_exact,
            count > 1,
            card.stored_more,
            card.gradient.data is not None,
            -len(card.gradient.entries),
            count,
        )

    return max(leaves, key=worth, default=None)


def _paths(view: GraphView) -> dict[tuple[int, ...], list[DrawnEdge]]:
    """Map leaves (by tensor) to the edges that delivered a gradient, copies counted together."""
    leaves = {card.id: card.tensors for card in view.cards if card.kind == "leaf"}
    paths: dict[tuple[int, ...], list[DrawnEdge]] = {}
    for edge in view.edges:
        if edge.source in leaves and edge.contribution is not None:
            paths.setdefault(leaves[edge.source], []).append(edge)
    return paths


def _of_leaf(view: GraphView, leaf: Card, lang: str) -> str:
    """Write one entry of a leaf's gradient, or only the shape."""
    edges, cards = _paths(view).get(leaf.tensors, []), {card.id: card for card in view.cards}
    words = _distinct_words(view, [leaf, *(cards[edge.target] for edge in edges)], lang)
    entry, word = _entry(view, leaf), words[leaf.id]
    index = entry_index(leaf.gradient, entry)
    hidden = Mention(_word(leaf) + index, leaf.id, how="inside", call=shorten(leaf.call, CELLS))
    described = standalone_word(hidden, lang) if leaf.call else word + index
    # `w.grad` only if the program can read this number there
    name = "" if leaf.call or leaf.copies > 1 or word != _word(leaf) else word
    if entry is None:
        through = say(lang, "why-term-via", word=separated(lang, [words[edge.target] for edge in edges[:PATHS]]))
        count = sum(edge.count for edge in edges)
        about = through if 0 < count <= PATHS else say(lang, "why-term-several", count=count)
        of = f"{name}.grad" if name and leaf.stored else say(lang, "why-gradient", leaf=described)
        rows = math.prod(leaf.gradient.shape[: len(leaf.gradient.shape) - len(leaf.shape)])
        if rows > 1 and leaf.gradient.shape[-len(leaf.shape) or len(leaf.gradient.shape) :] == leaf.shape:
            return say(lang, "why-rows", leaf=described, count=rows, shape=shape_text(leaf.shape) or "()", about=about)
        return say(lang, "why-large", of=of, shape=shape_text(leaf.gradient.shape), about=about)
    parts = shares(edges, cards, leaf.gradient, lambda card: words[card.id], lang)
    if view.dropped or (view.altered and not _adds_up(leaf, edges, entry)):
        parts = [(leaf.gradient, "")]
    return leaf_text(leaf, name, described, parts, entry, lang)


def _beside(view: GraphView, leaf: Card, root: Card | None, lang: str) -> Iterator[str]:
    """Yield additions: why a gradient is not the derivative, or that `.grad` differs."""
    entry, word = _entry(view, leaf), _word(leaf)
    if view.altered in ("function", "hook", "write"):
        yield say(lang, "why-altered", by=view.altered)
    if leaf.cut is not None and leaf.cut.sure and leaf.cut.line:
        values = {"leaf": word, "root": view.of or (_word(root) if root else "–")}
        earlier = "yes" if leaf.cut.earlier else "no"
        yield say(lang, "why-partial", **values, line=leaf.cut.line, code=leaf.cut.code, earlier=earlier)
    if leaf.stored is None or leaf.copies > 1 or entry is None:
        return
    after = leaf.stored[1]
    if leaf.held is None:
        yield say(lang, "why-held", leaf=f"{word}.grad", held="None")
    elif _has(leaf.held, entry) and _has(after, entry) and leaf.held.entries[entry] != after.entries[entry]:
        of = f"{word}.grad{entry_index(after, entry)}"
        yield say(lang, "why-held", leaf=of, held=number(leaf.held.entries[entry]))


def _adds_up(leaf: Card, edges: list[DrawnEdge], entry: int) -> bool:
    """Return whether the edges add up to an entry."""
    if any(edge.contribution.shape != leaf.gradient.shape for edge in edges):
        return False
    parts = [edge.contribution.entries[entry] for edge in edges]
    return adds_up(parts, leaf.gradient.entries[entry], leaf.gradient.dtype)


def _has(value: Value | None, entry: int) -> bool:
    """Return whether an entry of a value was recorded."""
    return value is not None and value.data is not None and entry < len(value.data)


def _without_leaf_gradients(view: GraphView, root: Card | None, lang: str) -> str:
    """Return the sentence for a picture without leaf gradients."""
    card = _lost(view) or next((card for card in view.cards if card.kind == "leaf" and card.reason), None)
    if card is None:
        return say(lang, "why-no-leaf")
    root_word = view.of or (_word(root) if root else "–")
    why = reason_message(card.reason, card.cut, root_word).text(lang)
    return say(lang, "why-none", kind=card.reason, leaf=_word(card), why=why)


def _lost(view: GraphView) -> Card | None:
    """Return a card whose gradient is cut off, or None."""
    got = {_word(card) for card in view.cards if card.gradient is not None}
    drawn = (card for card in view.cards if card.nodes + card.tensors and _word(card) not in got)
    kinds = ((card, card.reason, card.cut.by if card.cut is not None else "") for card in drawn)
    return next((card for card, reason, by in kinds if reason == "cut" or reason == by == "no_grad"), None)


def _entry(view: GraphView, leaf: Card) -> int | None:
    """Return the entry to explain, None if sampled."""
    if leaf.gradient.shape != leaf.shape:  # a stack of gradients, one per example, has different indices
        return None
    chosen, value = view.followed(leaf), leaf.gradient
    return followed(value, ()) if chosen is None and value.data else chosen


def _distinct_words(view: GraphView, cards: list[Card], lang: str) -> dict[str, str]:
    """Return distinct words for cards: equal names get their line."""
    order = {card.id: i for i, card in enumerate(view.cards)}
    mentions = {card.id: Mention(_word(card), card.id, order[card.id], card.line) for card in cards}
    return dict(zip(mentions, disambiguate(list(mentions.values()), lang, close=False), strict=True))


def _word(card: Card) -> str:
    """Return the word for a card in a sentence."""
    return shorten(card.word, CELLS)
