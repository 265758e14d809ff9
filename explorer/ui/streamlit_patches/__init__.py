"""Changes to Streamlit that this app needs, one file each.

Each file names the private parts of Streamlit that it replaces, and why. Another version may have no such parts, so
there the app runs without the changes. What is lost then: docs/decisions/fragments-and-messages.md.
"""

from contextlib import AbstractAsyncContextManager, nullcontext
from importlib import import_module

from explorer.version import is_patched_streamlit


def patch() -> None:
    """Patch every session from now on, if this is the known Streamlit."""
    if is_patched_streamlit():
        import_module("explorer.ui.streamlit_patches.late_requests").patch_requests()
        import_module("explorer.ui.streamlit_patches.batches").patch_events()


def free_ended_sessions() -> AbstractAsyncContextManager[None]:
    """End sessions with their pages, if this is the known Streamlit."""
    if not is_patched_streamlit():
        return nullcontext()
    replaced: AbstractAsyncContextManager[None] = import_module(
        "explorer.ui.streamlit_patches.ended_sessions"
    ).ended_sessions()
    return replaced
