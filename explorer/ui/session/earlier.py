"""The programs that were there before an example or a saved run took their place."""

import streamlit as st

from explorer.lessons.gallery import gallery
from explorer.ui.session.document import Document
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT, FIRST_TRAINING

EARLIER = "_earlier"  # session state: they, the latest last
MOST = 10


def earlier() -> Document | None:
    """The program that was there before, None when there is none to go back to."""
    kept: list[Document] = st.session_state.get(EARLIER, [])
    return kept[-1] if kept else None


def taken_back() -> Document:
    """The same, which is kept no longer. There must be one."""
    return st.session_state[EARLIER].pop()


def forget_earlier() -> None:
    """Offer it no more."""
    st.session_state.pop(EARLIER, None)


def keep_earlier(now: Document) -> None:
    """Keep the session's program, which another is about to replace.

    Only what somebody wrote or changed: the app's own programs are found again where they came from.
    """
    own = {
        FIRST_SIGHT,
        FIRST_TRAINING,
        *(one.program for one in EXAMPLES),
        *(one.program for one in gallery().examples.values()),
    }
    if len(now.texts) > 1 or not own.issuperset(now.texts):
        kept: list[Document] = st.session_state.setdefault(EARLIER, [])
        kept.append(now)
        del kept[:-MOST]
