"""Runs of the programs that every session begins with or is offered: the first run of each serves all sessions.

Equal requests give equal Traces. A class that opens the page at once would otherwise run one program thirty times, and
everybody would wait for it.
"""

from explorer.program import Program, Unusable, encode_request
from explorer.trace import Options, Trace
from explorer.ui.session.examples import EXAMPLES

MOST = 32  # runs: the options of sessions differ little

_OFFERED = {example.program for example in EXAMPLES}
_kept: dict[bytes, Trace] = {}


def is_offered(texts: tuple[str, ...]) -> bool:
    """Whether this is the text of an offered program, and nothing else."""
    return len(texts) == 1 and texts[0] in _OFFERED


def offered_result(program: Program, options: Options) -> Trace | None:
    """What an earlier run of an offered program left behind; None for any other, and where none was kept."""
    return _kept.get(encode_request(program, options)) if is_offered(_texts(program)) else None


def keep_offered(program: Program, options: Options, result: Trace | Unusable) -> None:
    """Keep a run that ended well, if it was one of an offered program."""
    if isinstance(result, Trace) and result.status == "ok" and is_offered(_texts(program)) and len(_kept) < MOST:
        _kept[encode_request(program, options)] = result


def _texts(program: Program) -> tuple[str, ...]:
    return tuple(cell.text for cell in program.cells)
