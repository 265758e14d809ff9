"""The Compare page: two programs, where their runs first differ, and both pictures."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from explorer.analysis.explain.autograd import NOTHING_OPENED, Opened, graph_view
from explorer.analysis.views.comparison import Comparison, compare
from explorer.analysis.views.comparison.comparison import line_of
from explorer.analysis.views.comparison.matching import changed_lines
from explorer.analysis.views.comparison.overlay import overlay
from explorer.analysis.views.training.training_view import training_places, training_view
from explorer.drawing.comparison.overlay import legend_html, overlay_svg
from explorer.drawing.comparison.parameters import parameters_html, verdict_html
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.placeholders import beside_html, program_html, skeleton_html
from explorer.drawing.training.plots import losses_html
from explorer.program import Unusable, read_text
from explorer.program.writer import write_program
from explorer.text import say
from explorer.trace import Options, Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.components.watch import drawing
from explorer.ui.editor.component import EditorView, editor
from explorer.ui.editor.views import editor_view, unrun_view
from explorer.ui.pages.autograd.bench import WORDS
from explorer.ui.pages.autograd.graph import ShownGraph, graph, is_new_request
from explorer.ui.pages.compare.other import (
    EDITOR_OF_A,
    WRITTEN,
    OtherProgram,
    begin_with,
    other,
    program_a,
    refused_html,
    take_text,
    title_of_b,
)
from explorer.ui.pages.compare.pair_choice import STATE, arrive, choose_pair, pair_line, pair_shown
from explorer.ui.panels.problems import problems, problems_html
from explorer.ui.session.document import NEW, Document, opened
from explorer.ui.session.drawn_parts import forget_drawn
from explorer.ui.session.edits import EDITOR, Edit
from explorer.ui.session.links import from_address
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import RunResult, computed, may_autorun, ready
from explorer.ui.session.run_wait import draw_anew
from explorer.ui.session.startup import wait_until_ready
from explorer.ui.session.state import change, document

FULL = Options(full=("*",))
SIDES = "A", "B"
MOST_PROBLEMS = 3  # reported problems of a program


@dataclass(frozen=True)
class ComparedSide:
    """A program and its run."""

    document: Document
    result: Trace | Unusable


Sides = tuple[ComparedSide, ComparedSide]


def page(lang: str) -> None:
    """Draw the page."""
    with st.container(key="compare"):
        with st.container(key="cp_controls", horizontal=True, vertical_alignment="center"):
            st.html(f'<h2 class="page-title">{quoted(say(lang, "nav-compare"))}</h2>', width="content")
            controls = st.container(key="cp_choices", horizontal=True, vertical_alignment="center")
        if not ready():
            wait_until_ready(lang, _unrun_html(document(), other(document())[0]))
        if STATE.read_address():
            if from_address():
                take_text(STATE["other"], STATE["other_name"])
                forget_drawn()  # the page shows other programs
            arrive()
        base = _program_a()
        if isinstance(base, Unusable) or not base.may_run:
            words = "comparing-not-run" if STATE["program"] else "comparing-asleep"
            st.html(f'<p class="notice">{quoted(say(lang, words))}</p>')
            return STATE.write_address(lang, program=STATE["program"], other=STATE["other"])
        mine, edit_of_a = _edited_here(base)
        now, edit = other(mine)
        with controls:
            choose_pair(document().name, lang)
            begin_with(mine, lang)
        with st.container(key="cp_line"):  # always present, so that elements below keep their place and the focus
            pair_line((_text(mine), _text(now.document)), lang)
            if now.document.texts == mine.texts:
                st.html(f'<p class="cp-what" role="status">{quoted(say(lang, "comparing-copied"))}</p>')
        with st.container(key="cp_running"):  # always present too
            if refused := refused_html(lang):
                st.html(refused)

            def meanwhile() -> str:
                return _unrun_html(mine, now)

            sides = (
                ComparedSide(mine, _run(mine, lang, meanwhile)),
                ComparedSide(now.document, now.result() or _run(now.document, lang, meanwhile)),
            )
        comparison = _found(sides, lang)
        with st.container(key="cp_verdict"), drawing("comparison", lang):
            _verdict(comparison, sides, lang)
        _programs(sides, comparison, now, (edit_of_a, edit), lang)
        if comparison is not None:
            with drawing("comparison", lang):
                picture(_traces(sides), comparison, lang)
            if not comparison.same:
                losses(_traces(sides), lang)
            table = parameters_html(comparison.parameters, lang)
            if table:
                st.html(f'<h3 class="cp-title">{quoted(say(lang, "comparing-parameters"))}</h3>{table}')
    text = "" if now.document.texts == mine.texts else _text(now.document)
    STATE.write_address(lang, program=_text(mine), name=mine.name, other=text, other_name=now.name if text else "")


def _unrun_html(mine: Document, now: OtherProgram) -> str:
    """Render both programs and a placeholder until they have run."""
    left, right = (program_html(program.texts) for program in (mine, now.document))
    return beside_html(left, right) + skeleton_html("graph")


def _program_a() -> Document | Unusable:
    """Return program A, from the address or the session."""
    if not STATE["program"]:
        return document()
    try:
        read_text(STATE["program"])
        own = opened(Document(("",), (0,)), NEW, STATE["program"].encode("utf-8", "surrogatepass"), may_run=True)
    except Unusable as problem:
        return problem
    return replace(own, name=STATE["name"] or NEW, may_run=may_autorun() or not from_address() or pair_shown())


def _edited_here(base: Document) -> tuple[Document, Edit | None]:
    """Return A after edits on this page."""
    now, edit = program_a(base)
    if now.texts != base.texts:
        if STATE["program"]:
            STATE.put(program=_text(now))
            written = _program_a()
            st.session_state[WRITTEN] = written.texts if isinstance(written, Document) else ()
        else:
            change(replace(base, texts=now.texts, ids=now.ids, revision=base.revision + 1))
    return now, edit


def _run(of: Document, lang: str, meanwhile: Callable[[], str]) -> Trace | Unusable:
    try:
        return computed(of.program(), lang, FULL, meanwhile)
    except Unusable as problem:
        return problem


def _text(of: Document) -> str:
    try:
        return write_program(of.program(), "py")
    except Unusable:  # too large for any address
        return ""


def _traces(sides: Sides) -> tuple[Trace, Trace]:
    """Return the runs of both, if both ran."""
    left, right = (side.result for side in sides)
    assert isinstance(left, Trace), "compared, so both ran"
    assert isinstance(right, Trace), "compared, so both ran"
    return left, right


def _found(sides: Sides, lang: str) -> Comparison | None:
    """Compare both runs: by more than rounding, otherwise in any bit."""
    left, right = (side.result for side in sides)
    if not isinstance(left, Trace) or not isinstance(right, Trace):
        return None

    def made() -> Comparison:
        coarse = compare(left, right, lang=lang)
        return compare(left, right, rtol=0, atol=0, lang=lang) if coarse.same else coarse

    return memoize("comparison", (left, right), made, lang)


def _verdict(comparison: Comparison | None, sides: Sides, lang: str) -> None:
    """Write whether the programs agree, and what could not be compared."""
    if comparison is None:
        st.html(f'<p class="cp-about" role="status">{quoted(say(lang, "comparing-one-missing"))}</p>')
        return
    traces = _traces(sides)
    rounding = comparison.rtol is not None and not comparison.same
    st.html(verdict_html(comparison, rounding, any(map(_counts, traces)), lang))
    notes = [
        say(lang, message, side=name)
        for name, trace in zip(SIDES, traces, strict=True)
        for message, holds in (("comparing-stopped", trace.end != "ok"), ("comparing-limits", _counts(trace)))
        if holds
    ]
    if notes:
        st.html("".join(f'<p class="cp-about">{quoted(words)}</p>' for words in notes))


def _counts(trace: Trace) -> bool:
    """Return whether parts of a run were only counted."""
    return any(limit.kind != "lost" for limit in trace.limits)


def _programs(
    sides: Sides, comparison: Comparison | None, now: OtherProgram, edits: tuple[Edit | None, Edit | None], lang: str
) -> None:
    """Draw both editors. `edits`: the browser's last edit of each."""
    changed = changed_lines(sides[0].document.texts, sides[1].document.texts)
    titles = (
        say(lang, "comparing-side", side="A", name=sides[0].document.name),
        title_of_b(sides[0].document, now, lang),
    )
    columns = st.columns(2, gap="small")
    for at, (column, side) in enumerate(zip(columns, sides, strict=True)):
        with column, st.container(key=f"cp_side_{at}", gap=None):
            with st.container(key=f"cp_bar_{at}", horizontal=True, vertical_alignment="center"):
                st.html(f'<h3 class="cp-name">{quoted(titles[at])}</h3>')
                words = say(lang, "comparing-edit", side="AB"[at])
                open_as_program(_text(side.document), lang, f"cp_open_{at}", side.document.name, words)
            view = _marked(_view(side, comparison, at, lang), changed[at], side, comparison, at)
            editor(side.document, view, edits[at], lang, (EDITOR_OF_A, EDITOR)[at])
            if at and now.result() is not None:
                st.html(f'<p class="cp-about">{quoted(say(lang, "comparing-saved"))}</p>')
            if wrong := problems(side.result, lang):
                st.html(problems_html(wrong[:MOST_PROBLEMS], lang))


