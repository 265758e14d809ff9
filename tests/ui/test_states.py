"""What components told is read as it lies there."""

from pathlib import Path

from streamlit.components.v2.bidi_component import main
from streamlit.testing.v1 import AppTest

from explorer.ui.components.script import UI
from explorer.ui.frame.states import mend_states


def test_no_script_tells_of_events_that_last_a_moment():
    scripts = list(Path(UI).rglob("*.js"))
    assert scripts and not [path for path in scripts if "setTriggerValue" in path.read_text(encoding="utf-8")]


def test_the_state_of_a_component_is_what_it_told(monkeypatch):
    monkeypatch.setattr(main, "make_bidi_component_presenter", main.make_bidi_component_presenter)
    mend_states()

    def page() -> None:
        import streamlit as st

        draw = st.components.v2.component("told", js="export default () => {}")
        draw(key="told", default={"chosen": 3}, on_chosen_change=lambda: None)
        st.text(f"{type(st.session_state['told']).__name__} {st.session_state['told'].get('chosen')}")

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value.endswith(" 3") and "WriteThrough" not in app.text[0].value
