"""What the Derivatives page is asked: one table of texts per session, and the fields that edit it."""

import math
from typing import Any

import streamlit as st

from explorer.calculus import AxisWindow, Function, FunctionProblem
from explorer.calculus.examples import FunctionExample
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.ui.panels.lesson import lesson
from explorer.ui.session.lessons import begin, begun
from explorer.ui.session.links import arrived, brought, keep, properties, show
from explorer.ui.session.running import trusted

PAGE = "derivatives"
STATE, VERSION, ALLOWED = "_derivatives", "_derivatives_version", "_derivatives_allowed"  # session state
NUMBERS = ("at", "low", "high", "angle", "rate", "steps")  # typed by hand, so kept as text


def state() -> dict[str, Any]:
    """The page's state by property of its address: numbers as they were typed, everything else as it is."""
    return st.session_state[STATE]


def take_in() -> None:
    """Begin with what an address or an earlier visit says."""
    came = arrived(PAGE)
    if came is not None or STATE not in st.session_state:
        came = came or {name: one.default for name, one in properties(PAGE).items()}
        put(**{name: plain(value) if name in NUMBERS else value for name, value in came.items()})
        st.session_state[ALLOWED] = not brought() or trusted()


def tell(lang: str) -> None:
    """Put the state into the address."""
    show(PAGE, _told(), lang)


def remember() -> None:
    """Keep the state for when the page is entered again, also while a run is under way."""
    keep(PAGE, _told())


def _told() -> dict[str, Any]:
    """The state as an address has it; a number that is none is left out."""
    values = dict(state())
    for name in NUMBERS:
        try:
            values[name] = number_of(values[name], name)
        except FunctionProblem:
            del values[name]
    if "steps" in values:
        values["steps"] = int(values["steps"])
    return values


def put(**values: Any) -> None:
    """Set parts of the state, and the fields that show them. For callbacks, and before the fields are drawn."""
    st.session_state.setdefault(STATE, {}).update(values)
    for name in values:
        st.session_state.pop(key_of(name), None)
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def may_run(lang: str) -> bool:
    """Whether functions run without being asked for; otherwise draw the button that asks."""
    if st.session_state[ALLOWED]:
        return True
    st.html(f'<p class="quiet">{quoted(say(lang, "derivatives-run-hint"))}</p>')
    if st.button(say(lang, "derivatives-run"), type="primary", key="derivatives_run"):
        st.session_state[ALLOWED] = True
        st.rerun()
    return False


def key_of(name: str) -> str:
    """The key of the field for a part of the state."""
    return f"derivatives_{name}"


def field(name: str, label: str, width: int, lines: bool = False, hint: str | None = None) -> str:
    """A text field for a part of the state."""
    key = key_of(name)
    if key not in st.session_state:
        st.session_state[key] = state()[name]
    if lines:
        value = st.text_area(label, key=key, width=width, height="content", help=hint)
    else:
        value = st.text_input(label, key=key, width=width, help=hint)
    if value != state()[name]:
        st.session_state[ALLOWED] = True  # it was typed here
    state()[name] = value
    return value


def function_field(name: str, label: str, variables: tuple[str, ...], lang: str, width: int) -> Function:
    """The field of a function: one line for an expression, several for a `def`, and the button between the two."""
    lines = is_lines(state()[name])
    hint = say(lang, "derivatives-ctrl-enter") if lines else None
    text = field(name, label, 560 if lines else width, lines, hint)
    if is_lines(text) != lines:  # another kind of field, which begins with what was typed into this one
        put(**{name: text})
        st.rerun()
    word = "line" if lines else "def"
    st.button(
        say(lang, f"derivatives-{word}"),
        key=f"derivatives_def_{name}",
        type="secondary",
        help=None if lines else say(lang, "derivatives-def-hint"),
        on_click=lambda: put(**{name: turned(state()[name], variables)}),
    )
    return Function(text, variables)


def is_lines(text: str) -> bool:
    """Whether a function is shown in several lines."""
    return "\n" in text.strip() or Function(text).is_definition


def turned(text: str, variables: tuple[str, ...]) -> str:
    """An expression as a `def`; of a `def` its last `return`, or nothing."""
    if not is_lines(text):
        return f"def f({', '.join(variables)}):\n    return {text.strip()}"
    returns = [line.strip()[7:].strip() for line in text.split("\n") if line.strip().startswith("return ")]
    return returns[-1] if returns else ""


def number_of(text: str, label: str) -> float:
    """A typed number; − and the comma of a decimal are understood. Raises Problem."""
    said = text.strip().replace("−", "-")
    try:
        value = float(said if said.count(",") != 1 or "." in said else said.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FunctionProblem("number", (("found", text.strip()), ("field", label)))
    return value


def window_of(low: float, high: float, label: str) -> AxisWindow:
    """A window that was typed into a field, or two. Raises Problem with its name."""
    try:
        return AxisWindow(low, high)
    except FunctionProblem as found:
        found.values += (("field", label),)
        raise


def numbers_of(text: str, label: str, count: int | None = None) -> tuple[float, ...]:
    """Typed numbers separated by commas or blanks. Raises Problem, also for the wrong count."""
    parts = text.replace("−", "-").replace("，", ",").replace(",", " ").strip("()[] ").split()
    try:
        values = tuple(float(part) for part in parts)
    except ValueError:
        values = ()
    if not values or not all(map(math.isfinite, values)):
        raise FunctionProblem("numbers", (("found", text.strip()), ("field", label)))
    if count is not None and len(values) != count:
        raise FunctionProblem("count", (("field", label), ("wanted", count), ("found", len(values))))
    return values


def plain(value: float) -> str:
    """A number as one types it."""
    return f"{value:.12g}"


def example_line(found: tuple[FunctionExample, ...], key: str, function: str, at: str, lang: str) -> None:
    """What to see and to think about in the example that was chosen, while its function and its point stand there.

    Args:
        key: of the menu; function, at: names of the state's properties.
    """
    name = begun(key)
    now = (state()[function].strip(), state()[at].replace(" ", ""))
    if any(one.name == name and now == (one.text, ",".join(map(plain, one.at))) for one in found):
        lesson(key, say(lang, f"derivatives-see-{name}"), say(lang, f"derivatives-ask-{name}"), lang)


def examples(found: tuple[FunctionExample, ...], key: str, lang: str, load: Any) -> None:
    """The menu of examples; `load` puts one into the state."""

    def chosen() -> None:
        if (example := st.session_state.get(key)) is not None:
            load(example)
            begin(key, example.name)
            st.session_state[ALLOWED] = True

    st.selectbox(
        say(lang, "derivatives-try"),
        found,
        index=None,
        placeholder=say(lang, "derivatives-try-first"),
        format_func=lambda example: say(lang, f"derivatives-try-{example.name}"),
        key=key,
        on_change=chosen,
        width=230,
    )