def _view(side: ComparedSide, comparison: Comparison | None, at: int, lang: str) -> EditorView:
    """Return the notes next to a program's lines."""
    if isinstance(side.result, Unusable):
        return unrun_view(side.document, ask=False)
    backward = backward_of(side.result, comparison, at)
    return editor_view(side.document, RunResult(side.document.texts, FULL, side.result), backward, None, lang)


def _marked(
    view: EditorView, changed: frozenset[tuple[int, int]], side: ComparedSide, comparison: Comparison | None, at: int
) -> EditorView:
    """Mark lines that only this program has, and the first difference."""
    first = comparison.first if comparison is not None else None
    place = line_of(side.result, first, at) if first is not None and isinstance(side.result, Trace) else None
    parting = () if place is None else (place,)
    cells = [
        replace(
            cell,
            marks=[
                *((line, "changed") for of, line in sorted(changed) if of == number),
                *((line, "parting") for cell, line in parting if cell == number),
            ],
        )
        for number, cell in enumerate(view.cells)
    ]
    return replace(view, cells=cells)


OPENED = "_compare_opened"  # session state: open modules


def backward_of(trace: Trace, comparison: Comparison | None, side: int) -> int | None:
    """Return the backward in which gradients first differ, None if they agree."""
    first = comparison.gradients[0] if comparison is not None and comparison.gradients else None
    number = None if first is None else (first.backward, first.other_backward)[side]
    return None if number is None else number - 1


