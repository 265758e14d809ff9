"""Files in and out: the menu that opens a program and takes it away, with its notes, cells and outputs."""

import json
import os
from collections.abc import Callable
from html import escape
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.export import to_json
from explorer.picture import Picture
from explorer.program import Unusable, write_program
from explorer.sandbox import probe
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.choice import choice
from explorer.ui.document import Document
from explorer.ui.examples import EXAMPLES, Example
from explorer.ui.script import component

KEY = "open"
TYPES = ["py", "ipynb", "md"]
MIME = {"py": "text/x-python", "md": "text/markdown", "ipynb": "application/x-ipynb+json"}
OPENED = "_opened"  # session state: the upload that was read last


_png = component("explorer_png", '<button type="button" class="save-png"></button>', "png.js")


def uploaded() -> tuple[str, bytes] | None:
    """Name and bytes of a file that was chosen in the menu and not read yet."""
    file = st.session_state.get(KEY)
    if file is None or st.session_state.get(OPENED) == file.file_id:
        return None
    st.session_state[OPENED] = file.file_id
    return file.name, file.getvalue()


def menu(document: Document, result: Trace | Unusable | None, picture: Picture | None, lang: str) -> None:
    """Draw the menu: open, and every way to take it away."""
    opened = st.popover(say(lang, "file"), key="file", on_change="rerun")
    if not opened.open:  # what nobody sees is not sent
        return
    with opened:
        st.file_uploader(say(lang, "open"), TYPES, key=KEY, max_upload_size=5)
        stem = os.path.splitext(document.name)[0]
        with _group(say(lang, "save-program"), "save_program"):
            for kind in TYPES:
                _save(f"{stem}.{kind}", _text(document, kind, result), MIME[kind])
        if picture is not None:
            with _group(say(lang, "save-picture"), "save_picture"):
                _save(f"{stem}.svg", lambda: picture.svg(standalone=True).encode(), "image/svg+xml")
                _png(data={"name": f"{stem}.png", "label": say(lang, "save-png")}, key="save_png")
                _save(f"{stem}.html", lambda: picture.html().encode(), "text/html")
                _save(f"{stem}.dot", lambda: picture.dot().encode(), "text/vnd.graphviz")
        if isinstance(result, Trace):
            with _group(say(lang, "save-trace"), "save_trace"):
                name = document.name
                _save(f"{stem}.json", lambda: json.dumps(to_json(result, name, lang)).encode(), "application/json")
        level = probe().level.replace(" ", "-")
        hint = say(lang, f"level-hint-{level}")
        st.html(f'<p class="menu-title" title="{hint}">{say(lang, "confined", level=say(lang, f"level-{level}"))}</p>')


def examples(take: Callable[[Example], None], lang: str) -> None:
    """Draw the menu of programs to begin with; `take` is called with the one that is chosen."""
    labels = {one: say(lang, f"example-{one.name}") for one in EXAMPLES}
    choice(say(lang, "examples"), "examples", {f"example_{one.name}": (one, labels[one]) for one in EXAMPLES}, take)


def _group(title: str, key: str) -> DeltaGenerator:
    st.html(f'<p class="menu-title">{escape(title)}</p>')
    return st.container(key=key, horizontal=True, gap="small")


def _text(document: Document, kind: Literal["py", "md", "ipynb"], result: Trace | Unusable | None) -> Callable:
    def text() -> bytes:
        trace = result if isinstance(result, Trace) else None
        if trace is not None and tuple(cell.source for cell in trace.cells) != document.texts[: len(trace.cells)]:
            trace = None  # outputs of another text
        return write_program(document.program(), kind, trace).encode("utf-8", "replace")

    return text


def _save(name: str, data: Callable[[], bytes], mime: str) -> None:
    ending = os.path.splitext(name)[1]
    st.download_button(ending, data, name, mime, key=f"save{ending}", on_click="ignore", width="content")
