"""The notice that a page shows until programs can run."""

from html import escape

import streamlit as st

from explorer.sandbox.cluster.settings import elsewhere
from explorer.text import say
from explorer.ui.session.program_run import ready

POLL = 0.3  # seconds between checks whether programs can run


def wait_until_ready(lang: str, meanwhile: str = "") -> None:
    """Show that torch is loading, and stop the page until programs can run.

    Args: meanwhile: HTML below it.
    """
    if not ready():
        starting(lang, meanwhile)
        st.stop()


@st.fragment(run_every=POLL)
def starting(lang: str, meanwhile: str = "") -> None:
    """Show that torch is loading, or that a cluster has no worker. `meanwhile`: HTML below, replaced with it."""
    if ready():
        st.rerun()
    words = say(lang, "starting-elsewhere" if elsewhere() else "starting")
    st.html(f'<p class="notice" role="status">{escape(words)}</p>{meanwhile}')
