"""Component states equal Streamlit's own, except for events."""

from streamlit.components.v2.bidi_component import main
from streamlit.testing.v1 import AppTest

from explorer.ui.streamlit_patches.component_states import patch_component_states


def test_a_components_state_is_its_last_message(monkeypatch):
    monkeypatch.setattr(main, "make_bidi_component_presenter", main.make_bidi_component_presenter)
    patch_component_states()

    def page() -> None:
        import streamlit as st

        draw = st.components.v2.component("told", js="export default () => {}")
        draw(key="told", default={"chosen": 3}, on_chosen_change=lambda: None)
        st.text(f"{type(st.session_state['told']).__name__} {st.session_state['told'].get('chosen')}")

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value.endswith(" 3") and "WriteThrough" not in app.text[0].value
