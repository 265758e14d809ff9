"""The workbench: program on the left, picture on the right."""

from dataclasses import dataclass, field, replace
from functools import partial
from html import escape

import streamlit as st
from msgspec import structs

from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.explain.autograd import selected_backward
from explorer.analysis.explain.autograd.cells import backward_of_cell
from explorer.analysis.views.tensors.line_picture import lines_with_pictures, shares_memory
from explorer.analysis.views.tensors.tensor_list import tensor_list
from explorer.drawing.marks import message_html
from explorer.drawing.notebook.placeholders import skeleton_html
from explorer.drawing.picture import Picture
from explorer.program import Unusable
from explorer.sandbox import SubmittedRun
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Options, Span, Trace
from explorer.ui.components.place import Place
from explorer.ui.components.session_values import SessionValue
from explorer.ui.components.watch import drawing, render_or_default
from explorer.ui.editor.component import editor
from explorer.ui.editor.views import editor_view, unrun_view
from explorer.ui.pages.autograd import predict
from explorer.ui.pages.autograd.bar import Status, bar, outcome_html, welcome
from explorer.ui.pages.autograd.bench import apply_layout, bench
from explorer.ui.pages.autograd.chips import ShownStep, chips, chosen, is_counted, link, linked, of_picture, step_number
from explorer.ui.pages.autograd.graph import forget_choice
from explorer.ui.pages.autograd.leaf_plot import Containers, containers
from explorer.ui.pages.autograd.lens import Lens
from explorer.ui.pages.autograd.line import LineView, best_of_line, caret_line, choose_view, line
from explorer.ui.pages.autograd.strip import reel_key
from explorer.ui.panels.checked import gradients_checked
from explorer.ui.panels.influence import idle_code
from explorer.ui.panels.notices import notices
from explorer.ui.panels.panel import panel
from explorer.ui.panels.plots import plots
from explorer.ui.panels.problems import Problem, faults, problems, tried_problems
from explorer.ui.panels.written_backward import written_backward
from explorer.ui.session.drawn_parts import is_drawn, mark_drawn
from explorer.ui.session.edits import current_cell
from explorer.ui.session.examples import EXAMPLES
from explorer.ui.session.followed_file import follow, is_followed
from explorer.ui.session.given_files import given
from explorer.ui.session.gradient_target import GradientTarget
from explorer.ui.session.limits import more_time
from explorer.ui.session.program_run import RunResult, begin, is_known, may_autorun, ready, run, run_to_show
from explorer.ui.session.run_wait import draw_anew, status_html
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.shown_picture import ShownPicture, has_no_gradient, picture_of
from explorer.ui.session.startup import starting
from explorer.ui.session.state import (
    STATE,
    Session,
    ask_for,
    in_address,
    open_example,
    runs_again,
    session,
    take_saved_file,
)
from explorer.workers.diagnoses import diagnose_with_verified_fixes, diagnoses_in_time

_kinds = SessionValue[frozenset[str]]("_reported_kinds", frozenset)  # kinds of bugs that the page reports
CODE_CELLS = 40  # cells of an expression that identifies a picture's program


def page(lang: str, lens: Lens | None = None) -> None:
    """Run the program and draw its view, by default the graph."""
    if is_followed():
        follow(take_saved_file)
    now = _collect() if lens is None else lens.collect()
    options = _options(now, lens)
    drawable = ready() or is_known(now.texts, options, now.program)  # a cached result is drawn while PyTorch loads
    if now.document.may_run and drawable:
        begin(now.texts, options, now.program)
    if lens is None:
        welcome(now, lang)
    places = containers(f'<p class="leave">{escape(say(lang, "editor-leave"))}</p>')
    now, status, files = bar(places.bar, now, lang, lens)
    if not drawable:
        _starting(places, now, lens, status, lang)
    elif not now.document.may_run:
        _not_run(places, now, lens, status, lang)
    else:
        ended = _run(places, now, lens, status, lang)
        shown = run_to_show(ended, _settled(now))
        typing = shown is not ended
        _leave_lost_name(now, shown)
        view = _graph(places, now, shown, typing, lang) if lens is None else _through(lens, places, now, shown, lang)
        status.html(outcome_html(view.found, typing, shown, lang))
        view = _with_faults(view, _settled(now), lang)
        _program(places, now, view, typing, lang)
        _notices(places, now, view, lang)
        if lens is None:
            _above_graph(places, now, view, lang)
        mark_drawn("picture", now.document.revision)
        picture = view.drawn.picture and predict.masked_picture(apply_layout(view.drawn.picture, lang))
        files(view.shown.result, picture, view.known is not view.shown)
        _into_address(now, lens, lang, view.chosen, _step(view))
        _panel(places, now, _with_repairs(view, lang), lang)
        if picture is not None and view.known is view.shown:
            with drawing("backward as code", lang):
                written_backward(picture, lang)


