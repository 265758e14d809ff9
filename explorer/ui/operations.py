"""Operations, drawn: one picked from the lines of a program, or typed in and run as a program of its own."""

from dataclasses import dataclass, replace
from zlib import crc32

import streamlit as st

from explorer.autograd import contributions, node_gradients, selected_backward
from explorer.drawing.marks import quoted
from explorer.drawing.operations import charts, operation_html
from explorer.tensors.operations import Listed, operation_view, operations, telling
from explorer.tensors.operations.typed import as_typed, typed_program
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Options, Trace
from explorer.ui.fields import where
from explorer.ui.opening import open_as_program
from explorer.ui.operations_examples import EXAMPLES
from explorer.ui.problems import problems, problems_html
from explorer.ui.running import computed
from explorer.ui.script import component

FIRST = "a = torch.arange(12.).reshape(3, 4)\na.sum(0)"
FULL = Options(full=("*",))
MOST_TYPED = 4_000  # characters
CHART = {"displayModeBar": False, "showTips": False}
# Session state: the text, its last good Trace, whose operation is shown, whether the menu is open, and the operation
# that an address asked for.
TEXT, GOOD, SOURCE, MENU, WANTED = "op_text", "_op_good", "op_source", "op_examples", "_op_wanted"
LAST = "_op_last"  # session state: what the panel showed last

_picture = component("explorer_operation", '<div class="operations"></div>', "operations.js")


@dataclass(frozen=True)
class Typed:
    """What became of a typed text. Attributes: trace: of the last one that ended well; stale: that is not this one."""

    trace: Trace | None
    stale: bool


@dataclass(frozen=True)
class Asked:
    """What the panel shows, as an address says it.

    Attributes:
        source: "program" or "typed".
        text: what was typed, "" for what stands there at first.
        operation: which operation of the list, from 1; 0: the one that tells most.
    """

    source: str = "program"
    text: str = ""
    operation: int = 0


def seed(asked: Asked) -> None:
    """Put what an address or an earlier visit says into the widgets."""
    if asked != Asked():
        st.session_state[SOURCE] = asked.source
    st.session_state[TEXT] = asked.text or FIRST
    st.session_state[WANTED] = asked.operation


def last_asked() -> Asked:
    """What the panel showed last in this session."""
    return st.session_state.get(LAST, Asked())


def operations_panel(trace: Trace | None, lang: str) -> Asked:
    """Draw the panel: the operations of `trace` that have a picture, and a field to type one in.

    Args:
        trace: of the program on the page, None when there is none.
    """
    place, last = 0, st.session_state.get(LAST, Asked(""))
    # Streamlit forgets what a widget says while it is not drawn.
    st.session_state.setdefault(TEXT, last.text or FIRST)
    if last.source:
        st.session_state.setdefault(SOURCE, last.source)
    with st.container(key="operations"):
        of_program = operations(trace) if trace is not None else []
        source = "typed"
        if trace is not None:
            st.session_state.setdefault(SOURCE, "program" if of_program else "typed")
            source = st.segmented_control(
                say(lang, "operations-source"),
                ["program", "typed"],
                format_func=lambda one: say(lang, "operations-of-program" if one == "program" else "operations-typed"),
                required=True,
                key=SOURCE,
                label_visibility="collapsed",
                width="content",
            )
        if source == "typed":
            place = _typed(lang)
        elif of_program:
            place = _chosen(trace, of_program, "program", False, lang)
        else:
            st.html(f'<p class="quiet">{quoted(say(lang, "operations-none"))}</p>')
    text = st.session_state.get(TEXT, FIRST)
    st.session_state[LAST] = asked = Asked(source, "" if text == FIRST else text, place)
    return asked


def _typed(lang: str) -> int:
    """The field, its examples, and the picture of the operation that is chosen in it."""
    text = st.text_area(say(lang, "operations-type"), key=TEXT, height="content", max_chars=MOST_TYPED)
    with st.container(key="op_buttons", horizontal=True, gap="small"):
        st.button(say(lang, "operations-run"), key="op_run", type="primary")
        examples = st.popover(say(lang, "operations-examples"), key=MENU, on_change="rerun")
        with examples, st.container(key="op_example_list", gap=None):
            for name, example in EXAMPLES.items():
                words = say(lang, f"operations-example-{name}")
                st.button(words, key=f"op_example_{name}", type="tertiary", on_click=_take, args=(example,))
        open_as_program(typed_program(text), lang, "op_open", "operation.py")
    made = _run(text, lang)
    listed = operations(made.trace) if made.trace is not None else []
    if listed:
        return _chosen(made.trace, listed, "typed", made.stale, lang)
    if not made.stale:
        st.html(f'<p class="quiet">{quoted(say(lang, "operations-none-typed"))}</p>')
    return 0


def _take(example: str) -> None:
    st.session_state[TEXT] = example
    st.session_state[MENU] = False  # chosen: the menu closes


def _run(text: str, lang: str) -> Typed:
    """Run the text; where it fails, say so, and give the last that did not."""
    result = computed(typed_program(text), lang, FULL)
    result = as_typed(result) if isinstance(result, Trace) else result
    label = say(lang, "operations-field")
    found = [
        replace(one, title=where(label, lang, one.line, one.span[1] + 1)) if one.message and one.span else one
        for one in problems(result, lang)
    ]
    if not found and isinstance(result, Trace):
        st.session_state[GOOD] = result
        return Typed(result, False)
    st.html(problems_html(found, lang))
    good = st.session_state.get(GOOD)
    return Typed(good, True)


def _chosen(trace: Trace, listed: list[Listed], name: str, stale: bool, lang: str) -> int:
    """The list, and the picture of the operation that is chosen in it; each program begins with its own choice.

    Returns which one it is, from 1; 0 for the one that tells most.
    """
    words = [_option(one, len(trace.cells) > 1, lang) for one in listed]
    program = crc32("\n".join(cell.source for cell in trace.cells).encode())
    place, most = 0, telling(trace, listed)
    if len(listed) > 1:
        wanted = st.session_state.pop(WANTED, 0) - 1
        place = st.selectbox(
            say(lang, "operations-choose"),
            range(len(listed)),
            index=wanted if 0 <= wanted < len(listed) else most,
            format_func=words.__getitem__,
            key=f"op_chosen_{name}_{program:x}",
        )
    one = listed[place]
    backward = selected_backward(trace)
    view = operation_view(trace, one.operation, node_gradients(trace, backward), contributions(trace, backward))
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
    return 0 if place == most else place + 1


def _option(one: Listed, many: bool, lang: str) -> str:
    text = shorten(one.text, 70)
    told = {"line": one.line, "text": text}
    words = (
        say(lang, "operations-option-cell", cell=one.cell + 1, **told)
        if many
        else say(lang, "operations-option", **told)
    )
    return f"{words} · {say(lang, 'operations-runs', runs=one.runs)}" if one.runs > 1 else words
