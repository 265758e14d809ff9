"""The session's document, updated by the browser's messages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any

from msgspec import structs

from explorer.program import Program, Unusable, write_program
from explorer.program.cells import MAX_NOTEBOOK, MAX_TEXT
from explorer.program.notebook import checked_about
from explorer.program.saved_run import is_run, read_run
from explorer.sandbox.hosting import hosted
from explorer.trace import SUFFIX
from explorer.ui.components.session_values import Inbox, SessionValue
from explorer.ui.session.chosen_line import forget_line
from explorer.ui.session.document import DOCUMENT, NEW, Document, file_name, opened
from explorer.ui.session.edits import (
    DROPPED_HOSTED,
    Edit,
    KeptProgram,
    Open,
    ProgramOrigin,
    kept_program,
    latest_edit,
    uploaded,
    with_edit,
)
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT
from explorer.ui.session.folder import is_own, open_to
from explorer.ui.session.followed_file import followed_document, is_as_read, saved_version, take
from explorer.ui.session.gradient_target import GradientTarget
from explorer.ui.session.lessons import begin
from explorer.ui.session.links import framed, from_address, ran_here
from explorer.ui.session.page_state import PageState
from explorer.ui.session.program_run import forget_runs, resume
from explorer.ui.session.saved_run import document_of, give_run, saved_document
from explorer.ui.session.shown_picture import last_good

PAGE = "autograd"
KEY_LENGTH = 40  # longest program key that a browser sends
_edits = Inbox("_handled")
_opens = Inbox("_opens_handled")
_upto = SessionValue[int | None]("_upto")  # the last requested cell
_refused = SessionValue[Unusable | None]("_refused")  # the reason why the last opened file was not read


def _first() -> Document:
    """Return a session's initial program."""
    first = saved_document() or followed_document() or Document((FIRST_SIGHT,), (0,), ours=True)
    return replace(first, key=token_hex(8))


_document = SessionValue[Document](DOCUMENT, _first)
STATE = PageState(PAGE)  # the document and the strip above the graph know program and backward better
_runs_again = SessionValue[int]("_runs_again", lambda: -1)  # revision of a program that ran before a reload


@dataclass(frozen=True)
class Session:
    """Snapshot of a session.

    Attributes:
        document: edited document.
        edit: browser's last message about this document.
        upto: last requested cell, None for all.
        target: root of the shown gradient.
        came: whether an address arrived since the last snapshot.
    """

    document: Document
    edit: Edit | None
    upto: int | None
    target: GradientTarget
    came: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """Cells to run."""
        return self.document.texts if self.upto is None else self.document.texts[: self.upto + 1]

    def program(self) -> Program:
        """Return the program to run. Raises Unusable."""
        return self.document.program(self.upto)

    def run_all(self) -> "Session":
        """Request a run of every cell."""
        _upto.clear()
        resume()
        if open_to(self.document.texts):  # files that it reads may have changed
            forget_runs()
        change(replace(self.document, may_run=True))
        return replace(self, document=document(), edit=None, upto=None)


def take_edit() -> Edit | None:
    """Apply the editor's message once. Return the last one about the session's program."""
    edit = latest_edit()
    if edit is not None and _edits.accept(edit.count) and edit.revision == document().revision:
        _apply_edit(edit)
    return edit if edit is not None and edit.revision == document().revision else None


def document() -> Document:
    """Return the session's program."""
    return _document.get()


def change(new: Document) -> None:
    """Replace the session's document."""
    _document.put(new)


def refused_file() -> Unusable | None:
    """Return why the last file was unreadable. The program is then unchanged."""
    return _refused.get()


def session(state: PageState | None = None) -> Session:
    """Apply address, browser messages and opened files, once each. `state`: of the page."""
    state = state or STATE
    came = state.read_address() and from_address()
    kept = kept_program()
    if kept is not None and _opens.accept(kept.count):  # instead of the address's program, which may be an older text
        _open_kept(kept)
    elif came:
        take_program(state["program"], state["name"])
    take_edit()
    if (file := uploaded()) is not None:
        _open(*file)
    edit = latest_edit()
    about = edit if edit is not None and edit.revision == document().revision else None
    upto = _upto.get()
    upto = upto if upto is not None and upto < len(document().texts) else None
    return Session(document(), about, upto, gradient_target(), came)


def gradient_target() -> GradientTarget:
    """Return the requested gradient root."""
    return GradientTarget(STATE["of"], STATE["start"])


def ask_for(new: GradientTarget) -> None:
    """Choose the output whose gradient is shown."""
    STATE.put(of=new.of, start=new.start)


def in_address(document: Document) -> dict[str, Any]:
    """Return the address's form of the program, empty for the initial one."""
    if document.texts == (FIRST_SIGHT,) and not document.notes:
        return {"program": "", "name": NEW}
    try:
        text = write_program(document.program(), "py")
    except Unusable:  # too large for any address
        text = ""
    return {"program": text, "name": document.name}


def open_example(name: str) -> None:
    """Replace the session's program with one from the menu."""
    open_text(NEW, EXAMPLES[name], ours=True)
    begin(PAGE, name)


