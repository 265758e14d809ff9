"""A learner's state: answers, edited programs, and position in the course.

The browser's own storage keeps the answers, and the server stores none.
"""

from collections.abc import Mapping
from dataclasses import replace as replaced
from typing import Any, Literal

import streamlit as st
from msgspec import Struct, ValidationError, convert, field, to_builtins
from msgspec.structs import replace

from explorer.lessons.asks import Ask
from explorer.lessons.course import course
from explorer.lessons.facts import Reply
from explorer.lessons.lesson import Lesson, program_of
from explorer.ui.components.script import component, component_state
from explorer.ui.session.document import FIRST_REVISION, Document, opened
from explorer.ui.session.page_state import PageState

ANSWERS = "_lesson_answers"  # session state
DOCUMENTS, PROGRAMS = "_lesson_documents", "_lesson_programs"  # session state: programs, now and earlier
COUNT = "_lesson_count"  # session state: number of created documents, times EDITS
EDITS = 1_000  # revisions reserved for each document
TRIES = 3  # wrong answers before the right one may be shown
MOST = 2_000  # most remembered answers
MOST_TEXT = 200_000  # most characters of all changed programs together
STATE = PageState("lessons", {"path": "lessons_path"})
KEY = "lesson_memory"
RECALLED = "_lesson_recalled"  # session state: whether the browser's stored answers were loaded

_memory = component("explorer_lessons", "<i hidden></i>", "pages/lessons/memory.js")


class Answered(Struct, frozen=True):
    """The state of one question.

    Attributes:
        state: open, right, or shown (revealed or skipped).
        tries: wrong answers. hints: number of requested hints.
        answer: last answer. reply: name of its reply. unread: whether it was unreadable.
        gone: wrong choices and lines.
    """

    state: Literal["open", "right", "shown"] = "open"
    tries: int = 0
    hints: int = 0
    answer: str = field(default="", name="said")  # the name in browsers' storage
    reply: str = ""
    unread: bool = False
    gone: tuple[str, ...] = ()


class Memory(Struct, frozen=True):
    """Data remembered by the browser, by "lesson#question".

    Attributes: answers: given answers. programs: cells of changed programs.
    """

    answers: dict[str, Answered] = {}
    programs: dict[str, list[str]] = {}


def key_of(lesson: Lesson, ask: Ask) -> str:
    """Return a question's unique name."""
    return f"{lesson.id}#{ask.id}"


def answers() -> dict[str, Answered]:
    """Return the answers by question name."""
    return st.session_state.setdefault(ANSWERS, {})


def answered(lesson: Lesson, ask: Ask) -> Answered:
    """Return the state of a question."""
    return answers().get(key_of(lesson, ask), Answered())


def put(lesson: Lesson, ask: Ask, new: Answered) -> None:
    """Store a question's new state."""
    answers()[key_of(lesson, ask)] = new


def take(lesson: Lesson, ask: Ask, answer: str, reply: Reply) -> None:
    """Store an answer and its reply."""
    before = answered(lesson, ask)
    if reply.right is None:
        return put(lesson, ask, replace(before, answer=answer, reply="", unread=True))
    if reply.right:
        return put(lesson, ask, replace(before, state="right", answer=answer, reply="", unread=False))
    gone = (*before.gone, answer)[:20]
    tries = before.tries + 1
    return put(lesson, ask, replace(before, tries=tries, answer=answer, reply=reply.known, unread=False, gone=gone))


def shown(lesson: Lesson, ask: Ask) -> None:
    """Mark a question's answer as shown."""
    put(lesson, ask, replace(answered(lesson, ask), state="shown", unread=False))


def forget_answers(lesson: Lesson) -> None:
    """Forget a lesson's answers and program changes."""
    for ask in lesson.data.ask:
        for kept in (answers(), documents(), st.session_state.get(PROGRAMS, {})):
            kept.pop(key_of(lesson, ask), None)


def finished_share(lesson: Lesson) -> float:
    """Return the share of finished questions, from 0 to 1."""
    return sum(answered(lesson, ask).state != "open" for ask in lesson.data.ask) / len(lesson.data.ask)


