"""All diagnoses of a program, from bytes to bytes, in a child process."""

from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.faults.repairs import TRAINING, repairs
from explorer.analysis.findings import Finding
from explorer.analysis.run import run_of
from explorer.analysis.source.expressions import SHOWN, shorten_code
from explorer.trace import Trace
from explorer.trace import read as read_trace

_LISTS, _LISTED = ("columns", "tables"), 300  # values that name several things, and their characters
MOST = 80  # there are fewer kinds, and each is reported once

_decoder = msgspec.msgpack.Decoder(Annotated[list[Finding], Meta(max_length=MOST)])


def answer(request: bytes) -> bytes:
    """Return the diagnoses of an encoded Trace, each with changes worth running."""
    trace = read_trace(request)
    # Notes may be intended, so they get no fix. The final loss judges a training's changes.
    found = [(one, one.level == "fault" or one.kind in TRAINING) for one in diagnose(trace)]
    findings = (replace(one, repairs=repairs(run_of(trace), one)) if fixed else one for one, fixed in found)
    return msgspec.msgpack.encode([_short(finding) for finding in findings])


def _short(finding: Finding) -> Finding:
    """Shorten the values so that they fit into a sentence."""
    texts = {name: value for name, value in finding.values.items() if isinstance(value, str)}
    about = [value for name, value in texts.items() if name != "code"]
    short = {name: shorten_code(value, most=_LISTED if name in _LISTS else SHOWN) for name, value in texts.items()}
    code = {"code": shorten_code(texts["code"], about)} if "code" in texts else {}
    return replace(finding, values={**finding.values, **short, **code})


def read(reply: bytes, trace: Trace) -> list[Finding]:
    """Decode the diagnoses in an untrusted reply. Raises ValueError."""
    findings = (finding for finding in _decoder.decode(reply) if finding.is_in(trace))
    return [replace(finding, proof=None, further=0) for finding in findings]
