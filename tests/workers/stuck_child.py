"""A replacement for the child without torch that hangs or lies, as its program requests."""

import msgspec

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.faults.diagnosis import Search
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.run.source.code import Repair
from explorer.sandbox.protocol import DIAGNOSIS, parts
from explorer.trace import Span, decode


def preload(parts: object = None) -> None:
    pass


def handle(request: bytes, tell: object = None) -> bytes:
    true = Explanation("shape-called", Span(0, 1, 0, 1, 1), {"base": "x.shape", "right": "x.shape"})
    asked = decode(parts(request)[2]).cells[0].source
    if asked == "hang":
        while True:
            pass
    if request[:1] == DIAGNOSIS:
        return _diagnoses(asked)
    changed = {
        "another kind": (0, 0, msgspec.structs.replace(true, kind="no-such-kind")),
        "a value missing": (0, 0, msgspec.structs.replace(true, values={})),
        "no error there": (0, 1, true),
        "no such cell": (0, 0, msgspec.structs.replace(true, repairs=(Repair(7, "x"),))),
    }
    if asked == "nonsense":
        return b"nonsense"
    times = 1_000 if asked == "too many" else 1
    return msgspec.msgpack.encode([changed.get(asked, (0, 0, true))] * times)


def _diagnoses(asked: str) -> bytes:
    true = Finding("truncated", Span(0, 1, 0, 1, 1), {"code": "x", "lost": "0.5", "dtype": "int64"})
    lies = {
        "true": true,
        "another kind": msgspec.structs.replace(true, kind="no_such_kind"),
        "a value missing": msgspec.structs.replace(true, values={}),
        "no such line": msgspec.structs.replace(true, place=Span(0, 9, 0, 9, 1)),
        "no such cell": msgspec.structs.replace(true, place=Span(4, 1, 0, 1, 1)),
        "no such tensor": msgspec.structs.replace(true, tensor=3),
        "no such node": msgspec.structs.replace(true, node=-2),
        "repairs nothing": msgspec.structs.replace(true, repairs=(Repair(5, "x"),)),
    }
    if asked == "too many":
        return msgspec.msgpack.encode(Search((true,) * 1_000))
    return msgspec.msgpack.encode(Search((lies[asked],))) if asked in lies else b"nonsense"
