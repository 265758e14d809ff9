"""Locations of the app's files, writable folders, libraries and fonts.

In a checkout the files are at its top. An installed package has a folder for them.
"""

import glob
import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
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


@cache
def _python_folders() -> frozenset[str]:
    return frozenset(get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def library_folders() -> frozenset[str]:
    """Return the folders of Python's modules, installed packages and this package, as named."""
    folders = _python_folders() | {place for place in sys.path if _PACKAGES & set(place.split(os.sep))}
    return folders | {os.path.dirname(os.path.abspath(__file__))}


def target_folders() -> dict[str, list[str]]:
    """Return other search path folders with installed packages (`pip install --target`).

    Such a folder may also hold the user's own files, so each maps to its packages' and modules' paths.
    """
    others = set(map(os.path.abspath, sys.path)) - library_folders()
    return {place: [os.path.join(place, name) for name in names] for place in others if (names := installed(place))}


def installed(folder: str) -> list[str]:
    """Return the packages and modules installed into a folder, per the installer's records."""
    names: set[str] = set()
    for record in glob.glob(f"{glob.escape(folder)}/*.dist-info/RECORD"):
        with suppress(OSError), open(record, encoding="utf-8", errors="replace") as lines:
            names.update(line.partition(",")[0].partition("/")[0] for line in lines)
    return sorted(names - {"", ".", "..", "bin"})


def site() -> Path:
    """Return the folder that holds `app.py`, `pages/`, `lessons/` and `.streamlit/`."""
    return _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent


def cache_folder(part: str = "") -> Path | None:
    """Return this user's cache folder, None if not writable."""
    try:
        folder = Path.home() / ".cache" / "autograd-explorer" / part
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: this user has no home
        return None
    return folder if os.access(folder, os.W_OK) else None


def kept_folders() -> list[str]:
    """Return this user's cache folder, [] if not writable."""
    folder = cache_folder()
    return [str(folder)] if folder else []


def temporary_folder() -> Path | None:
    """Return the system's temporary folder, None if not writable."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return None
