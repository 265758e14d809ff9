"""A page's state: the same value in its field, the session and the address."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from explorer.ui.session import page_state
from tests.patience import PATIENT


def page():
    """Draw a page with two fields, one of them hideable, and a button that visits another page."""
    import streamlit as st

    from explorer.ui.session.page_state import PageState

    state = PageState("derivatives", {"f": "shown_f", "more": "shown_more"})
    if st.button("away", key="away"):
        st.session_state["_at"] = "elsewhere"
        st.stop()
    state.read_address()
    st.button("g", key="put", on_click=lambda: state.put(f="cos(x)", second=3))
    if st.checkbox("hide", key="hide"):
        state.write_address("en")
    else:
        st.text_input("f", key=state.field("f"))
        st.segmented_control("more", ["one", "two"], key=state.field("more"))
        state.write_address("en", rate=7.0)


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setattr(page_state, "show", lambda page, values, lang: st.session_state.update({"told": values}))
    return AppTest.from_function(page, default_timeout=PATIENT)


def told(app) -> list:
    """Return the address's values of four properties."""
    assert not app.exception
    return [app.session_state["told"][name] for name in ("f", "more", "second", "rate")]


def test_the_state_starts_with_the_tables_defaults(app):
    assert told(app.run()) == ["3*x**2 - 4*x", "one", 40, 7.0]
    assert app.text_input(key="shown_f").value == "3*x**2 - 4*x"


def test_the_address_sets_the_fields(app):
    app.query_params.update({"more": "two", "second": "5"})
    assert told(app.run()) == ["3*x**2 - 4*x", "two", 5, 7.0]


def test_a_typed_value_outlives_its_field(app):
    app.run().text_input(key="shown_f").set_value("x").run()
    assert told(app) == ["x", "one", 40, 7.0]
    app.checkbox(key="hide").set_value(True).run()
    app.run()
    assert told(app)[0] == "x"
    app.checkbox(key="hide").set_value(False).run()
    assert app.text_input(key="shown_f").value == "x"


def test_a_value_set_by_code_is_shown_in_the_field(app):
    app.run().text_input(key="shown_f").set_value("x").run()
    app.button(key="put").click().run()
    assert told(app) == ["cos(x)", "one", 3, 7.0] and app.text_input(key="shown_f").value == "cos(x)"


def test_a_field_that_already_shows_the_value_is_not_updated(app):
    """An update would undo clicks made while the page is being sent."""
    app.run().text_input(key="shown_f").set_value("x").run()
    app.button(key="put").click().run()
    assert app.text_input(key="shown_f").proto.set_value
    app.button(key="put").click().run()
    assert told(app)[0] == "cos(x)" and not app.text_input(key="shown_f").proto.set_value


def test_returning_to_a_page_restores_its_state(app):
    app.run().text_input(key="shown_f").set_value("x").run()
    app.button(key="away").click().run()
    app.run()
    assert told(app)[0] == "x" and app.text_input(key="shown_f").value == "x"
