"""The Training lens: how each step changed the loss and every parameter."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import streamlit as st

from explorer.analysis.explain.autograd.gradients import called_backwards
from explorer.analysis.views.training.changes import Changed, changes
from explorer.analysis.views.training.strips import MEASURES
from explorer.analysis.views.training.training_view import TrainingView, nearest, training_places, training_view
from explorer.drawing.marks import quoted
from explorer.drawing.training.loss import Earlier
from explorer.lessons.gallery import Example, gallery
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.choice import choice, segments
from explorer.ui.pages.autograd import page as workbench
from explorer.ui.pages.autograd.chips import link
from explorer.ui.pages.autograd.lens import Lens
from explorer.ui.pages.training.details import details
from explorer.ui.pages.training.film import PAGE, STATE, film, forget_choices, heard
from explorer.ui.pages.training.watched import watched_page
from explorer.ui.session.chosen_line import ProgramPlace
from explorer.ui.session.document import Document
from explorer.ui.session.examples import FIRST_SIGHT, FIRST_TRAINING
from explorer.ui.session.lessons import begin
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import AUTOGRAD
from explorer.ui.session.state import Session, document, gradient_target, open_text, session
from explorer.ui.session.watched_file import watched_path


def trainings() -> tuple[Example, ...]:
    """Return the examples of the gallery that open on this page."""
    return tuple(example for example in gallery().examples.values() if example.page == PAGE)


def take(example: Example) -> None:
    """Replace the session's program with an example."""
    open_text(f"{example.id}.py", example.program, ours=True)
    begin("gallery", example.id)
    forget_choices()


def example_menu(lang: str) -> None:
    """Draw the menu if there are examples."""
    if examples := trainings():
        labels = {one.id: getattr(one.title, lang, one.title.en) for one in examples}
        choice(say(lang, "examples"), "examples", labels, lambda name: take(gallery().examples[name]))


def example_words(lang: str) -> None:
    """Draw the examples as buttons, for a page that has nothing else to show."""
    examples = trainings()
    with st.container(key="tr_try", horizontal=True, gap="small"):
        first = say(lang, "training-first")
        st.button(first, key="tr_try_first", on_click=_take_first)
        for example in examples[:8]:
            label = getattr(example.title, lang, example.title.en)
            st.button(label, key=f"tr_try_{example.id}", on_click=take, args=(example,))


def _take_first() -> None:
    open_text("training.py", FIRST_TRAINING, ours=True)
    STATE.put(measure="gradient")
    forget_choices()


LOOP = """\
for step in range(100):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    …"""
Places = Mapping[str, tuple[int, ProgramPlace | None]]


