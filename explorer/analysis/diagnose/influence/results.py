"""Results that nothing uses, at the lines that compute them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from explorer.analysis.diagnose.influence.liveness import Liveness, liveness
from explorer.analysis.run.model import GRAD_CALL, Run, reachable, run_of
from explorer.analysis.run.objects import Tensor
from explorer.analysis.run.operations import FORMS, MOVES, PICKS, operation_of
from explorer.analysis.run.source.code import Code, code_of_row
from explorer.analysis.run.source.definitions import imported
from explorer.safe_regex import plain
from explorer.trace import Trace, memoized

_FIRST = plain(r"[^\W\d]\w{0,100}")
_DEEP = 40  # enclosing function calls examined per operation
_CHEAP = FORMS | MOVES | PICKS | {"__getitem__", "grad", "zero_grad", "detach_", "data"}


@dataclass(frozen=True)
class UnusedResult:
    """An expression whose result nothing uses.

    Attributes:
        span: its place (spans of the Trace).
        rounds: how often it was computed.
        unused: how often nothing used it. Fewer than `rounds` if only the last round of an inner loop is used.
        tensor: its last result.
        is_last: whether only the last round of an inner loop is used.
        is_kept: whether the last result still existed at the end, so that a later line may read it.
    """

    span: int
    rounds: int
    unused: int
    tensor: int
    is_last: bool = False
    is_kept: bool = False


@dataclass
class _Uses:
    """Operations of one expression, with the rounds in which they are used, kept, or neither."""

    operations: list[int] = field(default_factory=list)
    rounds: dict[tuple[int, ...], list[int]] = field(default_factory=dict)


@memoized
def unused_results(trace: Trace) -> list[UnusedResult] | None:
    """Return the outermost expression of each unused result, None if parts of the run are unknown."""
    alive = liveness(run := run_of(trace))
    return None if alive is None else list(_unused(run, alive))


def _unused(run: Run, alive: Liveness) -> Iterator[UnusedResult]:
    covered: set[int] = set()
    found: list[tuple[UnusedResult, _Uses]] = []
    groups = _by_place(run)
    for span, uses in sorted(groups.items(), key=lambda item: (-len(item[1].operations), item[0])):
        judged = None if covered.issuperset(uses.operations) else _judged(run, alive, span, uses)
        if judged is not None:
            covered.update(uses.operations)
            found.append((judged, uses))
    for unused, uses in found:
        results = [tensor for at in uses.operations for tensor in run.operations.outputs[at]]
        later = {user for tensor in reachable(results, run.made_from) for user in run.users.get(tensor, ())}
        if covered.isdisjoint(later.difference(uses.operations)):  # more than a part of another unused result
            yield unused


def _by_place(run: Run) -> dict[int, _Uses]:
    """Group operations by each expression that they are part of, also by the calls around them.

    Those of a function that a library calls are left out: where their results go is not recorded, as when it tries a
    parametrization.
    """
    groups: dict[int, _Uses] = {}
    outer = cache(lambda span: _is_of_library(run.trace, span))
    for at in range(run.count):
        places = places_of(run.trace, at)
        if any(map(outer, places[1:])):
            continue
        for span in dict.fromkeys(places):
            uses = groups.setdefault(span, _Uses())
            uses.operations.append(at)
            uses.rounds.setdefault(tuple(run.operations.iteration[at]), []).append(at)
    return groups


def _is_of_library(trace: Trace, span: int) -> bool:
    """Return whether a call is that of an imported function."""
    first = _FIRST.match(trace.text(span))
    return first is not None and first[0] in imported(trace)


def places_of(trace: Trace, operation: int) -> list[int]:
    """Return the spans of an operation and of the calls around it, innermost first."""
    columns, found = trace.operations, [trace.operations.span[operation]]
    caller = columns.caller[operation] if columns.caller else -1
    while caller >= 0 and len(found) < _DEEP:
        found.append(trace.callers[caller].span)
        caller = trace.callers[caller].caller
    return [span for span in found if span >= 0]


def _judged(run: Run, alive: Liveness, span: int, uses: _Uses) -> UnusedResult | None:
    """Return an expression whose result is unused in every round."""
    used = [any(alive.used[at] for at in operations) for operations in uses.rounds.values()]
    kept = [any(alive.kept[at] for at in operations) for operations in uses.rounds.values()]
    results = [tensor for at in uses.operations for tensor in run.operations.outputs[at]]
    works = any(_computes(run.names[at]) for at in uses.operations)
    if not works and not any(is_carried(run.tensor(one)) for one in results):
        return None
    if not results:
        return None
    if not any(used):
        if any(kept[:-1]):
            return None  # collected for later
        return UnusedResult(span, len(used), len(used), results[-1], is_kept=kept[-1])
    if any(run.names[at] == GRAD_CALL for at in uses.operations) and _only_last(list(uses.rounds), used):
        return UnusedResult(span, len(used), used.count(False), results[-1], is_last=True)
    return None


def is_carried(result: Tensor) -> bool:
    """Return whether a result takes the name of its detached source, like a state kept for the next round."""
    maker = result.made_by({"detach"})
    return maker is not None and not set(maker.inputs[0].names).isdisjoint(result.names)


def _computes(name: str) -> bool:
    """Return whether an operation costs work that is wasted if nothing uses its result."""
    kind = operation_of(name)
    is_drawn = kind.draws == "result" or (bool(kind.draws) and name.endswith("_"))  # it initializes weights
    return not (name in _CHEAP or is_drawn or kind.subject in ("create", "shape") or name.startswith("_"))


def _only_last(rounds: list[tuple[int, ...]], used: list[bool]) -> bool:
    """Return whether of each inner loop's rounds exactly the last is used, in at least two outer rounds."""
    outer: dict[tuple[int, ...], list[bool]] = {}
    for at, is_used in zip(rounds, used, strict=True):
        outer.setdefault(at[:-1], []).append(is_used)
    whole = [not any(some[:-1]) and some[-1] for some in outer.values() if len(some) > 1]
    return len(whole) == len(outer) >= 2 and all(whole)


def place_of(run: Run, unused: UnusedResult) -> Code:
    """Return where an unused result is computed."""
    return code_of_row(run.trace, unused.span)
