"""Find lines that only a longer run may reach."""

from collections.abc import Iterator
from itertools import takewhile

from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Tensor
from explorer.analysis.run.source.code import Code, find_lines
from explorer.safe_regex import plain

_CONDITION = plain(r"^\s*(?:if|elif|else|case)\b|\sif\s.+\selse\s|set_grad_enabled\((?!(?:mode=)?(?:True|False)\))")
_ROUND = plain(r"^\s*(?:async\s+)?(?:for|while|def)\b")
_WORD = plain(r"[^\W\d]\w*")
_BACKWARD = r"\.backward\(|autograd\.grad\("
_SHOWS = plain(r"^\s*print\b|\.append\(")
_DEFINES = plain(r"^\s*(?:#|(?:def|class|@|import|from)\b)")


def depends(place: Code | None) -> bool:
    """Return whether a loop's or function's condition decides about a place."""
    if place is None:
        return False
    within = takewhile(lambda line: not _ROUND.match(line), place.headers.values())
    return any(map(_CONDITION.search, (place.whole_line, *within)))


def may_come(run: Run, pattern: str) -> bool:
    """Return whether a matching line did not run."""
    return any(True for _ in _lines_that_did_not_run(run, pattern))


def _lines_that_did_not_run(run: Run, pattern: str) -> Iterator[Code]:
    lines = (line for line, _ in find_lines(run.trace, pattern) if (line.span.cell, line.line) not in run.ran)
    return (line for line in lines if not _DEFINES.match(line.whole_line))


def may_be_used(run: Run, tensor: Tensor) -> bool:
    """Return whether an unreached line may use a named tensor."""
    names = {name.rpartition(".")[2] for name in tensor.names}
    lines = (run.line(*at) for name in names for at in run.trace.index.lines_with.get(name, ()) if at not in run.ran)
    return any(not _SHOWS.search(line.whole_line) and not _DEFINES.match(line.whole_line) for line in lines)


def trains_later(run: Run) -> bool:
    """Return whether a line that did not run begins another loss's backward."""
    roots = {name for call in run.backwards for root in call.roots for name in root.names}
    lines = _lines_that_did_not_run(run, _BACKWARD)
    return any(roots.isdisjoint(_WORD.findall(line.whole_line)) for line in lines)
