"""Why a program stopped, worked out in a child that is killed when it takes too long.

A change is offered only after it was run: the error is then gone, nothing else fails for it, and what asked for a
gradient still gets one.
"""

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from explorer.asked import asked
from explorer.diagnose import answering as diagnosing
from explorer.diagnose.proof import outcome
from explorer.diagnosed import diagnosed
from explorer.explain import Explanation, changed_lines
from explorer.explain.answering import MOST, failures, read
from explorer.patterns import plain
from explorer.program import GivenFile
from explorer.sandbox import Runner
from explorer.sandbox.wire import DIAGNOSIS, EXPLANATION
from explorer.text import say
from explorer.trace import Failure, Trace, goes_wrong
from explorer.trial import Trial

# Diagnoses that say that a gradient does not get where it should: a change that brings one of them mends nothing.
LOST = {
    "gradient_cut",
    "gradient_falsified",
    "step_without_gradient",
    "root_is_leaf",
    "asked_too_late",
    "grad_of_result",
    "leaf_rebound",
    "update_lost",
}
MOST_ALIKE = 3  # times that one mistake is mended in a cell
_ASSIGNED = plain(r"\s*(\w+)\s*=[^=]")

_kept: dict[int, tuple[weakref.ref, "Explanations"]] = {}  # by the number of the Trace, as long as it is in use
_proven: dict[int, tuple[weakref.ref, "Explanations"]] = {}  # the same with the changes that were run


@dataclass(frozen=True)
class Explanations:
    """The explanations of one Trace's errors.

    Attributes:
        found: by cell and place among its outputs.
        beyond: the first error of too many.
    """

    found: Mapping[tuple[int, int], Explanation] = field(default_factory=dict)
    beyond: tuple[int, int] | None = None

    def of(self, trace: Trace, cell: int, failure: Failure) -> Explanation | None:
        """That of an error of this Trace; None where there is none: torch's own words then stand alone."""
        for at, told in self.found.items():
            if at[0] == cell and trace.cells[cell].outputs[at[1]] is failure:
                return told
        if self.beyond is not None and trace.cells[self.beyond[0]].outputs[self.beyond[1]] is failure:
            return Explanation("beyond", {"most": MOST})
        return None


def explained(trace: Trace, runner: Runner | None = None) -> Explanations:
    """The explanations of a program's errors; none where its child did not end in time or answered nonsense.

    Of a Trace that is still in use they are worked out once; once its changes were run, they are those of `proven`.
    """
    if (known := _known(_proven, trace) or _known(_kept, trace)) is not None:
        return known
    stopped = failures(trace)
    if not stopped:
        return Explanations()
    told = asked(EXPLANATION, trace, read, runner) or {}
    sayable = {place: one for place, one in told.items() if _sayable(one)}
    return _keep(_kept, trace, Explanations(sayable, stopped[MOST][:2] if len(stopped) > MOST else None))


def proven(
    trace: Trace,
    files: tuple[GivenFile, ...] = (),
    runner: Runner | None = None,
    visitor: str = "",
    patience: float | None = None,
) -> Explanations:
    """The same, and of each change whether it mends; of a Trace that is still in use it is run once.

    Args:
        files: what the program found in its folder.
        visitor: whose share of the runs this takes.
        patience: seconds that the runs may take together; None: as long as any trial.
    """
    if (known := _known(_proven, trace)) is not None:
        return known
    told = explained(trace, runner)
    trial = Trial(trace, files, runner, visitor, patience)
    found = {at: tried(trial, at[0], one) if one.mended else one for at, one in told.found.items()}
    return _keep(_proven, trace, Explanations(found, told.beyond))


