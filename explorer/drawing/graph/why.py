"""Derivations as nested HTML, and an entry's path to the root on the picture.

Texts are escaped. Every part is a `details`, so that keys, touch and screen readers unfold it as usual. `data-goto`
holds a card's id, `data-ask` a question's code.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence

from explorer.analysis.explain.autograd import DrawnEdge, GraphView
from explorer.analysis.explain.autograd.inspection import card_of_node
from explorer.analysis.explain.autograd.sum_texts import sum_text
from explorer.analysis.explain.why import Derivation
from explorer.analysis.explain.why.derivation import PathStep, derivation, unfolded
from explorer.analysis.explain.why.derivation_steps import (
    Arrived,
    DerivationStep,
    LossTerm,
    PassedOn,
    Stored,
    Subject,
    Term,
)
from explorer.analysis.explain.why.derivation_text import (
    amount_text,
    equation_sides,
    heads,
    place_text,
    product_text,
    share_of,
    term_text,
)
from explorer.analysis.explain.why.questions import code_of, subject_of
from explorer.analysis.run.operations.call import calls_of
from explorer.drawing.color import sign_of
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Number, Trace

Stop = tuple[str, str, str, str]


def path_stops(view: GraphView, steps: list[PathStep], lang: str) -> list[Stop]:
    """Return the cards from an entry to the root.

    Steps inside one card are merged, with the number that left it on the edge.
    """
    cards, edges = card_of_node(view), {(edge.source, edge.target): edge.id for edge in view.edges}
    stops: list[Stop] = []
    for step in steps:
        card = cards.get(step.node)
        if card is None or any(card == stop[0] for stop in stops):
            continue
        before = stops[-1][0] if stops else ""
        stops.append((card, edges.get((before, card), ""), _words(step, lang) if before else "", ""))
    stops += _onward(view, stops[-1][0]) if stops else []
    if len(stops) < 2:
        return []
    ends = {card.id: card for card in view.cards}
    whole, value = steps[0].whole, ends[stops[-1][0]].value
    if whole is not None and steps[0].index:
        stops[0] = (*stops[0][:3], f"{steps[0].index} {number(whole, True)}")
    if value is not None and len(value.entries) == 1:
        stops[-1] = (*stops[-1][:3], number(value.entries[0]))
    return stops


def _onward(view: GraphView, card: str) -> list[Stop]:
    """Return the shortest path from a card to the root."""
    leaving: dict[str, list[DrawnEdge]] = {}
    for edge in view.edges:
        if edge.contribution is not None:
            leaving.setdefault(edge.source, []).append(edge)
    came: dict[str, DrawnEdge | None] = {card: None}  # card → the edge over which it was first reached
    waiting = deque([card])
    while waiting and (at := waiting.popleft()) not in view.roots:
        for edge in leaving.get(at, ()):
            if edge.target not in came:
                came[edge.target] = edge
                waiting.append(edge.target)
    reached = next((root for root in came if root in view.roots), card)
    stops: list[Stop] = []
    while (by := came[reached]) is not None:
        stops.append((reached, by.id, "", ""))
        reached = by.source
    return stops[::-1]


def _words(step: PathStep, lang: str) -> str:
    """Write `+0.31 · 2 = +0.62`, and the sum that it is the largest part of."""
    if step.part is None or step.part.amount is None:
        return ""
    product, amount = product_text(step.part), number(step.part.amount, True)
    text = f"{product} = {amount}" if product else amount
    if step.of < 2 or step.whole is None:
        return text
    return say(lang, "path-part", part=text, whole=number(step.whole, True))


FULL = 7  # significant digits in a title
LEAVES = 4  # leaves in a story


def story_html(trace: Trace, view: GraphView, lang: str) -> str:
    """Write a small scalar graph's leaf gradients with *Why?*."""
    leaves = {card.tensors: card for card in view.cards if card.kind == "leaf"}
    if view.folded or not 0 < len(leaves) <= LEAVES or any(math.prod(card.shape) > 1 for card in leaves.values()):
        return ""
    subjects = [subject_of(trace, view, card, True) for card in leaves.values()]
    steps = [unfolded(trace, subject) for subject in subjects if subject is not None]
    if len(steps) < len(leaves) or any(math.prod(step.shape) > 1 for step in steps):
        return ""
    answers = [derivation(trace, step, most=1) for step in steps]
    cards, label = card_of_node(view), quoted(say(lang, "story"))
    html = "".join(f'<div class="answer">{_step(answer, cards, lang)}</div>' for answer in answers)
    return f'<section class="why story" aria-label="{label}"><h3>{label}</h3>{html}</section>'


def cards_showing(trace: Trace, view: GraphView, subject: Subject) -> frozenset[str]:
    """Return ids of cards that show an answer's subject."""
    if isinstance(subject, Arrived | PassedOn):
        tensor, node = -1, subject.node
    elif isinstance(subject, Stored):
        tensor, node = subject.tensor, -1
    else:
        row = calls_of(trace, subject.operation)[0].results[0].version if isinstance(subject, LossTerm) else subject.row
        tensor, node = trace.index.tensor_of(row), trace.versions.node[row]
    made = frozenset(card.id for card in view.cards if any(node in run for run in card.executions)) if node >= 0 else ()
    return made or frozenset(card.id for card in view.cards if tensor >= 0 and tensor in card.tensors)


