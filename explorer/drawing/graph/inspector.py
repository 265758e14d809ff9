"""The inspector as HTML: one card in full, with escaped program text."""

import math

from explorer.analysis.explain.autograd import Card, GraphView
from explorer.analysis.explain.autograd.backward_steps import backward_call
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradient
from explorer.analysis.explain.autograd.entry_texts import few, followed, index_of, index_text, is_listed, sum_precision
from explorer.analysis.explain.autograd.inspection import Inspection, Kept
from explorer.analysis.explain.autograd.node_sentences import is_forward_mode
from explorer.analysis.explain.autograd.reasons import reason_text
from explorer.analysis.run.operations import stem_of
from explorer.drawing.color import Scale, scale_of, sign_of, tint
from explorer.drawing.graph.cards import has_gradient_row
from explorer.drawing.graph.heat import heat
from explorer.drawing.marks import quoted, term
from explorer.text import joined, say, separated
from explorer.text.numbers import DIGITS, Write, approx, axes_text, in_full, number, shape_text, shorten
from explorer.trace import PACKED, RECOMPUTED, Value

TITLE = 64  # cells of the title
PASSED = 6  # edges listed per node


def inspector_html(
    facts: Inspection, view: GraphView, lang: str, chosen: bool = True, freed_line: int = 0, chooses: bool = True
) -> str:
    """Render a card in full.

    Args:
        chosen: whether the user chose it. Otherwise it is the root, as a sentence says.
        freed_line: line of the backward that freed the saved tensors, 0 if unknown.
        chooses: whether a gradient entry can be chosen and followed.
    """
    head, body = inspector_parts(facts, view, lang, chosen, freed_line, chooses=chooses)
    return f'<div class="inspection" aria-live="polite">{head}{body}</div>'


def inspector_parts(
    facts: Inspection,
    view: GraphView,
    lang: str,
    chosen: bool = True,
    freed_line: int = 0,
    asks: bool = False,
    chooses: bool = True,
) -> tuple[str, str]:
    """Render the inspector in two parts: heading and numbers.

    Args:
        asks: whether value and gradient have *Why?* buttons, which need a server.
    """
    scale = scale_of(view)
    flow = _arrivals(facts, view, lang) + _stored(facts, lang) + _sent(facts, scale, lang)
    kind = " hypothetical" * (view.kind == "implicit")
    parts = [
        _numbers(facts, view, scale, lang, asks, chooses),
        f'<div class="flow{kind}">{flow}</div>' if flow else "",
        _kept(facts, lang, freed_line),
        _module(facts, lang),
    ]
    return ("" if chosen else hint_html(facts.card, view, lang, alone=False)) + _head(facts, lang), "".join(parts)


def hint_html(card: Card, view: GraphView, lang: str, alone: bool) -> str:
    """Render the root's text while no card is chosen. `alone`: without its numbers below."""
    counted = card.reason == "not_kept" or not card.kept
    sentence, choose = (
        "" if counted else _begun(card, view, lang),
        say(lang, "inspect-choose-card") if alone or counted else "",
    )
    hint = joined(lang, filter(None, (sentence, choose)))
    return f'<p class="hint">{hint}</p>' if hint else ""


def _begun(card: Card, view: GraphView, lang: str) -> str:
    """Describe how backward began at the root, "" before that."""
    if card.id not in view.roots:
        return say(lang, "inspect-forward-mode" if is_forward_mode(view) else "inspect-plain")
    name, failed = _code(shorten(card.name or card.title, 24)), view.kind == "failed"
    if card.gradient is None:
        return say(lang, "why-refused", card=name) if failed else ""
    if view.kind in ("backward", "grad"):
        return say(lang, "inspect-root", card=name)
    if failed:
        return say(lang, "inspect-root-stopped", card=name)
    return say(lang, "inspect-root-implicit", card=name, call=backward_call(card.gradient))


def _head(facts: Inspection, lang: str) -> str:
    card = facts.card
    kind = card.torch or say(lang, f"graph-kind-{card.kind}")
    line = say(lang, "line", line=card.line) if card.line else ""
    also = shorten(f"= {', '.join(card.also)}", TITLE) if card.also else ""
    dtype = "" if card.dtype == "float32" else card.dtype
    about = " · ".join(filter(None, (also, kind, line, shape_text(card.shape), dtype)))
    return f'<h3 class="what">{quoted(shorten(card.title, TITLE))}</h3><p class="about">{quoted(about)}</p>'


