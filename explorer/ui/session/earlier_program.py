"""The programs that an example or a saved run has replaced."""

import streamlit as st

from explorer.lessons.gallery import gallery
from explorer.ui.session.document import Document
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT, FIRST_TRAINING

EARLIER = "_earlier"  # session state: these programs, the latest last
MOST = 10


def earlier() -> Document | None:
    """The program that was replaced last, or None."""
    programs: list[Document] = st.session_state.get(EARLIER, [])
    return programs[-1] if programs else None


def taken_back() -> Document:
    """Remove and return that program. There must be one."""
    return st.session_state[EARLIER].pop()


def forget_earlier() -> None:
    """Stop offering it."""
    st.session_state.pop(EARLIER, None)


def keep_earlier(now: Document) -> None:
    """Keep the session's program, which another is about to replace.

    Only programs that the user wrote or changed are kept: the app's own can be opened again.
    """
    own = {
        FIRST_SIGHT,
        FIRST_TRAINING,
        *(example.program for example in EXAMPLES),
        *(example.program for example in gallery().examples.values()),
    }
    if len(now.texts) > 1 or not own.issuperset(now.texts):
        programs: list[Document] = st.session_state.setdefault(EARLIER, [])
        programs.append(now)
        del programs[:-MOST]
