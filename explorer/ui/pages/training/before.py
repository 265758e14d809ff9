"""The run before the last change. Its curves stay in grey until dismissed."""

from dataclasses import dataclass

import streamlit as st

from explorer.analysis.training.changes import Changed, changes
from explorer.analysis.training.view import TrainingView
from explorer.drawing.marks import quoted
from explorer.drawing.training.loss import Earlier
from explorer.text import say

KEPT = "_training_before"  # session state


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A run that others are compared with. Attributes: texts: of its cells; place: which backward; view: its steps."""

    texts: tuple[str, ...]
    place: int
    view: TrainingView


def before(texts: tuple[str, ...], place: int, view: TrainingView, lang: str) -> Earlier | None:
    """The run that this one is a change of, None where it is the first, or another program."""
    now = KeptRun(texts, place, view)
    kept: KeptRun | None = st.session_state.get(KEPT)
    if kept is None or kept.place != place:
        st.session_state[KEPT] = now
        return None
    if kept.texts == texts:
        return None
    found = changes(kept.texts, texts)
    if found is None:
        st.session_state[KEPT] = now
        return None
    return Earlier(kept.view, tuple(_told(changed, lang) for changed in found), _names(found, lang)) if found else None


def before_line(earlier: Earlier, texts: tuple[str, ...], place: int, view: TrainingView, lang: str) -> None:
    """What the grey curves are, and the button that makes this run the one to compare with."""

    def dismiss() -> None:
        st.session_state[KEPT] = KeptRun(texts, place, view)

    with st.container(key="tr_before", horizontal=True, vertical_alignment="center", gap="small"):
        chips = "".join(f"<code>{quoted(change)}</code>" for change in earlier.changed)
        st.html(f'<p role="status"><i></i>{quoted(say(lang, "training-before"))} {chips}</p>', width="content")
        label, hint = say(lang, "training-before-dismiss"), say(lang, "training-before-hint")
        st.button(label, key="tr_before_dismiss", help=hint, on_click=dismiss)


def _names(found: tuple[Changed, ...], lang: str) -> tuple[str, str]:
    """What the two lines are called: by the number, if a single one differs."""
    if len(found) == 1 and found[0].after:
        (one,) = found
        return f"{one.name} {one.before}".strip(), f"{one.name} {one.after}".strip()
    return say(lang, "training-name-before"), say(lang, "training-name-now")


def _told(changed: Changed, lang: str) -> str:
    where = say(lang, "training-changed-line", line=changed.line)
    if changed.after:
        return f"{changed.name or where} {changed.before} → {changed.after}"
    return (
        where
        if changed.line == changed.last
        else say(lang, "training-changed-lines", first=changed.line, last=changed.last)
    )
