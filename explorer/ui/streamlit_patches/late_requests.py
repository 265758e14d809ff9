"""Handle requests for stale pages: those that this session has left, or never had.

Streamlit would run a fragment's late request as a part of the left page. The browser would then clear the current page
and get parts without their containers, which turns it white. Such requests are ignored. A session that has drawn
nothing yet, because its browser lost its server instance, knows no fragments, and Streamlit would ignore all actions on
that page forever. Here the whole page is drawn with the browser's data.

A browser removes what a drawing no longer has when it hears of its end. If a fragment began before that message was
sent, Streamlit would turn it into that of an interrupted drawing: what the page before had more, such as its problems,
would stay. Here all messages before a fragment's are sent. Those of a drawing thread that has just ended are queued
before the next thread begins, since Streamlit ignores them afterwards.

A browser that sends changes of two fragments at once names only one of them, and Streamlit would run only that one: an
edit typed while the mark requests its check would have no answer. Such a request is for the whole page.
"""

from typing import Any
from weakref import WeakKeyDictionary

import streamlit as st
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from explorer.sandbox.fair_queue import in_turn
from explorer.sandbox.hosting import visitor
from explorer.ui.streamlit_patches.batches import hand_over

_request, _create, _run = AppSession.request_rerun, AppSession._create_scriptrunner, ScriptRunner._run_script
_clear = ForwardMsgQueue.clear

_states: WeakKeyDictionary[AppSession, dict[str, Any]] = WeakKeyDictionary()  # in a browser's last request


def patch_requests() -> None:
    """Patch every session from now on."""
    AppSession.request_rerun = request_rerun  # type: ignore[method-assign,assignment]
    AppSession._create_scriptrunner = create_runner  # type: ignore[method-assign,assignment]
    ScriptRunner._run_script = run_script  # type: ignore[method-assign,assignment]


def request_rerun(session: AppSession, asked: Any) -> None:
    """Replace the session's method: run early requests in full, drop another page's."""
    # A drawing's messages wait for the sending thread. They go out before the next drawing begins: Streamlit drops the
    # messages of a drawing that is no longer the current one.
    hand_over(session)
    if asked is not None and asked.fragment_id:
        # Until the navigation has run once, the page is the main file's, whichever it will be.
        if session.page_script_hash in ("", session._pages_manager.main_script_hash):
            if not session.has_fragment(asked.fragment_id):
                asked = _of_all(asked)
        elif _is_of_another(session.page_script_hash, asked.page_script_hash):
            return
    if asked is not None and _changes_others(session, asked):
        asked = _of_all(asked)
    _request(session, asked)


def create_runner(session: AppSession, asked: Any) -> None:
    """Replace the session's method: the thread before may have ended since the request came."""
    hand_over(session)
    _create(session, asked)


def _changes_others(session: AppSession, asked: Any) -> bool:
    """Return whether the request of a fragment has changes outside it.

    Widgets send the value that they begin with in a later request, which is no change; components and buttons do not.
    """
    before = _states.get(session, {})
    _states[session] = now = {state.id: state for state in asked.widget_states.widgets}
    known = session.session_state._new_widget_state.widget_metadata
    changed = (id for id, state in now.items() if before.get(id) != state and (id in before or _is_set(state)))
    return bool(asked.fragment_id) and any(id in known and known[id].fragment_id != asked.fragment_id for id in changed)


def _is_set(state: Any) -> bool:
    return state.WhichOneof("value") in ("json_value", "json_trigger_value", "trigger_value")


def run_script(runner: ScriptRunner, asked: Any) -> None:
    """Replace the runner's method, ignoring requests from before the next page was drawn."""
    now = runner._get_script_run_ctx().page_script_hash
    if not (asked.fragment_id_queue and _is_of_another(now, asked.page_script_hash)):
        with in_turn(visitor(st.context.ip_address)):
            _run(runner, asked)


def _of_all(asked: Any) -> Any:
    """Return the same request for the whole page."""
    whole = type(asked)()
    whole.CopyFrom(asked)
    whole.ClearField("fragment_id")
    return whole


def _is_of_another(now: str, page: str) -> bool:
    return bool(page) and page != now


def patch_queue() -> None:
    """Patch the queue of every session from now on."""
    ForwardMsgQueue.clear = clear  # type: ignore[method-assign,assignment]


def clear(
    queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
) -> None:
    """Replace the queue's method: a drawing of fragments drops nothing, but its elements replace none before it."""
    if fragment_ids_this_run is None:
        _clear(queue, retain_lifecycle_msgs)
    else:
        queue._delta_index_map = {}
