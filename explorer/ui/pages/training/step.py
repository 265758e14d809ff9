"""The numbers of the chosen step, and the way to its graph on the workbench."""

import streamlit as st

from explorer.analysis.training.view import TrainingView
from explorer.drawing.marks import quoted
from explorer.drawing.training.step import step_html
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.pages.autograd.chips import link
from explorer.ui.pages.training.state import STATE
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import AUTOGRAD
from explorer.ui.session.state import gradient_target


def step_panel(trace: Trace, view: TrainingView, at: int, texts: tuple[str, ...], lang: str) -> None:
    """Draw it. `at`: index of the kept step."""
    step = int(view.steps[at])
    with st.container(key="tr_step"):
        with st.container(key="tr_step_head", horizontal=True, vertical_alignment="center"):
            st.html(f"<h3>{quoted(say(lang, 'training-numbers-of-step', step=step))}</h3>", width="stretch")
            kept = view.nearest_kept(at)
            if kept is None:
                st.html(f'<p class="quiet">{quoted(say(lang, "training-open-none"))}</p>', width="content")
            elif st.button(say(lang, "training-open-step"), key="tr_open_step"):
                beside = 0 if kept == at else step  # its graph was not kept: the time line says so
                link(int(view.backwards[kept]), beside, str(hash((texts, gradient_target().options))))
                st.switch_page(AUTOGRAD)
            close = say(lang, "training-close-step")
            st.button(close, key="tr_close_step", on_click=lambda: STATE.put(step=0))
        st.html(memoize("training step", view, lambda: step_html(view, at, lang), at, lang))
