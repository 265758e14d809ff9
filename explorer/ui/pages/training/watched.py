"""A training that `explorer.watch` measures, on the server of `app --watch`."""

from pathlib import Path

import streamlit as st

from explorer.analysis.views.training.step_events import event_text
from explorer.analysis.views.training.watched import watched_training
from explorer.drawing.marks import quoted
from explorer.drawing.training.watched import MOST_CURVES, MOST_LAYERS, watched_plot
from explorer.text import KNOWN, say
from explorer.trace.growing_steps import MOST_EVENTS, MOST_READ, ReadSteps
from explorer.trace.step_statistics import StepRow
from explorer.ui.panels.plots import figure
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import AUTOGRAD
from explorer.ui.session.state import open_saved
from explorer.ui.session.watched_file import read_watched, trace_bytes, trace_path

EVERY = 3  # seconds between checks of the file
FEW = 12  # most event buttons


def watched_page(path: Path, lang: str) -> None:
    """Draw the training, and again when its file has grown."""
    with st.container(key="page"):  # with the margins of all pages
        st.html(f'<h2 class="page-title">{quoted(say(lang, "watched-title", name=path.parent.name))}</h2>')
        _growing(path, lang)


@st.fragment(run_every=EVERY)
def _growing(path: Path, lang: str) -> None:
    read = read_watched(path)
    if read.problem:
        st.html(f'<p class="lede" role="status">{quoted(say(lang, f"watched-{read.problem}", path=str(path)))}</p>')
        return
    training = memoize("watched", read, lambda: watched_training(read))
    notes = KNOWN[lang].gap.join(_notes(read, len(training.layers), lang))
    st.html(f'<p class="quiet" role="status">{quoted(notes)}</p>')
    _events(path, read, lang)
    dark = st.context.theme.type == "dark"
    drawn = memoize("watched plot", read, lambda: watched_plot(training, read.events, dark, lang), dark, lang)
    figure(drawn, say(lang, "watched-alt", steps=read.steps, layers=len(training.layers)), "tr_watched", lang)


def _notes(read: ReadSteps, layers: int, lang: str) -> list[str]:
    """Write how many steps there are, and what is not shown."""
    notes = [say(lang, "watched-steps", steps=read.steps, layers=layers, events=len(read.events) + read.left_out)]
    if read.stride > 1:
        notes.append(say(lang, "watched-stride", stride=read.stride))
    if layers > MOST_CURVES:
        notes.append(say(lang, "watched-some", curves=MOST_CURVES, rows=min(layers, MOST_LAYERS), layers=layers))
    if read.left_out:
        notes.append(say(lang, "watched-left-out", shown=MOST_EVENTS, more=read.left_out))
    if read.more:
        notes.append(say(lang, "watched-more", read=read.bytes / 1e6, most=MOST_READ / 1e6))
    return notes


def _events(path: Path, read: ReadSteps, lang: str) -> None:
    with st.container(key="watched_events", gap="small"):
        for event in read.events[:FEW]:
            _event(path, event, lang)


def _event(path: Path, event: StepRow, lang: str) -> None:
    """Draw an event, with a button that opens its Trace."""
    words, found = (
        say(lang, "watched-event", step=event.step, event=event_text(event.parts, lang) or event.event),
        trace_path(path, event),
    )
    with st.container(key=f"watched_event_{event.step}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f"<p>{quoted(words)}</p>", width="content")
        if found is None:
            st.html(f'<p class="quiet">{quoted(say(lang, "watched-no-trace"))}</p>', width="content")
        elif st.button(say(lang, "watched-open", name=found.name), key=f"watched_open_{event.step}"):
            try:
                open_saved(found.name, trace_bytes(found))
            except OSError as problem:
                st.error(say(lang, "file-unread", path=found.name, reason=problem.strerror or ""))
                return
            st.switch_page(AUTOGRAD)
