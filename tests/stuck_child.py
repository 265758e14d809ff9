"""A child in place of that of layouts and explanations, which does what its request's program says: hang or lie."""

import msgspec

from explorer.explain.answering import ErrorExplanation
from explorer.trace import decode


def preload() -> None:
    pass


def warm() -> None:
    pass


def handle(request: bytes, tell: object = None) -> bytes:
    told = ErrorExplanation(0, 0, "name-unknown", {"name": "x", "line": 1}, "", 0)
    asked = decode(request[1:]).cells[0].source
    if asked == "hang":
        while True:
            pass
    return {
        "true": msgspec.msgpack.encode([told]),
        "nonsense": b"nonsense",
        "another kind": msgspec.msgpack.encode([ErrorExplanation(0, 0, "no-such-kind", {}, "", 0)]),
        "a value missing": msgspec.msgpack.encode([ErrorExplanation(0, 0, "name-unknown", {}, "", 0)]),
        "no error there": msgspec.msgpack.encode([ErrorExplanation(0, 1, "name-unknown", told.values, "", 0)]),
        "no such cell": msgspec.msgpack.encode([ErrorExplanation(0, 0, "name-unknown", told.values, "", 7)]),
        "too many": msgspec.msgpack.encode([told] * 1_000),
    }[asked]
