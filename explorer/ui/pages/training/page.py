"""The Training page: the session's program beside what each of its steps did to the loss and to every parameter."""

from collections.abc import Callable
from html import escape
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.autograd.cells import called_backwards
from explorer.analysis.training.strips import MEASURES
from explorer.analysis.training.view import TrainingView, training_places, training_view
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.placeholders import program_html, skeleton_html
from explorer.drawing.remarks import remarks_html
from explorer.program import Unusable
from explorer.sandbox import Run
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.segments import segments
from explorer.ui.editor.component import editor
from explorer.ui.editor.views import editor_view, unrun_view
from explorer.ui.pages.autograd.chips import link
from explorer.ui.pages.training.before import before, before_line
from explorer.ui.pages.training.details import details
from explorer.ui.pages.training.diseases import cures, grave, signs
from explorer.ui.pages.training.examples import begin_with_example, example_menu, example_words
from explorer.ui.pages.training.film import film, heard
from explorer.ui.pages.training.fit import fit
from explorer.ui.pages.training.numbers import numbers
from explorer.ui.pages.training.state import STATE, arrive
from explorer.ui.panels.gallery import earlier_line, gallery_line
from explorer.ui.panels.notices import opened_line
from explorer.ui.panels.problems import problems, problems_html
from explorer.ui.session.drawn_parts import is_drawn, mark_drawn
from explorer.ui.session.edits import Edit
from explorer.ui.session.limits import more_time
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import AUTOGRAD
from explorer.ui.session.program_run import RunResult, begin, may_autorun, ready, run, stop
from explorer.ui.session.run_status import busy, status_html
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.startup import wait_until_ready
from explorer.ui.session.state import document, gradient_target, in_address, runs_again

LAST = "_training_last"  # session state: the last run that could be shown
MOST_PROBLEMS = 3
FEW_STRIPS = 8  # below so many the fit has room
LOOP = """\
for step in range(100):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    …"""


class Drawn(NamedTuple):
    """A training that is drawn. Attributes: trace, view: of its run; of: its place; place: where its fit
    goes; ill: where its diseases are named."""

    trace: Trace
    view: TrainingView
    of: int
    place: DeltaGenerator
    ill: DeltaGenerator


def page(lang: str) -> None:
    """Draw it. The program runs between what the browser said and everything that shows what it did."""
    edit = arrive()
    begin_with_example()
    if document().may_run and ready():
        begin(document().texts, gradient_target().options, document().program)
    with st.container(key="training"):
        with st.container(key="tr_head", horizontal=True, vertical_alignment="bottom"):
            lead = quoted(say(lang, "training-lead"))
            st.html(f'<h2 class="page-title">{quoted(say(lang, "training-title"))}</h2><p class="lede">{lead}</p>')
            example_menu(lang)
        gallery_line(STATE, lang)
        earlier_line(lang)
        left, right = st.columns([46, 54], gap="medium")
        with left, st.container(key="tr_side", gap=None):
            with st.container(key="tr_left", gap=None):
                with st.container(key="tr_bar", horizontal=True, vertical_alignment="center"):
                    st.html(f"<b>{quoted(document().name)}</b>", width="stretch")
                    status = st.container(
                        key="tr_status", horizontal=True, width="content", vertical_alignment="center"
                    )
                with st.container(key="tr_opened", gap=None):
                    opened_line(document(), lang)
                program = st.container(key="tr_program", gap=None)
                below = st.container(key="tr_below", gap=None)
            if document().may_run:
                numbers()
            beside_text = st.container(key="tr_fit_beside", gap=None)
        if not ready():
            program.html(program_html(document().texts))
        with right, st.container(key="tr_right"):
            wait_until_ready(lang, skeleton_html("chart"))
        if not document().may_run:
            runs = may_autorun() or runs_again(document())
            with program:
                st.empty()
                editor(document(), unrun_view(document(), ask=runs), edit, lang)
                mark_drawn("text", document().revision)
            if runs:
                right.html(skeleton_html("chart"))
            else:
                right.html(f'<p class="notice">{quoted(say(lang, "page-not-run"))}</p>')
            return _tell(lang)
        with program:
            text_meanwhile = st.empty()
        with right:
            picture_meanwhile = st.empty()

        def meanwhile() -> None:
            if not is_drawn("text", document().revision):
                text_meanwhile.html(program_html(document().texts))

        if not is_drawn("picture", document().revision):
            picture_meanwhile.html(skeleton_html("chart"))
        shown = _ran(status, meanwhile, lang)
        text_meanwhile.empty()
        picture_meanwhile.empty()
        with program:
            editor(document(), editor_view(document(), shown, None, None, False, lang), edit, lang)
        _below(below, shown, lang)
        with right, st.container(key="tr_film"):
            drawn = _training(shown, edit, lang)
        if drawn is not None:  # below many strips nobody would see it
            with drawn.place if len(drawn.view.parameters) <= FEW_STRIPS else beside_text:
                fit(drawn.trace, drawn.view, drawn.of, lang)
            cures(drawn.trace, drawn.of, drawn.ill, lang)
        mark_drawn("text", document().revision)
        mark_drawn("picture", document().revision)
    _tell(lang)