def _numbers(facts: Inspection, view: GraphView, scale: Scale, lang: str, asks: bool, chooses: bool) -> str:
    value, gradient = facts.value, facts.gradient
    kind = " hypothetical" * (view.kind == "implicit")
    if not facts.card.kept:
        return _reason(facts, lang)
    # A step that was only counted has `.grad`, not the arrived gradient.
    words = say(lang, "graph-value"), say(lang, f"graph-{'leaf-' if view.kind == 'counted' else ''}gradient")
    if facts.part:
        of = {"name": _code(shorten(facts.part, TITLE))}
        words = say(lang, "inspect-value-of", **of), say(lang, "inspect-gradient-of", **of)
    why = tuple(_ask(value, of, lang) if asks else "" for value, of in ((value, "value"), (gradient, "gradient")))
    mark = tuple(f' data-why="{of}"' if asks else "" for of in ("value", "gradient"))
    if all(value is None or _single(value) for value in (value, gradient)):
        boxes = f"<div{mark[0]}>{why[0]}<label>{words[0]}</label>{_large(value, False)}</div>"
        if gradient is not None:
            shown = f"<label>{words[1]}</label>{_large(gradient, True)}"
            colour = tint(gradient.entries[0], scale, classes="of-gradient tint ")
            boxes += f"<div {colour}{mark[1]}>{why[1]}{shown}</div>"
        elif has_gradient_row(facts.card):
            boxes += f"<div{mark[1]}>{why[1]}<label>{words[1]}</label><b>{'?' if facts.card.hidden else '·'}</b></div>"
        return f'<div class="pair{kind}">{boxes}</div>{_reason(facts, lang)}'
    out = ""
    if value is not None:
        out = f"<h4>{why[0]}{words[0]}</h4>{heat(value, None, lang)}"
    if gradient is not None:
        at = view.followed(facts.card)
        chooses = chooses and at is None
        entries = heat(gradient, scale, lang, chosen=-1 if chooses else at)
        entries += f'<p class="range">{quoted(say(lang, "inspect-choose"))}</p>' if facts.arrivals and chooses else ""
        out += f'<div class="of-gradient{kind}"><h4>{why[1]}{words[1]}</h4>{entries}</div>'
    elif facts.card.hidden:
        out += f"<h4>{why[1]}{words[1]}</h4><p>?</p>"
    return out + _reason(facts, lang)


def _ask(value: Value | None, of: str, lang: str) -> str:
    """Render a button that asks *Why?* about a number."""
    amount = "" if value is None else _one(value, False) if _single(value) else shape_text(value.shape)
    text = quoted(say(lang, f"why-ask-{of if amount else 'none'}", amount=amount))
    return f'<button type="button" class="ask" data-why="{of}" title="{text}" aria-label="{text}">?</button>'


def _large(value: Value | None, signed: bool) -> str:
    """Render a number in large print, smaller if long, in full on hover."""
    words = _one(value, signed)
    size = "longest" if len(words) > 10 else "long" if len(words) > 8 else ""
    size += " nan" * (not signed and words == "NaN")  # a gradient's background shows NaN already
    about = f' class="{size}"' if size else ""
    about += f' title="{in_full(value.entries[0], signed)}"' if value is not None and value.entries else ""
    return f"<b{about}>{words}</b>"


def _reason(facts: Inspection, lang: str) -> str:
    shown = facts.gradient is not None and facts.gradient is facts.card.gradient  # not of an earlier execution
    if shown and facts.card.zero is not None:
        return f'<p class="quiet">{quoted(facts.card.zero.sentence(lang, facts.gradient.norm))}</p>'
    if facts.gradient is not None or not facts.card.reason or facts.count > 1:
        return ""
    return f'<p class="quiet">{quoted(reason_text(facts.card.reason, facts.card.cut, lang))}</p>'


def _arrivals(facts: Inspection, view: GraphView, lang: str) -> str:
    if not facts.arrivals:
        return ""
    word, start = quoted(say(lang, "inspect-from")), quoted(say(lang, "inspect-start"))
    at = view.followed(facts.card)
    total = facts.gradient
    if total is None or any(arrival.value is None or arrival.value.shape != total.shape for arrival in facts.arrivals):
        at = None
    elif at is None and not is_listed(facts.gradient):
        at = followed(facts.gradient, [arrival.value for arrival in facts.arrivals])
    givers = [f"<small>{word}</small> {quoted(arrival.word)}" if arrival.word else start for arrival in facts.arrivals]
    about = [f" <small>{quoted(arrival.about)}</small>" if arrival.about else "" for arrival in facts.arrivals]
    givers = [giver + more for giver, more in zip(givers, about, strict=True)]
    parts = [arrival.value for arrival in facts.arrivals]
    lists = at is not None or (total is not None and is_listed(total))
    digits, sign, write = (DIGITS, "=", number) if facts.hooked or not lists else sum_precision(parts, total, at)
    amounts = [_amount(part, at, digits, write) for part in parts]
    rows = "".join(f"<tr><td>{giver}</td>{amount}</tr>" for giver, amount in zip(givers, amounts, strict=True))
    sum_word = say(lang, "inspect-hooked" if facts.hooked else "inspect-sum")
    if at is not None and not facts.hooked:
        sum_word = say(lang, "inspect-sum-entry", entry=index_text(index_of(facts.gradient, at)))
    last = f'<tr class="total"><td>{quoted(sum_word)}</td>{_amount(total, at, DIGITS, write, approx(sign))}</tr>'
    return f'<h4>{term(lang, "arrived", say(lang, "inspect-arrived"))}</h4><table class="sum">{rows}{last}</table>'


