"""Read a saved run from an untrusted file, or state why it is invalid."""

from typing import Literal

import msgspec
from msgspec import Struct

from explorer.program.cells import Unusable
from explorer.trace import MAX_OPENED, SUFFIX, InvalidTrace, TooLong, Trace, decode
from explorer.trace.records import SCHEMA

Misread = Literal["", "empty", "archive", "pickle", "json", "other", "cut", "older", "newer"]

_ZIP, _GZIP, _PICKLE = b"PK\x03\x04", b"\x1f\x8b", tuple(bytes([0x80, version]) for version in range(2, 6))
_MAPS = frozenset([*range(0x80, 0x90), 0xDE, 0xDF])  # first bytes of a Trace's dictionary


class _Head(Struct):
    """Fields that identify the version; msgspec skips the rest."""

    schema: int


_head = msgspec.msgpack.Decoder(_Head)


def misread(data: bytes) -> Misread:
    r"""Return why bytes are not a readable Trace, "" if they may be one.

    archive: a .zip or .gz, as torch.save writes. pickle: a pickle or an older torch.save file. json: a run as JSON.
    cut: it ends too early. older, newer: another schema.

    Takes linear time and no memory.

    >>> misread(b""), misread(b"PK\x03\x04..."), misread(b'{"schema": 1}'), misread(b"loss = 3")
    ('empty', 'archive', 'json', 'other')
    """
    if not data:
        return "empty"
    if data.startswith((_ZIP, _GZIP)):
        return "archive"
    if data.startswith(_PICKLE):
        return "pickle"
    if data[:100].lstrip().startswith((b"{", b"[")):
        return "json"
    if data[0] not in _MAPS:
        return "other"
    try:
        schema = _head.decode(data).schema
    except msgspec.ValidationError:
        return "other"
    except (msgspec.DecodeError, RecursionError) as problem:
        return "cut" if "truncated" in str(problem) else "other"
    return "" if schema == SCHEMA else "older" if schema < SCHEMA else "newer"


OPENED = "EXPLORER_OPENED"  # variable with the path of the saved run that every session of this server opens


def is_run(name: str) -> bool:
    """Return whether a file name is that of a saved run.

    >>> is_run("net.trace"), is_run("net.py")
    (True, False)
    """
    return name.lower().endswith(SUFFIX)


def read_run(name: str, data: bytes, size: int = 0) -> Trace:
    """Read and check a Trace, limited to the rows of a child's result.

    Args:
        size: file size in bytes, if `data` is incomplete or missing.

    Raises Unusable, which says what the file is instead.
    """
    size = max(size, len(data))
    fault: str = "large" if size > MAX_OPENED else "dropped" if size > len(data) else misread(data)
    if fault:
        raise Unusable.of("not-a-run", name, found=fault, size=size, most=MAX_OPENED, reason="")
    try:
        return decode(data, MAX_OPENED)
    except InvalidTrace as problem:
        fault = "long" if isinstance(problem, TooLong) else "wrong"
        raise Unusable.of("not-a-run", name, found=fault, size=size, most=MAX_OPENED, reason=str(problem)) from None
