"""Component data and states equal Streamlit's own, except for tables and events."""

import pytest
from streamlit.components.v2.bidi_component import main
from streamlit.components.v2.bidi_component.serialization import serialize_mixed_data
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.testing.v1 import AppTest

from explorer.ui.streamlit_patches.component_states import patch_widget_states, send_data


def test_a_components_state_is_its_last_message(monkeypatch):
    for name in ("make_bidi_component_presenter", "serialize_mixed_data"):
        monkeypatch.setattr(main, name, getattr(main, name))
    patch_widget_states()

    def page() -> None:
        import streamlit as st

        draw = st.components.v2.component("told", js="export default () => {}")
        draw(key="told", default={"chosen": 3}, on_chosen_change=lambda: None)
        st.text(f"{type(st.session_state['told']).__name__} {st.session_state['told'].get('chosen')}")

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value.endswith(" 3") and "WriteThrough" not in app.text[0].value


@pytest.mark.parametrize("data", [{"a": [1, (2.5, None)], "b": {"c": "é<\ud800"}}, [True, "x"], {}])
def test_plain_data_is_sent_like_streamlit_does(data):
    sent, own = BidiComponent(), BidiComponent()
    serialize_mixed_data(data, sent)
    send_data(data, own)
    assert own == sent
