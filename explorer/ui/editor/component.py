"""The editor as a component of the page: what the browser says, what it is told, and nothing in between.

The browser owns the texts. It says everything in one value, `edit`, numbered by `count`; the server answers with what
stands beside and between the lines, and with texts of its own only under a higher `revision`. HTML of notes and outputs
is named by its digest and sent once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

import msgspec

from explorer.drawing.notebook.ghosts import Ghost
from explorer.text import say
from explorer.ui.components.script import component
from explorer.ui.editor.help import answers
from explorer.ui.session.document import Document
from explorer.ui.session.edits import EDITOR, Edit, said
from explorer.ui.session.links import session_name

_editor = component(
    "explorer_editor",
    '<div class="code-editor"></div>',
    "editor/page.js",
)


@dataclass(frozen=True)
class CellView:
    """What stands beside and under a cell.

    Attributes:
        state: ok, error, refused, limited, unrun or "" while nothing is known.
        note, outputs: HTML before and after it, "" for none.
        ghosts: results beside its lines.
        faults: line, column, end line, end column and message of what went wrong.
        hints: the same of what is wrong although nothing failed.
        spans: line, column, end line, end column of the expressions that have a card.
        marks: lines that another program does not have (changed), and the one where two runs part (parting).
    """

    state: str = ""
    note: str = ""
    outputs: str = ""
    ghosts: Sequence[Ghost] = ()
    faults: Sequence[tuple[int, int, int, int, str]] = ()
    hints: Sequence[tuple[int, int, int, int, str]] = ()
    spans: Sequence[tuple[int, int, int, int]] = ()
    marks: Sequence[tuple[int, Literal["changed", "parting"]]] = ()


@dataclass(frozen=True)
class EditorView:
    """What the editor shows beside the texts.

    Attributes:
        cells: one for each cell of the document.
        end: HTML of the notes behind the last cell.
        typing: whether the only fault lies where somebody is typing.
        ask: whether the browser is to ask at once that the program runs.
    """

    cells: Sequence[CellView] = field(default_factory=list)
    end: str = ""
    typing: bool = False
    ask: bool = False


def editor(
    document: Document, view: EditorView, handled: Edit | None, lang: str, key: str = EDITOR, still: bool = False
) -> None:
    """Draw the editor.

    Args:
        handled: the message of the browser that `view` answers, None when it answers none.
        key: of the component; what somebody types comes from the one named EDITOR.
        still: whether the program is only shown.
    """
    asked = said(key)
    have = set(asked.have) if asked else set()
    known = asked is not None and asked.revision == document.revision
    html: dict[str, str] = {}
    data = {
        "session": session_name(),
        "revision": document.revision,
        "count": handled.count if handled else None,
        "focus": [document.focus.cell, document.focus.line, document.focus.column] if document.focus else None,
        "typing": view.typing,
        "ask": view.ask,
        "still": still,
        "words": _words(lang),
        "cells": [
            {
                "id": of,
                "text": None if known else text,
                "note": _named(cell.note, html),
                "outs": _named(cell.outputs, html),
                "state": cell.state,
                "said": say(lang, f"cell-{cell.state}") if cell.state else "",
                "ghosts": msgspec.to_builtins(cell.ghosts),
                "faults": cell.faults,
                "hints": cell.hints,
                "spans": cell.spans,
                "marks": cell.marks,
            }
            for of, text, cell in zip(document.ids, document.texts, view.cells, strict=True)
        ],
        "end": _named(view.end, html),
    }
    data["html"] = {name: text for name, text in html.items() if name not in have}
    nothing = {"edit": None, "cell": None}
    _editor(data=data, key=key, default=nothing, on_edit_change=lambda: None, on_cell_change=lambda: None)
    if not still:
        answers()


def _named(html: str, kept: dict[str, str]) -> str:
    """The digest that stands for a piece of HTML, "" for none."""
    if not html:
        return ""
    name = blake2b(html.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
    kept[name] = html
    return name


def _words(lang: str) -> dict[str, str]:
    names = {"cell": "cell", "program": "program", "run": "run-cell", "runHint": "run-cell-hint", "fold": "fold"}
    names |= {"add": "add-cell", "more": "more", "less": "less", "leave": "editor-leave"}
    words = {name: say(lang, message) for name, message in names.items()}
    return words | {
        "number": say(lang, "editor-number", line="@"),
        "unknownCall": say(lang, "editor-unknown-call", name="@"),
    }
