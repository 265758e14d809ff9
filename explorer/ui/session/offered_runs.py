"""Runs of the programs that every session begins with or is offered: the first run of each serves all sessions.

Equal requests give equal Traces. A class that opens the page at once would otherwise run one program thirty times, and
everybody would wait for it.
"""

from explorer.program import Program, Unusable, encode_request
from explorer.trace import Options, Trace
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT
from explorer.ui.session.kept_runs import keep_run, kept_run

MOST = 32  # runs: the options of sessions differ little

_OFFERED = {example.program for example in EXAMPLES}
_kept: dict[bytes, Trace] = {}


def is_offered(texts: tuple[str, ...]) -> bool:
    """Whether this is the text of an offered program, and nothing else."""
    return len(texts) == 1 and texts[0] in _OFFERED


def offered_result(program: Program, options: Options) -> Trace | None:
    """What an earlier run of an offered program left behind; None for any other, and where none was kept.

    That of the first program may be of an earlier start.
    """
    if not _is_shared(program):
        return None
    request = encode_request(program, options)
    if request not in _kept and _of_every_start(program) and (trace := kept_run(request)) is not None:
        _kept[request] = trace
    return _kept.get(request)


def keep_offered(program: Program, options: Options, result: Trace | Unusable) -> None:
    """Keep a run that ended well, if it was one of an offered program."""
    if not isinstance(result, Trace) or result.end != "ok" or not _is_shared(program) or len(_kept) >= MOST:
        return
    _kept[request := encode_request(program, options)] = result
    if _of_every_start(program):
        keep_run(request, result)


def _is_shared(program: Program) -> bool:
    """Whether its run may serve other sessions. One with a user's files goes with its session."""
    return is_offered(_texts(program)) and not program.files


def _of_every_start(program: Program) -> bool:
    return _texts(program) == (FIRST_SIGHT,)


def _texts(program: Program) -> tuple[str, ...]:
    return tuple(cell.text for cell in program.cells)
