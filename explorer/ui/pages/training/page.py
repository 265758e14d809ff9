"""The lens Training: what each step of the program did to the loss and to every parameter, played or step by step."""

from collections import Counter
from collections.abc import Mapping
from html import escape

import streamlit as st

from explorer.analysis.autograd.cells import called_backwards
from explorer.analysis.training.strips import MEASURES
from explorer.analysis.training.view import TrainingView, nearest, training_places, training_view
from explorer.drawing.marks import quoted
from explorer.drawing.remarks import remarks_html
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.segments import segments
from explorer.ui.pages.autograd import page as workbench
from explorer.ui.pages.autograd.chips import link
from explorer.ui.pages.autograd.lens import Later, Lens
from explorer.ui.pages.training.before import before, before_line
from explorer.ui.pages.training.details import details
from explorer.ui.pages.training.diseases import cures, grave, signs
from explorer.ui.pages.training.examples import begin_with_example, example_menu, example_words
from explorer.ui.pages.training.film import film, heard
from explorer.ui.pages.training.fit import fit, room_for_fit
from explorer.ui.pages.training.state import STATE
from explorer.ui.session.chosen_line import ProgramPlace
from explorer.ui.session.document import Document
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import AUTOGRAD
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.state import Session, document, gradient_target, session

LOOP = """\
for step in range(100):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    …"""
Places = Mapping[str, tuple[int, ProgramPlace | None]]


class TrainingLens(Lens[int]):
    """The places of a program that call backward in a loop, first the one that trains."""

    entries = False

    def items(self, trace: Trace) -> Places:
        """Every place, by its number; the first by ""."""
        found: dict[str, tuple[int, ProgramPlace | None]] = {}
        for at, place in enumerate(training_places(trace)):
            span = trace.steps.places[place].span
            line = trace.spans[span] if 0 <= span < len(trace.spans) else None
            found[str(at or "")] = place, (line.cell, line.line) if line else None
        return found

    def first(self, trace: Trace, items: Places) -> str:
        """The one that trains."""
        return ""

    def is_good(self, trace: Trace) -> bool:
        """A run with a training, or one that ended well without."""
        return bool(training_places(trace)) or trace.status == "ok"

    def collect(self) -> Session:
        """The session; the program that every session begins with trains nothing."""
        session(STATE)
        begin_with_example()
        return session(STATE)

    def menu(self, lang: str) -> None:
        """The menu of trainings."""
        example_menu(lang)

    def none(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """Why there is nothing to show, and what makes something."""
        if isinstance(result, Unusable):
            return
        calls = (result.backwards[call] for call in called_backwards(result))
        places = Counter(call.span for call in calls if call.kind != "implicit")
        if result.status == "limited" and not len(result.operations):
            told = say(lang, "training-empty-killed")  # whether it calls backward is unknown
        elif places:
            told = say(lang, "training-empty-grads", count=max(places.values()))
        else:
            told = say(lang, "training-empty-implicit")
        st.html(
            f'<section class="tr-empty"><h3>{quoted(say(lang, "training-empty-title"))}</h3><p>{quoted(told)}</p>'
            f"<pre>{escape(LOOP)}</pre><p>{quoted(say(lang, 'training-empty-try'))}</p></section>"
        )
        example_words(lang)

    def one(self, trace: Trace, items: Places, chosen: str, lang: str) -> Later | None:
        """Its diseases, the fit, the loss and the strips; further plots."""
        place = items[chosen][0]
        view = memoize("training", trace, lambda: training_view(trace, place), place)
        texts = tuple(cell.source for cell in trace.own_cells)
        run = str(hash((texts, place)))
        at, row = _take_in(view, run)
        earlier = before(texts, place, view, lang)
        if len(items) > 1:
            _choice(trace, items, lang)
        for words in _notes(trace, view):
            said = say(lang, words, kept=len(view.steps), called=view.called)
            st.html(f'<p class="told" role="status">{quoted(said)}</p>')
        ill = st.empty()
        signs(trace, place, ill, lang)
        of_fit = room_for_fit(trace, view, lang)
        if earlier is not None:
            before_line(earlier, texts, place, view, lang)
        film(view, STATE["measure"], at, row, earlier, run, lang)
        labels = {measure: say(lang, f"training-pick-{measure}") for measure in MEASURES}
        segments(say(lang, "training-measure"), STATE.field("measure"), labels, labelled=True)
        if told := memoize(
            "remarks", trace, lambda: remarks_html(trace, lang, place, without=grave(trace, place)), place, lang
        ):
            st.html(told)
        details(trace, view, earlier, lang)

        def later() -> None:
            fit(trace, view, place, of_fit, lang)
            cures(trace, place, ill, lang)

        return None if is_saved(trace) else later


LENS = TrainingLens(STATE, "place", {})


def page(lang: str) -> None:
    """Draw the page."""
    workbench.page(lang, LENS)


def _take_in(view: TrainingView, run: str) -> tuple[int, int]:
    """Take in what was chosen in the film; the index of the chosen step and parameter, −1 for none."""
    event = heard(run)
    if event.graph is not None:
        _open_graph(view, event.graph)
    if event.step is not None:
        STATE["step"] = event.step
    if event.parameter is not None and event.parameter < len(view.parameters):
        STATE["parameter"] = view.parameters[event.parameter].name
        STATE["more"] = STATE["more"] if STATE["more"] in ("entries", "bands") else "entries"
    at = nearest(view.steps, STATE["step"]) if STATE["step"] else -1
    names = [parameter.name for parameter in view.parameters]
    drawn = STATE["more"] in ("entries", "bands") and STATE["parameter"] in names
    return at, names.index(STATE["parameter"]) if drawn else -1


def _open_graph(view: TrainingView, step: int) -> None:
    """Show the graph of a step; of one whose graph was not kept the nearest, and the time line says so."""
    at = nearest(view.steps, step)
    kept = view.nearest_kept(at)
    if kept is not None:
        beside = 0 if kept == at else int(view.steps[at])
        link(int(view.backwards[kept]), beside, str(hash((document().texts, gradient_target().options))))
        st.switch_page(AUTOGRAD)


def _notes(trace: Trace, view: TrainingView) -> list[str]:
    """Messages about the whole run."""
    found = []
    if trace.status != "ok":
        found.append("training-limited" if trace.status == "limited" else "training-stopped")
    return found + (["training-thinned"] if view.thinned else [])


def _choice(trace: Trace, items: Places, lang: str) -> None:
    """Which of several places that call backward."""
    names = {key: _place_name(trace, place, lang) for key, (place, _) in items.items()}
    now = list(names).index(STATE["place"]) if STATE["place"] in names else 0
    key = f"tr_place_{now}"
    st.selectbox(
        say(lang, "training-place"),
        list(names),
        index=now,
        format_func=names.__getitem__,
        key=key,
        on_change=lambda: STATE.put(place=st.session_state[key], step=0, parameter="", x="", y=""),
        width=260,
    )


def _place_name(trace: Trace, place: int, lang: str) -> str:
    view = memoize(f"training {place}", trace, lambda: training_view(trace, place))
    where = "training-place-cell" if len(trace.cells) > 1 else "training-place-line"
    return say(lang, where, line=view.line, cell=view.cell + 1, name=view.loss_name or "backward")
