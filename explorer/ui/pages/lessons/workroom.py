"""The right half of a lesson: program in the editor, output, picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st
from msgspec import structs

from explorer.analysis.explain.autograd.gradients import called_backwards
from explorer.analysis.explain.autograd.partial_runs import trace_so_far
from explorer.analysis.explain.entries.operation_view import call_to_show, operations
from explorer.analysis.views.broadcasting.operation import broadcasts, of_operation
from explorer.analysis.views.tensors.tensor_list import tensor_list
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.outputs import output_html
from explorer.drawing.operations import operation_html
from explorer.drawing.picture import Picture
from explorer.drawing.tensors.tensor_list import list_html
from explorer.lessons.asks import Ask, AxesAsk, ChoiceAsk, NumberAsk, PrintsAsk, ShapeAsk
from explorer.lessons.lesson import Lesson
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Figure, Options, Trace
from explorer.ui.components.linked_html import chosen, linked
from explorer.ui.components.session_values import Inbox
from explorer.ui.components.watch import drawing
from explorer.ui.editor.component import editor
from explorer.ui.editor.views import editor_view, unrun_view
from explorer.ui.pages.autograd.bench import WORDS
from explorer.ui.pages.autograd.graph import ShownGraph, graph
from explorer.ui.pages.autograd.leaf_plot import only_plot
from explorer.ui.pages.autograd.player import plain_player
from explorer.ui.pages.broadcasting.parts import ShownBroadcast, explain
from explorer.ui.pages.broadcasting.parts import picture as broadcast_picture
from explorer.ui.pages.lessons.learner import answered, document_of, documents, key_of
from explorer.ui.panels.plots import figure, plot
from explorer.ui.panels.problems import problems, problems_html
from explorer.ui.panels.tensor import call_view, tensor_panel
from explorer.ui.session.document import Document, opened
from explorer.ui.session.edits import Edit, Open, latest_edit, with_edit
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import RunResult, computed
from explorer.ui.session.shown_picture import ShownPicture, last_good, picture_of
from explorer.workers.second_run import is_same

FULL = Options(full=("*",))
_edits = Inbox("_lesson_handled")
HIDING = (NumberAsk, ShapeAsk, PrintsAsk, ChoiceAsk, AxesAsk)  # questions that the picture would answer
Hidden = Literal["", "gradients", "all"]


@dataclass(frozen=True)
class RightHalf:
    """The right half's content. Attributes: result: of the learner's program. card: nodes of the selected card."""

    result: Trace | Unusable
    card: Sequence[int] = ()


def hidden(lesson: Lesson, at: int) -> Hidden:
    """Return what to hide while questions about values of the same program are open."""
    asks = lesson.data.ask
    text = lesson.program_of(asks[at])
    level: Hidden = ""
    for place in range(at, len(asks)):
        ask = asks[place]
        if lesson.program_of(ask) != text or not isinstance(ask, HIDING):
            break
        if answered(lesson, ask).state != "open":
            continue
        if isinstance(ask, ChoiceAsk):
            first = not any(lesson.program_of(ask) == text for ask in asks[:place])
            level = "all" if place == at and first and not ask.look else level
        elif isinstance(ask, NumberAsk) and ask.expect.subject == "gradient":
            level = level or "gradients"
        else:
            return "all"
    return level


def document_now(lesson: Lesson, ask: Ask) -> tuple[Document, Edit | None]:
    """Return a question's program, updated with the editor's last message."""
    document, edit = document_of(lesson, ask), latest_edit()
    if edit is None or edit.revision != document.revision:
        return document, None
    if _edits.accept(edit.count):
        document = documents()[key_of(lesson, ask)] = _after_edit(document, edit)
    return document, edit if edit.revision == document.revision else None


def _after_edit(document: Document, edit: Edit) -> Document:
    if not isinstance(edit.act, Open):
        return with_edit(document, edit)[0]
    try:
        return opened(document, edit.act.name, edit.act.data, may_run=True)
    except Unusable:  # the text stays unchanged
        return document


def workroom(lesson: Lesson, ask: Ask, level: Hidden, runs: bool, lang: str) -> RightHalf:
    """Draw the right half. Return the program's result, even while it is hidden.

    Args:
        runs: whether programs can run yet.
    """
    document, edit = document_now(lesson, ask)
    place = st.container(key="lesson_program", gap=None)
    if not runs:
        with place:
            editor(document, unrun_view(document, ask=False), edit, lang)
        return RightHalf(Unusable.of("stopped", ""))
    with st.container(key="lesson_running"):
        try:
            result = computed(document.program(), lang, FULL)
        except Unusable as problem:
            result = problem
    masked = _known(result, level)
    shown = _kept(document, masked)
    drawn = _picture(shown, lang) if isinstance(masked, Trace) else ShownPicture(None)
    with place:
        if level == "all":
            view = unrun_view(document, ask=False)
        else:
            view = editor_view(document, shown, drawn.backward, drawn.picture, lang)
        editor(document, view, edit, lang)
    if level == "all":
        st.html(f'<p class="lesson-held">{quoted(say(lang, "lessons-held"))}</p>')
        return RightHalf(result)
    if level:
        st.html(f'<p class="lesson-held is-line">{quoted(say(lang, "lessons-held-gradients"))}</p>')
    _output(masked, document, lang)
    with st.container(key="lesson_picture", gap=None), drawing("lesson", lang):
        card = _drawn(lesson, ask, masked, drawn, lang) if isinstance(masked, Trace) else ()
    if lesson.data.picture == "autograd" and not level and drawn.picture is not None:
        _curve(drawn.picture, lang)
        _play(drawn.picture, document, key_of(lesson, ask), lang)
    return RightHalf(result, card)


def _known(result: Trace | Unusable, level: Hidden) -> Trace | Unusable:
    """Return the part of a run that the lesson may show."""
    if level != "gradients" or isinstance(result, Unusable):
        return result
    calls = called_backwards(result)
    return result if not calls else memoize("lesson", result, lambda: trace_so_far(result, calls[0], frozenset()))


def _kept(document: Document, result: Trace | Unusable) -> RunResult:
    """Return the run with its pictures, which are drawn once."""
    return memoize("lesson run", result, lambda: RunResult(document.texts, FULL, result), document.texts)


def _picture(shown: RunResult, lang: str) -> ShownPicture:
    """Return the run's picture. The workbench's last good picture is not used."""
    good = last_good.get()
    last_good.clear()
    try:
        return picture_of(shown, None, None, lang)
    finally:
        last_good.put(good)


def _output(result: Trace | Unusable, document: Document, lang: str) -> None:
    """Draw problems, and the output of a single cell."""
    with st.container(key="lesson_output", gap=None):
        if wrong := problems(result, lang):
            st.html(problems_html(wrong[:3], lang))
        if isinstance(result, Unusable):
            return
        if len(document.texts) == 1 and (text := output_html(result, 0, lang, alone=True)):
            st.html(f'<div class="lesson-printed">{text}</div>')
        for cell, place, drawn in result.shown(Figure)[:8]:
            plot(drawn, f"{cell}-{place}", lang)


def _drawn(lesson: Lesson, ask: Ask, trace: Trace, drawn: ShownPicture, lang: str) -> Sequence[int]:
    """Draw the lesson's picture. Return the nodes of the card selected in a graph."""
    match lesson.data.picture:
        case "autograd":
            return _graph(drawn.picture, drawn.failed, key_of(lesson, ask), lang)
        case "tensors":
            _tensors(trace, lang)
        case "operations":
            _operation(trace, lang)
        case "broadcasting":
            _broadcast(trace, lang)
    return ()