@dataclass(frozen=True)
class _View:
    """The view of a run on the page.

    Attributes:
        shown: the run.
        known: the part of the run that the page may show.
        saved: whether it was opened from a file: then nothing runs without the user's request, repairs included.
        found: the errors that stopped it.
        cell: the cell with the caret.
        choice: the backward and step that were chosen.
        chosen: index of the backward that was chosen, None for the last one.
        drawn: the picture, and which run it is of.
        by_line: whether the picture of the caret's line stands in its place.
        silent: bugs that raised no error.
        hints: the same as sentences of the page.
        held: whether there are others, which are reported once the typing is settled.
        undiagnosed: whether the search for bugs did not finish.
    """

    shown: RunResult
    known: RunResult
    saved: bool
    found: list[Problem]
    cell: int | None
    choice: ShownStep | None
    chosen: int | None
    drawn: ShownPicture
    by_line: bool = False
    silent: tuple[Finding, ...] = ()
    hints: list[Problem] = field(default_factory=list)
    held: bool = False
    undiagnosed: bool = False


def _collect() -> Session:
    """Return the session with the address's program."""
    now = session()
    if STATE["example"] in EXAMPLES:
        open_example(STATE["example"])
        STATE.put(example="")
        now = replace(session(), came=now.came)
    if now.came:
        link(STATE["backward"] - 1 if STATE["backward"] else None, STATE["step"], _name_of_run(now))
        predict.link(STATE["hide"], STATE["predict"])
    return now


def _options(now: Session, lens: Lens | None) -> Options:
    """Return the options of the run."""
    every = lens is not None and lens.entries
    return structs.replace(now.target.options, full=("*",)) if every else now.target.options


def _into_address(now: Session, lens: Lens | None, lang: str, backward: int | None, step: int) -> None:
    """Write the page's state into the address."""
    if lens is not None:
        return lens.state.write_address(lang, **in_address(now.document))
    place = {"backward": (0 if backward is None else backward + 1), "step": step}
    STATE.write_address(lang, **(in_address(now.document) | place | predict.in_address()))


def _starting(places: Containers, now: Session, lens: Lens | None, status: Status, lang: str) -> None:
    """Draw the page while PyTorch loads."""
    status.html(status_html("wait", say(lang, "status-starting")))
    with places.program:
        editor(now.document, unrun_view(now.document, ask=False), None, lang)
        mark_drawn("text", now.document.revision)  # kept during the first run, so that typing keeps the focus
    with places.graph, st.container(key="graph", gap=None):
        starting(lang)
    _without_run(places, now, lens, lang)


def _not_run(places: Containers, now: Session, lens: Lens | None, status: Status, lang: str) -> None:
    """Draw the page of a link's program before it runs."""
    runs = may_autorun() or runs_again(now.document)
    status.html(status_html("wait", say(lang, "status-not-run")))
    with places.program:
        editor(now.document, unrun_view(now.document, ask=runs), now.edit, lang)
        mark_drawn("text", now.document.revision)
    if runs:  # a trusted program is about to run
        places.picture_meanwhile.html(_outline(lens, lang))
    else:
        with places.graph:
            bench(None, False, f'<p class="notice waits">{escape(say(lang, "page-not-run"))}</p>', lang)
    _without_run(places, now, lens, lang)


def _without_run(places: Containers, now: Session, lens: Lens | None, lang: str) -> None:
    with places.panel:
        panel(now.document, None, [], lang)
    _into_address(now, lens, lang, *linked(_name_of_run(now)))


