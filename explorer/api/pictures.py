"""Answers that show themselves in a notebook: the picture of a training."""

from dataclasses import dataclass, field
from pathlib import Path

from explorer.analysis.views.training.strips import MEASURES, Measure
from explorer.analysis.views.training.training_view import TrainingView, training_places, training_view
from explorer.drawing.training.film import MOST_ROWS, film_data, film_html, training_frame, training_page
from explorer.text import say
from explorer.trace import Trace


class NoTraining(LookupError):
    """Raised if no place (or not the requested one) repeats backward."""


@dataclass(frozen=True, repr=False)
class TrainingPicture:
    """Picture of a training, displayed by Jupyter.

    Attributes:
        view: its steps. measure: what the strips show. lang: language of the labels.
    """

    view: TrainingView = field(compare=False)
    measure: Measure
    lang: str

    def html(self) -> str:
        """Return a standalone page whose cursor follows the pointer and the arrow keys."""
        view = self.view
        film = film_html(view, self.measure, self.lang)
        return training_page(film, film_data(view, self.measure, self.lang), self.lang, self._title(), self.thinned)

    @property
    def thinned(self) -> str:
        """Sentence about the number of kept steps, "" if all were kept."""
        counts = {"kept": len(self.view.steps), "called": self.view.called}
        return say(self.lang, "training-thinned", **counts) if self.view.thinned else ""

    def save(self, path: str | Path) -> None:
        """Write the picture as .html. Raises ValueError for other suffixes."""
        if Path(path).suffix.lower() != ".html":
            raise ValueError(f"{path}: a training is saved as .html. trace.steps.to_pandas() has its numbers")
        Path(path).write_text(self.html(), encoding="utf-8")

    def _title(self) -> str:
        return f"{say(self.lang, 'nav-training')}: {self.view.loss_name or 'backward'}"

    def __repr__(self) -> str:
        view = self.view
        first, last = float(view.loss[0]), float(view.loss[-1])
        at = f" at line {view.line}" if view.line else ""
        counts = f"{view.called} steps, {len(view.parameters)} parameters"
        return f"<Training of {view.loss_name or 'backward'}{at}: {counts}, loss {first:.3g} → {last:.3g}>"

    def _repr_html_(self) -> str:
        return training_frame(self.html(), self._title(), min(MOST_ROWS, len(self.view.parameters)))


def training_picture(trace: Trace, place: int = 0, measure: Measure = "gradient", lang: str = "en") -> TrainingPicture:
    """Draw the steps at a place.

    Args:
        place: index among the places that call backward more than once, 0 for the one that trains most.
        measure: what the strips show: gradient, value, update, ratio (update / value), zeros or units (share
            without a gradient).

    Raises:
        NoTraining: no such place (a LookupError).
        ValueError: unknown measure.
    """
    if measure not in MEASURES:
        raise ValueError(f"there is no measure {measure!r}; there are {', '.join(MEASURES)}")
    places = training_places(trace)
    if not 0 <= place < len(places):
        if not places:
            raise NoTraining("the code calls backward in no place more than once, so there is no training to show")
        raise NoTraining(f"there is no place {place}: {len(places)} of them call backward more than once, from 0")
    return TrainingPicture(training_view(trace, places[place]), measure, lang)
