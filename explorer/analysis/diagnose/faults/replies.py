"""Answer requests for all diagnoses of a program, from bytes to bytes, in a child process."""

import msgspec
from msgspec.structs import replace

from explorer.analysis.diagnose.faults.diagnosis import RULE_NAMES, Search, search
from explorer.analysis.diagnose.faults.repairs import TRAINING, repairs
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.run.model import run_of
from explorer.analysis.run.source.expressions import SHOWN, shorten_code
from explorer.trace import Trace
from explorer.trace import read as read_trace

_LISTS, _LISTED = ("columns", "tables"), 300  # values that name several things, and their longest text
_SECONDS = 1.0  # CPU seconds for the rules, unless the question allows more
_decoder = msgspec.msgpack.Decoder(Search)


def answer(request: bytes, asked: bytes = b"") -> bytes:
    """Return the diagnoses of an encoded Trace, each with changes worth running.

    Args:
        asked: seconds of the processor for the rules, as `seconds_asked`.
    """
    trace = read_trace(request)
    done = search(trace, msgspec.msgpack.decode(asked, type=float) if asked else _SECONDS)
    # Notes may be intended, so they get no fix. The final loss judges a training's changes.
    found = [(one, one.level == "fault" or one.kind in TRAINING) for one in done.findings]
    findings = (replace(one, repairs=repairs(run_of(trace), one)) if fixed else one for one, fixed in found)
    return msgspec.msgpack.encode(replace(done, findings=tuple(map(_short, findings))))


def seconds_asked(seconds: float) -> bytes:
    """Encode how long the rules may take."""
    return msgspec.msgpack.encode(seconds)


def _short(finding: Finding) -> Finding:
    """Shorten the values so that they fit into a sentence."""
    texts = {name: value for name, value in finding.values.items() if isinstance(value, str)}
    about = [value for name, value in texts.items() if name != "code"]
    short = {name: shorten_code(value, most=_LISTED if name in _LISTS else SHOWN) for name, value in texts.items()}
    code = {"code": shorten_code(texts["code"], about)} if "code" in texts else {}
    return replace(finding, values={**finding.values, **short, **code})


def read(reply: bytes, trace: Trace) -> Search:
    """Decode the diagnoses in an untrusted reply. Raises ValueError."""
    done = _decoder.decode(reply)
    findings = (finding for finding in done.findings if finding.is_in(trace))
    known = tuple(name for name in done.unfinished if name in RULE_NAMES)
    return Search(tuple(replace(finding, proof=None, further=0) for finding in findings), known)
