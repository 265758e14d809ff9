"""Handle requests for stale pages: those that this session has left, or never had.

Streamlit would run a fragment's late request as a part of the left page. The browser would then clear the current page
and get parts without their containers, which turns it white. Such requests are ignored. A session that has drawn
nothing yet, because its browser lost its server instance, knows no fragments, and Streamlit would ignore all actions on
that page forever. Here the whole page is drawn with the browser's data.

When a browser learns that a drawing has ended, it removes everything that only the drawing before it had. If a fragment
began before that message was sent, Streamlit would report an interrupted drawing instead, and leftovers such as the
problems of the previous program would stay. So a fragment's start drops no messages. Those of a drawing thread that has
just ended are queued before the next thread begins, since Streamlit ignores them afterwards.

A browser that sends changes of two fragments at once names only one of them, and Streamlit would run only that one: an
edit typed while the mark requests its check would have no answer. Such a request is for the whole page.

A request has the values of all widgets. One sent before the browser has the last drawing would undo a value set there:
after a second key the page would show the graph again instead of the values, or hide the error. So beside an action,
values that the browser has not changed since its last request are ignored.
"""

from typing import Any

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SessionState

from explorer.sandbox.fair_queue import in_turn
from explorer.sandbox.hosting import visitor
from explorer.ui.streamlit_patches.batches import hand_over

_request, _create, _run = AppSession.request_rerun, AppSession._create_scriptrunner, ScriptRunner._run_script
_clear, _take = ForwardMsgQueue.clear, SessionState.on_script_will_rerun

SENT = "_sent_states"  # session state: WidgetState by widget id of the last drawn request, without button presses


def patch_requests() -> None:
    """Patch every session from now on."""
    AppSession.request_rerun = request_rerun  # type: ignore[method-assign,assignment]
    AppSession._create_scriptrunner = create_runner  # type: ignore[method-assign,assignment]
    ScriptRunner._run_script = run_script  # type: ignore[method-assign,assignment]
    SessionState.on_script_will_rerun = take_states  # type: ignore[method-assign,assignment]
    ForwardMsgQueue.clear = clear  # type: ignore[method-assign,assignment]


def request_rerun(session: AppSession, asked: Any) -> None:
    """Replace the session's method: run early requests in full, drop another page's."""
    # A drawing's messages wait for the sending thread. They go out before the next drawing begins: Streamlit drops the
    # messages of a drawing that is no longer the current one.
    hand_over(session)
    if asked is not None and asked.fragment_id:
        # Until the navigation has run once, the page is the main file's, whichever it will be.
        if session.page_script_hash in ("", session._pages_manager.main_script_hash):
            if not session.has_fragment(asked.fragment_id):
                asked = _for_whole_page(asked)
        elif _is_for_other_page(session.page_script_hash, asked.page_script_hash):
            return
    if asked is not None and asked.fragment_id and _changes_others(session.session_state, asked):
        asked = _for_whole_page(asked)
    _request(session, asked)


def create_runner(session: AppSession, asked: Any) -> None:
    """Replace the session's method, because its thread may have ended since the request."""
    hand_over(session)
    _create(session, asked)


def _changes_others(state: SessionState, asked: Any) -> bool:
    """Return whether the request of a fragment has changes outside it."""
    known = state._new_widget_state.widget_metadata
    changed = _changed(state, asked.widget_states)
    return any(id in known and known[id].fragment_id != asked.fragment_id for id in changed)


def _changed(state: SessionState, asked: WidgetStates) -> list[str]:
    """Return the ids of the user's changes since the last drawn request.

    A widget sends its initial value in a later request, which is not a change. Components and buttons do not.
    """
    before = state._old_state.get(SENT, {})
    return [
        one.id
        for one in asked.widgets
        if before.get(one.id) != one and (one.id in before or _is_press(one) or one.HasField("json_value"))
    ]


def _is_press(state: WidgetState) -> bool:
    return "trigger" in (state.WhichOneof("value") or "")


def take_states(state: SessionState, asked: WidgetStates | None, **more: Any) -> None:
    """Replace the method of a session's state, ignoring values that the browser has not changed."""
    if asked is not None:
        before, is_changed = state._old_state.get(SENT, {}), bool(_changed(state, asked))
        now = {one.id: one for one in asked.widgets}
        state._old_state[SENT] = {id: one for id, one in now.items() if not _is_press(one)}
        if is_changed:
            asked = WidgetStates(widgets=[one for id, one in now.items() if before.get(id) != one or id not in state])
    _take(state, asked, **more)


def run_script(runner: ScriptRunner, asked: Any) -> None:
    """Replace the runner's method, ignoring requests from before the next page was drawn."""
    now = runner._get_script_run_ctx().page_script_hash
    if not (asked.fragment_id_queue and _is_for_other_page(now, asked.page_script_hash)):
        with in_turn(visitor(st.context.ip_address)):
            _run(runner, asked)


def _for_whole_page(asked: Any) -> Any:
    """Return the same request for the whole page."""
    whole = type(asked)()
    whole.CopyFrom(asked)
    whole.ClearField("fragment_id")
    return whole


def _is_for_other_page(now: str, page: str) -> bool:
    return bool(page) and page != now


def clear(
    queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
) -> None:
    """Replace the queue's method: a drawing of fragments drops nothing, but its elements replace none before it."""
    if fragment_ids_this_run is None:
        _clear(queue, retain_lifecycle_msgs)
    else:
        queue._delta_index_map = {}
