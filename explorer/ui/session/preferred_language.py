"""A browser's preferred language, and the message why the app does not run."""

import sys

import streamlit as st

from explorer.text import LANGUAGES, Value, say


def preferred_language() -> str:
    """Return the initial language, from the browser's preference."""
    asked = (st.context.locale or "").lower().split("-")[0]
    return asked if asked in LANGUAGES else LANGUAGES[0]


def refuse(sentence: str, **values: Value) -> None:
    """Show and log why the app does not run."""
    sys.stderr.write(say("en", sentence, **values) + "\n")
    st.error(say(preferred_language(), sentence, **values))
