"""What a browser asks of a page that the session has left: a fragment's run, sent while the next page was on its way.

Streamlit would run it as a part of the page that was left. The browser, told so, clears the page that is there and then
gets parts without what they stand in, which turns it white. Such a request is passed over: where it came from is gone.
"""

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

_request, _run = AppSession.request_rerun, ScriptRunner._run_script


def pass_over_late() -> None:
    """Have every session do so, from now on."""
    AppSession.request_rerun = request_rerun  # type: ignore[method-assign]
    ScriptRunner._run_script = run_script  # type: ignore[method-assign]


def request_rerun(session: AppSession, asked: ClientState | None) -> None:
    """In place of the session's own method: what comes when the next page has been drawn."""
    if asked is not None and asked.fragment_id:
        # Until the navigation has run for the first time, the page is that of the main file, whichever it will be.
        unknown = ("", session._pages_manager.main_script_hash)
        if session.page_script_hash not in unknown and _is_of_another(session.page_script_hash, asked.page_script_hash):
            return
    _request(session, asked)


def run_script(runner: ScriptRunner, asked: RerunData) -> None:
    """In place of the runner's own method: what waited until the next page was drawn."""
    now = runner._get_script_run_ctx().page_script_hash
    if not (asked.fragment_id_queue and _is_of_another(now, asked.page_script_hash)):
        _run(runner, asked)


def _is_of_another(now: str, page: str) -> bool:
    return bool(page) and page != now
