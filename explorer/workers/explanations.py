"""Explain why a program stopped, in a child with a time limit.

A fix is offered only after running it: the error must be gone, nothing else may fail because of it, and every tensor
that required grad must still get a gradient.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.errors.replies import MOST, read
from explorer.analysis.diagnose.faults import replies as diagnosing
from explorer.analysis.diagnose.faults.proof import outcome
from explorer.analysis.diagnose.findings import NOWHERE
from explorer.analysis.run.source.code import Repair
from explorer.analysis.run.source.expressions import ChangedLine, changed_lines
from explorer.program import GivenFile
from explorer.safe_regex import plain
from explorer.sandbox import Runner
from explorer.sandbox.protocol import DIAGNOSIS, EXPLANATION
from explorer.trace import Failure, Trace, ends_cell
from explorer.workers.diagnoses import ask_child, diagnoses_of, has_texts
from explorer.workers.second_run import RepairRunner

# Diagnoses of lost gradients or mixed-up entries; a change that causes these is not a fix.
LOST = {
    "gradient_cut",
    "gradient_falsified",
    "step_without_gradient",
    "root_is_leaf",
    "asked_too_late",
    "retained_too_late",
    "grad_of_result",
    "leaf_rebound",
    "update_lost",
    "loss_broadcast",
    "axes_mixed",
    "data_lost",
    "truncated",
}
MOST_ALIKE = 3  # most places in a cell where the same mistake is repaired
_ASSIGNED = plain(r"\s*(\w+)\s*=[^=]")

_PROVEN = ("explanations", "proven")


@dataclass(frozen=True)
class Explanations:
    """The explanations of one Trace's errors.

    Attributes:
        found: by cell and index among its outputs.
        beyond: the first error that was left unexplained because there are too many.
    """

    found: Mapping[tuple[int, int], Explanation] = field(default_factory=dict)
    beyond: tuple[int, int] | None = None

    def of(self, trace: Trace, cell: int, failure: Failure) -> Explanation | None:
        """Return an error's explanation, None if only torch's message is known."""
        for at, explanation in self.found.items():
            if at[0] == cell and trace.cells[cell].outputs[at[1]] is failure:
                return explanation
        if self.beyond is not None and trace.cells[self.beyond[0]].outputs[self.beyond[1]] is failure:
            return Explanation("beyond", trace.spans[failure.span] if failure.span >= 0 else NOWHERE, {"most": MOST})
        return None


def explanations_of(trace: Trace, runner: Runner | None = None) -> Explanations:
    """Explain a program's errors, empty if the child was late or its answer invalid.

    Computed once for each Trace in use. After `explain_with_verified_fixes` these are the verified explanations.
    """

    def found() -> Explanations | None:
        stopped = trace.shown(Failure)
        answers = ask_child(EXPLANATION, trace, read, runner) if stopped else {}
        if answers is None:
            return None
        sayable = {place: explanation for place, explanation in answers.items() if has_texts(explanation)}
        return Explanations(sayable, stopped[MOST][:2] if len(stopped) > MOST else None)

    return trace.index.known(_PROVEN) or trace.index.answered(("explanations",), found) or Explanations()


def explain_with_verified_fixes(
    trace: Trace, files: tuple[GivenFile, ...] = (), visitor: str = "", patience: float | None = None
) -> Explanations:
    """Explain errors with verified fixes, once for each Trace in use.

    Args:
        files: files in the program's folder.
        visitor: visitor whose turns the runs use.
        patience: total seconds for the runs. None: the default of a trial.
    """

    def proven() -> Explanations | None:
        unproven, trial = explanations_of(trace), RepairRunner(trace, files, visitor, patience)
        explanations = {
            at: verify_fix(trial, at[0], explanation) if explanation.repairs else explanation
            for at, explanation in unproven.found.items()
        }
        answered = trace.index.known(("explanations",)) is not None
        return Explanations(explanations, unproven.beyond) if answered else None

    return trace.index.answered(_PROVEN, proven) or Explanations()


def verify_fix(trial: RepairRunner, cell: int, explanation: Explanation) -> Explanation:
    """Verify an explanation's fix by running it, or drop the fix.

    The same mistake on a later line is fixed too. A different mistake below stays, and its line is named, if its own
    fix makes the program end well: then the first change did not cause it. An added import causes only errors of its
    own attributes.
    """
    of, before, further, passed = explanation.repairs[0].cell, trial.trace, 0, 0
    text = fixed = explanation.repaired_source
    for _ in range(MOST_ALIKE):
        after = trial.run(of, text)
        if after is None:
            break
        if _is_fixed(before, after, cell) and _learns(before, after):
            changed = [change for change in changed_lines(before.cells[of].source, fixed) if change.sign == "+"]
            lines = {change.number for change in changed}
            shown = "" if further else outcome(after, _assigned(changed), of, lines)
            return replace(explanation, repairs=(Repair(of, fixed),), proof=shown, further=further)
        if explanation.kind == "name-not-imported" and text == explanation.repaired_source:
            of_import = any(failure.type == "AttributeError" for *_, failure in after.shown(Failure))
            passed = 0 if of_import else _stops_later(before, after, cell)
        following = _next(after, cell, of)
        if following is None:
            break
        text = following.repaired_source
        if not further and following.kind == explanation.kind:
            fixed = text
        elif not further and not (further := _stops_later(before, after, cell)):
            break
    return replace(explanation, proof="", further=passed) if passed else replace(explanation, repairs=())


def _assigned(changed: Sequence[ChangedLine]) -> str:
    """Return the name that the last changed line assigns, or ""."""
    names = [match[1] for change in changed if (match := _ASSIGNED.match(change.text))]
    return names[-1] if names else ""


def _next(after: Trace, cell: int, of: int) -> Explanation | None:
    """Return the changed program's next error in the same cell, if fixable in `of`."""
    explanations = ask_child(EXPLANATION, after, read) or {}
    here = (more for at, more in explanations.items() if at[0] == cell)
    return next((more for more in here if more.repairs and more.repairs[0].cell == of), None)


