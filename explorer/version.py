"""The version of this package. `pyproject.toml` and the command line read it here."""

from importlib.metadata import version

__version__ = "0.7.0.dev0"
STREAMLIT = "1.67"  # series whose methods explorer/ui/streamlit_patches/ changes


def is_patched_streamlit() -> bool:
    """Return whether the installed Streamlit is the version that the app patches."""
    return version("streamlit").startswith(f"{STREAMLIT}.")
