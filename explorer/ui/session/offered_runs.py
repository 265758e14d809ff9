"""Shared first runs of the programs that every session begins with or is offered.

Equal requests have equal Traces. Otherwise a class that opens the page together would run one program thirty times, and
everyone would wait.
"""

from explorer.program import Program, Unusable, encode_request
from explorer.trace import Options, Trace
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT
from explorer.ui.session.kept_runs import keep_run, kept_run

MOST = 32  # runs: the options of sessions differ little

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