def _is_fixed(before: Trace, after: Trace, cell: int) -> bool:
    """Return whether a cell now ends well and no other cell newly fails."""
    failed = [number for number, cell_run in enumerate(before.cells) if any(map(ends_cell, cell_run.outputs))]
    fails = [number for number, cell_run in enumerate(after.cells) if any(map(ends_cell, cell_run.outputs))]
    return after.end in ("ok", "error") and set(fails) <= set(failed) - {cell}


def _stops_later(before: Trace, after: Trace, cell: int) -> int:
    """Return the line of a later error that now stops the cell, 0 if there is none."""
    fails = [
        {number: output for number, each in enumerate(trace.cells) for output in each.outputs if ends_cell(output)}
        for trace in (before, after)
    ]
    was, now = (fail.get(cell) for fail in fails)
    if not (isinstance(was, Failure) and isinstance(now, Failure) and was.frames and now.frames):
        return 0
    if after.end != "error" or not fails[1].keys() <= fails[0].keys():
        return 0
    grown = len(after.cells[cell].lines) - len(before.cells[cell].lines)
    first, second = before.spans[was.frames[0]].line, after.spans[now.frames[0]].line
    return second if second > first + max(grown, 0) else 0


def _learns(before: Trace, after: Trace) -> bool:
    """Return whether named tensors still require grad and no gradient is newly lost."""
    for binding in before.bindings:
        now = after.bound(binding.name)
        own = before.tensors.requires_grad[binding.tensor] and before.tensors.is_leaf[binding.tensor]
        if own and binding.until < 0 and now is not None and not after.tensors.requires_grad[now]:
            return False
    done = ask_child(DIAGNOSIS, after, diagnosing.read)
    kinds = {finding.kind for finding in diagnoses_of(before)}
    if done is None or done.unfinished:
        return False
    return not {finding.kind for finding in done.findings} & (LOST - kinds)
