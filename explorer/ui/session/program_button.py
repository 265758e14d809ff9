"""A button that opens a page's program on the autograd page."""

import streamlit as st

from explorer.text import say
from explorer.ui.session.links import from_address
from explorer.ui.session.state import open_text

AUTOGRAD = "pages/autograd.py"


def open_as_program(text: str, lang: str, key: str, name: str = "program.py", label: str = "") -> None:
    """Draw a button that opens a text as the program.

    Args: label: its words, "" for the default.
    """
    if st.button(label or say(lang, "open-as-program"), key=key, help=say(lang, "open-as-program-hint")):
        open_text(name, text, foreign=from_address())
        st.switch_page(AUTOGRAD)
