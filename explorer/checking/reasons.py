"""Why a gradient may be another number than the slope: what stands between a leaf and the root."""

from dataclasses import dataclass
from typing import Literal

from explorer.autograd.altered import altered_outputs
from explorer.checking.planning import Subject
from explorer.diagnose.facts import NUMBERS, READ_ONLY, Facts
from explorer.diagnose.missing import leaf_made
from explorer.diagnose.overwritten import gradient_falsified

Kind = Literal["overwritten", "function", "cut", "no_grad", "hook"]


@dataclass(frozen=True)
class Reason:
    """What stands in the way. Attributes: operation: which did it, -1 for none; code: the program's text there."""

    kind: Kind
    operation: int
    code: str


def reason(facts: Facts, subject: Subject) -> Reason | None:
    """The first thing on the way of a leaf's entries to the root that lets less, or something else, through."""
    trace, operations = facts.trace, facts.operations
    call = trace.backwards[subject.backward]
    if any(one.place for one in gradient_falsified(facts)):
        return Reason("overwritten", -1, "")
    user = {trace.nodes.operation[node] for node in call.order if trace.nodes.user_code[node]}
    wants = trace.tensors.requires_grad
    tainted, own = {subject.leaf}, -1
    for at in range(subject.operation, min(call.operations, facts.count)):
        name, inputs, outputs = facts.names[at], operations.inputs[at], operations.outputs[at]
        if name in READ_ONLY or tainted.isdisjoint(inputs):
            continue
        if at in user and own < 0:
            own = at
        cut = [made for made in outputs if made not in inputs and (leaf_made(facts, at, made) or not wants[made])]
        history = any(wants[one] for one in inputs if one in tainted)
        if (cut and history) or (not outputs and name in NUMBERS):
            kind: Kind = "cut" if operations.grad_enabled[at] else "no_grad"
            if _leads_on(facts, subject, cut or list(outputs)):
                return Reason(kind, at, facts.text(at))
        tainted.update(outputs)
    if own >= 0:
        return Reason("function", own, facts.text(own))
    return Reason("hook", -1, "") if altered_outputs(trace, subject.backward) else None


def _leads_on(facts: Facts, subject: Subject, made: list[int]) -> bool:
    """Whether what an operation cut off goes on to a root; a number that left torch may."""
    return not made or any(facts.reads_that_matter(one) or one in facts.roots for one in made)
