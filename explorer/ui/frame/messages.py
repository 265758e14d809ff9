"""Bounds on a browser's message, counted in its bytes before it is decoded.

A message of 19 MB may hold six million empty lists, which take 800 MB and nine seconds. So the message and its parts
are bounded: fields, lists, entries and nesting. A message that exceeds a bound, or cannot be read, is dropped before
Streamlit sees it; Streamlit would keep it and fail again at every drawing.
"""

import json
from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg

from explorer.safe_regex import plain

MOST, MOST_HOSTED = 20_000_000, 1_000_000  # bytes of a message, at home and on a hosted site
FIELDS = 3_000  # of a message, with those of its parts
NUMBERS = 10_000  # bytes of a field of numbers
CONTAINERS = 10_000  # lists and dictionaries that all values of components hold
ENTRIES = 100_000  # of all those together
DEEP = 30  # lists in lists
QUERY, PARAMETERS = 100_000, 200  # bytes of the address's query, and parameters in it
NAMES = 50  # of files that are to be uploaded, in one message

# The app accepts nothing else. Clearing caches, running on save and reading Git belong to a developer's menu.
ASKED = {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
OPERATIONS = {"request_id", "session_id", "deferred_file"}

_TEXTS = plain(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)')  # also one without an end
_BRACKETS = plain(rb"[\[\]{}]")
_VARINT, _EIGHT, _LONG, _FOUR = 0, 1, 2, 5  # wire types; the others are groups, which nothing here has


class Refused(Exception):
    """Raised for a message that is dropped; the reason: size, type, fields, value, text, unreadable."""


def read(data: bytes, most: int = MOST) -> BackMsg:
    """Decode a message after checking that its bytes stay within the bounds. Raises Refused."""
    if len(data) > most:
        raise Refused("size")
    try:
        _look(data, 0, len(data), BackMsg.DESCRIPTOR, _Held())
        message = BackMsg.FromString(data)
    except (IndexError, DecodeError):
        raise Refused("unreadable") from None
    if message.WhichOneof("type") is None:
        raise Refused("type")
    return message


class _Held:
    """Counts of what has been found in a message so far."""

    def __init__(self) -> None:
        self.fields = self.containers = self.entries = 0

    def field(self, most: int) -> None:
        """Count one more field. Raises Refused."""
        self.fields += 1
        if self.fields > most:
            raise Refused("fields")

    def value(self, value: bytes) -> None:
        """Count the parts of a component's value, JSON. Raises Refused."""
        bare = _TEXTS.sub(b"", value)
        self.containers += max(bare.count(b"[") + bare.count(b"{"), bare.count(b"]") + bare.count(b"}"))
        self.entries += bare.count(b",")
        if self.containers > CONTAINERS or self.entries > ENTRIES or _depth(bare) > DEEP:
            raise Refused("value")
        try:
            json.loads(value.decode())
        except ValueError:
            raise Refused("unreadable") from None


def _depth(bare: bytes) -> int:
    """The nesting depth of lists and dictionaries in JSON without its strings."""
    deepest = depth = 0
    for bracket in _BRACKETS.findall(bare):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _look(data: bytes, at: int, end: int, kind: Descriptor, held: _Held) -> None:
    most = held.fields + NAMES if kind.name == "FileURLsRequest" else FIELDS
    for number, wire, begin, over in _fields(data, at, end):
        held.field(most)
        field = kind.fields_by_number.get(number)
        if field is None or (kind.name == "BackMsg" and field.name not in ASKED):
            raise Refused("type")
        if kind.name == "BackendOperationRequest" and field.name not in OPERATIONS:
            raise Refused("type")
        if wire == _LONG:
            _look_into(data, begin, over, field, held)


def _look_into(data: bytes, begin: int, end: int, field: FieldDescriptor, held: _Held) -> None:
    """Check a field with a length: a message, a text, bytes, or packed numbers."""
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        _look(data, begin, end, field.message_type, held)
    elif field.name in ("json_value", "json_trigger_value"):
        held.value(data[begin:end])
    elif field.name == "query_string":
        if end - begin > QUERY or data.count(b"&", begin, end) > PARAMETERS:
            raise Refused("text")
    elif field.type not in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES) and end - begin > NUMBERS:
        raise Refused("fields")


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message in its wire format: number, wire type, and where the field's bytes begin and end.

    Raises IndexError where they do not end within it, Refused where that is not the format.
    """
    while at < end:
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        begin = at
        if wire == _VARINT:
            _, at = _varint(data, at)
        elif wire == _LONG:
            length, begin = _varint(data, at)
            at = begin + length
        elif wire in (_EIGHT, _FOUR):
            at += 8 if wire == _EIGHT else 4
        else:
            raise Refused("unreadable")
        if at > end:
            raise IndexError
        yield number, wire, begin, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of at most 64 bits and where the next byte is."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
        if shift > 63:
            raise Refused("unreadable")
