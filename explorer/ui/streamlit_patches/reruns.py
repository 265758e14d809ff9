"""Find out whether the user did something while the page is being drawn."""

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType


def rerun_requested() -> bool:
    """Whether the browser has requested another drawing of this session, or has left.

    Streamlit has no public name for it. If it is not found the answer is True, and the page redraws itself.
    """
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    return getattr(requests, "_state", None) is not ScriptRequestType.CONTINUE