def losses(traces: tuple[Trace, Trace], lang: str) -> None:
    """Draw the losses of both in one plot, if both train."""
    places = [training_places(trace) for trace in traces]
    if not all(places):
        return
    views = [
        memoize(f"compared training {side}", trace, partial(training_view, trace, of[0]))
        for side, (trace, of) in enumerate(zip(traces, places, strict=True))
    ]
    key, dark = "compared losses", st.context.theme.type == "dark"
    drawn = memoize(key, traces, lambda: losses_html((views[0], views[1]), SIDES, dark, lang), dark, lang)
    st.html(f'<h3 class="cp-title">{quoted(say(lang, "comparing-losses"))}</h3>')
    linked(drawn, "cp_losses")


def picture(traces: tuple[Trace, Trace], comparison: Comparison, lang: str) -> None:
    """Draw both runs over each other, with the same modules open."""
    open_now: Opened = st.session_state.get(OPENED, NOTHING_OPENED)
    backwards = [backward_of(trace, comparison, side) for side, trace in enumerate(traces)]

    def made() -> tuple[str, str]:
        left, right = (graph_view(*each, True, open_now) for each in zip(traces, backwards, strict=True))
        over = overlay(traces, (left, right), comparison)
        return (overlay_svg(over, lang) if over.view.cards else "", legend_html(over, lang))

    svg, legend = memoize("compared pictures", (traces, comparison), made, *backwards, open_now, lang)
    st.html(legend)
    with st.container(key="cp_graph", gap=None):
        if not svg:
            st.html(f'<p class="cp-about">{quoted(say(lang, "comparing-no-picture"))}</p>')
            return
        words = {name: say(lang, message) for name, message in WORDS.items()}
        words["more"] = say(lang, "graph-more", seen="{seen}", all="{all}")
        moved = bool(open_now.modules or open_now.closed)
        event = graph("cp_picture", ShownGraph(svg=svg, words=words, opened=moved))
    if event.module is not None and is_new_request("compare", event.module):
        st.session_state[OPENED] = open_now.moved(event.module.path, event.module.open)
        draw_anew()
