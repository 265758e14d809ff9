"""Dismissible lines above the program: what pasting removed, why a file was not read."""

from dataclasses import replace
from html import escape

import streamlit as st

from explorer.analysis.diagnose.messages import reach_text, unusable_text
from explorer.drawing.notebook.placeholders import cleaned_sentence
from explorer.program import Unusable
from explorer.sandbox.access import repository
from explorer.text import say
from explorer.trace import Failure, Options, Trace
from explorer.ui.panels.lesson import gallery_line, lesson
from explorer.ui.session.document import Document, undone
from explorer.ui.session.examples import EXAMPLES
from explorer.ui.session.folder import held, open_repository
from explorer.ui.session.gradient_target import GradientTarget
from explorer.ui.session.lessons import begun
from explorer.ui.session.program_run import forget_runs
from explorer.ui.session.saved_run import saved_result
from explorer.ui.session.state import PAGE, STATE, ask_for, change, refused_file
from explorer.ui.session.state import document as current


def notices(document: Document, result: Trace | Unusable, target: GradientTarget, lang: str) -> None:
    """Draw the lines that are needed.

    Args:
        target: the chosen root, if it is not the program's own.
    """
    opened_line(document, lang)
    if document.cleaned is not None and document.before is not None:
        with st.container(key="pasted", horizontal=True, vertical_alignment="center"):
            _line(cleaned_sentence(document.cleaned, lang), "quiet")
            st.button(say(lang, "undo"), key="undo_paste", on_click=lambda: change(undone(current())))
    if target.of:
        with st.container(key="wished", horizontal=True, vertical_alignment="center"):
            words, kind = _target_text(target, result, lang)
            _line(words, kind)
            st.button(say(lang, "root-own-again"), key="root_own", on_click=ask_for, args=(GradientTarget(),))
    _lesson(document, lang)
    gallery_line(STATE, lang)
    _repository_line(document, result, lang)


def opened_line(document: Document, lang: str) -> None:
    """Explain an unreadable file, or note that this is a saved run."""
    if (unusable := refused_file()) is not None:
        _line(unusable_text(lang, unusable), "bad")
    if saved_result(document.texts, Options()) is not None:
        _line(say(lang, "saved-run"), "quiet")
    _foreign_line(document, lang)


def _foreign_line(document: Document, lang: str) -> None:
    """Explain why a link's program lacks access."""
    open_here = held()
    if not document.foreign or not open_here:
        return
    with st.container(key="foreign", horizontal=True, vertical_alignment="center"):
        _line(say(lang, "reach-foreign"), "quiet")
        st.button(say(lang, "reach-own"), key="own", help=reach_text(lang, open_here.of_run()), on_click=_own)


def _repository_line(document: Document, result: Trace | Unusable, lang: str) -> None:
    """Offer to open the repository if the program needed a file from it."""
    access = held()
    around = repository(access.folder)
    if not around or document.foreign or not isinstance(result, Trace):
        return
    failures = [output for cell in result.cells for output in cell.outputs if isinstance(output, Failure)]
    if any(failure.repository for failure in failures):  # the program's process must not choose the repository
        with st.container(key="repository", horizontal=True, vertical_alignment="center"):
            _line(say(lang, "reach-beside", folder=access.folder), "quiet")
            st.button(say(lang, "reach-repository", folder=around), key="open_repository", on_click=_open_repository)


def _open_repository() -> None:
    open_repository()
    forget_runs()


def _own() -> None:
    change(replace(current(), foreign=False))
    forget_runs()


def _lesson(document: Document, lang: str) -> None:
    """Draw the line about the opened example, until the program changes."""
    name = begun(PAGE)
    if document.texts == (EXAMPLES.get(name),):
        lesson(PAGE, say(lang, f"example-{name}.see"), say(lang, f"example-{name}.ask"), lang)


def _target_text(target: GradientTarget, result: Trace | Unusable, lang: str) -> tuple[str, str]:
    """Describe what replaces the program's own gradients."""
    if target.numbers is None:
        return say(lang, "root-no-numbers", text=target.start), "bad"
    for diagnose in result.diagnoses if isinstance(result, Trace) else ():
        if diagnose.kind == "start_does_not_fit":
            return say(lang, "root-does-not-fit", of=target.of, **diagnose.values), "bad"
        if diagnose.kind in ("implicit_not_made", "implicit_failed"):
            return say(lang, f"root-{diagnose.kind.replace('_', '-')}", of=target.of), "bad"
    given = "yes" if target.numbers else "no"
    return say(lang, "root-shown", of=target.of, start=target.start, given=given), "quiet"


def _line(words: str, kind: str) -> None:
    st.html(f'<p class="message-line {kind}" role="status">{escape(words)}</p>')
