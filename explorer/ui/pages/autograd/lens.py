"""Lenses: other views of the program, with own addresses."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.choice import choice
from explorer.ui.components.session_values import SessionValue
from explorer.ui.panels.lesson import gallery_line
from explorer.ui.session.chosen_line import ProgramPlace, choose_line, follow_caret, light_line, newly_chosen
from explorer.ui.session.document import Document
from explorer.ui.session.lessons import begin
from explorer.ui.session.page_state import PageState
from explorer.ui.session.state import Session, open_text, session

Item = TypeVar("Item")  # an operation, or a training loop


class Lens(ABC, Generic[Item]):
    """A view that lists the tensors of the lines and draws one.

    Attributes:
        state: of its page.
        named: address property with the name of the chosen item.
        programs: examples in its menu by name. Their titles are the messages <page>-example.<name>.
        entries: whether the run keeps the entries of every tensor.
    """

    entries = True

    def __init__(self, state: PageState, named: str, programs: Mapping[str, str]) -> None:
        self.state, self.named, self.programs = state, named, programs
        self._good = SessionValue[Trace | None](f"_good_{state.page}")
        self._last = SessionValue[str | None](f"_last_{state.page}")  # last shown item

    @abstractmethod
    def items(self, trace: Trace) -> Mapping[str, tuple[Item, ProgramPlace | None]]:
        """Return the items and their lines, by keys that are unique within a program."""

    @abstractmethod
    def first(self, trace: Trace, items: Mapping[str, tuple[Item, ProgramPlace | None]]) -> str:
        """Return the key of the most informative item."""

    def is_good(self, trace: Trace) -> bool:
        """Return whether a run succeeded, so it is shown and kept."""
        return bool(len(trace.tensors)) or trace.end == "ok"

    @abstractmethod
    def one(self, trace: Trace, items: Mapping[str, tuple[Item, ProgramPlace | None]], chosen: str, lang: str) -> None:
        """Draw the chosen one, and the way to the others."""

    @abstractmethod
    def none(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """Draw a replacement for a program without items."""

    def collect(self) -> Session:
        """Return the session with the program named in the address."""
        now = session(self.state)
        if self.state["example"] not in self.programs:
            return now
        self.open(self.state["example"])
        return session(self.state)

    def open(self, name: str) -> None:
        """Replace the session's program with one from the menu."""
        self.state.put(**{"example": "", self.named: ""})
        open_text(f"{name}.py", self.programs[name], ours=True)
        begin(self.state.page, name)

    def menu(self, lang: str) -> None:
        """Draw the menu of programs."""
        labels = {name: say(lang, f"{self.state.page}-example.{name}") for name in self.programs}
        choice(say(lang, "examples"), "examples", labels, self.open)

    def draw(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """Draw the lens, or the last good one dimmed."""
        gallery_line(self.state, lang)
        if isinstance(result, Trace) and self.is_good(result):
            self._good.put(result)
        trace = self._good.get()
        items = self.items(trace) if trace is not None else {}
        if trace is None or not items:
            self.none(now, result, lang)
            return
        stale = trace is not result
        if stale:
            st.html(f'<p class="op-stale" role="status">{quoted(say(lang, "stale"))}</p>')
        with st.container(key="lens_stale" if stale else "lens_shown"):
            self._chosen(trace, items, lang)

    def _chosen(self, trace: Trace, items: Mapping[str, tuple[Item, ProgramPlace | None]], lang: str) -> None:
        places = {place for _, place in items.values() if place is not None}
        follow_caret(lambda: places)
        line = newly_chosen(self.state.page)
        there = [key for key, (_, place) in items.items() if place is not None and place == line]
        if self._last.get() in (None, self.state[self.named]) and there and self.state[self.named] not in there:
            self.state[self.named] = there[-1]
        if self.state[self.named] not in items:
            self.state[self.named] = self.first(trace, items)
        chosen = self.state[self.named]
        if there or self._last.get() not in (None, chosen):
            choose_line(self.state.page, items[chosen][1])
        self._last.put(chosen)
        light_line(items[chosen][1], places)
        self.one(trace, items, chosen, lang)
