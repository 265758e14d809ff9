"""The Operations lens: one call drawn by its entries, or the common operations."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from explorer.analysis.explain.entries.operation_view import ListedCall, call_to_show, operations
from explorer.drawing.marks import quoted
from explorer.drawing.operations import operation_html
from explorer.drawing.operations.picture import known_html
from explorer.program import CellSource, Program, Unusable
from explorer.safe_regex import linear
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Options, Trace
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.autograd import page as workbench
from explorer.ui.pages.autograd.lens import Lens
from explorer.ui.panels.tensor import call_panel, call_view
from explorer.ui.session.chosen_line import ProgramPlace
from explorer.ui.session.document import Document
from explorer.ui.session.examples import EXAMPLES as OLD
from explorer.ui.session.examples import FIRST_SIGHT, programs_in
from explorer.ui.session.memo import memoize
from explorer.ui.session.page_state import PageState
from explorer.ui.session.program_run import computed
from explorer.ui.session.state import Session, open_text, session, take_program

FOUND, SHELF = "op_find", "op_shelf"  # keys of the search field and of the twelve examples
STATE = PageState("operations", {"operation": "op_choose"})
ALONE = '<style>[data-testid="stColumn"]:has(> div > div > .st-key-editor) { display: none !important; }</style>'
Calls = Mapping[str, tuple[ListedCall, ProgramPlace | None]]
EXAMPLES = programs_in(Path(__file__).with_name("examples.txt"))

# Common operations with pictures, for programs without operations.
LOOKED_UP = (
    *("sum", "softmax", "hadamard", "reshape", "index", "mask"),
    *("gather", "cat", "keepdim", "max", "einsum", "sort"),
)
_CALL = linear(r"\.([a-z_]\w*)\(")
_PREPARING = {"arange", "backward", "eye", "ones", "requires_grad_", "reshape", "tensor", "zeros"}


class OperationLens(Lens[ListedCall]):
    """The calls of a program that have a picture, counted from 1."""

    def items(self, trace: Trace) -> Calls:
        """Return every call with a picture."""
        return {str(number): (call, (call.cell, call.line)) for number, call in enumerate(_listed(trace), 1)}

    def first(self, trace: Trace, items: Calls) -> str:
        """Return the call with the most informative picture."""
        return str(1 + call_to_show(trace, _listed(trace)))

    def one(self, trace: Trace, items: Calls, chosen: str, lang: str) -> None:
        """Draw the list, the search field, and the picture."""
        with st.container(key="op_controls", horizontal=True, vertical_alignment="center"):
            _list(trace, items, chosen, lang)
            _find(self.open, lang)
        call_panel(trace, items[chosen][0].operation, lang)

    def none(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """Draw the search field and popular operations."""
        if now.texts == (FIRST_SIGHT,):  # a gallery, without an editor beside it
            st.html(f'{ALONE}<p class="lede">{quoted(say(lang, "operations-intro"))}</p>')
        else:
            st.html(f'<p class="notice">{quoted(say(lang, "operations-none"))}</p>')
        _find(self.open, lang)
        with st.container(key="op_looking"):
            trace = computed(Program([CellSource(EXAMPLES[name]) for name in LOOKED_UP]), lang, Options(full=("*",)))
        if isinstance(trace, Trace):
            linked(memoize("shelf", trace, lambda: _shelf(trace, lang), lang), SHELF, "shelf")
            if (name := pressed(SHELF, "shelf")) in LOOKED_UP:
                self.open(name)
                st.rerun()
        st.html(known_html(lang))

    def draw(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """Draw the program's operations. None for the first program, which has only scalars."""
        if now.texts == (FIRST_SIGHT,):
            return self.none(now, result, lang)
        super().draw(now, result, lang)
        return None

    def collect(self) -> Session:
        """Return the session. Old addresses are read too."""
        now = super().collect()
        if not (STATE["typed"] or STATE["example"]):
            return now
        if STATE["typed"]:
            take_program(STATE["typed"], "operation.py")
        else:
            open_text(f"{STATE['example']}.py", OLD[STATE["example"]], ours=True)
        STATE.put(typed="", example="")
        return session(STATE)


LENS = OperationLens(STATE, "operation", EXAMPLES)


def page(lang: str) -> None:
    """Draw the page."""
    workbench.page(lang, LENS)


def _listed(trace: Trace) -> list[ListedCall]:
    return memoize("operations", trace, lambda: operations(trace))


def _list(trace: Trace, items: Calls, chosen: str, lang: str) -> None:
    """Draw the choice of a call, with buttons for the previous and next call."""
    alike = Counter((call.cell, call.line, call.text) for call, _ in items.values())
    words = {
        key: _option(call, alike[call.cell, call.line, call.text] > 1, len(trace.cells) > 1, lang)
        for key, (call, _) in items.items()
    }
    label = say(lang, "operations-choose")
    field = STATE.field("operation", again=True)
    at = list(words).index(chosen)  # used if the browser still answers for the last program's calls
    st.selectbox(label, list(words), at, words.__getitem__, field, label_visibility="collapsed")
    for name, to in (("previous", int(chosen) - 1), ("next", int(chosen) + 1)):
        label, there = say(lang, f"operations-{name}"), str(to) in words
        st.button(label, key=f"op_{name}", disabled=not there, on_click=STATE.put, kwargs={"operation": str(to)})


def _find(take: Callable[[str], None], lang: str) -> None:
    """Draw a field that finds an example by title or operation."""
    words = {
        name: " · ".join(
            [say(lang, f"operations-example.{name}"), *([", ".join(called(name))] if called(name) else [])]
        )
        for name in EXAMPLES
    }
    st.session_state[FOUND] = None  # the field only searches and shows no choice

    def found() -> None:
        if (name := st.session_state[FOUND]) is not None:
            take(name)

    st.selectbox(
        say(lang, "operations-find"), list(EXAMPLES), format_func=words.__getitem__, key=FOUND,
        placeholder=say(lang, "operations-find-hint"), label_visibility="collapsed", on_change=found, width=280,
    )  # fmt: skip


def _shelf(trace: Trace, lang: str) -> str:
    """Return the examples as HTML cards: title and picture of the most informative call."""
    listed = _listed(trace)
    cards = ""
    for cell, name in enumerate(LOOKED_UP):
        calls = [call for call in listed if call.cell == cell]
        if not calls:
            continue
        picture = operation_html(call_view(trace, calls[call_to_show(trace, calls)].operation), lang)
        title = quoted(say(lang, f"operations-example.{name}"))
        cards += (
            f'<div class="op-card" role="button" tabindex="0" data-choose="{name}" aria-label="{title}">'
            f'<h3>{title}</h3><div class="operations" inert>{picture}</div></div>'
        )
    return f'<div class="op-shelf">{cards}</div>'


def _option(call: ListedCall, alike: bool, many: bool, lang: str) -> str:
    """Return a call's place and text, with its name if needed."""
    text = shorten(call.text, 70) + (f" · {call.name}" if alike else "")
    place = say(lang, "place" if many else "line", cell=call.cell + 1, line=call.line)
    words = f"{place} · {text}"
    return f"{words} · {say(lang, 'operations-runs', runs=call.runs)}" if call.runs > 1 else words


def called(name: str) -> tuple[str, ...]:
    """Return the operations called by an example, without those that prepare its tensors.

    >>> called("softmax"), called("curve")
    (('softmax',), ('linspace', 'clamp', 'sigmoid', 'sum'))
    """
    words = dict.fromkeys(_CALL.findall(EXAMPLES[name]))
    return tuple(word for word in words if word not in _PREPARING or len(words) == 1)
