"""The app where strangers type: it does not start on a machine that could not hold their programs."""

import sys

import streamlit as st

from explorer.sandbox import hosted
from explorer.text import say


def refused() -> bool:
    """Whether the app must not run here; then the page and the server's log have said why."""
    unfit = hosted.check()
    if unfit is None:
        return False
    sentence, values = unfit.said()
    sys.stderr.write(say("en", sentence, **values) + "\n")
    st.error(say("zh" if (st.context.locale or "").lower().startswith("zh") else "en", sentence, **values))
    return True
