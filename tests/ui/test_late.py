"""The browser requests a part of a page that its session has lost; a page and its parts are redrawn."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import RerunData, ScriptRunnerEvent
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest, local_script_runner

from explorer.ui.streamlit_patches import late_requests
from explorer.ui.streamlit_patches.batches import take_event
from explorer.ui.streamlit_patches.late_requests import clear, create_runner, take_states
from tests.patience import eventually
from tests.ui.pages import html, type_program


class Session(SimpleNamespace):
    """A session whose editor belongs to one fragment and whose graph to another."""

    __hash__ = object.__hash__

    def __init__(self, shows: str, *fragments: str):
        state = SessionState()
        for name, owner in [("typed", "editor"), ("card", "graph")]:
            kind = WidgetMetadata(name, lambda one: one, lambda one: one, "json_value", fragment_id=owner)
            state.register_widget(kind, None)
        super().__init__(
            page_script_hash=shows,
            has_fragment=fragments.__contains__,
            _pages_manager=SimpleNamespace(main_script_hash="main"),
            _message_enqueued_callback=None,
            session_state=state,
        )


@pytest.fixture
def answered(monkeypatch):
    """Return Streamlit's version of a request for a fragment of the page "graph"."""
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
        take_states(session.session_state, asked.widget_states)
    assert passed == ["", "editor", "", "editor"]


def test_parts_of_a_left_page_are_not_drawn(answered):
    assert answered("lessons", "editor") == []


class Page:
    """A session's queue, and a browser that removes what a finished drawing no longer has, like Streamlit's.

    `shown`: the texts in the browser.
    """

    def __init__(self) -> None:
        self._queue, self._begun = ForwardMsgQueue(), 0
        self._texts: dict[tuple[str | int, ...], tuple[str, str, str]] = {}  # texts with their fragment and drawing

    @property
    def shown(self) -> list[str]:
        return [text for text, _, _ in self._texts.values()]

    def draw(self, fragment: str, *texts: str, ends: str = "FINISHED_FRAGMENT_RUN_SUCCESSFULLY") -> None:
        """Queue the messages of a drawing."""
        self._begun += 1
        clear(self._queue, retain_lifecycle_msgs=True, fragment_ids_this_run=[fragment])  # first, as Streamlit does
        said = [ForwardMsg(new_session=NewSession()), *(text(fragment, one, i) for i, one in enumerate(texts))]
        for message in (*said, ForwardMsg(script_finished=ForwardMsg.ScriptFinishedStatus.Value(ends))):
            message.metadata.run.script_run_id = str(self._begun)
            message.metadata.run.fragment_ids.append(fragment)
            self._queue.enqueue(message)

    def hear(self) -> None:
        """Read the queue."""
        drawing = ""
        for message in self._queue.flush():
            of, [fragment] = message.metadata.run.script_run_id, message.metadata.run.fragment_ids
            if message.HasField("new_session"):
                drawing = of
            elif message.HasField("delta"):
                place = (fragment, *message.metadata.delta_path)
                self._texts[place] = message.delta.new_element.html.body, fragment, drawing
            elif message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
                self._texts = {at: told for at, told in self._texts.items() if told[1] != fragment or told[2] == of}


def text(fragment: str, body: str, place: int) -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path.append(place)
    message.delta.new_element.html.body = body
    message.delta.fragment_id = fragment
    return message


@pytest.mark.parametrize("heard", range(8))
def test_elements_missing_from_a_new_drawing_leave_the_page(heard):
    """Bits of `heard`: drawings after which the browser read the queue before the next began."""
    page = Page()
    drawings: list[Callable[[], None]] = [
        lambda: page.draw("body", "graph", "problem"),
        lambda: page.draw("body", "of a program that still runs", ends="FINISHED_EARLY_FOR_RERUN"),
        lambda: page.draw("body", "next graph"),
        lambda: page.draw("mark", "checked"),
    ]
    for number, draw in enumerate(drawings):
        draw()
        if heard >> number & 1:
            page.hear()
    page.hear()
    assert page.shown == ["next graph", "checked"]


def test_a_full_rerun_drops_queued_elements():
    queue = ForwardMsgQueue()
    queue.enqueue(text("body", "graph", 0))
    clear(queue, retain_lifecycle_msgs=True)
    assert queue.is_empty()


def test_the_end_of_a_drawing_is_queued_before_the_next_thread_begins(monkeypatch):
    """The thread ends after the request has arrived, so Streamlit ignores its later messages."""
    heard: list[str] = []
    session = Session("page", "mark")
    session._scriptrunner = runner = SimpleNamespace()
    session._event_loop = SimpleNamespace(call_soon_threadsafe=lambda _: None)  # busy
    session._call_soon_on_event_loop = lambda _: None
    session._handle_scriptrunner_event_on_event_loop = lambda sender, event: heard.append(event.name)

    def create(session: Session, _: object) -> None:
        heard.append("created")

    def request(session: Session, asked: object) -> None:
        take_event(session, runner, ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS)
        create_runner(session, asked)

    monkeypatch.setattr(late_requests, "_create", create)
    monkeypatch.setattr(late_requests, "_request", request)
    late_requests.request_rerun(session, ClientState(fragment_id="mark", page_script_hash="page"))
    assert heard == ["FRAGMENT_STOPPED_WITH_SUCCESS", "created"]


@pytest.fixture
def view():
    """Return a session's state in which the server has changed a choice that the browser last knew as "graph"."""
    state = SessionState()

    def register(id: str, kind: str, key: str) -> None:
        state.register_widget(WidgetMetadata(id, lambda one: one, lambda one: one, kind), key)

    register("view", "string_value", "seen_as")
    register("text", "json_value", "typed")
    register("go", "trigger_value", "press")
    take_states(state, sent(view="graph", text='"w"'))
    register("view", "string_value", "seen_as")
    state["seen_as"] = "values"
    return state


def sent(**values: str) -> WidgetStates:
    kinds = {"view": "string_value", "text": "json_value", "go": "trigger_value"}
    return WidgetStates(widgets=[WidgetState(**{"id": id, kinds[id]: value}) for id, value in values.items()])


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (sent(view="graph", text='"w = 1"'), "values"),  # typed before the browser was informed
        (sent(view="graph", text='"w"', go=True), "values"),
        (sent(view="values", text='"w = 1"'), "values"),
        (sent(view="memory", text='"w"'), "memory"),
        (sent(view="graph", text='"w"'), "graph"),  # selected again
    ],
)
def test_a_request_changes_only_what_the_user_changed(view, asked, shown):
    take_states(view, asked)
    assert view["seen_as"] == shown


def test_each_press_counts(view):
    for _ in range(2):
        take_states(view, sent(view="graph", go=True))
        assert view["press"] is True


def test_a_value_that_the_session_has_lost_comes_from_the_browser(view):
    del view["seen_as"]
    take_states(view, sent(view="graph", text='"w = 1"'))
    assert view._new_widget_state.states.keys() == {"view", "text"}


def page():
    """Draw a page with nested parts that count their drawings."""
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
    assert "check" not in {button.key for button in app.button}  # the results are still being sent


def test_checking_numbers_names_the_leaves_of_closed_modules(app):
    net = "net = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(9)])\n"
    type_program(app, f"{net}net(torch.ones(2)).sum().backward()\n")
    app.button(key="check").click().run()
    assert eventually(lambda: "<b>net.0.weight" in html(app.run()))
