"""Why a gradient may differ from the slope: the operation between a leaf and the root that causes it."""

from dataclasses import dataclass
from typing import Literal

from explorer.analysis.autograd.changed_gradients import altered_outputs
from explorer.analysis.autograd.gradients import all_cuts, nodes_below
from explorer.analysis.faults.shared_memory import gradient_falsified
from explorer.analysis.gradcheck.subjects import Subject
from explorer.analysis.run import Run

Kind = Literal["overwritten", "function", "cut", "no_grad", "hook"]


@dataclass(frozen=True)
class Reason:
    """The cause. Attributes: operation: its id, -1 for none; code: the program's text there."""

    kind: Kind
    operation: int
    code: str


def reason(run: Run, subject: Subject) -> Reason | None:
    """What blocks or changes the gradient on the way of a leaf's entries to the root."""
    trace = run.trace
    call = trace.backwards[subject.backward]
    if any(finding.place for finding in gradient_falsified(run)):
        return Reason("overwritten", -1, "")
    cut = all_cuts(trace, subject.backward)[1].get(subject.leaf)
    if cut is not None and cut.operation >= 0:
        return Reason("no_grad" if cut.by == "no_grad" else "cut", cut.operation, run.text(cut.operation))
    collectors = {node for node in call.order if trace.nodes.variable[node] == subject.leaf}
    own = [node for node in call.order if trace.nodes.user_code[node] and collectors & nodes_below(trace, [node])]
    if own:
        operation = min(trace.nodes.operation[node] for node in own)
        return Reason("function", operation, run.text(operation))
    return Reason("hook", -1, "") if altered_outputs(trace, subject.backward) else None
