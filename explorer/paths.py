"""Where the app's own files are: `app.py`, `pages/`, `lessons/` and Streamlit's settings.

In a checkout they are at its top; an installed package has a folder for them.
"""

from pathlib import Path

_PACKAGE = Path(__file__).parent
_INSTALLED = _PACKAGE / "_site"


def site() -> Path:
    """The folder that holds `app.py`, `pages/`, `lessons/` and `.streamlit/`."""
    return _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
