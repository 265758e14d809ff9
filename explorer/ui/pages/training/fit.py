"""The data and the model's prediction beside them, from a run of its own that the page waits for at its end."""

from explorer.analysis.training.fit import NoFit, fit_of, fit_program, may_fit
from explorer.analysis.training.view import TrainingView
from explorer.drawing.training.fit import fit_html
from explorer.program import Unusable
from explorer.trace import Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.pages.training.state import STATE
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import computed


def fit(trace: Trace, view: TrainingView, place: int, lang: str) -> None:
    """Draw it into the current container; nothing where the model's input has more than two numbers."""
    if trace.status != "ok" or not memoize("may fit", trace, lambda: may_fit(trace)):
        return
    program, options = fit_program(trace, view)
    result = computed(program, lang, options, like=trace)
    if isinstance(result, Unusable):
        return
    try:
        found = memoize("training fit", result, lambda: fit_of(result, trace, place), place)
    except NoFit:
        return
    at = found.nearest(STATE["step"] or view.called)
    linked(memoize("fit drawn", found, lambda: fit_html(found, at, lang), at, lang), "tr_fit_picture")
