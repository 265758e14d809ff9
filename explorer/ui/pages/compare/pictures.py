"""The pictures of both runs, in which the cards that differ are marked and the one where they part is ringed."""

from functools import partial

import streamlit as st

from explorer.analysis.autograd import NOTHING_OPENED, Opened
from explorer.analysis.comparison import Comparison
from explorer.analysis.comparison.differing_places import unequal_cards
from explorer.drawing.graph.badges import PARTING, Badge
from explorer.drawing.graph.svg import card_svg
from explorer.drawing.marks import quoted
from explorer.drawing.picture import Picture, picture
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.pages.autograd.bench import WORDS
from explorer.ui.pages.autograd.graph import graph, is_new_request
from explorer.ui.session.memo import memoize
from explorer.ui.session.run_wait import draw_anew

OPENED = "_compare_opened"  # session state: open modules


def backward_of(trace: Trace, found: Comparison | None, side: int) -> int | None:
    """The backward in which gradients first differ; None, the last that ended well, where none do."""
    first = found.gradients[0] if found is not None and found.gradients else None
    number = None if first is None else (first.backward, first.other_backward)[side]
    return None if number is None else number - 1


def first_cards(traces: tuple[Trace, Trace], found: Comparison, lang: str) -> tuple[str, str]:
    """The cards of both runs in which they first differ, "" where a picture has none."""

    def made() -> tuple[str, str]:
        left, right = (_first_card(trace, found, side, lang) for side, trace in enumerate(traces))
        return left, right

    return memoize("compared cards", (traces, found), made, lang)


def _first_card(trace: Trace, found: Comparison, side: int, lang: str) -> str:
    view = _drawn(trace, found, side, NOTHING_OPENED, lang).view
    card = unequal_cards(trace, view, found, side).first
    return "" if card is None else card_svg(view, card, f"first{side}", lang)


def pictures(traces: tuple[Trace, Trace], found: Comparison, lang: str) -> None:
    """Draw them side by side. A module that is opened in one is opened in both."""
    title, legend = quoted(say(lang, "comparing-pictures")), quoted(say(lang, "comparing-legend"))
    st.html(f'<h3 class="cp-title">{title}</h3><p class="cp-about">{legend}</p>')
    open_now: Opened = st.session_state.get(OPENED, NOTHING_OPENED)
    asked = None
    for side, (column, trace) in enumerate(zip(st.columns(2, gap="small"), traces, strict=True)):
        with column, st.container(key=f"cp_graph_{side}", gap=None):
            drawn = _drawn(trace, found, side, open_now, lang)
            if not drawn.view.cards:
                st.html(f'<p class="cp-about">{quoted(say(lang, "comparing-no-picture"))}</p>')
                continue
            svg = memoize(f"compared svg {side}", (drawn.view, found), partial(_svg, drawn, found, side, lang), lang)
            words = {name: say(lang, message) for name, message in WORDS.items()}
            words["more"] = say(lang, "graph-more", seen="{seen}", all="{all}")
            name, moved = f"<b>{'AB'[side]}</b>", bool(open_now.modules or open_now.closed)
            event = graph(svg, words, False, f"cp_picture_{side}", name, opened=moved, deaf=not side)
            if event.module is not None and is_new_request(f"compare_{side}", event.module):
                asked = event.module
    if asked is not None:
        st.session_state[OPENED] = open_now.moved(asked.path, asked.open)
        draw_anew()


def _drawn(trace: Trace, found: Comparison, side: int, opened: Opened, lang: str) -> Picture:
    backward = backward_of(trace, found, side)
    return memoize(
        f"compared picture {side}", trace, lambda: picture(trace, lang, backward, opened=opened), backward, opened, lang
    )


def _svg(drawn: Picture, found: Comparison, side: int, lang: str) -> str:
    unequal = unequal_cards(drawn.trace, drawn.view, found, side)
    badges = {
        card: Badge("alone" if kind == "alone" else "unequal", say(lang, f"comparing-badge-{kind}"))
        for card, kind in unequal.kinds.items()
    }
    if unequal.first is not None:
        badges[unequal.first] = Badge(PARTING, say(lang, "comparing-badge-parting"))
    return drawn.svg(badges=badges)
