"""Operations, drawn: one picked from the lines of a program, or typed in and run as a program of its own."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal
from zlib import crc32

import streamlit as st

from explorer.analysis.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.tensors.operations import ListedCall, operation_view, operations, telling
from explorer.analysis.tensors.operations.call_list import unpictured
from explorer.analysis.tensors.operations.typed_program import as_typed, typed_program
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.code import CodePiece, code_html
from explorer.drawing.operations import charts, operation_html
from explorer.drawing.operations.known import known_html, unpictured_html
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Options, Trace
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.components.script import component
from explorer.ui.components.segments import segments
from explorer.ui.components.session_values import LastGood
from explorer.ui.pages.operations.examples import EXAMPLES, GROUPS, ORDER, called
from explorer.ui.panels.fields import where
from explorer.ui.panels.problems import problems, problems_html
from explorer.ui.session.page_state import PageState
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import computed

FULL = Options(full=("*",))
MOST_TYPED = 4_000  # characters
CHART = {"displayModeBar": False, "showTips": False}
WANTED = "_op_wanted"  # session state: the operation asked for, from 1
last_good: LastGood[Trace] = LastGood("_op_good")
CODE = "op_code"
FOUND = "op_find"  # session state: the example that was just found, or None
# Its source is "program", "typed", or "" before it is known which of them tells more; its operation counts from 1, and
# 0 is the one that tells most.
STATE = PageState("operations", {"source": "op_source", "typed": "op_text"})

_picture = component("explorer_operation", '<div class="operations"></div>', "pages/operations/operations.js")


@dataclass(frozen=True)
class Typed:
    """What became of a typed text.

    Attributes:
        trace: its own, as far as it got; where it got to no operation, that of the last that ended well.
        stale: whether it is that of another text.
    """

    trace: Trace | None
    stale: bool


@dataclass(frozen=True)
class Choice:
    """The operation that is shown. Attributes: listed: all there are; place: of it among them; key: of the widget."""

    listed: list[ListedCall]
    place: int
    key: str


def operations_panel(trace: Trace | None, lang: str, offered: bool | None = None, trouble: str = "") -> None:
    """Draw the panel: the operations of `trace` that have a picture, and a field to type one in.

    Args:
        trace: of the program on the page, None when there is none, or it need not run.
        offered: whether there is a program to switch to.
        trouble: what went wrong in it, as HTML.
    """
    with st.container(key="operations"):
        of_program = operations(trace) if trace is not None else []
        two = offered or trace is not None
        if not two:
            STATE["source"] = "typed"
        elif not STATE["source"]:
            STATE["source"] = "program" if trouble or _tells(trace, of_program) else "typed"
        with st.container(key="op_controls", horizontal=True, vertical_alignment="center"):
            if two:
                labels = {"typed": say(lang, "operations-typed"), "program": say(lang, "operations-of-program")}
                segments(say(lang, "operations-source"), STATE.field("source"), labels)
            if STATE["source"] == "typed":
                _find(lang)
        typed = STATE["source"] == "typed"
        STATE["operation"] = _typed(lang) if typed else _of_program(trace, of_program, trouble, lang)
        st.html(known_html(lang))


def _tells(trace: Trace | None, listed: list[ListedCall]) -> bool:
    """Whether a program has an operation on more than single numbers."""
    if trace is None:
        return False
    taking, giving = trace.operations.inputs, trace.operations.outputs
    tensors = {tensor for call in listed for tensor in (*taking[call.operation], *giving[call.operation])}
    return any(trace.shapes[trace.tensors.shape[tensor]] for tensor in tensors)


def _of_program(trace: Trace | None, listed: list[ListedCall], trouble: str, lang: str) -> int:
    """The program with the operation that is chosen in it beside its picture; which it is, as in an address."""
    if trouble:
        st.html(trouble)
    if trace is None:
        return 0
    code, picture = _sides()
    if not listed:
        with code, st.container(key="op_left"):
            linked(code_html(trace, (), lang), CODE)
        with picture:
            _without(trace, lang)
            st.html(f'<p class="quiet">{quoted(say(lang, "operations-none"))}</p>')
        return 0
    with code, st.container(key="op_left"):
        key, run = _key(trace, "program"), str(hash(tuple(cell.source for cell in trace.cells)))
        if (chosen := pressed(CODE, run)) is not None:
            st.session_state[key] = int(chosen)
        choice = _chosen(trace, listed, key, lang)
        linked(code_html(trace, _pieces(trace, choice), lang), CODE, run)
    with picture:
        _without(trace, lang)
        _step(choice.place, len(listed), _go, choice.key, lang)
        _draw(trace, choice, "program", False, lang)
    return _told(trace, choice)


def _pieces(trace: Trace, choice: Choice) -> tuple[CodePiece, ...]:
    """The expressions of the operations in the lines on which they begin."""
    pieces = []
    for place, call in enumerate(choice.listed):
        span = trace.spans[trace.operations.span[call.operation]]
        end = span.end_column if span.end_line == span.line else len(trace.cells[span.cell].lines[span.line - 1])
        now = place == choice.place
        pieces.append(CodePiece(span.cell, span.line, span.column, end, f"op{place}", str(place), call.text[:120], now))
    return tuple(pieces)


def _typed(lang: str) -> int:
    """The field, its examples, and the picture of the operation that is chosen in it."""
    with st.container(key="op_example_list", horizontal=True, gap=None):
        for group, names in GROUPS.items():
            with st.container(key=f"op_group_{group}", horizontal=True, gap=None, width="content"):
                title = quoted(say(lang, f"operations-group-{group}"))
                st.html(f'<span class="op-group">{title}</span>', width="content")
                for name in names:
                    words = say(lang, f"operations-example-{name}")
                    look: Literal["secondary", "tertiary"]
                    look = "secondary" if STATE["typed"] == EXAMPLES[name] else "tertiary"
                    st.button(words, key=f"op_example_{name}", type=look, on_click=_take, args=(EXAMPLES[name],))
    code, picture = _sides()
    with code, st.container(key="op_left"):
        text = st.text_area(
            say(lang, "operations-type"), key=STATE.field("typed"), height="content", max_chars=MOST_TYPED
        )
        with st.container(key="op_buttons", horizontal=True, gap="small"):
            st.button(say(lang, "operations-run"), key="op_run", type="primary")
            open_as_program(typed_program(text), lang, "op_open", "operation.py")
        made = _run(text, lang)
        listed = operations(made.trace) if made.trace is not None else []
        choice = _chosen(made.trace, listed, _key(made.trace, "typed"), lang) if listed else None
    with picture:
        examples = [EXAMPLES[name] for name in ORDER]
        if text in examples:
            _step(examples.index(text), len(examples), _take_number, "", lang)
        elif choice is not None:
            _step(choice.place, len(listed), _go, choice.key, lang)
        if made.trace is not None and not made.stale:
            _without(made.trace, lang)
        if choice is not None:
            _draw(made.trace, choice, "typed", made.stale, lang)
            return _told(made.trace, choice)
        if not made.stale:
            st.html(f'<p class="quiet">{quoted(say(lang, "operations-none-typed"))}</p>')
    return 0


def _without(trace: Trace, lang: str) -> None:
    """Say which calls have no picture, and why: what is drawn beside them is another operation."""
    if told := unpictured_html(unpictured(trace), lang):
        st.html(told)


def _sides() -> list:
    """The containers of the code and of its picture."""
    return st.columns([36, 64], gap="medium")


def _take(example: str) -> None:
    STATE["typed"] = example


def _take_number(key: str, place: int) -> None:
    _take(EXAMPLES[ORDER[place]])


def _find(lang: str) -> None:
    """A field that finds an example by its title or by an operation in it."""
    words = {
        name: f"{say(lang, f'operations-example-{name}')} · {', '.join(called(name))}" if called(name) else name
        for name in ORDER
    }
    st.session_state[FOUND] = None  # it finds, and shows nothing of its own
    st.selectbox(
        say(lang, "operations-find"),
        ORDER,
        format_func=words.__getitem__,
        key=FOUND,
        placeholder=say(lang, "operations-find-hint"),
        label_visibility="collapsed",
        on_change=_take_found,
        width=320,
    )


def _take_found() -> None:
    if (name := st.session_state[FOUND]) is not None:
        _take(EXAMPLES[name])


def _go(key: str, place: int) -> None:
    st.session_state[key] = place


def _step(place: int, count: int, go: Callable[[str, int], None], key: str, lang: str) -> None:
    """Buttons to the one before and the one after; nothing where there is only one."""
    if count < 2:
        return
    with st.container(key="op_steps", horizontal=True, gap="small", vertical_alignment="center"):
        for name, to in (("previous", place - 1), ("next", place + 1)):
            words = say(lang, f"operations-{name}")
            st.button(words, key=f"op_{name}", disabled=not 0 <= to < count, on_click=go, args=(key, to))
        st.html(f'<p class="quiet">{quoted(say(lang, "operations-step", place=place + 1, all=count))}</p>')


def _run(text: str, lang: str) -> Typed:
    """Run the text. If it fails, say so, and return what it did before the error, or else the last good run."""
    result = computed(typed_program(text), lang, FULL)
    result = as_typed(result) if isinstance(result, Trace) else result
    label = say(lang, "operations-field")
    found = [
        replace(problem, title=where(label, lang, problem.line, problem.span[1] + 1))
        if problem.message and problem.span
        else problem
        for problem in problems(result, lang)
    ]
    if not found and isinstance(result, Trace):
        last_good.keep(result)
        return Typed(result, False)
    st.html(problems_html(found, lang))
    if isinstance(result, Trace) and operations(result):
        return Typed(result, False)
    return Typed(last_good.get(), True)


def _key(trace: Trace | None, name: str) -> str:
    """Of the choice in a program: each begins with its own."""
    source = "\n".join(cell.source for cell in trace.cells) if trace is not None else ""
    return f"op_chosen_{name}_{crc32(source.encode('utf-8', 'surrogatepass')):x}"


def _chosen(trace: Trace, listed: list[ListedCall], key: str, lang: str) -> Choice:
    """Draw the list and return the chosen operation."""
    words = [_option(call, len(trace.cells) > 1, lang) for call in listed]
    if len(listed) == 1:
        return Choice(listed, 0, key)
    wanted = st.session_state.pop(WANTED, 0) - 1
    first = wanted if 0 <= wanted < len(listed) else telling(trace, listed)
    if st.session_state.setdefault(key, first) not in range(len(listed)):
        st.session_state[key] = first
    place = st.selectbox(say(lang, "operations-choose"), range(len(listed)), format_func=words.__getitem__, key=key)
    return Choice(listed, place, key)


def _told(trace: Trace, choice: Choice) -> int:
    """Which operation is shown, from 1; 0 for the one that tells most."""
    return 0 if choice.place == telling(trace, choice.listed) else choice.place + 1


def _draw(trace: Trace, choice: Choice, name: str, stale: bool, lang: str) -> None:
    """The picture of the operation that is chosen, and the charts that belong to it."""
    call = choice.listed[choice.place]
    backward = selected_backward(trace)
    view = operation_view(trace, call.operation, node_gradients(trace, backward), contributions(trace, backward))
    if stale:
        st.html(f'<p class="op-stale" role="status">{quoted(say(lang, "stale"))}</p>')
    _picture(key=f"op_picture_{name}", data={"html": operation_html(view, lang), "stale": stale})
    for k, figure in enumerate(charts(view, st.context.theme.type == "dark", lang)):
        st.plotly_chart(
            figure,
            key=f"op_chart_{name}_{k}",
            theme=None,
            config=CHART,
            width="content" if figure.layout.width else "stretch",
        )


def _option(call: ListedCall, many: bool, lang: str) -> str:
    text = shorten(call.text, 70)
    words = (
        say(lang, "operations-option-cell", cell=call.cell + 1, line=call.line, text=text)
        if many
        else say(lang, "operations-option", line=call.line, text=text)
    )
    return f"{words} · {say(lang, 'operations-runs', runs=call.runs)}" if call.runs > 1 else words