def _amount(value: Value | None, at: int | None, digits: int, write: Write, before: str = "") -> str:
    """Render one line of a sum: number, entries or followed entry, or a shape."""
    if value is None:
        return "<td>–</td>"
    if at is not None or _single(value):
        entry = value.entries[at or 0]
        return f'<td class="{sign_of(entry)}">{before}{quoted(write(entry, True, digits))}</td>'
    if not is_listed(value):
        return f"<td>{quoted(shape_text(value.shape))}</td>"
    return f"<td>{before}{quoted(' '.join(write(entry, True, digits) for entry in value.data))}</td>"


def _stored(facts: Inspection, lang: str) -> str:
    if facts.card.stored is None or not facts.card.stored_more:
        return ""
    before, after = facts.card.stored
    if not (is_listed(before) and is_listed(after)):
        return ""  # two shapes explain nothing
    digits, *_ = sum_precision((before, facts.gradient), after)
    text = f"{facts.card.name}.grad: {_short(before, digits, True)} → {_short(after, signed=True)}"
    return f'<p class="note">{quoted(text)}</p>'


def _sent(facts: Inspection, scale: Scale, lang: str) -> str:
    if not facts.sent or facts.gradient is None:
        return ""
    conjugated = any(passed.conjugated for sent in facts.sent for passed in sent.passed)
    out = [f"<h4>{term(lang, 'passes', say(lang, 'inspect-passes'))}</h4>"]
    if conjugated:
        out.append(f'<p class="quiet">{quoted(say(lang, "inspect-conjugated"))}</p>')
    missing: dict[tuple[str, str], list[str]] = {}
    for sent in facts.sent:
        if sent.missing:
            missing.setdefault((sent.missing, sent.call), []).append(_code(stem_of(sent.torch)))
    for (why, call), nodes in missing.items():
        names = separated(lang, list(dict.fromkeys(nodes)))
        out.append(f'<p class="quiet">{say(lang, f"inspect-value-{why}", names=names, call=_code(call))}</p>')
    for sent in facts.sent:
        if len(facts.sent) > 1:
            out.append(f'<p class="through">{say(lang, "inspect-passes-through", node=_code(stem_of(sent.torch)))}</p>')
        out += [_equation(passed, scale, lang) for passed in sent.passed[:PASSED]]
        if len(sent.passed) > PASSED:
            out.append(f'<p class="quiet">{quoted(say(lang, "step-more", count=len(sent.passed) - PASSED))}</p>')
    return "".join(out)


def _equation(passed: EdgeGradient, scale: Scale, lang: str) -> str:
    """Render one edge: local derivative and passed gradient."""
    lines = []
    if not passed.equals and (passed.formula.expression or passed.result is not None):
        alone = "-alone" if passed.formula.kind == "torch" and not passed.formula.expression else ""
        text = say(lang, f"formula-{passed.formula.kind}{alone}")
        code = f" <code>{quoted(passed.formula.expression)}</code>" if passed.formula.expression else ""
        lines.append(f'<span class="q">{quoted(text)}{code}</span>')
    elif passed.left:
        signs = ["" if side.startswith("≈ ") else "= " for side in passed.equals]
        sides = "".join(f"<span> {sign}{quoted(side)}</span>" for sign, side in zip(signs, passed.equals, strict=True))
        lines.append(f'<span class="q"><span>{quoted(passed.left)}</span>{sides}</span>')
    elif passed.equals:
        lines.append(f'<span class="q words">{quoted(passed.equals[0])}</span>')
    if passed.shapes:
        lines.append(f'<span class="q">{quoted(passed.shapes)}</span>')
    if passed.summed:
        lines.append(
            f'<span class="q words">{quoted(say(lang, "formula-summed", axes=axes_text(passed.summed)))}</span>'
        )
    lines += [f"<span>{_coloured(line)}</span>" for line in passed.examples]
    to = quoted(passed.to) + (f" <small>{quoted(passed.role)}</small>" if passed.role else "")
    if passed.result is not None and _single(passed.result):
        entry = passed.result.entries[0]
        amount = f'<b class="{sign_of(entry)}">{quoted(number(entry, True))}</b>'
        product = _coloured(passed.product) if passed.product else amount
        lines.append(f'<span>{product} <span class="to">→ {to}</span></span>')
    else:
        lines.append(_pictures(passed, scale, lang))
    return f'<div class="eq">{"".join(f"<div>{line}</div>" for line in lines if line)}</div>'


