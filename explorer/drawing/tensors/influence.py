"""Render what has an effect: sentences, and data coloured by its slopes."""

import numpy as np

from explorer.analysis.diagnose.influence.influence_view import (
    DataInfluence,
    Dependents,
    Influence,
    dependents,
    idle_spans,
)
from explorer.drawing.color import Scale
from explorer.drawing.graph.heat import heat
from explorer.drawing.marks import quoted
from explorer.text import say, separated
from explorer.text.numbers import shape_text
from explorer.trace import Trace, Value
from explorer.trace.values import statistics

MOST_CARDS = 12
_NAMES = 8  # results that a card lists


def said_html(trace: Trace, known: Influence, lang: str) -> str:
    """Render a sentence for each item without effect, the meaning of grey code, and the measurements."""
    found = [message.text(lang) for message in (*known.unused_messages(), *known.messages())]
    grey = [say(lang, "influence-grey")] if idle_spans(trace, known) else []
    is_measured = known.unused is not None or known.is_called or known.is_moved
    nothing = [] if found or grey or not is_measured else [say(lang, "influence-nothing")]
    lines = "".join(f"<p>{quoted(text)}</p>" for text in (*found, *grey, *nothing))
    return f'<div class="inf-said">{lines}<p class="quiet">{quoted(known.scope(lang))}</p></div>'


def cards_html(trace: Trace, known: Influence, lang: str) -> str:
    """Render a card for each tensor of data: its slopes, and what depends on it."""
    shown: dict[str, DataInfluence] = {}
    for one in known.data:
        shown.setdefault(one.name, one)
    cards = "".join(_card(trace, one, known, lang) for one in list(shown.values())[:MOST_CARDS])
    title = quoted(say(lang, "influence-data"))
    return f'<h2 class="tn-section">{title}</h2><div class="inf-cards">{cards}</div>' if cards else ""


def _card(trace: Trace, one: DataInfluence, known: Influence, lang: str) -> str:
    entries = np.array(one.slopes)
    body = ""
    if entries.size:
        value = Value(one.shape, "float64", one.slopes, (), *statistics(entries))
        body = heat(value, Scale(float(entries.max()) or 1.0), lang)
        zeros = int((entries == 0).sum())
        body += f"<p>{quoted(say(lang, 'influence-zeros', zeros=zeros, count=entries.size))}</p>"
    used = _used(dependents(trace, one.tensor, one.name, known), lang)
    name = quoted(f"{one.name} {shape_text(one.shape)}")
    return f'<section class="inf-card"><h3>{name}</h3>{body}<p>{quoted(used)}</p></section>'


def _used(one: Dependents, lang: str) -> str:
    names = list(dict.fromkeys(name for name, _ in one.results))
    few = separated(lang, names[:_NAMES]) + (" …" if len(names) > _NAMES else "")
    losses = separated(lang, [name for name, _ in one.losses])
    return say(lang, "influence-dependents", names=few or "none", losses=losses or "none")
