"""Lines above the program: what pasting removed, why a file was not read, what needs a hand; each with its way out."""

from html import escape

import streamlit as st

from explorer.drawing.pasting import cleaned_sentence, mark_sentence, mend_label
from explorer.program import CellSource, Mark, Program, Unusable, find_marks
from explorer.text import say
from explorer.trace import Failure, Trace
from explorer.ui.document import Document, mended, undone
from explorer.ui.problems import NOT_PYTHON
from explorer.ui.session import change, refused_file
from explorer.ui.session import document as current


def notices(document: Document, result: Trace | Unusable, unfinished: bool, lang: str) -> None:
    """Draw the lines that are needed."""
    if (unusable := refused_file()) is not None:
        _line(say(lang, f"unusable-{unusable.kind}", **unusable.values), "bad")
    if document.cleaned is not None and document.before is not None:
        with st.container(key="pasted", horizontal=True, vertical_alignment="center"):
            _line(cleaned_sentence(document.cleaned, lang), "quiet")
            st.button(say(lang, "undo"), key="undo_paste", on_click=_undo)
    marks = [] if unfinished else _marks(document, result)
    if marks:
        with st.container(key="mend", horizontal=True, vertical_alignment="center"):
            many = say(lang, "mark-cell", cell=marks[0].cell + 1) if len(document.texts) > 1 else ""
            _line(f"{many} {mark_sentence(marks[0], lang)}".strip(), "bad")
            st.button(mend_label(marks[0], lang), key="mend_one", on_click=_mend, args=(marks, False))
            if len(marks) > 1:
                st.button(say(lang, "mend-all", count=len(marks)), key="mend_all", on_click=_mend, args=(marks, True))


def _marks(document: Document, result: Trace | Unusable) -> list[Mark]:
    """What could be mended, in cells that are no Python."""
    if isinstance(result, Unusable):
        return []
    broken = {
        number
        for number, cell in enumerate(result.cells)
        if any(isinstance(output, Failure) and output.type in NOT_PYTHON for output in cell.outputs)
    }
    if not broken:
        return []
    program = Program([CellSource(text) for text in document.texts])
    return [mark for mark in find_marks(program) if mark.cell in broken]


def _line(words: str, kind: str) -> None:
    st.html(f'<p class="told {kind}" role="status">{escape(words)}</p>')


def _undo() -> None:
    change(undone(current()))


def _mend(marks: list[Mark], all_of_them: bool) -> None:
    change(mended(current(), marks, all_of_them))