def _tell(lang: str) -> None:
    STATE.tell(lang, **in_address(document()))


def _ran(status: DeltaGenerator, meanwhile: Callable[[], None], lang: str) -> RunResult:
    """What the program left behind; the bar says that it runs, with a way to stop it, and then how it ended.

    Args:
        meanwhile: draws what stands on a page that was just opened until then.
    """
    with status:
        line, button = st.empty(), st.empty()
    pressable: list[bool] = []

    def running(work: Run) -> None:
        line.html(busy(work, lang))
        if not pressable:
            pressable.append(True)
            meanwhile()
            button.button(say(lang, "stop"), key="stop", help=say(lang, "stop-hint"), on_click=stop)
        _tell(lang)

    shown = run(document().texts, gradient_target().options, document().program, running)
    button.empty()
    line.html(_outcome(shown, lang))
    return shown


def _outcome(shown: RunResult, lang: str) -> str:
    found = memoize("training problems", shown, lambda: problems(shown.result, lang), lang)
    if not found:
        return status_html("good", say(lang, "status-ran"))
    line = found[0].line
    return status_html("bad", say(lang, "status-stopped", line=line) if line else say(lang, "status-failed"))


def _below(place: DeltaGenerator, shown: RunResult, lang: str) -> None:
    """What went wrong, below the program."""
    with place:
        if not is_saved(shown.result):
            more_time(shown.result, lang)
        if found := memoize("training problems", shown, lambda: problems(shown.result, lang), lang):
            st.html(problems_html(found[:MOST_PROBLEMS], lang))


def _training(shown: RunResult, edit: Edit | None, lang: str) -> Drawn | None:
    """The training of a run. A run without a training shows the last one while the user types, otherwise a hint.

    Returns it where it is that of the program as it is now.
    """
    result, stale = shown, False
    if not _places(shown):
        last: RunResult | None = st.session_state.get(LAST)
        typing = edit is not None and not edit.settled
        broken = isinstance(shown.result, Unusable) or shown.result.status != "ok"
        if last is None or not (typing or broken):
            _empty(shown, lang)
            return None
        result, stale = last, True
    else:
        st.session_state[LAST] = shown
    if isinstance(result.result, Unusable):
        return None
    with st.container(key="tr_stale" if stale else "tr_body"):
        drawn = _body(result.result, result.texts, stale, lang)
    return None if stale or is_saved(result.result) else drawn


def _places(shown: RunResult) -> tuple[int, ...]:
    return () if isinstance(shown.result, Unusable) else training_places(shown.result)


