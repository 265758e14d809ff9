"""The kernel's answers to a notebook training: steps, parameter rows, measures."""

from dataclasses import replace
from typing import Any, Protocol, Self

from explorer.analysis.training.strips import MEASURES, Measure
from explorer.analysis.training.view import TrainingView, nearest
from explorer.drawing.training.film import MOST_ROWS, film_data, film_html
from explorer.drawing.training.step import step_html, table_html
from explorer.text import say


class DrawnTraining(Protocol):
    """A training (`explorer.api.pictures.TrainingPicture`)."""

    @property
    def view(self) -> TrainingView: ...
    @property
    def measure(self) -> Measure: ...
    @property
    def lang(self) -> str: ...
    @property
    def thinned(self) -> str: ...
    def measuring(self, measure: Measure) -> Self: ...


def shown(training: DrawnTraining) -> dict[str, Any]:
    """Return the script's drawing data."""
    view, measure, lang = training.view, training.measure, training.lang
    return {
        "html": film_html(view, measure, lang),
        "film": film_data(view, measure, lang),
        "measures": {one: say(lang, f"training-measure-{one}.short") for one in MEASURES},
        "measure": measure,
        "label": say(lang, "training-measure"),
        "thinned": training.thinned,
    }


def answer(training: DrawnTraining, message: object) -> tuple[DrawnTraining, dict[str, str]]:
    """Return the training after a script message, and the requested HTML."""
    view, lang = training.view, training.lang
    match message:
        case {"measure": str(name)} if name in MEASURES:
            return training.measuring(next(one for one in MEASURES if one == name)), {}
        case {"step": int(step)} if len(view.steps):
            return training, {"html": step_html(view, nearest(view.steps, step), lang)}
        case {"parameter": int(place)} if 0 <= place < min(MOST_ROWS, len(view.parameters)):
            chosen = replace(view, parameters=(view.parameters[place],))
            return training, {"html": table_html(chosen, training.measure, lang)}
    return training, {}
