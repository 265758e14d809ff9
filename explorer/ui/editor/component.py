"""The editor component: browser messages and the server's answers.

The browser owns the texts. It sends everything in one value, `edit`, numbered by `count`. The server answers with
annotations beside and between the lines, and replaces texts only under a higher `revision`. HTML of notes and outputs
is identified by its digest and sent once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

import msgspec
import streamlit as st

from explorer.analysis.run.operations.signatures import find_signature
from explorer.drawing.notebook.ghosts import Ghost
from explorer.sandbox.hosting import hosted
from explorer.text import say
from explorer.ui.components.script import component, component_state
from explorer.ui.session.document import Document
from explorer.ui.session.edits import DROPPED_HOSTED, EDITOR, Edit, latest_edit
from explorer.ui.session.links import session_name

_editor = component("explorer_editor", '<div class="code-editor"></div>', "editor/page.js")


@dataclass(frozen=True)
class CellView:
    """Annotations next to and below a cell.

    Attributes:
        state: ok, error, refused, limited, unrun or "" if unknown.
        note, outputs: HTML before and after it, "" for none.
        ghosts: results next to its lines.
        faults: line, column, end line, end column and message of errors.
        hints: the same for diagnoses.
        spans: line, column, end line, end column of the expressions that have a card.
        idle: the same of code without effect.
        marks: lines that another program does not have (changed), and the line where two runs first differ (parting).
    """

    state: str = ""
    note: str = ""
    outputs: str = ""
    ghosts: Sequence[Ghost] = ()
    faults: Sequence[tuple[int, int, int, int, str]] = ()
    hints: Sequence[tuple[int, int, int, int, str]] = ()
    spans: Sequence[tuple[int, int, int, int]] = ()
    idle: Sequence[tuple[int, int, int, int]] = ()
    marks: Sequence[tuple[int, Literal["changed", "parting"]]] = ()


@dataclass(frozen=True)
class EditorView:
    """Annotations of a whole document.

    Attributes:
        cells: per cell of the document.
        end: HTML of the notes after the last cell.
        typing: whether problems are withheld until typing pauses.
        before: whether the annotations are from the previous run, because the program failed while the user types.
        ask: whether the browser should request a run at once.
    """

    cells: Sequence[CellView] = field(default_factory=list)
    end: str = ""
    typing: bool = False
    before: bool = False
    ask: bool = False


def editor(document: Document, view: EditorView, handled: Edit | None, lang: str, key: str = EDITOR) -> None:
    """Draw the editor.

    Args:
        handled: the browser's message that `view` answers, or None.
        key: of the component. Only EDITOR highlights cards in the pictures.
    """
    asked = latest_edit(key)
    have = set(asked.have) if asked else set()
    current = asked is not None and asked.revision == document.revision
    html: dict[str, str] = {}
    data = {
        "session": session_name(),
        "revision": document.revision,
        "count": handled.count if handled else None,
        "focus": [document.focus.cell, document.focus.line, document.focus.column] if document.focus else None,
        "of": document.of,
        "acted": document.acted,
        "typing": view.typing,
        "before": view.before,
        "ask": view.ask,
        "apart": key != EDITOR,
        "origin": _origin(document, current),
        "words": _words(lang),
        "most": DROPPED_HOSTED if hosted() else None,
        "cells": [
            {
                "id": of,
                "text": None if current else text,
                "note": _named(cell.note, html),
                "outs": _named(cell.outputs, html),
                "state": cell.state,
                "status": say(lang, f"cell.{cell.state}") if cell.state else "",
                "ghosts": msgspec.to_builtins(cell.ghosts),
                "faults": cell.faults,
                "hints": cell.hints,
                "spans": cell.spans,
                "idle": cell.idle,
                "marks": cell.marks,
            }
            for of, text, cell in zip(document.ids, document.texts, view.cells, strict=True)
        ],
        "end": _named(view.end, html),
    }
    data["html"] = {name: text for name, text in html.items() if name not in have}
    _editor(data=data, key=key, default={"edit": None, "cell": None})


def _origin(document: Document, current: bool) -> dict[str, object]:
    """Return the browser's data about a document besides its texts (`Origin`).

    `current`: whether it already has the longer parts.
    """
    about = {"foreign": document.foreign, "waits": not document.may_run, "name": document.name}
    about |= {"key": document.key, "ours": document.ours}
    longer = {"notes": document.notes, "about": document.about, "abouts": document.abouts}
    return about if current else about | longer


def _named(html: str, pieces: dict[str, str]) -> str:
    """Return the digest of a piece of HTML, "" if there is none."""
    if not html:
        return ""
    name = blake2b(html.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
    pieces[name] = html
    return name


def _words(lang: str) -> dict[str, str]:
    names = {"cell": "cell", "program": "program", "run": "run-cell", "runHint": "run-cell-hint", "fold": "fold"}
    names |= {"add": "add-cell", "more": "more", "less": "less", "leave": "editor-leave"}
    names |= {"back": "program-back", "close": "close"}
    words = {name: say(lang, message) for name, message in names.items()}
    return words | {
        "number": say(lang, "editor-number", line="@"),
        "unknownCall": say(lang, "editor-unknown-call", name="@"),
    }


KEY = "script_asks"

_asks = component("explorer_asks", "", "editor/asks.js")


@st.fragment
def call_help() -> None:
    """Send documentation of the call under the editor's cursor."""
    question = component_state(KEY, "asked")
    name, count = (question.get("name"), question.get("count")) if isinstance(question, dict) else (None, None)
    entry = find_signature(name) if isinstance(name, str) else None
    data = {"name": name, "count": count, "signature": "", "sentence": ""}
    if entry:
        data |= {"signature": entry.signature, "sentence": entry.sentence}
    _asks(data=data, key=KEY, default={"asked": None})