class TrainingLens(Lens[int]):
    """A program's loops with backward, the training one first."""

    entries = False

    def items(self, trace: Trace) -> Places:
        """Map numbers to places. The first is ""."""
        places: dict[str, tuple[int, ProgramPlace | None]] = {}
        for at, place in enumerate(training_places(trace)):
            span = trace.steps.places[place].span
            line = trace.spans[span] if 0 <= span < len(trace.spans) else None
            places[str(at or "")] = place, (line.cell, line.line) if line else None
        return places

    def first(self, trace: Trace, items: Places) -> str:
        """Return the place that trains."""
        return ""

    def is_good(self, trace: Trace) -> bool:
        """Return whether the run has a training or ended well without."""
        return bool(training_places(trace)) or trace.end == "ok"

    def collect(self) -> Session:
        """Return the session. The program that every session begins with trains nothing."""
        session(STATE)
        if document().texts == (FIRST_SIGHT,):
            open_text("training.py", FIRST_TRAINING, ours=True)
        return session(STATE)

    def menu(self, lang: str) -> None:
        """Draw the menu of trainings."""
        example_menu(lang)

    def none(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """Explain why there is nothing to show, and offer examples."""
        if isinstance(result, Unusable):
            return
        calls = (result.backwards[call] for call in called_backwards(result))
        places = Counter(call.span for call in calls if call.kind != "implicit")
        loop = f"<pre>{escape(LOOP)}</pre>"
        if result.end == "limited" and not len(result.operations):
            words = say(lang, "training-empty-killed")  # whether it calls backward is unknown
        elif places:
            words, loop = say(lang, "training-empty-grads", count=max(places.values())), ""
        else:
            words = say(lang, "training-empty", end=result.end)
        st.html(
            f'<section class="tr-empty"><h3>{quoted(say(lang, "training-empty-title"))}</h3><p>{quoted(words)}</p>'
            f"{loop}<p>{quoted(say(lang, 'training-empty-try'))}</p></section>"
        )
        example_words(lang)

    def one(self, trace: Trace, items: Places, chosen: str, lang: str) -> None:
        """Draw the loss and the strips."""
        place = items[chosen][0]
        view = memoize("training", trace, lambda: training_view(trace, place), place)
        texts = tuple(cell.source for cell in trace.own_cells)
        run = str(hash((texts, place)))
        at, row = _take_in(view, run)
        earlier = before(texts, place, view, lang)
        if len(items) > 1:
            _choice(trace, items, lang)
        for text in _notes(trace, view, lang):
            st.html(f'<p class="message-line" role="status">{quoted(text)}</p>')
        if earlier is not None:
            before_line(earlier, texts, place, view, lang)
        film(view, STATE["measure"], at, row, earlier, run, lang)
        labels = {measure: say(lang, f"training-measure-{measure}.short") for measure in MEASURES}
        segments(say(lang, "training-measure"), STATE.field("measure"), labels, labelled=True)
        details(trace, view, earlier, lang)


LENS = TrainingLens(STATE, "place", {})


def page(lang: str) -> None:
    """Draw the page: the watched training of this server, otherwise a program's."""
    if (path := watched_path()) is not None:
        watched_page(path, lang)
    else:
        workbench.page(lang, LENS)


def _take_in(view: TrainingView, run: str) -> tuple[int, int]:
    """Read the step and parameter chosen in the film, −1 for none."""
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
    """Show a step's graph, or the nearest kept one."""
    at = nearest(view.steps, step)
    position = view.nearest_kept(at)
    if position is not None:
        beside = 0 if position == at else int(view.steps[at])
        link(int(view.backwards[position]), beside, str(hash((document().texts, gradient_target().options))))
        st.switch_page(AUTOGRAD)


def _notes(trace: Trace, view: TrainingView, lang: str) -> list[str]:
    """Return sentences about the whole run."""
    notes = [] if trace.end == "ok" else [say(lang, "training-ended", end=trace.end)]
    thinned = say(lang, "training-thinned", kept=len(view.steps), called=view.called)
    return notes + [thinned] * view.thinned


def _choice(trace: Trace, items: Places, lang: str) -> None:
    """Draw the choice between several places that call backward."""
    names = {key: _place_name(trace, place, lang) for key, (place, _) in items.items()}
    now = list(names).index(STATE["place"]) if STATE["place"] in names else 0
    key = f"tr_place_{now}"
    st.session_state[key] = list(names)[now]  # set each time, because the browser keeps the previous program's words
    st.selectbox(
        say(lang, "training-place"),
        list(names),
        format_func=names.__getitem__,
        key=key,
        on_change=lambda: STATE.put(place=st.session_state[key], step=0, parameter=""),
        width=260,
    )


def _place_name(trace: Trace, place: int, lang: str) -> str:
    view = memoize(f"training {place}", trace, lambda: training_view(trace, place))
    where = say(lang, "place" if len(trace.cells) > 1 else "line", line=view.line, cell=view.cell + 1)
    return say(lang, "labelled", name=where, text=view.loss_name or "backward")


KEPT = "_training_before"  # session state


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A run to compare with. Attributes: texts: of its cells. place: which backward. view: its steps."""

    texts: tuple[str, ...]
    place: int
    view: TrainingView


def before(texts: tuple[str, ...], place: int, view: TrainingView, lang: str) -> Earlier | None:
    """Return the run that this one changed, or None."""
    earlier: KeptRun | None = st.session_state.get(KEPT)
    differences = changes(earlier.texts, texts) if earlier is not None and earlier.place == place else None
    if differences is None:
        st.session_state[KEPT] = KeptRun(texts, place, view)
    if earlier is None or not differences:
        return None
    return Earlier(earlier.view, tuple(_as_text(changed, lang) for changed in differences), _names(differences, lang))


def before_line(earlier: Earlier, texts: tuple[str, ...], place: int, view: TrainingView, lang: str) -> None:
    """Explain the grey curves, with a button to compare with this run."""

    def dismiss() -> None:
        st.session_state[KEPT] = KeptRun(texts, place, view)

    with st.container(key="tr_before", horizontal=True, vertical_alignment="center", gap="small"):
        chips = "".join(f"<code>{quoted(change)}</code>" for change in earlier.changed)
        st.html(f'<p role="status"><i></i>{quoted(say(lang, "training-before"))} {chips}</p>', width="content")
        label, hint = say(lang, "training-before-dismiss"), say(lang, "training-before-hint")
        st.button(label, key="tr_before_dismiss", help=hint, on_click=dismiss)


def _names(differences: tuple[Changed, ...], lang: str) -> tuple[str, str]:
    """Return the names of the two lines: the number, if a single one differs."""
    if len(differences) == 1 and differences[0].after:
        (one,) = differences
        return f"{one.name} {one.before}".strip(), f"{one.name} {one.after}".strip()
    return say(lang, "operations-before"), say(lang, "training-name-now")


def _as_text(changed: Changed, lang: str) -> str:
    where = say(lang, "line", line=changed.line)
    if changed.after:
        return f"{changed.name or where} {changed.before} → {changed.after}"
    return (
        where
        if changed.line == changed.last
        else say(lang, "training-changed-lines", first=changed.line, last=changed.last)
    )
