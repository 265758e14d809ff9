"""Which two programs are compared: a pair that differs in one line, or the session's own and another."""

import streamlit as st

from explorer.text import say
from explorer.ui.components.choice import choice
from explorer.ui.pages.compare.other import take_text
from explorer.ui.pages.compare.pairs import PAIRS, Pair
from explorer.ui.panels.lesson import lesson
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.lessons import begin, begun
from explorer.ui.session.page_state import PageState
from explorer.ui.session.state import document

PAGE = "compare"
STATE = PageState(PAGE, {"bits": "cp_bits"})
OPENED = "_compare_pair"  # session state: the pair that was opened last and is not left yet


def arrive() -> None:
    """Show the first pair as long as nobody has written a program, and afterwards the user's own."""
    if STATE["program"]:
        return
    if document().texts == (FIRST_SIGHT,):
        if (kept := st.session_state.get(OPENED)) is None:
            _open(PAIRS[0])
        else:
            STATE.put(program=kept.program, name=kept.names[0])
    elif st.session_state.get(OPENED) is not None:
        _own()


def pair_shown() -> bool:
    """Whether A is the program of a pair."""
    return any(pair.program == STATE["program"] for pair in PAIRS)


def choose_pair(own: str, lang: str) -> None:
    """Draw the menu of pairs. `own`: the name of the session's program, which ends it."""
    pairs: dict[str, tuple[Pair | None, str]] = {
        f"cp_pair_{pair.name}": (pair, say(lang, f"comparing-pair-{pair.name}")) for pair in PAIRS
    }
    pairs["cp_pair_own"] = None, say(lang, "comparing-own", name=own)
    choice(say(lang, "comparing-pairs"), "cp_pairs", pairs, lambda pair: _open(pair) if pair else _own())


def pair_line(texts: tuple[str, str], lang: str) -> None:
    """What to see in the pair that was opened, as long as these texts, of A and of B, are its programs."""
    shown = st.session_state.get(OPENED)
    if shown is not None and begun(PAGE) == shown.name and texts == (shown.program, shown.other):
        lesson(PAGE, say(lang, f"comparing-see-{shown.name}"), "", lang)


def _open(pair: Pair) -> None:
    st.session_state[OPENED] = pair
    begin(PAGE, pair.name)
    STATE.put(program=pair.program, name=pair.names[0])
    take_text(pair.other, pair.names[1])


def _own() -> None:
    st.session_state.pop(OPENED, None)
    STATE.put(program="", name="")
    take_text("", "")
