"""Limits of a session's programs, set by the user or the site's host."""

from collections.abc import Callable
from html import escape

import streamlit as st
from msgspec.structs import replace

from explorer.hosting.host import about
from explorer.sandbox import Limits, hosting, limits
from explorer.sandbox.limits import BOUNDS
from explorer.text import say
from explorer.trace import Limit, Options, Trace
from explorer.ui.session import folder

LIMITS = "_limits"  # session state: limits that the user has set
MORE_SECONDS = (60, 600)  # offered after a program reached its time limit
STEPS = {"memory_mb": 500.0, "seconds": 10.0, "output_kb": 64.0}


def adjustable() -> bool:
    """Return whether this user may change the limits."""
    return not hosting.hosted()


def held() -> Limits:
    """Return the limits of this session's runs."""
    return st.session_state.get(LIMITS, limits()) if adjustable() else limits()


def bounded(options: Options) -> Options:
    """Apply the limits to a run's options.

    A page's own program has its own time, on a hosted site never more than the host's.
    """
    most = held().seconds
    own = options.time_limit if options.time_limit != Options().time_limit else most
    return replace(held(), seconds=own if adjustable() else min(own, most)).of(options)


def settings(lang: str, changed: Callable[[], None]) -> None:
    """Draw the settings menu. `changed`: called after a change of access."""
    with st.container(key="settings", width="content"):
        menu = st.popover(say(lang, "settings"), icon=":material/tune:", key="menu_settings", on_change="rerun")
    if not menu.open:  # closed content is not sent
        return
    with menu, st.container(key="limits", width=320):
        st.html(f'<p class="menu-title">{escape(say(lang, "settings-limits"))}</p>')
        if adjustable():
            _fields(lang)
        else:
            shown = (say(lang, f"settings-{field}") + f": {getattr(held(), field):g}" for field in BOUNDS)
            st.html("".join(f'<p class="quiet">{escape(line)}</p>' for line in shown))
        st.html(f'<p class="quiet">{escape(say(lang, "settings-hint" if adjustable() else "settings-hosted"))}</p>')
        folder.fields(lang, changed)
        about(lang)


def more_time(result: object, lang: str) -> None:
    """Draw buttons for continuing after the time limit, if allowed."""
    if not adjustable() or not isinstance(result, Trace) or not _out_of_time(result):
        return
    offered = [seconds for seconds in MORE_SECONDS if seconds > result.options.time_limit]
    if not offered:
        return
    with st.container(key="more_time", horizontal=True, vertical_alignment="center"):
        bound = f"{result.options.time_limit:g}"
        st.html(f'<p class="message-line quiet" role="status">{escape(say(lang, "more-time", bound=bound))}</p>')
        for seconds in offered:
            label = say(lang, f"more-time-{seconds}")
            st.button(label, key=f"more_time_{seconds}", on_click=_set, args=("seconds", float(seconds)))


def _out_of_time(trace: Trace) -> bool:
    return any(isinstance(output, Limit) and output.limit == "time" for cell in trace.cells for output in cell.outputs)


def _fields(lang: str) -> None:
    for field, (_, least, most) in BOUNDS.items():
        key = f"limit_{field}"
        st.session_state[key] = getattr(held(), field)  # even if a button has changed it
        st.number_input(
            say(lang, f"settings-{field}"),
            least,
            most,
            step=STEPS[field],
            format="%g",
            key=key,
            on_change=_typed,
            args=(field, key),
        )
    if held() != limits():
        st.button(
            say(lang, "settings-default"), key="limits_default", on_click=lambda: st.session_state.pop(LIMITS, None)
        )


def _typed(field: str, key: str) -> None:
    _set(field, st.session_state[key])


def _set(field: str, value: float) -> None:
    st.session_state[LIMITS] = replace(held(), **{field: value})
