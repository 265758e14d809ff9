"""Programs A and B. B is a copy of A, a file or a saved run."""

from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from explorer.analysis.diagnose.messages import unusable_text
from explorer.program import Unusable
from explorer.program.saved_run import is_run, read_run
from explorer.sandbox.hosting import hosted
from explorer.text import say
from explorer.trace import SUFFIX, Trace
from explorer.ui.components.session_values import Inbox
from explorer.ui.session.document import FIRST_REVISION, NEW, Document, opened
from explorer.ui.session.edits import EDITOR, Edit, Open, latest_edit, with_edit
from explorer.ui.session.saved_run import document_of

# Session state: B, the last handled editor message, the last upload, and a rejected file with the reason.
OTHER, READ, REFUSED = "_compare_other", "_compare_read", "_compare_refused"
_edits, _edits_of_a = Inbox("_compare_handled"), Inbox("_compare_handled_a")
EDITOR_OF_A = f"{EDITOR}_a"
MINE, WRITTEN = "_compare_mine", "_compare_written"  # session state: A, and its texts as in an address
NUMBERED = "_compare_numbered"  # session state: the last revision assigned
UPLOAD = "cp_upload"
TYPES = ["py", "ipynb", "md", "trace"]
MOST_MB = 40  # largest file in MB, for local use
MOST_MB_HOSTED = 5  # on a hosted site


@dataclass(frozen=True)
class OtherProgram:
    """B.

    Attributes:
        document: edited document.
        name: source file, "" for a copy of A.
        saved: opened run, which represents the program while its text is unchanged.
    """

    document: Document
    name: str = ""
    saved: Trace | None = None

    def result(self) -> Trace | None:
        """Return the saved run, if it belongs to this text."""
        same = self.saved is not None and self.document.texts == tuple(cell.source for cell in self.saved.cells)
        return self.saved if same else None


def other(of: Document) -> tuple[OtherProgram, Edit | None]:
    """Return the current B, initially a copy of `of`, and its editor's message."""
    now = st.session_state.get(OTHER) or _put(OtherProgram(_numbered(of)))
    edit = latest_edit()
    if edit is None or edit.revision != now.document.revision:
        return now, None
    if _edits.accept(edit.count):
        now = _put(_after_edit(now, edit))
    return now, edit if edit.revision == now.document.revision else None


def program_a(of: Document) -> tuple[Document, Edit | None]:
    """Return A as edited here, initially `of`, and its editor's message."""
    now: Document | None = st.session_state.get(MINE)
    if now is None or of.texts not in (now.texts, st.session_state.get(WRITTEN)):
        now = replace(_numbered(of), may_run=of.may_run, foreign=of.foreign)
    edit = latest_edit(EDITOR_OF_A)
    edit = edit if edit is not None and edit.revision == now.revision else None
    if edit is not None and _edits_of_a.accept(edit.count):
        now = _edited(now, edit, now.name)
    st.session_state[MINE] = now
    return now, edit


def take_text(text: str, name: str) -> None:
    """Replace B by an address's program. "": a copy of A."""
    st.session_state.pop(REFUSED, None)
    if not text:
        st.session_state.pop(OTHER, None)
        return
    try:
        _put(replace(from_file("program.py", text.encode("utf-8", "surrogatepass"), _next()), name=name))
    except Unusable as problem:
        st.session_state[REFUSED] = (name, problem)


def title_of_b(of: Document, now: OtherProgram, lang: str) -> str:
    """Return B's title: its file, otherwise its difference from A."""
    if now.name:
        return say(lang, "comparing-side", side="B", name=now.name)
    kind = "copy" if now.document.texts == of.texts else "changed"
    return say(lang, "comparing-b-made", kind=kind, name=of.name)


def begin_with(of: Document, lang: str) -> None:
    """Draw B's starting points: A, a file."""
    with st.container(key="cp_begin", horizontal=True, vertical_alignment="center", gap="small"):
        st.button(say(lang, "comparing-copy"), key="cp_made", on_click=_copy, args=(of,))
        with st.container(key="cp_file", width="content"):
            menu = st.popover(say(lang, "comparing-file"), key="cp_menu", on_change="rerun")
            if menu.open:  # closed content is not sent
                with menu:
                    _upload(lang)


def _upload(lang: str) -> None:
    most = MOST_MB_HOSTED if hosted() else MOST_MB
    file = st.file_uploader(say(lang, "comparing-upload", file=most), TYPES, key=UPLOAD, max_upload_size=most)
    if file is None or st.session_state.get(READ) == file.file_id:
        return
    st.session_state[READ] = file.file_id
    _take_file(file.name, file.getvalue())
    st.rerun()


def refused_html(lang: str) -> str:
    """Explain why the last opened file was unreadable, or ""."""
    if (refused := st.session_state.get(REFUSED)) is None:
        return ""
    name, problem = refused
    words = say(lang, "comparing-refused", name=name or "B", reason=unusable_text(lang, problem))
    return f'<p class="trouble" role="alert">{escape(words)}</p>'


def from_file(name: str, data: bytes, revision: int, size: int = 0) -> OtherProgram:
    """Read B from a program file or saved run. Raises Unusable.

    Args:
        size: file size in bytes, if `data` is incomplete.
    """
    if not is_run(name):
        return OtherProgram(opened(Document(("",), (0,), revision=revision - 1), name, data, may_run=True), name)
    trace = read_run(name, data, size)
    document = document_of(trace, name[: -len(SUFFIX)] + ".py")
    return OtherProgram(replace(document, revision=revision, may_run=True), name, trace)


def _take_file(name: str, data: bytes, size: int = 0) -> None:
    """Replace B by a file. An unreadable file keeps B and shows the reason."""
    st.session_state.pop(REFUSED, None)
    try:
        _put(from_file(name, data, _next(), size))
    except Unusable as problem:
        st.session_state[REFUSED] = (name, problem)


def _copy(of: Document) -> None:
    """Replace B by A."""
    st.session_state.pop(REFUSED, None)
    _put(OtherProgram(_numbered(of)))


def _after_edit(now: OtherProgram, edit: Edit) -> OtherProgram:
    st.session_state.pop(REFUSED, None)
    if isinstance(edit.act, Open):
        _take_file(edit.act.name, edit.act.data, edit.act.size)
        return st.session_state[OTHER]
    document = _edited(now.document, edit, now.name)
    return replace(now, document=document, name=now.name if document.name == now.document.name else document.name)


def _edited(document: Document, edit: Edit, name: str) -> Document:
    """Return the edited document, detached from an unrelated file."""
    edited, problem = with_edit(document, edit)
    if problem is not None:
        st.session_state[REFUSED] = (name, problem)
    return edited if _lines(edited) & _lines(document) else replace(edited, name=NEW)


def _lines(document: Document) -> set[str]:
    return {line.strip() for text in document.texts for line in text.splitlines()} - {""}


def _numbered(document: Document) -> Document:
    """Return the document as new to the browser, with nothing to undo."""
    return replace(document, revision=_next(), may_run=True, focus=None, cleaned=None, before=None)


def _next() -> int:
    """Return a new revision, so that the browser notices the new text."""
    now, first = st.session_state.get(OTHER), FIRST_REVISION["compared"]
    last = max(st.session_state.get(NUMBERED, first), first if now is None else now.document.revision)
    st.session_state[NUMBERED] = last + 1
    return last + 1


def _put(new: OtherProgram) -> OtherProgram:
    st.session_state[OTHER] = new
    return new
