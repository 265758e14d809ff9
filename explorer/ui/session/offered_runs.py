"""Shared first runs of the programs that every session begins with or is offered.

Equal requests have equal Traces. Otherwise a class that opens the page together would run one program thirty times, and
everyone would wait. The first program's run is also kept in a local folder, for a fast start while PyTorch loads. A
file's name is the digest of what its run depends on: the request, and the versions of torch, Python and this package.
"""

import contextlib
import os
import tempfile
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from explorer.program import Program, Unusable, encode_request
from explorer.trace import MAX_BYTES, SUFFIX, InvalidTrace, Options, Trace, decode, encode
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT
from explorer.version import __version__

MOST = 32  # most cached runs; sessions rarely differ in their options
VARIABLE = "EXPLORER_CACHE"  # environment variable: folder of cached runs, or empty for no cache
FILES = 8

_kept: dict[bytes, Trace] = {}


def is_offered(texts: tuple[str, ...]) -> bool:
    """Return whether this is exactly an offered program's text."""
    return len(texts) == 1 and texts[0] in EXAMPLES.values()


def offered_result(program: Program, options: Options) -> Trace | None:
    """Return an offered program's earlier run, or None.

    The first program's run may be from an earlier start.
    """
    if not _is_shared(program):
        return None
    request = encode_request(program, options)
    if request not in _kept and _of_every_start(program) and (trace := kept_run(request)) is not None:
        _kept[request] = trace
    return _kept.get(request)


def keep_offered(program: Program, options: Options, result: Trace | Unusable) -> None:
    """Keep an offered program's successful run."""
    if not isinstance(result, Trace) or result.end != "ok" or not _is_shared(program) or len(_kept) >= MOST:
        return
    _kept[request := encode_request(program, options)] = result
    if _of_every_start(program):
        keep_run(request, result)


def _is_shared(program: Program) -> bool:
    """Return whether a run may serve other sessions, which excludes a user's files."""
    return is_offered(_texts(program)) and not program.files


def _of_every_start(program: Program) -> bool:
    return _texts(program) == (FIRST_SIGHT,)


def _texts(program: Program) -> tuple[str, ...]:
    return tuple(cell.text for cell in program.cells)


def folder() -> Path | None:
    """Return the cache folder, or None."""
    if (text := os.environ.get(VARIABLE)) is not None:
        return Path(text) if text else None
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
        for old in newest[FILES:]:
            old.unlink()


def _file(request: bytes) -> Path | None:
    try:
        versions = version("torch"), python_version(), __version__
    except PackageNotFoundError:
        return None
    place = folder()
    return place and place / f"{sha256(repr((versions, request)).encode()).hexdigest()}{SUFFIX}"
