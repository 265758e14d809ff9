"""Where the app's own files are: `app.py`, `pages/`, `lessons/` and Streamlit's settings; what it may write; where
libraries and fonts are.

In a checkout they are at its top; an installed package has a folder for them.
"""

import glob
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from sysconfig import get_path

PACK = "EXPLORER_LESSONS"  # environment: the folder of a lesson pack
_PACKAGE = Path(__file__).parent
_INSTALLED = _PACKAGE / "_site"
_PACKAGES = {"site-packages", "dist-packages"}
FONT_FOLDERS = {
    "darwin": ("/System/Library/Fonts", "/Library/Fonts"),
    "win32": (os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "Fonts"),),
}.get(sys.platform, ("/usr/share/fonts", "/usr/local/share/fonts"))


def library_folders() -> set[str]:
    """The folders that Python's modules, installed packages and this package are imported from, as they are named."""
    folders = {get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {place for place in sys.path if _PACKAGES & set(place.split(os.sep))}
    return folders | {os.path.dirname(os.path.abspath(__file__))}


def target_folders() -> dict[str, list[str]]:
    """Other folders of the search path that packages were installed into, as by `pip install --target`.

    Such a folder may hold the user's own files too, so each comes with the paths of its packages and modules.
    """
    others = set(map(os.path.abspath, sys.path)) - library_folders()
    return {place: [os.path.join(place, name) for name in names] for place in others if (names := installed(place))}


def installed(folder: str) -> list[str]:
    """The names of the packages and modules that were installed into a folder, as the installer recorded them.

    The folders of those records are among them.
    """
    names: set[str] = set()
    for record in glob.glob(f"{glob.escape(folder)}/*.dist-info/RECORD"):
        with suppress(OSError), open(record, encoding="utf-8", errors="replace") as lines:
            names.update(line.partition(",")[0].partition("/")[0] for line in lines)
    return sorted(names - {"", ".", "..", "bin"})


def site() -> Path:
    """The folder that holds `app.py`, `pages/`, `lessons/` and `.streamlit/`."""
    return _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent


def cache_folder(part: str = "") -> Path | None:
    """The folder of one part in this user's cache, created on first use; None where it cannot be written."""
    try:
        folder = Path.home() / ".cache" / "autograd-explorer" / part
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: this user has no home
        return None
    return folder if os.access(folder, os.W_OK) else None


def kept_folders() -> list[str]:
    """The folder of this user's cache; [] where it cannot be written."""
    folder = cache_folder()
    return [str(folder)] if folder else []


def temporary_folder() -> Path | None:
    """The system's folder for temporary files; None where none can be written."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return None
