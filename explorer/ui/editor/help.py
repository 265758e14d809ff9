"""Answer the editor's questions about calls. A question reruns only this fragment, so no program waits for it."""

import streamlit as st

from explorer.analysis.operations.signatures import find_signature
from explorer.ui.components.script import component, component_state

KEY = "script_asks"

_asks = component("explorer_asks", "", "editor/asks.js")


@st.fragment
def answers() -> None:
    """Send what is known about the call that the editor asked about last."""
    told = component_state(KEY, "asked")
    name, count = (told.get("name"), told.get("count")) if isinstance(told, dict) else (None, None)
    known = find_signature(name) if isinstance(name, str) else None
    data = {"name": name, "count": count, "signature": "", "sentence": ""}
    if known:
        data |= {"signature": known.signature, "sentence": known.sentence}
    _asks(data=data, key=KEY, default={"asked": None}, on_asked_change=lambda: None)
