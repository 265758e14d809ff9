"""The browser requests a part of a page that its session has lost; a page and its parts are redrawn."""

from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from explorer.ui.streamlit_patches import late_requests
from explorer.ui.streamlit_patches.late_requests import clear


class Session(SimpleNamespace):
    """A session whose editor belongs to one fragment and whose graph to another."""

    __hash__ = object.__hash__

    def __init__(self, shows: str, *fragments: str):
        owners = {name: SimpleNamespace(fragment_id=owner) for name, owner in [("typed", "editor"), ("card", "graph")]}
        super().__init__(
            page_script_hash=shows,
            has_fragment=fragments.__contains__,
            _pages_manager=SimpleNamespace(main_script_hash="main"),
            _message_enqueued_callback=None,
            session_state=SimpleNamespace(_new_widget_state=SimpleNamespace(widget_metadata=owners)),
        )


@pytest.fixture
def answered(monkeypatch):
    """What reaches Streamlit of a request for a fragment of the page "graph"."""
    passed = []
    monkeypatch.setattr(late_requests, "_request", lambda _, asked: passed.append(asked))

    def asks(shows: str, *fragments: str) -> list[ClientState]:
        """Return the requests of a session that shows this page ("" for none) with these fragments."""
        session = Session(shows, *fragments)
        asked = ClientState(fragment_id="editor", page_script_hash="graph", query_string="lang=en")
        asked.widget_states.widgets.add(id="typed", json_value='"w = 1"')
        late_requests.request_rerun(session, asked)
        assert asked.fragment_id == "editor"  # the request is unchanged
        return passed

    return asks


@pytest.mark.parametrize("shows", ["", "main"])
def test_a_new_session_draws_the_whole_page_with_the_typed_text(shows, answered):
    [asked] = answered(shows)
    assert (asked.fragment_id, asked.page_script_hash, asked.query_string) == ("", "graph", "lang=en")
    assert asked.widget_states.widgets[0].json_value == '"w = 1"'


@pytest.mark.parametrize("shows", ["main", "graph"])
def test_only_the_requested_part_of_a_page_is_drawn(shows, answered):
    [asked] = answered(shows, "editor")
    assert asked.fragment_id == "editor"


def test_changes_of_two_fragments_draw_the_whole_page(monkeypatch):
    passed = []
    monkeypatch.setattr(late_requests, "_request", lambda _, asked: passed.append(asked.fragment_id))
    session = Session("graph", "editor", "graph")
    for typed, card in [("1", "1"), ("2", "1"), ("2", "2"), ("2", "2")]:
        asked = ClientState(fragment_id="editor", page_script_hash="graph")
        asked.widget_states.widgets.add(id="typed", json_value=typed)
        asked.widget_states.widgets.add(id="card", json_value=card)
        late_requests.request_rerun(session, asked)
    assert passed == ["", "editor", "", "editor"]


def test_parts_of_a_left_page_are_not_drawn(answered):
    assert answered("lessons", "editor") == []


def block(fragment: str, *path: int) -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path[:] = path
    message.delta.add_block.vertical.border = False
    message.delta.fragment_id = fragment
    return message


def text(fragment: str, *path: int, body: str = "") -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path[:] = path
    message.delta.new_element.html.body = body
    message.delta.fragment_id = fragment
    return message


def digest(*path: int) -> ForwardMsg:
    message = ForwardMsg(ref_hash="of an element that was sent before")
    message.metadata.delta_path[:] = path
    return message


def queued(messages: list[ForwardMsg], fragments: list[str] | None) -> ForwardMsgQueue:
    queue = ForwardMsgQueue()
    for one in messages:
        queue.enqueue(one)
    clear(queue, retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)
    return queue


def test_a_fragments_queued_elements_are_dropped_with_nested_elements():
    drawn = [block("page", 0, 1), text("page", 0, 1, 0), digest(0, 1, 1), text("inner", 0, 1, 2), digest(0, 2, 0)]
    assert queued(drawn, ["page"]).is_empty()


def test_queued_elements_are_dropped_even_after_their_block_was_sent():
    assert queued([text("page", 0, 1, 3), digest(0, 1, 4), text("inner", 0, 1, 5, 0)], ["page"]).is_empty()


def test_earlier_elements_and_those_from_other_fragments_stay():
    head = [block("head", 0, 0), digest(0, 0, 3), text("", 0, 9), digest(0, 1, 0)]
    assert queued([*head, text("page", 0, 1, 2)], ["page"]).flush() == head


def test_a_full_rerun_drops_queued_elements():
    assert queued([block("page", 0, 1), digest(0, 1, 0)], None).is_empty()


def page():
    """A page with nested parts; each counts how often it was drawn."""
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
        ("outer", "inner", (1, 2, 2)),  # it was not requested by itself
        ("inner", "inner", (0, 0, 2)),
    ],
)
def test_only_requested_fragments_are_drawn_again(asked, waiting, drawn, monkeypatch):
    shown = AppTest.from_function(page).run()
    shown.session_state["drawn"] = {"page": 0, "outer": 0, "inner": 0}
    shown.session_state["waiting"] = waiting
    outer, inner = shown._fragment_storage._fragments
    parts = {"": [], "outer": [outer], "inner": [inner]}[asked]
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, fragment_id_queue=parts))
    assert not shown.run().exception
    assert tuple(shown.session_state["drawn"].values()) == drawn


def test_checking_numbers_works_while_the_whole_page_is_drawn(app):
    assert not app.button(key="check").click().run().exception
    assert "check" not in {button.key for button in app.button}  # they are on their way
