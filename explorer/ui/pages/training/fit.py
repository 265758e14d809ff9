"""The data and the model's prediction beside them, from a run of its own that the page waits for at its end."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.training.fit import NoFit, fit_of, fit_program, may_fit
from explorer.analysis.training.view import TrainingView, nearest
from explorer.drawing.training.fit import fit_html
from explorer.program import Unusable
from explorer.trace import Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.components.session_values import SessionValue
from explorer.ui.pages.training.state import STATE
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import computed

ROOM = '<div class="fit-room" aria-hidden="true"></div>'
_drawn = SessionValue[tuple[object, ...]]("_training_fit", tuple)  # view, language and HTML of the last one


def room_for_fit(trace: Trace, view: TrainingView, lang: str) -> DeltaGenerator:
    """The place of the fit: the fit where it is known, otherwise room for it if there may be one."""
    place = st.empty()
    if _known(view, lang) is not None:
        _draw(place, view, lang)
    elif trace.status == "ok" and memoize("may fit", trace, lambda: may_fit(trace)):
        place.html(ROOM)
    return place


def fit(trace: Trace, view: TrainingView, of: int, place: DeltaGenerator, lang: str) -> None:
    """Draw it; nothing where the model's input has more than two numbers. `of`: which place calls backward."""
    if _known(view, lang) is None:
        _drawn.put((view, lang, _html(trace, view, of, lang)))
        _draw(place, view, lang)


def _known(view: TrainingView, lang: str) -> str | None:
    """The HTML that was drawn for this view: "" where the model has no picture, None where none was drawn yet."""
    match _drawn.get():
        case (of, str(language), str(html)) if of is view and language == lang:
            return html
    return None


def _draw(place: DeltaGenerator, view: TrainingView, lang: str) -> None:
    if html := _known(view, lang):
        with place.container():
            linked(html, "tr_fit_picture")
    else:
        place.empty()


def _html(trace: Trace, view: TrainingView, of: int, lang: str) -> str:
    if trace.status != "ok" or not memoize("may fit", trace, lambda: may_fit(trace)):
        return ""
    program, options = fit_program(trace, view)
    result = computed(program, lang, options, like=trace)
    if isinstance(result, Unusable):
        return ""
    try:
        found = fit_of(result, trace, of)
    except NoFit:
        return ""
    return fit_html(found, nearest(found.steps, STATE["step"] or view.called), lang)
