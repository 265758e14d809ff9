"""The root of a backward plotted over one entry of a leaf, with the gradient as the slope of its tangent.

Once it is open it follows every run, also while a number in the code is dragged.
"""

from concurrent.futures import Future, wait

import streamlit as st

from explorer.analysis.gradcheck import LeafCurve
from explorer.drawing.derivatives.leaf_plot import leaf_plot
from explorer.drawing.picture import Picture
from explorer.drawing.sentences import said_html
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.ui.components.linked_html import linked
from explorer.ui.pages.autograd.requested_runs import ask, pending, waiting
from explorer.ui.session.given_files import given, unmarked
from explorer.ui.session.run_wait import draw_anew
from explorer.workers.gradcheck import leaf_curve

PLOTTED = "_plotted"  # session state: the request
OPEN, LAST = "_plot_open", "_plot_last"  # session state: whether plots are open; name and HTML of the last one
AT_ONCE = 0.4  # seconds that the page waits for a plot, so that it comes with the other numbers


def plot_button(root: str, name: str, lang: str) -> None:
    """The button that opens or closes the plot."""
    opened = st.session_state.get(OPEN, False)
    words = say(lang, "plot-hide") if opened else unmarked(say(lang, "plot-show", root=root, name=name))
    if st.button(words, key="leaf_plot", help=say(lang, "plot-hint")):
        st.session_state[OPEN] = not opened
        draw_anew()


def plot(picture: Picture, leaf: int, entry: int, root: str, name: str, lang: str) -> None:
    """Draw the plot if plots are open."""
    if not st.session_state.get(OPEN, False):
        return
    answer = _answer(picture, leaf, entry)
    if answer is not None and answer.done():
        html = _html(answer, root, name, lang)
        st.session_state[LAST] = name, html
        linked(html, "leaf_curve")
        return
    of, html = st.session_state.get(LAST, ("", ""))
    if of == name:
        linked(f'<div class="is-behind">{html}</div>', "leaf_curve")
    waiting(PLOTTED, say(lang, "plot-running"))


def _answer(picture: Picture, leaf: int, entry: int) -> Future | None:
    """The answer for this picture; None while that to an earlier one is awaited: one at a time is on its way."""
    answer = pending(PLOTTED, picture, leaf, entry)
    if answer is not None:
        return answer
    earlier = st.session_state.get(PLOTTED, (None, (), None))[2]
    if earlier is not None and not earlier.done():
        return None
    trace, files, who = picture.trace, given(), visitor(st.context.ip_address)
    run = lambda: leaf_curve(trace, leaf, entry, picture.view.backward, files, visitor=who)  # noqa: E731
    answer = ask(PLOTTED, picture, run, leaf, entry)
    wait([answer], AT_ONCE)
    return answer


def _html(answer: Future, root: str, name: str, lang: str) -> str:
    found = "time" if answer.exception() is not None else answer.result()
    if isinstance(found, LeafCurve):
        return leaf_plot(found, root, name, lang)
    return f'<p class="numbers" role="status">{said_html(lang, "plot-none", why=found)}</p>'
