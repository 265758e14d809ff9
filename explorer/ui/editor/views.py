"""Create the annotations next to, below and between a document's lines from its run."""

import time
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from explorer.drawing.film import beside as filmed_ghosts
from explorer.drawing.notebook.ghosts import ghosts, with_hidden
from explorer.drawing.notebook.markdown import markdown_html, with_formulas
from explorer.drawing.notebook.outputs import marks_of_stops, output_html
from explorer.drawing.picture import Picture
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Failure, Limit, Refusal, Span, Trace, ends_cell
from explorer.ui.editor.component import CellView, EditorView
from explorer.ui.panels.problems import Problem
from explorer.ui.session.document import Document
from explorer.ui.session.program_run import RunResult

PATIENCE = 0.7  # CPU seconds after which further notes are shown as plain text


def unrun_view(document: Document, ask: bool) -> EditorView:
    """Return the annotations of a document that has not run."""
    notes, end = _notes(document)
    return EditorView([CellView(note=note) for note in notes], end, ask=ask)


def editor_view(
    document: Document,
    shown: RunResult,
    backward: int | None,
    picture: Picture | None,
    lang: str,
    silent: Sequence[Problem] = (),
    whole: RunResult | None = None,
    idle: Sequence[Span] = (),
) -> EditorView:
    """Return the annotations of a document that ran.

    Args:
        backward: backward with the gradients next to the lines, or None.
        picture: its cards are the linked expressions.
        silent: the diagnoses.
        whole: run with the parts hidden in `shown`, used only for their places.
        idle: code without effect.
    """
    notes, end = _notes(document)
    if isinstance(shown.result, Unusable):
        line = int(shown.result.values.get("line", 0))
        fault = [(line, 0, line, 10_000, "")] if line and len(notes) == 1 else []
        views = [CellView(state="" if len(notes) == 1 else "unrun", note=note, faults=fault) for note in notes]
        return EditorView(views, end)
    trace = shown.result
    spans: dict[int, list[tuple[int, int, int, int]]] = {}
    # Spans in the picture of another run refer to another text.
    for card in picture.view.cards if picture is not None and picture in shown.pictures.values() else ():
        if 0 <= card.span < len(trace.spans):
            place = trace.spans[card.span]
            spans.setdefault(place.cell, []).append((place.line, place.column, place.end_line, place.end_column))
    beside = ghosts(trace, backward, lang)
    if picture is not None and picture.film is not None and picture.trace is trace:
        beside = filmed_ghosts(picture)
    if whole is not None and isinstance(whole.result, Trace) and whole.result is not trace:
        beside = with_hidden(beside, ghosts(whole.result, backward, lang))
    views = []
    for number, note in enumerate(notes):
        if number >= len(trace.cells):
            views.append(CellView(state="unrun", note=note))
            continue
        views.append(
            CellView(
                state=_state(trace, number),
                note=note,
                outputs=output_html(trace, number, lang, alone=False) if len(notes) > 1 else "",
                ghosts=beside[number],
                faults=marks_of_stops(trace, number, lang),
                hints=[
                    (line, column, end_line, end_column, say(lang, "labelled", name=level, text=problem.words))
                    for problem in silent
                    if problem.cell == number
                    for level in (say(lang, f"diagnosis-{problem.level}"),)
                    for line, column, end_line, end_column in (problem.span,)
                ],
                spans=spans.get(number, ()),
                idle=[(one.line, one.column, one.end_line, one.end_column) for one in idle if one.cell == number],
            )
        )
    return EditorView(views, end)


def _notes(document: Document) -> tuple[list[str], str]:
    """Render the notes around cells, as plain text if slow."""
    before = {of: "" for of in (*document.ids, -1)}
    until = time.thread_time() + PATIENCE
    for of, markdown in document.notes:
        in_time = time.thread_time() < until
        before[of if of in before else -1] += _note(markdown) if in_time else f"<pre>{escape(markdown)}</pre>\n"
    return [before[of] for of in document.ids], before[-1]


@lru_cache(maxsize=500)
def _note(markdown: str) -> str:
    return with_formulas(markdown_html(markdown))


def _state(trace: Trace, cell: int) -> str:
    """Return the cell's gravest ending: ok, error, refused or limited."""
    outputs = trace.cells[cell].outputs
    for state, kind in (("limited", Limit), ("refused", Refusal), ("error", Failure)):
        if any(isinstance(output, kind) and ends_cell(output) for output in outputs):
            return state
    return "ok"
