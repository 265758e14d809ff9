"""Whether the reader did something while the page is being drawn."""

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType


def happened() -> bool:
    """Whether the browser has asked for another drawing of this session, or has left.

    Streamlit has no public name for it. Where it is not to be found the answer is yes: then the page looks anew.
    """
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    return getattr(requests, "_state", None) is not ScriptRequestType.CONTINUE
