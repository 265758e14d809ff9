"""A page that waits is drawn anew: as much of it as was asked for, and all of it where no part can be."""

from functools import partial

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner


def page():
    """A page with a part in a part; each counts how often it was drawn."""
    import streamlit as st

    from explorer.ui.session.run_wait import draw_anew

    def count(name: str) -> None:
        drawn = st.session_state.setdefault("drawn", {"page": 0, "outer": 0, "inner": 0})
        drawn[name] += 1
        if st.session_state.get("waiting") == name:
            st.session_state["waiting"] = ""
            draw_anew()

    @st.fragment
    def outer() -> None:
        count("outer")
        inner()

    @st.fragment
    def inner() -> None:
        count("inner")

    count("page")
    outer()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("asked", "waiting", "drawn"),
    [
        ("", "page", (2, 1, 1)),
        ("", "outer", (2, 2, 1)),
        ("", "inner", (2, 2, 2)),
        ("outer", "outer", (0, 2, 1)),
        ("outer", "inner", (1, 2, 2)),  # nobody asked for it alone
        ("inner", "inner", (0, 0, 2)),
    ],
)
def test_what_was_asked_for_is_drawn_anew(asked, waiting, drawn, monkeypatch):
    shown = AppTest.from_function(page).run()
    shown.session_state["drawn"] = {"page": 0, "outer": 0, "inner": 0}
    shown.session_state["waiting"] = waiting
    outer, inner = shown._fragment_storage._fragments
    parts = {"": [], "outer": [outer], "inner": [inner]}[asked]
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, fragment_id_queue=parts))
    assert not shown.run().exception
    assert tuple(shown.session_state["drawn"].values()) == drawn


def test_numbers_are_checked_where_all_of_the_page_is_drawn(app):
    assert not app.button(key="check").click().run().exception
    assert "check" not in {button.key for button in app.button}  # they are on their way