def tried(trial: Trial, cell: int, one: Explanation) -> Explanation:
    """An explanation with its change and what that shows, or without it where it does not mend.

    The same mistake on a line below is mended with it. Another mistake below stays, and its line is told, where it has
    a change of its own with which the program ends well: so the first one has not brought it about.
    """
    before, text, mended, further = trial.trace, one.mended, one.mended, 0
    for _ in range(MOST_ALIKE):
        after = trial.run(one.cell, text)
        if after is None:
            break
        if _is_gone(before, after, cell) and _learns(before, after, trial.runner):
            shown = "" if further else outcome(after, _assigned(before.cells[one.cell].source, mended))
            return replace(one, mended=mended, proof=shown, further=further)
        following = _next(after, cell, one, trial.runner)
        if following is None:
            break
        text = following.mended
        if not further and following.kind == one.kind:
            mended = text
        elif not further and not (further := _stops_later(before, after, cell)):
            break
    return replace(one, mended="")


def _assigned(source: str, mended: str) -> str:
    """The name that the last of the changed lines gives a value to, "" for none."""
    brought = [change.text for change in changed_lines(source, mended) if change.sign == "+"]
    names = [found[1] for text in brought if (found := _ASSIGNED.match(text))]
    return names[-1] if names else ""


def _next(after: Trace, cell: int, one: Explanation, runner: Runner) -> Explanation | None:
    """What stops the changed program in the same cell, where that has a change of the same cell."""
    told = asked(EXPLANATION, after, read, runner) or {}
    return next((more for at, more in told.items() if at[0] == cell and more.cell == one.cell and more.mended), None)


def _is_gone(before: Trace, after: Trace, cell: int) -> bool:
    """Whether a cell ends well now, and every other that did."""
    failed = [number for number, one in enumerate(before.cells) if any(map(goes_wrong, one.outputs))]
    fails = [number for number, one in enumerate(after.cells) if any(map(goes_wrong, one.outputs))]
    return after.status in ("ok", "error") and set(fails) <= set(failed) - {cell}


def _stops_later(before: Trace, after: Trace, cell: int) -> int:
    """The line of a cell that stops now, where that is another mistake further down; 0 otherwise."""
    fails = [
        {number: one for number, each in enumerate(trace.cells) for one in each.outputs if goes_wrong(one)}
        for trace in (before, after)
    ]
    was, now = (one.get(cell) for one in fails)
    if not (isinstance(was, Failure) and isinstance(now, Failure) and was.frames and now.frames):
        return 0
    if after.status != "error" or not fails[1].keys() <= fails[0].keys():
        return 0
    grown = len(after.cells[cell].lines) - len(before.cells[cell].lines)
    first, second = before.spans[was.frames[0]].line, after.spans[now.frames[0]].line
    return second if second > first + max(grown, 0) else 0


def _learns(before: Trace, after: Trace, runner: Runner) -> bool:
    """Whether all that asked for a gradient by a name still does, and no gradient gets lost that did not before."""
    for binding in before.bindings:
        now = after.bound(binding.name)
        own = before.tensors.requires_grad[binding.tensor] and before.tensors.is_leaf[binding.tensor]
        if own and binding.until < 0 and now is not None and not after.tensors.requires_grad[now]:
            return False
    found = asked(DIAGNOSIS, after, diagnosing.read, runner)
    known = {one.found.kind for one in diagnosed(before, runner)}
    return found is not None and not {one.kind for one in found} & (LOST - known)


def _known(kept: dict[int, tuple[weakref.ref, Explanations]], trace: Trace) -> Explanations | None:
    known = kept.get(id(trace))
    return known[1] if known is not None and known[0]() is trace else None


def _keep(kept: dict[int, tuple[weakref.ref, Explanations]], trace: Trace, told: Explanations) -> Explanations:
    number = id(trace)
    kept[number] = weakref.ref(trace, lambda _: kept.pop(number, None)), told
    return told


def _sayable(told: Explanation) -> bool:
    """Whether there are sentences of this kind, and the values that they need."""
    try:
        return all(say("en", f"error-{told.kind}{part}", **told.values) for part in ("", ".cause", ".repair"))
    except (KeyError, TypeError, ValueError):
        return False