def first_open(lesson: Lesson) -> int:
    """Return the index of the first open question, or the number of questions."""
    places = (at for at, ask in enumerate(lesson.data.ask) if answered(lesson, ask).state == "open")
    return next(places, len(lesson.data.ask))


def documents() -> dict[str, Document]:
    """Return the learner's programs by question name."""
    return st.session_state.setdefault(DOCUMENTS, {})


def document_of(lesson: Lesson, ask: Ask) -> Document:
    """Return a question's program as the learner left it."""
    key, programs = key_of(lesson, ask), documents()
    if key not in programs:
        programs[key] = fresh(lesson, ask)
        before = st.session_state.get(PROGRAMS, {}).get(key)
        if before:
            programs[key] = replaced(programs[key], texts=tuple(before), ids=tuple(range(len(before))))
    return programs[key]


def fresh(lesson: Lesson, ask: Ask) -> Document:
    """Return a question's initial program under a new revision."""
    count = st.session_state[COUNT] = st.session_state.get(COUNT, 0) + EDITS
    empty = Document(("",), (0,), revision=FIRST_REVISION["lessons"] + count)
    name = f"{lesson.id.replace('/', '-')}.py"
    return opened(empty, name, lesson.program_of(ask).encode("utf-8", "surrogatepass"), may_run=True)


def first_texts(lesson: Lesson, ask: Ask) -> tuple[str, ...]:
    """Return the cells of a question's initial program."""
    return tuple(cell.text for cell in program_of(lesson.program_of(ask)).cells) or ("",)


def remembered() -> dict[str, Any]:
    """Return the browser's data: finished and tried questions, and changed programs."""
    programs = dict(st.session_state.get(PROGRAMS, {}))
    for key, document in documents().items():
        programs.pop(key, None)
        if _is_changed(key, document):
            programs[key] = [*document.texts]
    while sum(len(text) for program in programs.values() for text in program) > MOST_TEXT:
        programs.pop(next(iter(programs)))
    return to_builtins(Memory(dict([*answers().items()][-MOST:]), programs))


def _is_changed(key: str, document: Document) -> bool:
    """Return whether this is a changed program of a course question."""
    id, _, name = key.partition("#")
    lesson = course().lessons.get(id)
    ask = next((question for question in lesson.data.ask if question.id == name), None) if lesson is not None else None
    return lesson is not None and ask is not None and document.texts != first_texts(lesson, ask)


def recall(stored: Mapping[str, Any]) -> None:
    """Load a browser's stored data, unless it is invalid or this session knows better."""
    try:
        memory = convert(stored, Memory)
    except ValidationError:
        return
    size = sum(len(text) for program in memory.programs.values() for text in program)
    if max(len(memory.answers), len(memory.programs)) <= MOST and size <= MOST_TEXT:
        st.session_state[PROGRAMS] = memory.programs
        for key in memory.programs.keys() & documents().keys():
            if not _is_changed(key, documents()[key]):
                del documents()[key]  # drawn before the browser's data arrived
        st.session_state[ANSWERS] = memory.answers | answers()


def open_lesson(id: str) -> None:
    """Go to the first open question of a lesson."""
    STATE.put(lesson=id, at=0)


def to_map() -> None:
    """Go back to the course map."""
    STATE.put(lesson="", at=0)


def listen() -> None:
    """Read the stored answers, once in a session."""
    memory = component_state(KEY, "kept")
    if isinstance(memory, dict) and not st.session_state.get(RECALLED):
        st.session_state[RECALLED] = True
        recall(memory)


def remember(focus: str, into: str = "lesson_ask") -> None:
    """Send the browser its data to store, once its previous data arrived.

    Args:
        focus: name of the current question, whose change moves the keyboard focus.
        into: key of the container whose first field or button gets the focus.
    """
    data: dict[str, Any] = {
        "keep": remembered() if st.session_state.get(RECALLED) else None,
        "focus": focus,
        "into": into,
    }
    _memory(data=data, key=KEY, default={"kept": None})
