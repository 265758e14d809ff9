"""The loss and strips as a component, with the chosen step and parameter."""

from dataclasses import dataclass

import streamlit as st

from explorer.analysis.views.training.strips import Measure
from explorer.analysis.views.training.training_view import TrainingView
from explorer.drawing.training.film import film_data, film_html
from explorer.drawing.training.loss import Earlier
from explorer.ui.components.script import component, component_state
from explorer.ui.session.memo import memoize
from explorer.ui.session.page_state import PageState

ACTS = "step", "parameter", "graph"
KEY, SEEN = "training_film", "_training_film_seen"  # session state: the component, and the last messages

_film = component("explorer_film", '<div class="film-root"></div>', "../drawing/training/film.js")
PAGE = "training"
STATE = PageState(PAGE, {"measure": "tr_measure", "more": "tr_more", "of": "tr_of"})


@dataclass(frozen=True)
class FilmEvent:
    """The user's action since the last check.

    Attributes: step: its number, 0 to deselect. parameter: its row. graph: the step whose graph to open.
    """

    step: int | None = None
    parameter: int | None = None
    graph: int | None = None


def heard(run: str) -> FilmEvent:
    """Return the choices since the last call in this run's film."""
    seen = st.session_state.setdefault(SEEN, {})
    acts: dict[str, int] = {}
    for name in ACTS:
        message = component_state(KEY, name)
        if message == seen.get(name):
            continue
        seen[name] = message
        match message:
            case {"run": str(of)} if of == run and isinstance(message.get(name), int):
                acts[name] = message[name]
    return FilmEvent(**acts | ({"step": max(0, acts["step"])} if "step" in acts else {}))


def film(view: TrainingView, measure: Measure, at: int, row: int, earlier: Earlier | None, run: str, lang: str) -> None:
    """Draw the film. `at`, `row`: index of the chosen step and parameter, or −1."""
    past = tuple(map(id, earlier.views)) if earlier else ()
    html = memoize(f"{KEY} html", view, lambda: film_html(view, measure, lang, row, earlier), measure, lang, row, past)
    fields = memoize(f"{KEY} data", view, lambda: film_data(view, measure, lang, earlier, True), measure, lang, past)
    data = {"html": html, "film": {**fields, "at": at}, "run": run}
    _film(data=data, key=KEY, default=dict.fromkeys(ACTS))


def forget_choices() -> None:
    """Forget choices of the previous program."""
    STATE.put(place="", step=0, parameter="")
