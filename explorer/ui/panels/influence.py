"""Show what has an effect: sentences, and data coloured by slope. The editor greys code without effect."""

import streamlit as st

from explorer.analysis.diagnose.influence.influence_view import Influence, idle_spans, influence
from explorer.drawing.tensors.influence import cards_html, said_html
from explorer.sandbox.hosting import visitor
from explorer.trace import Span, Trace
from explorer.ui.session.given_files import given
from explorer.ui.session.memo import memoize
from explorer.ui.session.saved_run import is_saved
from explorer.workers.influence import measured_effects


def influence_panel(trace: Trace, lang: str) -> None:
    """Draw what has no effect, and the data with what depends on them."""
    known = _known(trace)
    st.html(said_html(trace, known, lang))
    st.html(memoize("slopes", known, lambda: cards_html(trace, known, lang), lang) or "<div></div>")


def idle_code(trace: Trace) -> list[Span]:
    """Return the code that changes nothing."""
    return memoize("idle code", trace, lambda: idle_spans(trace, _known(trace)))


def _known(trace: Trace) -> Influence:
    """Return what is known. A saved run does not run again."""

    def found() -> Influence:
        if is_saved(trace):
            return influence(trace)
        return influence(trace, measured_effects(trace, given(), visitor(st.context.ip_address)))

    return memoize("influence", trace, found)
