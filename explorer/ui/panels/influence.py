"""Show what has an effect: the data by their slopes, and the program with idle lines greyed."""

import streamlit as st

from explorer.analysis.influence.view import Influence, influence
from explorer.drawing.tensors.influence import cards_html, program_html, said_html
from explorer.sandbox.hosting import visitor
from explorer.trace import Trace
from explorer.ui.session.given_files import given
from explorer.ui.session.memo import memoize
from explorer.ui.session.saved_run import is_saved
from explorer.workers.influence import measured_effects


def influence_panel(trace: Trace, cell: int, lang: str) -> None:
    """Draw what has no effect, the data and what depends on them, and the program."""
    known = _known(trace)
    st.html(said_html(known, lang))
    st.html(memoize("slopes", known, lambda: cards_html(trace, known, lang), lang) or "<div></div>")
    st.html(memoize("idle lines", known, lambda: program_html(trace, known, cell, lang), cell, lang))


def _known(trace: Trace) -> Influence:
    """Return what is known. A saved run does not run again."""

    def found() -> Influence:
        if is_saved(trace):
            return influence(trace)
        return influence(trace, measured_effects(trace, given(), visitor(st.context.ip_address)))

    return memoize("influence", trace, found)
