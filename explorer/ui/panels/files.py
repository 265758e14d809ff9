"""The *File* menu: open a program, save it, and add files that it reads."""

import os
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Literal

import streamlit as st

from explorer.drawing.picture import FORMATS, Picture, PictureFormat
from explorer.hosting.exports import on_demand
from explorer.io.notebook import DrawnProgram, notebook
from explorer.program import Unusable, with_imports, write_program
from explorer.sandbox import probe
from explorer.sandbox.cluster.settings import elsewhere
from explorer.sandbox.hosting import hosted
from explorer.text import KNOWN, say
from explorer.trace import MAX_OPENED, Trace, encode
from explorer.ui.components.choice import choice
from explorer.ui.components.place import Place
from explorer.ui.components.script import component
from explorer.ui.panels.written_backward import ASKED
from explorer.ui.session.document import Document
from explorer.ui.session.edits import UPLOAD
from explorer.ui.session.examples import EXAMPLES
from explorer.ui.session.given_files import files_place, given
from explorer.ui.session.program_run import forget_runs
from explorer.ui.session.saved_run import is_saved
from explorer.workers.second_run import watched

TYPES: list[Literal["py", "ipynb"]] = ["py", "ipynb"]
OPENED = [*TYPES, "md", "trace"]  # a program, or a saved run
MOST_MB = MAX_OPENED // 1_000_000  # largest file that can be opened locally
MOST_MB_HOSTED = 5  # on a hosted site
MENU = "file"  # session state: whether the menu is open
MIME = {"py": "text/x-python", "ipynb": "application/x-ipynb+json"}

_recent = component("explorer_recent", '<details class="recent" hidden></details>', "panels/recent.js")
_png = component("explorer_png", '<button type="button" class="save-png"></button>', "panels/png.js")


class Menu:
    """The menu that opens and saves a program, drawn into the current container.

    It can be opened while the program runs. Called with the result of the run, it also offers the picture and the
    Trace.
    """

    def __init__(self, document: Document, lang: str) -> None:
        self.document, self.lang = document, lang
        self.stem = os.path.splitext(document.name)[0]
        self.result: Trace | Unusable | None = None
        self.picture: Picture | None = None
        self.saves: Place | None = None
        self.exports: Place | None = None
        opened = st.popover(say(lang, "file"), key=MENU, on_change="rerun")
        if opened.open:  # a closed menu is not sent
            with opened, st.container(key="file_menu"):
                self._program()

    def __call__(self, result: Trace | Unusable | None, picture: Picture | None, held: bool = False) -> None:
        """Offer the run's files. `held`: gradients are hidden and left out."""
        self.result, self.picture = None if held else result, picture
        if self.saves is None or self.exports is None:
            return
        with self.saves:
            if isinstance(self.result, Trace):
                self._save("trace", partial(encode, self.result), "application/octet-stream")
            if held:
                st.html(f'<p class="quiet">{escape(say(self.lang, "save-held"))}</p>')
        if picture is not None:
            with self.exports, st.expander(say(self.lang, "save-export"), key="menu_export", type="compact"):
                self._picture(picture, held)

    def _program(self) -> None:
        most = MOST_MB_HOSTED if hosted() else MOST_MB
        st.file_uploader(
            say(self.lang, "open", file=most),
            OPENED,
            key=UPLOAD,
            max_upload_size=most,
            on_change=lambda: st.session_state.update({MENU: False}),
        )
        labels = {name: say(self.lang, f"recent.{name}") for name in ("title", "clear")}
        _recent(data={"words": labels, "lang": KNOWN[self.lang].tag, "here": self.document.key}, key="recent")
        with st.expander(say(self.lang, "save-as"), key="menu_save", type="compact"):
            for kind in TYPES:
                self._save(kind, partial(self._text, kind), MIME[kind])
            self.saves = st.container()
        self.exports = st.container()
        count = f" :gray-badge[{len(given())}]" if given() else ""
        files = st.expander(say(self.lang, "files") + count, key="menu_files", type="compact")
        with files, st.container(key="given"):
            files_place(forget_runs, self.lang)
        if st.button(say(self.lang, "compare-with"), key="compare_with", width="stretch"):
            st.switch_page("pages/compare.py")
        if elsewhere():  # the other machine's level is unknown here
            return
        level = probe().level.replace(" ", "-")
        hint, words = say(self.lang, f"level-{level}.hint"), say(self.lang, f"level-{level}")
        sentence = say(self.lang, "confined", level=level, words=words)
        st.html(f'<p class="menu-title" title="{hint}">{sentence}</p>')

    def _picture(self, picture: Picture, held: bool) -> None:
        for suffix, form in ((name, form) for name, form in FORMATS.items() if name != ".dot"):
            data = partial(_page, picture, held) if suffix == ".html" else partial(_encoded, form, picture)
            self._save(suffix[1:], data, form.mime)
            if suffix == ".svg":  # the browser creates the .png from it
                _png(data={"name": f"{self.stem}.png", "label": say(self.lang, "save-kind", ending="png")}, key="png")
        if not held:
            st.button(
                say(self.lang, "backward-code"),
                key="written",
                on_click=_ask_backward,
                args=(picture.trace,),
                width="stretch",
            )

    def _save(self, ending: str, data: Callable[[], bytes], mime: str) -> None:
        st.download_button(
            f"{say(self.lang, 'save-kind', ending=ending)} :gray[.{ending}]",
            on_demand(data),
            f"{self.stem}.{ending}",
            mime,
            key=f"save.{ending}",
            on_click="ignore",
            width="stretch",
        )

    def _text(self, kind: Literal["py", "ipynb"]) -> bytes:
        """Return the program as a file, with its own outputs."""
        program = with_imports(self.document.program())
        if kind != "ipynb":
            return write_program(program, kind).encode("utf-8", "replace")
        trace = self.result if isinstance(self.result, Trace) and self._is_of(self.result) else None
        picture = self.picture if self.picture is not None and self._is_of(self.picture.trace) else None
        drawn = _drawn(picture) if picture is not None else None
        return notebook(program, trace, self.lang, drawn).encode("utf-8", "replace")

    def _is_of(self, trace: Trace) -> bool:
        """Return whether a run belongs to the current text."""
        return tuple(cell.source for cell in trace.own_cells) == self.document.texts[: len(trace.own_cells)]


def examples(take: Callable[[str], None], lang: str) -> None:
    """Draw the menu of example programs. `take` is called with the chosen one."""
    choice(say(lang, "examples"), "examples", {name: say(lang, f"example-{name}") for name in EXAMPLES}, take)


def _ask_backward(trace: Trace) -> None:
    """Close the menu and show the backward as code."""
    st.session_state.update({MENU: False, ASKED: trace})


def _drawn(picture: Picture) -> DrawnProgram:
    """Return a notebook's picture, below the cell of its backward or the last cell."""
    trace, backward = picture.trace, picture.view.backward
    span = -1 if backward is None else trace.backwards[backward].span
    cell = trace.spans[span].cell if span >= 0 else len(trace.cells) - 1
    return DrawnProgram(cell, picture.svg(standalone=True), picture.sentence())


def _page(picture: Picture, held: bool) -> bytes:
    """Return the picture as a page that plays its run, unless gradients are hidden."""
    trace = picture.trace
    again = None if held or is_saved(trace) else watched(trace, given())
    return picture.html(again, plays=not held).encode()


def _encoded(form: PictureFormat, picture: Picture) -> bytes:
    return form.written(picture).encode()