def _run(places: Containers, now: Session, lens: Lens | None, status: Status, lang: str) -> RunResult:
    """Run the program, with an outline in place of the picture."""

    def running(work: SubmittedRun) -> None:
        status(work)
        _into_address(now, lens, lang, *linked(_name_of_run(now)))
        if not is_drawn("text", now.document.revision):
            with places.program:
                editor(now.document, unrun_view(now.document, ask=False), now.edit, lang)
            mark_drawn("text", now.document.revision)
        if not is_drawn("picture", now.document.revision):  # below the text, which would push it down on a phone
            outlines.append(places.picture_meanwhile.html(_outline(lens, lang)))

    outlines: list[Place] = []
    before = is_drawn("text", now.document.revision)
    shown = run(now.texts, _options(now, lens), now.program, running)
    if is_drawn("text", now.document.revision) and not before:
        draw_anew()  # a page can hold only one editor
    if outlines:
        places.picture_meanwhile.empty()
    return shown


def _outline(lens: Lens | None, lang: str) -> str:
    """Return a placeholder for the picture or the lens."""
    return skeleton_html("graph") if lens is None else skeleton_html("chart", say(lang, "lens-awaited"))


def _leave_lost_name(now: Session, shown: RunResult) -> None:
    """Go back to the program's own backward if the requested name no longer exists."""
    if now.target.of and isinstance(shown.result, Trace) and shown.result.bound(now.target.of) is None:
        ask_for(GradientTarget())
        st.rerun()


def _graph(places: Containers, now: Session, shown: RunResult, typing: bool, lang: str) -> _View:
    """Draw the caret's picture, and return the visible part of the run."""
    nothing: list[Problem] = []
    errors = render_or_default("problems", lambda: problems(shown.result, lang), nothing, lang)
    cell = current_cell()
    choice = chosen(shown.result, _name_of_run(now, shown), cell) if isinstance(shown.result, Trace) else None
    backward, position = (None, -1) if choice is None else (choice.backward, choice.position)
    if predict.predicting() and isinstance(shown.result, Trace) and is_counted(shown.result, choice):
        position = -1  # no step was requested: use the one in the film's picture
    with places.graph:
        draw = partial(picture_of, shown, cell, backward, lang, position)
        drawn = render_or_default("picture", draw, ShownPicture(None), lang)
        masked = render_or_default("what is known", lambda: _known(shown, drawn, cell, lang), shown, lang)
        trace = masked.result if isinstance(masked.result, Trace) else None
        # before the picture, because the last run's mark would be wrong next to it
        hidden = typing or is_saved(shown.result) or drawn.stale or masked is not shown
        gradients_checked(None if hidden else trace, _settled(now), lang)
        switch = st.container(key="seen")  # always present, so that elements below keep their place
        by_line = trace is not None and not drawn.stale and _line(switch, trace, shown, drawn, cell, choice, lang)
        if by_line or drawn.picture is None:
            forget_choice()
        if not by_line:
            here = [problem for problem in errors if cell in (None, problem.cell)] or errors
            _picture(drawn, here, lang)
    return _View(shown, masked, is_saved(shown.result), errors, cell, choice, backward, drawn, by_line)


def _line(
    switch: Place,
    trace: Trace,
    shown: RunResult,
    drawn: ShownPicture,
    cell: int | None,
    choice: ShownStep | None,
    lang: str,
) -> bool:
    """Draw the line's values or memory, False for the graph."""
    own = range(len(trace.own_cells))
    pictured = (each for each in reversed(own) if len(own) == 1 or lines_with_pictures(trace, each))
    at = cell if cell in own else next(pictured, 0)
    alone = (cell is not None or len(own) == 1) and has_no_gradient(shown, at, choice and choice.backward)
    number = caret_line(trace, at)
    best: LineView = best_of_line(trace, at, number) if alone else "graph"
    graphs: list[LineView] = ["graph"] if drawn.picture is not None or not alone else []
    lines: list[LineView] = ["values", "memory", "influence"] if trace.bindings or tensor_list(trace) else []
    if "memory" not in (STATE["seen"], best) and not shares_memory(trace):
        lines = [each for each in lines if each != "memory"]
    with switch:
        kind = choose_view(best, (alone, choice), graphs + lines, lang)
    if kind != "graph":
        line(trace, at, number, kind, lang)
    return kind != "graph"