def _body(trace: Trace, texts: tuple[str, ...], stale: bool, lang: str) -> Drawn:
    found = training_places(trace)
    run_name = str(hash((texts, trace.cells[0].source if trace.cells else "")))
    event = heard(run_name)
    _controls(trace, found, lang)
    place = found[STATE["place"] if STATE["place"] < len(found) else 0]
    view = memoize("training", trace, lambda: training_view(trace, place), place)
    if event.step is not None:
        STATE["step"] = event.step
    if event.graph is not None:
        _open_graph(view, event.graph, texts)
    if event.parameter is not None and event.parameter < len(view.parameters):
        STATE["parameter"] = view.parameters[event.parameter].name
        STATE["more"] = STATE["more"] if STATE["more"] in ("entries", "bands") else "entries"
    at = view.nearest(STATE["step"]) if STATE["step"] else -1
    names = [parameter.name for parameter in view.parameters]
    row = (
        names.index(STATE["parameter"]) if STATE["parameter"] in names and STATE["more"] in ("entries", "bands") else -1
    )
    earlier = None if stale else before(texts, place, view, lang)
    for words in _notes(trace, view, stale):
        st.html(
            f'<p class="told" role="status">{quoted(say(lang, words, kept=len(view.steps), called=view.called))}</p>'
        )
    if earlier is not None:
        before_line(earlier, texts, place, view, lang)
    ill = st.empty()
    signs(trace, place, ill, lang)
    film(view, STATE["measure"], at, row, earlier, run_name, lang)
    place_of_fit = st.container(key="tr_fit", gap=None)
    if told := memoize(
        "remarks", trace, lambda: remarks_html(trace, lang, place, without=grave(trace, place)), place, lang
    ):
        st.html(told)
    details(trace, view, earlier, lang)
    return Drawn(trace, view, place, place_of_fit, ill)


def _open_graph(view: TrainingView, step: int, texts: tuple[str, ...]) -> None:
    """Show the graph of a step; of one whose graph was not kept the nearest, and the time line says so."""
    at = view.nearest(step)
    kept = view.nearest_kept(at)
    if kept is not None:
        beside = 0 if kept == at else int(view.steps[at])
        link(int(view.backwards[kept]), beside, str(hash((texts, gradient_target().options))))
        st.switch_page(AUTOGRAD)


def _notes(trace: Trace, view: TrainingView, stale: bool) -> list[str]:
    """Messages about the whole run."""
    found = ["training-stale"] if stale else []
    if not stale and trace.status != "ok":
        found.append("training-limited" if trace.status == "limited" else "training-stopped")
    return found + (["training-thinned"] if view.thinned else [])


def _controls(trace: Trace, found: tuple[int, ...], lang: str) -> None:
    """What the strips show, and which of several places that call backward."""
    with st.container(key="tr_controls", horizontal=True, vertical_alignment="bottom"):
        if len(found) > 1:
            names = [_place_name(trace, place, lang) for place in found]
            now = STATE["place"] if STATE["place"] < len(found) else 0
            chosen = st.selectbox(
                say(lang, "training-place"),
                range(len(found)),
                index=now,
                format_func=lambda place: names[place],
                key="tr_place",
                on_change=lambda: STATE.put(place=st.session_state["tr_place"], step=0, parameter="", x="", y=""),
                width=260,
            )
            STATE["place"] = chosen
        labels = {measure: say(lang, f"training-pick-{measure}") for measure in MEASURES}
        segments(say(lang, "training-measure"), STATE.field("measure"), labels, labelled=True)


def _place_name(trace: Trace, place: int, lang: str) -> str:
    view = memoize(f"training {place}", trace, lambda: training_view(trace, place))
    where = "training-place-cell" if len(trace.cells) > 1 else "training-place-line"
    return say(lang, where, line=view.line, cell=view.cell + 1, name=view.loss_name or "backward")


def _empty(shown: RunResult, lang: str) -> None:
    """Why there is nothing to show, and what makes something."""
    if isinstance(shown.result, Unusable):
        return
    calls = [i for i in called_backwards(shown.result) if shown.result.backwards[i].kind != "implicit"]
    if shown.result.status == "limited" and not len(shown.result.operations):
        told = say(lang, "training-empty-killed")  # whether it calls backward is unknown
    elif calls:
        told = say(lang, "training-empty-grads", count=len(calls))
    else:
        told = say(lang, "training-empty-implicit")
    title = say(lang, "training-empty-title")
    st.html(
        f'<section class="tr-empty"><h3>{quoted(title)}</h3><p>{quoted(told)}</p><pre>{escape(LOOP)}</pre>'
        f"<p>{quoted(say(lang, 'training-empty-try'))}</p></section>"
    )
    example_words(lang)