def _pictures(passed: EdgeGradient, scale: Scale, lang: str) -> str:
    """Render a product's factors and result as small grids."""
    if passed.result is None:
        return f'<span class="to">→ {quoted(passed.to)}</span>'
    shown = [
        _labelled(factor.word, factor.value, scale if factor.word == "G" else None, lang)
        for factor in passed.factors
        if factor.value is not None and factor.value.entries and not _single(factor.value)
    ]
    shown.append(_labelled(f"→ {passed.to}", passed.result, scale, lang))
    return f'<div class="factors">{"".join(shown)}</div>'


def _labelled(word: str, value: Value, scale: Scale | None, lang: str) -> str:
    grid = heat(value, scale, lang, small=True)
    caption = f"{quoted(word)} <small>{quoted(shape_text(value.shape))}</small>"
    return f"<figure><figcaption>{caption}</figcaption>{grid}</figure>"


def _coloured(line: str) -> str:
    """Render a written-out entry with its result in the colour of its sign."""
    head, _, result = line.rpartition(" ")
    sign = (
        "bad" if result.lstrip("+−") in ("NaN", "∞") else "gn" if "−" in result[:1] else "" if result == "0" else "gp"
    )
    return f'{quoted(head)} <b class="{sign}">{quoted(result)}</b>'


def _kept(facts: Inspection, lang: str, freed_line: int) -> str:
    if not facts.kept:
        return ""
    freed = any(tensor.freed for tensor in facts.kept)
    title = say(lang, "inspect-saved")
    if freed:
        title = say(lang, "inspect-freed", line=freed_line) if freed_line else say(lang, "inspect-freed-later")
    tags = "".join(_tag(tensor, lang) for tensor in facts.kept)
    size = (
        f'<p class="quiet">{quoted(say(lang, "inspect-kept", bytes=facts.kept_bytes))}</p>' if facts.kept_bytes else ""
    )
    return f'<h4>{term(lang, "saved", title)}</h4><div class="tags{" freed" if freed else ""}">{tags}</div>{size}'


def _tag(tensor: Kept, lang: str) -> str:
    words = tensor.word or tensor.name
    if tensor.constant in (PACKED, RECOMPUTED):
        words = say(lang, "inspect-packed" if tensor.constant == PACKED else "inspect-recomputed", name=tensor.name)
    elif tensor.constant:
        words = f"{tensor.name} = {tensor.constant}"
    elif tensor.value is not None:
        words = (
            f"{words} = {_short(tensor.value)}"
            if _single(tensor.value)
            else f"{words} {shape_text(tensor.value.shape)}"
        )
    changed = tensor.version >= 0 and tensor.now > tensor.version
    about = [tensor.name]
    if tensor.version >= 0:
        versions = {"version": tensor.version, "now": tensor.now}
        about.append(say(lang, "inspect-changed" if changed else "inspect-version", **versions))
    mark = f" <em>{quoted(about[1])}</em>" if changed else ""
    kind = "tag freed" if tensor.freed else "tag"
    return f'<span class="{kind}" title="{quoted(" · ".join(about))}">{quoted(words)}{mark}</span>'


def _module(facts: Inspection, lang: str) -> str:
    if not facts.module:
        return ""
    rows = "".join(
        f"<tr><td>{quoted(name)}</td><td>{quoted(shape_text(shape) or '()')} · {math.prod(shape)}</td></tr>"
        for name, shape in facts.parameters
    )
    total = sum(math.prod(shape) for _, shape in facts.parameters)
    head = f"<h4>{say(lang, 'inspect-module', module=_code(facts.module))}</h4>"
    if not rows:
        return head
    foot = f'<tr class="total"><td>{quoted(say(lang, "summary-parameters"))}</td><td>{total}</td></tr>'
    return f'{head}<table class="sum">{rows}{foot}</table>'


def _single(value: Value) -> bool:
    return len(value.entries) == 1 and math.prod(value.shape) == 1


def _one(value: Value | None, signed: bool) -> str:
    if value is None or not value.entries:
        return "–"
    return quoted(number(value.entries[0], signed))


def _short(value: Value | None, digits: int = DIGITS, signed: bool = False) -> str:
    if value is None:
        return "–"
    return few(value, 4, signed, digits) or shape_text(value.shape)


def _code(text: str) -> str:
    return f"<code>{quoted(text)}</code>"
