"""What a browser asks of a page that a session does not have."""

from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState

from explorer.ui.streamlit_patches import late_requests


@pytest.fixture
def answered(monkeypatch):
    """What reaches Streamlit of a request for a fragment of the page "graph"."""
    passed = []
    monkeypatch.setattr(late_requests, "_request", lambda _, asked: passed.append(asked))

    def asks(shows: str, *fragments: str) -> list[ClientState]:
        """Of a session that shows this page, "" for none yet, with these fragments."""
        session = SimpleNamespace(
            page_script_hash=shows,
            has_fragment=fragments.__contains__,
            _pages_manager=SimpleNamespace(main_script_hash="main"),
        )
        asked = ClientState(fragment_id="editor", page_script_hash="graph", query_string="lang=en")
        asked.widget_states.widgets.add(id="typed", json_value='"w = 1"')
        late_requests.request_rerun(session, asked)
        assert asked.fragment_id == "editor"  # what came is left as it was
        return passed

    return asks


@pytest.mark.parametrize("shows", ["", "main"])
def test_a_session_that_has_drawn_nothing_draws_all_of_the_page_with_what_was_typed(shows, answered):
    [asked] = answered(shows)
    assert (asked.fragment_id, asked.page_script_hash, asked.query_string) == ("", "graph", "lang=en")
    assert asked.widget_states.widgets[0].json_value == '"w = 1"'


@pytest.mark.parametrize("shows", ["main", "graph"])
def test_a_part_of_the_page_that_is_shown_is_drawn_alone(shows, answered):
    [asked] = answered(shows, "editor")
    assert asked.fragment_id == "editor"


def test_a_part_of_a_page_that_was_left_is_not_drawn(answered):
    assert answered("lessons", "editor") == []
