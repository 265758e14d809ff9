"""Why a gradient may differ from the slope: the operation between a leaf and the root that causes it."""

from dataclasses import dataclass
from typing import Literal

from explorer.analysis.autograd.changed_gradients import altered_outputs
from explorer.analysis.faults.shared_memory import gradient_falsified
from explorer.analysis.gradcheck.subjects import Subject
from explorer.analysis.run import NUMBERS, READ_ONLY, Run, is_leaf_made

Kind = Literal["overwritten", "function", "cut", "no_grad", "hook"]


@dataclass(frozen=True)
class Reason:
    """The cause. Attributes: operation: its id, -1 for none; code: the program's text there."""

    kind: Kind
    operation: int
    code: str


def reason(run: Run, subject: Subject) -> Reason | None:
    """The first operation on the way of a leaf's entries to the root that blocks or changes the gradient."""
    trace, operations = run.trace, run.operations
    call = trace.backwards[subject.backward]
    if any(finding.place for finding in gradient_falsified(run)):
        return Reason("overwritten", -1, "")
    user = {trace.nodes.operation[node] for node in call.order if trace.nodes.user_code[node]}
    wants = trace.tensors.requires_grad
    tainted, own = {subject.leaf}, -1
    for at in range(subject.operation, min(call.operations, run.count)):
        name, inputs, outputs = run.names[at], operations.inputs[at], operations.outputs[at]
        if name in READ_ONLY or tainted.isdisjoint(inputs):
            continue
        if at in user and own < 0:
            own = at
        cut = [made for made in outputs if made not in inputs and (is_leaf_made(run, at, made) or not wants[made])]
        history = any(wants[input_] for input_ in inputs if input_ in tainted)
        if (cut and history) or (not outputs and name in NUMBERS):
            kind: Kind = "cut" if operations.grad_enabled[at] else "no_grad"
            if _leads_on(run, subject, cut or list(outputs)):
                return Reason(kind, at, run.text(at))
        tainted.update(outputs)
    if own >= 0:
        return Reason("function", own, run.text(own))
    return Reason("hook", -1, "") if altered_outputs(trace, subject.backward) else None


def _leads_on(run: Run, subject: Subject, made: list[int]) -> bool:
    """Whether a cut-off result goes on to a root; a number that left torch may."""
    return not made or any(run.reads_that_matter(tensor) or tensor in run.roots for tensor in made)
