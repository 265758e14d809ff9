"""The language a browser prefers, and why the app does not run, said in it."""

import sys

import streamlit as st

from explorer.text import LANGUAGES, Value, say


def preferred_language() -> str:
    """The language to begin with, before anybody chose one."""
    asked = (st.context.locale or "").lower().split("-")[0]
    return asked if asked in LANGUAGES else LANGUAGES[0]


def refuse(sentence: str, **values: Value) -> None:
    """Tell the user and the server's log why the app does not run."""
    sys.stderr.write(say("en", sentence, **values) + "\n")
    st.error(say(preferred_language(), sentence, **values))
