"""What Streamlit repeats at every drawing has the same result without its work."""

from copy import deepcopy

import pytest
from streamlit.cursor import LockedCursor, RunningCursor
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest

from explorer.ui.streamlit_patches import repeated_work
from explorer.ui.streamlit_patches.repeated_work import copied, patch_repetition, populate_theme, read


def test_a_copied_cursor_moves_alone():
    cursor = RunningCursor(0, (1, 2))
    cursor.lock_element()
    copies = copied({0: cursor})
    cursor.lock_element()
    cursor.get_transient_cursor()
    assert vars(copies[0]) | {"_transient_elements": None} == {
        "_root_container": 0,
        "_parent_path": (1, 2),
        "_index": 1,
        "_transient_index": None,
        "_transient_elements": None,
    }
    assert copies[0]._transient_elements is not cursor._transient_elements


def test_elements_that_will_vanish_are_copied():
    cursor = LockedCursor(0)
    cursor.transient_elements[0] = "spinner"
    copy = copied(cursor)
    cursor.transient_elements[1] = "another"
    assert list(copy.transient_elements) == ["spinner"]


def test_copied_generators_draw_where_deep_copies_do():
    parent = DeltaGenerator(0, RunningCursor(0, (3,)), None)
    inner = DeltaGenerator(0, LockedCursor(0, (3, 1), 2), parent, "column")
    for one, other in zip(copied((parent, inner)), deepcopy((parent, inner)), strict=True):
        assert (one._block_type, one._root_container) == (other._block_type, other._root_container)
        assert vars(one._provided_cursor).keys() == vars(other._provided_cursor).keys()
        assert one._provided_cursor.delta_path == other._provided_cursor.delta_path
    assert copied((inner,))[0]._parent is not parent


@pytest.mark.parametrize("section", ["theme", "theme.light", "theme.dark", "theme.sidebar"])
def test_the_theme_is_streamlits(section):
    own, theirs = CustomThemeConfig(), CustomThemeConfig()
    for _ in range(2):
        populate_theme(own, section)
    repeated_work._populate(theirs, section)
    assert own == theirs


def test_values_are_read_as_streamlit_reads_them():
    values = SafeSessionState(SessionState(), lambda: None)
    values["_kept"] = [1]
    assert read(values, "_kept") is values["_kept"]
    values._state._compact_state()
    values["_new"] = 2
    assert (read(values, "_kept"), read(values, "_new")) == ([1], 2)
    with pytest.raises(KeyError):
        read(values, "_absent")


def test_reading_a_value_ends_a_drawing_that_the_user_left():
    class Left(Exception):
        pass

    def leave() -> None:
        raise Left

    values = SafeSessionState(SessionState(), leave)
    values._state["_kept"] = 1
    with pytest.raises(Left):
        read(values, "_kept")


def test_a_page_reads_its_values_and_widgets(monkeypatch):
    monkeypatch.setattr(SafeSessionState, "__getitem__", SafeSessionState.__getitem__)
    for module in (repeated_work.fragment, repeated_work.delta_generator):
        monkeypatch.setattr(module, "deepcopy", module.deepcopy)
    monkeypatch.setattr(repeated_work.app_session, "_populate_theme_msg", repeated_work._populate)
    watcher = repeated_work.PollingPathWatcher
    monkeypatch.setattr(watcher, "_check_if_path_changed", watcher._check_if_path_changed)
    patch_repetition()

    def page() -> None:
        import streamlit as st

        @st.fragment
        def counted() -> None:
            st.session_state["_count"] = st.session_state.get("_count", 0) + st.session_state["_step"]
            st.text(st.session_state["_count"])

        st.session_state["_step"] = 2
        st.text_input("name", key="_name", value="a")
        st.text(st.session_state["_name"])
        with st.container():
            counted()

    app = AppTest.from_function(page).run()
    app.text_input[0].set_value("b").run()
    assert not app.exception
    assert [text.value for text in app.text] == ["b", "4"]
