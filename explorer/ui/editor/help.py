"""Answers what the editor asks about a call. A question reruns this and nothing else, so no program waits for it."""

import streamlit as st

from explorer.ui.components.script import component, told_by
from explorer.ui.editor.signatures import find_signature

KEY = "script_asks"

_asks = component("explorer_asks", "", "editor/asks.js")


@st.fragment
def answers() -> None:
    """Tell the editor what is known about the call it asked for last."""
    told = told_by(KEY, "asked")
    name, count = (told.get("name"), told.get("count")) if isinstance(told, dict) else (None, None)
    known = find_signature(name) if isinstance(name, str) else None
    data = {"name": name, "count": count, "signature": "", "sentence": ""}
    if known:
        data |= {"signature": known.signature, "sentence": known.sentence}
    _asks(data=data, key=KEY, default={"asked": None}, on_asked_change=lambda: None)
