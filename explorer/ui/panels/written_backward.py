"""Write the picture's backward as code, in *File*."""

from functools import partial

import streamlit as st

from explorer.analysis.explain.autograd.backward_code import MOST
from explorer.drawing.marks import quoted
from explorer.drawing.picture import Picture
from explorer.program import Program, Unusable, write_program
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import computed
from explorer.ui.session.run_wait import status_html
from explorer.ui.session.saved_run import is_saved
from explorer.workers.backward_check import CheckedCode, checked_code, options_of

ASKED = "_written_asked"  # session state: the run whose code is shown, until it is closed


def written_backward(picture: Picture, lang: str) -> None:
    """Show the code in a dialog until it is closed or another program runs."""
    if st.session_state.get(ASKED) is picture.trace:
        st.dialog(say(lang, "backward-code"), width="large", on_dismiss=_close)(_written)(picture, lang)


def _close() -> None:
    st.session_state.pop(ASKED, None)


def _written(picture: Picture, lang: str) -> None:
    """Draw the code, which is run and checked first."""
    trace, backward = picture.trace, picture.view.backward
    find = partial(_checked, trace, backward, lang)
    found = CheckedCode(why="saved") if is_saved(trace) else memoize("written", trace, find, backward, lang)
    if found.code is None or found.program is None:
        st.html(f'<p class="quiet">{quoted(say(lang, "backward-code-none", why=found.why, name="", most=MOST))}</p>')
        return
    kind = f"{'exact' if found.exact else 'rounded'}{'-grad' if found.code.grads else ''}"
    st.html(f'<p class="quiet">{status_html("good", say(lang, f"backward-code-{kind}"))}</p>')
    st.code(found.code.text, language="python")
    text = write_program(found.program, "py")
    open_as_program(text, lang, "written_open", "backward.py", say(lang, "backward-code-open"))


def _checked(trace: Trace, backward: int | None, lang: str) -> CheckedCode:
    def run(program: Program) -> Trace | None:
        result = computed(program, lang, options_of(trace), like=trace)
        return None if isinstance(result, Unusable) else result

    return checked_code(trace, backward, lang, run)