def why_html(answers: Sequence[Derivation], cards: Mapping[int, str], lang: str, chosen: str = "") -> str:
    """Render one or several derivations in a panel."""
    about = f'<p class="quiet">{quoted(chosen)}</p>' if chosen else ""
    html = about.join(f'<div class="answer">{_step(answer, cards, lang)}</div>' for answer in answers)
    html += about if len(answers) < 2 else ""
    label, close = quoted(say(lang, "why")), quoted(say(lang, "why-close"))
    shut = f'<button type="button" class="close" data-close title="{close}" aria-label="{close}">×</button>'
    name = "why of-value" if answers and answers[0].step.kind == "value" else "why"
    return f'<section class="{name}" aria-label="{label}" tabindex="-1"><h3>{label}</h3>{shut}{html}</section>'


def _step(derivation: Derivation, cards: Mapping[int, str], lang: str) -> str:
    """Render one step with its parts, at most `derivation.MOST` steps deep."""
    step = derivation.step
    head, *words = heads(step, lang)
    signed = step.kind not in ("value", "asks")
    amount = amount_text(step, signed)
    html = f'<b class="{_sign(step, step.amount)}" title="{_full(step.amount)}">{quoted(amount)}</b>' if amount else ""
    equal = f" = {html}" if html else ""
    sides = "".join(f" = <span>{quoted(side)}</span>" for side in equation_sides(step, (head, amount), lang))
    about = place_text(step, lang).removeprefix(" · ")
    where = f" <small>{quoted(about)}</small>" if about else ""
    started = step.adds and [term.kind for term in step.terms] == ["start"]
    note = say(lang, "why-term-start") if started else step.note and step.note.text(lang)
    sentence = f'<p class="step"><code>{quoted(head)}{equal}{sides}</code>{where}</p>'
    sentence += f'<p class="quiet">{quoted(note)}</p>' if note else ""
    if started:
        return sentence
    parts = "".join(
        _part(step, term, word, below, why, cards, lang)
        for term, word, below, why in zip(step.terms, words, derivation.below, derivation.why, strict=True)
    )
    if step.left:
        rest, amount = say(lang, "why-further", count=step.left), step.written.operands[-1]
        rest = sum_text([(amount, rest)], lang) if step.adds else rest
        parts += f'<li class="rest">{quoted(rest)}</li>'
    return sentence + (f"<ul>{parts}</ul>" if parts else "")


def _part(
    step: DerivationStep, term: Term, word: str, below: Derivation | None, why: str, cards: Mapping[int, str], lang: str
) -> str:
    goto = _goto(term, word, cards, lang)
    text = _summary(step, term, word, lang)
    if below is not None:
        return f"<li><details><summary>{text}</summary>{_step(below, cards, lang)}</details>{goto}</li>"
    if why == "more" and term.subject is not None and (code := code_of(term.subject)):
        ask = quoted(say(lang, "why-ask", word=word))
        more = f'<button type="button" class="more" data-ask="{code}" aria-label="{ask}">'
        return f'<li class="end">{text} {more}{quoted(say(lang, "why"))}</button>{goto}</li>'
    above = f" <small>{quoted(say(lang, 'why-above'))}</small>" if why == "above" else ""
    return f'<li class="end">{text}{above}{goto}</li>'


def _summary(step: DerivationStep, term: Term, word: str, lang: str) -> str:
    """Render `+3 via b` with `3 · 1` below, and its share of the total."""
    amount = f'<b class="{_sign(step, term.amount)}" title="{_full(term.amount)}">{_amount(step, term)}</b>'
    share, product = share_of(step, term), product_text(term, step.written.digits)
    about = quoted(term_text(step, term, word, lang, False, False))
    html = f'{amount} <span class="via">{about}</span>'
    how = f"<code>{quoted(product)}</code>" if product else ""
    how += f"<small>{quoted(share)}</small>" if share else ""
    return html + (f' <span class="how">{how}</span>' if how else "")


def _amount(step: DerivationStep, term: Term) -> str:
    text = step.written.operands[step.terms.index(term)]
    signed = step.kind != "value" and isinstance(term.amount, int | float) and term.amount > 0
    return quoted(f"+{text}" if signed else text)


def _goto(term: Term, word: str, cards: Mapping[int, str], lang: str) -> str:
    """Render a button that selects a part's card."""
    card = cards.get(getattr(term.subject, "node", -1))
    if card is None or term.kind in ("backward", "before"):  # belongs to the leaf itself
        return ""
    label, shown = quoted(say(lang, "why-goto", word=word)), quoted(say(lang, "why-show"))
    return f'<button type="button" class="goto" data-goto="{quoted(card)}" aria-label="{label}">{shown}</button>'


def _sign(step: DerivationStep, amount: Number | None) -> str:
    """Return the colour class of a gradient's sign, "" for values."""
    if amount is None or step.kind in ("value", "asks"):
        return ""
    return sign_of(amount)


def _full(amount: Number | None) -> str:
    return "" if amount is None else quoted(number(amount, False, FULL))
