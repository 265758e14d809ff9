"""Cache the first program's run in a local folder for a fast start while PyTorch loads.

A file's name is the digest of what its run depends on: the request, and the versions of torch, Python and this package.
"""

import contextlib
import os
import tempfile
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from explorer.trace import MAX_BYTES, SUFFIX, InvalidTrace, Trace, decode, encode
from explorer.version import __version__

VARIABLE = "EXPLORER_CACHE"  # cache folder; empty disables caching
MOST = 8  # files


def folder() -> Path | None:
    """Return the cache folder, or None."""
    if (said := os.environ.get(VARIABLE)) is not None:
        return Path(said) if said else None
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # this user has no home
        return None
    return Path(base) / "autograd-explorer"


def kept_run(request: bytes) -> Trace | None:
    """Return the cached run of a request with the same versions, or None."""
    if (file := _file(request)) is None:
        return None
    try:
        with file.open("rb") as opened:
            return decode(opened.read(MAX_BYTES + 1))
    except (OSError, InvalidTrace):
        return None


def keep_run(request: bytes, trace: Trace) -> None:
    """Cache a run for the next start, if the folder is writable."""
    if (file := _file(request)) is None:
        return
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(dir=file.parent)
        with open(handle, "wb") as opened:
            opened.write(encode(trace))
        os.replace(written, file)
        newest = sorted(file.parent.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in newest[MOST:]:
            old.unlink()


def _file(request: bytes) -> Path | None:
    try:
        versions = version("torch"), python_version(), __version__
    except PackageNotFoundError:
        return None
    place = folder()
    return place and place / f"{sha256(repr((versions, request)).encode()).hexdigest()}{SUFFIX}"
