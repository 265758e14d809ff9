"""What a file is that was opened as a saved Trace and is none: told before anything is made of its bytes."""

from typing import Literal

import msgspec
from msgspec import Struct

from explorer.trace.records import SCHEMA

Misread = Literal["", "empty", "archive", "pickle", "json", "other", "cut", "older", "newer"]

_ZIP, _GZIP, _PICKLE = b"PK\x03\x04", b"\x1f\x8b", tuple(bytes([0x80, version]) for version in range(2, 6))
_MAPS = frozenset([*range(0x80, 0x90), 0xDE, 0xDF])  # with which the dictionary of a Trace begins


class _Head(Struct):
    """What tells the version; the rest is passed over and takes no memory."""

    schema: int


_head = msgspec.msgpack.Decoder(_Head)


def misread(data: bytes) -> Misread:
    """Why bytes are no Trace that `decode` would read, "" where that has to look closer.

    archive: a .zip or .gz, as torch.save writes; pickle: an older file of torch.save or of
    pickle; json: a run as JSON; cut: it ends too early; older, newer: written for another schema.

    Takes time in proportion to the bytes, and no memory.

    >>> misread(b""), misread(b"PK\\x03\\x04..."), misread(b'{"schema": 1}'), misread(b"loss = 3")
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