def _through(lens: Lens, places: Containers, now: Session, shown: RunResult, lang: str) -> _View:
    """Draw the run through a lens, and return the shown part."""
    nothing: list[Problem] = []
    errors = render_or_default("problems", lambda: problems(shown.result, lang), nothing, lang)
    drawn = ShownPicture(None)  # a lens shows the whole program, wherever the caret is
    masked = render_or_default("what is known", lambda: _known(shown, drawn, None, lang), shown, lang)
    with places.graph, st.container(key="lens"), drawing("lens", lang):
        st.html(f'<h2 class="lens-name">{escape(say(lang, f"nav-{lens.state.page}"))}</h2>')
        lens.draw(replace(now.document, texts=shown.texts), masked.result, lang)
    return _View(shown, masked, is_saved(shown.result), errors, None, None, None, drawn)


def _with_faults(view: _View, settled: bool, lang: str) -> _View:
    """Add silent bugs, unless gradients are hidden.

    While somebody types, only kinds that the page has already shown are kept: a half-typed line may cause others.
    """
    found: tuple[Finding, ...] | None = ()
    if view.known is view.shown and isinstance(trace := view.shown.result, Trace):
        found = render_or_default("silent faults", lambda: diagnoses_in_time(trace), found, lang)
    findings = found or ()
    shown_findings = tuple(finding for finding in findings if settled or finding.kind in _kinds.get())
    _kinds.put(frozenset(finding.kind for finding in shown_findings))
    held = len(shown_findings) < len(findings)
    return replace(_with_findings(view, shown_findings, lang), held=held, undiagnosed=found is None)


def _with_repairs(view: _View, lang: str) -> _View:
    """Try the repairs, after everything else is drawn, and add those that ran."""
    if not view.hints or view.held or view.saved or not isinstance(view.shown.result, Trace):
        return view
    silent = render_or_default("repairs", partial(_findings_with_fixes, view.shown.result), view.silent, lang)
    return _with_findings(view, silent, lang)


def _with_findings(view: _View, silent: tuple[Finding, ...], lang: str) -> _View:
    hints = faults(view.shown.result, silent, lang) if isinstance(view.shown.result, Trace) else []
    return replace(view, silent=silent, hints=hints)


def _program(places: Containers, now: Session, view: _View, typing: bool, lang: str) -> None:
    """Draw the editor with the texts next to its lines."""
    shown, masked, drawn = view.shown, view.known, view.drawn
    with places.program:
        backward = _backward(shown, drawn, view.cell)
        beside = render_or_default(
            "beside the lines",
            lambda: editor_view(now.document, masked, backward, drawn.picture, lang, view.hints, shown, _idle(view)),
            unrun_view(now.document, ask=False),
            lang,
        )
        beside = replace(beside, typing=typing or view.held, before=typing)
        editor(now.document, beside, now.edit, lang)
        mark_drawn("text", now.document.revision)
        plots(masked.result, now.document, lang)


def _idle(view: _View) -> list[Span]:
    """Return the code without effect while the page shows it."""
    trace = view.known.result
    return idle_code(trace) if view.by_line and STATE["seen"] == "influence" and isinstance(trace, Trace) else []


def _notices(places: Containers, now: Session, view: _View, lang: str) -> None:
    with places.notices:
        if not view.saved:
            more_time(view.shown.result, lang)
        notices(now.document, view.shown.result, now.target, lang)


def _above_graph(places: Containers, now: Session, view: _View, lang: str) -> None:
    """Draw the choice of a backward and send its rounds."""
    trace, drawn = view.shown.result, view.drawn
    if not isinstance(trace, Trace):
        return
    with places.above_graph:
        now_shown = None if view.by_line else of_picture(trace, drawn.picture, drawn.backward)
        key = reel_key(apply_layout(drawn.picture, lang), lang) if drawn.picture else ""
        chips(trace, _name_of_run(now, view.shown), view.cell, now_shown, key, view.silent, lang)


