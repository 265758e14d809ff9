"""State of the Derivatives page, and the fields that edit it."""

import math
from typing import Any

import streamlit as st

from explorer.analysis.views.calculus.examples import FunctionExample
from explorer.analysis.views.calculus.function import Function, FunctionProblem, as_python
from explorer.analysis.views.calculus.programs import AxisWindow
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.ui.panels.lesson import lesson
from explorer.ui.session.lessons import begin, begun
from explorer.ui.session.links import from_address
from explorer.ui.session.page_state import PageState
from explorer.ui.session.program_run import may_autorun

ALLOWED = "_derivatives_allowed"  # session state
NUMBERS = ("at", "low", "high", "rate", "steps")  # the user types them, so they are kept as text
TEXTS = ("f", "g", "g_at", "g_x", "g_y")
STATE = PageState("derivatives", {name: f"derivatives_{name}" for name in (*NUMBERS, *TEXTS, "more")})


def load_from_address() -> None:
    """Begin with the state from an address or an earlier visit."""
    if STATE.read_address():
        put(**{name: plain(STATE[name]) for name in NUMBERS if not isinstance(STATE[name], str)})
        st.session_state[ALLOWED] = not from_address() or may_autorun()


def update_address(lang: str) -> None:
    """Write the state into the address, without invalid numbers."""
    numbers = {}
    for name in NUMBERS:
        try:
            numbers[name] = number_of(STATE[name], name)
        except FunctionProblem:
            numbers[name] = STATE.table[name].default
    STATE.write_address(lang, **numbers | {"steps": int(numbers["steps"])})


def put(**values: Any) -> None:
    """Set parts of the state, and the fields that show them."""
    STATE.put(**values)


def may_run(lang: str) -> bool:
    """Return whether functions run unasked. If not, draw a button."""
    if st.session_state[ALLOWED]:
        return True
    st.html(f'<p class="quiet">{quoted(say(lang, "derivatives-run-hint"))}</p>')
    if st.button(say(lang, "derivatives-run"), type="primary", key="derivatives_run"):
        st.session_state[ALLOWED] = True
        st.rerun()
    return False


def field(name: str, label: str, width: int, lines: bool = False, hint: str | None = None) -> str:
    """Draw a text field for a part of the state. Return its text."""
    key = STATE.field(name)
    if lines:
        return st.text_area(label, key=key, width=width, height="content", help=hint, on_change=_allow)
    return st.text_input(label, key=key, width=width, help=hint, on_change=_allow)


def _allow() -> None:
    st.session_state[ALLOWED] = True  # the user typed it here


def function_field(name: str, label: str, variables: tuple[str, ...], lang: str, width: int) -> Function:
    """Draw the function's field, for an expression or a `def`, with a switch."""
    lines = is_lines(STATE[name])
    if is_lines(STATE.kept[name]) != lines:  # the other kind of field, starting with this text
        STATE.renew(name)
        put()
    hint = say(lang, "derivatives-ctrl-enter") if lines else None
    text = field(name, label, 560 if lines else width, lines, hint)
    word = "line" if lines else "def"
    st.button(
        say(lang, f"derivatives-{word}"),
        key=f"derivatives_def_{name}",
        type="secondary",
        help=None if lines else say(lang, "derivatives-def-hint"),
        on_click=lambda: put(**{name: turned(STATE[name], variables)}),
    )
    written = text if lines else as_python(text, variables)
    if written != text:
        words = f"{quoted(say(lang, 'derivatives-python'))} <code>{quoted(written)}</code>"
        st.html(f'<p class="quiet dv-python" role="status">{words}</p>')
    return Function(written, variables)


def is_lines(text: str) -> bool:
    """Return whether a function is shown in several lines."""
    return "\n" in text.strip() or Function(text).is_definition


def turned(text: str, variables: tuple[str, ...]) -> str:
    """Turn an expression into a `def`, or back."""
    if not is_lines(text):
        return f"def f({', '.join(variables)}):\n    return {text.strip()}"
    returns = [line.strip()[7:].strip() for line in text.split("\n") if line.strip().startswith("return ")]
    return returns[-1] if returns else ""


def number_of(text: str, label: str) -> float:
    """Read a typed number, also with − or a decimal comma. Raises FunctionProblem."""
    sentence = text.strip().replace("−", "-")
    try:
        value = float(sentence if sentence.count(",") != 1 or "." in sentence else sentence.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FunctionProblem("number", (("found", text.strip()), ("field", label)))
    return value


def window_of(low: float, high: float, label: str) -> AxisWindow:
    """Read a typed window, or two. Raises FunctionProblem."""
    try:
        return AxisWindow(low, high)
    except FunctionProblem as found:
        found.values += (("field", label),)
        raise


def pair_of(text: str, label: str) -> tuple[float, float]:
    """Parse two numbers separated by a comma or blanks. Raises FunctionProblem."""
    parts = text.replace("−", "-").replace("，", ",").replace(",", " ").strip("()[] ").split()
    try:
        values = tuple(float(part) for part in parts)
    except ValueError:
        values = ()
    if not values or not all(map(math.isfinite, values)):
        raise FunctionProblem("numbers", (("found", text.strip()), ("field", label)))
    if len(values) != 2:
        raise FunctionProblem("count", (("field", label), ("found", len(values))))
    return values


def plain(value: float) -> str:
    """Return a number as one types it."""
    return f"{value:.12g}"


def example_line(menu: tuple[FunctionExample, ...], key: str, function: str, at: str, lang: str) -> None:
    """Write the chosen example's hint and question while it is unchanged.

    Args:
        key: of the menu.
        function, at: names of the state's properties.
    """
    name = begun(key)
    now = (STATE[function].strip(), STATE[at].replace(" ", ""))
    if any(example.name == name and now == (example.text, ",".join(map(plain, example.at))) for example in menu):
        lesson(key, say(lang, f"derivatives-try-{name}.see"), say(lang, f"derivatives-try-{name}.ask"), lang)


def examples(menu: tuple[FunctionExample, ...], key: str, lang: str, load: Any) -> None:
    """Draw the menu of examples. `load` puts one into the state."""

    def chosen() -> None:
        if (example := st.session_state.get(key)) is not None:
            load(example)
            begin(key, example.name)
            st.session_state[ALLOWED] = True

    st.selectbox(
        say(lang, "examples"),
        menu,
        index=None,
        placeholder=say(lang, "derivatives-try-first"),
        format_func=lambda example: say(lang, f"derivatives-try-{example.name}"),
        key=key,
        on_change=chosen,
        width=230,
    )