def open_text(name: str, text: str, ours: bool = False, foreign: bool = False) -> None:
    """Replace the session's program by a new text and run it. Raises Unusable."""
    now = opened(document(), name, text.encode("utf-8", "surrogatepass"), may_run=True, foreign=foreign)
    open_program(replace(now, ours=ours))


def open_program(new: Document, key: str = "", target: GradientTarget | None = None) -> None:
    """Replace the session's program, which the browser keeps.

    Args:
        key: key of a program that the browser knows, "" for a new one.
        target: shown gradient root, None for the program's own.
    """
    new = replace(new, key=key or token_hex(8))
    ask_for(target or GradientTarget())
    _upto.clear()
    _refused.clear()
    last_good.clear()
    forget_line()
    change(new)


def runs_again(document: Document) -> bool:
    """Return whether a program ran in this tab before."""
    return _runs_again.get() == document.revision


def take_program(text: str, name: str) -> None:
    """Open an address's program unless it is already open."""
    if text and text != in_address(document())["program"]:
        _open(NEW, text.encode("utf-8", "surrogatepass"), foreign=True)
        if document().texts:
            own = is_own(document().texts)
            change(replace(document(), name=name, foreign=not own))
            if ran_here():
                _runs_again.put(document().revision)


def _apply_edit(edit: Edit) -> None:
    typed = edit.cells != list(zip(document().ids, document().texts, strict=True))
    if edit.act is not None or typed:
        _refused.clear()  # not when only the cursor moved
    _upto.put(edit.upto)
    if edit.settled:
        resume()
    if isinstance(edit.act, Open):  # the program stays until the file is known to be valid
        if typed:
            change(with_edit(document(), edit)[0])
        return _open(edit.act.name, edit.act.data, edit.act.size)
    if edit.origin is not None:
        now = restored(document(), edit.cells, edit.origin)
        return change(replace(now, may_run=not edit.origin.waits))
    now, problem = with_edit(document(), edit)
    change(now)
    if problem is not None:
        _refused.put(problem)


def take_saved_file() -> bool:
    """Replace the program by the saved followed file. Return whether it changed."""
    before = document()
    untouched = is_as_read(before)
    version = saved_version(before)
    if version is None:
        return False
    if version.document.texts != before.texts:
        open_program(version.document, before.key if untouched else "")
    take(version)
    return True


def restored(document: Document, cells: Sequence[tuple[int, str]], origin: ProgramOrigin) -> Document:
    """Restore a browser's program at the session's revision.

    A foreign program waits for its user's request to run.
    """
    texts = dict(cells) or {0: ""}
    beside = dict(origin.abouts)
    about, abouts = checked_about(origin.about, [beside.get(of, "") for of in texts])
    foreign = origin.foreign and not is_own(tuple(texts.values()))
    return Document(
        texts=tuple(texts.values()),
        ids=tuple(texts),
        notes=tuple(origin.notes),
        name=file_name(origin.name),
        revision=document.revision,
        may_run=not (origin.waits or foreign),
        about=about,
        abouts=tuple((of, text) for of, text in zip(texts, abouts, strict=False) if text),
        foreign=foreign,
        key=origin.key[:KEY_LENGTH] or document.key,
        ours=origin.ours,
    )


def _open_kept(kept: KeptProgram) -> None:
    """Open a stored program with new cell ids."""
    before = document()
    first = max(before.ids) + 1
    ids = {of: first + number for number, (of, _) in enumerate(kept.cells)}
    notes = [(ids.get(of, -1), markdown) for of, markdown in kept.origin.notes]
    abouts = [(ids.get(of, -1), about) for of, about in kept.origin.abouts]
    origin = structs.replace(kept.origin, notes=notes, abouts=abouts)
    new = restored(replace(before, revision=before.revision + 1), [(ids[of], text) for of, text in kept.cells], origin)
    try:
        new.program()
    except Unusable as problem:
        _refused.put(problem)
        return
    open_program(new, new.key)
    if kept.ran and not framed():
        _runs_again.put(new.revision)


def open_saved(name: str, data: bytes) -> None:
    """Show a saved run, or why the file is not one."""
    _open(name, data)


def _open(name: str, data: bytes, size: int = 0, foreign: bool = False) -> None:
    try:
        if is_run(name):
            return _open_run(name, data, size)
        if size > len(data):
            most = MAX_NOTEBOOK if name.lower().endswith(".ipynb") else MAX_TEXT
            most = min(most, DROPPED_HOSTED) if hosted() else most
            raise Unusable.of("too-large", name, size=size, most=most)
        new = opened(document(), name, data, may_run=False, foreign=foreign)
        open_program(new, target=gradient_target() if foreign else None)  # from the address that it came with
    except Unusable as problem:
        _refused.put(problem)


def _open_run(name: str, data: bytes, size: int) -> None:
    """Show a saved run in place of the session's program. Raises Unusable."""
    name = file_name(name)
    trace, before = read_run(name, data, size), document()
    shown = document_of(trace, name[: -len(SUFFIX)] + ".py", before)
    shown.program()  # its text may exceed what a page shows
    give_run(trace)
    forget_runs()  # the same text can still be a different run
    open_program(shown)