def _step(view: _View) -> int:
    """Return the step that the address names, 0 if there is none."""
    if view.choice is None or not isinstance(view.shown.result, Trace):
        return 0
    return step_number(view.shown.result, view.choice)


def _panel(places: Containers, now: Session, view: _View, lang: str) -> None:
    """Draw output, problems and tables. Changes that repair a problem are tried last."""

    stops = [problem for problem in view.found if not problem.is_wanted]

    def tried() -> list[Problem]:
        if view.saved or not stops:
            return stops
        search = partial(tried_problems, view.shown.result, given(), lang)
        return render_or_default("changes", search, stops, lang)

    with places.panel:
        held = _is_held(view.shown, view.known)
        panel(now.document, view.known.result, stops, lang, held, view.hints, tried, view.undiagnosed)


def _name_of_run(now: Session, shown: RunResult | None = None) -> str:
    return str(hash((now.texts if shown is None else shown.texts, now.target.options)))


def _backward(shown: RunResult, drawn: ShownPicture, cell: int | None) -> int | None:
    """Return the backward whose gradients are shown next to the lines, or None."""
    if isinstance(shown.result, Unusable):
        return None
    if drawn.backward is not None:
        return drawn.backward
    nearest = backward_of_cell(shown.result, cell) if cell is not None else None
    return selected_backward(shown.result) if nearest is None else nearest


def _known(shown: RunResult, drawn: ShownPicture, cell: int | None, lang: str) -> RunResult:
    """Return the part of the run that the page may show."""
    if not predict.predicting() or isinstance(shown.result, Unusable):
        return shown
    if drawn.picture is not None and drawn.picture.trace is shown.result:
        whole = apply_layout(drawn.picture, lang)
        predict.consume_event(whole)
        trace = predict.masked_picture(whole).trace
    else:
        trace = predict.masked_trace(shown.result, _backward(shown, drawn, cell), lang)
    return shown if trace is shown.result else replace(shown, result=trace)


def _findings_with_fixes(trace: Trace) -> tuple[Finding, ...]:
    return diagnose_with_verified_fixes(trace, given(), visitor=visitor(st.context.ip_address))


def _is_held(shown: RunResult, masked: RunResult) -> bool:
    """Return whether output of the program is left out."""
    if masked is shown or isinstance(masked.result, Unusable) or isinstance(shown.result, Unusable):
        return False
    cells = zip(masked.result.cells, shown.result.cells, strict=False)  # cells of later imports do not exist yet
    return any(len(cell.outputs) < len(all_.outputs) for cell, all_ in cells)


def _settled(now: Session) -> bool:
    """Return whether the user has stopped typing."""
    return now.edit is None or now.edit.settled


def _picture(drawn: ShownPicture, errors: list[Problem], lang: str) -> None:
    if drawn.picture is None:
        words = say(lang, "page-graph-stopped" if errors else "page-graph-empty")
        why = "".join(f" {problem.title}" for problem in errors[:1] if problem.is_wanted)  # not listed elsewhere
        bench(None, False, f'<p class="notice">{escape(words + why)}</p>', lang)
        return
    bench(drawn.picture, drawn.stale, _picture_source(drawn, errors, lang), lang, drawn.failed)


def _picture_source(drawn: ShownPicture, errors: list[Problem], lang: str) -> str:
    """Write why the picture is stale or partial, "" if it is neither."""
    if not drawn.stale and not drawn.partial:
        return ""
    where = errors[0].title if errors else say(lang, "problem-stopped")
    end = "error" if errors and errors[0].message else "stop"  # a limit is not an error
    words = escape(say(lang, "stale") if drawn.stale else say(lang, "partial", end=end))
    code = _root_of(drawn.picture) if drawn.stale else ""
    of = f" {message_html(lang, 'stale-of', code=code)}" if code else ""
    return f'<p class="stale" role="status"><b>{words}</b>{of} {escape(where)}</p>'


def _root_of(drawn: Picture) -> str:
    """Return the text of a picture's root. Without a backward the program's last line."""
    cards = [card for card in drawn.view.cards if card.id in drawn.view.roots] or list(drawn.view.cards)
    return shorten(cards[-1].title, CODE_CELLS)
