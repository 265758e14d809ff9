"""Runs of the first program in a folder of this machine: the next start draws its picture while PyTorch still loads.

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

VARIABLE = "EXPLORER_CACHE"  # the folder; empty: nothing is kept
MOST = 8  # files


def folder() -> Path | None:
    """Where runs are kept; None for nowhere."""
    if (said := os.environ.get(VARIABLE)) is not None:
        return Path(said) if said else None
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # this user has no home
        return None
    return Path(base) / "autograd-explorer"


def kept_run(request: bytes) -> Trace | None:
    """The kept run of a request, written by an earlier start with the same versions, or None."""
    if (file := _file(request)) is None:
        return None
    try:
        with file.open("rb") as opened:
            return decode(opened.read(MAX_BYTES + 1))
    except (OSError, InvalidTrace):
        return None


def keep_run(request: bytes, trace: Trace) -> None:
    """Leave a run for the next start; where the folder cannot be written, nothing is left."""
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
