"""The backward of the picture written out as code, below the player: made, run and checked once it is opened."""

from functools import partial

import streamlit as st

from explorer.drawing.graph.backward_code import backward_html
from explorer.drawing.marks import quoted
from explorer.drawing.picture import Picture
from explorer.program import Program, Unusable, write_program
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.script import component
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import computed
from explorer.ui.session.run_wait import status_html
from explorer.ui.session.saved_run import is_saved
from explorer.workers.backward_check import CheckedCode, checked_code, options_of

_code = component("explorer_backward_code", '<div class="written"></div>', "pages/autograd/written_backward.js")


def written_backward(picture: Picture, lang: str) -> None:
    """Draw it into the current container."""
    opened = st.expander(say(lang, "backward-code"), key="written", on_change="rerun")
    if not opened.open:  # nothing is made or run for a closed one
        return
    trace, backward = picture.trace, picture.view.backward
    with opened:
        find = partial(_checked, trace, backward, lang)
        found = CheckedCode(why="saved") if is_saved(trace) else memoize("written", trace, find, backward, lang)
        if found.code is None or found.program is None:
            said = say(lang, "backward-code-none", why=found.why)
            st.html(f'<p class="quiet">{quoted(said)}</p>')
            return
        kind = f"{'exact' if found.exact else 'rounded'}{'-grad' if found.code.grads else ''}"
        says = f"{status_html('good', say(lang, f'backward-code-{kind}'))} {quoted(say(lang, 'backward-code-lead'))}"
        copy = f'<button type="button" class="copy">{quoted(say(lang, "backward-code-copy"))}</button>'
        with st.container(key="written_bar", horizontal=True, vertical_alignment="center", gap="small"):
            st.html(f'<p class="quiet">{says}</p>', width="stretch")
            st.html(copy, width="content")
            text = write_program(found.program, "py")
            open_as_program(text, lang, "written_open", "backward.py", say(lang, "backward-code-open"))
        make = partial(backward_html, trace, picture.view, found.code)
        html = memoize("written html", (trace, picture.view, found), make)
        copied = say(lang, "backward-code-copied")
        _code(data={"html": html, "text": found.code.text, "copied": copied}, key="written_code")


def _checked(trace: Trace, backward: int | None, lang: str) -> CheckedCode:
    def run(program: Program) -> Trace | None:
        result = computed(program, lang, options_of(trace), like=trace)
        return None if isinstance(result, Unusable) else result

    return checked_code(trace, backward, lang, run)
