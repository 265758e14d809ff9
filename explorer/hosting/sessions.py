"""Ask Streamlit's runtime about the server's sessions."""

from typing import Any

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx


def drawing() -> Any:
    """Return the context of this thread's drawing, or None."""
    return get_script_run_ctx()


def own_session() -> str:
    """Return the id of the session that this thread draws, or ""."""
    context = drawing()
    return "" if context is None else context.session_id


def is_here(session: str) -> bool:
    """Return whether a session's page is still open."""
    return not exists() or get_instance().is_active_session(session)


def uploaded_files() -> Any:
    """Return the manager of all sessions' uploads."""
    return get_instance().uploaded_file_mgr


def add_metrics(provider: Any) -> None:
    """Add a provider to Streamlit's metrics."""
    get_instance().stats_mgr.register_provider(provider)