def _graph(drawn: Picture | None, failed: tuple[str, ...], asked: str, lang: str) -> Sequence[int]:
    """Draw the graph with a new selection per question."""
    if drawn is None:
        return ()
    words = {name: say(lang, message) for name, message in WORDS.items()}
    words["more"] = say(lang, "graph-more", seen="{seen}", all="{all}")
    with st.container(key="graph", gap=None):
        svg = memoize("lesson svg", drawn, drawn.svg)
        event = graph(f"lesson_graph_{asked}", ShownGraph(svg=svg, words=words, failed=failed))
        st.html(f'<div class="legendbar">{drawn.legend()}</div>')
    return next((card.nodes for card in drawn.view.cards if card.id == event.selected), ())


def _curve(drawn: Picture, lang: str) -> None:
    """Draw a single-number program's curve with its tangent: the gradient is a slope."""
    dark = st.context.theme.type == "dark"
    shown = memoize("lesson curve", drawn, lambda: only_plot(drawn, dark, lang), dark, lang)
    if shown is not None:
        with st.container(key="lesson_slope", gap=None):
            figure(*shown, "lesson_slope_plot", lang)


def _play(drawn: Picture, document: Document, asked: str, lang: str) -> None:
    """Draw a player for the run once no question is open."""

    def watched() -> Trace:
        again = computed(document.program(), lang, structs.replace(FULL, statements=True), like=drawn.trace)
        return again if isinstance(again, Trace) and is_same(again, drawn.trace) else drawn.trace

    with st.container(key="lesson_player", gap=None), drawing("lesson player", lang):
        plain_player(drawn, lang, f"lesson_player_{asked}", watched)


def _tensors(trace: Trace, lang: str) -> None:
    listed = memoize("lesson tensors", trace, lambda: tensor_list(trace))
    if not listed:
        return
    run = str(hash(tuple(cell.source for cell in trace.cells)))
    pressed = chosen("lesson_tensors", run)
    named = [tensor for tensor in listed if tensor.named] or list(listed)
    tensor = next((tensor for tensor in listed if tensor.key == pressed), named[-1])
    if len(listed) > 1:
        linked(f'<div class="tn-source">{list_html(trace, listed, tensor.key, (), lang)}</div>', "lesson_tensors", run)
    tensor_panel(trace, tensor, listed, lang)


def _operation(trace: Trace, lang: str) -> None:
    listed = operations(trace)
    if not listed:
        return _tensors(trace, lang)
    call = listed[call_to_show(trace, listed)]
    view = call_view(trace, call.operation)
    linked(f'<div class="operations">{operation_html(view, lang)}</div>', "lesson_operation")


def _broadcast(trace: Trace, lang: str) -> None:
    places = broadcasts(trace)
    if not places:
        return _tensors(trace, lang)
    shown = ShownBroadcast(of_operation(trace, places[-1]))
    explain(shown, "", lang)
    broadcast_picture(shown, "", lang)


def restore(lesson: Lesson, ask: Ask) -> None:
    """Restore a question's original program."""
    old = document_of(lesson, ask)
    new = opened(old, old.name, lesson.program_of(ask).encode("utf-8", "surrogatepass"), may_run=True)
    documents()[key_of(lesson, ask)] = replace(new, revision=old.revision + 1)
