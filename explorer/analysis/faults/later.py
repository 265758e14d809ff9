"""What a longer run may still do: a short one says nothing about lines whose condition it did not meet."""

from itertools import takewhile

from explorer.analysis.run import Run, Tensor
from explorer.analysis.source.code import Code, find_lines
from explorer.safe_regex import plain

_CONDITION = plain(r"^\s*(?:if|elif|else|case)\b|\sif\s.+\selse\s|set_grad_enabled\((?!(?:mode=)?(?:True|False)\))")
_ROUND = plain(r"^\s*(?:async\s+)?(?:for|while|def)\b")
_WORD = plain(r"[^\W\d]\w*")
_BACKWARD = r"\.backward\(|autograd\.grad\("
_SHOWS = plain(r"^\s*(?:print|log\w*|writer|logger)\b|\.append\(")
_DEFINES = plain(r"^\s*(?:def|class|@|#|import|from)\b")


def depends(place: Code | None) -> bool:
    """Whether a place is reached, or does what it does, under a condition that its loop or function sets."""
    if place is None:
        return False
    within = takewhile(lambda line: not _ROUND.match(line), place.headers.values())
    return any(map(_CONDITION.search, (place.whole_line, *within)))


def may_come(run: Run, pattern: str) -> bool:
    """Whether a line with a pattern did not run: no operation or call of a training is known of it."""
    return any(
        (line.span.cell, line.line) not in run.ran and not _DEFINES.match(line.whole_line)
        for line, _ in find_lines(run.trace, pattern)
    )


def may_be_used(run: Run, tensor: Tensor) -> bool:
    """Whether a line that did not run, and shows nothing, has a name of a tensor."""
    names = {name.rpartition(".")[2] for name in tensor.names}
    lines = (run.line(*at) for name in names for at in run.trace.index.lines_with.get(name, ()) if at not in run.ran)
    return any(not _SHOWS.search(line.whole_line) and not _DEFINES.match(line.whole_line) for line in lines)


def trains_later(run: Run) -> bool:
    """Whether a line that did not run begins the backward of another loss: of the same one, as under a scaler, others
    did.
    """
    roots = {name for call in run.backwards for root in call.roots for name in root.names}
    lines = [line for line, _ in find_lines(run.trace, _BACKWARD) if (line.span.cell, line.line) not in run.ran]
    return any(
        not _DEFINES.match(line.whole_line) and roots.isdisjoint(_WORD.findall(line.whole_line)) for line in lines
    )
